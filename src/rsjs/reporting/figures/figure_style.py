"""What all pictures share: size, colours, and files with the same bytes for the same data."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsjs.core.errors import InputError
from rsjs.instances.io.files import write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito 2008, for all kinds of colour vision; without yellow, too pale on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h", "*")
STYLE = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "hatch.linewidth": 0.5,
    "pdf.fonttype": 42,  # TrueType: journals refuse Type 3
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "rsjs",
    "text.parse_math": False,  # names may hold a $
}
DATES = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
DPI = 200


def figure(width: float, height: float, **options: Any) -> Figure:
    """Return an empty figure, sized in inches, apart from pyplot and its global state."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    made = Figure(figsize=(width, height), **options)
    FigureCanvasAgg(made)
    return made


def checked(path: str | Path) -> Path:
    """Return the path if its suffix is that of a picture."""
    path = Path(path)
    if path.suffix.lower()[1:] not in DATES:
        known = ", ".join(f".{suffix}" for suffix in DATES)
        raise InputError("", path.suffix, f"a picture's suffix: {known}", path)
    return path


def write(draw: Callable[[], Figure], path: Path) -> Path:
    """Draw in our style and write by suffix, whole or not at all, without date and version."""
    import matplotlib

    suffix = path.suffix.lower()[1:]
    style: Any = STYLE
    out = io.BytesIO()
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # a user's matplotlibrc shall not change the bytes
        matplotlib.rcParams.update(style)
        draw().savefig(out, format=suffix, dpi=DPI, metadata=DATES[suffix])
    write_bytes(out.getvalue(), path)
    return path


def styles(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return a colour, a marker and a line style for each name, in order of first appearance."""
    return {
        name: {
            "color": COLOURS[i % len(COLOURS)],
            "marker": MARKERS[i % len(MARKERS)],
            "linestyle": "-" if i < len(COLOURS) else (0, (5, 1, 1, 1)),
        }
        for i, name in enumerate(dict.fromkeys(names))
    }
