"""
The log of a run: JSON lines, the same bytes for the same workload, policy, options and seed.

The first line says what was run, the last one how it ended; between them is one line per event.
Jobs go by their ids, nodes by position, times in hours from the workload's zero.

    {"time": 3.5, "kinds": ["arrival"], "arrived": ["j4"], "decided": true,
     "run": {"j4": [2, 1, -1]}, "nodes": {"2": "Standard_NV6"},
     "waiting": 0, "in_use": [1], "energy": 1.2, "tardiness": 0}

`run` holds jobs that are placed anew: node, dedicated GPUs, share level. `wait` holds those taken
off their GPUs. A job that completes leaves them without being named again. `nodes` holds nodes that
change their type, null = off. No time of the computer is in it.

A log is replayed with its decisions as a policy: the same engine must come to the same events and
totals, so that these do not rest on the policy that took the decisions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from math import inf, nextafter
from pathlib import Path
from typing import Any

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.instances.check import violations
from rsjs.instances.instance import Workload
from rsjs.instances.io.files import write_packed
from rsjs.instances.io.serialization import canonical, canonical_text
from rsjs.instances.io.strict_json import read_json_lines
from rsjs.instances.solution import Solution
from rsjs.simulation.engine import simulate
from rsjs.simulation.options import Options
from rsjs.simulation.outcome import Outcome
from rsjs.simulation.policy import Choice, Policy, Status, Stopped
from rsjs.simulation.state import State

FORMAT = "rsjs-simulation-log/1"
Document = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Log:
    """Event log: the simulation, its events in order, and its result."""

    run: Document
    events: list[Document]
    end: Document


def of(outcome: Outcome) -> Log:
    """Return the log of a run in canonical form; of an event without what is empty."""
    run = {
        "format": FORMAT,
        "workload": outcome.workload.name,
        "sha256": outcome.workload.digest,
        "policy": outcome.policy,
        "options": outcome.options.as_dict(),
    }
    events = [
        canonical({key: v for key, v in record._asdict().items() if v not in ([], {}, None)})
        for record in outcome.records
    ]
    end: Document = {"status": str(outcome.status), "message": outcome.message}
    end |= {"totals": canonical(asdict(outcome.totals))}
    return Log(run=run, events=events, end=end)


def text(outcome: Outcome) -> str:
    """Return the log of a run."""
    return text_of(of(outcome))


def text_of(log: Log) -> str:
    """Return the lines of a log."""
    return "".join(f"{canonical_text(line)}\n" for line in (log.run, *log.events, log.end))


def write(outcome: Outcome, path: str | Path) -> None:
    """Write the log; a `.gz` name compresses."""
    write_packed(text(outcome).encode(), path)


def read(path: str | Path) -> Log:
    """
    Read a log.

    Raises
    ------
    InputError
        Naming the file and the line.
    """
    return of_documents(read_json_lines(path), path)


def of_documents(documents: list[Any], path: str | Path | None = None) -> Log:
    """Return the log in the documents of its lines; errors name the file and the line."""
    for number, document in enumerate(documents, start=1):
        if not isinstance(document, dict):
            raise InputError(f"line {number}", document, "one JSON object", path)
    if len(documents) < 2 or documents[0].get("format") != FORMAT or "totals" not in documents[-1]:
        expected = f"a whole log of format {FORMAT}, from its first to its last line"
        raise InputError("", described(f"{len(documents)} lines"), expected, path)
    for number, key in ((1, "policy"), (len(documents), "message")):
        if not isinstance(told := documents[number - 1].get(key), str):
            raise InputError(f"line {number}/{key}", told, "a text", path)
    return Log(run=documents[0], events=documents[1:-1], end=documents[-1])


def replay(
    workload: Workload,
    log: Log,
    *,
    checker: bool = True,
    seen: Callable[[State], object] = lambda state: None,
) -> Outcome:
    """
    Simulate the solutions of a log again.

    Parameters
    ----------
    checker : bool
        Whether decisions are also put before the checker itself; the engine's `Constraints`, which
        say the same in a tenth of the time, look at them in any case.
    seen : function
        Called with the state before each decision.

    Raises
    ------
    InputError
        If the log is of another workload, of a run that was interrupted, or says anything else
        than what comes out.
    """
    with readable():
        if log.run["sha256"] != workload.digest:
            found = described(f"{log.run['sha256']} of {log.run['workload']}")
            raise InputError("/sha256", found, f"{workload.digest} of {workload.name}")
        if log.end["status"] not in {*Status} - {Status.INTERRUPTED}:
            raise InputError("/status", log.end["status"], "a run that was not interrupted")
        # a policy that leaves running jobs alone is not asked where the authors' program is not,
        # though jobs wait; a run that failed has such an event at its end, whatever its policy
        passed_over = any(not one["decided"] and one["waiting"] for one in log.events[:-1])
        recorded = Policy(
            spelling=log.run["policy"],
            decide=_decisions(workload, log, checker, seen),
            keeps_running=passed_over or log.end["status"] == Status.LOST,
        )
        outcome = simulate(workload, recorded, Options(**log.run["options"]))
        _refuse_other(outcome, log)
    return replace(outcome, policy=f"recorded {outcome.policy}", message=log.end["message"])


@contextmanager
def readable() -> Iterator[None]:
    """Raise InputError for whatever breaks because a log is not one of `rsjs simulate`."""
    try:
        yield
    except InputError:
        raise
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        message = described(f"{type(error).__name__}: {error}")
        raise InputError("", message, "a log of rsjs simulate") from None


def _refuse_other(outcome: Outcome, log: Log) -> None:
    """Raise InputError, with the first place, unless a run came to events and end of a log."""
    again, before = of(outcome), log.end["totals"]
    for line, (event, logged) in enumerate(zip(again.events, log.events, strict=False), start=2):
        for key in sorted({*event, *logged}):
            if event.get(key) != logged.get(key):
                if outcome.message and line > len(again.events):  # where the run ended
                    raise InputError(f"line {line}", described(outcome.message), "that of the log")
                expected = f"{event.get(key)!r} at {event['time']:g} h"
                raise InputError(f"line {line}/{key}", logged.get(key), expected)
    if len(again.events) != len(log.events):
        events = described(f"{len(again.events)} events")
        raise InputError("", events, f"the {len(log.events)} of the log")
    if outcome.status != log.end["status"]:
        raise InputError("/status", log.end["status"], str(outcome.status))
    if (totals := again.end["totals"]) != before:
        name = next(key for key in {**totals, **before} if totals.get(key) != before.get(key))
        raise InputError(f"/totals/{name}", before.get(name), repr(totals.get(name)))


def _decisions(
    workload: Workload, log: Log, checker: bool, seen: Callable[[State], object]
) -> Callable[[State, Any], Choice]:
    """Return what decides as a log says."""
    types = {v.name: i for i, v in enumerate(workload.cluster.node_types)}
    decided = [i for i, event in enumerate(log.events) if event["decided"]]

    def decide(state: State, memory: Any) -> Choice:
        seen(state)
        if state.number >= len(decided):  # where a run that failed ends
            complete = log.end["status"] in (Status.COMPLETE, Status.LOST)
            status = Status.ERROR if complete else Status(log.end["status"])
            raise Stopped(status, f"the log has {len(decided)} decisions only")
        at, current = decided[state.number], state.current
        event, following = (*log.events[at : at + 2], {})[:2]
        position = {workload.jobs.id[row]: i for i, row in enumerate(state.rows.tolist())}
        placed = np.column_stack([current.job_node, current.job_gpus, current.job_level])
        for name in event.get("wait", ()):
            placed[position[name]] = -1, 0, -1
        for name, where in event.get("run", {}).items():
            placed[position[name]] = where
        kind = current.node_type.copy()
        for node, name in event.get("nodes", {}).items():
            kind[int(node)] = -1 if name is None else types[name]
        solution = Solution.of(placed[:, 0], placed[:, 1], kind, placed[:, 2])
        if checker and (broken := violations(state.instance, solution)):
            raise Stopped(Status.INFEASIBLE, "; ".join(map(str, broken[:3])))
        change = np.full(len(placed), inf)
        if "switch" in following:
            change[position[following["switch"]]] = _until(following["time"], state.now)
        return Choice(solution=solution, change=change)

    return decide


def _until(time: float, now: float) -> float:
    """Return the hours h for which now + h is `time`, to the last digit."""
    hours = time - now
    while now + hours < time:
        hours = nextafter(hours, inf)
    while now + hours > time:
        hours = nextafter(hours, -inf)
    return hours
