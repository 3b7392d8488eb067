"""Fix and optimise: parts cost what the whole does, and an exact method improves schedules."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from rsjs.formulations import enumeration
from rsjs.heuristics.fix_and_optimise import run
from rsjs.heuristics.neighbourhoods import Neighbourhoods
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.completion import complete
from rsjs.instances.documents import to_instance
from rsjs.instances.errors import InputError
from rsjs.instances.generators import jahani, kiros, sts
from rsjs.instances.method import Call, Limits, Report
from rsjs.instances.solution import SolveResult, Stop
from rsjs.methods import parse


def served(document, rng):
    made = document(rng, rng.choice(["proportional", "first_ending", "first_ending"]))
    made["objective"]["tardiness_at"] = "completion"
    return to_instance(made)


def solve(instance, method=enumeration.run, *, report=None, start=None, **options):
    asked = {"rounds": 10, "nodes": 2, "postponed": 2, "iterations": 1, "method": method}
    call = Call(options={**asked, **options}, limits=Limits(gap=-1.0), warm_start=start)
    return run(instance, call, report or Report())


def test_a_part_saves_what_the_whole_saves(random_document, random_decision):
    compared = 0
    for seed in range(150):
        rng = Random(seed)
        instance = served(random_document, rng)
        if instance.objective.open_nodes == "jahani_eq" and instance.objective.mu > 0:
            continue
        decision = random_decision(instance, rng)
        draws = Neighbourhoods.of(instance)
        part = draws.draw(decision, 2, 3, np.random.default_rng(seed))
        if part is None:
            continue
        before = part.restricted(decision)
        after = random_decision(part.instance, rng)
        saved = costs.terms(part.instance, before).total - costs.terms(part.instance, after).total
        whole = costs.terms(instance, decision).total
        merged = part.merged(decision, after)
        assert whole - costs.terms(instance, merged).total == pytest.approx(saved)
        if instance.objective.open_nodes != "jahani_eq":
            assert check(instance, merged).feasible
        compared += 1
    assert compared > 80


def test_tiny_instances_are_solved_to_optimality(random_document):
    solved = total = 0
    for seed in range(60):
        instance = served(random_document, Random(seed))
        best = enumeration.best(instance)
        result = solve(instance, nodes=9, postponed=9, rounds=2)
        cost = costs.terms(instance, best).total
        verdict = check(instance, result.solution, objective=result.objective, bound=result.bound)
        assert verdict.feasible, [str(violation) for violation in verdict.violations]
        assert result.objective >= cost - 1e-9 * max(1.0, abs(cost))
        solved += result.objective <= cost + 1e-9 * max(1.0, abs(cost))
        total += 1
    assert solved >= total - 5


@pytest.mark.parametrize(
    ("instance", "method"),
    [
        (jahani.generate(nodes=15, jobs=60, seed=1), "jahani_patterns@highs"),
        (kiros.generate(nodes=15, jobs=60, seed=1), "first_ending_patterns@highs"),
        (sts.generate(nodes=15, jobs=40, seed=1, sharing="paper"), "rsjs_nodes@highs"),
    ],
    ids=lambda case: getattr(case, "name", case),
)
def test_an_exact_method_improves_the_first_schedule(instance, method):
    result = solve(instance, parse(method), rounds=4, nodes=3)
    first = result.events[1].incumbent
    assert result.objective < first
    assert result.counts["improved"] >= 1
    assert result.bound <= result.objective
    assert check(instance, result.solution, objective=result.objective).feasible
    again = solve(instance, parse(method), rounds=4, nodes=3)
    assert again.solution.same_as(result.solution)


def test_never_worse_than_its_start(random_document, random_decision):
    for seed in range(30):
        rng = Random(seed)
        instance = served(random_document, rng)
        start = complete(instance, random_decision(instance, rng))
        before = costs.terms(instance, start).total
        result = solve(instance, start=start, rounds=2)
        assert result.objective <= before + 1e-9 * max(1.0, abs(before))


def test_a_method_that_finds_nothing_changes_nothing():
    def idle(instance, call, report):
        return SolveResult(stop=Stop.TIME_LIMIT)

    instance = kiros.generate(nodes=6, jobs=30, seed=1)
    result = solve(instance, idle)
    assert result.stop is Stop.ITERATIONS
    assert result.counts["improved"] == 0
    assert result.counts["rounds"] == 10


def test_parts_grow_after_failures():
    seen = []

    def idle(instance, call, report):
        seen.append(instance.cluster.nodes)
        return SolveResult(stop=Stop.TIME_LIMIT)

    instance = kiros.generate(nodes=3, jobs=30, seed=1)
    solve(instance, idle, nodes=1, rounds=9)
    assert seen[0] < seen[-1]


def test_it_ends_when_the_time_is_up_or_somebody_asks():
    class Asked(Report):
        """Asked to end once the first schedule is there."""

        def stop_requested(self) -> bool:
            return len(self.events) > 1 and self.events[-1].seconds > 0 and self.parts

        parts = False

    asked = Asked()

    def impatient(instance, call, report):
        asked.parts = True
        assert report.stop_requested()
        return SolveResult(stop=Stop.INTERRUPTED)

    instance = kiros.generate(nodes=6, jobs=30, seed=1)
    assert solve(instance, impatient, report=asked).stop is Stop.INTERRUPTED
    assert solve(instance, impatient, report=Report(0.0)).stop is Stop.TIME_LIMIT


def test_a_method_that_does_not_serve_the_objective_is_named():
    instance = jahani.generate(nodes=3, jobs=9, seed=1)
    request = parse("fix_and_optimise?method=first_ending_nodes")
    reason = request.method.refusal(instance)
    assert reason is not None
    assert reason.startswith("first_ending_nodes serves energy first_ending")
    with pytest.raises(InputError, match="first_ending_nodes"):
        solve(instance, parse("first_ending_nodes"))
