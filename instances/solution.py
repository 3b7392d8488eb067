"""Solution: which jobs run now, where, and on how many GPUs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rsjs.core.display import Displayed, display
from rsjs.core.types import Ints, ReadOnly

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rsjs.instances.instance import Instance


@dataclass(frozen=True, kw_only=True, eq=False)
class Solution(ReadOnly, Displayed):
    """Solution: the jobs that run now, their nodes and numbers of GPUs."""

    job_node: Ints  #: (J,) node of each job; -1 = postponed
    job_gpus: Ints  #: (J,) dedicated GPUs; 0 for a shared or postponed job
    #: (J,) index of the share level in the node's GPU type; -1 = dedicated or postponed
    job_level: Ints
    node_type: Ints  #: (N,) index of the node type each node is configured as; -1 = off

    def __post_init__(self) -> None:
        own = vars(self)  # which may be written to, though the attributes are frozen
        for name in DECISION_ARRAYS:
            own[name] = array = _integers(name, own[name])
            array.setflags(write=False)

    def __repr__(self) -> str:
        run, on = int((self.job_node >= 0).sum()), int((self.node_type >= 0).sum())
        jobs, nodes = len(self.job_node), len(self.node_type)
        return f"Solution({run} of {jobs} jobs run, {on} of {nodes} nodes are on)"

    def plot(self, instance: Instance) -> Axes:
        """
        Draw which job of the instance runs on which GPUs, coloured by its time to completion.

        Raises
        ------
        InputError
            For a solution that cannot be laid out, as it breaks a constraint.
        """
        axes: Axes = display("plot_solution", instance, self)
        return axes

    @staticmethod
    def of(
        job_node: ArrayLike,
        job_gpus: ArrayLike,
        node_type: ArrayLike,
        job_level: ArrayLike | None = None,
    ) -> Solution:
        """Build a solution from array-likes; without `job_level` every GPU is dedicated."""
        node = np.asarray(job_node)
        return Solution(
            job_node=node,
            job_gpus=np.asarray(job_gpus),
            job_level=np.full(node.shape, -1) if job_level is None else np.asarray(job_level),
            node_type=np.asarray(node_type),
        )

    @staticmethod
    def empty(jobs: int, nodes: int) -> Solution:
        """Return the solution with every job postponed and every node off."""
        return Solution.of(np.full(jobs, -1), np.zeros(jobs, int), np.full(nodes, -1))

    def taken(self, jobs: Ints, nodes: Ints) -> Solution:
        """Return the solution of these jobs and nodes, in this order; on other nodes, jobs wait."""
        position = np.full(len(self.node_type) + 1, -1)  # the last entry is that of node -1
        position[nodes] = np.arange(len(nodes))
        node = position[self.job_node[jobs]]
        runs = node >= 0
        return Solution.of(
            node,
            np.where(runs, self.job_gpus[jobs], 0),
            self.node_type[nodes],
            np.where(runs, self.job_level[jobs], -1),
        )

    def same_as(self, other: Solution) -> bool:
        """Return whether both solutions are equal."""
        return all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in DECISION_ARRAYS
        )


def _integers(name: str, values: ArrayLike) -> Ints:
    """
    Return values as own read-only integers; a solver's 0.9999999 is refused, not cut to 0.

    Copied, unless it is an array of its own that is read-only, as of another solution.
    """
    given = np.asarray(values)
    if given.dtype == INTEGER:
        return given.copy() if given.base is not None or given.flags.writeable else given
    with np.errstate(invalid="ignore"):  # not a number: reported below
        array = np.array(given, dtype=np.int64)
    for i in np.flatnonzero(array != given)[:1]:
        raise ValueError(f"{name}[{i}] = {given.flat[i]}, must be an integer")
    return array


INTEGER = np.dtype(np.int64)
DECISION_ARRAYS = ("job_node", "job_gpus", "job_level", "node_type")
