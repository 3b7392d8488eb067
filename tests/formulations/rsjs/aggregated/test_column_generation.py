"""Every multiplier gives a bound, sifting finds the best, and the next event starts from them."""

import doctest
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.core.call import Call, Limits
from rsjs.core.report import Report, Stop
from rsjs.formulations.backends.backend import SolveTask
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.registry import METHODS
from rsjs.formulations.rsjs.aggregated import column_generation
from rsjs.formulations.rsjs.aggregated import model as rsjs_classes
from rsjs.formulations.rsjs.aggregated.model import AggregatedModel
from rsjs.formulations.rsjs.aggregated.pricing import Pricing, RestrictedLp
from rsjs.instances.costs import cost_tables
from rsjs.instances.generators import kiros, sts
from rsjs.instances.jobs import ARRAYS, Jobs
from tests.formulations.agreement import EXACT, StopsAfter, optimum, served, with_objective

BOUND = METHODS["rsjs_bound"]


def of_jobs(instance, rows):
    """The same cluster with some of the jobs."""
    kept = {
        name: values[rows] if name in ARRAYS else tuple(values[j] for j in rows)
        for name, values in vars(instance.jobs).items()
    }
    return replace(instance, jobs=Jobs(**kept))


def linear_program(instance):
    """The optimum of the relaxation over all columns."""
    model = rsjs_classes.arrays(AggregatedModel.of(instance, "rows"))
    return float(backend("relaxation").load()(SolveTask(model, EXACT, seconds=300)).bound)


@pytest.mark.slow
@given(st.randoms(use_true_random=False), st.data())
def test_no_multipliers_give_more_than_the_optimum(random_document, rng, data):
    instance = served(random_document, rng)
    rows = len(AggregatedModel.of(instance, "rows").upper)
    size = data.draw(st.sampled_from([1e-3, 0.1, 1.0, 100.0, 1e6]))
    number = st.one_of(st.just(0.0), st.floats(-size, size))
    multipliers = np.array(data.draw(st.lists(number, min_size=rows, max_size=rows)))
    bound = column_generation.certified(instance, multipliers)
    assert 0.0 <= bound <= optimum(instance) * (1 + 1e-12)


@pytest.mark.parametrize("open_nodes", ["free", "rsjs_eq"])
def test_multipliers_below_nothing_are_nothing_but_for_the_equality(open_nodes):
    instance = with_objective(
        sts.generate(nodes=9, jobs=4, seed=1, mix="km"), open_nodes=open_nodes
    )
    rows = len(AggregatedModel.of(instance, "rows").upper)
    nothing, negative = np.zeros(rows), np.full(rows, -1e-3)
    change = column_generation.certified(instance, negative) - column_generation.certified(
        instance, nothing
    )
    earned = 4 * 1e-3 if open_nodes == "rsjs_eq" else 0.0  # 4 nodes must have a job
    assert change == pytest.approx(earned, abs=1e-9)


def test_a_cluster_with_one_capacity_row_has_its_bound(random_document):
    instance = served(random_document, Random(45))
    assert len(AggregatedModel.of(instance, "rows").upper) == 1
    found = column_generation.lower_bound(instance, tolerance=1e-9)
    assert found.bound == pytest.approx(linear_program(instance), rel=1e-6, abs=1e-6)


@pytest.mark.slow
@given(st.randoms(use_true_random=False))
def test_the_bound_is_the_linear_program_s_and_no_more_than_the_optimum(random_document, rng):
    instance = served(random_document, rng)
    found = column_generation.lower_bound(instance, tolerance=1e-9)
    assert found.bound <= optimum(instance) * (1 + 1e-12)
    assert found.bound == pytest.approx(linear_program(instance), rel=1e-6, abs=1e-6)
    assert found.bound == column_generation.certified(instance, found.multipliers)


@pytest.mark.slow
@pytest.mark.parametrize(
    "instance",
    [
        sts.generate(nodes=20, jobs=90, seed=1, mix="kma", sharing="paper"),
        sts.generate(nodes=30, jobs=90, seed=2, mix="km"),
        kiros.generate(nodes=20, jobs=100, seed=1),
        with_objective(sts.generate(nodes=100, jobs=90, seed=1, mix="kma"), open_nodes="rsjs_eq"),
    ],
    ids=lambda instance: f"{instance.name}-{instance.objective.open_nodes}",
)
def test_sifting_with_samples_meets_the_linear_program_of_all_columns(instance):
    found = column_generation.lower_bound(instance, tolerance=1e-8)
    whole = linear_program(instance)
    assert found.bound == pytest.approx(whole, rel=1e-6)
    assert found.relaxed == pytest.approx(whole, rel=1e-6)
    assert found.columns.shape[1] < len(AggregatedModel.of(instance, "rows").column_type) / 2


@pytest.mark.slow
def test_the_next_event_starts_from_the_multipliers_of_the_last():
    every = sts.generate(nodes=20, jobs=81, seed=1, mix="kma", sharing="paper")
    before, after = of_jobs(every, list(range(80))), of_jobs(every, list(range(1, 81)))
    old = column_generation.lower_bound(before)
    cold = column_generation.lower_bound(after)
    quick = column_generation.certified(after, old.multipliers)
    warm = column_generation.lower_bound(after, start=old.multipliers)
    whole = linear_program(after)
    for bound in (quick, warm.bound, cold.bound):
        assert bound <= whole * (1 + 1e-9)
    assert quick >= 0.98 * whole
    assert warm.bound >= max(quick, 0.9999 * whole)
    assert warm.iterations <= cold.iterations


def test_multipliers_of_another_cluster_are_refused():
    km, kma = (sts.generate(nodes=6, jobs=6, seed=1, mix=mix) for mix in ("km", "kma"))
    multipliers = column_generation.lower_bound(km).multipliers
    rows = len(AggregatedModel.of(kma, "rows").upper)
    message = (
        rf"^multipliers of shape \({len(multipliers)},\), must be \({rows},\): "
        "of another cluster or open_nodes rule$"
    )
    with pytest.raises(ValueError, match=message):
        column_generation.certified(kma, multipliers)
    with pytest.raises(ValueError, match=message):
        column_generation.lower_bound(kma, start=multipliers)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_multipliers_that_are_no_numbers_are_refused(value):
    instance = sts.generate(nodes=2, jobs=2, seed=1)
    multipliers = column_generation.lower_bound(instance).multipliers.copy()
    multipliers[1] = value
    with pytest.raises(ValueError, match=rf"^multipliers\[1\] = {value}, must be finite$"):
        column_generation.certified(instance, multipliers)


def test_the_margin_covers_rounding_where_terms_cancel():
    """Multipliers up to 1e12, against the same sum in fractions."""
    instance = sts.generate(nodes=6, jobs=12, seed=1, mix="kma", sharing="paper")
    pricing = Pricing.of(AggregatedModel.of(instance, "rows"))
    rng = np.random.default_rng(0)
    for scale in (1.0, 1e6, 1e12):
        multipliers = pricing.usable(scale * rng.random(len(pricing.upper)))
        bound = pricing.bound(multipliers, pricing.values(multipliers))
        spent = [Fraction(x) for x in multipliers.tolist()]
        columns = pricing.matrix.T.tolist()
        charge = [sum(Fraction(a) * x for a, x in zip(c, spent, strict=True) if a) for c in columns]
        exact = -sum(Fraction(b) * x for b, x in zip(pricing.upper.tolist(), spent, strict=True))
        for costs, postponed in zip(
            pricing.costs.T.tolist(), pricing.postponement.tolist(), strict=True
        ):
            priced = (Fraction(c) + e for c, e in zip(costs, charge, strict=True) if c < np.inf)
            exact += min([Fraction(postponed), *priced])
        assert bound <= exact
        assert bound >= exact - Fraction(1, 10**10) * (abs(exact) + Fraction(scale) * 10**4)


def test_the_method_reports_the_bound_and_its_counts():
    instance = sts.generate(nodes=10, jobs=40, seed=1, mix="kma")
    report = Report(300.0)
    result = BOUND.load()(instance, Call(limits=Limits(gap=1e-4)), report)
    assert result.stop is Stop.ITERATIONS
    assert result.solution is None
    assert (result.bound_source, result.bound_variant) == ("lagrangian", "instance")
    assert (
        result.bound == report.events[-1].bound == pytest.approx(linear_program(instance), rel=1e-5)
    )
    assert result.counts["iterations"] >= 1
    assert 40 <= result.counts["columns"] < len(AggregatedModel.of(instance, "rows").column_type)


def test_without_time_the_bound_is_that_of_unlimited_room():
    instance = sts.generate(nodes=10, jobs=40, seed=1)
    result = BOUND.load()(instance, Call(), Report(0.0))
    data = AggregatedModel.of(instance, "rows")
    least = np.minimum(cost_tables(instance).postponement, data.costs.min(axis=0)).sum()
    assert result.stop is Stop.TIME_LIMIT
    assert result.bound == pytest.approx(least, rel=1e-9)


def test_asked_to_end_it_keeps_what_it_has():
    instance = sts.generate(nodes=10, jobs=40, seed=1, mix="kma")
    result = BOUND.load()(instance, Call(), StopsAfter(2))
    assert result.stop is Stop.INTERRUPTED
    assert result.bound <= linear_program(instance)


def test_no_decision_is_infeasible(without_a_decision):
    result = BOUND.load()(without_a_decision, Call(), Report(300.0))
    assert (result.stop, result.bound) == (Stop.INFEASIBLE, None)


def test_the_linear_program_s_limit_is_for_each_solve():
    pricing = Pricing.of(AggregatedModel.of(sts.generate(nodes=4, jobs=20, seed=1), "rows"))
    lp = RestrictedLp(pricing)
    types, jobs = np.nonzero(np.isfinite(pricing.costs))
    lp.add(types, jobs)
    low, high = np.zeros(len(pricing.upper)), np.full(len(pricing.upper), np.inf)
    for _ in range(2):
        spent = lp.highs.getRunTime()
        assert lp.solve(low, high, 5.0) is not None
        assert lp.highs.getOptionValue("time_limit")[1] == spent + 5.0
    assert spent > 0


def test_the_box_binds_where_multipliers_are_held_too_low():
    pricing = Pricing.of(AggregatedModel.of(sts.generate(nodes=4, jobs=20, seed=1), "rows"))
    lp = RestrictedLp(pricing)
    lp.add(*np.nonzero(np.isfinite(pricing.costs)))
    low, high = np.zeros(len(pricing.upper)), np.full(len(pricing.upper), np.inf)
    free = lp.solve(low, high, 60.0)
    assert not free.box_binds
    assert free.value == pytest.approx(
        pricing.bound(free.multipliers, pricing.values(free.multipliers)), rel=1e-9
    )
    held = lp.solve(low, free.multipliers / 2, 60.0)
    assert held.box_binds
    assert (held.multipliers <= free.multipliers / 2 + 1e-9).all()
    assert held.value < free.value


def test_the_example_of_the_module_runs():
    assert doctest.testmod(column_generation).failed == 0
    assert doctest.testmod(column_generation).attempted >= 6
