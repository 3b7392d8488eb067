"""Rows, runs and decisions made by hand."""

from typing import Any

import numpy as np
import pytest

from rsjs.instances.cluster import Cluster, GpuType, NodeGroup, NodeType, ShareLevel
from rsjs.instances.instance import FAMILIES, Instance
from rsjs.instances.solution import Solution
from tests.by_hand import jobs_of

Row = dict[str, Any]

EXACT: Row = {
    "instance": "jahani-N2-J4-s1",
    "instance_sha256": "a" * 64,
    "nodes": 2,
    "jobs": 4,
    "method": "jahani_patterns@highs",
    "stop": "gap",
    "status": "ok",
    "objective": 13.974811837567996,
    "tardiness": 0.0018264153180000116,
    "postponement": 0.0,
    "energy": 13.972985422249996,
    "idle": 0.0,
    "bound": 13.974733400798868,
    "best_bound": 13.974733400798868,
    "own_gap": 5.612724524627782e-06,
    "gap_to_best": 5.612724524627782e-06,
    "gap_without_postponement": 5.612724524627782e-06,
    "gap_over_energy": 5.613458147812542e-06,
    "executed": 3,
    "build_s": 0.026220148000447807,
    "solve_s": 0.19574594999994588,
    "total_s": 0.22254717900023024,
    "peak_memory_mb": 141.72265625,
    "rsjs_version": "0.1.0",
    "solver_version": "1.14.0",
    "time_limit": 60.0,
    "gap_limit": 0.0001,
    "threads": 1,
    "seed": 0,
    "message": "",
}
HEURISTIC: Row = EXACT | {
    "method": "greedy:code",
    "stop": "iterations",
    "objective": 30657.8739686839,
    "postponement": 30657.3935648909,
    "energy": 0.48040379299999986,
    "tardiness": 0.0,
    "bound": None,
    "own_gap": None,
    "gap_to_best": 0.9995441714772827,
    "gap_without_postponement": 1.0,
    "gap_over_energy": 1.0,
    "build_s": None,
    "solve_s": 8.324300006279373e-05,
    "solver_version": None,
}
NOTHING: Row = EXACT | {
    "method": "jahani_literal@highs",
    "stop": "time_limit",
    "status": "no_solution",
    **dict.fromkeys(
        ("objective", "tardiness", "postponement", "energy", "idle", "bound", "own_gap")
    ),
    **dict.fromkeys(("gap_to_best", "gap_without_postponement", "gap_over_energy")),
    **dict.fromkeys(("executed", "total_s")),
    "message": "ended 2 s after its time limit",
}


@pytest.fixture
def rows():
    """An exact method, a heuristic and a run without a solution, on two instances."""
    other = {"instance": "jahani-N10-J40-s1", "instance_sha256": "b" * 64}
    return [dict(row) for row in (EXACT, HEURISTIC, NOTHING)] + [
        row | other for row in (EXACT, HEURISTIC, NOTHING)
    ]


@pytest.fixture
def runs():
    """The same six runs with their events."""
    exact = [(0.01, 40.0, None), (0.05, 14.0, 12.0), (0.2, 13.9748, 13.9747)]
    by_method = {"jahani_patterns@highs": exact, "greedy:code": [(0.001, 30657.0, None)]}
    methods = (*by_method, "jahani_literal@highs")
    return [
        {
            "instance": instance,
            "method": method,
            "events": [
                {"seconds": seconds, "incumbent": cost, "bound": bound}
                for seconds, cost, bound in by_method.get(method, [])
            ],
            "best_bound": 13.9747,
        }
        for instance in ("jahani-N2-J4-s1", "jahani-N10-J40-s1")
        for method in methods
    ]


@pytest.fixture
def decide():
    """The builder of a decision: nodes of 4 GPUs, and (node, GPUs or share) for each job."""
    return _decide


def _decide(nodes, places, ids="j{}", spare=0):
    """Shares "half" and "quarter"; None = postponed; the last `spare` nodes are off."""
    levels = {"quarter": 0, "half": 1}
    shares = tuple(ShareLevel(units=units, max_memory_gb=20.0) for units in (1, 2))
    gpu = GpuType(name="A100", memory_gb=40.0, units=4, levels=shares)
    node_type = NodeType(name="four_A100", gpu_type="A100", cost=(0.0, 1.0, 2.0, 3.0, 4.0))
    jobs = len(places)
    hours = np.full((jobs, 1, 5), np.inf)
    hours[:, 0, 1:] = (1.0 + np.arange(jobs))[:, None] / np.arange(1, 5)
    instance = Instance(
        name="by hand",
        cluster=Cluster(
            gpu_types=(gpu,),
            node_types=(node_type,),
            groups=(NodeGroup(count=nodes, types=("four_A100",)),),
        ),
        jobs=jobs_of(
            hours,
            due=np.full(jobs, 5.0),
            id=tuple(ids.format(j) for j in range(jobs)),
            inflation=np.full((jobs, 1, 2), 1.5),
        ),
        H=1.0,
        rho=100.0,
        objective=FAMILIES["kiros"],
    )
    gpus = [place[1] if place and isinstance(place[1], int) else 0 for place in places]
    level = [levels[place[1]] if place and isinstance(place[1], str) else -1 for place in places]
    return instance, Solution.of(
        job_node=[place[0] if place else -1 for place in places],
        job_gpus=gpus,
        job_level=level,
        node_type=[0] * (nodes - spare) + [-1] * spare,
    )
