"""FIFO, EDF and priority on cases worked out by hand; most of them part the two rules."""

import re
from dataclasses import replace

import numpy as np
import pytest
from allpairspy import AllPairs

from rsjs.core.errors import InputError
from rsjs.core.method import ENERGY, EXPECTATION, TARDINESS_AT
from rsjs.heuristics.dispatching.list_scheduling import decide, right_sizing_cost
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.instance import Objective
from rsjs.instances.solution import Solution

NEVER = 1000.0  # a due date no job misses


@pytest.mark.parametrize(("method", "first"), [("fifo", 2), ("edf", 0), ("priority", 1)])
def test_orders(make, method, first):
    keys = {"release": [-1, -1, -2, -2], "due": [5, 6, 7, 5], "weight": [1, 3, 2, 3]}
    instance = make({"A1": 1}, [{"A": [3]}] * 4, **keys)
    for rule in ("code", "paper"):
        assert decide(instance, method, rule).job_node.tolist().index(0) == first


@pytest.mark.parametrize(
    ("types", "nodes", "hours", "changes", "code", "paper"),
    [
        # one job per node, or shared nodes
        (
            {"A4": [1, 2, 3, 4]},
            [["A4"]],
            [{"A": [3, 2.5]}] * 2,
            {},
            ([0, -1], [1, 0]),
            ([0, 0], [1, 1]),
        ),
        (
            {"A2": [1, 2]},
            [["A2"]],
            [{"A": [3, 2.9]}] * 3,
            {},
            ([0, -1, -1], [1, 0, 0]),
            ([0, 0, -1], [1, 1, 0]),
        ),
        # the only configuration in time, 2.5 <= 3; or
        # A1: 0.5 $/h x 1 h late + 4 h x 1 $/h = 4.5 $; A2: 5 $ with 2 GPUs, 0.5 + 4 + 1 with 1
        (
            {"A1": 1, "A2": 2},
            [["A1", "A2"]],
            [{"A": [4, 2.5]}],
            {"due": [3], "weight": [0.5], "family": "jahani"},
            ([0], [2], ["A2"]),
            ([0], [1], ["A1"]),
        ),
        # j1 finds no A left and takes a B, and the last B is gone when j2 comes; or
        # j1 waits for an A, and j2 is placed all the same
        (
            {"A1": 1, "B1": 5},
            [["A1"], ["B1"]],
            [{"A": [3]}, {"A": [3], "B": [3]}, {"B": [3]}],
            {},
            ([0, 1, -1], [1, 1, 0]),
            ([0, -1, 1], [1, 0, 1]),
        ),
        # the smallest VM that fits: 4 < 6 $, 4 > 3 $
        (
            {"A1": 1, "A2": 2, "A4": 4},
            [["A1", "A2", "A4"]] * 2,
            [{"A": [4, 3]}, {"A": [4, 1.5]}],
            {},
            ([0, 1], [1, 2], ["A1", "A2"]),
            None,
        ),
        # more nodes than jobs, and a job for one type only
        (
            {"A1": 1, "B2": 5},
            [["A1", "B2"]] * 3,
            [{"A": [1], "B": [9, 9]}, {"B": [None, 2]}],
            {},
            ([0, 1], [1, 2], ["A1", "B2", "off"]),
            ([0, 1], [1, 2], ["A1", "B2", "off"]),
        ),
    ],
)
def test_schedules_by_hand(make, types, nodes, hours, changes, code, paper):
    groups = [(1, names) for names in nodes]
    instance = make(types, hours, groups=groups, **{"due": [NEVER] * len(hours)} | changes)
    names = [*(node_type.name for node_type in instance.cluster.node_types), "off"]
    for rule, expected in (("code", code), ("paper", paper)):
        if expected is not None:
            solution = decide(instance, "fifo", rule)
            found = solution.job_node.tolist(), solution.job_gpus.tolist()
            assert (*found, [names[v] for v in solution.node_type])[: len(expected)] == expected


@pytest.mark.parametrize("rule", ["code", "paper"])
def test_running_jobs_keep_node_and_configuration(make, rule):
    hours = [{"A": [3, 2.5, 2]}] * 4
    times = {"release": [-4, -3, -2, -1], "due": [NEVER] * 4}
    instance = make({"A4": [1, 2, 3, 4]}, hours, groups=[(2, ["A4"])], **times)
    running = Solution.of([-1, 1, -1, -1], [0, 3, 0, 0], [0, 0])  # node 0 is on, but empty
    solution = decide(replace(instance, current=running), "fifo", rule)
    assert solution.job_gpus[1] == 3
    # j0 goes to node 0 or to the idle GPU of node 1, the better fit; then the others
    expected = [0, 1, -1, -1] if rule == "code" else [1, 1, 0, 0]
    assert solution.job_node.tolist() == expected
    assert check(instance, solution).feasible


@pytest.mark.parametrize("rule", ["code", "paper"])
def test_a_placement_that_cannot_be_kept_is_refused_in_one_line(make, rule):
    instance = make({"A2": [1, 2]}, [{"A": [3, 2]}] * 2, due=[NEVER] * 2)
    crowded = replace(instance, current=Solution.of([0, 0], [1, 2], [0]))
    expected = "/current/node_type/0: found 3 GPUs in use, expected <= 2 GPUs (capacity)"
    with pytest.raises(InputError, match=re.escape(expected)):
        decide(crowded, "fifo", rule)


@pytest.mark.parametrize(
    ("energy", "tardiness_at", "expectation"),
    [*AllPairs([[*sorted(kinds)] for kinds in (ENERGY, TARDINESS_AT, EXPECTATION)])],
)
def test_right_sizing_cost_is_the_objective_of_the_job_alone(
    random_instance, energy, tardiness_at, expectation
):
    objective = Objective(
        energy=energy, tardiness_at=tardiness_at, open_nodes="free", expectation=expectation, mu=0.4
    )
    for seed in range(3):
        instance = random_instance(seed, objective)
        cluster, jobs = instance.cluster, len(instance.jobs)
        cost = right_sizing_cost(instance)
        waiting = costs.cost_tables(instance).postponement.sum()
        for j, v, g in np.argwhere(np.isfinite(cost)).tolist():
            node = int(np.flatnonzero(cluster.allowed[:, v])[0])
            job_node, job_gpus = np.full(jobs, -1), np.zeros(jobs, dtype=int)
            node_type = np.full(cluster.nodes, -1)
            job_node[j], job_gpus[j], node_type[node] = node, g, v
            total = costs.terms(instance, Solution.of(job_node, job_gpus, node_type)).total
            expected = total - waiting + costs.cost_tables(instance).postponement[j]
            assert cost[j, v, g] == pytest.approx(expected, rel=1e-9, abs=1e-9)
