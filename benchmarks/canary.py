"""
A kernel that does everything twice must be noticed: `python -m benchmarks.canary`.

asv has no test of its own sensitivity. The same benchmark as asv runs it is measured three times
side by side: as it is, as it is once more, and with the kernel slowed down. By the rule of `asv
compare` the third must be slower than the first and the second must not. Turns are taken, so that
a busy machine is busy for all three.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from asv._stats import is_different
from asv_runner.discovery import get_benchmark_from_name
from asv_runner.statistics import compute_stats

from benchmarks.work.kernels import WORK

SUITES = Path(__file__).with_name("suites")
BENCHMARK, KERNEL = "work.Kernels.time_run", "descent"
ROUNDS, FACTOR = 4, 1.1  # the factor is that of `asv compare`
PLAIN, AGAIN, SLOWED = "plain", "again", "slowed"


@contextmanager
def everything_twice() -> Iterator[None]:
    """Descent's kernel looks at all neighbours twice: once for nothing, once for the result."""
    from rsjs.heuristics.local_search import kernels_search

    usual = kernels_search.descend

    def twice(tables: Any, state: Any, *others: Any) -> bool:
        usual(tables, copy.deepcopy(state), *others)
        return usual(tables, state, *others)

    kernels_search.descend = twice
    try:
        yield
    finally:
        kernels_search.descend = usual


def measured() -> dict[str, list[float]]:
    """Return the seconds of all runs by variant."""
    benchmark = get_benchmark_from_name(str(SUITES), f"{BENCHMARK}-{list(WORK).index(KERNEL)}")
    benchmark.repeat = 5
    variants: dict[str, Callable[[], Any]] = {
        PLAIN: nullcontext,
        AGAIN: nullcontext,
        SLOWED: everything_twice,
    }
    seconds: dict[str, list[float]] = {variant: [] for variant in variants}
    for _ in range(ROUNDS):
        for name, variant in variants.items():
            with variant():
                benchmark.do_setup()
                seconds[name] += benchmark.do_run()["samples"]
    return seconds


def is_slower(before: Sequence[float], after: Sequence[float]) -> bool:
    """Return whether seconds have grown as `asv compare` has it: by 10 % and significantly."""
    (first, stats), (second, others) = (compute_stats(samples, 1) for samples in (before, after))
    return second > FACTOR * first and bool(is_different(before, after, stats, others))


def main() -> None:
    """Measure, compare, and end with an error if a change is missed or imagined."""
    seconds = measured()
    if is_slower(seconds[PLAIN], seconds[AGAIN]):
        sys.exit("canary: a kernel was flagged against itself; the machine is too busy")
    if not is_slower(seconds[PLAIN], seconds[SLOWED]):
        sys.exit("canary: a kernel that does everything twice was not noticed")
    print("\ncanary: a kernel that does everything twice is noticed, the same kernel is not")


if __name__ == "__main__":
    main()
