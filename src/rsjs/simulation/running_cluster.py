"""
The cluster while the clock runs: who is at hand, who is where, and what that has come to.

A job that runs makes 1 / a epochs per hour, a the real hours per epoch of its mode. What
is stored changes only when its placement does: at time s it had done w epochs, so at t it has done
w + max(0, t - s) / a and it ends at s + (W - w) a. Nothing is added up from event to event.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.solution import Solution
from rsjs.simulation.accounting import Nodes
from rsjs.simulation.events import Changes
from rsjs.simulation.feasibility import Change
from rsjs.simulation.options import Options, real_times

SNAP = 1e-7  # epochs: so close to a whole number is that number, whose completion is known


@dataclass(kw_only=True, eq=False)
class Progress:
    """The jobs of a workload, all arrays (J,)."""

    realised: Floats  # W_j
    placed: Floats = field(init=False)  # h, when the placement began that holds; nan = none
    since: Floats = field(init=False)  # h, from when it makes progress: later if the node boots
    done: Floats = field(init=False)  # epochs done then
    pace: Floats = field(init=False)  # hours per epoch; inf while a job does not run
    end: Floats = field(init=False)  # h, completion; inf while a job does not run
    executed: Floats = field(init=False)  # epochs processed
    repeated: Floats = field(init=False)  # those of them that were lost and processed again
    #: epochs that `executed` may be off: those done in the clock's least step, for each placement
    unresolved: Floats = field(init=False)

    def __post_init__(self) -> None:
        jobs = len(self.realised)
        self.placed, self.since = np.full(jobs, np.nan), np.zeros(jobs)
        self.pace, self.end = np.full(jobs, np.inf), np.full(jobs, np.inf)
        self.done, self.executed, self.repeated, self.unresolved = np.zeros((4, jobs))

    def epochs_done(self, rows: Ints, now: float) -> Floats:
        """Return (A,) epochs done by now, as a policy sees them: below W_j, whole ones exact."""
        done = self.done[rows] + np.maximum(0.0, now - self.since[rows]) / self.pace[rows]
        whole, realised = np.rint(done), self.realised[rows]
        done = np.where((np.abs(done - whole) <= SNAP) & (whole < realised), whole, done)
        return np.minimum(done, np.nextafter(realised, 0.0))

    def settle(self, rows: Ints, now: float, *, whole_epochs: bool) -> None:
        """End the placement of some jobs; with `whole_epochs` what is beyond one is lost."""
        done = self.epochs_done(rows, now)
        self.executed[rows] += done - self.done[rows]
        self.unresolved[rows] += np.spacing(abs(now)) / self.pace[rows]
        if whole_epochs:
            kept = np.floor(done)
            self.repeated[rows] += done - kept
            done = kept
        self.done[rows] = done
        self.placed[rows], self.pace[rows], self.end[rows] = np.nan, np.inf, np.inf

    def start(self, rows: Ints, now: float, begin: Floats, pace: Floats) -> None:
        """Place some jobs now; they make progress from `begin` on."""
        self.placed[rows], self.since[rows], self.pace[rows] = now, begin, pace
        self.end[rows] = begin + (self.realised[rows] - self.done[rows]) * pace

    def complete(self, rows: Ints) -> None:
        """Complete some jobs, which have reached W_j."""
        self.executed[rows] += (self.end[rows] - self.since[rows]) / self.pace[rows]
        self.unresolved[rows] += np.spacing(np.abs(self.end[rows])) / self.pace[rows]
        self.done[rows] = self.realised[rows]
        self.placed[rows], self.pace[rows], self.end[rows] = np.nan, np.inf, np.inf


class RunningCluster:
    """Jobs and nodes at one time."""

    def __init__(self, workload: Workload, whole: Instance, options: Options) -> None:
        jobs = len(workload.jobs)
        self._workload, self._whole_epochs = workload, options.checkpoint == "epoch"
        self._dedicated, self._shared = real_times(whole, workload.digest, options)
        self.now = float(workload.jobs.release[0])  # h
        self.rows = np.empty(0, dtype=np.int64)  # (A,) jobs at hand, by position in the workload
        self.jobs = Progress(realised=workload.realised_epochs.astype(float))
        self.nodes = Nodes(workload.cluster, options.energy, options.boot)
        self.completed_at = np.full(jobs, np.nan)  # (J,) h; nan until then
        self.tardiness, self._dedicated_hours = 0.0, 0.0  # $, of completed jobs
        self.preemptions = 0  # jobs interrupted
        self.moves = 0  # jobs given another node, node type or mode while they ran
        self._node, self._level, self._kind = np.full((3, jobs), -1, dtype=np.int64)
        self._gpus = np.zeros(jobs, dtype=np.int64)

    def run_until(self, now: float) -> None:
        """Let the clock run."""
        self.nodes.run(now - self.now)
        self.now = now

    def complete(self, rows: Ints) -> None:
        """Complete some jobs at their ends, which have come."""
        jobs = self._workload.jobs
        ends = self.jobs.end[rows]
        self.completed_at[rows] = ends
        self.tardiness += float(jobs.weight[rows] @ np.maximum(0.0, ends - jobs.due[rows]))
        self._leave(rows)
        self.jobs.complete(rows)
        self._node[rows], self._kind[rows], self._level[rows], self._gpus[rows] = -1, -1, -1, 0
        self.rows = self.rows[np.isnan(self.completed_at[self.rows])]

    def admit(self, rows: Ints) -> None:
        """Admit some jobs, which have arrived."""
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

    def idle(self) -> bool:
        """Return whether no job runs."""
        return not (self._node[self.rows] >= 0).any()

    def waiting(self) -> int:
        """Return how many jobs at hand do not run."""
        return int((self._node[self.rows] < 0).sum())

    def switch_off(self) -> None:
        """Switch all nodes off."""
        off = np.full(self._workload.cluster.nodes, -1, dtype=np.int64)
        self.nodes.set(off, np.zeros_like(off), 0, self.now)

    def place(self, solution: Solution, change: Change) -> Changes:
        """Put a feasible decision into force."""
        jobs = change.jobs
        at, node = self.rows[jobs], solution.job_node[jobs]
        gpus, level = solution.job_gpus[jobs], solution.job_level[jobs]
        kind = np.where(node >= 0, solution.node_type[node], -1)
        ran = self._node[at] >= 0
        if ran.any():
            self._leave(at[ran])
            self.jobs.settle(at[ran], self.now, whole_epochs=self._whole_epochs)
            stopped = int((node[ran] < 0).sum())
            self.preemptions += stopped
            self.moves += int(ran.sum()) - stopped
        self._node[at], self._gpus[at], self._level[at], self._kind[at] = node, gpus, level, kind
        dedicated = int(solution.job_gpus.sum())
        nodes = self.nodes.set(solution.node_type, change.used, dedicated, self.now)
        runs = node >= 0
        if runs.any():
            begin = np.maximum(self.now, self.nodes.ready[node[runs]])
            pace = self._pace(at[runs], kind[runs], gpus[runs], level[runs])
            self.jobs.start(at[runs], self.now, begin, pace)
        types = solution.node_type[nodes]
        return Changes(jobs=at, node=node, gpus=gpus, level=level, nodes=nodes, kind=types)

    def dedicated_hours(self) -> float:
        """Return GPU-hours of dedicated GPUs until now, added up job by job."""
        rows = self.rows[self._node[self.rows] >= 0]
        running = self._gpus[rows] @ (self.now - self.jobs.placed[rows])
        return self._dedicated_hours + float(running)

    def _leave(self, rows: Ints) -> None:
        hours = self.now - self.jobs.placed[rows]
        self._dedicated_hours += float(self._gpus[rows] @ hours)

    def _pace(self, rows: Ints, kind: Ints, gpus: Ints, level: Ints) -> Floats:
        """Real hours per epoch."""
        gpu = self._workload.cluster.gpu_of_type[kind]
        pace = self._dedicated[rows, gpu, gpus]
        shared = (level >= 0).nonzero()[0]
        if shared.size:
            pace[shared] = self._shared[rows[shared], gpu[shared], level[shared]]
        return pace
