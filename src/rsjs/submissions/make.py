"""
Submissions made of the store of a campaign: of each instance the best solution and the best bound.

One for each family of the instances, FOLDER/FAMILY/NAME. A bound comes with its certificate if the
run that proved the greatest one has it, else with the run itself, which anybody can repeat.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from math import ceil
from pathlib import Path
from typing import Any

from rsjs.bks import schedules
from rsjs.bks.candidates import Candidates, of_stores
from rsjs.bks.certificates import reaches
from rsjs.bks.certify import certificate_of, short_of
from rsjs.bks.exact_cost import priced
from rsjs.bks.regenerate import document as document_of
from rsjs.campaigns.records import Record
from rsjs.campaigns.runner import fits
from rsjs.campaigns.store import Store
from rsjs.core.errors import InputError, described
from rsjs.instances.instance import Instance
from rsjs.instances.io.files import refuse_unwritable, write_document, write_packed
from rsjs.instances.io.serialization import of_solution
from rsjs.simulation import event_log
from rsjs.simulation.bounds import CERTIFICATE as BOUND
from rsjs.simulation.event_log import Log
from rsjs.submissions import document
from rsjs.submissions.claims import BOUND_RUN, refuse_unrepeatable
from rsjs.submissions.document import CLOSED, CLOSED_LIMITS, OPEN, Submission
from rsjs.submissions.files import TOML
from rsjs.submissions.subjects import Known


@dataclass(frozen=True, kw_only=True)
class Made:
    """A submission that was written."""

    folder: Path
    submission: Submission
    solutions: int
    bounds: int


@dataclass
class _Parts:
    """Files of a submission, and the runs that they are from."""

    files: dict[str, Any] = field(default_factory=dict)  # name -> document
    runs: dict[str, Record] = field(default_factory=dict)


def make(
    store: Path,
    folder: Path,
    *,
    who: Iterable[str],
    reference: str,
    name: str,
    only: str = "*",
    certify: float = 0.0,
    best_known: Path | None = None,
) -> tuple[list[Made], list[str]]:
    """
    Write the submissions of a store; return them, and why runs or bounds were left out.

    `only` chooses runs by how their label begins, which is METHOD seed S on INSTANCE. `certify` is
    about how many seconds a certificate of each bound that has none may take. An InputError
    tells of a store without a result, a submission that exists, and a text that is refused.
    """
    refuse_unwritable(folder, folder=True)
    known, (candidates, left_out) = Known.of(best_known), of_stores([store])
    survey = Store(store).survey(Store(store).ids())
    records = {record.run.id: record for record in survey.done}
    families: dict[str, _Parts] = defaultdict(_Parts)
    chosen = {key for key, one in records.items() if fits(one.run, only)}
    for sha256, found in sorted(candidates.items()):
        parts = _Parts()
        left_out += _add(parts, found, {key: records[key] for key in chosen}, certify)
        if parts.files:
            if known.subject(sha256) is None:
                parts.files[f"instances/{sha256}.json.gz"] = document_of(found.instance)
            families[known.family(sha256)].files |= parts.files
            families[known.family(sha256)].runs |= parts.runs
    if not families:
        expected = "one with a solution or a bound of an instance, or another --only"
        raise InputError("", described("no run with either"), expected, store)
    made = []
    cpus = {key: one["machine"].get("cpu_model") for key, one in survey.sessions.items()}
    for family, parts in families.items():
        place = folder / family / name
        told = _told(parts.runs.values(), cpus)
        submission = Submission(
            family=family, name=name, who=tuple(who), reference=reference, **told
        )
        document.refuse_odd(submission, place / TOML)
        if place.exists():
            raise InputError("", described("a submission"), "another --name, or no folder", place)
        made.append((place, submission, parts.files))
    return [_written(*one) for one in made], left_out


def _add(
    parts: _Parts, found: Candidates, records: Mapping[str, Record], certify: float
) -> Iterable[str]:
    """Add the best cost and the best bound of an instance; yield why a bound is left out."""
    sha256 = found.instance.digest
    costs = [one for one in found.costs if one.run_id in records]
    if costs:
        best = min(costs, key=lambda one: (one.value, *one.order))
        solution = best.read_solution()
        if isinstance(solution, Log):
            parts.files[f"solutions/{sha256}.jsonl.gz"] = event_log.text_of(solution).encode()
        else:
            assert isinstance(found.instance, Instance), "solutions are of instances"
            told = {"method": best.method, "objective": priced(found.instance, solution)["value"]}
            parts.files[f"solutions/{sha256}.json"] = of_solution(solution, sha256, **told)
        parts.runs[best.run_id or ""] = records[best.run_id or ""]
    bounds = [one for one in found.bounds if one.run_id in records]
    for bound in sorted(bounds, key=lambda one: (-one.value, *one.order)):
        run_id = bound.run_id or ""
        if (packed := found.certificates.get(run_id)) is not None:
            made: Any = schedules.unpacked(packed, BOUND, "/certificate").encode()
        elif (proof := _certificate(found, bound.value, certify)) is not None:
            made = proof
        else:
            try:
                made = _run_of(records[run_id], bound.value, found)
            except InputError as error:
                yield f"bound of {bound.name}: {error}"
                continue
        parts.files[f"bounds/{sha256}.json"] = made
        parts.runs[run_id] = records[run_id]
        return


def _certificate(found: Candidates, bound: float, seconds: float) -> Mapping[str, Any] | None:
    """Return a certificate of a bound; None if there is no time, or it does not reach the bound."""
    if not seconds or not isinstance(found.instance, Instance):
        return None
    try:
        made = certificate_of(found.instance, short_of(bound), seconds)
    except InputError:  # an objective that has none
        return None
    return made if reaches(made["bound"], bound) else None


def _run_of(record: Record, bound: float, found: Candidates) -> Mapping[str, Any]:
    """Return the document of a bound that a run proved; InputError for one nobody can repeat."""
    run = record.run
    refuse_unrepeatable(run.method, found.instance)
    return {
        "format": BOUND_RUN,
        "instance": run.instance_sha256,
        "bound": bound,
        "method": run.method,
        "limits": asdict(run.limits),
        "permutation": run.permutation,
        "rsjs_version": record.rsjs_version,
        "solver_version": record.solver_version,
    }


def _told(records: Iterable[Record], cpus: Mapping[str, str | None]) -> dict[str, Any]:
    """Return date, method, machine, division and limits of the runs of a submission."""
    used = list(records)
    labels = sorted({record.run.shown for record in used})
    machines = sorted({cpu for record in used if (cpu := cpus.get(record.session))})
    limits = {
        "time_s": max(ceil(record.run.limits.time_limit) for record in used),
        "threads": max(record.run.limits.threads for record in used),
        "memory_mb": max(ceil(record.run.limits.memory_limit_mb or 10**9) for record in used),
    }
    closed = all(limits[key] <= most for key, most in CLOSED_LIMITS.items())
    methods = labels[0] if len(labels) == 1 else f"best of {len(labels)} methods: "
    methods += "" if len(labels) == 1 else ", ".join(labels)
    return {
        "date": max(record.process["begun"] for record in used)[:10],
        "method": _cut(f"{methods}, rsjs-bench {version('rsjs-bench')}"),
        "machine": _cut(", ".join(machines) or "unknown"),
        "division": CLOSED if closed else OPEN,
        "limits": limits,
    }


def _cut(text: str) -> str:
    return text if len(text) <= 300 else f"{text[:296]} ..."


def _written(place: Path, submission: Submission, files: Mapping[str, Any]) -> Made:
    """Write a submission; its document comes last, so that without it nothing is complete."""
    for name, content in files.items():
        if isinstance(content, bytes):
            write_packed(content, place / name)
        else:
            write_document(content, place / name)
    write_packed(document.text_of(submission).encode(), place / TOML)
    counts = {
        part: sum(name.startswith(part) for name in files) for part in ("solutions", "bounds")
    }
    return Made(folder=place, submission=submission, **counts)
