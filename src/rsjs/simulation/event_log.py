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
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import write_bytes
from rsjs.instances.io.serialization import canonical, canonical_text
from rsjs.instances.io.strict_json import read_json_lines
from rsjs.simulation.events import Record
from rsjs.simulation.outcome import Outcome

FORMAT = "rsjs-simulation-log/1"
Document = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Log:
    """What was run, the events in order, and how it ended."""

    run: Document
    events: list[Document]
    end: Document


def text(outcome: Outcome) -> str:
    """The log of a run."""
    return "".join(f"{canonical_text(line)}\n" for line in _lines(outcome))


def events(outcome: Outcome) -> list[Document]:
    """The lines between the first one and the last one, as `read` gives them."""
    return [canonical(line) for line in _events(outcome)]


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


def _lines(outcome: Outcome) -> Iterator[Document]:
    yield {
        "format": FORMAT,
        "workload": outcome.workload.name,
        "sha256": outcome.workload.digest,
        "policy": outcome.policy,
        "options": outcome.options.as_dict(),
    }
    yield from _events(outcome)
    yield {
        "status": str(outcome.status),
        "message": outcome.message,
        "totals": asdict(outcome.totals),
    }


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
