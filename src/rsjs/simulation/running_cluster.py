"""
The cluster while the clock runs: who is at hand, who is where, and what that has come to.

A job that runs makes 1 / a epochs per hour, a the real hours per epoch of its mode. What
is stored changes only when its placement does: at time s it had done w epochs, so at t it has done
w + max(0, t - s) / a and it ends at s + (W - w) a. Nothing is added up from event to event.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.jit import compiled, inlined
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.solution import Solution
from rsjs.simulation.feasibility import Change
from rsjs.simulation.node_meters import Nodes
from rsjs.simulation.options import Options, real_times

SNAP = 1e-7  # epochs: so close to a whole number is that number, whose completion is known


class RunningJobs(NamedTuple):
    """Placement and progress of all jobs of a workload; (J,) each."""

    node: Ints  # -1 = does not run
    gpus: Ints
    level: Ints
    done: Floats  # w
    since: Floats  # s [h], when it began to make progress
    pace: Floats  # a; inf while a job does not run
    end: Floats  # h, completion; inf while a job does not run
    realised: Floats  # W
    repeated: Floats  # epochs that were lost and processed again

    @staticmethod
    def of(workload: Workload) -> RunningJobs:
        """Return the jobs before any of them runs."""
        jobs = len(workload.jobs)
        node, level = np.full((2, jobs), -1, dtype=np.int64)
        done, since, repeated = np.zeros((3, jobs))
        pace, end = np.full((2, jobs), np.inf)
        return RunningJobs(
            *(node, np.zeros(jobs, dtype=np.int64), level, done, since, pace, end),
            *(workload.realised_epochs.astype(float), repeated),
        )


class RealTimes(NamedTuple):
    """Real hours per epoch."""

    dedicated: Floats  # (J, T, G + 1)
    shared: Floats  # (J, T, L)
    gpu_of_type: Ints  # (V,)


class RunningCluster:
    """Jobs and nodes at one time; arrays (J,) by position in the workload."""

    def __init__(self, workload: Workload, whole: Instance, options: Options) -> None:
        self._workload, self._whole_epochs = workload, options.checkpoint == "epoch"
        self._types = [node_type.name for node_type in workload.cluster.node_types]
        times = real_times(whole, workload.digest, options)
        self._times = RealTimes(*times, workload.cluster.gpu_of_type)
        self._jobs = RunningJobs.of(workload)
        self.now = float(workload.jobs.release[0])  # h
        self.rows = np.empty(0, dtype=np.int64)  # (A,) jobs at hand
        self.running = 0  # how many of them run
        self.next_end = inf  # h, of the first of them
        self.nodes = Nodes(workload.cluster, options.energy, options.boot)
        self.completed_at = np.full(len(workload.jobs), np.nan)  # h; nan until then
        self.tardiness = 0.0  # $, of completed jobs
        self.preemptions = 0  # jobs interrupted
        self.moves = 0  # jobs given another node, node type or mode while they ran

    @property
    def repeated_epochs(self) -> float:
        """Epochs that were lost and processed again."""
        return float(self._jobs.repeated.sum())

    @property
    def waiting(self) -> int:
        """Jobs at hand that do not run."""
        return len(self.rows) - self.running

    def run_until(self, now: float) -> None:
        """Advance the clock."""
        self.nodes.run(now - self.now)
        self.now = now

    def ending(self, limit: float) -> tuple[Ints, Floats]:
        """Return the jobs that end by a time, and when."""
        if self.next_end > limit:
            return self.rows[:0], self.completed_at[:0]
        ends = self._jobs.end[self.rows]
        done = ends <= limit
        return self.rows[done], ends[done]

    def complete(self, rows: Ints, ends: Floats) -> None:
        """Complete some jobs at their ends, which have come."""
        jobs, own = self._workload.jobs, self._jobs
        self.completed_at[rows] = ends
        self.tardiness += float(jobs.weight[rows] @ np.maximum(0.0, ends - jobs.due[rows]))
        own.pace[rows], own.end[rows] = inf, inf
        own.node[rows], own.level[rows], own.gpus[rows] = -1, -1, 0
        self._set_rows(self.rows[np.isnan(self.completed_at[self.rows])])
        self.running -= len(rows)
        self.next_end = inf  # until the decision that follows, if some still run

    def admit(self, rows: Ints) -> None:
        """Add jobs that have arrived."""
        self._set_rows(np.concatenate([self.rows, rows]))

    def _set_rows(self, rows: Ints) -> None:
        rows.setflags(write=False)
        self.rows = rows

    def seen(self) -> tuple[Floats, Solution]:
        """Return the epochs done of the jobs at hand, as a policy sees them, and where they are."""
        done, node, gpus, level = at_hand(self._jobs, self.rows, self.now)
        kind = self.nodes.kind
        return done, Solution(job_node=node, job_gpus=gpus, job_level=level, node_type=kind)

    def switch_off(self) -> None:
        """Switch all nodes off."""
        off = np.full(self._workload.cluster.nodes, -1, dtype=np.int64)
        off.setflags(write=False)
        self.nodes.set(off, np.zeros_like(off), self.now)

    def place(self, solution: Solution, change: Change) -> dict[str, Any]:
        """Apply a feasible solution; return `run`, `wait` and `nodes` of its record."""
        at, kind = change.jobs, solution.node_type
        mode = solution.job_node, solution.job_gpus, solution.job_level
        nodes = self.nodes.set(kind, change.used, self.now)
        stopped, moved, self.running, self.next_end = placed(
            *(self._jobs, self._times, self.rows, at, *mode),
            *(kind, self.nodes.ready, self.now, self._whole_epochs),
        )
        self.preemptions += stopped
        self.moves += moved
        names, types = self._workload.jobs.id, self._types
        ids = [names[j] for j in self.rows[at].tolist()]
        modes = [*zip(*[array[at].tolist() for array in mode], strict=True)]
        return {
            "run": {name: own for name, own in zip(ids, modes, strict=True) if own[0] >= 0},
            "wait": [name for name, own in zip(ids, modes, strict=True) if own[0] < 0],
            "nodes": {str(n): types[kind[n]] if kind[n] >= 0 else None for n in nodes},
        }


@inlined
def epochs_done(jobs: RunningJobs, j: int, now: float) -> float:
    """Return the epochs done by now, as a policy sees them: below W_j, whole ones exact."""
    done = jobs.done[j] + max(0.0, now - jobs.since[j]) / jobs.pace[j]
    whole, realised = np.rint(done), jobs.realised[j]
    if abs(done - whole) <= SNAP and whole < realised:
        done = whole
    return float(min(done, np.nextafter(realised, 0.0)))


@compiled
def at_hand(jobs: RunningJobs, rows: Ints, now: float) -> tuple[Floats, Ints, Ints, Ints]:
    """Return epochs done, nodes, GPUs and share levels of some jobs."""
    done, (node, gpus, level) = np.empty(len(rows)), np.empty((3, len(rows)), dtype=np.int64)
    for i in range(len(rows)):
        j = rows[i]
        done[i] = epochs_done(jobs, j, now)
        node[i], gpus[i], level[i] = jobs.node[j], jobs.gpus[j], jobs.level[j]
    return done, node, gpus, level


@compiled
def placed(
    jobs: RunningJobs,
    times: RealTimes,
    rows: Ints,
    changed: Ints,
    node: Ints,
    gpus: Ints,
    level: Ints,
    kind: Ints,
    ready: Floats,
    now: float,
    whole_epochs: bool,
) -> tuple[int, int, int, float]:
    """
    Give those at hand that are in `changed` other modes, `node`, `gpus` and `level`.

    Parameters
    ----------
    kind, ready : (N,) node types from now on, and when the nodes have booted
    whole_epochs : whether a job loses what it has done of an epoch

    Returns
    -------
    int, int, int, float
        Jobs taken off their GPUs, those that ran and still run, all that run; the first end [h].
    """
    stopped, moved = 0, 0
    for c in range(changed.shape[0]):
        i = changed[c]
        j = rows[i]
        if jobs.node[j] >= 0:  # its placement ends
            done = epochs_done(jobs, j, now)
            if whole_epochs:
                jobs.repeated[j] += done - np.floor(done)
                done = np.floor(done)
            jobs.done[j] = done
            jobs.pace[j], jobs.end[j] = inf, inf
            stopped += int(node[i] < 0)
            moved += int(node[i] >= 0)
        jobs.node[j], jobs.gpus[j], jobs.level[j] = node[i], gpus[i], level[i]
        if node[i] >= 0:
            gpu = times.gpu_of_type[kind[node[i]]]
            pace = times.dedicated[j, gpu, gpus[i]]
            if level[i] >= 0:
                pace = times.shared[j, gpu, level[i]]
            jobs.since[j], jobs.pace[j] = max(now, ready[node[i]]), pace
            jobs.end[j] = jobs.since[j] + (jobs.realised[j] - jobs.done[j]) * pace
    running, first = 0, inf
    for i in range(rows.shape[0]):
        running += int(node[i] >= 0)
        first = min(first, jobs.end[rows[i]])
    return stopped, moved, running, first
