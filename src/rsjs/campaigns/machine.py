"""
A fixed piece of work, timed: what the machine was worth before and after a campaign.

    interpreter   a loop of Python integers
    memory        sums over an array larger than caches, ten times
    milp          HiGHS on a fixed instance to its optimum, one thread, in a worker process

Each part is repeated and the least time counts: whatever else runs only ever adds to it.

How many runs a machine may carry out side by side without their getting in each other's way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from rsjs.campaigns.run import Run
from rsjs.core.call import Limits
from rsjs.core.errors import InputError
from rsjs.core.report import Stop
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.instances.generators import jahani
from rsjs.methods import parse
from rsjs.runs import verified_run

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
    request = parse(MILP)
    found = [verified_run.run(instance, request, limits).result for _ in range(REPETITIONS)]
    times = [one.seconds["solve"] for one in found if one.stop in (Stop.OPTIMAL, Stop.GAP)]
    return min(times, default=None)


RESERVE_MB = 512.0  # of memory, for all that is not a run


@dataclass(frozen=True, kw_only=True)
class Need:
    """
    What runs take at most.

    Attributes
    ----------
    exclusive : bool
        Each is alone on its machine.
    threads : int
    memory_mb : float
    """

    exclusive: bool
    threads: int
    memory_mb: float

    @staticmethod
    def of(runs: Iterable[Run]) -> Need:
        """The need of any of these."""
        several = [*runs]
        return Need(
            exclusive=any(run.timing == "exclusive" for run in several),
            threads=max(run.limits.threads for run in several),
            memory_mb=max(run.limits.memory_limit_mb or 0.0 for run in several),
        )

    def refuse_beside(self, place: str, slots: int) -> None:
        """Raise InputError if a run is to be alone on its machine and there would be several."""
        if self.exclusive and slots > 1:
            raise InputError(place, slots, "1, as the campaign's timing is exclusive")

    def refuse(self, place: str, slots: int, *, cores: int, memory_mb: float) -> None:
        """Raise InputError if so many runs do not fit into a machine; `place` set the number."""
        self.refuse_beside(place, slots)
        if slots * self.threads > cores:
            fitting = f"at most {cores // self.threads}: {self.threads} threads each on"
            told = f"{fitting} {cores} cores" if cores >= self.threads else f"{self.threads} cores"
            raise InputError(place, slots, told)
        memory = memory_mb - RESERVE_MB
        if slots * self.memory_mb > memory:
            raise InputError(
                place, slots, f"{self.memory_mb:g} MB for each of them in {memory:.0f} MB"
            )
