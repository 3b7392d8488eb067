"""
Measured step times of applications: the CSV file, and the step times fitted to it.

A file has a row per measurement; rows may repeat a measurement:

    application,gpu,gpus,batch,seconds
    BERT-base,T4,1,8,0.182
    BERT-base,T4,2,8,0.201

`seconds` is the time of one training step, in which each of `gpus` GPUs takes `batch` samples.

The fit is for one application on one GPU type. With b samples on each of k GPUs a step takes (in
ms, see `StepTime`)

    T1(b)    = alpha + beta b                                                                 (1)
    T(k, b)  = T1(b) + [k > 1] (rho T1(b) (1 - 1/k) + c0 + c1 (k - 1) + 2 (k - 1)/k x),       (2)

x the time to send all parameters once. All coefficients are >= 0, rho <= 1, and the sum of squares
of the relative errors T(k, b) / measured - 1 is minimal. Given rho, (2) is linear in the others:
non-negative least squares inside a search over rho.

Measurements do not determine every coefficient. One that would make the columns of the linear
problem dependent is 0, tried in the order beta, alpha, x, c1, c0; only the batch tells rho from x,
so rho is 0 unless there are measurements on one GPU and two batches on several GPUs. `undetermined`
names these coefficients.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.instances.catalogue.gpus import StepTime
from rsjs.instances.io.csv_tables import Row, read_rows

COLUMNS = ("application", "gpu", "gpus", "batch", "seconds")
MOST_GPUS, MOST_SAMPLES = 1024, 10**9
SHORTEST, LONGEST = 1e-9, 1e9  # s
ORDER = ("beta", "alpha", "exchange", "c1", "c0")  # columns of the linear problem
LARGEST_RHO = 1.0


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """A measurement: one row of the file."""

    line: int  #: in the file, the header being 1
    application: str
    gpu: str
    #: GPUs, and samples on each of them
    gpus: int
    batch: int
    milliseconds: float  #: of a step


@dataclass(frozen=True, kw_only=True, eq=False)
class Fit:
    """Fitted step times and their errors."""

    step_time: StepTime
    fitted: Floats  #: (n,) [ms], T(k, b) of each measurement
    errors: Floats  #: (n,) relative, fitted / measured - 1
    undetermined: tuple[str, ...]  #: coefficients that the measurements leave open, set to 0

    @property
    def rms(self) -> float:
        """Root of the mean square of the relative errors."""
        return float(np.sqrt(np.mean(self.errors**2)))


def read_measurements(path: str | Path) -> list[Measurement]:
    """
    Read a profile.

    Raises
    ------
    InputError
        Naming the file, the line and column ("/<line>/<column>"), the value found and what was
        expected.
    """
    return [_measurement(row) for row in read_rows(Path(path), COLUMNS, named=True)]


def _measurement(row: Row) -> Measurement:
    name, seconds = row.name("application").strip(), row.positive("seconds")
    if not name.isprintable():
        raise row.error("application", name, "a name that can be printed")
    if not SHORTEST <= seconds <= LONGEST:
        raise row.error("seconds", row.entries["seconds"], f"{SHORTEST:g} to {LONGEST:g}")
    return Measurement(
        line=row.line,
        application=name,
        gpu=row.name("gpu").strip(),
        gpus=row.integer("gpus", 1, MOST_GPUS),
        batch=row.integer("batch", 1, MOST_SAMPLES),
        milliseconds=1000 * seconds,
    )


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
