"""Numbers and names of docs/online.md as text."""

from __future__ import annotations

from rsjs.reporting.tables.formats import MISSING, percent


def number(value: float | None) -> str:
    """A ratio; an en dash where there is none."""
    return MISSING if value is None else f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"


def share(value: float | None) -> str:
    """A share in per cent."""
    return MISSING if value is None else f"{percent(value)} %"


def arrivals(law: str) -> str:
    """A law of arrivals as the paper names it, without its seconds."""
    return law.removesuffix("50000")
