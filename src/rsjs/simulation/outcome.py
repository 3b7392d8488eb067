"""The outcome of a simulation: its totals, and whether they add up."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rsjs.core.types import Floats
from rsjs.instances.instance import Workload
from rsjs.simulation.events import Record
from rsjs.simulation.options import Options
from rsjs.simulation.policy import Status
from rsjs.simulation.running_cluster import RunningCluster

LATE = 60 / 3600  # h: less than a minute is what the spacing of decisions makes of a tight plan
TOLERANCE = 1e-9  # relative, of sums that must agree


@dataclass(frozen=True, kw_only=True)
class Totals:
    """Totals of one run; those of a run that did not complete are of what it did."""

    cost: float  # $, energy and tardiness
    energy: float  # $, see `accounting`
    tardiness: float  # $
    tardiness_hours: float
    jobs: int
    completed: int
    late: int  # jobs more than 60 s late
    makespan: float  # h, from the first submission to the last completion
    utilisation: float  # GPU-hours in use over those of all nodes at their largest, in the makespan
    gpu_hours: dict[str, float]  # GPU type -> GPU-hours in use
    idle_gpu_hours: float  # of nodes that are on
    preemptions: int  # see `RunningCluster`
    moves: int
    repeated_epochs: float  # processed twice because of interruptions
    longest_queue: int  # most jobs waiting after a decision
    events: int
    decisions: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """A run that has ended."""

    workload: Workload
    policy: str
    options: Options
    status: Status
    message: str  # why it did not complete: policy, time and reason
    totals: Totals
    completed_at: Floats  # (J,) h; nan where a job did not complete
    records: list[Record]
    seconds: list[float]  # of each decision: wall clock of the policy

    def as_dict(self) -> dict[str, Any]:
        """Return policy, status, message and totals."""
        told = {"policy": self.policy, "status": str(self.status), "message": self.message}
        return told | asdict(self.totals)

    def seconds_as_dict(self) -> dict[str, float | None]:
        """Return median, largest and total seconds of a decision; the first one may compile."""
        if not self.seconds:
            return {"median": None, "most": None, "total": 0.0}
        median = float(np.median(self.seconds))
        return {"median": median, "most": max(self.seconds), "total": sum(self.seconds)}


def outcome(
    workload: Workload, cluster: RunningCluster, status: Status, message: str, **kept: Any
) -> Outcome:
    """
    Return the outcome of a run; one whose sums do not agree is an error, whatever it was before.

    Those of an interrupted run may not: Ctrl-C comes at any time.
    """
    # sums of GPU-hours may be off by the least step of the clock for each event and GPU: times that
    # are large, as hours since 1970, have fewer decimals
    step = float(np.spacing(abs(cluster.now))) * len(kept["records"]) * _gpus(workload)
    if status != Status.INTERRUPTED and (sums := _disagreement(cluster, step)):
        status, message = Status.ERROR, f"conservation: {sums}"
    return Outcome(
        workload=workload,
        status=status,
        message=message,
        totals=_totals(workload, cluster, kept["records"]),
        completed_at=cluster.completed_at,
        **kept,
    )


def _totals(workload: Workload, cluster: RunningCluster, records: list[Record]) -> Totals:
    jobs, nodes, shape = workload.jobs, cluster.nodes, workload.cluster
    ended = np.flatnonzero(np.isfinite(cluster.completed_at))
    late = np.maximum(0.0, cluster.completed_at[ended] - jobs.due[ended])
    last = float(cluster.completed_at[ended].max()) if ended.size else cluster.now
    makespan = last - float(jobs.release[0])
    capacity = _gpus(workload) * makespan
    hours = nodes.used_hours.tolist()
    return Totals(
        cost=nodes.energy + cluster.tardiness,
        energy=nodes.energy,
        tardiness=cluster.tardiness,
        tardiness_hours=float(late.sum()),
        jobs=len(jobs),
        completed=len(ended),
        late=int((late > LATE).sum()),
        makespan=makespan,
        utilisation=sum(hours) / capacity if capacity else 0.0,
        gpu_hours=dict(zip((gpu.name for gpu in shape.gpu_types), hours, strict=True)),
        idle_gpu_hours=nodes.idle_hours,
        preemptions=cluster.preemptions,
        moves=cluster.moves,
        repeated_epochs=float(cluster.jobs.repeated.sum()),
        longest_queue=max((record.waiting for record in records), default=0),
        events=len(records),
        decisions=sum(record.changes is not None for record in records),
    )


def _gpus(workload: Workload) -> int:
    """Return the GPUs of all nodes, each taken at its largest type."""
    return int(workload.cluster.largest_of_class @ workload.cluster.class_sizes)


def _disagreement(cluster: RunningCluster, step: float) -> str | None:
    """Return the first sum that does not agree; those of GPU-hours may be off by `step` hours."""
    jobs, nodes = cluster.jobs, cluster.nodes
    used = float(nodes.used_hours.sum())
    ended = np.flatnonzero(np.isfinite(cluster.completed_at))
    net = jobs.executed[ended] - jobs.repeated[ended]
    epochs = zip(
        net.tolist(), jobs.realised[ended].tolist(), jobs.unresolved[ended].tolist(), strict=True
    )
    for what, found, expected, off in (
        ("GPU-hours given, used and idle", nodes.given_hours, used + nodes.idle_hours, step),
        ("GPU-hours of jobs and of nodes", cluster.dedicated_hours(), nodes.dedicated_hours, step),
        *(("epochs", *numbers) for numbers in epochs),
    ):
        if not abs(found - expected) <= TOLERANCE * max(1.0, abs(expected)) + off:
            return f"{what}: {found!r} and {expected!r}"
    return None
