"""What a simulation has come to: totals, and whether they add up."""

from __future__ import annotations

from dataclasses import dataclass
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
    """
    The figures of one run; those of a run that did not end count what it did.

    Attributes
    ----------
    cost, energy, tardiness : float [$]
        Energy is the accounting of `billing`; cost is the sum of both.
    tardiness_hours : float [h]
    jobs, completed : int
    late : int
        Jobs more than 60 s late.
    makespan : float [h]
        From the first submission to the last completion.
    utilisation : float
        GPU-hours in use over those of all nodes, taken at their largest, within the makespan.
    gpu_hours : mapping
        GPU type -> GPU-hours in use.
    idle_gpu_hours : float
        Of nodes that are on.
    preemptions, moves : int
        See `RunningCluster`.
    repeated_epochs : float
        Processed twice because of interruptions.
    longest_queue : int
        Most jobs waiting after a decision.
    events, decisions : int
    """

    cost: float
    energy: float
    tardiness: float
    tardiness_hours: float
    jobs: int
    completed: int
    late: int
    makespan: float
    utilisation: float
    gpu_hours: dict[str, float]
    idle_gpu_hours: float
    preemptions: int
    moves: int
    repeated_epochs: float
    longest_queue: int
    events: int
    decisions: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """
    A run that has ended.

    Attributes
    ----------
    workload : Workload
    policy : str
    options : Options
    status : Status
    message : str
        Why it did not complete: policy, time and reason.
    totals : Totals
    completed_at : (J,) float [h]
        nan where a job did not complete.
    records : list of Record
    seconds : list of float
        Of each decision: wall clock of the policy.
    """

    workload: Workload
    policy: str
    options: Options
    status: Status
    message: str
    totals: Totals
    completed_at: Floats
    records: list[Record]
    seconds: list[float]

    def seconds_as_dict(self) -> dict[str, float | None]:
        """Median, largest and total seconds of a decision; the first one may compile."""
        if not self.seconds:
            return {"median": None, "most": None, "total": 0.0}
        median = float(np.median(self.seconds))
        return {"median": median, "most": max(self.seconds), "total": sum(self.seconds)}


def outcome(
    workload: Workload, cluster: RunningCluster, status: Status, message: str, **kept: Any
) -> Outcome:
    """
    The outcome of a run; one whose sums do not agree is an error, whatever it was before.

    Those of an interrupted run may not: Ctrl-C comes at any time.
    """
    step = float(np.spacing(abs(cluster.now))) * len(kept["records"]) * _gpus(workload)
    if status != Status.INTERRUPTED and (fault := _fault(cluster, step)):
        status, message = Status.ERROR, f"conservation: {fault}"
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
    """GPUs of all nodes, each taken at its largest type."""
    shape = workload.cluster
    size = np.where(shape.allowed_in_class, shape.gpus_of_type, 0).max(axis=1)
    return int(size @ shape.class_sizes)


def _fault(cluster: RunningCluster, step: float) -> str | None:
    """
    The first sum that does not agree with what it must be.

    Parameters
    ----------
    step : float [h]
        By which sums of GPU-hours may be off: the least step of the clock for each event and GPU.
        Times that are large, as hours since 1970, have fewer decimals.
    """
    jobs, nodes = cluster.jobs, cluster.nodes
    used = float(nodes.used_hours.sum())
    ended = np.flatnonzero(np.isfinite(cluster.completed_at))
    net = jobs.executed[ended] - jobs.repeated[ended]
    for what, found, expected, off in (
        ("GPU-hours given, used and idle", nodes.given_hours, used + nodes.idle_hours, step),
        ("GPU-hours of jobs and of nodes", cluster.dedicated_hours(), nodes.dedicated_hours, step),
        *(
            ("epochs", e, w, o)
            for e, w, o in zip(
                net.tolist(),
                jobs.realised[ended].tolist(),
                jobs.unresolved[ended].tolist(),
                strict=True,
            )
        ),
    ):
        if not abs(found - expected) <= TOLERANCE * max(1.0, abs(expected)) + off:
            return f"{what}: {found!r} and {expected!r}"
    return None
