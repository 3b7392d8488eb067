"""
A matrix model on integers, for solvers that know nothing else.

Columns are shifted to y = x - lower >= 0. Rows keep integer coefficients as they are and are
otherwise multiplied by a power of ten. Costs become floor(scale * c): as y >= 0, the integer
objective never exceeds scale times the true one, so an integer bound B gives the true lower bound
B / scale + offset. (Rounded costs would not.) What floors lose is at most sum(y) / scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.formulations.milp.matrix import ColumnKind, MatrixModel

COEFFICIENT_LIMIT = 2.0**40
ACTIVITY_LIMIT = 2.0**60  # of a row, so that 64-bit sums do not overflow
OBJECTIVE_LIMIT = 2.0**52  # of the objective, so that a double holds its bound exactly
DECIMALS = 12
TOLERANCE = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class IntegerModel:
    """min cost.y  subject to  row_lower <= A y <= row_upper, 0 <= y <= span; all int64."""

    # first, index, coefficient: CSR arrays of A
    first: Ints
    index: Ints
    coefficient: Ints
    row_lower: Ints
    row_upper: Ints
    span: Ints
    cost: Ints
    shift: Ints  # (columns,) x = y + shift
    # scale, offset: true objective = integer objective / scale + offset, up to the floors
    scale: float
    offset: float

    @property
    def empty(self) -> bool:
        """Whether some column or row has no integer between its bounds."""
        return bool((self.span < 0).any() or (self.row_lower > self.row_upper).any())

    @property
    def box_bound(self) -> int:
        """Minimum objective within the column bounds alone."""
        return int(np.minimum(self.cost, 0) @ self.span)

    def true_vector(self, y: Sequence[int]) -> Floats:
        """Return the model's columns from those of the integer model."""
        return (self.shift + np.array(y, dtype=np.int64)).astype(np.float64)

    def true_bound(self, bound: float) -> float:
        """Return a lower bound in the model's units from one on the integer objective."""
        return bound / self.scale + self.offset


def integer_model(model: MatrixModel, solver: str) -> IntegerModel:
    """Return the model on integers; ValueError tells in one line what keeps it from being one."""
    shift, span = _columns(model, solver)
    power = _row_powers(model, solver)
    entry_power = np.repeat(power, np.diff(model.A.indptr))
    coefficient = np.rint(model.A.data * entry_power).astype(np.int64)
    rows, reach = len(power), np.abs(shift) + np.maximum(span, 0)
    row_of_entry = np.repeat(np.arange(rows), np.diff(model.A.indptr))
    terms = np.abs(coefficient) * reach[model.A.indices].astype(np.float64)
    activity = np.bincount(row_of_entry, weights=terms, minlength=rows)
    if (bad := np.flatnonzero(activity > ACTIVITY_LIMIT)).size:
        raise ValueError(f"{solver} takes rows up to 2**60 only; row {bad[0]} can exceed that")
    moved = np.zeros(rows, np.int64)
    np.add.at(moved, row_of_entry, coefficient * shift[model.A.indices])
    free = np.where(span > 0, model.cost, 0.0)  # a fixed column's cost is in the offset
    scale = _cost_scale(free, span)
    cost = np.rint(free * scale)
    cost = np.where(cost / scale == free, cost, np.floor(free * scale))
    return IntegerModel(
        first=model.A.indptr.astype(np.int64),
        index=model.A.indices.astype(np.int64),
        coefficient=coefficient,
        row_lower=_inward(model.row_lower * power, np.ceil, -1) - moved,
        row_upper=_inward(model.row_upper * power, np.floor, 1) - moved,
        span=span,
        cost=cost.astype(np.int64),
        shift=shift,
        scale=scale,
        offset=model.offset + float(model.cost @ shift),
    )


def _columns(model: MatrixModel, solver: str) -> tuple[Ints, Ints]:
    if (bad := np.flatnonzero(model.kind == ColumnKind.CONTINUOUS)).size:
        raise ValueError(f"{solver} takes integer columns only; column {bad[0]} is continuous")
    wide = np.maximum(np.abs(model.lower), np.abs(model.upper)) >= COEFFICIENT_LIMIT
    if (bad := np.flatnonzero(wide)).size:
        bounds = f"[{model.lower[bad[0]]:g}, {model.upper[bad[0]]:g}]"
        raise ValueError(f"{solver} takes bounded columns only; column {bad[0]} is in {bounds}")
    shift = _inward(model.lower, np.ceil, -1)
    return shift, _inward(model.upper, np.floor, 1) - shift


def _row_powers(model: MatrixModel, solver: str) -> Floats:
    """Return the least power of ten per row that makes its coefficients integer."""
    rows = np.repeat(np.arange(model.A.shape[0]), np.diff(model.A.indptr))
    power = np.ones(model.A.shape[0])
    for _ in range(DECIMALS + 1):
        scaled = model.A.data * power[rows]
        off = np.abs(scaled - np.rint(scaled)) > TOLERANCE + 1e-15 * np.abs(scaled)
        large = np.abs(scaled) >= COEFFICIENT_LIMIT
        if (bad := np.flatnonzero(large)).size or not off.any():
            break
        power[np.unique(rows[off])] *= 10.0
    else:
        bad = np.flatnonzero(off)
    if bad.size:
        value = model.A.data[bad[0]]
        raise ValueError(f"{solver} takes integer rows only; row {rows[bad[0]]} has {value:g}")
    return power


def _cost_scale(cost: Floats, span: Ints) -> float:
    """
    Return the power of ten for the costs: the least that is exact, else the largest that is safe.

    Safe is what keeps the sum of |cost| * span below 2**52 and each cost below 2**40, with at most
    12 decimals. Scales from 1e3 to 1e9 took CP-SAT the same time on pattern models, so the largest
    costs nothing.
    """
    size = np.abs(cost)
    total, largest = float(size @ np.maximum(span, 0)), float(size.max(initial=0.0))
    if total == 0.0:
        return 1.0
    most = min(10.0**DECIMALS, OBJECTIVE_LIMIT / total, COEFFICIENT_LIMIT / largest)
    safe = int(np.floor(np.log10(most)))
    for exponent in range(safe):
        scale = 10.0**exponent
        if np.array_equal(np.rint(cost * scale) / scale, cost):
            return scale
    return float(10.0**safe)


def _inward(bound: Floats, rounding: np.ufunc, outward: int) -> Ints:
    """Round bounds to the integers between them, forgiving floating-point dust."""
    dust = outward * (TOLERANCE + 1e-15 * np.abs(np.where(np.isfinite(bound), bound, 0.0)))
    whole: Ints = np.clip(rounding(bound + dust), -2 * ACTIVITY_LIMIT, 2 * ACTIVITY_LIMIT).astype(
        np.int64
    )
    return whole
