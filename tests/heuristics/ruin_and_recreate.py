"""Ruin and recreate on small instances, and their optima."""

from __future__ import annotations

from rsjs.formulations import enumeration
from rsjs.heuristics.ruin_recreate import run
from rsjs.instances import costs
from rsjs.instances.documents import to_instance
from rsjs.instances.method import Call, Limits, Report


def served(document, rng):
    made = document(rng, rng.choice(["proportional", "first_ending", "first_ending"]))
    made["objective"]["tardiness_at"] = "completion"
    return to_instance(made)


def solve(instance, iterations=300, *, seed=0, start=None, gap=-1.0, report=None):
    call = Call(
        options={"iterations": iterations}, limits=Limits(seed=seed, gap=gap), warm_start=start
    )
    return run(instance, call, report or Report())


def optimum(instance):
    best = enumeration.best(instance)
    return None if best is None else costs.terms(instance, best).total
