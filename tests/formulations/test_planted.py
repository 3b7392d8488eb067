"""Exact methods find planted optima; enumeration those of the library."""

import pytest

from rsjs.core.call import Call, Limits
from rsjs.core.report import Report, Stop
from rsjs.formulations.enumeration import best
from rsjs.instances.costs import terms
from rsjs.instances.generators import planted
from rsjs.instances.library.sets import draw, library_set
from rsjs.methods import parse

EXACT = {
    "proportional": ["jahani_patterns@highs", "jahani_dual@highs"],
    "first_ending": ["first_ending_patterns@highs", "rsjs_sifting@highs"],
}
CASES = [(kind, method) for kind, methods in EXACT.items() for method in methods]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "seed"), [("proportional", 1), ("first_ending", 2)])
def test_enumeration_finds_the_planted_optimum(kind, seed):
    made = planted.optimum(nodes=2, jobs=7, seed=seed, kind=kind)
    assert terms(made.instance, best(made.instance)).total == pytest.approx(made.cost, rel=1e-12)


@pytest.mark.solver
@pytest.mark.parametrize(("kind", "spelling"), CASES)
def test_exact_methods_find_the_planted_optimum(kind, spelling):
    made = planted.optimum(nodes=5, jobs=20, seed=1, kind=kind)
    request = parse(spelling)
    limits = Limits(time_limit=300, gap=1e-9)
    call = Call(solver=request.solver, rule=request.rule, options=request.options, limits=limits)
    result = request.method.load()(made.instance, call, Report(limits.time_limit))
    assert result.stop in (Stop.OPTIMAL, Stop.GAP)
    assert terms(made.instance, result.solution).total == pytest.approx(made.cost, rel=1e-6)
    assert result.bound <= made.cost * (1 + 1e-6)


@pytest.mark.slow
def test_the_optima_of_the_library_are_those_of_enumeration():
    for member in library_set("enumerable").members:
        if member.jobs == 5:
            instance = draw(member.generator, member.arguments)
            assert terms(instance, best(instance)).total == pytest.approx(member.optimum, rel=1e-9)
