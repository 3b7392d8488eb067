"""
Candidates for best-known values, before any of them is taken.

They come from the runs in stores of `rsjs run`, or from a solution made elsewhere: its cost
counts, a bound that it reports does not, as nobody can check it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from rsjs import rsjs_verify
from rsjs.bks import schedules
from rsjs.bks.entries import Bound, Document, Origin
from rsjs.bks.exact_cost import priced
from rsjs.campaigns.records import Record
from rsjs.campaigns.store import Store, instance_file, read_document, refuse_other
from rsjs.core.errors import InputError
from rsjs.core.method import with_names
from rsjs.core.report import Stop
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io.files import read_any, read_solution
from rsjs.instances.io.serialization import INSTANCE, SOLUTION, WORKLOAD, canonical_text
from rsjs.instances.solution import Solution
from rsjs.instances.transform import permuted
from rsjs.runs.kinds.base import kind
from rsjs.simulation import event_log
from rsjs.simulation.event_log import Log
from rsjs.simulation.options import is_comparable


@dataclass(frozen=True, kw_only=True)
class CostCandidate(Origin):
    """A solution, and its cost as checked in floating point."""

    read_solution: Callable[[], Solution | Log]  # most are never asked for


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """All candidates for the values of an instance or a workload."""

    instance: Instance | Workload
    costs: list[CostCandidate] = field(default_factory=list)
    bounds: list[Bound] = field(default_factory=list)  # that methods declare valid for it as given
    #: of runs with a false report: not taken, but they must not contradict a cost
    unsound: list[Bound] = field(default_factory=list)
    #: run, or source of what is none -> that of its bound
    certificates: dict[str, Document] = field(default_factory=dict)
    stranger: bool = False  #: it came with a submission: no generator that it names is run

    def certificate_of(self, bound: Bound) -> Document | None:
        """Return the certificate that came with a bound, packed."""
        return self.certificates.get(bound.run_id or bound.source)


def of_stores(
    folders: Sequence[Path], without: Collection[str] = ()
) -> tuple[dict[str, Candidates], list[str]]:
    """
    Return the candidates of all runs by sha256 of the instance, and why others are left out.

    A run that two stores have counts once. Instances have their own order of jobs and nodes. An
    InputError tells of a folder that is no store, an instance that is not what its sha256 says, or
    a run to leave out that no store has.
    """
    left_out: list[str] = []
    runs: dict[str, tuple[Store, Record, dict[str, Any]]] = {}
    for folder in folders:
        store, campaign = Store(folder), read_document(folder, "store")["campaign"]
        survey = store.survey(store.ids())
        left_out += [f"record {run_id}: {reason}" for run_id, reason in survey.corrupt]
        left_out += [f"session {name}: {reason}" for name, reason in survey.lost]
        for record in survey.done:
            of = record.run
            if kind(of.kind).has_best_known and is_comparable(of.options):
                made_by = survey.sessions.get(record.session)
                origin = _origin(record, f"campaign {campaign}", made_by)
                runs.setdefault(record.run.id, (store, record, origin))
    if unknown := sorted({*without} - {*runs}):
        raise InputError("--without", unknown[0], f"the id of one of {len(runs)} runs")
    by_instance: dict[str, Candidates] = {}
    for run_id, (store, record, origin) in runs.items():
        if run_id not in without:
            sha256 = record.run.instance_sha256
            if sha256 not in by_instance:
                path = instance_file(store.folder, sha256)
                instance = kind(record.run.kind).read(path)
                refuse_other(instance, sha256, path)
                by_instance[sha256] = Candidates(instance=instance)
            left_out += _add(by_instance[sha256], record, origin, store.path(run_id))
    return by_instance, left_out


def _origin(record: Record, source: str, made_by: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the fields of an `Origin` besides the value; `made_by` is the file of the session."""
    run, seconds, known = record.run, record.result.seconds.get("total"), made_by or {}
    commit = known.get("commit")
    return {
        "date": record.process["begun"],
        "source": source,
        "run_id": run.id,
        "method": run.shown,
        "solver": None if run.solver is None else with_names(f"@{run.solver}")[1:],
        "solver_version": record.solver_version,
        "rsjs_version": record.rsjs_version,
        "commit": f"{commit}-dirty" if commit and known["dirty"] else commit,
        "seconds": None if seconds is None else round(seconds, 3),
        "cpu_model": known.get("machine", {}).get("cpu_model"),
    }


def _add(
    candidates: Candidates, record: Record, origin: dict[str, Any], folder: Path
) -> Iterator[str]:
    """Add the cost and the bound of a run; yield a line on one with a false claim."""
    run, result, verdict = record.run, record.result, record.verdict

    def read() -> Solution | Log:
        if isinstance(candidates.instance, Workload):
            return event_log.read(folder / kind(run.kind).solution_file)
        found = read_solution(folder / "solution.json.gz")
        if found.instance_digest != run.solved_sha256:
            expected = f"{run.solved_sha256}, as asked"
            raise InputError("/instance", found.instance_digest, expected, folder)
        if run.permutation == 0:
            return found.solution
        return permuted(candidates.instance, run.permutation).restored(found.solution)

    sound = verdict is None or verdict.feasible
    if not sound:
        yield f"run {run.id} ({run.method}) on {run.instance}: a false claim"
    elif verdict is not None and verdict.objective is not None:
        cost = CostCandidate(**origin, value=float(verdict.objective), read_solution=read)
        candidates.costs.append(cost)
    source = result.bound_source
    if result.stop is Stop.INFEASIBLE:  # no solution costs less than infinity
        candidates.unsound.append(Bound(**origin, value=inf, bound_source=source))
    elif source == "capacity_free":  # what any simulation has: it confirms no other bound
        return
    elif result.bound is not None and result.bound_variant == "instance":  # as given
        bound = Bound(**origin, value=float(result.bound), bound_source=source)
        (candidates.bounds if sound else candidates.unsound).append(bound)
        if (certificate := record.figures.get("certificate")) is not None:
            packed = schedules.packed(rsjs_verify.BOUND, canonical_text(certificate))
            candidates.certificates[run.id] = packed


def contributed(instance: Path, solution: Path, source: str, date: str) -> Candidates:
    """
    Return the candidate of a solution file, credited to `source` on a date (UTC).

    InputError for a solution of another instance, or one that fails the check.
    """
    subject = read_any(instance)
    credit: dict[str, Any] = {"date": date, "source": source}
    if isinstance(subject, Workload):
        log = event_log.read(solution)
        try:
            credit |= {"value": schedules.priced(subject, log)["value"]}
        except InputError as error:
            raise error.at(solution) from None
        credit["method"] = log.run["policy"]
        candidate = CostCandidate(**credit, read_solution=lambda: log)
        return Candidates(instance=subject, costs=[candidate])
    if not isinstance(subject, Instance):
        raise InputError("/format", SOLUTION, f"{INSTANCE} or {WORKLOAD}", instance)
    found = read_solution(solution)
    found.refuse_other(subject, solution)
    try:
        cost = priced(subject, found.solution)["value"]
    except InputError as error:
        raise error.at(solution) from None
    credit |= {"value": cost, "method": found.method}
    candidate = CostCandidate(**credit, read_solution=lambda: found.solution)
    return Candidates(instance=subject, costs=[candidate])
