"""A matrix as an MPS file, without names of its own: columns c0, c1, ... and rows r0, r1, ..."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from rsjs.formulations.milp.matrix import ColumnKind, MatrixModel

CONSTANT = "ONE_VAR_CONSTANT"  # a column fixed at 1, whose cost is the constant of the objective


def write_mps(model: MatrixModel, path: Path) -> None:
    """
    Write a model in free MPS format, numbers with the digits that give them back.

    But for the lower side of a row with two, which readers take from the upper one and their
    difference.
    """
    rows = model.A.shape[0]
    low, high = model.row_lower, model.row_upper
    one_sided = np.where(np.isfinite(high), "L", np.where(np.isfinite(low), "G", "N"))
    sense = np.where(low == high, "E", one_sided)
    side = np.where(sense == "G", low, high)
    ranged = (sense == "L") & np.isfinite(low)
    with path.open("w", encoding="ascii") as file:
        file.write("NAME rsjs\nROWS\n N cost\n")
        file.writelines(f" {one} r{i}\n" for i, one in enumerate(sense))
        file.write("COLUMNS\n")
        file.writelines(_columns(model))
        file.write(f" {CONSTANT} cost {model.offset!r}\nRHS\n")
        file.writelines(
            f" RHS r{i} {side[i]!s}\n" for i in range(rows) if sense[i] != "N" and side[i]
        )
        if ranged.any():
            file.write("RANGES\n")
            file.writelines(f" RNG r{i} {high[i] - low[i]!s}\n" for i in np.flatnonzero(ranged))
        file.write(f"BOUNDS\n FX BND {CONSTANT} 1\n")
        for i, (lower, upper) in enumerate(zip(model.lower, model.upper, strict=True)):
            file.write(_bounds(f"c{i}", float(lower), float(upper)))
        file.write("ENDATA\n")


def _columns(model: MatrixModel) -> Iterator[str]:
    """Return the lines of the columns, those of integers between markers."""
    by_column = model.A.tocsc()
    starts, places = by_column.indptr.tolist(), by_column.indices.tolist()
    data, cost = by_column.data.tolist(), model.cost.tolist()
    integer = (model.kind == ColumnKind.INTEGER).tolist()
    inside = False
    for i, whole in enumerate([*integer, False]):
        if whole != inside:
            yield f" M{i} 'MARKER' '{'INTORG' if whole else 'INTEND'}'\n"
            inside = whole
        if i < len(cost):
            yield f" c{i} cost {cost[i]!r}\n"
            for k in range(starts[i], starts[i + 1]):
                yield f" c{i} r{places[k]} {data[k]!r}\n"


def _bounds(name: str, lower: float, upper: float) -> str:
    """Return the lines of a column's bounds, which no reader's defaults decide."""
    if lower == upper:
        return f" FX BND {name} {lower!r}\n"
    if lower == -np.inf and upper == np.inf:
        return f" FR BND {name}\n"
    first = f" MI BND {name}\n" if lower == -np.inf else f" LO BND {name} {lower!r}\n"
    return first + (f" PL BND {name}\n" if upper == np.inf else f" UP BND {name} {upper!r}\n")
