"""Ruin and recreate: how it cools, and how it fills nodes to the last GPU."""

from __future__ import annotations

import pytest

from rsjs.heuristics import priced_greedy, prices, ruin_recreate
from rsjs.heuristics.compiled import compiled
from rsjs.heuristics.kernels import insertion
from rsjs.heuristics.kernels.node_moves import total_cost
from rsjs.heuristics.kernels.node_sizes import layers
from rsjs.heuristics.node_shapes import shapes
from rsjs.heuristics.node_state import decision, loaded
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.generators import kiros
from rsjs.instances.method import Call, Limits, Report
from rsjs.instances.solution import Solution

HOT, COLD = 0.15, 0.0005  # of the typical price of a GPU, as the method says
NODES, DESCENT = 5, 30  # 6 moves for each node


@compiled
def squeezed(problem, state, space, waits, j):
    """`squeeze` as Python can call it."""
    return insertion.squeeze(problem, state, space, waits, j)


@pytest.fixture
def asked(monkeypatch):
    """Moves, temperature and postponed jobs that the search asks for; no move is made."""
    told = []

    def moves(search, count, temperature, nodes, waiting):
        told.append((count, temperature, waiting))

    monkeypatch.setattr(ruin_recreate.Search, "moves", moves)
    return told


def searched(iterations, start=None):
    """The typical price of a GPU in an instance that has been searched."""
    instance = kiros.generate(nodes=NODES, jobs=30, seed=3)
    call = Call(options={"iterations": iterations}, limits=Limits(gap=-1.0), warm_start=start)
    assert ruin_recreate.run(instance, call, Report()).counts["iterations"] == iterations
    return prices.find(instance).scale


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
    instance = make({node: 1}, [(1, [node])], [{"A": [4]}] * jobs, due=[2] * jobs, family=family)
    result = priced_greedy.run(instance, Call(), Report())
    assert check(instance, result.solution, objective=result.objective).feasible
    assert result.solution.job_node.tolist() == [0] * jobs


def two_jobs(make, weight):
    """Job 0 on both GPUs of the one node; as many jobs as it has GPUs."""
    instance = make({"A2": 1}, [(1, ["A2"])], [{"A": [9, 2]}] * 2, due=[2, 2], weight=weight)
    problem = shapes(instance)
    state = loaded(instance, problem, Solution.of([0, -1], [2, 0], [0]))
    total_cost(problem, state)
    waits = insertion.pool(problem, state)
    waits.node[0], waits.size[1] = 0, 1
    return instance, problem, state, waits


def test_a_job_is_squeezed_in_where_others_can_do_with_less(make):
    instance, problem, state, waits = two_jobs(make, [1, 1])
    assert squeezed(problem, state, layers(problem, 2), waits, 1)
    found = decision(instance, problem, state)
    assert found.job_gpus.tolist() == [1, 1]
    assert state.cost[0] == pytest.approx(7 + 7 + 9)  # both late, nine hours at 1 $/h
    assert costs.terms(instance, found).total == pytest.approx(state.cost[0])


def test_a_job_that_is_cheaper_postponed_leaves_the_node_as_it_was(make):
    instance, problem, state, waits = two_jobs(make, [10, 0.01])
    assert not squeezed(problem, state, layers(problem, 2), waits, 1)
    assert state.load[0] == 1
    assert state.cost[0] == 2  # two hours at 1 $/h
    assert decision(instance, problem, state).job_gpus.tolist() == [2, 0]
