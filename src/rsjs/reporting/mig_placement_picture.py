"""Workloads on the memory slices of their GPUs, a short bar per GPU."""

from __future__ import annotations

from math import ceil, sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rsjs.instances.mig.placement.problem import MigPlacement, PlacementProblem
from rsjs.reporting import canvas, mig_colours

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CELL, ROW = 0.14, 0.16  # inches: a memory slice, a GPU
GAP = 3.5  # slices between columns, for the numbers
SHAPE = 1.4  # width over height to come near to


def placement_picture(
    workloads: PlacementProblem, placement: MigPlacement, path: str | Path
) -> Path:
    """
    Draw every GPU as a bar of its memory slices, instances coloured by profile.

    Parameters
    ----------
    workloads : PlacementProblem
    placement : MigPlacement
    path : path
        .png, .svg or .pdf.

    Returns
    -------
    Path
        The file written.
    """
    path = canvas.checked(path)
    return canvas.write(lambda: _draw_placement(workloads, placement), path)


def _draw_placement(workloads: PlacementProblem, placement: MigPlacement) -> Figure:
    from matplotlib.collections import PolyCollection

    slices = workloads.gpu.memory_slices
    gpus, place = np.unique(placement.gpu, return_inverse=True)
    pitch = slices + GAP
    lines = max(1, ceil(sqrt(len(gpus) * pitch * CELL / ROW / SHAPE)))
    columns = ceil(len(gpus) / lines)
    width, height = columns * pitch * CELL + 0.3, min(lines, len(gpus)) * ROW + 0.9
    made = canvas.figure(max(width, 3.0), height, layout="constrained")
    ax = made.subplots()
    left, top = (np.arange(len(gpus)) // lines) * pitch, np.arange(len(gpus)) % lines
    shown = mig_colours.colours(workloads.gpu)
    size = np.array([profile.memory_slices for profile in workloads.gpu.profiles])
    begin = left[place] + placement.start
    bars = [_box(x, y, slices) for x, y in zip(left.tolist(), top.tolist(), strict=True)]
    instances = [
        _box(x, y, w) for x, y, w in zip(begin, top[place], size[placement.profile], strict=True)
    ]
    ax.add_collection(PolyCollection(bars, facecolors=mig_colours.PALE, edgecolors="none"))
    fill = [shown[p] for p in placement.profile.tolist()]
    ax.add_collection(PolyCollection(instances, facecolors=fill, edgecolors="white", lw=0.6))
    for number, x, y in zip(gpus.tolist(), left, top, strict=True):
        ax.text(x - 0.4, y + 0.5, str(number), ha="right", va="center", fontsize=5)
    ax.set(xlim=(-GAP, columns * pitch - GAP + 0.5), ylim=(min(lines, len(gpus)), 0))
    ax.set_axis_off()
    made.suptitle(f"{workloads.name}: {len(gpus)} GPUs", fontsize=8)
    mig_colours.legend(made, workloads.gpu, set(placement.profile.tolist()))
    return made


def _box(x: float, y: float, width: float) -> list[tuple[float, float]]:
    low, high = y + 0.1, y + 0.9
    return [(x, low), (x + width, low), (x + width, high), (x, high)]
