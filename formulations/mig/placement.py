"""Placement of static workloads to optimality: the fewest GPUs, then the least waste on them."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from rsjs.formulations.backends.backend import RawResult
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.mig import mig_placement_bounds, mig_placement_patterns
from rsjs.formulations.mig.mig_placement_data import PlacementModel
from rsjs.instances.method import Limits
from rsjs.instances.mig.placement.problem import Placement, Workloads
from rsjs.instances.solution import Stop

ROUNDING = 1e-6


@dataclass(frozen=True, kw_only=True, eq=False)
class Placed:
    """
    What is known when the method ends.

    Attributes
    ----------
    stop : Stop
        OPTIMAL = both stages are proved.
    placement : Placement or None
    gpus_bound : int
        No placement uses fewer GPUs.
    waste_bound : int or None
        No placement on the fewest GPUs wastes fewer slices; None before stage 1 is proved.
    seconds : float
        Wall clock, imports of solvers apart.
    """

    stop: Stop
    placement: Placement | None
    gpus_bound: int
    waste_bound: int | None
    seconds: float


def solve(workloads: Workloads, limits: Limits, *, solver: str = "highs") -> Placed:
    """Solve both stages by a backend of arrays; the gap asked for is that of each stage."""
    backend(solver).load()
    clock = time.monotonic()
    data = PlacementModel.of(workloads)
    gpus_bound = mig_placement_bounds.best(data)

    def stage(model: PlacementModel) -> RawResult:
        return backend(solver).load()(
            mig_placement_patterns.arrays(model),
            limits,
            seconds=max(0.0, limits.time_limit - (time.monotonic() - clock)),
        )

    first = stage(data)
    placement, waste_bound, stop = None, None, first.stop
    if first.x is not None:
        placement = mig_placement_patterns.extract(data, first.x)
        gpus = int(placement.gpu.max()) + 1
        gpus_bound = max(gpus_bound, _rounded(first.bound))
        if gpus_bound == gpus:
            second = stage(replace(data, gpus=gpus))
            stop, waste_bound = second.stop, _rounded(second.bound)
            if second.x is not None:
                placement = mig_placement_patterns.extract(data, second.x)
    return Placed(
        stop=stop,
        placement=placement,
        gpus_bound=gpus_bound,
        waste_bound=waste_bound,
        seconds=time.monotonic() - clock,
    )


def _rounded(bound: float | None) -> int:
    """The least integer objective that a bound leaves."""
    return 0 if bound is None else int(np.ceil(bound - ROUNDING))
