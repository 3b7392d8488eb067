"""Jobs as arrays, one row each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rsjs.core.types import Floats, Ints, ReadOnly


@dataclass(frozen=True, kw_only=True, eq=False)
class Jobs(ReadOnly):
    """
    J training jobs. T, G and L: GPU types, GPUs of the largest node, share levels.

    Attributes
    ----------
    id, application, law : (J,) tuples of str
    release, due : (J,) float [h], absolute; a due date may be past
    weight : (J,) float [$/h], cost of one hour of tardiness
    memory_gb : (J,) float, GPU memory needed on each GPU; 0 = no limit
    epochs_max : (J,) int
    epochs_done : (J,) float in [0, epochs_max)
    hours_per_epoch : (J, T, G + 1) float
        By dedicated GPUs; inf = not allowed, always so at 0.
    inflation : (J, T, L) float >= 1
        Time on a share level over time on a whole GPU; inf = not allowed.
    meta : (J,) tuple of mappings, kept and not interpreted
    slowest_hours_per_epoch : (J,) float, optional
        Hours per epoch that postponement counts at least, as where the jobs are part of a larger
        instance in which they may run slower; 0 = those of their modes only.
    """

    id: tuple[str, ...]
    application: tuple[str, ...]
    release: Floats
    due: Floats
    weight: Floats
    memory_gb: Floats
    epochs_max: Ints
    epochs_done: Floats
    law: tuple[str, ...]
    hours_per_epoch: Floats
    inflation: Floats
    meta: tuple[Mapping[str, Any], ...]
    slowest_hours_per_epoch: Floats = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        if not self.slowest_hours_per_epoch.size:
            object.__setattr__(self, "slowest_hours_per_epoch", np.zeros(len(self.id)))
        for name in ARRAYS:
            getattr(self, name).setflags(write=False)

    def __len__(self) -> int:
        return len(self.id)

    def taken(self, rows: Ints, epochs_done: Floats | None = None) -> Jobs:
        """
        Return these jobs, in this order.

        Parameters
        ----------
        epochs_done : (len(rows),) float, optional
            Other ones than theirs.
        """
        listed = rows.tolist()
        kept: dict[str, Any] = {
            name: values[rows] if name in ARRAYS else tuple(map(values.__getitem__, listed))
            for name, values in vars(self).items()
        }
        if epochs_done is not None:
            kept["epochs_done"] = epochs_done
        return Jobs(**kept)

    @property
    def remaining(self) -> Floats:
        """(J,) epochs left in the worst case."""
        return self.epochs_max - self.epochs_done


ARRAYS = (
    "release",
    "due",
    "weight",
    "memory_gb",
    "epochs_max",
    "epochs_done",
    "hours_per_epoch",
    "inflation",
    "slowest_hours_per_epoch",
)
