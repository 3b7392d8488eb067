"""The cheapest shapes for the jobs of one node, against all shapes priced by `costs.terms`."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from rsjs.heuristics import ruin_recreate
from rsjs.heuristics.compiled import compiled
from rsjs.heuristics.kernels.node_moves import total_cost
from rsjs.heuristics.kernels.node_sizes import layers, resize
from rsjs.heuristics.node_shapes import shapes
from rsjs.heuristics.node_state import decision, loaded
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.documents import to_instance
from rsjs.instances.method import Call, Limits, Report
from rsjs.instances.solution import Solution

GPUS = 5


@compiled
def resized(problem, state, space, n):
    """`resize` as Python can call it."""
    return resize(problem, state, space, n)


def one_node(make, seed):
    """Two or three jobs on a node of five GPUs whose price rises, and on which idle GPUs cost."""
    rng = np.random.default_rng(seed)
    jobs = int(rng.integers(2, 4))
    table = rng.uniform(1, 4, (jobs, 1)) * np.arange(1, GPUS + 1) ** -rng.uniform(0.2, 1, (jobs, 1))
    return make(
        {f"A{GPUS}": np.cumsum(rng.uniform(0.1, 1, GPUS)).tolist()},
        [(1, [f"A{GPUS}"])],
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
    for seed in range(60):
        instance = one_node(make, seed)
        jobs, problem = len(instance.jobs), shapes(instance)
        state = loaded(instance, problem, Solution.of([0] * jobs, [1] * jobs, [0]))
        total_cost(problem, state)
        if not known:
            state.cost[0] = np.inf
        assert resized(problem, state, layers(problem, jobs), 0)
        assert state.cost[0] == pytest.approx(cheapest(instance), rel=1e-9)
        found = decision(instance, problem, state)
        assert costs.terms(instance, found).total == pytest.approx(state.cost[0], rel=1e-9)
        used.add(int(found.job_gpus.sum()))
    assert used == {2, 3, 4, 5}


def on_odd_shares(jobs, cost=(0, 1, 2), slower=1):
    """Two nodes; jobs take 11 or 13 of the 30 units of a GPU: two fill it, 4 to 8 are lost."""
    gpu = {
        "name": "odd",
        "memory_gb": 10.5,
        "units": 30,
        "levels": [{"units": u, "max_memory_gb": gb} for u, gb in ((7, 3.5), (11, 8), (13, 10.5))],
    }
    return to_instance(
        {
            "format": "rsjs-instance/1",
            "name": "odd shares",
            "cluster": {
                "gpu_types": [gpu],
                "node_types": [
                    {"name": "v", "gpu_type": "odd", "gpus": len(cost) - 1, "cost": [*cost]}
                ],
                "nodes": [{"count": 2, "types": ["v"]}],
            },
            "laws": {},
            "now": 0,
            "H": 1,
            "rho": 100,
            "objective": {
                "energy": "first_ending",
                "tardiness_at": "completion",
                "open_nodes": "free",
                "expectation": "worst_case",
                "mu": 0,
            },
            "jobs": [
                {
                    "id": f"j{j}",
                    "application": "app",
                    "release": 0,
                    "due": 1,
                    "weight": 1,
                    "memory_gb": 5,
                    "epochs_max": 1,
                    "epochs_done": 0,
                    "law": "fixed",
                    "hours_per_epoch": {"odd": [1 + j / 10]},
                    "inflation": {"odd": [None, slower, slower]},
                }
                for j in range(jobs)
            ],
        }
    )


@pytest.mark.parametrize(("jobs", "fits"), [(3, True), (4, True), (5, False)])
def test_units_that_no_gpu_has_left_in_one_piece_are_no_room(jobs, fits):
    """Five shares of 11 are 55 of 60 units, but two GPUs hold four of them."""
    instance = on_odd_shares(10)
    problem = shapes(instance)
    state = loaded(instance, problem, Solution.empty(10, 2))
    state.jobs[0, :jobs], state.load[0], state.cost[0] = range(jobs), jobs, np.inf
    assert resized(problem, state, layers(problem, state.jobs.shape[1] - 1), 0) is fits
    late = sum(j / 10 for j in range(jobs))
    assert state.cost[0] == (pytest.approx(late + 2 * 1.0) if fits else np.inf)


def test_shapes_that_only_seem_cheaper_are_taken_back():
    """55 units are those of two GPUs at 2 $/h, but all five shares take a third one as before."""
    instance = on_odd_shares(5, cost=(0, 1, 2, 10), slower=1.5)
    problem = shapes(instance)
    start = Solution.of([0] * 5, [0, 0, 0, 0, 1], [0, -1], [1, 1, 1, 1, -1])
    state = loaded(instance, problem, start)
    total_cost(problem, state)
    assert resized(problem, state, layers(problem, 5), 0)
    assert state.cost[0] == pytest.approx(costs.terms(instance, start).total)
    assert decision(instance, problem, state).same_as(start)


def test_eight_of_ten_such_jobs_run_on_four_gpus():
    """Jobs 0 and 1 wait; the others end late, and nodes cost 2 $/h until jobs 2 and 3 end."""
    instance = on_odd_shares(10)
    call = Call(options={"iterations": 200}, limits=Limits(gap=-1.0))
    result = ruin_recreate.run(instance, call, Report())
    verdict = check(instance, result.solution, objective=result.objective, bound=result.bound)
    assert verdict.feasible, [str(violation) for violation in verdict.violations]
    late = sum(j / 10 for j in range(2, 10))
    assert verdict.objective == pytest.approx(100 * (1 + 1.1) + late + 2 * (1.2 + 1.3))
