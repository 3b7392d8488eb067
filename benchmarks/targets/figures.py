"""One measured figure beside what is wanted, and how single calls are timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median

Figure = tuple[str, float, str, str, str]  # what, measured, unit, target, floor


def seconds(call: Callable[[], object], repeats: int) -> float:
    """Median wall-clock seconds of a call, after one that does not count."""
    call()
    found = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        found.append(time.perf_counter() - begin)
    return median(found)


def lines(figures: Sequence[Figure]) -> list[str]:
    """A Markdown table."""
    return [
        "| what | measured | target | floor |",
        "|---|---|---|---|",
        *(
            f"| {what} | {measured:.3g} {unit} | {target} | {floor} |"
            for what, measured, unit, target, floor in figures
        ),
    ]
