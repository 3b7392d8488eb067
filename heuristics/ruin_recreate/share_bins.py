"""How many GPUs sets of shares fill, as a table over the number of shares of each level."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.cluster import Cluster, GpuType

Index = NDArray[np.int64]
MOST_FILLINGS = 4_000_000  # entries of a table


def by_units(gpu: GpuType) -> list[int]:
    """Share levels of a GPU type, the smallest first."""
    return sorted(range(len(gpu.levels)), key=lambda a: gpu.levels[a].units)


def table_of_bins(cluster: Cluster, i: int, jobs: int) -> tuple[Index, list[int]] | None:
    """
    GPUs that shares fill, and the step of each level in that table, levels by units.

    Counts n fit on b GPUs iff n less some maximal filling of one GPU fits on b - 1.
    """
    gpu, most = cluster.gpu_types[i], int(cluster.largest_of_gpu[i])
    units = [gpu.levels[level].units for level in by_units(gpu)]
    if not units or not most:
        return None
    counts = [min(jobs, most * gpu.units // u) + 2 for u in units]
    if np.prod(counts, dtype=float) > MOST_FILLINGS:
        found = f"{np.prod(counts, dtype=float):.0f} sets of shares of {gpu.name} on one node"
        raise ValueError(f"{found}; ruin_recreate serves up to {MOST_FILLINGS}")
    ranges = [range(gpu.units // u + 1) for u in units]
    fillings = np.array(list(product(*ranges)))
    taken = fillings @ units
    maximal = fillings[(taken <= gpu.units) & (taken > gpu.units - min(units))].tolist()
    fits = np.zeros(counts, dtype=bool)
    fits[(0,) * len(units)] = True
    least = np.where(fits, 0, most + 1)
    for b in range(1, most + 1):
        after = [
            fits[np.ix_(*(np.maximum(np.arange(c) - n, 0) for c, n in zip(counts, f, strict=True)))]
            for f in maximal
        ]
        fits = np.logical_or.reduce(after)
        least[fits & (least > b)] = b
    steps = [int(np.prod(counts[level + 1 :], dtype=np.int64)) for level in range(len(units))]
    return least.ravel(), steps
