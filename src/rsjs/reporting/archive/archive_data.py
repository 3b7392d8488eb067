"""
What stores hold, campaign by campaign, and their instances, best solutions and logs in an archive.

Files of stores cost what their rows say (logs of simulations are simulated again), and solutions
are checked by the verifier that goes with them.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rsjs.bks.exact_cost import AGREEMENT
from rsjs.campaigns import records
from rsjs.campaigns.collection import Collected, collect
from rsjs.campaigns.pool_worker import problem_in
from rsjs.campaigns.store import (
    CAMPAIGN,
    Store,
    instance_file,
    read_document,
    read_index,
    refuse_other,
)
from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import write_bytes
from rsjs.instances.traces.registry import refuse_unlicensed
from rsjs.reporting.statistics import tables
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.tidy import StoredRow
from rsjs.reporting.tables.formats import counted
from rsjs.rows.columns import Row
from rsjs.rows.csv import write_all
from rsjs.rows.select import best_row, by_family, failure, group_by, is_simulated, ordered, problem
from rsjs.runs.kinds.base import kind

VERIFIER = "rsjs_verify.py"
LONGEST = 180  # characters of an instance's name that are kept in that of its file
SOLUTIONS, LOGS = "best_solutions", "best_logs"  # no campaign has a name with an underscore


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One campaign: what was asked and what came of it."""

    name: str
    text: str  # the campaign file as last run
    stores: Sequence[Path]  # of its shards
    found: Collected

    @cached_property
    def rows(self) -> list[Row]:
        """Rows of all runs, in the order of `select.ordered`, whatever that of the stores."""
        return ordered(self.found.rows)

    @property
    def sessions(self) -> list[Mapping[str, Any]]:
        """The `rsjs run` that made the rows, in order of time."""
        return sorted(self.found.sessions.values(), key=lambda one: (one["begun"], one["id"]))


def experiments(stores: Sequence[Path]) -> list[Experiment]:
    """
    Return the campaigns of stores by name; stores of one name are shards of one campaign.

    InputError for a folder that is no store, for what cannot be read, and for stores of one name
    with campaigns that differ.
    """
    shards = group_by(stores, lambda folder: str(read_document(folder, "store")["campaign"]))
    return [_experiment(name, folders) for name, folders in sorted(shards.items())]


def _experiment(name: str, folders: Sequence[Path]) -> Experiment:
    found = collect(folders)
    for path, reason in (*found.corrupt, *found.lost):
        raise InputError("", described(f"a corrupt record: {reason}"), "sound records", path)
    if not found.rows:
        raise InputError("", described("no records"), "runs; see `rsjs run`", folders[0])
    text, *others = {(folder / CAMPAIGN).read_text("utf-8") for folder in folders}
    if others:
        told = described(f"{len(others) + 1} campaigns that differ")
        raise InputError("", told, f"one campaign of the name {name}", folders[-1])
    return Experiment(name=name, text=text, stores=folders, found=found)


def doubts(found: Sequence[Experiment]) -> list[str]:
    """Return what keeps others from trusting the results or making them again, in sentences."""
    rows = [row for experiment in found for row in experiment.rows]
    missing = sum(len(experiment.found.missing) for experiment in found)
    failed = Counter(filter(None, map(failure, rows)))
    dirty = sum(row["dirty"] is True for row in rows)
    told = [f"{counted(missing, 'run')} of the plan not carried out."] if missing else []
    if failed:
        causes = ", ".join(f"{count} {cause}" for cause, count in sorted(failed.items()))
        told.append(f"{counted(failed.total(), 'run')} failed: {causes}.")
    if dirty:
        told.append(f"{counted(dirty, 'run')} made from source with changes that no commit holds.")
    for key, what in (("commit", "commits"), ("rsjs_version", "versions")):
        values = sorted({str(row.get(key)) for row in rows})
        if len(values) > 1:
            told.append(f"Runs made at several {what}: {', '.join(values)}.")
    return told


def write_results(experiment: Experiment, folder: Path) -> list[str]:
    """
    Write rows and trajectories as `rsjs collect`, tables and pictures as `rsjs statistics`.

    Return the names of the files below the folder.
    """
    found = experiment.found
    files = write_all(experiment.rows, found.skipped, found.trajectories, folder)
    events = {trajectory["run_id"]: trajectory["events"] for trajectory in found.trajectories}
    rows: list[StoredRow] = [{**row, "events": events[row["run_id"]]} for row in experiment.rows]
    families = by_family(rows)
    for name, group in families.items():
        place = folder / name if len(families) > 1 else folder
        files += tables.write_all(Analysis(rows=group), place)
    return [path.relative_to(folder).as_posix() for path in files]


def write_instances(found: Sequence[Experiment], folder: Path) -> list[dict[str, Any]]:
    """
    Copy every instance that was given or solved, each in its orders; return what they are.

    Order 0 is as given, any other the seed that drew the order of jobs and nodes. InputError if a
    store lacks one, has another in its place, or one of a trace that may not be redistributed.
    """
    made: dict[str, dict[str, Any]] = {}
    for experiment in found:
        for row in experiment.rows:
            solved = row["solved_sha256"], row["permutation"]
            for sha256, order in ((row["instance_sha256"], 0), solved):
                if sha256 in made:
                    continue
                paths = [instance_file(store, sha256) for store in experiment.stores]
                path = next((path for path in paths if path.exists()), paths[0])
                subject = kind(_kind(row)).read(path)
                refuse_other(subject, sha256, path)
                _refuse_unlicensed(subject, path)
                plain = re.sub(r"[^\w.+-]|^\.", "_", row["instance"][:LONGEST], flags=re.ASCII)
                file = f"{plain}-{sha256[:8]}.json.gz"
                write_bytes(path.read_bytes(), folder / file)
                size = {"nodes": row["nodes"], "jobs": row["jobs"]}
                made[sha256] = {"file": file, "sha256": sha256, "order": order, **size}
    return sorted(made.values(), key=lambda one: (one["nodes"], one["jobs"], one["file"]))


def _refuse_unlicensed(subject: Any, path: Path) -> None:
    try:
        refuse_unlicensed(subject.generator)
    except InputError as error:
        raise error.at(path) from None


def _kind(row: Row) -> str:
    return "workload" if is_simulated(row) else "instance"


def read_from_files(experiment: Experiment) -> set[str]:
    """Return sha256 of the instances that a campaign reads from files, as its stores tell."""
    found = {
        entry["sha256"]
        for folder in experiment.stores
        for key, entry in read_index(folder / "instances/index.json")["drawn"].items()
        if re.fullmatch("[0-9a-f]{64}", key)  # the sum of a file, else a generator's arguments
    }
    return found & {row["instance_sha256"] for row in experiment.rows}


def write_best(
    found: Sequence[Experiment], data: Sequence[Mapping[str, Any]], folder: Path
) -> list[dict[str, Any]]:
    """
    Copy the cheapest verified solution of each instance, whatever order it was solved in.

    Of workloads, the log of the cheapest simulation, campaign by campaign, for their options may
    differ. Where the times of a campaign differ by seed, each seed has its log. Return the rows of
    the runs with `file`, the name below the folder.
    """
    experiment_of = {one.name: one for one in found}
    name_of = {one["sha256"]: one["file"].removesuffix(".json.gz") for one in data}
    rows = [row for one in found for row in one.rows]
    groups = group_by(rows, lambda row: (problem(row), is_simulated(row) and row["campaign"]))
    made = []
    for row in filter(None, map(best_row, groups.values())):
        name = name_of[row["instance_sha256"]]
        file = f"{SOLUTIONS}/{name}.json.gz"
        if is_simulated(row):
            seed = "" if problem(row)[-1] is None else f"-seed{row['seed']}"
            file = f"{LOGS}/{row['campaign']}/{name}{seed}.jsonl.gz"
        _copy(row, experiment_of[row["campaign"]].stores, folder / file)
        made.append({**row, "file": file})
    return sorted(made, key=lambda one: one["file"])


def _copy(row: Row, stores: Sequence[Path], to: Path) -> None:
    """Copy the solution or log of a run; InputError if it does not cost what its row says."""
    own, claimed = kind(_kind(row)), row["objective"]
    store = next(store for store in stores if Store(store).path(row["run_id"]).exists())
    record = Store(store).path(row["run_id"])
    path, run = record / own.solution_file, records.read(record).run
    instance = problem_in(run, str(instance_file(store, run.solved_sha256)))
    try:
        cost = own.price_file(instance, run.method, run.options, path)
    except InputError as error:
        raise error.at(path) from None
    if cost is None or claimed is None or abs(cost - claimed) > AGREEMENT * abs(claimed):
        found = described("no solution" if cost is None else f"a solution of cost {cost!r}")
        raise InputError("", found, f"the cost of its row, {claimed!r}", path)
    write_bytes(path.read_bytes(), to)


def verify(archive: Path, folders: Sequence[str]) -> str:
    """
    Return what the archive's verifier says of the instances and solutions in its folders.

    InputError unless it finds all solutions feasible and their claims true.
    """
    command = [sys.executable, "-I", "-S", f"results/{VERIFIER}", *folders]
    done = subprocess.run(command, cwd=archive, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stdout.splitlines() if "violation" in line]
        told = described(" ".join([*done.stderr.splitlines(), *lines][:1]) or "no verdict")
        raise InputError("", told, "solutions that the verifier confirms")
    return done.stdout
