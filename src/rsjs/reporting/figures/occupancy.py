"""
The layout of occupancy pictures: which job of a solution sits on which GPUs of which node.

`shelves` places jobs on GPUs, `laid_out` places nodes in one column, or in several for many nodes.
Pages, files and terminals draw the same layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, takewhile
from math import ceil, log

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.instances import costs
from rsjs.instances.bin_packing import gpus_for_shares
from rsjs.instances.check import check
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution
from rsjs.reporting.tables.formats import TIMES, counted


@dataclass(frozen=True, kw_only=True)
class Block:
    """A job on `width` GPUs (a fraction: a share) from position `start` of its node."""

    job: str
    start: float
    width: float
    hours: float

    @property
    def gpu(self) -> int:
        """Position of its (first) GPU."""
        return int(self.start + 1e-9)

    @property
    def shared(self) -> bool:
        """Whether it leaves part of its GPU to others."""
        return self.width < 1


@dataclass(frozen=True, kw_only=True)
class Shelf:
    """A node that is on, its GPUs side by side."""

    node: str
    node_type: str
    gpu_type: str
    gpus: int
    blocks: tuple[Block, ...]

    @property
    def by_gpu(self) -> dict[int, list[Block]]:
        """Jobs by their first GPU; several share it."""
        found: dict[int, list[Block]] = {}
        for block in self.blocks:
            found.setdefault(block.gpu, []).append(block)
        return found

    @property
    def idle(self) -> list[int]:
        """GPUs without a job."""
        used = {block.gpu + step for block in self.blocks for step in range(ceil(block.width))}
        return [gpu for gpu in range(self.gpus) if gpu not in used]


def shelves(instance: Instance, solution: Solution) -> list[Shelf]:
    """
    The nodes that are on, by node type and then by position, with their jobs.

    On a node: whole GPUs first, the job with most GPUs first; then shares, packed as the
    checker counts them.

    Raises
    ------
    InputError
        If the decision cannot be laid out because it breaks a constraint.
    """
    verdict = check(instance, solution)
    if verdict.terms is None:
        raise InputError(
            "", described(f"a decision that fails: {verdict.violations[0]}"), "one that fits"
        )
    placement = costs.execution(instance, solution)
    hours = dict(zip(placement.running.tolist(), placement.hours.tolist(), strict=True))
    jobs_on: dict[int, list[int]] = {}
    for job, node in zip(placement.running.tolist(), placement.node.tolist(), strict=True):
        jobs_on.setdefault(node, []).append(job)
    on = np.flatnonzero(solution.node_type >= 0)
    order = on[np.argsort(solution.node_type[on], kind="stable")]
    return [
        _shelf(instance, solution, node, jobs_on.get(node, []), hours) for node in order.tolist()
    ]


def _shelf(
    instance: Instance, solution: Solution, node: int, jobs: list[int], hours: dict[int, float]
) -> Shelf:
    cluster, names = instance.cluster, instance.jobs.id
    v = int(solution.node_type[node])
    gpu = cluster.gpu_types[cluster.gpu_of_type[v]]
    whole = {job: int(solution.job_gpus[job]) for job in jobs if solution.job_gpus[job]}
    shares = {job: gpu.levels[solution.job_level[job]].units for job in jobs if job not in whole}
    blocks = []
    start = 0
    for job in sorted(whole, key=lambda job: -whole[job]):
        blocks.append(Block(job=names[job], start=start, width=whole[job], hours=hours[job]))
        start += whole[job]
    for at, group in enumerate(packed(shares, gpu.units), start=start):
        begins = accumulate((shares[job] for job in group), initial=0)
        blocks += [
            Block(
                job=names[job],
                start=at + begin / gpu.units,
                width=shares[job] / gpu.units,
                hours=hours[job],
            )
            for job, begin in zip(group, begins, strict=False)
        ]
    return Shelf(
        node=cluster.node_names[node],
        node_type=cluster.node_types[v].name,
        gpu_type=gpu.name,
        gpus=cluster.node_types[v].gpus,
        blocks=tuple(blocks),
    )


def packed(shares: dict[int, int], units: int) -> list[list[int]]:
    """
    Jobs by GPU, on as few GPUs of `units` units as `gpus_for_shares` says.

    >>> packed({1: 2, 2: 3, 3: 2, 4: 1}, 4)
    [[2, 4], [1, 3]]
    """
    order = sorted(shares, key=lambda job: (-shares[job], job))
    bins: list[list[int]] = [[] for _ in range(gpus_for_shares(shares.values(), units))]
    room = [units] * len(bins)

    def place(position: int) -> bool:
        if position == len(order):
            return True
        job = order[position]
        tried = set()
        for at, group in enumerate(bins):
            if room[at] < shares[job] or room[at] in tried:
                continue
            tried.add(room[at])  # GPUs with the same room left are the same
            group.append(job)
            room[at] -= shares[job]
            if place(position + 1):
                return True
            group.remove(job)
            room[at] += shares[job]
        return False

    place(0)
    return bins


FEW = 12  # nodes that get large rows and their type beside the name
SHAPE, MOST_COLUMNS = 1.5, 12  # width over height to come near to
HEADING, WIDEST_CELL = 6.5, 0.9  # points, inches

Line = Shelf | str


@dataclass(frozen=True, kw_only=True)
class Layout:
    """
    Places in inches, from the upper left corner.

    Attributes
    ----------
    grouped : bool
        Whether node types stand above their nodes, not beside each.
    cell, row : float
        Width of a GPU, height of a node.
    text : float
        Points of the node names.
    width, height : float
    shelves : tuple of (Shelf, x, y)
        x is where the GPUs begin.
    headings : tuple of (str, x, y)
    """

    grouped: bool
    cell: float
    row: float
    text: float
    width: float
    height: float
    shelves: tuple[tuple[Shelf, float, float], ...]
    headings: tuple[tuple[str, float, float], ...]


def laid_out(on: Sequence[Shelf]) -> Layout:
    """Rows for few nodes; for many, as many columns as bring the picture near its shape."""
    grouped = len(on) > FEW
    most = max((shelf.gpus for shelf in on), default=1)
    text = 6.0 if grouped else 7.5
    cell, row = (
        (max(0.12, min(0.3, 3 / most)), 0.18) if grouped else (min(WIDEST_CELL, 6 / most), 0.42)
    )
    names = [shelf.node if grouped else max(shelf.node, shelf.node_type, key=len) for shelf in on]
    label = 0.15 + max(map(len, names), default=0) * 0.6 * text / 72
    pitch = label + most * cell + 0.2
    columns: list[list[Line]] = [list(on)]
    if grouped:
        headings_in = (line for line in balanced(on, 1)[0] if isinstance(line, str))
        pitch = max(pitch, 0.3 + max(map(len, headings_in)) * 0.6 * HEADING / 72)
        cell = min(WIDEST_CELL, (pitch - label - 0.2) / most)
        columns = _shaped(on, pitch / row)
    shelves: list[tuple[Shelf, float, float]] = []
    headings: list[tuple[str, float, float]] = []
    for i, column in enumerate(columns):
        for j, line in enumerate(column):
            if isinstance(line, str):
                headings.append((line, i * pitch + 0.1, j * row))
            else:
                shelves.append((line, i * pitch + label, j * row))
    return Layout(
        grouped=grouped,
        cell=cell,
        row=row,
        text=text,
        width=len(columns) * pitch,
        height=max(map(len, columns)) * row,
        shelves=tuple(shelves),
        headings=tuple(headings),
    )


def balanced(on: Sequence[Shelf], number: int) -> list[list[Line]]:
    """At most `number` columns, as short as they can be: headings and nodes under them."""
    lines = max(1, ceil(len(on) / number))
    while len(columns := _filled(on, lines)) > number:
        lines += 1
    return columns


def _shaped(on: Sequence[Shelf], wide: float) -> list[list[Line]]:
    """The number of columns by shape; `wide` is a column's width over a line's height."""
    tried = [balanced(on, number) for number in range(1, min(MOST_COLUMNS, len(on)) + 1)]
    return min(
        tried,
        key=lambda columns: abs(log(len(columns) * wide / max(map(len, columns)) / SHAPE)),
    )


def _filled(on: Sequence[Shelf], lines: int) -> list[list[Line]]:
    """Columns of a heading and up to `lines` more, each beginning with a heading."""
    columns: list[list[Line]] = [[]]
    for (name, gpus, gpu), shelves in groupby(on, lambda s: (s.node_type, s.gpus, s.gpu_type)):
        group = list(shelves)
        if len(columns[-1]) >= lines:
            columns.append([])
        columns[-1].append(f"{name}: {counted(len(group), 'node')} of {gpus} {TIMES} {gpu}")
        for shelf in group:
            if len(columns[-1]) > lines:
                columns.append([f"{name} (continued)"])
            columns[-1].append(shelf)
    return columns


LONG_PREFIX = 4  # characters of a job id that are left out where all ids share them


def without_prefix(on: Sequence[Shelf]) -> tuple[list[Shelf], str]:
    """Long job ids without what they all begin with, and that beginning; else no change."""
    ids = [block.job for shelf in on for block in shelf.blocks]
    first, last = min(ids, default=""), max(ids, default="")
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first[:-1], last[:-1], strict=False))
    prefix = "".join(letter for letter, _ in same)
    if len(ids) < 2 or len(prefix) < LONG_PREFIX:
        return list(on), ""
    return [
        replace(
            shelf,
            blocks=tuple(replace(block, job=block.job[len(prefix) :]) for block in shelf.blocks),
        )
        for shelf in on
    ], prefix


def totals(instance: Instance, on: Sequence[Shelf]) -> str:
    """One line: jobs that run, nodes that are on, GPUs in use."""
    run = sum(len(shelf.blocks) for shelf in on)
    shared = sum(block.shared for shelf in on for block in shelf.blocks)
    gpus = sum(shelf.gpus for shelf in on)
    idle = sum(len(shelf.idle) for shelf in on)
    sharing = f" ({shared} on shares)" if shared else ""
    return (
        f"{run} of {counted(len(instance.jobs), 'job')} run{sharing} on {len(on)} of "
        f"{counted(instance.cluster.nodes, 'node')}; {gpus - idle} of {counted(gpus, 'GPU')} busy"
    )
