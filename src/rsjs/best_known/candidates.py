"""
What runs and people claim of an instance, before anything is taken.

The claims of the runs in stores of `rsjs run`.

A solution from elsewhere: its cost counts, a claimed bound does not, as nobody can check it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from rsjs.best_known.entries import Origin
from rsjs.best_known.exact_cost import exact_terms
from rsjs.campaigns import manifest, session
from rsjs.campaigns.instance_store import instance_file, refuse_other
from rsjs.campaigns.records import Record
from rsjs.campaigns.store import Store
from rsjs.core.errors import InputError
from rsjs.core.report import Stop
from rsjs.instances.instance import Instance
from rsjs.instances.io.files import read_instance, read_solution
from rsjs.instances.solution import Solution
from rsjs.instances.transform import permuted


@dataclass(frozen=True, kw_only=True)
class CostClaim(Origin):
    """
    A decision, and its cost as checked in floating point.

    Attributes
    ----------
    decision : callable
        Reads it: most are never asked for.
    """

    decision: Callable[[], Solution]


@dataclass(frozen=True, kw_only=True)
class BoundClaim(Origin):
    """
    A lower bound that its method declares valid for the instance as given.

    Attributes
    ----------
    bound_source : str or None
    sound : bool
        False for a run with another false claim: its bound must not contradict, and is not taken.
    """

    bound_source: str | None
    sound: bool


@dataclass(frozen=True, kw_only=True)
class Claims:
    """All claims on an instance."""

    instance: Instance
    costs: list[CostClaim] = field(default_factory=list)
    bounds: list[BoundClaim] = field(default_factory=list)


VALID = "instance"  # `bound_variant` of a bound for the instance as given

Found = dict[str, Claims]


def of_stores(folders: Sequence[Path], without: Collection[str] = ()) -> tuple[Found, list[str]]:
    """
    The claims of all runs, and what is left out with the reason.

    Parameters
    ----------
    folders : list of path
        Stores; a run that two of them have counts once.
    without : collection of str
        Ids of runs to leave out.

    Returns
    -------
    mapping of str to Claims, list of str
        By sha256 of the instance, in its own order of jobs and nodes.

    Raises
    ------
    InputError
        For a folder that is no store, an instance that is not what its sha256 says, and a run to
        leave out that no store has.
    """
    found: Found = {}
    left_out: list[str] = []
    met: set[str] = set()
    for store, record, origin in _runs(folders, left_out):
        run = record.run
        met.add(run.id)
        if run.id in without:
            continue
        if run.instance_sha256 not in found:
            found[run.instance_sha256] = Claims(instance=_instance(store, run.instance_sha256))
        claims = found[run.instance_sha256]
        claims.costs.extend(_costs(record, origin, store, claims.instance))
        claims.bounds.extend(_bounds(record, origin))
        if _is_false(record):
            left_out.append(f"run {run.id} ({run.method}) on {run.instance}: a false claim")
    if unknown := sorted({*without} - met):
        raise InputError("--without", unknown[0], f"the id of one of {len(met)} runs")
    return found, left_out


def _runs(
    folders: Sequence[Path], left_out: list[str]
) -> Iterator[tuple[Store, Record, dict[str, Any]]]:
    """Each run once, with its store and what an `Origin` tells of it besides the value."""
    met: set[str] = set()
    for folder in folders:
        store, campaign = Store(folder), manifest.read(folder, "store")["campaign"]
        survey = store.survey(store.ids())
        left_out += [f"record {run_id}: {reason}" for run_id, reason in survey.corrupt]
        sessions, lost = session.read_some(folder, (record.session for record in survey.done))
        left_out += [f"session {name}: {reason}" for name, reason in lost]
        for record in survey.done:
            if record.run.id not in met and record.run.kind == "instance":
                met.add(record.run.id)
                yield store, record, _origin(record, campaign, sessions.get(record.session))


def _instance(store: Store, sha256: str) -> Instance:
    path = instance_file(store.folder, sha256)
    instance = read_instance(path)
    refuse_other(instance, sha256, path)
    return instance


def _origin(record: Record, campaign: str, made_by: Mapping[str, Any] | None) -> dict[str, Any]:
    """What the file of the session told is None where it cannot be read."""
    known = made_by or {"commit": None, "dirty": None, "machine": {}}
    commit, seconds = known["commit"], record.result.seconds.get("total")
    return {
        "date": record.process["begun"],
        "source": f"campaign {campaign}",
        "run_id": record.run.id,
        "method": record.run.method,
        "solver": record.run.solver,
        "solver_version": record.solver_version,
        "rsjs_version": record.rsjs_version,
        "commit": f"{commit}-dirty" if commit and known["dirty"] else commit,
        "seconds": None if seconds is None else round(seconds, 3),
        "cpu_model": known["machine"].get("cpu_model"),
    }


def _is_false(record: Record) -> bool:
    return record.verdict is not None and not record.verdict.feasible


def _costs(
    record: Record, origin: dict[str, Any], store: Store, instance: Instance
) -> Iterator[CostClaim]:
    verdict = record.verdict
    if verdict is not None and verdict.feasible and verdict.objective is not None:
        decision = _reader(store.path(record.run.id), record, instance)
        yield CostClaim(**origin, value=float(verdict.objective), decision=decision)


def _reader(folder: Path, record: Record, instance: Instance) -> Callable[[], Solution]:
    run = record.run

    def read() -> Solution:
        found = read_solution(folder / "solution.json.gz")
        if found.instance_digest != run.solved_sha256:
            expected = f"{run.solved_sha256}, as asked"
            raise InputError("/instance", found.instance_digest, expected, folder)
        if run.permutation == 0:
            return found.solution
        return permuted(instance, run.permutation).restored(found.solution)

    return read


def _bounds(record: Record, origin: dict[str, Any]) -> Iterator[BoundClaim]:
    """A claim that no decision is feasible is a bound of infinity."""
    result, sound = record.result, not _is_false(record)
    if result.stop is Stop.INFEASIBLE:
        yield BoundClaim(**origin, value=inf, bound_source=result.bound_source, sound=False)
    elif result.bound is not None and result.bound_variant == VALID:
        value, source = float(result.bound), result.bound_source
        yield BoundClaim(**origin, value=value, bound_source=source, sound=sound)


def contributed(instance: Path, solution: Path, source: str, date: str) -> Claims:
    """
    The claim that a solution file makes.

    Parameters
    ----------
    source : str
        Whom to credit, as it will be printed.
    date : str
        UTC.

    Raises
    ------
    InputError
        For a solution of another instance, or one that fails the check.
    """
    subject, found = read_instance(instance), read_solution(solution)
    if found.instance_digest != subject.digest:
        expected = f"{subject.digest}, the sha256 of {subject.name}"
        raise InputError("/instance", found.instance_digest, expected, solution)
    try:
        cost = float(sum(exact_terms(subject, found.solution).values()))
    except InputError as error:
        raise error.at(solution) from None
    claim = CostClaim(
        value=cost, date=date, source=source, method=found.method, decision=lambda: found.solution
    )
    return Claims(instance=subject, costs=[claim])
