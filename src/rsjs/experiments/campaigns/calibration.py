"""
A fixed piece of work, timed: what the machine was worth before and after a campaign.

    interpreter   a loop of Python integers
    memory        sums over an array larger than caches, ten times
    milp          HiGHS on a fixed instance to its optimum, one thread, in a worker process

Each part is repeated and the least time counts: whatever else runs only ever adds to it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.experiments import launcher
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.instances.generators import jahani

REPETITIONS = 3
STEPS = 2_000_000
ENTRIES = 8_000_000  # of 8 bytes
MILP = "jahani_patterns@highs"


def calibrate() -> dict[str, float | None]:
    """Seconds of each part; None for one that cannot be run here."""
    values = np.arange(ENTRIES, dtype=np.float64)
    return {
        "interpreter_s": _least(_interpreted),
        "memory_s": _least(lambda: [values.sum() for _ in range(10)]),
        "milp_s": _milp(),
    }


def _interpreted() -> int:
    total = 0
    for step in range(STEPS):
        total += step & 7
    return total


def _least(work: Callable[[], object]) -> float:
    times = []
    for _ in range(REPETITIONS):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def _milp() -> float | None:
    if not BACKENDS["highs"].available():
        return None
    instance = jahani.generate(nodes=40, jobs=400, seed=1)
    limits = Limits(time_limit=60.0, gap=0.0)
    found = [launcher.run(instance, MILP, limits) for _ in range(REPETITIONS)]
    times = [one.seconds["solve"] for one in found if one.stop in (Stop.OPTIMAL, Stop.GAP)]
    return min(times, default=None)
