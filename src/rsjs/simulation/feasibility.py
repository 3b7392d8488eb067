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

from rsjs.core.types import Bools, Floats, Ints
from rsjs.heuristics.common.jit import compiled, inlined
from rsjs.instances.check import check
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution
from rsjs.simulation.policy import Choice, Status, Stopped
from rsjs.simulation.state import State, add_shared_gpus


class Change(NamedTuple):
    """Changes that a feasible solution makes."""

    jobs: Ints  # (C,) positions among the jobs at hand of those placed anew or taken off their GPUs
    used: Ints  # (N,) GPUs in use from now on


class NodeLimits(NamedTuple):
    """Constraints of a workload as arrays."""

    allowed: Bools  # (N, V)
    size: Ints  # (V,) GPUs
    gpu: Ints  # (V,) GPU type
    dedicated: Floats  # (J, T, G + 1) h per epoch; inf = not admissible
    shared: Floats  # (J, T, L)


class Constraints:
    """Constraints on the solutions of a policy."""

    def __init__(self, whole: Instance) -> None:
        self._whole, cluster = whole, whole.cluster
        self._limits = NodeLimits(
            allowed=cluster.allowed,
            size=cluster.gpus_of_type,
            gpu=cluster.gpu_of_type,
            dedicated=whole.hours_per_epoch,
            shared=whole.shared_hours_per_epoch,
        )
        self._size = np.append(cluster.gpus_of_type, 0)  # the last entry is that of type -1

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
        kind = solution.node_type
        return rule == "jahani_eq" and int((kind >= 0).sum()) == min(jobs, len(kind))

    def _passed(self, state: State, solution: Solution) -> Change | None:
        """Return the change; None if a constraint other than `open_nodes` does not hold."""
        before, node, kind = state.current, solution.job_node, solution.node_type
        gpus, level = solution.job_gpus, solution.job_level
        if not node.shape == gpus.shape == level.shape == state.rows.shape:
            return None
        if kind.shape != before.node_type.shape:
            return None
        jobs, used = np.empty(len(node), dtype=np.int64), np.zeros(len(kind), dtype=np.int64)
        count = changes(
            *(self._limits, state.rows, node, gpus, level, kind),
            *(before.job_node, before.job_gpus, before.job_level, before.node_type, jobs, used),
        )
        if count < 0:
            return None
        if self._limits.shared.shape[2]:
            add_shared_gpus(self._whole.cluster, solution, used)
            if (used > self._size[kind]).any():
                return None
        return Change(jobs=jobs[:count], used=used)


@compiled
def changes(
    limits: NodeLimits,
    rows: Ints,
    node: Ints,
    gpus: Ints,
    level: Ints,
    kind: Ints,
    node_before: Ints,
    gpus_before: Ints,
    level_before: Ints,
    kind_before: Ints,
    changed: Ints,
    used: Ints,
) -> int:
    """
    Fill `changed` with the jobs placed anew or taken off their GPUs, and (N,) dedicated GPUs.

    Returns
    -------
    int
        How many jobs; -1 if a constraint does not hold, the packing of shares aside.
    """
    for n in range(kind.shape[0]):
        v = kind[n]
        if v < -1 or v >= limits.size.shape[0]:
            return -1
        if v >= 0 and v != kind_before[n] and not limits.allowed[n, v]:
            return -1
    count = 0
    for j in range(rows.shape[0]):
        n, g, share = node[j], gpus[j], level[j]
        if n < -1 or n >= kind.shape[0]:
            return -1
        kept = n == node_before[j] and g == gpus_before[j] and share == level_before[j]
        if not kept or (n >= 0 and kind[n] != kind_before[n]):
            changed[count] = j
            count += 1
            if n < 0 and (g != 0 or share != -1):
                return -1
            if n >= 0 and not admitted(limits, rows[j], kind[n], g, share):
                return -1
        if n >= 0:
            used[n] += g
            if used[n] > limits.size[kind[n]]:
                return -1
    return count


@inlined
def admitted(limits: NodeLimits, job: int, kind: int, gpus: int, level: int) -> bool:
    """Return whether a job may run on a node type, in the one mode that it has there."""
    if kind < 0 or gpus < 0 or level < -1 or (gpus > 0) == (level >= 0):
        return False
    if gpus > limits.size[kind] or level >= limits.shared.shape[2]:
        return False
    gpu = limits.gpu[kind]
    if gpus > 0:
        return bool(limits.dedicated[job, gpu, gpus] < np.inf)
    return bool(limits.shared[job, gpu, level] < np.inf)


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
    if not change.min(initial=0) >= 0:
        at = np.flatnonzero(~(change >= 0))[0]
        raise _refused(f"/change/{at}", change[at], "hours >= 0 from now, inf = none")
    return reply


def _refused(where: str, found: object, expected: str) -> Stopped:
    return Stopped(Status.ERROR, f"no decision: {where}: found {found}, expected {expected}")
