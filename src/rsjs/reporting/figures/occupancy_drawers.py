"""Which job sits on which GPU, as a file and as text of a terminal; the layout is `occupancy`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution
from rsjs.reporting.figures import figure_style
from rsjs.reporting.figures.occupancy import (
    FEW,
    LETTER,
    SCALE,
    Block,
    Line,
    Scene,
    Shelf,
    balanced,
    colour,
    legend,
    scale,
    scene,
    shelves,
    totals,
    without_prefix,
)
from rsjs.reporting.tables.formats import TIMES

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.text import Text

TOP, BOTTOM, LEAST_WIDTH, SWATCH = 52.0, 30.0, 576.0, 70.0  # of a file, pixels
GAP, LONGEST_LABEL = 3, 12  # characters
INKS = {"#fff": "#ffffff", "#000": "#000000"}


def occupancy(instance: Instance, solution: Solution, path: str | Path) -> Path:
    """
    Draw the nodes that are on as rows of GPUs, the jobs on them as blocks: .png, .svg or .pdf.

    Idle GPUs are hatched, shared GPUs framed; many nodes are grouped by type and stand in several
    columns. InputError for a solution that cannot be laid out.
    """
    path = figure_style.checked(path)
    shown = scene(instance, shelves(instance, solution))
    return figure_style.write(lambda: _drawn(instance.name, shown), path)


def _drawn(name: str, shown: Scene) -> Figure:
    from matplotlib.patches import Rectangle

    width, height = max(LEAST_WIDTH, shown.width), TOP + shown.height + BOTTOM
    made = figure_style.figure(width / SCALE, height / SCALE)
    ax = made.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, width), ylim=(height - TOP, -TOP))  # pixels, downwards
    ax.axis("off")
    looks: dict[str, dict[str, Any]] = {
        "idle": {"fc": "white", "ec": "0.75", "hatch": "/////", "lw": 0.4},
        "job": {"ec": "white", "lw": 0.8},
        "border": {"ec": "none"},
        "frame": {"fc": "none", "ec": "black", "lw": 0.7},
    }
    for box in shown.boxes:
        look = {**looks[box.kind], **({"fc": box.fill} if box.fill else {})}
        ax.add_patch(Rectangle((box.x, box.y), box.width, box.height, **look))

    def text(x: float, y: float, words: str, size: float, **more: Any) -> None:
        ax.text(x, y, words, fontsize=size * 72 / SCALE, va="center", **more)

    for box in shown.boxes:
        if box.label:
            at = box.x + box.width / 2, box.y + box.height / 2
            text(*at, box.label, box.size, ha="center", color=box.ink)
    for word in shown.words:
        sides = {"start": "left", "end": "right"}
        text(word.x, word.y, word.text, word.size, ha=sides[word.anchor], color="0.2")
    hatched = " (idle: hatched)" if any(box.kind == "idle" for box in shown.boxes) else ""
    text(10, 14 - TOP, name, 12)
    told = wrap(shown.told + hatched, int(width / 9.3 / LETTER))
    text(10, 35 - TOP, "\n".join(told), 9.3, color="0.3")
    if shown.legend:
        text(10, shown.height + 14, "time to completion [h]", 9.3, color="0.3")
    for i, (fill, hours) in enumerate(shown.legend):
        x, y = 125 + i * SWATCH, shown.height + 9
        ax.add_patch(Rectangle((x, y), 16, 10, fc=fill, ec="none"))
        text(x + 20, y + 5, hours, 9.3, color="0.3")
    return made


def occupancy_text(instance: Instance, solution: Solution, width: int = 100) -> Text:
    """
    Return the nodes that are on, one line each, their GPUs between bars, idle ones with a dot.

    Background colours tell the time to completion; without colours the job ids remain. InputError
    for a solution that cannot be laid out.
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
    place = scale([block.hours for shelf in on for block in shelf.blocks])
    label, cell, number = _sizes(on, width)
    pitch = label + 2 + max((shelf.gpus for shelf in on), default=0) * (cell + 1) + GAP
    columns = balanced(on, number) if on else []
    for row in zip_longest(*columns):
        for i, line in enumerate(row):
            shown = _line(line, label, cell, place)
            shown.truncate(pitch - 1 if number > 1 else width, overflow="ellipsis")
            told.append_text(shown)
            if i + 1 < len(row):
                told.append(" " * (pitch - shown.cell_len))
        told.append("\n")
    if marks := legend(on):
        told.append("time to completion [h]:")
        for fill, hours in marks:
            told.append(" ").append("  ", style=f"on {fill}").append(f" {hours}")
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


def _line(line: Line | None, label: int, cell: int, place: Callable[[float], float]) -> Text:
    from rich.text import Text

    if not isinstance(line, Shelf):
        return Text(line or "", style="italic")
    made = Text(f"{line.node[:LONGEST_LABEL]:>{label}} │")
    cells: list[tuple[int, list[Block]]] = [(gpu, []) for gpu in line.idle]
    for _, blocks in sorted([*cells, *line.by_gpu.items()], key=lambda entry: entry[0]):
        gpus = max([1, *(round(block.width) for block in blocks)])
        room = gpus * (cell + 1) - 1
        if blocks:
            fill, ink = colour(place(max(block.hours for block in blocks)))
            made.append(_fitted(blocks, room), style=f"{INKS[ink]} on {fill}")
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
