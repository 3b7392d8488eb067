"""
A kernel that does everything twice must be noticed: `python -m benchmarks.canary`.

The same benchmark as asv runs it is measured three times side by side: as it is, as it is once
more, and with the kernel slowed down. The third must be told as slower than the first, the second
must not. Turns are taken, so that a busy machine is busy for all three.
"""

from __future__ import annotations

import copy
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from asv_runner.discovery import get_benchmark_from_name

from benchmarks.asv_results import has_become_slower, store
from benchmarks.kernel_cases import KERNELS

FOLDER = Path(__file__).parent
BENCHMARK, KERNEL = "bench_kernels.Kernel.time_run", "descent"
ROUNDS = 4
PLAIN, AGAIN, SLOWED = COMMITS = ("a" * 40, "b" * 40, "c" * 40)


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
    """Seconds of all runs by commit."""
    benchmark = get_benchmark_from_name(str(FOLDER), f"{BENCHMARK}-{list(KERNELS).index(KERNEL)}")
    benchmark.repeat = 5
    variants: dict[str, Callable[[], Any]] = {
        PLAIN: nullcontext,
        AGAIN: nullcontext,
        SLOWED: everything_twice,
    }
    seconds: dict[str, list[float]] = {commit: [] for commit in COMMITS}
    for _ in range(ROUNDS):
        for commit, variant in variants.items():
            with variant():
                benchmark.do_setup()
                seconds[commit] += benchmark.do_run()["samples"]
    return seconds


def main() -> None:
    """Measure, compare, and end with an error if a change is missed or imagined."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for commit, seconds in measured().items():
            store(folder, commit, {f"{BENCHMARK}({KERNEL})": seconds})
        if has_become_slower(folder, PLAIN, AGAIN):
            sys.exit("canary: a kernel was flagged against itself; the machine is too busy")
        if not has_become_slower(folder, PLAIN, SLOWED):
            sys.exit("canary: a kernel that does everything twice was not noticed")
    print("\ncanary: a kernel that does everything twice is noticed, the same kernel is not")


if __name__ == "__main__":
    main()
