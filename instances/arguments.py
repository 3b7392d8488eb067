"""Arguments of catalogue and generators: a bad one raises InputError that names it."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import Any

from rsjs.instances.errors import InputError


def one_of(argument: str, value: Any, known: Iterable[str]) -> str:
    """`value` if it is one of the known names."""
    names = list(known)
    if value not in names:
        raise InputError(f"/{argument}", value, f"one of {', '.join(names)}")
    return str(value)


def integer(argument: str, value: Any, least: int) -> int:
    """`value` as an int that is at least `least`."""
    try:
        number = int(index(value))
    except TypeError:
        raise InputError(f"/{argument}", value, f"an integer >= {least}") from None
    if number < least:
        raise InputError(f"/{argument}", value, f"an integer >= {least}")
    return number


def positive(argument: str, value: Any, most: float = 1e9) -> float:
    """`value` as a float in (0, most]."""
    if not isinstance(value, int | float) or not 0 < value <= most:
        raise InputError(f"/{argument}", value, f"a number > 0 and <= {most:g}")
    return float(value)
