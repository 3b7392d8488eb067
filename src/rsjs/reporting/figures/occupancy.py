"""
Which job of a solution sits on which GPUs of which node: as a figure and as text of a terminal.

`shelves` places jobs on GPUs; nodes stand by type, in several columns where there are many.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.instances import costs
from rsjs.instances.bin_packing import gpus_for_shares
from rsjs.instances.check import check
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution
from rsjs.reporting.figures.boxes import HIGH, PALE, Box, in_columns
from rsjs.reporting.figures.figure import Figure
from rsjs.reporting.tables.formats import TIMES, counted, significant
from rsjs.rows.select import group_by

if TYPE_CHECKING:
    from rich.console import Group


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Shelf:
    """A node that is on, its GPUs side by side."""

    node: str
    node_type: str
    gpu_type: str
    gpus: int
    blocks: tuple[Block, ...]

    @property
    def by_gpu(self) -> dict[int, list[Block]]:
        """Jobs by their first GPU, several that share it, none on an idle one."""
        groups = group_by(self.blocks, lambda block: block.gpu)
        return dict(sorted((groups | {gpu: [] for gpu in self.idle}).items()))

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
        kind = cluster.node_types[solution.node_type[node]]
        gpu = cluster.gpu_types[cluster.gpu_of_type[solution.node_type[node]]]
        widths = {}
        for job in placement.running[placement.node == node].tolist():
            gpus, level = int(solution.job_gpus[job]), int(solution.job_level[job])
            widths[job] = gpus * gpu.units if gpus else gpu.levels[level].units
        blocks = tuple(
            Block(names[job], start / gpu.units, widths[job] / gpu.units, hours[job])
            for job, start in placed(widths, gpu.units).items()
        )
        found_on.append(Shelf(cluster.node_names[node], kind.name, gpu.name, kind.gpus, blocks))
    return found_on


def placed(widths: dict[int, int], units: int) -> dict[int, int]:
    """
    Return where jobs of a node begin, in units of a GPU from its first one on.

    Whole GPUs first, the job with most GPUs first; then shares, packed as the checker counts them.
    """
    starts: dict[int, int] = {}
    whole = sorted((j for j in widths if widths[j] >= units), key=lambda j: (-widths[j], j))
    shares = {job: width for job, width in widths.items() if width < units}
    end = 0
    for group in [*([job] for job in whole), *packed(shares, units)]:
        for job in group:
            starts[job] = end
            end += widths[job]
        end = ceil(end / units) * units
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


CELL = 0.42  # inches: a GPU
VIRIDIS = ("#440154", "#3b528b", "#21918c", "#5ec962", "#fde725")  # short to long times
DARK = 2  # of these, white reads on them
LEGEND = "time to completion [h]"
LONG_PREFIX = 4  # characters of a job id that are left out where all ids share them
FEW, LONGEST_LABEL = 12, 12  # nodes one below the other in a terminal, characters of their names


def occupancy_figure(instance: Instance, solution: Solution, columns: int = 0) -> Figure:
    """
    Return the nodes that are on as lines of GPUs, the jobs on them as boxes coloured by time.

    InputError for a solution that cannot be laid out.
    """
    on = shelves(instance, solution)
    prefix, ends = common_prefix(on), time_steps(on)
    due = dict(zip(instance.jobs.id, instance.jobs.due.tolist(), strict=True))
    legend = {"idle": [PALE]} if any(shelf.idle for shelf in on) else {}
    for end, colour in zip(ends, VIRIDIS, strict=False):
        legend.setdefault(_up_to(end), []).append(colour)
    lines: list[tuple[str, list[Box]]] = []
    for head, group in _by_type(on).items():
        lines.append((head, []))
        for shelf in group:
            tip = f"GPU of {shelf.node}: idle"
            line = [Box(gpu, 1, 0, HIGH, "idle", PALE, tip=tip) for gpu in shelf.idle]
            for block in shelf.blocks:
                step = bisect_left(ends, block.hours)
                share = "a share of 1" if block.shared else f"{block.width:g}"
                tip = f"{block.job}: {share} {TIMES} {shelf.gpu_type} of {shelf.node}, "
                tip += f"{significant(block.hours, 4)} h, due at {due[block.job]:.4g} h"
                text, name = block.job.removeprefix(prefix), _up_to(ends[step])
                box = Box(block.start, block.width, 0, HIGH, name, VIRIDIS[step], text, tip)
                line.append(box)
            lines.append((shelf.node, line))
    if not lines:
        lines.append(("no node is on", []))
    told = [totals(instance, on), *([f"job ids without “{prefix}”"] if prefix else [])]
    return in_columns(
        lines,
        legend,
        unit=("GPUs", max((shelf.gpus for shelf in on), default=1), CELL),
        columns=columns,
        name="occupancy",
        title="Best solution",
        heading="\n".join([instance.name, *told]),
        note=f"{'; '.join(told)}. Colours: {LEGEND}.",
        legend_title=LEGEND if ends else "",
    )


def _by_type(on: Sequence[Shelf]) -> dict[str, list[Shelf]]:
    """Nodes under what they are."""
    groups = group_by(on, lambda shelf: (shelf.node_type, shelf.gpus, shelf.gpu_type))
    return {
        f"{name}: {counted(len(group), 'node')} of {gpus} {TIMES} {gpu}": group
        for (name, gpus, gpu), group in groups.items()
    }


def time_steps(on: Sequence[Shelf]) -> list[float]:
    """Return the ends of steps of times to completion, logarithmic if these span a decade."""
    hours = [block.hours for shelf in on for block in shelf.blocks]
    if not hours:
        return []
    least, most = min(hours), max(hours)
    space = np.geomspace if most > 10 * least > 0 else np.linspace
    return sorted({*space(least, most, len(VIRIDIS) + 1)[1:].tolist()})


def _up_to(end: float) -> str:
    return f"≤ {significant(end, 3)}"


def common_prefix(on: Sequence[Shelf]) -> str:
    """Return what all job ids begin with if that is long; else ""."""
    ids = [block.job for shelf in on for block in shelf.blocks]
    prefix = min(ids)[:-1] if len(ids) > 1 else ""
    while not all(job.startswith(prefix) for job in ids):
        prefix = prefix[:-1]
    return prefix if len(prefix) >= LONG_PREFIX else ""


def totals(instance: Instance, on: Sequence[Shelf]) -> str:
    """Return one line: jobs that run, nodes that are on, GPUs in use."""
    run = sum(len(shelf.blocks) for shelf in on)
    shared = sum(block.shared for shelf in on for block in shelf.blocks)
    gpus = sum(shelf.gpus for shelf in on)
    idle = sum(len(shelf.idle) for shelf in on)
    sharing = f" ({shared} on shares)" if shared else ""
    return (
        f"{run} of {counted(len(instance.jobs), 'job')} run{sharing} on {len(on)} of "
        f"{counted(instance.cluster.nodes, 'node')}; {gpus - idle} of {counted(gpus, 'GPU')} busy"
    )


def occupancy_text(instance: Instance, solution: Solution, width: int = 100) -> Group:
    """
    Return the nodes that are on, one line each, their GPUs between bars, idle ones with a dot.

    Background colours tell the time to completion; without colours the job ids remain. InputError
    for a solution that cannot be laid out.
    """
    from rich.columns import Columns
    from rich.console import Group
    from rich.text import Text

    def names(blocks: Sequence[Block]) -> str:
        return "+".join(block.job.removeprefix(prefix) for block in blocks)

    on = shelves(instance, solution)
    prefix, ends = common_prefix(on), time_steps(on)
    shared = any(block.shared for shelf in on for block in shelf.blocks)
    sharing = f", n jobs on one GPU: {TIMES}n" if shared else ""
    heads = [
        Text(instance.name, style="bold"),
        Text(f"{totals(instance, on)} (idle: ·{sharing})"),
        *([Text(f"job ids without “{prefix}”")] if prefix else []),
    ]
    label = max((min(len(shelf.node), LONGEST_LABEL) for shelf in on), default=0)
    most = max((shelf.gpus for shelf in on), default=1)
    groups = [blocks for shelf in on for blocks in shelf.by_gpu.values()]
    if len(on) > FEW:  # rather more columns than all names on shared GPUs
        groups = [[block] for blocks in groups for block in blocks]
    longest = max((len(names(blocks)) for blocks in groups), default=1)
    cell = max(1, min(longest, (width - label - 2) // most - 1))
    lines = []
    for head, group in _by_type(on).items():
        lines.append(Text(head, style="italic", no_wrap=True, overflow="ellipsis"))
        for shelf in group:
            line = Text(f"{shelf.node[:LONGEST_LABEL]:>{label}} │", no_wrap=True)
            for blocks in shelf.by_gpu.values():
                room = max([1, *(round(block.width) for block in blocks)]) * (cell + 1) - 1
                told = names(blocks) or "·"
                if len(told) > room and len(blocks) > 1:
                    told = f"{TIMES}{len(blocks)}"
                step = bisect_left(ends, max((block.hours for block in blocks), default=0.0))
                ink = "#ffffff" if step < DARK else "#000000"
                style = f"{ink} on {VIRIDIS[step]}" if blocks else "dim"
                line.append(told[-room:].center(room), style=style).append("│")
            lines.append(line)
    nodes = Columns(lines, padding=(0, 3), column_first=True) if len(on) > FEW else Group(*lines)
    legend = Text(f"{LEGEND}:" if ends else "")
    for end, colour in zip(ends, VIRIDIS, strict=False):
        legend.append(" ").append("  ", style=f"on {colour}").append(f" {_up_to(end)}")
    return Group(*heads, nodes, legend)
