"""
The constraints of `rsjs.instances.check` on arrays, for decisions by the thousand.

A node is of an allowed type; a job is postponed, or on a node that is on, in exactly one admissible
mode; GPUs in use, shares packed, are no more than the node has; as many nodes are selected
as `open_nodes` asks for. A job whose placement goes on is not looked at again. What does not pass
here is left to the checker, which has the last word and says what is wrong.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rsjs.core.types import Ints
from rsjs.instances.check import check
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution
from rsjs.simulation.policy import Choice, Status, Stopped
from rsjs.simulation.state import State, gpus_in_use


class Change(NamedTuple):
    """Changes that a feasible solution makes."""

    jobs: Ints  # (C,) positions among the jobs at hand of those placed anew or taken off their GPUs
    used: Ints  # (N,) GPUs in use from now on


class Constraints:
    """Constraints on the solutions of a policy."""

    def __init__(self, whole: Instance) -> None:
        self._whole = whole
        dedicated, shared = whole.hours_per_epoch, whole.shared_hours_per_epoch
        self._stride = dedicated.shape[2]
        self._admissible = np.isfinite(np.concatenate([dedicated, shared], axis=2))
        self._nodes, self._allowed = whole.cluster.nodes, whole.cluster.allowed
        self._size = np.append(whole.cluster.gpus_of_type, 0)  # the last entry is that of type -1

    def check(self, state: State, solution: Solution) -> Change:
        """Return the changes of a solution; raise Stopped if it is not feasible."""
        change = self._passed(state, solution)
        if change is not None and self._enough_nodes(len(state.rows), solution):
            return change
        verdict = check(state.instance, solution)
        if not verdict.feasible or change is None:
            shown = "; ".join(map(str, verdict.violations[:3]))
            more = len(verdict.violations) - 3
            raise Stopped(Status.INFEASIBLE, f"{shown}; and {more} more" if more > 0 else shown)
        return change

    def _enough_nodes(self, jobs: int, solution: Solution) -> bool:
        """Return whether `open_nodes` certainly holds."""
        rule = self._whole.objective.open_nodes
        if rule == "free":
            return True
        selected = int((solution.node_type >= 0).sum())
        return rule == "jahani_eq" and selected == min(jobs, self._nodes)

    def _passed(self, state: State, solution: Solution) -> Change | None:
        """Return the change; None if a constraint other than `open_nodes` does not hold."""
        before, node, kind = state.current, solution.job_node, solution.node_type
        gpus, level, cluster = solution.job_gpus, solution.job_level, self._whole.cluster
        if not node.shape == gpus.shape == level.shape == state.rows.shape:
            return None
        if kind.shape != (self._nodes,) or not _within(kind, len(cluster.node_types)):
            return None
        if not _within(node, self._nodes):
            return None
        retyped = kind != before.node_type
        new = (retyped & (kind >= 0)).nonzero()[0]
        if new.size and not self._allowed[new, kind[new]].all():
            return None
        jobs = (node != before.job_node) | (gpus != before.job_gpus) | (level != before.job_level)
        if retyped.any():
            jobs |= retyped[node] & (node >= 0)
        changed = jobs.nonzero()[0]
        if changed.size and not self._admitted(
            state.rows[changed], node[changed], gpus[changed], level[changed], kind
        ):
            return None
        used = gpus_in_use(cluster, solution)
        return Change(jobs=changed, used=used) if (used <= self._size[kind]).all() else None

    def _admitted(self, rows: Ints, node: Ints, gpus: Ints, level: Ints, kind: Ints) -> bool:
        """Return whether each job is in exactly one mode that its node admits, or waits."""
        waits = node < 0
        if ((gpus != 0) & waits).any() or ((level != -1) & waits).any():
            return False
        runs = (~waits).nonzero()[0]
        gpus, level, types = gpus[runs], level[runs], kind[node[runs]]
        shared = level >= 0
        if ((types < 0) | ((gpus > 0) == shared) | (gpus < 0) | (gpus > self._size[types])).any():
            return False
        if not _within(level, self._admissible.shape[2] - self._stride):
            return False
        column = np.where(shared, self._stride + level, gpus)
        gpu = self._whole.cluster.gpu_of_type[types]
        return bool(self._admissible[rows[runs], gpu, column].all())


def _within(values: Ints, limit: int) -> bool:
    """Return whether all are from -1 to limit - 1."""
    return not values.size or bool(values.min() >= -1 and values.max() < limit)


def checked(reply: Any, jobs: int) -> Choice:
    """Return the reply, if it is a choice for so many jobs; raise Stopped if it is not."""
    if not isinstance(reply, Choice):
        raise _refused("/", type(reply).__name__, "a Choice")
    if not isinstance(reply.solution, Solution):
        raise _refused("/solution", type(reply.solution).__name__, "a Solution")
    change: Any = reply.change
    if change is None:
        return reply
    if not isinstance(change, np.ndarray) or change.dtype.kind not in "iuf":
        raise _refused("/change", getattr(change, "dtype", type(change).__name__), "hours, array")
    if change.shape != (jobs,):
        raise _refused("/change", f"shape {change.shape}", f"shape {(jobs,)}, a time for each job")
    for at in np.flatnonzero(~(change >= 0))[:1]:
        raise _refused(f"/change/{at}", change[at], "hours >= 0 from now, inf = none")
    return reply


def _refused(where: str, found: object, expected: str) -> Stopped:
    return Stopped(Status.ERROR, f"no decision: {where}: found {found}, expected {expected}")
