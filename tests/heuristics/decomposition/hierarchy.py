"""Hierarchical decomposition as its tests run it."""

from dataclasses import replace
from functools import partial

import numpy as np

from rsjs.core.call import Call, Limits
from rsjs.core.report import Report
from rsjs.heuristics.decomposition.hierarchical import run
from rsjs.instances.check import check
from rsjs.instances.generators import andreas, jahani, kiros, sts
from rsjs.methods import all_methods, parse

GENERATORS = {"jahani": jahani, "kiros": kiros, "andreas": andreas, "sts": sts}
FAMILY = {name: generator.generate for name, generator in GENERATORS.items()}
GENERATED = {name: partial(make, nodes=5, jobs=9, seed=3) for name, make in FAMILY.items()}
SMALL = {name: partial(make, nodes=3, jobs=5, seed=1) for name, make in FAMILY.items()}
INNER = [  # methods that decide, and by themselves
    name
    for name, method in all_methods().items()
    if method.decides and all(option.kind != "method" for option in method.options.values())
]


def solved(instance, method, controllers=2, split="round_robin", report=None, **limits):
    """What K controllers find with a method, spelled or a callable."""
    solve = parse(method) if isinstance(method, str) else method
    options = {"method": solve, "controllers": controllers, "split": split}
    call = Call(options=options, limits=Limits(gap=0.0, **limits))
    return run(instance, call, report or Report(300.0))


def assert_checked(instance, result):
    """Its decision is feasible and costs what it claims; it claims no bound."""
    verdict = check(instance, result.solution, objective=result.objective)
    assert verdict.feasible, [str(violation) for violation in verdict.violations]
    assert (result.bound, result.bound_source) == (None, None)


def with_due(instance, due):
    return replace(instance, jobs=replace(instance.jobs, due=np.array(due, dtype=float)))
