"""Patterns: the multisets of job sizes that fill a node."""

from __future__ import annotations

from functools import cache


@cache
def partitions(size: int, largest: int | None = None) -> tuple[tuple[int, ...], ...]:
    """All partitions of `size` into parts of at most `largest`, parts decreasing."""
    if size == 0:
        return ((),)
    top = size if largest is None else min(size, largest)
    return tuple(
        (part, *rest) for part in range(top, 0, -1) for rest in partitions(size - part, part)
    )
