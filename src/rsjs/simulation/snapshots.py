"""
Snapshots: decisions of a simulation as instances, with jobs that run and jobs that wait.

They come out of the log of a run, which is simulated again. So a simulation and a stored log are
one source, and a log that does not replay is refused with the place.

Moments are told in one of three ways, and each is taken once:

    hours     the decision nearest to each of these times
    number    so many, evenly spread: of D decisions those in the middle of n parts of equal length
    use       the decision at which the share of GPUs in use is nearest to each of these; of several
              the one with the most jobs at hand, then the first

GPUs in use are those of jobs that run until then, as in `current`. They are counted over the GPUs
of all nodes, each as it is configured, one that is off as the largest that it may be.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from rsjs.core.errors import InputError, described, integer
from rsjs.core.types import Floats
from rsjs.instances.cluster import Cluster
from rsjs.instances.decision_points import DecisionPoint
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.solution import Solution
from rsjs.simulation import event_log
from rsjs.simulation.event_log import Log
from rsjs.simulation.options import Options
from rsjs.simulation.policy import Status
from rsjs.simulation.state import State, gpus_in_use

FARTHEST = 0.05  # from a use that is asked for, to that of the decision


@dataclass(frozen=True, kw_only=True)
class Moments:
    """Which decisions are asked for, in one of three ways."""

    hours: Sequence[float] | None = None  #: [h]
    number: int | None = None
    use: Sequence[float] | None = None  #: shares of the GPUs, in [0, 1]

    def __post_init__(self) -> None:
        given = [name for name, value in asdict(self).items() if value is not None]
        if len(given) != 1:
            found = described(" and ".join(given) or "no moments")
            raise InputError("/at", found, "one of hours, number and use")
        if self.number is not None:
            integer("number", self.number, 1)
        for name, values in (("hours", self.hours), ("use", self.use)):
            if values is not None and not len(values):
                raise InputError(f"/{name}", [], "at least one")
        for share in self.use or ():
            if not 0 <= share <= 1:
                raise InputError("/use", share, "a share of the GPUs from 0 to 1")

    def chosen(self, workload: Workload, log: Log) -> list[int]:
        """
        Return the numbers of these decisions in a run, ascending.

        Raises
        ------
        InputError
            If there are fewer decisions, none so early or late, or none near such a use.
        """
        times = np.array([event["time"] for event in log.events if event["decided"]])
        count, wanted = len(times), self.number or len(self.hours or self.use or ())
        if wanted > count:
            raise InputError("/at", described(f"{wanted} moments"), f"at most {count} decisions")
        if self.number is not None:
            return [(2 * k + 1) * count // (2 * self.number) for k in range(self.number)]
        if self.hours is not None:
            for hour in self.hours:
                if not times[0] <= hour <= times[-1]:
                    expected = f"{times[0]:.6g} to {times[-1]:.6g} h, first and last decision"
                    raise InputError("/hours", hour, expected)
            return _nearest(self.hours, times, np.zeros(count))
        shares, jobs = _used(workload, log)
        return _nearest(self.use or (), shares, -jobs, FARTHEST)


def _nearest(
    wanted: Sequence[float], values: Floats, order: Floats, farthest: float = np.inf
) -> list[int]:
    """
    Return the positions of the nearest values, each once; of equals the first in an order.

    InputError for a use from which those not yet taken are farther than that.
    """
    taken: list[int] = []
    for value in wanted:
        away = np.abs(values - value)
        away[taken] = np.inf
        at = int(np.lexsort((order, away))[0])
        if away[at] > farthest:
            left = "left " if taken else ""
            expected = f"a use that is reached; the nearest one {left}is {values[at]:.3g}"
            raise InputError("/use", value, expected)
        taken.append(at)
    return sorted(taken)


def points(workload: Workload, log: Log, moments: Moments) -> list[DecisionPoint]:
    """
    Return some decisions of a run, in the order of time.

    Raises
    ------
    InputError
        For a log that does not replay, naming the line, one of a run that failed, and moments that
        there are not.
    """
    standard = Options().as_dict()
    with event_log.readable():
        if log.end["status"] not in (Status.COMPLETE, Status.LOST):
            found = described(f"{log.end['status']}: {log.end['message']}")
            raise InputError("/status", found, "a run that came to its end")
        numbers = moments.chosen(workload, log)
    return [
        DecisionPoint(
            policy=log.run["policy"],
            options={key: v for key, v in log.run["options"].items() if v != standard.get(key)},
            decision=state.number,
            now=state.now,
            rows=state.rows,
            epochs_done=state.epochs_done,
            current=state.current,
        )
        for state in states(workload, log, numbers)
    ]


def snapshots(workload: Workload, log: Log, moments: Moments) -> list[Instance]:
    """Return the instances of some decisions of a run, see `points`."""
    return [point.instance(workload) for point in points(workload, log, moments)]


def states(workload: Workload, log: Log, numbers: Iterable[int]) -> list[State]:
    """Return the states before some decisions of a run, by their numbers, in the order of time."""
    wanted, found = {*numbers}, []

    def keep(state: State) -> None:
        if state.number in wanted:
            found.append(state)

    event_log.replay(workload, log, checker=False, seen=keep)
    return found


def _used(workload: Workload, log: Log) -> tuple[Floats, Floats]:
    """Return (D,) share of the GPUs in use until each decision, and jobs at hand."""
    seen: list[tuple[float, float]] = []

    def note(state: State) -> None:
        seen.append((use(workload.cluster, state.current), len(state.rows)))

    event_log.replay(workload, log, checker=False, seen=note)
    shares, jobs = np.array(seen).T
    return shares, jobs


def use(cluster: Cluster, current: Solution) -> float:
    """Return the share of the GPUs that are in use in a placement, see the module."""
    largest = cluster.largest_of_class[cluster.class_of_node]
    kind = current.node_type
    gpus = np.where(kind >= 0, cluster.gpus_of_type[kind], largest)
    return float(gpus_in_use(cluster, current).sum() / gpus.sum())
