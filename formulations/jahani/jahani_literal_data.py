"""The data of Jahani's MILP: what `jahani_literal` is built from, and its column order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.costs import tables
from rsjs.instances.instance import Instance

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LiteralModel:
    """
    The model's data; column order is w, y, z, x, tau, tau^.

    Attributes
    ----------
    instance : Instance
    overdue_as_printed : bool
    """

    instance: Instance
    overdue_as_printed: bool = False

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """(n, v) with v allowed on n."""
        nodes, types = np.nonzero(self.instance.cluster.allowed)
        return list(zip(nodes.tolist(), types.tolist(), strict=True))

    @cached_property
    def options(self) -> tuple[Index, Index, Index, Index]:
        """(j, n, v, g) of every x, by job, then node, type and count."""
        cluster, table = self.instance.cluster, tables(self.instance)
        usable = np.isfinite(table.hours[:, cluster.gpu_of_type, :])
        g = np.arange(usable.shape[2])
        usable &= g <= cluster.gpus_of_type[:, None]
        j, n, v, g = np.nonzero(usable[:, None, :, :] & cluster.allowed[None, :, :, None])
        return j, n, v, g

    @cached_property
    def hours(self) -> Array:
        """t_jvg of every x [h]."""
        j, _, v, g = self.options
        hours: Array = tables(self.instance).hours[j, self.instance.cluster.gpu_of_type[v], g]
        return hours

    @cached_property
    def due(self) -> Array:
        """(J,) d_j, hours from now."""
        due: Array = self.instance.jobs.due - self.instance.now
        return due

    @cached_property
    def overdue(self) -> NDArray[np.bool_]:
        """(J,) jobs whose rows (7), (8) are corrected."""
        return (self.due < 0) & (not self.overdue_as_printed)

    @cached_property
    def costs(self) -> tuple[Array, Array, Array]:
        """Objective coefficients of y, x and tau."""
        instance, cluster = self.instance, self.instance.cluster
        _, _, v, g = self.options
        size = cluster.gpus_of_type
        mu = instance.objective.mu
        y = np.array([mu * size[u] for _, u in self.pairs], dtype=float)
        x = g / size[v] * cluster.cost_of_type[v, 1] * self.hours - mu * g
        return y, x, instance.jobs.weight

    @property
    def selected_nodes(self) -> float | None:
        """Right-hand side of (9); None if any number may be selected."""
        instance = self.instance
        if instance.objective.open_nodes == "free":
            return None
        return float(min(len(instance.jobs), instance.cluster.nodes))


@dataclass(frozen=True)
class Layout:
    """Where each block of columns starts: w, y, z, x, tau, tau^."""

    w: int
    y: int
    z: int
    x: int
    tau: int
    tau_hat: int
    end: int

    @staticmethod
    def of(data: LiteralModel) -> Layout:
        jobs = len(data.instance.jobs)
        sizes = [data.instance.cluster.nodes, len(data.pairs), jobs, len(data.hours), jobs, jobs]
        return Layout(*np.cumsum([0, *sizes]).tolist())
