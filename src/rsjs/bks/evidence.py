"""
Status of the instances of the library: evidence of best-known values and of stored rows.

Rows are those in `rows.csv` of results/selection, in the source tree; a wheel has the values of
`results/best_known` only in summary, so that a closed instance is `closed` there and no more. Rows
of the models of the solver track are those of results/solver_track; without them none was run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path

from rsjs.bks import storage
from rsjs.bks.entries import BestKnown
from rsjs.formulations.milp.models import PROVED, TrackModel, models
from rsjs.instances.library.sets import LibrarySet
from rsjs.rows.csv import read_rows
from rsjs.rows.select import AnyRow, is_wrong, known
from rsjs.rows.status import Status, refuse_more, status

ROWS = storage.TREE.parent / "selection" / "rows.csv"
NOT_RUN = "not run"  # status of a model of which no run is stored
TRACK = storage.TREE.parent / "solver_track" / "rows.csv"


def statuses(chosen: LibrarySet) -> list[Status]:
    """
    Return the status of each member of a set.

    Raises
    ------
    InputError
        Naming the file of the set and the row of a member whose stated status says more than what
        is stored proves of it.
    """
    found = []
    for i, member in enumerate(chosen.members, start=1):
        proved = status_of(member.sha256)
        if storage.TREE.is_dir():
            refuse_more(member.status, proved, f"golden/{chosen.name}.csv, row {i}, status")
        found.append(proved)
    return found


def status_of(sha256: str) -> Status:
    """Return the status of the instance with a digest."""
    proved = status(evidence(sha256))
    if proved.word == "unknown" and proved.bound is None and sha256 in storage.optima():
        return Status(word="closed", gap=0.0)
    return proved


def evidence(sha256: str) -> list[AnyRow]:
    """Return the rows that say something of the instance with a digest."""
    return _rows(storage.TREE.absolute()).get(sha256, [])


def track() -> dict[str, TrackModel]:
    """Return the models of the solver track by name."""
    return {model.name: model for model in models()}


def model_rows(rows: Iterable[AnyRow] | None = None) -> dict[str, list[AnyRow]]:
    """
    Return the runs of solvers on models of the solver track, by the name of the model.

    The runs of `solve` on the model itself, and of its formulation on the instance, of these rows
    or of the stored ones. Those of models or instances with another digest do not count.
    """
    by_name = track()
    found: dict[str, list[AnyRow]] = defaultdict(list)
    if rows is None:
        rows = read_rows(TRACK) if TRACK.exists() else ()
    for row in rows:
        method, _, solver = str(row["method"]).partition("@")
        itself = method == "solve"
        model = by_name.get(row["instance"] if itself else f"{method}-{row['instance']}")
        if model is None or not solver:
            continue
        if row["instance_sha256"] == (model.text_sha256 if itself else model.instance_sha256):
            found[model.name].append({**row, "solver": solver})
    return dict(found)


def status_of_model(model: TrackModel, rows: Mapping[str, Sequence[AnyRow]]) -> str:
    """Return the status of a model of the solver track by its runs, see `model_rows`."""
    if model.name not in rows:
        return NOT_RUN
    return str(status(row for row in rows[model.name] if not is_wrong_answer(row, model)))


def is_wrong_answer(row: AnyRow, model: TrackModel) -> bool:
    """
    Return whether an answer is none, or a cost that is known refutes it.

    A cost refutes a bound above it, and that there is no solution.
    """
    if is_wrong(row):
        return True
    bound = known(row, "bound")
    if model.objective is None:
        return False
    if row.get("stop") == "infeasible":
        return True
    if bound is None:
        return False
    return bool(bound > model.objective + PROVED * max(1.0, abs(model.objective)))


@cache
def _rows(folder: Path) -> dict[str, list[AnyRow]]:
    """Return rows by sha256 of the instance: of best-known values, then of the selection."""
    found: dict[str, list[AnyRow]] = defaultdict(list)
    for row in read_rows(ROWS) if ROWS.exists() else ():
        found[row["instance_sha256"]].append(row)
    for sha256, entry in storage.read(folder).items() if folder.is_dir() else ():
        found[sha256] = merged(found[sha256], entry)
    return found


def merged(rows: list[AnyRow], entry: BestKnown) -> list[AnyRow]:
    """Return the rows of an instance, and of further runs among the histories of its entry."""
    runs = {row.get("run_id") for row in rows} - {None}
    return [*rows, *(row for row in rows_of(entry) if row["run_id"] not in runs)]


def rows_of(entry: BestKnown) -> list[AnyRow]:
    """
    Return a row for each run among the histories, with its cost, its bound or both.

    What no run of ours has found, such as the bound of a certificate, has a row of its own: its
    method is the source, and it took no seconds.
    """
    rows: dict[str | None, dict[str, object]] = {}
    for key, steps in (("bound", entry.lb_data), ("objective", entry.ub_data)):
        for run in chain.from_iterable((step, *step.confirmed_by) for step in steps):
            if run.seconds is None:
                name: str | None = f"{key} {run.value}, {run.source}"
                told: dict[str, object] = {"run_id": name, "method": run.source}
            else:
                name = run.run_id
                told = {
                    "run_id": name,
                    "method": run.method,
                    "total_s": run.seconds,
                    "rsjs_version": run.rsjs_version,
                    "solver_version": run.solver_version,
                    "cpu_model": run.cpu_model,
                }
            rows.setdefault(name, told)[key] = run.value
    return [*rows.values()]
