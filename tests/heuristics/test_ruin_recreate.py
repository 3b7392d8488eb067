"""Ruin and recreate against enumeration, its kernels against brute force and the checker."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rsjs.formulations import enumeration
from rsjs.heuristics import prices, share_bins
from rsjs.heuristics.compiled import compiled
from rsjs.heuristics.kernels.node_moves import spares, total_cost
from rsjs.heuristics.kernels.node_sizes import layers, resize
from rsjs.heuristics.node_shapes import shapes
from rsjs.heuristics.node_state import decision, loaded, nothing_runs
from rsjs.heuristics.registry import METHODS
from rsjs.heuristics.ruin_recreate import Search, run
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.documents import to_instance
from rsjs.instances.generators import jahani, kiros, sts
from rsjs.instances.method import Call, Limits, Report
from rsjs.instances.packing import gpus_for_shares
from rsjs.instances.solution import Solution, Stop


@compiled
def resized(problem, state, space, n):
    """`resize` as Python can call it."""
    return resize(problem, state, space, n)


@compiled
def spare_cost(problem, state):
    """`spares` as Python can call it."""
    return spares(problem, state)


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


@given(rng=st.randoms(use_true_random=False))
@settings(max_examples=200)
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


def test_most_tiny_instances_are_solved_to_optimality(random_document):
    solved = 0
    for seed in range(200):
        instance = served(random_document, Random(seed))
        least = optimum(instance)
        result = solve(instance, 1000)
        solved += result.objective <= least + 1e-9 * max(1.0, abs(least))
    assert solved >= 190


@pytest.mark.parametrize(
    "instance",
    [
        jahani.generate(nodes=12, jobs=60, seed=1),
        kiros.generate(nodes=12, jobs=60, seed=1),
        sts.generate(nodes=12, jobs=40, seed=1, mix="kma"),
        sts.generate(nodes=12, jobs=60, seed=1, mix="kma", sharing="paper"),
    ],
    ids=lambda instance: instance.name,
)
def test_moves_keep_every_sum_and_the_checkers_cost(instance):
    found, problem = prices.find(instance), shapes(instance)
    start = nothing_runs(problem, problem.types[problem.node_class, 0])
    search = Search(instance, problem, found, start, 3)
    for move in range(150):
        temperature = 0.0 if move % 2 else found.scale
        search.moves(1, temperature, 1 + move % 4, move % 5)
        state = search.state
        waiting = state.waiting[: state.size[0]]
        kept = state.cost.sum() + problem.postponement[waiting].sum() + spare_cost(problem, state)
        solution = decision(instance, problem, state)
        assert check(instance, solution).feasible
        cost = costs.terms(instance, solution).total
        assert kept == pytest.approx(cost, rel=1e-9, abs=1e-9)
        assert total_cost(problem, state) == pytest.approx(cost, rel=1e-12, abs=1e-12)
        best = costs.terms(instance, search.solution()).total
        assert search.cost == pytest.approx(best, rel=1e-9, abs=1e-9)
        running = np.concatenate([state.jobs[n, :k] for n, k in enumerate(state.load)])
        assert sorted([*running.tolist(), *waiting.tolist()]) == list(range(len(instance.jobs)))


@given(rng=st.randoms(use_true_random=False))
@settings(max_examples=150)
def test_the_best_shapes_of_a_node_are_those_of_brute_force(random_document, rng):
    instance = served(random_document, rng)
    problem = shapes(instance)
    n = rng.randrange(instance.cluster.nodes)
    v = int(rng.choice([v for v in problem.types[problem.node_class[n]].tolist() if v >= 0]))
    state = nothing_runs(problem, problem.types[problem.node_class, 0])
    room = state.jobs.shape[1] - 1
    jobs = rng.sample(range(len(instance.jobs)), min(len(instance.jobs), room, rng.randint(1, 3)))
    state.kind[n], state.load[n], state.cost[n] = v, len(jobs), np.inf
    state.jobs[n, : len(jobs)] = jobs
    fits = resized(problem, state, layers(problem, room), n)
    expected = brute_force(instance, problem, v, jobs)
    gpu = instance.cluster.gpu_types[instance.cluster.gpu_of_type[v]]
    divisible = gpu.name in ("K80", "M60", "plain") and problem.idle[v, 0] == 0
    exact = divisible or not problem.step[v].any()
    if exact:
        assert fits == (expected < np.inf)
    if fits and exact:
        assert state.cost[n] == pytest.approx(expected)
    elif fits:
        assert state.cost[n] >= expected - 1e-9


def brute_force(instance, problem, v, jobs):
    """Least cost of running exactly these jobs on a node of type v."""
    gpu = instance.cluster.gpu_types[instance.cluster.gpu_of_type[v]]
    best = np.inf
    for chosen in product(range(int(problem.choices[v])), repeat=len(jobs)):
        if any(problem.late[v, j, a] == np.inf for j, a in zip(jobs, chosen, strict=True)):
            continue
        shares = [int(problem.units[v, a]) for a in chosen if problem.gpus[v, a] == 0]
        used = sum(int(problem.gpus[v, a]) for a in chosen) + gpus_for_shares(shares, gpu.units)
        if used > problem.size[v]:
            continue
        late = sum(problem.late[v, j, a] for j, a in zip(jobs, chosen, strict=True))
        first = min(problem.hours[v, j, a] for j, a in zip(jobs, chosen, strict=True))
        best = min(best, late + problem.energy[v, used] * first + problem.idle[v, used])
    return best


def test_the_table_of_bins_is_that_of_the_packing():
    instance = sts.generate(nodes=9, jobs=200, seed=1, mix="kma", sharing="paper")
    problem = shapes(instance)
    for v, node in enumerate(instance.cluster.node_types):
        gpu = instance.cluster.gpu_types[instance.cluster.gpu_of_type[v]]
        small, large = (level.units for level in gpu.levels)
        steps = problem.step[v][:2]
        for few, many in product(range(0, 9), range(0, 7)):
            expected = gpus_for_shares([small] * few + [large] * many, gpu.units)
            index = problem.bins_of[v] + few * steps[0] + many * steps[1]
            if expected <= node.gpus:
                assert problem.bins[index] == expected
            else:
                assert problem.bins[index] > node.gpus


def test_same_seed_same_schedule_and_other_seed_another_one():
    instance = sts.generate(nodes=10, jobs=40, seed=2)
    one, two, other = (solve(instance, 400, seed=seed) for seed in (5, 5, 6))
    assert one.solution.same_as(two.solution)
    assert not one.solution.same_as(other.solution)
    assert one.counts["iterations"] == 400


SCRIPT = """
import json, sys
from rsjs.heuristics import priced_greedy
from rsjs.heuristics.ruin_recreate import run
from rsjs.instances.generators import jahani, kiros, sts
from rsjs.instances.method import Call, Limits, Report
found = []
for instance in (
    jahani.generate(nodes=3, jobs=12, seed=1, due="tight"),
    kiros.generate(nodes=3, jobs=12, seed=1),
    sts.generate(nodes=3, jobs=9, seed=1, mix="kma", sharing="paper"),
):
    call = Call(options={"iterations": 80}, limits=Limits(gap=-1.0))
    for result in (run(instance, call, Report()), priced_greedy.run(instance, Call(), Report())):
        s = result.solution
        lists = [a.tolist() for a in (s.job_node, s.job_gpus, s.job_level, s.node_type)]
        found.append([lists, result.objective, result.bound])
json.dump(found, sys.stdout)
"""


def test_compiled_and_plain_python_agree():
    texts = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, **environment},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for environment in ({}, {"NUMBA_DISABLE_JIT": "1"})
    ]
    compiled, plain = map(json.loads, texts)
    assert compiled == plain


def test_never_worse_than_its_start(random_document, random_decision):
    for seed in range(60):
        rng = Random(seed)
        instance = served(random_document, rng)
        start = random_decision(instance, rng)
        result = solve(instance, 20, start=start)
        assert check(instance, result.solution).feasible
        before = costs.terms(instance, start).total
        assert result.objective <= before + 1e-9 * max(1.0, abs(before))


def test_a_decision_survives_being_loaded(random_document, random_decision):
    for seed in range(60):
        rng = Random(seed)
        instance = served(random_document, rng)
        start = random_decision(instance, rng)
        problem = shapes(instance)
        state = loaded(instance, problem, start)
        again = decision(instance, problem, state)
        for name in ("job_node", "job_gpus", "job_level"):
            assert np.array_equal(getattr(again, name), getattr(start, name))


def test_every_rule_for_open_nodes_holds():
    for rule, due in product(("free", "jahani_eq", "rsjs_eq", "rsjs_eq_feasible"), (6, 14)):
        made = sts.generate(nodes=10, jobs=due, seed=1)
        instance = replace(made, objective=replace(made.objective, open_nodes=rule))
        result = solve(instance, 200)
        verdict = check(instance, result.solution, objective=result.objective)
        assert verdict.feasible
        if rule.startswith("rsjs"):
            assert verdict.counts["used_nodes"] == min(due, 10)


def test_more_than_eight_gpus_per_node(make):
    hours = [{"A": [8.0 / k for k in range(1, 13)]} for _ in range(4)]
    instance = make({"A12": 1.0}, [(1, ["A12"])], hours, due=[0.7] * 4, weight=[50.0] * 4)
    result = solve(instance, 500)
    assert result.objective == pytest.approx(optimum(instance))
    assert result.solution.job_gpus.sum() == 12


def test_it_ends_at_the_gap_asked_for():
    instance = jahani.generate(nodes=5, jobs=30, seed=3)
    result = solve(instance, 100_000, gap=0.5)
    assert result.stop is Stop.GAP
    assert result.counts["iterations"] < 100_000
    assert result.objective - result.bound <= 0.5 * result.objective


class Ticking(Report):
    """A clock that advances a hundredth of a second each time somebody looks."""

    ticks = 0

    def elapsed(self) -> float:
        self.ticks += 1
        return self.ticks / 100


def test_it_ends_when_the_time_is_up_and_cools_down_before():
    instance = kiros.generate(nodes=5, jobs=30, seed=3)
    result = solve(instance, 0, report=Ticking(1.0))
    assert result.stop is Stop.TIME_LIMIT
    assert check(instance, result.solution, objective=result.objective).feasible


def test_without_any_time_the_first_schedule_is_returned():
    instance = kiros.generate(nodes=5, jobs=30, seed=3)
    result = solve(instance, 0, report=Report(0.0))
    assert result.stop is Stop.TIME_LIMIT
    assert result.counts["iterations"] == 0
    assert check(instance, result.solution, objective=result.objective).feasible


def test_it_ends_when_asked_to():
    class Impatient(Report):
        def stop_requested(self) -> bool:
            return True

    instance = kiros.generate(nodes=5, jobs=30, seed=3)
    assert solve(instance, 1000, report=Impatient()).stop is Stop.INTERRUPTED


def test_incumbents_fall_and_the_bound_comes_first():
    report = Ticking(9.0)
    solve(sts.generate(nodes=10, jobs=40, seed=2), 2000, report=report)
    values = [event.incumbent for event in report.events if event.incumbent is not None]
    assert report.events[0].bound is not None
    assert len(values) > 2
    assert values == sorted(values, reverse=True)


def test_what_is_not_served_is_refused_in_one_line(make):
    instance = make({"A2": 1.0}, [(1, ["A2"])], [{"A": [1.0]}], due=[1.0], family="gpuscheduler")
    for name in ("ruin_recreate", "priced_greedy"):
        reason = METHODS[name].refusal(instance)
        assert reason is not None
        assert reason.startswith(f"{name} serves energy first_ending | proportional")
        assert "\n" not in reason


def test_too_many_sets_of_shares_are_refused_in_one_line(monkeypatch):
    monkeypatch.setattr(share_bins, "MOST_FILLINGS", 100)
    instance = sts.generate(nodes=3, jobs=40, seed=1, sharing="paper")
    with pytest.raises(ValueError, match=r"^\d+ sets of shares of K80 on one node"):
        solve(instance)


def test_integers_in_a_file_make_no_difference():
    made = kiros.generate(nodes=4, jobs=20, seed=1)
    whole = replace(made, objective=replace(made.objective, mu=0))
    assert shapes(whole).idle.dtype == np.float64
    assert solve(whole).solution.same_as(solve(made).solution)


def test_no_job_is_a_decision_too(make):
    instance = make({"A1": 5.0}, [(1, ["A1"])], [{"A": [9.0]}], due=[99.0], weight=[0.0])
    result = solve(instance, 50)
    assert result.objective == 0.0
    assert result.solution.same_as(Solution.empty(1, 1))


@pytest.mark.parametrize(("nodes", "jobs", "slack"), [(20, 10, 0.0), (10, 40, 1000.0)])
def test_jobs_that_may_as_well_wait_run_where_idle_gpus_cost(nodes, jobs, slack):
    instance = jahani.generate(nodes=nodes, jobs=jobs, seed=1)
    due = instance.jobs.due + slack
    instance = replace(instance, jobs=replace(instance.jobs, due=due))
    assert (costs.tables(instance).postponement == 0).any()
    result = run(instance, Call(limits=Limits(gap=1e-4)), Report(60.0))
    assert result.stop is Stop.GAP
    assert result.objective == pytest.approx(result.bound, rel=1e-4)
