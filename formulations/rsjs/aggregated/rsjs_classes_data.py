"""The data of the class-aggregated RS-JS model, and the column order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rsjs.formulations.modes.rsjs_served import nodes_with_a_job, serve
from rsjs.formulations.rsjs.aggregated.capacity_rows import RoomRows, split_rows, superadditive_rows
from rsjs.formulations.rsjs.aggregated.columns import Array, Index, JobShapes, Roles, roles_of
from rsjs.instances.instance import Instance

PACKINGS = {"rows": superadditive_rows, "splits": split_rows}


@dataclass(frozen=True, eq=False)
class ClassModel:
    """
    The model's data. Column order: the roles of jobs kept, then the splits.

    Attributes
    ----------
    shapes : JobShapes
    costs : (L, J) float
        Of every role of every job [$]; inf where there is none.
    rooms : RoomRows
    required : int or None
        Nodes with a job; None = any number.
    role, job : (n,) int
        The columns kept.
    """

    instance: Instance
    roles: Roles
    shapes: JobShapes
    costs: Array
    rooms: RoomRows
    required: int | None
    role: Index
    job: Index

    @staticmethod
    def of(instance: Instance, packing: str) -> ClassModel:
        """The model with every column; ValueError in one line if it does not serve the instance."""
        serve("the model by node classes", instance)
        roles = roles_of(instance.cluster)
        shapes = JobShapes.of(instance, roles)
        costs = shapes.costs(roles)
        role, job = np.nonzero(np.isfinite(costs))
        rooms = PACKINGS[packing](instance.cluster)
        required = nodes_with_a_job(instance)
        return ClassModel(instance, roles, shapes, costs, rooms, required, role, job)

    def restricted(self, kept: NDArray[np.bool_], packing: str) -> ClassModel:
        """The model with the columns (L, J) of `kept` only."""
        role, job = np.nonzero(kept & np.isfinite(self.costs))
        return replace(self, role=role, job=job, rooms=PACKINGS[packing](self.instance.cluster))

    @property
    def offset(self) -> float:
        """sum_j P_j."""
        return float(self.shapes.postponement.sum())

    @cached_property
    def gain(self) -> Array:
        """(n,) what a column changes against postponing its job [$]."""
        gain: Array = self.costs[self.role, self.job] - self.shapes.postponement[self.job]
        return gain

    @property
    def every_node(self) -> bool:
        """Whether every node has a job: then (class) are equalities and make (count) redundant."""
        return self.required == self.roles.cluster.nodes

    @property
    def counted(self) -> bool:
        """Whether there is a row (count)."""
        return self.required is not None and not self.every_node

    @cached_property
    def matrix(self) -> Array:
        """(R, L) coefficients by role of the rows (room), (class), (count)."""
        roles = self.roles
        classes = np.arange(len(roles.cluster.class_sizes))
        of_class = (roles.node_class[roles.place] == classes[:, None]) & roles.leads
        count = roles.leads[None, :][: int(self.counted)]
        return np.vstack([self.rooms.roles, of_class, count])

    @cached_property
    def split_matrix(self) -> Array:
        """(R, S) coefficients of the splits."""
        more = len(self.matrix) - len(self.rooms.splits)
        return np.vstack([self.rooms.splits, np.zeros((more, self.rooms.splits.shape[1]))])

    @cached_property
    def upper(self) -> Array:
        """(R,) right-hand sides."""
        count = [self.required] if self.counted else []
        sizes = self.roles.cluster.class_sizes
        return np.concatenate([np.zeros(len(self.rooms.roles)), sizes, count]).astype(float)

    @cached_property
    def lower(self) -> Array:
        """(R,) -inf, but for equalities."""
        lower = np.full(len(self.upper), -np.inf)
        if self.required is not None:
            first = len(self.rooms.roles) if self.every_node else len(lower) - 1
            lower[first:] = self.upper[first:]
        return lower

    @cached_property
    def most_splits(self) -> Array:
        """(S,) upper bounds of the splits."""
        roles, place = self.roles, self.rooms.place
        nodes = roles.cluster.class_sizes[roles.node_class[place]]
        blocks = roles.cluster.gpus_of_type[roles.node_type[place]] // self.rooms.block
        return (nodes * blocks).astype(float)
