"""
Step times fitted to measurements of one application on one GPU type.

With b samples on each of k GPUs a step takes (`StepTime`, in ms)

    T1(b)    = alpha + beta b                                                                 (1)
    T(k, b)  = T1(b) + [k > 1] (rho T1(b) (1 - 1/k) + c0 + c1 (k - 1) + 2 (k - 1)/k x),       (2)

x the time to send all parameters once. All coefficients are >= 0, rho <= 1, and the sum of squares
of the relative errors T(k, b) / measured - 1 is minimal. Given rho, (2) is linear in the others:
non-negative least squares inside a search over rho.

Measurements do not determine every coefficient. One that would make the columns of the linear
problem dependent is 0, tried in the order beta, alpha, x, c1, c0; rho and x differ only by
batches, so it is 0 unless there are measurements on one GPU and two batches on several GPUs.
`undetermined` names them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.instances.catalogue.gpus import StepTime
from rsjs.instances.profiles.measurements import Measurement

ORDER = ("beta", "alpha", "exchange", "c1", "c0")  # columns of the linear problem
LARGEST_RHO = 1.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Fit:
    """
    Step times and how they fit.

    Attributes
    ----------
    step_time : StepTime
    fitted : (n,) float [ms]
        T(k, b) of each measurement.
    errors : (n,) float
        Relative: fitted / measured - 1.
    undetermined : tuple of str
        Coefficients that the measurements leave open, set to 0.
    """

    step_time: StepTime
    fitted: Floats
    errors: Floats
    undetermined: tuple[str, ...]

    @property
    def rms(self) -> float:
        """Root of the mean square of the relative errors."""
        return float(np.sqrt(np.mean(self.errors**2)))


def fit(measured: Sequence[Measurement]) -> Fit:
    """Fit step times with min relative errors to measurements of one application and GPU type."""
    from scipy.optimize import minimize_scalar, nnls

    k = np.array([row.gpus for row in measured], dtype=np.float64)
    b = np.array([row.batch for row in measured], dtype=np.float64)
    ms = np.array([row.milliseconds for row in measured])
    used = _independent(_columns(k, b, 0.0) / ms[:, None])

    def coefficients(rho: float) -> tuple[Floats, float]:
        """Return the coefficients in `ORDER`, and the norm of the relative errors."""
        solution = np.zeros(len(ORDER))
        solution[used], norm = nnls((_columns(k, b, rho) / ms[:, None])[:, used], np.ones(len(ms)))
        return solution, float(norm)

    rho, open_rho = 0.0, k.min() > 1 or len({*b[k > 1].tolist()}) < 2
    if not open_rho:
        search = minimize_scalar(
            lambda rho: coefficients(rho)[1], bounds=(0.0, LARGEST_RHO), method="bounded"
        )
        rho = float(search.x) if search.fun < coefficients(0.0)[1] * (1 - 1e-9) else 0.0
    values = dict(zip(ORDER, coefficients(rho)[0].tolist(), strict=True))
    step_time = StepTime(**values, rho=rho, io_cap=float("inf"), status="measured")
    fitted = np.array([step_time.milliseconds(row.gpus, row.batch) for row in measured])
    left = tuple(name for i, name in enumerate(ORDER) if i not in used)
    return Fit(
        step_time=step_time,
        fitted=fitted,
        errors=fitted / ms - 1,
        undetermined=(*left, "rho") if open_rho else left,
    )


def _columns(k: Floats, b: Floats, rho: float) -> Floats:
    """Return (n, 5) the derivatives of T(k, b) by each coefficient of `ORDER`."""
    several = k > 1
    alone = 1 + np.where(several, rho * (1 - 1 / k), 0.0)
    return np.column_stack([alone * b, alone, 2 * (1 - 1 / k), k - 1, several.astype(float)])


def _independent(columns: Floats) -> Ints:
    """Return the columns that do not depend on those before."""
    scaled = columns / np.where(columns.any(axis=0), np.linalg.norm(columns, axis=0), 1.0)
    used: list[int] = []
    for i in range(columns.shape[1]):
        if np.linalg.matrix_rank(scaled[:, [*used, i]], tol=1e-9) > len(used):
            used.append(i)
    return np.array(used, dtype=np.int64)
