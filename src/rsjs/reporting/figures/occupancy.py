"""
The layout of occupancy pictures: which job of a solution sits on which GPUs of which node.

`shelves` places jobs on GPUs, `scene` computes rectangles, words and a legend in pixels of 1/96
inch: nodes in one column, or in several for many nodes. A report page draws it as SVG (template
`instance`), `occupancy_drawers` with matplotlib and as text of a terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
from math import ceil, log

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.instances import costs
from rsjs.instances.bin_packing import gpus_for_shares
from rsjs.instances.check import check
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution
from rsjs.reporting.tables.formats import TIMES, counted, significant
from rsjs.rows.select import group_by


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
        return group_by(self.blocks, lambda block: block.gpu)

    @property
    def idle(self) -> list[int]:
        """GPUs without a job."""
        used = {block.gpu + step for block in self.blocks for step in range(ceil(block.width))}
        return [gpu for gpu in range(self.gpus) if gpu not in used]


def shelves(instance: Instance, solution: Solution) -> list[Shelf]:
    """
    Return the nodes that are on, by node type and then by position, with their jobs.

    InputError if the solution cannot be laid out because it breaks a constraint.
    """
    verdict = check(instance, solution)
    if verdict.terms is None:
        found = described(f"a decision that fails: {verdict.violations[0]}")
        raise InputError("", found, "one that fits")
    cluster, names = instance.cluster, instance.jobs.id
    placement = costs.execution(instance, solution)
    hours = dict(zip(placement.running.tolist(), placement.hours.tolist(), strict=True))
    on = np.flatnonzero(solution.node_type >= 0)
    found_on = []
    for node in on[np.argsort(solution.node_type[on], kind="stable")].tolist():
        node_type = int(solution.node_type[node])
        gpu = cluster.gpu_types[cluster.gpu_of_type[node_type]]
        widths = {}
        for job in placement.running[placement.node == node].tolist():
            gpus, level = int(solution.job_gpus[job]), int(solution.job_level[job])
            widths[job] = gpus * gpu.units if gpus else gpu.levels[level].units
        blocks = [
            Block(
                job=names[job],
                start=start / gpu.units,
                width=widths[job] / gpu.units,
                hours=hours[job],
            )
            for job, start in placed(widths, gpu.units).items()
        ]
        found_on.append(
            Shelf(
                node=cluster.node_names[node],
                node_type=cluster.node_types[node_type].name,
                gpu_type=gpu.name,
                gpus=cluster.node_types[node_type].gpus,
                blocks=tuple(blocks),
            )
        )
    return found_on


def placed(widths: dict[int, int], units: int) -> dict[int, int]:
    """
    Return where jobs of a node begin, in units of a GPU from its first one on.

    Whole GPUs first, the job with most GPUs first; then shares, packed as the checker counts them.
    """
    starts: dict[int, int] = {}
    end = 0
    for job in sorted((j for j in widths if widths[j] >= units), key=lambda j: (-widths[j], j)):
        starts[job] = end
        end += widths[job]
    for group in packed({job: width for job, width in widths.items() if width < units}, units):
        at = end
        for job in group:
            starts[job] = at
            at += widths[job]
        end += units
    return starts


def packed(shares: dict[int, int], units: int) -> list[list[int]]:
    """
    Return jobs by GPU, on as few GPUs of `units` units as `gpus_for_shares` says.

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
SCALE = 96.0  # pixels per inch
HEADING, LETTER, LARGEST, SMALLEST = 9.0, 0.62, 11.0, 6.0  # pixels; width by size of a letter
VIRIDIS = ("#440154", "#3b528b", "#21918c", "#5ec962", "#fde725")  # short to long times

Line = Shelf | str


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in pixels, with what it says; `ink` is the colour of the label."""

    x: float
    y: float
    width: float
    height: float
    kind: str  # idle, job, border (between the GPUs of a job) or frame (of a shared GPU)
    fill: str = ""
    label: str = ""
    size: float = 0.0
    ink: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Word:
    """Text at a place in pixels."""

    x: float
    y: float
    text: str
    anchor: str
    size: float


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A picture: its size in pixels, what it holds, its legend and its totals."""

    width: float
    height: float
    boxes: Sequence[Box]
    words: Sequence[Word]
    legend: Sequence[tuple[str, str]]  # colour, hours
    told: str


def scene(instance: Instance, on: Sequence[Shelf]) -> Scene:
    """Lay out rows of GPUs: for many nodes, in as many columns as bring it near its shape."""
    told = totals(instance, on)
    on, prefix = without_prefix(on)
    grouped = len(on) > FEW
    most = max((shelf.gpus for shelf in on), default=1)
    size = 8.0 if grouped else 10.0
    cell, row = (
        (SCALE * max(0.12, min(0.3, 3 / most)), 0.18 * SCALE)
        if grouped
        else (SCALE * min(0.9, 6 / most), 0.42 * SCALE)
    )
    names = {shelf: [shelf.node] if grouped else [shelf.node, shelf.node_type] for shelf in on}
    longest = max((len(name) for own in names.values() for name in own), default=0)
    label = 0.15 * SCALE + longest * 0.6 * size
    pitch = label + most * cell + 0.2 * SCALE
    columns: list[list[Line]] = [list(on)]
    if grouped:
        headings = (line for line in balanced(on, 1)[0] if isinstance(line, str))
        pitch = max(pitch, 0.3 * SCALE + max(map(len, headings)) * 0.6 * HEADING)
        cell = min(0.9 * SCALE, (pitch - label - 0.2 * SCALE) / most)
        columns = _shaped(on, pitch / row)
    place = scale([block.hours for shelf in on for block in shelf.blocks])
    boxes: list[Box] = []
    words: list[Word] = []
    for i, column in enumerate(columns):
        for j, line in enumerate(column):
            x, y = i * pitch, j * row
            if isinstance(line, str):
                words.append(Word(x + 0.1 * SCALE, y + 0.7 * row, line, "start", HEADING))
                continue
            middle = y + 0.42 * row - 0.6 * size * (len(names[line]) - 1)
            right = x + label - 0.06 * SCALE
            words += [
                Word(right, middle + 1.2 * size * k, name, "end", size)
                for k, name in enumerate(names[line])
            ]
            boxes += _boxes(line, x + label, y, cell, 0.84 * row, place, prefix)
    return Scene(
        width=len(columns) * pitch,
        height=max(map(len, columns)) * row,
        boxes=boxes,
        words=words,
        legend=legend(on),
        told=told + (f"; job ids without “{prefix}”" if prefix else ""),
    )


def scale(hours: Sequence[float]) -> Callable[[float], float]:
    """Return the place of a time in [0, 1], logarithmic if the times span a decade."""
    least, most = (min(hours), max(hours)) if hours else (0.0, 0.0)
    if most > 10 * least > 0:
        return lambda value: log(value / least) / log(most / least)
    return lambda value: (value - least) / (most - least) if most > least else 0.5


def colour(place: float) -> tuple[str, str]:
    """Return Viridis at a place in [0, 1], and the ink that reads on it."""
    step = min(len(VIRIDIS) - 2, int(place * (len(VIRIDIS) - 1)))
    part = place * (len(VIRIDIS) - 1) - step
    ends = [[int(VIRIDIS[step + k][i : i + 2], 16) for i in (1, 3, 5)] for k in (0, 1)]
    red, green, blue = (round(a + part * (b - a)) for a, b in zip(*ends, strict=True))
    light = 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2  # of 255**2.2
    return f"#{red:02x}{green:02x}{blue:02x}", "#fff" if light < 0.18 * 255**2.2 else "#000"


def _boxes(
    shelf: Shelf,
    left: float,
    top: float,
    cell: float,
    high: float,
    place: Callable[[float], float],
    prefix: str,
) -> Iterator[Box]:
    """Yield idle GPUs, jobs with the borders of their GPUs, and frames of GPUs that jobs share."""
    for gpu in shelf.idle:
        title = f"{shelf.node}: GPU {gpu} idle"
        yield Box(left + gpu * cell, top, cell, high, "idle", title=title)
    for block in shelf.blocks:
        fill, ink = colour(place(block.hours))
        begin, wide = left + block.start * cell, block.width * cell
        size = min(LARGEST, (wide - 3) / (LETTER * len(block.job)), 0.7 * high)
        label = block.job if size >= SMALLEST else ""
        share = "a share of 1" if block.shared else f"{block.width:g}"
        hours = significant(block.hours, 4)
        title = f"{prefix}{block.job}: {share} {TIMES} {shelf.gpu_type} of {shelf.node}, {hours} h"
        yield Box(begin, top, wide, high, "job", fill, label, size, ink, title)
        for gpu in range(1, round(block.width)):
            for at in (0.0, 0.8 * high):  # leaves the label free
                yield Box(begin + gpu * cell, top + at, 0.7, 0.2 * high, "border", "#fff")
    for gpu in sorted({block.gpu for block in shelf.blocks if block.shared}):
        yield Box(left + gpu * cell, top, cell, high, "frame")


def legend(on: Sequence[Shelf]) -> list[tuple[str, str]]:
    """Return colour and hours at the ends, and of the jobs a third of the scale apart."""
    hours = sorted(block.hours for shelf in on for block in shelf.blocks)
    place = scale(hours)
    marks = {round(3 * place(value)): value for value in hours[1:-1]}
    marks |= {0: hours[0], 3: hours[-1]} if hours else {}
    return [(colour(place(value))[0], significant(value, 3)) for _, value in sorted(marks.items())]


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
        tried, key=lambda columns: abs(log(len(columns) * wide / max(map(len, columns)) / SHAPE))
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
