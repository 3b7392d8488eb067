"""Form E <= optimum <= schedule, and nothing is called proved that is not."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from allpairspy import AllPairs
from hypothesis import given, settings
from hypothesis import strategies as st

from rsjs.core.call import Call, Limits
from rsjs.core.method import EXPECTATION, OPEN_NODES
from rsjs.core.report import Report, Stop
from rsjs.formulations import enumeration
from rsjs.formulations.backends.stop import relative_gap
from rsjs.formulations.registry import METHODS
from rsjs.formulations.rsjs.aggregated import column_generation, search
from rsjs.instances.check import check
from rsjs.instances.generators import andreas, kiros, sts
from tests.formulations.agreement import StopsAfter, optimum, served, with_objective

pytestmark = pytest.mark.solver

SIFTING = METHODS["rsjs_sifting"]
FAMILIES = {
    "sts dedicated": lambda seed: sts.generate(nodes=2, jobs=5, seed=seed, mix="km"),
    "sts K80 M60": lambda seed: sts.generate(nodes=2, jobs=4, seed=seed, mix="km", sharing="paper"),
    "sts A100": lambda seed: sts.generate(
        nodes=2, jobs=4, seed=seed, mix="a100", sharing="contention"
    ),
    "sts spare nodes": lambda seed: sts.generate(nodes=4, jobs=3, seed=seed, mix="kma"),
    "kiros": lambda seed: kiros.generate(nodes=2, jobs=4, seed=seed, due="tight"),
    "andreas": lambda seed: andreas.generate(nodes=3, jobs=5, seed=seed),
}


def run(instance, report=None, **asked):
    limits = Limits(gap=asked.pop("gap", 0.0))
    return SIFTING.load()(instance, Call(limits=limits, **asked), report or Report(300.0))


def assert_bounds_the_optimum(instance, gap):
    best = optimum(instance)
    slack = 1e-6 * best + 1e-9
    result = run(instance, gap=gap)
    verdict = check(instance, result.solution, objective=result.objective, bound=result.bound)
    assert verdict.feasible, verdict.violations
    assert 0.0 <= column_generation.lower_bound(instance).bound <= best * (1 + 1e-12)
    assert result.bound <= best + slack
    assert verdict.objective >= best - slack
    assert result.stop in (Stop.OPTIMAL, Stop.GAP)
    if result.stop is Stop.OPTIMAL:
        assert verdict.objective <= best + slack
    else:
        assert relative_gap(verdict.objective, result.bound) <= gap


@pytest.mark.parametrize(
    ("family", "open_nodes", "expectation"),
    list(AllPairs([list(FAMILIES), sorted(OPEN_NODES), sorted(EXPECTATION)])),
)
def test_bound_optimum_and_schedule_are_in_order(family, open_nodes, expectation):
    instance = FAMILIES[family](sorted(OPEN_NODES).index(open_nodes))
    instance = with_objective(instance, open_nodes=open_nodes, expectation=expectation)
    assert_bounds_the_optimum(instance, 0.0)


@pytest.mark.parametrize("gap", [0.0, 0.05])
@given(rng=st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 2)
def test_so_they_are_on_random_instances(gap, random_document, rng):
    assert_bounds_the_optimum(served(random_document, rng), gap)


def overdue(instance):
    return replace(instance, jobs=replace(instance.jobs, due=np.full(len(instance.jobs), -5.0)))


def worthless(instance):
    """No job costs anything when late, no GPU anything in use."""
    nodes = tuple(replace(v, cost=(0.0,) * len(v.cost)) for v in instance.cluster.node_types)
    jobs = replace(instance.jobs, weight=np.zeros(len(instance.jobs)))
    return replace(instance, jobs=jobs, cluster=replace(instance.cluster, node_types=nodes))


@pytest.mark.parametrize("open_nodes", sorted(OPEN_NODES))
@pytest.mark.parametrize("change", [overdue, worthless])
def test_jobs_overdue_and_costs_of_nothing(change, open_nodes):
    instance = sts.generate(nodes=2, jobs=4, seed=1, mix="km", sharing="paper")
    assert_bounds_the_optimum(change(with_objective(instance, open_nodes=open_nodes)), 0.0)


@pytest.mark.parametrize("sharing", ["none", "paper", "contention"])
def test_a_goal_is_reached_and_told(sharing):
    instance = sts.generate(nodes=20, jobs=60, seed=1, mix="kma", sharing=sharing)
    report = Report(300.0)
    result = run(instance, report, gap=1e-3)
    verdict = check(instance, result.solution, objective=result.objective, bound=result.bound)
    assert verdict.feasible, verdict.violations
    gap = relative_gap(verdict.objective, result.bound)
    assert gap <= 1e-3
    assert result.stop is (Stop.OPTIMAL if gap <= 1e-9 else Stop.GAP)
    assert result.bound_variant == "instance"
    assert result.bound_source in ("lagrangian", "solver")
    assert report.events[-1].bound == result.bound
    assert min(e.incumbent for e in report.events if e.incumbent) == result.objective
    assert set(report.seconds) == {"build", "bound", "round", "search"}
    assert result.counts["iterations"] >= 1


def test_no_program_is_solved_where_rounding_reaches_the_goal():
    instance = sts.generate(nodes=20, jobs=60, seed=1, mix="kma")
    assert run(instance, gap=0.5).counts["programs"] == 0


def test_more_columns_are_taken_until_none_left_out_matters(monkeypatch):
    """From one column on: each program says what those left out cost at least."""
    monkeypatch.setattr(search, "BASE", 1)
    monkeypatch.setattr(search, "PER_JOB", 0)
    monkeypatch.setattr(search, "GROWTH", 2)
    instance = sts.generate(nodes=2, jobs=4, seed=1, mix="km", sharing="paper")
    best = optimum(instance)
    report = Report(300.0)
    result = run(instance, report)
    assert result.counts["programs"] > 1
    assert result.stop is Stop.OPTIMAL
    assert result.objective == pytest.approx(best, rel=1e-6)
    assert all(e.bound <= best * (1 + 1e-6) for e in report.events if e.bound is not None)


class RunsOut(Report):
    """Has time for a number of questions about it, whatever the machine."""

    def __init__(self, questions):
        super().__init__(60.0)
        self.questions = questions

    def remaining(self):
        self.questions -= 1
        return 60.0 if self.questions >= 0 else 0.0


@pytest.mark.parametrize("questions", [0, 3, 10, 30])
def test_a_time_limit_leaves_a_decision_and_a_bound(questions):
    instance = sts.generate(nodes=20, jobs=60, seed=1, mix="kma", sharing="paper")
    result = run(instance, RunsOut(questions))
    verdict = check(instance, result.solution, objective=result.objective, bound=result.bound)
    assert verdict.feasible, verdict.violations
    assert result.stop is Stop.TIME_LIMIT
    assert 0.0 < result.bound < result.objective


def test_a_start_is_kept_when_there_is_no_time():
    instance = sts.generate(nodes=3, jobs=5, seed=1)
    start = enumeration.best(instance)
    result = run(instance, Report(0.0), warm_start=start)
    assert result.stop is Stop.TIME_LIMIT
    assert result.objective == pytest.approx(check(instance, start).objective)


@pytest.mark.parametrize("open_nodes", sorted(OPEN_NODES))
def test_a_start_is_never_lost(open_nodes, random_decision):
    instance = sts.generate(nodes=3, jobs=6, seed=1, mix="kma", sharing="paper")
    instance = with_objective(instance, open_nodes=open_nodes)
    start = random_decision(instance, Random(1))
    result = run(instance, gap=0.2, warm_start=start)
    assert check(instance, result.solution).feasible
    assert result.objective <= check(instance, start).objective


def test_asked_to_end_it_returns_what_it_has():
    instance = sts.generate(nodes=20, jobs=60, seed=1, mix="kma", sharing="paper")
    result = run(instance, StopsAfter(3))
    assert result.stop is Stop.INTERRUPTED
    assert check(instance, result.solution).feasible
    assert result.bound <= result.objective


def test_without_a_program_there_may_be_no_decision_with_every_node_busy():
    instance = with_objective(sts.generate(nodes=4, jobs=8, seed=1), open_nodes="rsjs_eq")
    result = run(instance, Report(0.0))
    assert (result.stop, result.solution) == (Stop.TIME_LIMIT, None)
    assert result.bound > 0


def test_no_decision_is_infeasible(without_a_decision):
    result = run(without_a_decision)
    assert (result.stop, result.solution, result.bound) == (Stop.INFEASIBLE, None, None)
