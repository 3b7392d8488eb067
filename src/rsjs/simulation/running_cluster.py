"""
The cluster while the clock runs: who is at hand, who is where, and what that has come to.

A job that runs makes 1 / a epochs per hour, a the real hours per epoch of its mode. What
is stored changes only when its placement does: at time s it had done w epochs, so at t it has done
w + max(0, t - s) / a and it ends at s + (W - w) a. Nothing is added up from event to event.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.solution import Solution
from rsjs.simulation.accounting import Nodes
from rsjs.simulation.feasibility import Change
from rsjs.simulation.options import Options, real_times

SNAP = 1e-7  # epochs: so close to a whole number is that number, whose completion is known


class RunningCluster:
    """Jobs and nodes at one time; arrays (J,) by position in the workload."""

    def __init__(self, workload: Workload, whole: Instance, options: Options) -> None:
        jobs = len(workload.jobs)
        self._workload, self._whole_epochs = workload, options.checkpoint == "epoch"
        self._types = [node_type.name for node_type in workload.cluster.node_types]
        self._dedicated, self._shared = real_times(whole, workload.digest, options)
        self.now = float(workload.jobs.release[0])  # h
        self.rows = np.empty(0, dtype=np.int64)  # (A,) jobs at hand
        self.nodes = Nodes(workload.cluster, options.energy, options.boot)
        self.completed_at = np.full(jobs, np.nan)  # h; nan until then
        self.tardiness = 0.0  # $, of completed jobs
        self.preemptions = 0  # jobs interrupted
        self.moves = 0  # jobs given another node, node type or mode while they ran
        self.repeated = np.zeros(jobs)  # epochs that were lost and processed again
        self._node, self._level = np.full((2, jobs), -1, dtype=np.int64)
        self._gpus = np.zeros(jobs, dtype=np.int64)
        self._realised = workload.realised_epochs.astype(float)  # W_j
        self._done = np.zeros(jobs)  # w
        self._since = np.zeros(jobs)  # s [h], when it began to make progress
        self._pace = np.full(jobs, np.inf)  # a; inf while a job does not run
        self.end = np.full(jobs, np.inf)  # h, completion; inf while a job does not run

    def run_until(self, now: float) -> None:
        """Advance the clock."""
        self.nodes.run(now - self.now)
        self.now = now

    def epochs_done(self, rows: Ints) -> Floats:
        """Return epochs done by now, as a policy sees them: below W_j, whole ones exact."""
        done = self._done[rows] + np.maximum(0.0, self.now - self._since[rows]) / self._pace[rows]
        whole, realised = np.rint(done), self._realised[rows]
        done = np.where((np.abs(done - whole) <= SNAP) & (whole < realised), whole, done)
        seen: Floats = np.minimum(done, np.nextafter(realised, 0.0))
        return seen

    def complete(self, rows: Ints) -> None:
        """Complete some jobs at their ends, which have come."""
        jobs, ends = self._workload.jobs, self.end[rows]
        self.completed_at[rows] = ends
        self.tardiness += float(jobs.weight[rows] @ np.maximum(0.0, ends - jobs.due[rows]))
        self._pace[rows], self.end[rows] = np.inf, np.inf
        self._node[rows], self._level[rows], self._gpus[rows] = -1, -1, 0
        self.rows = self.rows[np.isnan(self.completed_at[self.rows])]

    def admit(self, rows: Ints) -> None:
        """Add jobs that have arrived."""
        self.rows = np.concatenate([self.rows, rows])

    def current(self) -> Solution:
        """Return the placement of the jobs at hand."""
        rows = self.rows
        return Solution(
            job_node=self._node[rows],
            job_gpus=self._gpus[rows],
            job_level=self._level[rows],
            node_type=self.nodes.kind,
        )

    def waiting(self) -> int:
        """Return how many jobs at hand do not run."""
        return int((self._node[self.rows] < 0).sum())

    def idle(self) -> bool:
        """Return whether no job runs."""
        return self.waiting() == len(self.rows)

    def switch_off(self) -> None:
        """Switch all nodes off."""
        off = np.full(self._workload.cluster.nodes, -1, dtype=np.int64)
        self.nodes.set(off, np.zeros_like(off), self.now)

    def place(self, solution: Solution, change: Change) -> dict[str, Any]:
        """Apply a feasible solution; return `run`, `wait` and `nodes` of its record."""
        at, node = self.rows[change.jobs], solution.job_node[change.jobs]
        gpus, level = solution.job_gpus[change.jobs], solution.job_level[change.jobs]
        ran = self._node[at] >= 0
        if ran.any():
            self._settle(at[ran])
            stopped = int((node[ran] < 0).sum())
            self.preemptions += stopped
            self.moves += int(ran.sum()) - stopped
        self._node[at], self._gpus[at], self._level[at] = node, gpus, level
        nodes = self.nodes.set(solution.node_type, change.used, self.now)
        runs = node >= 0
        if runs.any():
            rows, on = at[runs], node[runs]
            self._since[rows] = np.maximum(self.now, self.nodes.ready[on])
            self._pace[rows] = self._paces(rows, solution.node_type[on], gpus[runs], level[runs])
            left = self._realised[rows] - self._done[rows]
            self.end[rows] = self._since[rows] + left * self._pace[rows]
        ids, names = self._workload.jobs.id, self._types
        placed = zip(node.tolist(), gpus.tolist(), level.tolist(), strict=True)
        kinds = zip(nodes.tolist(), solution.node_type[nodes].tolist(), strict=True)
        return {
            "run": {ids[j]: m for j, m in zip(at.tolist(), placed, strict=True) if m[0] >= 0},
            "wait": [ids[j] for j in at[~runs].tolist()],
            "nodes": {str(n): names[v] if v >= 0 else None for n, v in kinds},
        }

    def _settle(self, rows: Ints) -> None:
        """End the placement of some jobs; what is beyond a whole epoch may be lost."""
        done = self.epochs_done(rows)
        if self._whole_epochs:
            kept = np.floor(done)
            self.repeated[rows] += done - kept
            done = kept
        self._done[rows] = done
        self._pace[rows], self.end[rows] = np.inf, np.inf

    def _paces(self, rows: Ints, kind: Ints, gpus: Ints, level: Ints) -> Floats:
        """Return real hours per epoch in modes on node types."""
        gpu = self._workload.cluster.gpu_of_type[kind]
        pace = self._dedicated[rows, gpu, gpus]
        shared = (level >= 0).nonzero()[0]
        if shared.size:
            pace[shared] = self._shared[rows[shared], gpu[shared], level[shared]]
        return pace
