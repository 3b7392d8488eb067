"""The kernels of ruin and recreate: brute force, and the costs of the checker."""

from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.core.call import Call, Limits
from rsjs.core.report import Report
from rsjs.heuristics.common.jit import compiled
from rsjs.heuristics.ruin_recreate import dual_prices, ruin_recreate
from rsjs.heuristics.ruin_recreate.arrays import (
    empty_state,
    from_solution,
    mode_tables,
    to_solution,
)
from rsjs.heuristics.ruin_recreate.kernels_node import layers, resize, spares, total_cost
from rsjs.heuristics.ruin_recreate.ruin_recreate import Annealer
from rsjs.instances import costs
from rsjs.instances.bin_packing import gpus_for_shares
from rsjs.instances.check import check
from rsjs.instances.generators import jahani, kiros, sts
from rsjs.instances.solution import Solution
from tests.heuristics.builders import served, with_shares


@compiled
def resized(problem, state, space, n):
    """`resize` as Python can call it."""
    return resize(problem, state, space, n)


@compiled
def spare_cost(problem, state):
    """`spares` as Python can call it."""
    return spares(problem, state)


@pytest.mark.parametrize(
    "instance",
    [
        jahani.generate(nodes=6, jobs=30, seed=1),
        kiros.generate(nodes=6, jobs=30, seed=1),
        sts.generate(nodes=8, jobs=25, seed=1, mix="kma"),
        sts.generate(nodes=8, jobs=40, seed=1, mix="kma", sharing="paper"),
    ],
    ids=lambda instance: instance.name,
)
def test_moves_keep_every_sum_and_the_checkers_cost(instance):
    found, problem = dual_prices.find(instance), mode_tables(instance)
    start = empty_state(problem, problem.types[problem.node_class, 0])
    search = Annealer(instance, problem, found, start, 3)
    for move in range(40):
        temperature = 0.0 if move % 2 else found.scale
        search.moves(1, temperature, 1 + move % 4, move % 5)
        state = search.state
        waiting = state.waiting[: state.size[0]]
        kept = state.cost.sum() + problem.postponement[waiting].sum() + spare_cost(problem, state)
        solution = to_solution(instance, problem, state)
        assert check(instance, solution).feasible
        cost = costs.terms(instance, solution).total
        assert kept == pytest.approx(cost, rel=1e-9, abs=1e-9)
        assert total_cost(problem, state) == pytest.approx(cost, rel=1e-12, abs=1e-12)
        best = costs.terms(instance, search.solution()).total
        assert search.cost == pytest.approx(best, rel=1e-9, abs=1e-9)
        running = np.concatenate([state.jobs[n, :k] for n, k in enumerate(state.load)])
        assert sorted([*running.tolist(), *waiting.tolist()]) == list(range(len(instance.jobs)))


@given(rng=st.randoms(use_true_random=False))
def test_the_best_shapes_of_a_node_are_those_of_brute_force(random_document, rng):
    instance = served(random_document, rng)
    problem = mode_tables(instance)
    n = rng.randrange(instance.cluster.nodes)
    v = int(rng.choice([v for v in problem.types[problem.node_class[n]].tolist() if v >= 0]))
    state = empty_state(problem, problem.types[problem.node_class, 0])
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
    for chosen in product(range(int(problem.mode_count[v])), repeat=len(jobs)):
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
    problem = mode_tables(instance)
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


def test_a_decision_survives_being_loaded(random_document, random_decision):
    for seed in range(20):
        rng = Random(seed)
        instance = served(random_document, rng)
        start = random_decision(instance, rng)
        problem = mode_tables(instance)
        again = to_solution(instance, problem, from_solution(instance, problem, start))
        for name in ("job_node", "job_gpus", "job_level"):
            assert np.array_equal(getattr(again, name), getattr(start, name))


GPUS = 5


def one_node(make, seed):
    """Two or three jobs on a node of five GPUs whose price rises, and on which idle GPUs cost."""
    rng = np.random.default_rng(seed)
    jobs = int(rng.integers(2, 4))
    table = rng.uniform(1, 4, (jobs, 1)) * np.arange(1, GPUS + 1) ** -rng.uniform(0.2, 1, (jobs, 1))
    return make(
        {f"A{GPUS}": np.cumsum(rng.uniform(0.1, 1, GPUS)).tolist()},
        [{"A": times} for times in table.tolist()],
        due=rng.uniform(0, 3, jobs).tolist(),
        weight=rng.uniform(0.1, 1, jobs).tolist(),
        mu=float(rng.uniform(0.2, 0.8)),
    )


def cheapest(instance):
    """Least cost of a schedule that runs all jobs on the one node."""
    jobs = len(instance.jobs)
    counts = [c for c in product(range(1, GPUS + 1), repeat=jobs) if sum(c) <= GPUS]
    return min(costs.terms(instance, Solution.of([0] * jobs, c, [0])).total for c in counts)


@pytest.mark.parametrize("known", [True, False], ids=["from one GPU each", "from no shapes"])
def test_shapes_are_the_cheapest_where_prices_rise_and_idle_gpus_cost(make, known):
    used = set()
    for seed in range(40):
        instance = one_node(make, seed)
        jobs, problem = len(instance.jobs), mode_tables(instance)
        state = from_solution(instance, problem, Solution.of([0] * jobs, [1] * jobs, [0]))
        total_cost(problem, state)
        if not known:
            state.cost[0] = np.inf
        assert resized(problem, state, layers(problem, jobs), 0)
        assert state.cost[0] == pytest.approx(cheapest(instance), rel=1e-9)
        found = to_solution(instance, problem, state)
        assert costs.terms(instance, found).total == pytest.approx(state.cost[0], rel=1e-9)
        used.add(int(found.job_gpus.sum()))
    assert used == {2, 3, 4, 5}


def on_odd_shares(make, jobs, price=(1, 2), slower=1):
    """Two nodes; jobs take 11 or 13 of the 30 units of a GPU: two fill it, 4 to 8 are lost."""
    node = f"A{len(price)}"
    hours = [{"A": [1 + j / 10]} for j in range(jobs)]
    instance = make({node: price}, hours, groups=[(2, [node])], due=[1] * jobs)
    levels = (7, 3.5), (11, 8), (13, 10.5)
    return with_shares(instance, 30, levels, [np.inf, slower, slower])


@pytest.mark.parametrize(("jobs", "fits"), [(3, True), (4, True), (5, False)])
def test_units_that_no_gpu_has_left_in_one_piece_are_no_room(make, jobs, fits):
    """Five shares of 11 are 55 of 60 units, but two GPUs hold four of them."""
    instance = on_odd_shares(make, 10)
    problem = mode_tables(instance)
    state = from_solution(instance, problem, Solution.empty(10, 2))
    state.jobs[0, :jobs], state.load[0], state.cost[0] = range(jobs), jobs, np.inf
    assert resized(problem, state, layers(problem, state.jobs.shape[1] - 1), 0) is fits
    late = sum(j / 10 for j in range(jobs))
    assert state.cost[0] == (pytest.approx(late + 2 * 1.0) if fits else np.inf)


def test_shapes_that_only_seem_cheaper_are_taken_back(make):
    """55 units are those of two GPUs at 2 $/h, but all five shares take a third one as before."""
    instance = on_odd_shares(make, 5, price=(1, 2, 10), slower=1.5)
    problem = mode_tables(instance)
    start = Solution.of([0] * 5, [0, 0, 0, 0, 1], [0, -1], [1, 1, 1, 1, -1])
    state = from_solution(instance, problem, start)
    total_cost(problem, state)
    assert resized(problem, state, layers(problem, 5), 0)
    assert state.cost[0] == pytest.approx(costs.terms(instance, start).total)
    assert to_solution(instance, problem, state).same_as(start)


def test_eight_of_ten_such_jobs_run_on_four_gpus(make):
    """Jobs 0 and 1 wait; the others end late, and nodes cost 2 $/h until jobs 2 and 3 end."""
    instance = on_odd_shares(make, 10)
    call = Call(options={"iterations": 200}, limits=Limits(gap=-1.0))
    result = ruin_recreate.run(instance, call, Report())
    verdict = check(instance, result.solution, objective=result.objective, bound=result.bound)
    assert verdict.feasible, [str(violation) for violation in verdict.violations]
    late = sum(j / 10 for j in range(2, 10))
    assert verdict.objective == pytest.approx(100 * (1 + 1.1) + late + 2 * (1.2 + 1.3))
