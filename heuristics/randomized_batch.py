"""
Iterations of the randomized greedy in numpy, many at once: rows of all arrays are iterations.

Step by step the same schedules as the compiled kernels make.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rsjs.heuristics.decision_tables import Floats, Ints, NodeTables, Objective
from rsjs.heuristics.random_streams import States, draw
from rsjs.heuristics.randomized_batch_nodes import Rows, place
from rsjs.heuristics.randomized_tables import Choices

LOOK = 100  # jobs between two looks at the clock


@dataclass(frozen=True, eq=False)
class Records:
    """
    Finished schedules, before postprocessing.

    Attributes
    ----------
    job, node, gpus : (J, B), by position in the queue; node -1 = the job waits
    node_type : (B, N), -1 = off
    waiting : (B,) penalty of the jobs that wait [$]
    """

    job: Ints
    node: Ints
    gpus: Ints
    node_type: Ints
    waiting: Floats


class OutOfTime(Exception):
    """Schedules were left unfinished."""


def construct(
    nodes: NodeTables,
    choices: Choices,
    objective: Objective,
    first: int,
    streams: States,
    over: Callable[[], bool] = lambda: False,
) -> Records:
    """
    Schedules of iterations first, first + 1, ..., one for each stream.

    Raises
    ------
    OutOfTime
        If `over`, asked from time to time, says so before they are finished.
    """
    jobs, batch, ranks = len(choices.queue), len(streams), choices.candidate.shape[1]
    records = _empty(jobs, batch, len(nodes.class_of_node))
    rows = _start(nodes, choices, first, streams)
    penalty = objective.postponement
    for position in range(jobs):
        if position % LOOK == LOOK - 1 and over():
            raise OutOfTime
        job = rows.carried
        if position + 1 < jobs:
            job = _swap(rows, choices, objective, choices.queue[position + 1])
        room = np.maximum(rows.open_room, rows.closed_room)
        rank, u = _choose(rows, choices, job, room)
        fits = np.flatnonzero(rank < ranks)
        if len(fits) < len(rank):
            fails = np.flatnonzero(rank == ranks)
            records.waiting[rows.iteration[fails]] += penalty[job[fails]]
        code = choices.candidate[job[fits], rank[fits]].astype(np.int64)
        node = place(rows, nodes, choices, fits, code, u[fits], records.node_type)
        column = rows.iteration[fits]
        records.job[position, column] = job[fits]
        records.node[position, column] = node
        records.gpus[position, column] = choices.gpus[code]
        room = np.maximum(rows.open_room, rows.closed_room)
        full = np.all(room < choices.least, axis=1)
        if full.any():
            if position + 1 < jobs:
                records.waiting[rows.iteration[full]] += penalty[rows.carried[full]]
                records.waiting[rows.iteration[full]] += choices.later[position + 2]
            if full.all():
                break
            rows.keep(~full)
    return records


def _empty(jobs: int, batch: int, nodes: int) -> Records:
    return Records(
        job=np.zeros((jobs, batch), dtype=np.int64),
        node=np.full((jobs, batch), -1),
        gpus=np.zeros((jobs, batch), dtype=np.int64),
        node_type=np.full((batch, nodes), -1),
        waiting=np.zeros(batch),
    )


def _start(nodes: NodeTables, choices: Choices, first: int, streams: States) -> Rows:
    """Every node closed, the first job of the queue carried."""
    batch, kinds, codes = len(streams), len(choices.least), len(choices.kind)
    width = len(nodes.class_of_node)
    iteration = np.arange(batch)
    return Rows(
        iteration=iteration,
        stream=streams,
        randomised=first + iteration > 1,
        carried=np.full(batch, choices.queue[0]),
        number=np.zeros((batch, width), np.uint16 if max(codes, width) < 2**15 else np.uint32),
        count=np.zeros((batch, codes), dtype=np.int64),
        open_room=np.zeros((batch, kinds), dtype=np.int64),
        closed_room=np.repeat(nodes.size_as.max(axis=1)[None], batch, axis=0),
        closed=np.repeat(np.diff(nodes.start)[None], batch, axis=0),
    )


def _swap(rows: Rows, choices: Choices, objective: Objective, following: int) -> Ints:
    """The next jobs: the carried ones, or else the following one, which passes them."""
    rows.stream, u = draw(choices.minstd, rows.stream)
    heavier = objective.weight[rows.carried] > objective.weight[following]
    swap = u < np.where(heavier, choices.swap_heavier, choices.swap_other)
    swap &= rows.randomised
    job = np.where(swap, following, rows.carried)
    rows.carried = np.where(swap, rows.carried, following)
    return job


def _choose(rows: Rows, choices: Choices, job: Ints, room: Ints) -> tuple[Ints, Floats]:
    """Rank of each job's candidate, and a number for the choice of its node."""
    _, kinds, stride = choices.rank.shape
    table, at = choices.rank.ravel(), job * (kinds * stride)
    rank = table[at + room[:, 0]]
    for kind in range(1, kinds):
        rank = np.minimum(rank, table[at + (kind * stride + room[:, kind])])
    u = np.zeros(len(job))
    if choices.listed > 1:
        rows.stream, u_rank = draw(choices.minstd, rows.stream)
        rows.stream, u = draw(choices.minstd, rows.stream)
        u = np.where(rows.randomised, u, 0.0)
        listed = (u_rank[:, None] >= choices.chance[job]).sum(axis=1)
        listed[~rows.randomised] = 0
        code = choices.candidate[job, listed]
        fits = choices.gpus[code] <= room[np.arange(len(job)), choices.kind[code]]
        rank = np.where(fits, listed, rank)
    return rank, u
