"""
The record of a run: a folder that is complete from the moment it bears the run's id.

    spec.json          what was asked
    result.json        what the method said, how its process fared, versions
    verify.json        what the checker says of the decision and of each incumbent
    events.jsonl       seconds, incumbent and bound after each event
    solution.json.gz   the solution, if there is one, for the instance `solved_sha256`; of other
                       kinds of problems a file of another name, see `rsjs.runs.kinds`
    log.gz             what the run printed, the middle left out if it is long
    SHA256SUMS         of all these, as coreutils write it
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from rsjs.campaigns import schema_files
from rsjs.campaigns.run import Run
from rsjs.campaigns.schema_files import Document
from rsjs.core.errors import InputError, described, printable
from rsjs.core.report import Event, SolveResult, Stop
from rsjs.instances.check import Verdict, Violation
from rsjs.instances.io.bounded_files import read_bytes
from rsjs.instances.io.strict_json import read_json_lines
from rsjs.runs.kinds.base import kind

SUMS = "SHA256SUMS"


@dataclass(frozen=True, kw_only=True, eq=False)
class Record:
    """
    A run that was carried out.

    Attributes
    ----------
    run : Run
    result : SolveResult
        Without the decision, which stays in its file.
    verdict : Verdict or None
        None without a decision.
    process : mapping
        See `schemas/result.schema.json`.
    incumbents : list of mapping
        seconds, claimed, objective [$] of the decisions that were priced again.
    incumbents_reported : int
        How many there were.
    rsjs_version : str
    solver_version : str or None
    session : str
        The `rsjs run` that made it: a file in sessions/.
    figures : mapping
        Further metrics of its kind, see `rsjs.runs.kinds`.
    """

    run: Run
    result: SolveResult
    verdict: Verdict | None
    process: Mapping[str, Any]
    incumbents: list[Document]
    incumbents_reported: int
    rsjs_version: str
    solver_version: str | None
    session: str
    figures: Mapping[str, Any] = field(default_factory=dict)


def read(folder: Path) -> Record:
    """
    The record in a folder.

    Raises
    ------
    InputError
        If a file is missing, not as its sum says, or not of its format.
    """
    names = sound(folder)
    spec, result, verification = (
        schema_files.read(folder / name, name.removesuffix(".json")) for name in names[:3]
    )
    run = Run.of_document(spec)
    for place, found in (("spec", spec), ("result", result), ("verify", verification)):
        if not found["id"] == run.id == folder.name:
            raise InputError("/id", found["id"], f"{run.id}, as asked", folder / f"{place}.json")
    _refuse_without_decision(folder, names, run, verification["verdict"])
    return Record(
        run=run,
        result=SolveResult(
            stop=Stop(result["stop"]),
            objective=result["objective"],
            bound=result["bound"],
            bound_source=result["bound_source"],
            bound_variant=result["bound_variant"],
            seconds=result["seconds"],
            events=tuple(_events(folder / "events.jsonl")),
            counts=result["counts"],
            options=result["options"],
            message=printable(result["message"]),
            peak_memory_mb=result["peak_memory_mb"],
        ),
        verdict=_verdict(verification["verdict"]),
        process=result["process"],
        incumbents=verification["incumbents"],
        incumbents_reported=verification["incumbents_reported"],
        rsjs_version=result["rsjs_version"],
        solver_version=result["solver_version"],
        session=result["session"],
        figures=result.get("figures", {}),
    )


def sound(folder: Path) -> list[str]:
    """The names of the files of a record, all as their sums say."""
    try:
        lines = read_bytes(folder / SUMS).decode().splitlines()
        sums = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
        for name, digest in sums.items():
            if Path(name).name != name:
                raise InputError("", name, "the name of a file beside it", folder / SUMS)
            found = sha256(read_bytes(folder / name)).hexdigest()
            if found != digest:
                raise InputError("", found, f"sha256 {digest}", folder / name)
    except InputError:
        raise
    except (OSError, ValueError) as error:  # ValueError: text that is none, or a NUL in a name
        raise InputError("", described(str(error)), "a whole record", folder) from None
    names = [*sums]
    if names[:3] != ["spec.json", "result.json", "verify.json"] or "events.jsonl" not in sums:
        raise InputError("", described(f"{len(sums)} files"), "a whole record", folder / SUMS)
    return names


def _refuse_without_decision(
    folder: Path, names: list[str], run: Run, verdict: Document | None
) -> None:
    """A simulation that is refused may be so for want of a log."""
    needed = kind(run.kind).solution_file
    told = verdict is not None and (run.kind != "workload" or verdict["feasible"])
    if told and needed not in names:
        expected = f"{needed}, of which verify.json tells"
        raise InputError("", described(f"no {needed}"), expected, folder / SUMS)


def _verdict(document: Document | None) -> Verdict | None:
    if document is None:
        return None
    violations = tuple(Violation(**found) for found in document["violations"])
    return Verdict(**{**document, "violations": violations})


def _events(path: Path) -> list[Event]:
    """Read the events of a run, each a JSON document on a line of its own."""
    found = read_json_lines(path) if path.stat().st_size else []
    schema_files.fit_schema(found, "events", path)
    return [Event(**event) for event in found]
