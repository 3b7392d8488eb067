"""Which job sits on which GPU, for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution
from rsjs.reporting.figures.occupancy import (
    FEW,
    Block,
    Line,
    Shelf,
    balanced,
    shelves,
    totals,
    without_prefix,
)
from rsjs.reporting.tables.formats import DASH, TIMES, significant

if TYPE_CHECKING:
    from rich.text import Text

VIRIDIS = ("#440154", "#3b528b", "#21918c", "#5ec962", "#fde725")  # short to long times
STYLES = [f"{'#ffffff' if i < 2 else '#000000'} on {colour}" for i, colour in enumerate(VIRIDIS)]
GAP, LONGEST_LABEL = 3, 12


def occupancy_text(instance: Instance, solution: Solution, width: int = 100) -> Text:
    """
    The nodes that are on, one line each, their GPUs between bars, idle ones with a dot.

    Background colours tell the time to completion; without colours the job ids remain.

    Raises
    ------
    InputError
        If the decision cannot be laid out because it breaks a constraint.
    """
    from rich.text import Text

    on, prefix = without_prefix(shelves(instance, solution))
    told = Text(no_wrap=True, overflow="ellipsis")
    told.append(f"{instance.name}\n", style="bold")
    shared = any(block.shared for shelf in on for block in shelf.blocks)
    sharing = f", n jobs on one GPU: {TIMES}n" if shared else ""
    told.append(f"{totals(instance, on)} (idle: ·{sharing})\n")
    if prefix:
        told.append(f"job ids without “{prefix}”\n")
    hours = [block.hours for shelf in on for block in shelf.blocks]
    label, cell, number = _sizes(on, width)
    pitch = label + 2 + max((shelf.gpus for shelf in on), default=0) * (cell + 1) + GAP
    shade = _shades(hours)
    columns = balanced(on, number) if on else []
    for row in zip_longest(*columns):
        for i, line in enumerate(row):
            shown = _line(line, label, cell, shade)
            shown.truncate(pitch - 1 if number > 1 else width, overflow="ellipsis")
            told.append_text(shown)
            if i + 1 < len(row):
                told.append(" " * (pitch - shown.cell_len))
        told.append("\n")
    if hours:
        told.append_text(_legend(min(hours), max(hours)))
    return told


def _sizes(on: Sequence[Shelf], width: int) -> tuple[int, int, int]:
    """Characters of the node names and of a GPU, and how many columns fit."""
    most = max((shelf.gpus for shelf in on), default=1)
    label = max((min(len(shelf.node), LONGEST_LABEL) for shelf in on), default=0)
    groups = [group for shelf in on for group in shelf.by_gpu.values()]
    if len(on) > FEW:  # rather more columns than all names on shared GPUs
        groups = [[block] for group in groups for block in group]
    ids = max((len(_names(group)) for group in groups), default=1)
    cell = max(1, min(ids, (width - label - 2) // most - 1))
    pitch = label + 2 + most * (cell + 1) + GAP
    return label, cell, max(1, (width + GAP) // pitch) if len(on) > FEW else 1


def _line(line: Line | None, label: int, cell: int, shade: Callable[[float], str]) -> Text:
    from rich.text import Text

    if not isinstance(line, Shelf):
        return Text(line or "", style="italic")
    made = Text(f"{line.node[:LONGEST_LABEL]:>{label}} │")
    cells: list[tuple[int, list[Block]]] = [(gpu, []) for gpu in line.idle]
    for _, blocks in sorted([*cells, *line.by_gpu.items()], key=lambda entry: entry[0]):
        gpus = max([1, *(round(block.width) for block in blocks)])
        room = gpus * (cell + 1) - 1
        if blocks:
            longest = max(block.hours for block in blocks)
            made.append(_fitted(blocks, room), style=shade(longest))
        else:
            made.append("·".center(room), style="dim")
        made.append("│")
    return made


def _names(blocks: Sequence[Block]) -> str:
    return "+".join(block.job for block in blocks)


def _fitted(blocks: Sequence[Block], room: int) -> str:
    """Job ids in the room of a GPU: all, else how many, else the end of the id, else a mark."""
    names = _names(blocks)
    if len(names) > room and len(blocks) > 1:
        names = f"{TIMES}{len(blocks)}"
    if len(names) > room:
        names = f"…{names[1 - room :]}" if room > 2 else "#" * room
    return names.center(room)


def _edges(least: float, most: float) -> list[float]:
    """Upper ends of the colours' ranges: equal ratios if the times span a decade."""
    steps = [i / len(STYLES) for i in range(1, len(STYLES))]
    if most > 10 * least > 0:
        return [least * (most / least) ** step for step in steps]
    return [least + (most - least) * step for step in steps]


def _shades(hours: Sequence[float]) -> Callable[[float], str]:
    edges = _edges(min(hours), max(hours)) if hours else []
    return lambda value: STYLES[sum(value > edge for edge in edges)]


def _legend(least: float, most: float) -> Text:
    from rich.text import Text

    made = Text("time to completion [h]: ")
    if least == most:
        return made.append(f" {significant(least, 2)} ", style=STYLES[0])
    ends = [least, *_edges(least, most), most]
    for style, low, high in zip(STYLES, ends, ends[1:], strict=False):
        made.append(f" {significant(low, 2)}{DASH}{significant(high, 2)} ", style=style)
    return made
