"""Instance: one scheduling decision. Workload: a stream of jobs over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rsjs.core.display import Displayed, display
from rsjs.core.types import Bools, Floats, Ints, ReadOnly
from rsjs.instances import validation
from rsjs.instances.cluster import Cluster
from rsjs.instances.epoch_distribution import FIXED, EpochDistribution
from rsjs.instances.io import serialization
from rsjs.instances.jobs import Jobs
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame


@dataclass(frozen=True, kw_only=True)
class Objective:
    """
    Objective: the terms to minimise.

    Attributes
    ----------
    energy : "proportional" | "first_ending" | "next_event"
        How nodes are charged: each job its share of the node until it ends (Jahani 2019); each
        node until its first job ends (ANDREAS (1), Kiros, RS-JS (P1)); all nodes until the
        first job of the cluster ends (the authors' program).
    tardiness_at : "completion" | "next_event"
        Tardiness of a running job at its own end, or at the cluster's first completion.
    open_nodes : "free" | "jahani_eq" | "rsjs_eq" | "rsjs_eq_feasible"
        Any number of nodes; exactly min(J, N) selected nodes (Jahani (9)); exactly min(J, N)
        nodes with a job (RS-JS (16)); as many nodes with a job as a job-node matching allows.
    expectation : "worst_case" | "mean" | "expected"
        Times at epochs_max, at the mean of the distribution, or expectations.
    mu : float
        $ per idle GPU of a selected node (Jahani's mu).
    migration : float
        $ for each job that ran in `current` and runs on another node or in another mode.
    start : float
        $ for each job that runs and did not run in `current`.
    """

    energy: str
    tardiness_at: str
    open_nodes: str
    expectation: str
    mu: float = 0.0
    migration: float = 0.0
    start: float = 0.0

    @property
    def charges_changes(self) -> bool:
        """Whether it costs to start a job, or to move one that runs."""
        return self.migration > 0 or self.start > 0


_FIRST_ENDING = Objective(
    energy="first_ending",
    tardiness_at="completion",
    open_nodes="free",
    expectation="worst_case",
)
FAMILIES: Mapping[str, Objective] = {
    "jahani": replace(_FIRST_ENDING, energy="proportional", open_nodes="jahani_eq", mu=1.0),
    "kiros": _FIRST_ENDING,
    "andreas": _FIRST_ENDING,
    "sts": replace(_FIRST_ENDING, expectation="expected"),
    "gpuscheduler": replace(_FIRST_ENDING, energy="next_event", tardiness_at="next_event"),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Instance(ReadOnly, Displayed):
    """
    Instance: cluster, queue and objective at one moment; checked when it is created.

    Attributes
    ----------
    jobs : Jobs
        The queue; every release is <= now.
    laws : mapping of str to EpochDistribution
    now : float [h]
    H : float [h]
        Rescheduling interval: a postponed job waits at least that long.
    rho : float
        A postponed job's tardiness weighs rho times as much.
    current : Solution or None
        The current solution, before a new one is asked for.
    generator : mapping
        Name, parameters and version of what made it.

    Raises
    ------
    InputError
        With the JSON pointer of the first entry that is not valid.
    """

    name: str
    cluster: Cluster
    jobs: Jobs
    laws: Mapping[str, EpochDistribution] = field(default_factory=dict)
    now: float = 0.0
    H: float
    rho: float
    objective: Objective
    current: Solution | None = None
    generator: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        validation.check_instance(self)

    def __repr__(self) -> str:
        return _shown(self)

    def to_pandas(self) -> DataFrame:
        """
        Return a data frame of the jobs, by id; units are in the names of its columns.

        Times are in hours, `fastest_h` and `cheapest_h` those to completion in the mode that needs
        the least time or costs the least, on an empty cluster.
        """
        frame: DataFrame = display("jobs_frame", self)
        return frame

    def plot(self) -> Axes:
        """Draw for each job its due date and the times of its fastest and its cheapest mode."""
        axes: Axes = display("plot_jobs", self)
        return axes

    @cached_property
    def digest(self) -> str:
        """Digest: sha256 of the canonical form, which identifies the instance."""
        return serialization.digest(serialization.of_instance(self))

    @property
    def has_sharing(self) -> bool:
        """Whether some job may run on a share of a GPU."""
        return bool(np.isfinite(self.shared_hours_per_epoch).any())

    @cached_property
    def hours_per_epoch(self) -> Floats:
        """
        (J, T, G + 1) hours per epoch on dedicated GPUs, inf where not admissible.

        Admissible: the job allows it, its memory fits, and some node may have that many GPUs.
        """
        hours = np.where(self._fits[:, :, None], self.jobs.hours_per_epoch, np.inf)
        counts = np.arange(hours.shape[2])
        hours[:, counts[None, :] > self.cluster.largest_of_gpu[:, None]] = np.inf
        hours.setflags(write=False)
        return hours

    @cached_property
    def shared_hours_per_epoch(self) -> Floats:
        """(J, T, L) hours per epoch on each share level, inf where not admissible."""
        limit = np.full(self.jobs.inflation.shape[1:], -np.inf)
        for i, gpu in enumerate(self.cluster.gpu_types):
            for level, share in enumerate(gpu.levels):
                limit[i, level] = share.max_memory_gb
        small = self.jobs.memory_gb[:, None, None] <= limit
        inflation = np.where(small, self.jobs.inflation, np.inf)
        hours = inflation * self.hours_per_epoch[:, :, 1, None]
        hours.setflags(write=False)
        return hours

    @cached_property
    def _fits(self) -> Bools:
        memory = np.array([gpu.memory_gb for gpu in self.cluster.gpu_types])
        return self.jobs.memory_gb[:, None] <= memory


@dataclass(frozen=True, kw_only=True, eq=False)
class Workload(ReadOnly, Displayed):
    """
    Workload: a cluster and the jobs that arrive over time; checked when it is created.

    Attributes
    ----------
    name, cluster, jobs, laws, H, rho, objective, generator
        As in `Instance`; releases are in non-decreasing order.
    realised_epochs : (J,) int
        W_j, which a simulation withholds from its policies.
    """

    name: str
    cluster: Cluster
    jobs: Jobs
    laws: Mapping[str, EpochDistribution] = field(default_factory=dict)
    H: float
    rho: float
    objective: Objective
    realised_epochs: Ints
    generator: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.realised_epochs.setflags(write=False)
        validation.check_arrivals(self.jobs)
        self.submitted()  # an instance checks itself
        validation.check_realised_epochs(self)
        validation.check_no_change_costs(self.objective)

    def __repr__(self) -> str:
        hours = self.jobs.release[[0, -1]].tolist() if len(self.jobs) else [0.0, 0.0]
        return f"{_shown(self)[:-1]}, submitted from {hours[0]:.4g} to {hours[1]:.4g} h)"

    def to_pandas(self) -> DataFrame:
        """Return a data frame of the jobs, see `Instance.to_pandas`, with `realised_epochs`."""
        frame: DataFrame = display("jobs_frame", self)
        return frame

    def submitted(self, *, known: bool = False) -> Instance:
        """
        Return all jobs as one queue, at the last release; due dates may be past.

        With `known` the distribution of each job is that of W_j, which it runs.
        """
        jobs = self.jobs
        if known:
            fixed = (FIXED,) * len(jobs)
            jobs = replace(jobs, epochs_max=self.realised_epochs, law=fixed)
        return Instance(
            name=self.name,
            cluster=self.cluster,
            jobs=jobs,
            laws={} if known else dict(self.laws),  # that a policy may change
            now=max(self.jobs.release.tolist(), default=0.0),
            H=self.H,
            rho=self.rho,
            objective=self.objective,
        )

    @cached_property
    def digest(self) -> str:
        """Digest: sha256 of the canonical form."""
        return serialization.digest(serialization.of_workload(self))


def _shown(subject: Instance | Workload) -> str:
    """Return the class, name and size in one line."""
    families = [name for name, kinds in FAMILIES.items() if kinds == subject.objective]
    objective = f", objective of {' and '.join(families)}" if families else ""
    size = f"{len(subject.jobs)} jobs, {subject.cluster.nodes} nodes{objective}"
    return f"{type(subject).__name__}({subject.name!r}: {size})"
