"""When the jobs of a decision end: one row per GPU, one bar per job, from now on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rsjs.instances.instance import Instance
from rsjs.reporting.gpu_slots import Shelf
from rsjs.reporting.site.plots import Plot, Trace, axes

COLOURS = {"in time": "#0072B2", "late": "#E69F00"}
ROW, LEAST, MOST = 9, 260, 1400  # pixels


def gantt(instance: Instance, on: Sequence[Shelf]) -> Plot:
    """Bars of expected time to completion, those that end after their due date apart."""
    due = dict(zip(instance.jobs.id, instance.jobs.due.tolist(), strict=True))
    bars: dict[str, list[tuple[float, float, float, str]]] = {word: [] for word in COLOURS}
    ticks, row = [], 0.0
    for shelf in on:
        ticks.append((row + shelf.gpus / 2, shelf.node))
        for block in shelf.blocks:
            end = instance.now + block.hours
            told = f"{block.job} on {shelf.node} ({shelf.node_type}): {block.width:g} GPU"
            word = "late" if end > due[block.job] else "in time"
            middle = row + block.start + block.width / 2
            bars[word].append((middle, block.width, block.hours, f"{told}, due {due[block.job]:g}"))
        row += shelf.gpus
    layout: dict[str, Any] = axes("time [h]", "", barmode="overlay", bargap=0)
    layout["xaxis"] |= {"rangemode": "tozero"}
    layout["yaxis"] |= {
        "range": [row, 0],
        "tickvals": [at for at, _ in ticks],
        "ticktext": [name for _, name in ticks],
        "showgrid": False,
        "automargin": True,
    }
    return Plot(
        id="gantt",
        title="When jobs end",
        data=[_bars(word, found, instance.now) for word, found in bars.items() if found],
        layout=layout,
        height=int(min(MOST, max(LEAST, 110 + ROW * row))),
        note="If nothing is decided again: one row per GPU, a share of one is narrower."
        " Blue: in time; orange: after the due date.",
    )


def _bars(name: str, bars: Sequence[tuple[float, float, float, str]], now: float) -> Trace:
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "y": [middle for middle, _, _, _ in bars],
        "width": [0.92 * width for _, width, _, _ in bars],
        "x": [hours for _, _, hours, _ in bars],
        "base": [now] * len(bars),
        "text": [told for _, _, _, told in bars],
        "textposition": "none",
        "marker": {"color": COLOURS[name]},
        "hovertemplate": "%{text}<br>ends after %{x:.4g} h<extra></extra>",
    }
