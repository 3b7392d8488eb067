"""Ruin and recreate against enumeration: what it returns, when it ends, how it cools."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.core.call import Call, Limits
from rsjs.core.report import Report, Stop
from rsjs.heuristics.common.jit import compiled
from rsjs.heuristics.registry import METHODS
from rsjs.heuristics.ruin_recreate import (
    arrays,
    construction,
    dual_prices,
    kernels_recreate,
    ruin_recreate,
)
from rsjs.heuristics.ruin_recreate.arrays import from_solution, mode_tables, to_solution
from rsjs.heuristics.ruin_recreate.kernels_node import layers, total_cost
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.generators import jahani, kiros, sts
from rsjs.instances.solution import Solution
from tests.heuristics.builders import optimum, served, solve


@given(rng=st.randoms(use_true_random=False))
def test_decision_is_feasible_and_between_bound_and_claim(random_document, rng):
    instance = served(random_document, rng)
    result, least = solve(instance), optimum(instance)
    if least is None:
        assert result.stop is Stop.INFEASIBLE
        assert result.solution is None
        return
    verdict = check(instance, result.solution, objective=result.objective, bound=result.bound)
    assert verdict.feasible, [str(violation) for violation in verdict.violations]
    assert result.bound <= least + 1e-9 * max(1.0, abs(least))
    assert result.objective >= least - 1e-9 * max(1.0, abs(least))


@pytest.mark.slow
def test_most_tiny_instances_are_solved_to_optimality(random_document):
    solved = 0
    for seed in range(30):
        instance = served(random_document, Random(seed))
        least = optimum(instance)
        solved += solve(instance, 1000).objective <= least + 1e-9 * max(1.0, abs(least))
    assert solved >= 28


def test_same_seed_same_schedule_and_other_seed_another_one():
    instance = sts.generate(nodes=10, jobs=40, seed=2)
    one, two, other = (solve(instance, 400, seed=seed) for seed in (5, 5, 6))
    assert one.solution.same_as(two.solution)
    assert not one.solution.same_as(other.solution)
    assert one.counts["iterations"] == 400


def test_never_worse_than_its_start(random_document, random_decision):
    for seed in range(15):
        rng = Random(seed)
        instance = served(random_document, rng)
        start = random_decision(instance, rng)
        result = solve(instance, 20, start=start)
        assert check(instance, result.solution).feasible
        before = costs.terms(instance, start).total
        assert result.objective <= before + 1e-9 * max(1.0, abs(before))


def test_every_rule_for_open_nodes_holds():
    for rule, jobs in (("free", 6), ("jahani_eq", 14), ("rsjs_eq", 14), ("rsjs_eq_feasible", 6)):
        made = sts.generate(nodes=10, jobs=jobs, seed=1)
        instance = replace(made, objective=replace(made.objective, open_nodes=rule))
        result = solve(instance, 100)
        verdict = check(instance, result.solution, objective=result.objective)
        assert verdict.feasible
        if rule.startswith("rsjs"):
            assert verdict.counts["used_nodes"] == min(jobs, 10)


def test_more_than_eight_gpus_per_node(make):
    hours = [{"A": [8.0 / k for k in range(1, 13)]} for _ in range(4)]
    instance = make({"A12": 1.0}, hours, due=[0.7] * 4, weight=[50.0] * 4)
    result = solve(instance, 500)
    assert result.objective == pytest.approx(optimum(instance))
    assert result.solution.job_gpus.sum() == 12


def test_it_ends_at_the_gap_asked_for():
    result = solve(jahani.generate(nodes=5, jobs=30, seed=3), 100_000, gap=0.5)
    assert result.stop is Stop.GAP
    assert result.counts["iterations"] < 100_000
    assert result.objective - result.bound <= 0.5 * result.objective


class Ticking(Report):
    """A clock that advances a hundredth of a second each time somebody looks."""

    ticks = 0

    def elapsed(self):
        self.ticks += 1
        return self.ticks / 100


class Impatient(Report):
    def stop_requested(self):
        return True


@pytest.mark.parametrize(
    ("report", "stop"),
    [
        (Ticking(1.0), Stop.TIME_LIMIT),  # and cools down before
        (Report(0.0), Stop.TIME_LIMIT),  # the first schedule
        (Impatient(), Stop.INTERRUPTED),
    ],
)
def test_it_ends_when_the_time_is_up_or_somebody_asks(report, stop):
    instance = kiros.generate(nodes=5, jobs=30, seed=3)
    result = solve(instance, 0, report=report)
    assert result.stop is stop
    assert (result.counts["iterations"] > 0) == isinstance(report, Ticking)
    assert check(instance, result.solution, objective=result.objective).feasible


def test_incumbents_fall_and_the_bound_comes_first():
    report = Ticking(60.0)
    solve(sts.generate(nodes=10, jobs=40, seed=1), 2000, report=report)
    values = [event.incumbent for event in report.events if event.incumbent is not None]
    assert report.events[0].bound is not None
    assert len(values) > 2
    assert values == sorted(values, reverse=True)


def test_what_is_not_served_is_refused_in_one_line(make):
    instance = make({"A2": 1.0}, [{"A": [1.0]}], due=[1.0], family="gpuscheduler")
    for name in ("ruin_recreate", "priced_greedy"):
        reason = METHODS[name].refusal(instance)
        assert reason is not None
        assert reason.startswith(f"{name} serves energy first_ending | proportional")
        assert "\n" not in reason


def test_too_many_sets_of_shares_are_refused_in_one_line(monkeypatch):
    monkeypatch.setattr(arrays, "MAX_FILLINGS", 100)
    instance = sts.generate(nodes=3, jobs=40, seed=1, sharing="paper")
    with pytest.raises(ValueError, match=r"^\d+ sets of shares of K80 on one node"):
        solve(instance)


def test_a_job_that_ran_on_neither_gpus_nor_a_share_stays_in_no_mode():
    made = sts.generate(nodes=2, jobs=4, seed=1, sharing="paper")
    shares, level = len(made.cluster.gpu_types[0].levels), 0
    modes = {arrays.mode_of(made, 0, gpus, -1) for gpus in (1, 2)}
    assert modes == {shares, shares + 1}
    assert arrays.mode_of(made, 0, 0, level) < shares
    assert arrays.mode_of(made, 0, 0, -1) == arrays.mode_of(made, 0, 1, level) == -1


def test_integers_in_a_file_make_no_difference():
    made = kiros.generate(nodes=4, jobs=20, seed=1)
    whole = replace(made, objective=replace(made.objective, mu=0))
    assert mode_tables(whole).idle.dtype == np.float64
    assert solve(whole).solution.same_as(solve(made).solution)


def test_no_job_is_a_decision_too(make):
    result = solve(make({"A1": 5.0}, [{"A": [9.0]}], due=[99.0], weight=[0.0]), 50)
    assert result.objective == 0.0
    assert result.solution.same_as(Solution.empty(1, 1))


@pytest.mark.slow
@pytest.mark.parametrize(("nodes", "jobs", "slack"), [(20, 10, 0.0), (5, 20, 1000.0)])
def test_jobs_that_may_as_well_wait_run_where_idle_gpus_cost(nodes, jobs, slack):
    instance = jahani.generate(nodes=nodes, jobs=jobs, seed=1)
    due = instance.jobs.due + slack
    instance = replace(instance, jobs=replace(instance.jobs, due=due))
    assert (costs.cost_tables(instance).postponement == 0).any()
    run = METHODS["ruin_recreate"].load()
    result = run(instance, Call(limits=Limits(gap=1e-4)), Report())
    assert result.stop is Stop.GAP
    assert result.objective == pytest.approx(result.bound, rel=1e-4)


HOT, COLD = 0.15, 0.0005  # of the typical price of a GPU, as the method says
NODES, DESCENT = 5, 30  # 6 moves for each node


@compiled
def squeezed(problem, state, space, waits, j):
    """`squeeze` as Python can call it."""
    return kernels_recreate.squeeze(problem, state, space, waits, j)


@pytest.fixture
def asked(monkeypatch):
    """Moves, temperature and postponed jobs that the search asks for; no move is made."""
    told = []

    def moves(search, count, temperature, nodes, waiting):
        told.append((count, temperature, waiting))

    monkeypatch.setattr(ruin_recreate.Annealer, "moves", moves)
    return told


def searched(iterations, start=None):
    """The typical price of a GPU in an instance that has been searched."""
    instance = kiros.generate(nodes=NODES, jobs=30, seed=3)
    call = Call(options={"iterations": iterations}, limits=Limits(gap=-1.0), warm_start=start)
    assert ruin_recreate.run(instance, call, Report()).counts["iterations"] == iterations
    return dual_prices.find(instance).scale


def test_two_descents_come_first_then_it_cools_down_geometrically(asked):
    iterations = 1000
    scale = searched(iterations)
    descents = [(count, waiting) for count, temperature, waiting in asked if temperature == 0]
    assert descents == [(DESCENT, 12), (DESCENT, 8)]
    made, annealing = 2 * DESCENT, asked[2:]
    for count, temperature, waiting in annealing:
        share = made / iterations
        assert temperature == pytest.approx(scale * HOT ** (1 - share) * COLD**share)
        assert (waiting, count) == (3, min(50, iterations - made))
        made += count
    assert made == iterations
    temperatures = [temperature for _, temperature, _ in annealing]
    assert temperatures == sorted(temperatures, reverse=True)


def test_a_warm_start_is_annealed_at_once(asked):
    scale = searched(200, Solution.empty(30, NODES))
    assert [count for count, _, _ in asked] == [50] * 4
    assert asked[0][1] == pytest.approx(scale * HOT)
    assert all(temperature > 0 for _, temperature, _ in asked)


@pytest.mark.parametrize(
    ("family", "node", "jobs"), [("jahani", "A1", 1), ("jahani", "A3", 3), ("kiros", "A3", 3)]
)
def test_priced_insertion_uses_the_last_gpu_of_a_node(make, family, node, jobs):
    instance = make({node: 1}, [{"A": [4]}] * jobs, due=[2] * jobs, family=family)
    result = construction.run(instance, Call(), Report())
    assert check(instance, result.solution, objective=result.objective).feasible
    assert result.solution.job_node.tolist() == [0] * jobs


def two_jobs(make, weight):
    """Job 0 on both GPUs of the one node; as many jobs as it has GPUs."""
    instance = make({"A2": 1}, [{"A": [9, 2]}] * 2, due=[2, 2], weight=weight)
    problem = mode_tables(instance)
    state = from_solution(instance, problem, Solution.of([0, -1], [2, 0], [0]))
    total_cost(problem, state)
    waits = kernels_recreate.removed_jobs(problem, state)
    waits.node[0], waits.size[1] = 0, 1
    return instance, problem, state, waits


def test_a_job_is_squeezed_in_where_others_can_do_with_less(make):
    instance, problem, state, waits = two_jobs(make, [1, 1])
    assert squeezed(problem, state, layers(problem, 2), waits, 1)
    found = to_solution(instance, problem, state)
    assert found.job_gpus.tolist() == [1, 1]
    assert state.cost[0] == pytest.approx(7 + 7 + 9)  # both late, nine hours at 1 $/h
    assert costs.terms(instance, found).total == pytest.approx(state.cost[0])


def test_a_job_that_is_cheaper_postponed_leaves_the_node_as_it_was(make):
    instance, problem, state, waits = two_jobs(make, [10, 0.01])
    assert not squeezed(problem, state, layers(problem, 2), waits, 1)
    assert state.load[0] == 1
    assert state.cost[0] == 2  # two hours at 1 $/h
    assert to_solution(instance, problem, state).job_gpus.tolist() == [2, 0]
