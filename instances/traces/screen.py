"""What is wrong with rows as seen from their cluster and from other rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.traces.flaws import DUPLICATE, GPU_MODEL, NO_GPU, TOO_LARGE, UNSORTED
from rsjs.instances.traces.gpu_models import UNRECORDED, gpus_of, nodes_for
from rsjs.instances.traces.records import Rows
from rsjs.instances.traces.trace_format import NodeGroup

LARGEST = 8  # GPUs of the largest node where no nodes are known


@dataclass(kw_only=True)
class Screen:
    """
    Adds the kinds that need more than a row; takes the chunks in the order of the file.

    Attributes
    ----------
    nodes : sequence of NodeGroup
        Of the cluster; without any, nodes of every type have `LARGEST` GPUs.
    known : mapping of str to str
        See `gpu_models.stand_ins`.
    binding : bool
        Whether a job runs on its recorded GPU type only.
    duplicates : (d,) int
        Lines of jobs that an earlier line has, in order.
    """

    nodes: Sequence[NodeGroup]
    known: Mapping[str, str]
    binding: bool
    duplicates: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    _last: float = field(default=-np.inf, init=False)

    def __call__(self, rows: Rows) -> Rows:
        """The same rows with more flaws."""
        flaw = rows.flaw.copy()
        timed = np.flatnonzero(np.isfinite(rows.submit))
        before = np.append(self._last, rows.submit[timed])
        flaw[timed[before[1:] < before[:-1]]] |= UNSORTED.bit
        self._last = float(before[-1])
        if len(self.duplicates) and len(rows):
            near = np.searchsorted(self.duplicates, [rows.line.min(), rows.line.max() + 1])
            again = np.isin(rows.line, self.duplicates[slice(*near.tolist())])
            flaw[(rows.id != b"") & again] |= DUPLICATE.bit
        most = np.array([*map(self._most, rows.models), self._most("")])[rows.model]
        on_gpu = (flaw & NO_GPU.bit) == 0
        flaw[on_gpu & (most == 0)] |= GPU_MODEL.bit
        flaw[on_gpu & (most > 0) & (rows.gpus > most)] |= TOO_LARGE.bit
        return replace(rows, flaw=flaw)

    def _most(self, model: str) -> int:
        """Return the GPUs of the largest node on which a job of a type may run; 0 without any."""
        if not gpus_of(model, self.known):
            return 0
        if not nodes_for(UNRECORDED, self.nodes, self.known, binding=self.binding):
            return LARGEST
        found = nodes_for(model, self.nodes, self.known, binding=self.binding)
        return max((group.gpus for group in found), default=0)
