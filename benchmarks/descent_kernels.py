"""What the kernels of local search and path relinking are measured by: many jobs run late."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from benchmarks.kernel_work import Work
from rsjs.heuristics.greedy import greedy
from rsjs.instances.generators import kiros
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution

STEPS, TIMES = 100, 100
_TWO_K80 = 1  # node type of Kiros' catalogue


@cache
def _hurried() -> Instance:
    """40 x 400 with due dates so early that many jobs run late."""
    made = kiros.generate(nodes=40, jobs=400, seed=1, due="tight")
    late = replace(made.jobs, due=0.3 * made.jobs.due)
    return replace(made, jobs=late)


@cache
def _decision(rule: str) -> Solution:
    return select_required_nodes(_hurried(), greedy.decide(_hurried(), rule))


def _alone() -> Solution:
    """A job on each node, on its two K80: there are other types, and larger and smaller nodes."""
    nodes, jobs = _hurried().cluster.nodes, len(_hurried().jobs)
    node, gpus = np.full(jobs, -1), np.zeros(jobs, dtype=np.int64)
    node[:nodes], gpus[:nodes] = np.arange(nodes), 2
    return Solution.of(node, gpus, np.full(nodes, _TWO_K80))


def descent(neighbourhoods: str, *, alone: bool = False) -> Work:
    from rsjs.heuristics.common.stopping import Stopping
    from rsjs.heuristics.local_search.local_search import Descent

    found = Descent(_hurried(), only_late=False, neighbourhoods=neighbourhoods)
    start = _alone() if alone else _decision("paper")
    return Work(
        run=lambda: found.improve(start, Stopping()),
        values=lambda best: {
            "cost": best[0],
            "moves": found.moves,
            "neighbours": found.neighbours,
        },
    )


def refreshing() -> Work:
    from rsjs.heuristics.local_search.arrays import solution_arrays, tables
    from rsjs.heuristics.local_search.kernels_costs import refresh

    arrays = tables(_hurried())
    state = solution_arrays(_hurried(), arrays, _decision("paper"), 10)
    refresh(arrays, state)
    return Work(
        run=lambda: [refresh(arrays, state) for _ in range(TIMES)],
        values=lambda found: {"cost": found[-1]},
    )


def relinking() -> Work:
    from rsjs.heuristics.common.stopping import Stopping
    from rsjs.heuristics.local_search.path_relinking import Relinking, modes

    guide, path = modes(_hurried(), _decision("paper")), Relinking(_hurried())
    return Work(
        run=lambda: path.path(_alone(), guide, STEPS, Stopping()),
        values=lambda found: {"cost": found[0], "steps": path.steps},
    )
