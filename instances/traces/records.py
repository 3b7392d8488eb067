"""The common record of all traces: jobs as columns, a chunk at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.generators.random_streams import Floats
from rsjs.instances.traces.flaws import Bits, Kind

Texts = NDArray[np.bytes_]
ID_BYTES = 64  # longer names of jobs are cut


@dataclass(frozen=True, kw_only=True, eq=False)
class Rows:
    """
    Some consecutive jobs of a trace.

    Attributes
    ----------
    file : str
        Where they were read.
    line : (n,) int
        Their lines, from 1.
    id : (n,) bytes
    submit : (n,) float [s]
        NaN = not recorded. Numbers count from any zero; dates from 1970, in the clock's own zone.
    duration : (n,) float [s]
        Run time on the recorded GPUs; NaN = not recorded.
    gpus : (n,) float
        NaN = not recorded.
    share : (n,) float
        Of one GPU; 1 for jobs on whole GPUs.
    model, models : (n,) int, tuple of str
        Position of the recorded GPU type in `models`, -1 = not recorded. "A|B" = A or B.
    application, applications : (n,) int, tuple of str
        Likewise for what the job trains.
    flaw : (n,) uint32
        Bits of `kinds`.
    """

    file: str
    line: NDArray[np.int64]
    id: Texts
    submit: Floats
    duration: Floats
    gpus: Floats
    share: Floats
    model: NDArray[np.int64]
    models: tuple[str, ...] = ()
    application: NDArray[np.int64]
    applications: tuple[str, ...] = ()
    flaw: Bits

    def __len__(self) -> int:
        return len(self.line)

    def taken(self, rows: NDArray[Any]) -> Rows:
        """The jobs at these positions, or where the mask is true."""
        columns = {
            name: value[rows] if isinstance(value, np.ndarray) else value
            for name, value in vars(self).items()
        }
        return Rows(**columns)


def flawed(file: str, line: NDArray[np.int64], kind: Kind) -> Rows:
    """Lines that are no jobs, for one reason."""
    n = len(line)
    unknown = np.full(n, np.nan)
    none = np.full(n, -1, dtype=np.int64)
    return Rows(
        file=file,
        line=line,
        id=np.zeros(n, dtype=f"S{ID_BYTES}"),
        submit=unknown,
        duration=unknown,
        gpus=unknown,
        share=unknown,
        model=none,
        application=none,
        flaw=np.full(n, kind.bit, dtype=np.uint32),
    )
