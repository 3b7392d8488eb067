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

import gzip
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from math import inf, nextafter
from pathlib import Path
from typing import Any

import numpy as np

from rsjs.core.errors import InputError, described
from rsjs.instances.check import check
from rsjs.instances.instance import Workload
from rsjs.instances.io.files import write_bytes
from rsjs.instances.io.serialization import canonical, canonical_text
from rsjs.instances.io.strict_json import read_json_lines
from rsjs.instances.solution import Solution
from rsjs.simulation.engine import simulate
from rsjs.simulation.events import Record
from rsjs.simulation.options import Options
from rsjs.simulation.outcome import Outcome
from rsjs.simulation.policy import Choice, Policy, Status, Stopped
from rsjs.simulation.state import State

FORMAT = "rsjs-simulation-log/1"
Document = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Log:
    """What was run, the events in order, and how it ended."""

    run: Document
    events: list[Document]
    end: Document


def text(outcome: Outcome) -> str:
    """Return the log of a run."""
    first = {
        "format": FORMAT,
        "workload": outcome.workload.name,
        "sha256": outcome.workload.digest,
        "policy": outcome.policy,
        "options": outcome.options.as_dict(),
    }
    last = {
        "status": str(outcome.status),
        "message": outcome.message,
        "totals": asdict(outcome.totals),
    }
    lines = (first, *_events(outcome), last)
    return "".join(f"{canonical_text(line)}\n" for line in lines)


def write(outcome: Outcome, path: str | Path) -> None:
    """Write the log; a `.gz` name compresses."""
    data = text(outcome).encode()
    write_bytes(gzip.compress(data, mtime=0) if str(path).endswith(".gz") else data, path)


def read(path: str | Path) -> Log:
    """
    Read a log.

    Raises
    ------
    InputError
        Naming the file and the line.
    """
    documents: list[Document] = read_json_lines(path)
    for number, document in enumerate(documents, start=1):
        if not isinstance(document, dict):
            raise InputError(f"line {number}", document, "one JSON object", path)
    if len(documents) < 2 or documents[0].get("format") != FORMAT or "totals" not in documents[-1]:
        expected = f"a whole log of format {FORMAT}, from its first to its last line"
        raise InputError("", described(f"{len(documents)} lines"), expected, path)
    return Log(run=documents[0], events=documents[1:-1], end=documents[-1])


def replay(workload: Workload, log: Log, *, checker: bool = True) -> Outcome:
    """
    Simulate the decisions of a log.

    Parameters
    ----------
    checker : bool
        Whether decisions are also put before the checker itself; the engine's `Constraints`, which
        say the same in a tenth of the time, look at them in any case.

    Raises
    ------
    InputError
        If the log is of another workload, of a run that was interrupted, or says anything else
        than what comes out.
    """
    try:
        if log.run["sha256"] != workload.digest:
            raise InputError("/sha256", log.run["sha256"], f"{workload.digest}, of {workload.name}")
        if log.end["status"] not in {*Status} - {Status.INTERRUPTED}:
            raise InputError("/status", log.end["status"], "a run that was not interrupted")
        recorded = Policy(
            spelling=log.run["policy"],
            decide=_decisions(workload, log, checker),
            keeps_running=log.end["status"] == Status.LOST,
        )
        found = simulate(workload, recorded, Options(**log.run["options"]))
        _refuse_other(found, log)
    except InputError:
        raise
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        message = described(f"{type(error).__name__}: {error}")
        raise InputError("", message, "a log of rsjs simulate") from None
    return replace(found, policy=f"recorded {found.policy}", message=log.end["message"])


def events(outcome: Outcome) -> list[Document]:
    """Return the lines between the first one and the last one, as `read` gives them."""
    return [canonical(line) for line in _events(outcome)]


def _events(outcome: Outcome) -> Iterator[Document]:
    ids = outcome.workload.jobs.id
    types = [node_type.name for node_type in outcome.workload.cluster.node_types]
    for record in outcome.records:
        yield _event(record, ids, types)


def _event(record: Record, ids: tuple[str, ...], types: list[str]) -> Document:
    document: Document = {
        "time": record.time,
        "kinds": [str(kind) for kind in record.kinds],
        "decided": record.changes is not None,
        "waiting": record.waiting,
        "in_use": record.in_use,
        "energy": record.energy,
        "tardiness": record.tardiness,
        "completed": [ids[j] for j in record.completed],
        "arrived": [ids[j] for j in record.arrived],
    }
    if record.switch >= 0:
        document["switch"] = ids[record.switch]
    if (changes := record.changes) is not None:
        columns = (changes.jobs, changes.node, changes.gpus, changes.level)
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        document["run"] = {ids[j]: placed for j, *placed in rows if placed[0] >= 0}
        document["wait"] = [ids[j] for j, node, *_ in rows if node < 0]
        nodes = zip(changes.nodes.tolist(), changes.kind.tolist(), strict=True)
        document["nodes"] = {str(n): types[v] if v >= 0 else None for n, v in nodes}
    return {key: value for key, value in document.items() if value not in ([], {})}


def _refuse_other(found: Outcome, log: Log) -> None:
    totals = canonical(asdict(found.totals))
    if totals != log.end["totals"]:
        before = log.end["totals"]
        other = (f"{name} {value!r}" for name, value in totals.items() if value != before.get(name))
        message = found.message or f"other totals: {', '.join(other)}"
        raise InputError("/totals", described(message), "those of the log")
    again, count = events(found), len(log.events)
    if len(again) != count:
        raise InputError("", described(f"{len(again)} events"), f"the {count} of the log")
    for line, (event, logged) in enumerate(zip(again, log.events, strict=True), start=2):
        for key in sorted({*event, *logged}):
            if event.get(key) != logged.get(key):
                raise InputError(f"line {line}/{key}", logged.get(key), repr(event.get(key)))
    if found.status != log.end["status"]:
        raise InputError("/status", log.end["status"], str(found.status))


def _decisions(workload: Workload, log: Log, checker: bool) -> Any:
    types = {v.name: i for i, v in enumerate(workload.cluster.node_types)}
    position = {name: j for j, name in enumerate(workload.jobs.id)}
    decided = [i for i, event in enumerate(log.events) if event["decided"]]

    def decide(state: State, memory: Any) -> Choice:
        if state.number >= len(decided):  # where a run that failed ends
            complete = log.end["status"] in (Status.COMPLETE, Status.LOST)
            status = Status.ERROR if complete else Status(log.end["status"])
            raise Stopped(status, f"the log has {len(decided)} decisions only")
        at, jobs = decided[state.number], len(state.rows)
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
