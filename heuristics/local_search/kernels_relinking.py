"""
Kernels: from one schedule towards another, job by job; see path_relinking.py.

A step gives one job the configuration that it has in the guide, or postpones it as there. It may
stay on its node, which becomes of another type if the job is alone there, go to any open node
with room or to a closed one, the first one of each class. The step that costs least is made,
whether it improves or not. Jobs on shares, here or in the guide, stay what they are.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from rsjs.heuristics.common.jit import compiled, inner
from rsjs.heuristics.local_search.arrays import Floats, Ints, Tables
from rsjs.heuristics.local_search.kernels_costs import reshaping
from rsjs.heuristics.local_search.kernels_transfer_costs import transfer
from rsjs.heuristics.local_search.schedules import Schedule


class Step(NamedTuple):
    """The best step: job, node or -1, its type, column (4,); its change (1,) [$]."""

    what: Ints
    change: Floats


def no_step() -> Step:
    """Room for a step."""
    return Step(np.zeros(4, dtype=np.int64), np.zeros(1))


@compiled
def make_step(tables: Tables, s: Schedule, guide: Ints, step: Step) -> bool:
    """
    Find the step that costs least and make it; what follows from it is left to `refresh`.

    Parameters
    ----------
    guide : (J,) codes, -1 = postponed

    Returns
    -------
    Whether any is possible.
    """
    step.change[0] = inf
    for j in range(guide.shape[0]):
        if is_open(tables, s, guide, j):
            _job(tables, s, guide[j], j, step)
    if step.change[0] == inf:
        return False
    j, n = step.what[0], step.what[1]
    s.node[j], s.column[j] = n, step.what[3]
    if n >= 0:
        s.kind[n] = step.what[2]
    return True


@inner
def is_open(tables: Tables, s: Schedule, guide: Ints, j: int) -> bool:
    """Whether a job differs from the guide and may be moved."""
    to_share: bool = guide[j] >= 0 and guide[j] % tables.columns > tables.largest
    if s.node[j] < 0:
        return guide[j] >= 0 and not to_share
    from_share: bool = s.column[j] > tables.largest
    return guide[j] != s.code[j] and not from_share and not to_share


@inner
def _keep(step: Step, j: int, n: int, v: int, column: int, change: float) -> None:
    if change < step.change[0]:
        step.what[0], step.what[1], step.what[2], step.what[3] = j, n, v, column
        step.change[0] = change


@inner
def _job(tables: Tables, s: Schedule, q: int, j: int, step: Step) -> None:
    """All places for one job with the code q."""
    if q < 0:
        _keep(step, j, -1, -1, 0, transfer(tables, s, j, -1, -1, q))
        return
    gpu, g = q // tables.columns, q % tables.columns
    own = s.node[j]
    if own >= 0:
        _own_node(tables, s, gpu, g, j, own, step)
    for n in range(s.kind.shape[0]):
        v = s.kind[n]
        if v >= 0 and n != own and tables.gpu[v] == gpu and s.used[n] + g <= tables.size[v]:
            _keep(step, j, n, v, g, transfer(tables, s, j, n, v, q))
    for d in range(s.closed.shape[0]):
        if s.closed[d] >= 0:
            _closed_node(tables, s, q, j, s.closed[d], step)


@inner
def _closed_node(tables: Tables, s: Schedule, q: int, j: int, n: int, step: Step) -> None:
    gpu, g = q // tables.columns, q % tables.columns
    for v in range(tables.size.shape[0]):
        fits = tables.gpu[v] == gpu and g <= tables.size[v]
        if fits and tables.allowed[tables.node_class[n], v]:
            _keep(step, j, n, v, g, transfer(tables, s, j, n, v, q))


@inner
def _own_node(tables: Tables, s: Schedule, gpu: int, g: int, j: int, n: int, step: Step) -> None:
    """The node stays of its type, or takes any if no other job is there."""
    alone = s.begin[n + 1] - s.begin[n] == 1
    used = s.used[n] - s.column[j] + g
    for i in range(s.begin[n], s.begin[n + 1]):
        s.trial[s.member[i]] = s.column[s.member[i]]
    s.trial[j] = g
    for v in range(tables.size.shape[0]):
        fits = tables.gpu[v] == gpu and used <= tables.size[v]
        if fits and (v == s.kind[n] or (alone and tables.allowed[tables.node_class[n], v])):
            _keep(step, j, n, v, g, reshaping(tables, s, n, v, used, s.trial))
