"""
A log simulated again: its decisions as a policy, each one put before the checker.

The same engine must come to the same totals; that the decisions of the log are what it says they
are does not rest on the policy that took them.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from math import inf, nextafter
from typing import Any

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.instances.check import check
from rsjs.instances.instance import Workload
from rsjs.instances.io.serialization import canonical
from rsjs.instances.solution import Solution
from rsjs.simulation import event_log
from rsjs.simulation.engine import simulate
from rsjs.simulation.event_log import Log
from rsjs.simulation.options import Options
from rsjs.simulation.outcome import Outcome
from rsjs.simulation.policy import Choice, Policy, Status, Stopped
from rsjs.simulation.state import State


def replay(workload: Workload, log: Log, *, checker: bool = True) -> Outcome:
    """
    Simulate the decisions of a log.

    Parameters
    ----------
    checker : bool
        Whether decisions are also put before the checker itself; the engine's `constraints`, which
        say the same in a tenth of the time, look at them in any case.

    Raises
    ------
    InputError
        If the log is of another workload, of a run that did not complete, or says anything else
        than what comes out.
    """
    try:
        found = _simulated(workload, log, checker)
        _refuse_other(found, log)
    except InputError:
        raise
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        told = described(f"{type(error).__name__}: {error}")
        raise InputError("", told, "a log of rsjs simulate") from None
    return replace(found, policy=f"recorded {found.policy}")


def _simulated(workload: Workload, log: Log, checker: bool) -> Outcome:
    if log.run["sha256"] != workload.digest:
        raise InputError("/sha256", log.run["sha256"], f"{workload.digest}, of {workload.name}")
    if log.end["status"] not in (Status.COMPLETE, Status.LOST):
        raise InputError("/status", log.end["status"], "a run that went to its end")
    lost = log.end["status"] == Status.LOST
    recorded = Policy(
        spelling=log.run["policy"], decide=_decisions(workload, log, checker), keeps_running=lost
    )
    return simulate(workload, recorded, Options(**log.run["options"]))


def _refuse_other(found: Outcome, log: Log) -> None:
    if canonical(asdict(found.totals)) != log.end["totals"]:
        differing = [
            f"{name} {value!r}"
            for name, value in canonical(asdict(found.totals)).items()
            if value != log.end["totals"].get(name)
        ]
        told = found.message or f"other totals: {', '.join(differing)}"
        raise InputError("/totals", described(told), "those of the log")
    events = event_log.events(found)
    if len(events) != len(log.events):
        told = described(f"{len(events)} events")
        raise InputError("", told, f"the {len(log.events)} of the log")
    for line, (own, other) in enumerate(zip(events, log.events, strict=True), start=2):
        for key in sorted({*own, *other}):
            if own.get(key) != other.get(key):
                raise InputError(f"line {line}/{key}", other.get(key), repr(own.get(key)))


def _decisions(workload: Workload, log: Log, checker: bool) -> Any:
    types = {v.name: i for i, v in enumerate(workload.cluster.node_types)}
    position = {name: j for j, name in enumerate(workload.jobs.id)}
    decided = [i for i, event in enumerate(log.events) if event["decided"]]

    def decide(state: State, memory: Any) -> Choice:
        number = state.number
        if number >= len(decided):
            raise Stopped(Status.ERROR, f"the log has {len(decided)} decisions only")
        at, jobs = decided[number], len(state.rows)
        event = log.events[at]
        row_of = {int(row): i for i, row in enumerate(state.rows)}
        placed = np.column_stack(
            [state.current.job_node, state.current.job_gpus, state.current.job_level]
        ).reshape(jobs, 3)
        for name in event.get("wait", ()):
            placed[row_of[position[name]]] = -1, 0, -1
        for name, where in event.get("run", {}).items():
            placed[row_of[position[name]]] = where
        kind = state.current.node_type.copy()
        for node, name in event.get("nodes", {}).items():
            kind[int(node)] = -1 if name is None else types[name]
        solution = Solution.of(placed[:, 0], placed[:, 1], kind, placed[:, 2])
        violations = check(state.instance, solution).violations if checker else ()
        if violations:
            raise Stopped(Status.INFEASIBLE, "; ".join(map(str, violations[:3])))
        change = np.full(jobs, inf)
        following = log.events[at + 1] if at + 1 < len(log.events) else {}
        if "switch" in following:
            change[row_of[position[following["switch"]]]] = _until(following["time"], state.now)
        return Choice(solution=solution, change=change)

    return decide


def _until(time: float, now: float) -> float:
    """Hours h for which now + h is `time`, to the last digit."""
    hours = time - now
    while now + hours < time:
        hours = nextafter(hours, inf)
    while now + hours > time:
        hours = nextafter(hours, -inf)
    return hours
