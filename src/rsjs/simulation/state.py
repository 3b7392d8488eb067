"""
What a policy sees when it decides: jobs that have arrived and are not finished, and no W_j.

The instance of the moment is a part of a workload that was checked when it was made, so it is made
without asking the door again, which would take longer than most decisions; and only if a policy
asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.sts.power_model import JobData, PowerModel
from rsjs.heuristics.sts.single_job import SurvivalSteps, laws_of_jobs, steps_of_jobs, taken
from rsjs.instances.bin_packing import gpus_taken
from rsjs.instances.cluster import Cluster
from rsjs.instances.costs import epochs_to_mean
from rsjs.instances.epoch_distribution import DistributionTables
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution


def gpus_in_use(cluster: Cluster, placement: Solution) -> Ints:
    """Return (N,) dedicated GPUs and those that shares pack into; jobs are on nodes that are on."""
    node = placement.job_node
    runs = node >= 0
    used = np.bincount(node[runs], placement.job_gpus[runs], cluster.nodes).astype(np.int64)
    add_shared_gpus(cluster, placement, used)
    return used


def add_shared_gpus(cluster: Cluster, placement: Solution, used: Ints) -> None:
    """Add the GPUs that shares pack into to those in use; of too many shares, their lower bound."""
    node, level = placement.job_node, placement.job_level
    shares: dict[int, list[int]] = {}
    for j in (level >= 0).nonzero()[0].tolist():
        shares.setdefault(int(node[j]), []).append(int(level[j]))
    for n, levels in shares.items():
        v = placement.node_type[n]
        gpu = cluster.gpu_types[cluster.gpu_of_type[v]]
        units = tuple(sorted(gpu.levels[own].units for own in levels))
        used[n] += _taken(units, gpu.units, int(cluster.gpus_of_type[v]))


_taken = lru_cache(maxsize=4096)(gpus_taken)
ALL = slice(None)


@dataclass(frozen=True, kw_only=True, eq=False)
class State:
    """State of a simulation at an event."""

    #: all jobs of the workload, those to come included: for cluster, distributions and objective
    workload: Instance
    now: float  #: hours
    #: (A,) positions in the workload of the jobs at hand, ascending: a job keeps its own
    rows: Ints
    epochs_done: Floats  #: (A,)
    current: Solution  #: the placement until now, of these jobs
    elapsed: float  #: hours since the last decision; 0 at the first one
    number: int  #: decisions before this one
    seed: int  #: for the random numbers of this decision
    time_limit: float  #: seconds, wall clock of this decision

    def __post_init__(self) -> None:
        for array in (self.rows, self.epochs_done):  # the engine's own
            array.setflags(write=False)

    @cached_property
    def used(self) -> Ints:
        """(N,) GPUs in use in the current placement."""
        used = gpus_in_use(self.workload.cluster, self.current)
        used.setflags(write=False)
        return used

    @cached_property
    def kept(self) -> Solution:
        """The current placement, nodes without a job switched off."""
        own, node_type = self.current, np.where(self.used > 0, self.current.node_type, -1)
        return Solution(
            job_node=own.job_node,
            job_gpus=own.job_gpus,
            job_level=own.job_level,
            node_type=node_type,
        )

    @cached_property
    def instance(self) -> Instance:
        """Instance at this moment, with the current placement."""
        return self._part(self.rows, self.epochs_done, self.current)

    def of(self, jobs: Ints | slice, expectation: str | None = None) -> Instance:
        """
        Return the instance of some of the jobs at hand, without a current placement.

        `jobs` are positions in `rows`, or ALL; `expectation` may be another one than that of the
        objective.
        """
        part = self._part(self.rows[jobs], self.epochs_done[jobs], None)
        if expectation not in (None, part.objective.expectation):
            part.__dict__["objective"] = replace(part.objective, expectation=expectation)
        return part

    def _part(self, rows: Ints, done: Floats, current: Solution | None) -> Instance:
        whole = self.workload
        made = object.__new__(Instance)
        made.__dict__.update(
            {field.name: getattr(whole, field.name) for field in fields(whole)},
            jobs=whole.jobs.taken(rows, done),
            now=self.now,
            current=current,
        )
        for table in ("hours_per_epoch", "shared_hours_per_epoch"):
            made.__dict__[table] = getattr(whole, table).take(rows, axis=0)
            made.__dict__[table].setflags(write=False)
        return made


class WorkloadData:
    """Speed, power and distributions of all jobs of a workload."""

    def __init__(self, whole: Instance) -> None:
        self._whole, self.power = whole, PowerModel.of(whole)

    @cached_property
    def _steps(self) -> SurvivalSteps:
        return steps_of_jobs(self._whole)

    def model(self, rows: Ints) -> PowerModel:
        """Return the power model of some jobs of the workload."""
        return self.power.taken(rows)

    @cached_property
    def _laws(self) -> tuple[DistributionTables, Ints]:
        laws, law = laws_of_jobs(self._whole)
        return DistributionTables(laws), law

    def epochs_left(self, state: State, expectation: str) -> Floats:
        """Return (A,) epochs that the jobs at hand have left, as `costs.epochs_left` does."""
        rows, done = state.rows, state.epochs_done
        left: Floats = self._whole.jobs.epochs_max[rows] - done
        if expectation == "worst_case":
            return left
        laws, law = self._laws[0], self._laws[1][rows]
        if expectation == "expected":
            return laws.mean_remaining(law, done)
        return epochs_to_mean(laws.mean[law], done, left)

    def jobs(self, state: State) -> JobData:
        """Return the data of the jobs at hand."""
        return JobData(self.model(state.rows), taken(self._steps, state.rows, state.epochs_done))
