"""RG on shared nodes and GPUs: the compiled construction against lists and `FreeCapacity`."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from allpairspy import AllPairs
from hypothesis import given
from hypothesis import strategies as st

from rsjs.core.call import Call
from rsjs.core.report import Report, Stop
from rsjs.heuristics.common.random_streams import draw, first_states
from rsjs.heuristics.common.stopping import Iterations
from rsjs.heuristics.dispatching import candidates, queues
from rsjs.heuristics.dispatching.placement import (
    FreeCapacity,
    as_solution,
    kinds_by_gpu_type,
    place_queue,
)
from rsjs.heuristics.dispatching.queues import JobModes
from rsjs.heuristics.greedy.randomized_arrays import prepared_modes
from rsjs.heuristics.greedy.randomized_shared import SharedConstructions, decide
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.generators.sts import generate
from rsjs.methods import parse


def by_lists(of, seed, iteration):
    """An iteration: all numbers drawn, the queue swapped, then each job placed."""
    jobs, weight = of.instance.jobs, of.instance.jobs.weight
    queue = candidates.by_pressure(of.instance).tolist()
    hours, price = of.hours.reshape(len(jobs), -1), of.price.reshape(len(jobs), -1)
    ends = of.instance.now + hours

    def sorted_by(job):
        late = ends[job] > jobs.due[job]
        with np.errstate(invalid="ignore"):
            cost = hours[job] * price[job]
        key = np.where(late, hours[job], cost)
        usable = np.flatnonzero(np.isfinite(hours[job]))
        return {c: (late[c], key[c], cost[c]) for c in usable.tolist()}

    sorts = [sorted_by(job) for job in range(len(jobs))]
    rows = [sorted(own, key=lambda c, own=own: (*own[c], c)) for own in sorts]
    if iteration > 1:
        state = first_states("xorshift", seed, iteration, 1, 0)[0]
        after, own = [], dict(enumerate(rows))
        carried, *others = queue
        for other in [*others, None]:
            job = carried
            if other is not None:
                state, number = draw(False, state)
                if number < (0.45 if weight[carried] > weight[other] else 0.55):
                    job = other
                else:
                    carried = other
            state, number = draw(False, state)
            in_time = ends[job, rows[job]] <= jobs.due[job]
            first = [r for r in range(min(3, len(rows[job]))) if in_time[r] == in_time[0]]
            chance = 1 / np.array([sorts[job][rows[job][r]][1] for r in first])
            rank = int(np.searchsorted(np.cumsum(chance / chance.sum()), number, side="right"))
            own[job] = [rows[job][min(rank, len(first) - 1)], *rows[job]]
            after.append(job)
        queue, rows = after, [own[j] for j in range(len(rows))]
    capacity = FreeCapacity(kinds_by_gpu_type(of.instance.cluster))
    return as_solution(place_queue(queue, rows, capacity, of.units), capacity, of.level)


@given(
    nodes=st.integers(1, 12),
    jobs=st.integers(1, 50),
    seed=st.integers(0, 999),
    mix=st.sampled_from(["km", "a100", "kma"]),
    sharing=st.sampled_from(["none", "paper", "contention"]),
    epochs=st.sampled_from(["worst_case", "mean"]),
)
def test_compiled_schedules_are_those_made_with_lists(nodes, jobs, seed, mix, sharing, epochs):
    instance = generate(nodes=nodes, jobs=jobs, seed=seed, mix=mix, sharing=sharing)
    of = JobModes.of(instance, epochs)
    schedules = SharedConstructions(of, seed)
    for iteration in (1, 2, 3, 7):
        with np.errstate(over="ignore"):
            expected = by_lists(of, seed, iteration)
        assert schedules.schedule(iteration).same_as(expected)


@pytest.mark.slow
def test_sets_of_nodes_and_of_idle_gpus_that_take_several_words(make):
    """More than 32 x 32 nodes, up to 40 GPUs on a node, nodes that may take either type."""
    rng, iteration = np.random.default_rng(2), 2
    prices = {"A": 1.0, "B": 1.4}
    instance = make(
        {
            f"{kind}{k}": [p * g for g in range(1, k + 1)]
            for kind, p in prices.items()
            for k in (20, 40)
        },
        [
            {kind: (rng.uniform(5, 9) / np.arange(1, 41) ** 0.9).tolist() for kind in prices}
            for _ in range(1500)
        ],
        groups=[(400, ["A20", "B40"]), (400, ["B20"]), (300, ["A40", "B20"])],
        due=rng.uniform(0.2, 0.9, 1500).tolist(),
    )
    of = JobModes.of(instance, "worst_case")
    schedule = SharedConstructions(of, 0).schedule(iteration)
    with np.errstate(over="ignore"):
        assert schedule.same_as(by_lists(of, 0, iteration))
    assert (schedule.node_type >= 0).sum() > 1024
    assert schedule.job_gpus.max() > 31


@pytest.mark.parametrize(
    ("sharing", "energy", "tardiness_at"),
    [*AllPairs([["none", "paper"], ["first_ending", "next_event"], ["completion", "next_event"]])],
)
def test_costs_are_those_of_the_checker(sharing, energy, tardiness_at):
    instance = generate(nodes=6, jobs=50, seed=2, mix="kma", sharing=sharing)
    objective = replace(instance.objective, energy=energy, tardiness_at=tardiness_at)
    of = JobModes.of(replace(instance, objective=objective), "worst_case")
    schedules = SharedConstructions(of, 0)
    for i, cost in enumerate(schedules.costs(1, 8).tolist(), start=1):
        schedule = schedules.schedule(i)
        assert check(instance, schedule).feasible
        assert cost == pytest.approx(costs.terms(of.instance, schedule).total, rel=1e-12)


def test_iteration_1_is_greedy_and_more_are_no_worse():
    instance = generate(nodes=8, jobs=40, seed=4, mix="kma", sharing="paper")
    assumed = JobModes.of(instance, "worst_case").instance
    values = []
    for most in (1, 10, 60):
        solution, made = decide(instance, Iterations(most), seed=3)
        assert made == most
        assert check(instance, solution).feasible
        values.append(costs.terms(assumed, solution).total)
        again, _ = decide(instance, Iterations(most), seed=3)
        assert again.same_as(solution)
        if most == 1:
            assert solution.same_as(queues.decide(instance, "greedy"))
    assert values[0] > values[1] >= values[2]


@pytest.mark.slow
def test_a_heavier_job_rather_keeps_its_place(make):
    """One GPU, two jobs alike: which one runs?"""
    for weight, share in (([2.0, 1.0], 0.45), ([1.0, 2.0], 0.55)):
        instance = make({"A1": [1]}, [{"A": [4]}] * 2, due=[2, 3])
        instance = replace(instance, jobs=replace(instance.jobs, weight=np.array(weight)))
        schedules = SharedConstructions(JobModes.of(instance, "worst_case"), 0)
        passed = [schedules.schedule(i).job_node[1] == 0 for i in range(2, 2002)]
        assert np.mean(passed) == pytest.approx(share, abs=0.035)  # three standard deviations
        assert prepared_modes(JobModes.of(instance, "worst_case"), 0).choices.chance.shape == (2, 3)


def test_first_candidates_are_drawn_inversely_to_what_sorts_them(make):
    hours = [{"A": [4, 4, 4, 4]}, {"A": [4, 3, 2, 1]}, {"A": [0.5]}]
    instance = make({"A4": [1, 2, 3, 4]}, hours, groups=[(3, ["A4"])], due=[5, 2, 5])
    of = JobModes.of(instance, "worst_case")
    # 4, 8 and 12 $: 6/11, 3/11, 2/11; 4 and 6 $, the others late; one candidate
    chance = prepared_modes(of, 0).choices.chance
    assert chance == pytest.approx(np.array([[6 / 11, 9 / 11, 2], [0.6, 2, 2], [2, 2, 2]]))
    schedules = SharedConstructions(of, 0)
    drawn = Counter(int(schedules.schedule(i).job_gpus[0]) for i in range(2, 2002))
    assert [drawn[k] / 2000 for k in (1, 2, 3)] == pytest.approx([6 / 11, 3 / 11, 2 / 11], abs=0.03)


@pytest.mark.filterwarnings("error")
def test_configurations_that_cost_nothing_are_drawn_alike(make):
    instance = make({"A3": [0, 0, 0]}, [{"A": [4, 3, 2]}] * 2, groups=[(2, ["A3"])], due=[9, 9])
    of = JobModes.of(instance, "worst_case")
    assert prepared_modes(of, 0).choices.chance == pytest.approx(np.array([[1 / 3, 2 / 3, 2]] * 2))
    assert np.isfinite(SharedConstructions(of, 0).costs(1, 20)).all()


@pytest.mark.parametrize("epochs", ["worst_case", "mean"])
def test_the_cheapest_schedule_is_that_for_the_epochs_assumed(epochs):
    instance = generate(nodes=4, jobs=20, seed=1)
    solution, made = decide(instance, Iterations(10), epochs=epochs)
    assumed = JobModes.of(instance, epochs)
    best = SharedConstructions(assumed, 0).costs(1, 10).min()
    assert made == 10
    assert best == pytest.approx(costs.terms(assumed.instance, solution).total, rel=1e-12)
    assert best != pytest.approx(costs.terms(instance, solution).total, rel=1e-6)


def test_rg_stops_when_its_time_is_up():
    instance = generate(nodes=4, jobs=20, seed=1)
    call = Call(options={"iterations": 0})
    result = parse("randomized_queue?iterations=0").method.load()(instance, call, Report(0.05))
    assert result.stop is Stop.TIME_LIMIT
    assert result.counts["iterations"] >= 1
