"""The linear relaxation of a model, integers made continuous: its optimum is a bound."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rsjs.formulations.backends import highs
from rsjs.formulations.backends.backend import Backend, Feature, RawResult
from rsjs.formulations.backends.highs import HIGHS
from rsjs.formulations.milp.matrix import Kind, MatrixModel
from rsjs.instances.method import Limits
from rsjs.instances.solution import Stop

RELAXATION = Backend(
    name="relaxation",
    module=HIGHS.module,
    distribution=HIGHS.distribution,
    versions=HIGHS.versions,
    features=frozenset({Feature.CONTINUOUS}),
    status=HIGHS.status,
    options=HIGHS.options,
    run="rsjs.formulations.backends.relaxation:solve",
)


def solve(
    model: MatrixModel,
    limits: Limits,
    *,
    seconds: float,
    start: NDArray[np.float64] | None,
    on_incumbent: Callable[[NDArray[np.float64]], None],
    on_bound: Callable[[float], None],
    stop: Callable[[], bool],
    log: bool,
) -> RawResult:
    """
    Solve the relaxation with HiGHS; see `Solve`.

    There is a bound once the relaxation is solved, and never a vector: `stop` is then ITERATIONS.
    A relaxation without a solution proves that the model has none.
    """
    ended = highs.solve(
        replace(model, kind=np.full_like(model.kind, Kind.CONTINUOUS)),
        limits,
        seconds=seconds,
        start=None,
        on_incumbent=lambda _x: None,
        on_bound=on_bound,
        stop=stop,
        log=log,
    )
    solved = ended.stop in (Stop.OPTIMAL, Stop.GAP)
    why = Stop.ITERATIONS if solved else ended.stop
    return replace(ended, stop=why, x=None, objective=None)
