"""One pass of priced insertion: feasible, repeatable, above its bound."""

from __future__ import annotations

from random import Random

import pytest

from rsjs.heuristics import greedy, ruin_recreate
from rsjs.heuristics.priced_greedy import run
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.completion import complete
from rsjs.instances.documents import to_instance
from rsjs.instances.generators import jahani, kiros, sts
from rsjs.instances.method import Call, Limits, Report
from rsjs.instances.solution import Stop

FAMILIES = [
    jahani.generate(nodes=20, jobs=80, seed=1),
    kiros.generate(nodes=20, jobs=80, seed=1),
    sts.generate(nodes=20, jobs=80, seed=1, mix="kma"),
]


def test_decisions_are_feasible_and_above_the_bound(random_document):
    for seed in range(100):
        rng = Random(seed)
        made = random_document(rng, rng.choice(["proportional", "first_ending"]))
        made["objective"]["tardiness_at"] = "completion"
        instance = to_instance(made)
        result = run(instance, Call(), Report())
        verdict = check(instance, result.solution, objective=result.objective, bound=result.bound)
        assert verdict.feasible, [str(violation) for violation in verdict.violations]
        assert result.stop is Stop.ITERATIONS


@pytest.mark.parametrize("instance", FAMILIES, ids=lambda instance: instance.name)
def test_it_is_repeatable_and_better_than_greedy(instance):
    one, two = (run(instance, Call(limits=Limits(seed=s)), Report()) for s in (0, 1))
    assert one.solution.same_as(two.solution)
    plain = complete(instance, greedy.decide(greedy.prepare(instance, "paper")))
    assert one.objective < costs.terms(instance, plain).total


@pytest.mark.parametrize("instance", FAMILIES, ids=lambda instance: instance.name)
def test_ruin_recreate_begins_with_it(instance):
    call = Call(options={"iterations": 1}, limits=Limits(gap=-1.0))
    report = Report()
    ruin_recreate.run(instance, call, report)
    first = next(e.incumbent for e in report.events if e.incumbent is not None)
    assert first == pytest.approx(run(instance, Call(), Report()).objective, rel=1e-12)
