"""Patterns, groups of workloads and columns of the placement model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.mig.geometry import Geometry, geometry, slices
from rsjs.instances.mig.placement.problem import Workloads

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PlacementModel:
    """
    The model's data; column order is the patterns (x), then the choices (y).

    Attributes
    ----------
    workloads : Workloads
    geometry : Geometry
    best : (patterns,) int
        For each multiset of profiles that fits a GPU, the set of placements that strands least.
    group : (W,) int
        Workloads with the same admissible profiles are of one group.
    gpus : int or None
        None = stage 1, the fewest GPUs; else stage 2, the least waste on so many.
    """

    workloads: Workloads
    geometry: Geometry
    best: Integers
    group: Integers
    gpus: int | None = None

    @staticmethod
    def of(workloads: Workloads) -> PlacementModel:
        """The model of stage 1."""
        found = geometry(workloads.gpu)
        wasted = found.stranded.sum(axis=1)
        order = np.lexsort((np.arange(len(wasted)), wasted))
        _, first = np.unique(found.counts[order], axis=0, return_index=True)
        best = np.sort(order[first])[1:]  # without the empty set
        asked = np.isin(np.arange(len(workloads.gpu.profiles)), _asked(workloads))
        best = best[~found.counts[best][:, ~asked].any(axis=1)]
        group = np.unique(workloads.admissible, axis=0, return_inverse=True)[1].ravel()
        return PlacementModel(workloads, found, best, group)

    @cached_property
    def counts(self) -> Integers:
        """(patterns, P) k_pi,p, instances of each profile."""
        return np.asarray(self.geometry.counts[self.best])

    @cached_property
    def waste(self) -> Integers:
        """(patterns,) stranded slices."""
        return np.asarray(self.geometry.stranded[self.best].sum(axis=1))

    @cached_property
    def members(self) -> Integers:
        """(groups,) n_g, workloads of each group."""
        return np.asarray(np.bincount(self.group))

    @cached_property
    def choices(self) -> Integers:
        """(choices, 2) group and profile."""
        first = np.unique(self.group, return_index=True)[1]
        return np.argwhere(self.workloads.admissible[first])

    @cached_property
    def over_allocated(self) -> Integers:
        """(choices,) slices beyond the need of a workload."""
        first = np.unique(self.group, return_index=True)[1]
        group, profile = self.choices.T
        size = slices(self.workloads.gpu)
        return np.asarray((size[profile] - self.workloads.needs[first[group]]).sum(axis=1))

    @property
    def cost(self) -> NDArray[np.float64]:
        """(columns,) GPUs in stage 1, wasted slices in stage 2."""
        if self.gpus is None:
            return np.append(np.ones(len(self.best)), np.zeros(len(self.choices)))
        return np.append(self.waste, self.over_allocated).astype(np.float64)

    @property
    def upper(self) -> NDArray[np.float64]:
        """(columns,) no GPU is needed more than once per workload."""
        most = np.full(len(self.best), len(self.workloads))
        return np.append(most, self.members[self.choices[:, 0]]).astype(np.float64)


def _asked(workloads: Workloads) -> Integers:
    """Profiles that some workload admits."""
    return np.flatnonzero(workloads.admissible.any(axis=0))
