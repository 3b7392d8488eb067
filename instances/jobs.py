"""Jobs as arrays, one row each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from rsjs.core.types import Floats, Ints, ReadOnly
from rsjs.instances.epoch_distribution import EpochDistribution


@dataclass(frozen=True, kw_only=True, eq=False)
class Jobs(ReadOnly):
    """J training jobs. T, G and L: GPU types, GPUs of the largest node, share levels."""

    id: tuple[str, ...]  #: (J,)
    application: tuple[str, ...]  #: (J,)
    release: Floats  #: (J,) [h], absolute; a due date may be past
    due: Floats  #: (J,) [h], absolute; a due date may be past
    weight: Floats  #: (J,) [$/h], cost of one hour of tardiness
    memory_gb: Floats  #: (J,), GPU memory needed on each GPU; 0 = no limit
    epochs_max: Ints  #: (J,)
    epochs_done: Floats  #: (J,) in [0, epochs_max)
    law: tuple[str, ...]  #: (J,)
    hours_per_epoch: Floats  #: (J, T, G + 1), by dedicated GPUs; inf = not allowed, always so at 0
    #: (J, T, L) >= 1, time on a share level over time on a whole GPU; inf = not allowed
    inflation: Floats
    meta: tuple[Mapping[str, Any], ...]  #: (J,) kept and not interpreted
    #: (J,) hours per epoch that postponement counts at least, as where the jobs are part of a
    #: larger instance in which they may run slower; 0 = those of their modes only
    slowest_hours_per_epoch: Floats = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        if not self.slowest_hours_per_epoch.size:
            object.__setattr__(self, "slowest_hours_per_epoch", np.zeros(len(self.id)))
        for name in ARRAYS:
            getattr(self, name).setflags(write=False)

    def __len__(self) -> int:
        return len(self.id)

    def __repr__(self) -> str:
        ids = [*self.id[:2], "...", self.id[-1]] if len(self) > 3 else self.id
        return f"Jobs({len(self)}: {', '.join(ids)})"

    def taken(self, rows: Ints, epochs_done: Floats | None = None) -> Jobs:
        """
        Return these jobs, in this order.

        Parameters
        ----------
        epochs_done : (len(rows),) float, optional
            Other ones than theirs.
        """
        listed, own = rows.tolist(), vars(self)
        chosen: dict[str, Any] = {name: own[name].take(rows, axis=0) for name in ARRAYS}
        for name in TUPLES:
            chosen[name] = tuple(map(own[name].__getitem__, listed))
        if epochs_done is not None:
            chosen["epochs_done"] = epochs_done
        return Jobs(**chosen)

    @property
    def remaining(self) -> Floats:
        """(J,) epochs left in the worst case."""
        return self.epochs_max - self.epochs_done


TUPLES = ("id", "application", "law", "meta")
ARRAYS = tuple(each.name for each in fields(Jobs) if each.type in ("Floats", "Ints"))


def drawn_epochs(jobs: Jobs, laws: Mapping[str, EpochDistribution], u: Floats) -> Ints:
    """Return (J,) W_j, drawn from the distribution of each job by numbers u (J,) in [0, 1)."""
    drawn, names = jobs.epochs_max.copy(), np.array(jobs.law)
    for name, distribution in laws.items():
        rows = np.flatnonzero(names == name)
        drawn[rows] = distribution.quantile(u[rows])
    return drawn
