"""How many runs a machine may carry out side by side without their getting in each other's way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rsjs.core.errors import InputError
from rsjs.experiments.campaigns.runs import Run

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
