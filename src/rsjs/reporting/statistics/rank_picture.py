"""How often each method has each rank, as one bar per method."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rsjs.reporting import canvas
from rsjs.reporting.names import folded

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, BAR = 6.0, 0.32  # inches: of the picture, height of a bar
LONGEST_LABEL = 34  # characters
DARK, SHOWN = 0.45, 0.06  # of the scale of greys; share that is told in figures


def rank_bars(shares: pd.DataFrame, title: str, path: str | Path) -> Path:
    """
    Draw stacked bars, rank 1 darkest, best method on top.

    Parameters
    ----------
    shares : DataFrame
        Of `rank_stability.rank_shares`.
    title : str
        What is ranked.
    path : path
        .png, .svg or .pdf.
    """
    return canvas.write(lambda: _draw_ranks(shares, title), canvas.checked(path))


def _draw_ranks(shares: pd.DataFrame, title: str) -> Figure:
    from matplotlib import colormaps

    names = ["\n".join(folded(name, LONGEST_LABEL)) for name in shares.index]
    made = canvas.figure(WIDTH, 0.9 + BAR * len(names), layout="constrained")
    ax = made.subplots()
    at = np.arange(len(names))[::-1]
    colours = colormaps["Blues"](np.linspace(0.95, 0.12, len(shares.columns)))
    left = np.zeros(len(names))
    for rank, colour in zip(shares.columns, colours, strict=True):
        width = shares[rank].to_numpy()
        ax.barh(at, width, left=left, height=0.75, color=colour, edgecolor="white", linewidth=0.5)
        for y, x, share in zip(at, left + width / 2, width, strict=True):
            if share >= SHOWN:
                ink = "white" if colour[:3].mean() < 1 - DARK else "black"
                ax.text(x, y, str(rank), ha="center", va="center", color=ink, fontsize=7)
        left += width
    ax.set(yticks=at, yticklabels=names, xlim=(0, 1), xlabel="share of the bootstrap's draws")
    ax.set_title(f"{title}: rank of each method")
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    return made
