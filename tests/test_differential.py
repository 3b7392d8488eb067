"""No two methods disagree: every registered method on random instances, against enumeration."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rsjs.core.call import Call, Limits
from rsjs.core.report import Report, Stop
from rsjs.formulations import enumeration
from rsjs.formulations.backends.backend import Feature
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.instances.check import check
from rsjs.instances.instance import FAMILIES
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.solution import Solution
from rsjs.methods import all_methods, parse

pytestmark = [pytest.mark.slow, pytest.mark.solver]

METHODS = all_methods()
FAMILY_LIKE = {  # what makes a random document one of a family's
    "proportional": {"energy": "proportional", "tardiness_at": "completion"},
    "first_ending": {"energy": "first_ending", "tardiness_at": "completion"},
    "next_event": {"energy": "next_event", "tardiness_at": "next_event"},
}


def spelled(method, rng):
    """The method with a solver that is here, a rule and, if it takes one, a method drawn for it."""
    here = [name for name in method.solvers if BACKENDS[name].available()]
    solvers = [name for name in here if Feature.INTEGER in BACKENDS[name].features]
    spelling = method.name
    spelling += f"@{rng.choice(solvers)}" if solvers else ""
    spelling += f":{rng.choice(method.rules)}" if method.rules else ""
    inner = [name for name, option in method.options.items() if option.kind == "method"]
    if inner:
        other = rng.choice([other for other in METHODS.values() if _may_be_a_value(other)])
        few = "?iterations=1000" if "iterations" in other.options else ""  # is run many times
        return f"{spelling}?{inner[0]}=({spelled(other, rng)}{few})"
    return spelling


def _may_be_a_value(method):
    return method.decides and all(option.kind != "method" for option in method.options.values())


def answers(instance, rng):
    """Every method that serves the instance."""
    for method in METHODS.values():
        spelling = spelled(method, rng)
        if parse(spelling).method.refusal(instance) is None:
            yield spelling, method, run(spelling, instance)


def run(spelling, instance):
    """All to the end but the MINLP, which six jobs keep busy for minutes."""
    seconds = 2.0 if "rsjs_minlp" in spelling else 600.0
    report = Report(seconds)
    result = parse(spelling)(instance, Call(limits=Limits(gap=0.0, time_limit=seconds)), report)
    return result, report


def assert_consistent(instance, optimum, method, result, report):
    """Feasible and no better than the optimum; bounds no worse; proofs are proofs."""
    if optimum is None:
        assert result.solution is None
        late = [Stop.TIME_LIMIT] if report.remaining() <= 0 else []
        assert result.stop in (Stop.INFEASIBLE, Stop.ITERATIONS, *late)
        return
    tolerance = 1e-6 * max(1.0, abs(optimum))
    assert result.stop is not Stop.INFEASIBLE
    if result.solution is not None:
        verdict = check(instance, result.solution)
        assert verdict.feasible, verdict.violations
        assert verdict.objective == pytest.approx(result.objective, rel=1e-9, abs=1e-9)
        assert verdict.objective >= optimum - tolerance
        if result.stop in (Stop.OPTIMAL, Stop.GAP):
            assert verdict.objective <= optimum + tolerance
    bounds = [result.bound, *(event.bound for event in report.events)]
    assert all(bound <= optimum + tolerance for bound in bounds if bound is not None)
    assert result.bound is None or result.bound_variant == "instance"


@pytest.mark.parametrize("kind", FAMILY_LIKE)
@given(rng=st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 3)
def test_every_method_agrees_with_enumeration(random_document, random_decision, kind, rng):
    document = random_document(rng, FAMILY_LIKE[kind]["energy"])
    document["objective"] |= FAMILY_LIKE[kind]
    if kind == "first_ending":
        document["objective"]["mu"] = rng.choice([0, 0, 0, 0.05])
    document.pop("current", None)
    instance = to_instance(document)
    if rng.random() < 0.3:
        instance = replace(instance, current=random_decision(instance, rng))
    best: Solution | None = enumeration.best(instance)
    optimum = None if best is None else check(instance, best).objective
    seen = set()
    for spelling, method, (result, report) in answers(instance, rng):
        try:
            assert_consistent(instance, optimum, method, result, report)
        except AssertionError as error:
            error.add_note(f"{spelling}: {result.stop.value} {result.message}")
            raise
        seen.add(method.name)
    assert "enumeration" in seen


def test_every_method_is_seen():
    """Some family's objective reaches each method, so that the test above does."""
    kinds = [(o["energy"], o["tardiness_at"]) for o in FAMILY_LIKE.values()]
    assert {(f.energy, f.tardiness_at) for f in FAMILIES.values()} <= set(kinds)
    for method in METHODS.values():
        assert any(e in method.energy and t in method.tardiness_at for e, t in kinds), method.name
