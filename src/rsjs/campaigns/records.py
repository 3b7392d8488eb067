"""
The record of a run: a folder that is complete from the moment it bears the run's id.

    spec.json          what was asked
    result.json        what the method said, how its process fared, versions
    verify.json        what the checker says of the solution and of each incumbent
    events.jsonl       seconds, incumbent and bound after each event
    solution.json.gz   the solution, if there is one, for the instance `solved_sha256`; of other
                       kinds of problems a file of another name, see `rsjs.runs.kinds`
    log.gz             what the run printed, the middle left out if it is long
    SHA256SUMS         of all these, as coreutils write it
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from rsjs.campaigns import schema_files
from rsjs.campaigns.run import Run
from rsjs.campaigns.schema_files import Document
from rsjs.core.errors import InputError, described, printable
from rsjs.core.report import Event, SolveResult, Stop
from rsjs.instances.check import Verdict, Violation
from rsjs.instances.io.bounded_files import read_bytes, unpacked
from rsjs.instances.io.json_schema import fit
from rsjs.instances.io.strict_json import read_json_lines
from rsjs.runs.kinds.base import kind
from rsjs.runs.task_files import plain

SUMS = "SHA256SUMS"
LOG_END = 2**18  # bytes kept of either end of a log
DOCUMENTS = ("spec", "result", "verify")
ELSEWHERE = ("stop", "solution", "events")
OF_RESULT = [one.name for one in fields(SolveResult) if one.name not in ELSEWHERE]  # as they are
OF_RECORD = ("process", "rsjs_version", "solver_version", "session")  # in result.json
INCUMBENTS = ("incumbents", "incumbents_reported")  # in verify.json


@dataclass(frozen=True, kw_only=True, eq=False)
class Record:
    """A run that was carried out."""

    run: Run
    result: SolveResult  # without the solution, which stays in its file
    process: Mapping[str, Any]  # see `data/result.schema.json`
    rsjs_version: str
    solver_version: str | None
    session: str  # the `rsjs run` that made it: a file in sessions/
    verdict: Verdict | None = None  # None without a solution
    # seconds, claimed, objective [$] of those that were priced again
    incumbents: list[Document] = field(default_factory=list)
    incumbents_reported: int = 0
    figures: Mapping[str, Any] = field(default_factory=dict)  # metrics of its kind


def read(folder: Path, run_id: str | None = None) -> Record:
    """
    Read the record in a folder, which is that of its name unless told otherwise.

    InputError if a file is missing, not as its sum says, or not of its format.
    """
    names = sound(folder)
    documents = [schema_files.read(folder / f"{kind}.json", kind) for kind in DOCUMENTS]
    (spec, result, verification), asked = documents, run_id or folder.name
    run, verdict = Run.of_document(spec), verification["verdict"]
    for name, document in zip(names, documents, strict=False):
        if document["id"] != asked:
            raise InputError("/id", document["id"], f"{asked}, as asked", folder / name)
    if run.id != asked:
        raise InputError("/id", asked, f"{run.id}, that of what is asked here", folder / names[0])
    needed = kind(run.kind).solution_file
    # a simulation that is refused may be so for want of a log
    told = verdict is not None and (run.kind != "workload" or verdict["feasible"])
    if told and needed not in names:
        expected = f"{needed}, of which verify.json tells"
        raise InputError("", described(f"no {needed}"), expected, folder / SUMS)
    if verdict is not None:
        violations = tuple(Violation(**one) for one in verdict["violations"])
        verdict = Verdict(**{**verdict, "violations": violations})
    said = {name: result[name] for name in OF_RESULT} | {
        "stop": Stop(result["stop"]),
        "message": printable(result["message"]),
        "events": _events(folder / "events.jsonl"),
    }
    return Record(
        run=run,
        result=SolveResult(**said),
        verdict=verdict,
        figures=result.get("figures", {}),
        **{name: result[name] for name in OF_RECORD},
        **{name: verification[name] for name in INCUMBENTS},
    )


def _events(path: Path) -> tuple[Event, ...]:
    """Read the events of a run, each a JSON document on a line of its own."""
    found = read_json_lines(path) if path.stat().st_size else []
    fit(found, schema_files.schema("events"), path)
    return tuple(Event(**event) for event in found)


def sound(folder: Path) -> list[str]:
    """Return the names of the files of a record, all as their sums say."""
    try:
        lines = read_bytes(folder / SUMS).decode().splitlines()
        sums = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
        for name, digest in sums.items():
            if Path(name).name != name:
                raise InputError("", name, "the name of a file beside it", folder / SUMS)
            data = read_bytes(folder / name)
            if (found := sha256(data).hexdigest()) != digest:
                raise InputError("", found, f"sha256 {digest}", folder / name)
            content = unpacked(data, folder / name) if name.endswith(".gz") else data
            if ".json." in f"{name}." and not content.startswith(b"{"):
                raise InputError("", described("no object"), "a JSON document", folder / name)
    except InputError:
        raise
    except (OSError, ValueError) as error:  # ValueError: text that is none, or a NUL in a name
        raise InputError("", described(str(error)), "a whole record", folder) from None
    names = [*sums]
    if names[:3] != [f"{kind}.json" for kind in DOCUMENTS] or "events.jsonl" not in sums:
        raise InputError("", described(f"{len(sums)} files"), "a whole record", folder / SUMS)
    return names


def write(record: Record, folder: Path, log: Path | None, solution: Path | None = None) -> None:
    """Write a record; `log` is what the run printed, `solution` the solution's file if any."""
    run, result = record.run, record.result
    said = {name: getattr(result, name) for name in OF_RESULT} | {"stop": result.stop.value}
    said |= {name: getattr(record, name) for name in OF_RECORD}
    said |= {"figures": record.figures} if record.figures else {}
    verdict = {"verdict": None if record.verdict is None else asdict(record.verdict)}
    verification = verdict | {name: getattr(record, name) for name in INCUMBENTS}
    files = {
        "spec.json": _json(run.as_document()),
        "result.json": _json({"format": schema_files.name("result"), "id": run.id, **said}),
        "verify.json": _json({"format": schema_files.name("verify"), "id": run.id, **verification}),
        "events.jsonl": b"".join(_json(vars(event)) for event in result.events),
    }
    if solution is not None and solution.is_file():
        files[solution.name] = read_bytes(solution)
    files["log.gz"] = gzip.compress(_ends(log), mtime=0)
    sums = [f"{sha256(data).hexdigest()}  {name}\n" for name, data in files.items()]
    _write_files({**files, SUMS: "".join(sums).encode()}, folder, run)


def receive(files: Mapping[str, bytes], folder: Path, run: Run) -> Record:
    """Write a record that another machine made; InputError if it is damaged, or of another run."""
    _write_files(files, folder, run)
    return read(folder, run.id)


def _write_files(files: Mapping[str, bytes], folder: Path, run: Run) -> None:
    """
    Write files into a folder, which is made if need be, down to the disk.

    Those of a batch need not get there: what a power failure damages, its sums tell, and to make it
    again takes less than to wait for the disk.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        with (folder / Path(name).name).open("wb") as file:
            file.write(data)
            file.flush()
            if run.isolation == "process":
                os.fsync(file.fileno())


def _json(document: Mapping[str, Any]) -> bytes:
    """What JSON has a word for: numbers that are not finite become null."""
    finite = json.loads(json.dumps(document, default=plain), parse_constant=lambda _: None)
    return (json.dumps(finite, ensure_ascii=False) + "\n").encode("utf-8", errors="replace")


def _ends(log: Path | None) -> bytes:
    if log is None or not log.is_file():
        return b""
    size = log.stat().st_size
    with log.open("rb") as file:
        head = file.read(2 * LOG_END if size <= 2 * LOG_END else LOG_END)
        if (left_out := size - len(head) - LOG_END) <= 0:
            return head
        file.seek(-LOG_END, os.SEEK_END)
        return b"%s\n... %d bytes left out ...\n%s" % (head, left_out, file.read())
