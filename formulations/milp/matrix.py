"""A mixed-integer linear program as arrays, which every solver backend takes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rsjs.core.types import Floats

if TYPE_CHECKING:  # it takes long to import, and every command knows the solvers
    from scipy.sparse import csr_array


class ColumnKind(IntEnum):
    """Kind of a column."""

    CONTINUOUS = 0
    INTEGER = 1
    IMPLIED_INTEGER = 2  # continuous, but some optimal solution has it integral


@dataclass(frozen=True, kw_only=True, eq=False)
class MatrixModel:
    """min cost.x + offset  subject to  row_lower <= A x <= row_upper, lower <= x <= upper."""

    A: csr_array  #: (rows, columns) float64, int32 indices
    cost: Floats  #: (columns,)
    lower: Floats  #: (columns,) -inf where unbounded
    upper: Floats  #: (columns,) inf where unbounded
    row_lower: Floats  #: (rows,) -inf where one-sided
    row_upper: Floats  #: (rows,) inf where one-sided
    kind: NDArray[np.uint8]  #: (columns,) values of `ColumnKind`
    offset: float = 0.0

    def objective(self, x: Floats) -> float:
        """Return the cost of a column vector."""
        return float(self.cost @ x) + self.offset

    def violations(self, x: Floats, tolerance: float) -> list[tuple[str, int, float]]:
        """
        Return what a column vector violates most of rows, bounds and integers: which, where, how.

        Rows and bounds relative to the largest of their terms and 1.
        """
        activity, terms = self.A @ x, abs(self.A) @ abs(x)
        integer = self.kind == ColumnKind.INTEGER
        off = {
            "row": np.maximum(self.row_lower - activity, activity - self.row_upper)
            / np.maximum(1.0, terms),
            "column": np.maximum(self.lower - x, x - self.upper) / np.maximum(1.0, abs(x)),
            "integer": np.where(integer, abs(x - np.rint(x)), 0.0),
        }
        worst = [(name, int(by.argmax()), float(by.max())) for name, by in off.items() if len(by)]
        return [one for one in worst if not one[2] <= tolerance]

    @property
    def counts(self) -> dict[str, int]:
        """Rows, columns, nonzeros and integer columns."""
        rows, columns = self.A.shape
        return {
            "rows": int(rows),
            "columns": int(columns),
            "nonzeros": int(self.A.nnz),
            "integers": int(np.count_nonzero(self.kind == ColumnKind.INTEGER)),
        }
