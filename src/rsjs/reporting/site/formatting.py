"""What templates do to values: numbers as everywhere, a dash where nothing is known."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from rsjs.reporting import formats
from rsjs.reporting.formats import MISSING


def _shown(show: Callable[[float], str], unit: str) -> Callable[[float | None], str]:
    return lambda value: MISSING if value is None else f"{show(value)} {unit}".rstrip()


def breakable(name: str) -> Any:
    """A name that may go on in the next line after its punctuation."""
    from markupsafe import Markup, escape

    pieces = re.split(r"(?<=[?,:@_=-])", name)
    return Markup("<wbr>").join(escape(piece) for piece in pieces)


FILTERS: dict[str, Callable[..., Any]] = {
    "breakable": breakable,
    "cost": _shown(formats.cost, "$"),
    "percent": _shown(formats.percent, "%"),
    "seconds": _shown(formats.measured, "s"),
    "pixels": _shown("{:.1f}".format, ""),
}
