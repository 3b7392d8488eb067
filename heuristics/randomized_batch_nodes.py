"""
Nodes for one job in each of many schedules: kernels/placement.py in numpy.

An open node has the number kind * (G + 1) + idle GPUs; less that of a configuration (kind, g), as
unsigned integers, it is at most G - g where the node fits, and least where it fits best.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics.decision_tables import Floats, Ints, NodeTables
from rsjs.heuristics.random_streams import States
from rsjs.heuristics.randomized_tables import Choices

Numbers = NDArray[np.unsignedinteger]


@dataclass(eq=False)
class Rows:
    """Schedules that are being made, one in each row; R of them."""

    iteration: Ints  # (R,) column of the records
    stream: States  # (R,)
    randomised: NDArray[np.bool_]  # (R,)
    carried: Ints  # (R,)
    number: Numbers  # (R, N) kind * (G + 1) + idle GPUs; 0 = closed
    count: Ints  # (R, K (G + 1)) open nodes by number
    open_room: Ints  # (R, K)
    closed_room: Ints  # (R, K)
    closed: Ints  # (R, D)

    def keep(self, those: NDArray[np.bool_]) -> None:
        """Go on with some rows only."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name)[those])


def place(
    rows: Rows,
    nodes: NodeTables,
    choices: Choices,
    fits: Ints,
    code: Ints,
    u: Floats,
    node_type: Ints,
) -> Ints:
    """Nodes for the jobs of some rows, an open one if there is one."""
    stride = choices.rank.shape[2]
    kind, g = choices.kind[code], choices.gpus[code]
    is_open = rows.open_room[fits, kind] >= g
    node, before = np.empty_like(fits), np.empty_like(fits)
    some = np.flatnonzero(is_open)
    if some.size:
        at, wanted = fits[some], code[some]
        node[some] = _choose_open(rows, choices, at, wanted, u[some])
        before[some] = rows.number[at, node[some]] - kind[some] * stride
        rows.count[at, kind[some] * stride + before[some]] -= 1
    some = np.flatnonzero(~is_open)
    if some.size:
        node[some], before[some] = _open(rows, nodes, fits[some], kind[some], node_type)
    left = before - g
    rows.number[fits, node] = kind * stride + left
    rows.count[fits, kind * stride + left] += 1
    room = np.maximum(rows.open_room[fits, kind], left)
    while True:
        empty = np.flatnonzero((room > 0) & (rows.count[fits, kind * stride + room] == 0))
        if not empty.size:
            break
        room[empty] -= 1
    rows.open_room[fits, kind] = room
    return node


def _choose_open(rows: Rows, choices: Choices, at: Ints, code: Ints, u: Floats) -> Ints:
    """Open nodes with idle GPUs enough, drawn by u from the first that fit best or first."""
    highest = np.iinfo(rows.number.dtype).max
    most = (choices.rank.shape[2] - 1 - choices.gpus[code]).astype(rows.number.dtype)[:, None]
    excess = rows.number[at] - code.astype(rows.number.dtype)[:, None]
    if choices.first_fit:
        index = np.arange(excess.shape[1], dtype=rows.number.dtype)
        excess = np.where(excess <= most, index, highest)
        most = index[-1:]
    line = np.arange(len(at))
    listed: list[Ints] = []
    weight: list[Floats] = []
    for _ in range(choices.listed):
        node: Ints = excess.argmin(axis=1)
        if choices.listed == 1:
            return node
        valid = excess[line, node] <= most.ravel()
        idle = rows.number[at, node] % choices.rank.shape[2]
        weight.append(np.where(valid, 1.0 / np.where(valid, idle, 1), 0.0))
        listed.append(node)
        excess[line, node] = highest
    return _drawn(listed, weight, u)


def _drawn(listed: list[Ints], weight: list[Floats], u: Floats) -> Ints:
    """One of the listed nodes in each row; those without a weight are not there."""
    total, reached = np.zeros(len(u)), np.zeros(len(u))
    for more in weight:
        total += more
    chosen, going_on = listed[0], np.ones(len(u), dtype=bool)
    for i in range(1, len(listed)):
        reached += weight[i - 1]
        going_on &= (u * total >= reached) & (weight[i] > 0)
        chosen = np.where(going_on, listed[i], chosen)
    return chosen


def _open(
    rows: Rows, nodes: NodeTables, at: Ints, kind: Ints, node_type: Ints
) -> tuple[Ints, Ints]:
    """The largest closed nodes, opened for a kind (ties: the lowest index), and their GPUs."""
    closed, size = rows.closed[at], nodes.size_as[kind]
    following = nodes.members[np.minimum(nodes.start[1:] - closed, len(nodes.members) - 1)]
    score = np.where(closed > 0, size * (len(nodes.members) + 1) - following, -1)
    chosen = score.argmax(axis=1)
    line = np.arange(len(at))
    node, gpus = following[line, chosen], size[line, chosen]
    rows.closed[at, chosen] -= 1
    node_type[rows.iteration[at], node] = nodes.opened_as[kind, chosen]
    last = at[rows.closed[at, chosen] == 0]
    if last.size:
        some_left = rows.closed[last][:, None, :] > 0
        rows.closed_room[last] = np.where(some_left, nodes.size_as, 0).max(axis=2)
    return node, gpus
