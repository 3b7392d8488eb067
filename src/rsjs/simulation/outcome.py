"""The outcome of a simulation: its events in order, and its totals."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rsjs.core.display import Displayed, display
from rsjs.core.errors import one_of
from rsjs.core.types import Floats
from rsjs.instances.instance import Workload
from rsjs.simulation.options import Options
from rsjs.simulation.policy import Status

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

    from rsjs.simulation.running_cluster import RunningCluster

LATE = 60 / 3600  # h: less than a minute is what the spacing of decisions makes of a tight plan


class Kind(StrEnum):
    """Kind of an event, in the order in which events of one time are processed."""

    COMPLETION = "completion"
    ARRIVAL = "arrival"
    SWITCH = "switch"
    PERIOD = "period"


class LoggedEvent(NamedTuple):
    """An event and the solution that followed, a line of the log; jobs by id."""

    time: float  # h
    kinds: tuple[Kind, ...]
    completed: list[str]
    arrived: list[str]
    switch: str | None  # the job that the policy wanted to be called for
    decided: bool  # False: no job was there, or the policy failed
    run: dict[str, tuple[int, int, int]]  # jobs placed anew: node, dedicated GPUs, share level
    wait: list[str]  # jobs taken off their GPUs
    nodes: dict[str, str | None]  # nodes with another type; None = off
    waiting: int  # jobs that wait from now on
    in_use: list[int]  # GPUs in use from now on, by GPU type
    energy: float  # $, so far
    tardiness: float  # $, so far


@dataclass(frozen=True, kw_only=True)
class Totals:
    """Totals of one run; those of a run that did not complete count up to its end."""

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
class Outcome(Displayed):
    """Result of one simulation."""

    workload: Workload
    policy: str
    options: Options
    status: Status
    message: str  # why it did not complete: policy, time and reason
    totals: Totals
    completed_at: Floats  # (J,) h; nan where a job did not complete
    records: list[LoggedEvent]
    seconds: list[float]  # of each decision: wall clock of the policy

    def __repr__(self) -> str:
        totals = self.totals
        ended = f"{totals.completed} of {totals.jobs} jobs completed, {totals.late} late"
        on = f"{self.policy} on {self.workload.name}"
        return f"Outcome({on}: {self.status}, {totals.cost:.6g} $, {ended})"

    def to_pandas(self) -> DataFrame:
        """Return a data frame of the jobs, by id: submitted, due, completed [h], hours late."""
        frame: DataFrame = display("completions_frame", self)
        return frame

    def plot(self, what: str = "course") -> NDArray[Any]:
        """
        Draw the simulation; return the axes of its panels.

        Parameters
        ----------
        what : "course" | "gantt"
            Cost, jobs that wait and GPUs in use over time; or the job on each GPU over time.
        """
        one_of("what", what, ("course", "gantt"))
        axes: NDArray[Any] = display("plot_" + what, self)
        return axes

    def seconds_as_dict(self) -> dict[str, float | None]:
        """Return median, max and total running time of the calls [s]; the first may compile."""
        if not self.seconds:
            return {"median": None, "most": None, "total": 0.0}
        median = float(np.median(self.seconds))
        return {"median": median, "most": max(self.seconds), "total": sum(self.seconds)}


class Outcomes(list[Outcome], Displayed):
    """A list of the outcomes of policies on one workload."""

    def __repr__(self) -> str:
        return f"Outcomes({list(self)})" if len(self) < 2 else "\n".join(map(repr, self))

    def to_pandas(self) -> DataFrame:
        """Return a data frame, a row per policy: status, `Totals`, running time of calls [s]."""
        frame: DataFrame = display("outcomes_frame", self)
        return frame

    def plot(self) -> NDArray[Any]:
        """Draw cost, jobs that wait and GPUs in use over time; return the axes of each."""
        axes: NDArray[Any] = display("plot_course", *self)
        return axes


def totals(workload: Workload, cluster: RunningCluster, records: list[LoggedEvent]) -> Totals:
    """Return the totals of a run that has ended."""
    jobs, nodes, shape = workload.jobs, cluster.nodes, workload.cluster
    ended = np.flatnonzero(np.isfinite(cluster.completed_at))
    late = np.maximum(0.0, cluster.completed_at[ended] - jobs.due[ended])
    last = float(cluster.completed_at[ended].max()) if ended.size else cluster.now
    makespan = last - float(jobs.release[0])
    until = makespan if len(ended) == len(jobs) else cluster.now - float(jobs.release[0])
    capacity = int(shape.largest_of_class @ shape.class_sizes) * until
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
        repeated_epochs=cluster.repeated_epochs,
        longest_queue=max((record.waiting for record in records), default=0),
        events=len(records),
        decisions=sum(record.decided for record in records),
    )
