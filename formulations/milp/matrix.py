"""A mixed-integer linear program as arrays: what every solver backend is handed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Kind(IntEnum):
    """What a column may be."""

    CONTINUOUS = 0
    INTEGER = 1
    IMPLIED_INTEGER = 2  # continuous, but some optimal solution has it integral


@dataclass(frozen=True, kw_only=True, eq=False)
class MatrixModel:
    """
    min cost.x + offset  subject to  row_lower <= A x <= row_upper, lower <= x <= upper.

    Attributes
    ----------
    A : (rows, columns) CSR, float64, int32 indices
    cost, lower, upper : (columns,) float64; +-inf where unbounded
    row_lower, row_upper : (rows,) float64; +-inf where one-sided
    kind : (columns,) uint8, values of `Kind`
    offset : float
    """

    A: csr_array
    cost: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    row_lower: NDArray[np.float64]
    row_upper: NDArray[np.float64]
    kind: NDArray[np.uint8]
    offset: float = 0.0

    def objective(self, x: NDArray[np.float64]) -> float:
        """Cost of a column vector."""
        return float(self.cost @ x) + self.offset

    @property
    def counts(self) -> dict[str, int]:
        """Rows, columns, nonzeros and integer columns."""
        rows, columns = self.A.shape
        return {
            "rows": int(rows),
            "columns": int(columns),
            "nonzeros": int(self.A.nnz),
            "integers": int(np.count_nonzero(self.kind == Kind.INTEGER)),
        }
