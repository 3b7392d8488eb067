"""The builder of a `MatrixModel` from blocks of rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rsjs.core.types import Floats, Ints
from rsjs.formulations.milp.matrix import MatrixModel


class RowBuilder:
    """Blocks of rows, each given by its entries (row within the block, column, value)."""

    def __init__(self) -> None:
        self.count = 0
        self.entries: list[tuple[Ints, Ints, Floats]] = []
        self.lower: list[Floats] = []
        self.upper: list[Floats] = []

    def add(
        self,
        count: int,
        lower: float | Floats,
        upper: float | Floats,
        *entries: tuple[Ints, Ints, float | Floats],
    ) -> None:
        """Append `count` rows with these bounds and entries; scalars hold for all."""
        for row, column, value in entries:
            full = np.broadcast_to(np.asarray(value, dtype=float), row.shape)
            self.entries.append((row + self.count, column, full))
        self.lower.append(np.broadcast_to(np.asarray(lower, dtype=float), (count,)))
        self.upper.append(np.broadcast_to(np.asarray(upper, dtype=float), (count,)))
        self.count += count

    def model(
        self, *, cost: Floats, upper: Floats, kind: NDArray[np.uint8], offset: float = 0.0
    ) -> MatrixModel:
        """Build the matrix with these columns; lower bounds are 0."""
        row, column, value = (np.concatenate(part) for part in zip(*self.entries, strict=True))
        place = (row.astype(np.int32), column.astype(np.int32))
        return MatrixModel(
            A=csr_array((value, place), shape=(self.count, len(cost))),
            cost=cost,
            lower=np.zeros(len(cost)),
            upper=upper,
            row_lower=np.concatenate(self.lower),
            row_upper=np.concatenate(self.upper),
            kind=kind,
            offset=offset,
        )
