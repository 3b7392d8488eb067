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
from rsjs.reporting.tables.formats import counted
from rsjs.rows.columns import Row
from rsjs.rows.select import best_row, failure, group_by, is_simulated, ordered, problem
from rsjs.runs.kinds.base import kind

VERIFIER = "rsjs_verify.py"
LONGEST = 180  # characters of an instance's name that are kept in that of its file


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One campaign: what was asked and what came of it."""

    name: str
    text: str  # the campaign file as last run
    stores: Sequence[Path]  # of its shards
    found: Collected
    sessions: Sequence[Mapping[str, Any]]  # the `rsjs run` that made its rows, in order of time

    @cached_property
    def rows(self) -> list[Row]:
        """Rows of all runs, in the order of `select.ordered`, whatever that of the stores."""
        return ordered(self.found.rows)

    @property
    def trajectories(self) -> list[dict[str, Any]]:
        """Trajectories of the rows, in their order."""
        of_run = {trajectory["run_id"]: trajectory for trajectory in self.found.trajectories}
        return [of_run[row["run_id"]] for row in self.rows]


def experiments(stores: Sequence[Path]) -> list[Experiment]:
    """
    Return the campaigns of stores by name; stores of one name are shards of one campaign.

    InputError for a folder that is no store, for what cannot be read, and for stores of one name
    with campaigns that differ.
    """
    shards: dict[str, list[Path]] = {}
    for folder in stores:
        shards.setdefault(read_document(folder, "store")["campaign"], []).append(folder)
    return [_experiment(name, folders) for name, folders in sorted(shards.items())]


def _experiment(name: str, folders: Sequence[Path]) -> Experiment:
    found = collect(folders)
    for path, reason in found.corrupt:
        raise InputError("", described(f"a corrupt record: {reason}"), "sound records", path)
    if not found.rows:
        raise InputError("", described("no records"), "runs; see `rsjs run`", folders[0])
    texts = {(folder / CAMPAIGN).read_text("utf-8") for folder in folders}
    if len(texts) > 1:
        told = described(f"{len(texts)} campaigns that differ")
        raise InputError("", told, f"one campaign of the name {name}", folders[-1])
    for session, reason in found.lost:
        told = described(f"session {session}: {reason}")
        raise InputError("", told, "sound sessions", folders[0])
    return Experiment(
        name=name,
        text=texts.pop(),
        stores=folders,
        found=found,
        sessions=sorted(found.sessions.values(), key=lambda one: (one["begun"], one["id"])),
    )


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


def last_session(found: Sequence[Experiment]) -> Mapping[str, Any]:
    """Return the session that began last: its commit and date are those of the archive."""
    every = [one for experiment in found for one in experiment.sessions]
    return max(every, key=lambda one: (one["begun"], one["id"]))


@dataclass(frozen=True, kw_only=True)
class Data:
    """An instance or a workload of the archive."""

    file: str
    name: str
    sha256: str
    nodes: int
    jobs: int
    order: int  # 0 = as given; else the seed that drew the order of its jobs and nodes


@dataclass(frozen=True, kw_only=True)
class Best:
    """The cheapest verified solution or log of an instance, and the run that made it."""

    file: str
    instance: str
    method: str
    run_id: str
    objective: float


def write_instances(found: Sequence[Experiment], folder: Path) -> list[Data]:
    """
    Copy every instance that was given or solved, each in its orders.

    InputError if a store lacks one, or has another in its place.
    """
    wanted: dict[str, tuple[Row, int, Experiment]] = {}
    for experiment in found:
        for row in experiment.rows:
            wanted.setdefault(row["instance_sha256"], (row, 0, experiment))
            wanted.setdefault(row["solved_sha256"], (row, row["permutation"], experiment))
    names = _names({sha256: (row["instance"], n) for sha256, (row, n, _) in wanted.items()})
    made = []
    for sha256, (row, order, experiment) in wanted.items():
        paths = [instance_file(store, sha256) for store in experiment.stores]
        path = next((path for path in paths if path.exists()), paths[0])
        if not path.exists():
            raise InputError("", described("no such file"), "an instance of the store", path)
        refuse_other(kind(_kind(row)).read(path), sha256, path)
        write_bytes(path.read_bytes(), folder / names[sha256])
        size = {"nodes": row["nodes"], "jobs": row["jobs"]}
        made.append(
            Data(file=names[sha256], name=row["instance"], sha256=sha256, order=order, **size)
        )
    return sorted(made, key=lambda one: (one.nodes, one.jobs, one.file))


def _kind(row: Row) -> str:
    return "workload" if is_simulated(row) else "instance"


def _names(wanted: dict[str, tuple[str, int]]) -> dict[str, str]:
    """Return sha256 -> file name; with part of the sum where instances share a name."""
    plain = {
        sha256: re.sub(r"[^\w.+-]|^\.", "_", name[:LONGEST], flags=re.ASCII)
        + (f".order{n}" if n else "")
        for sha256, (name, n) in wanted.items()
    }
    names = [*plain.values()]
    return {
        sha256: f"{name}-{sha256[:8]}.json.gz" if names.count(name) > 1 else f"{name}.json.gz"
        for sha256, name in plain.items()
    }


def read_from_files(experiment: Experiment) -> set[str]:
    """Return sha256 of the instances that a campaign reads from files, as its stores tell."""
    found = {
        entry["sha256"]
        for folder in experiment.stores
        for key, entry in read_index(folder / "instances/index.json")["drawn"].items()
        if re.fullmatch("[0-9a-f]{64}", key)  # the sum of a file, else a generator's arguments
    }
    return found & {row["instance_sha256"] for row in experiment.rows}


def write_best(found: Sequence[Experiment], data: Sequence[Data], folder: Path) -> list[Best]:
    """Copy the cheapest verified solution of each instance, whatever order it was solved in."""
    pairs = [(row, one) for one in found for row in one.rows if not is_simulated(row)]
    experiment_of = {row["run_id"]: one for row, one in reversed(pairs)}
    file_of = {one.sha256: one.file for one in data}
    runs = group_by((row for row, _ in pairs), problem).values()
    made = [
        _copied(row, experiment_of[row["run_id"]], file_of[row["instance_sha256"]], folder)
        for row in filter(None, map(best_row, runs))
    ]
    return sorted(made, key=lambda one: one.file)


def write_logs(found: Sequence[Experiment], data: Sequence[Data], folder: Path) -> list[Best]:
    """
    Copy the log of the cheapest simulation of each workload, campaign by campaign.

    Simulations of several campaigns are not compared: their options may differ. Where the times of
    a campaign differ by seed, each seed has its log.
    """
    name_of = {one.sha256: one.file.removesuffix(".json.gz") for one in data}
    made = []
    for experiment in found:
        runs = group_by(filter(is_simulated, experiment.rows), problem).values()
        for row in filter(None, map(best_row, runs)):
            seed = f"-seed{row['seed']}" if problem(row)[-1] is not None else ""
            file = f"{experiment.name}/{name_of[row['instance_sha256']]}{seed}.jsonl.gz"
            made.append(_copied(row, experiment, file, folder))
    return sorted(made, key=lambda one: one.file)


def _copied(row: Row, experiment: Experiment, file: str, folder: Path) -> Best:
    """Copy the solution or log of a run; InputError if it does not cost what its row says."""
    own = kind(_kind(row))
    stores = [store for store in experiment.stores if Store(store).path(row["run_id"]).exists()]
    record, claimed = Store(stores[0]).path(row["run_id"]), row["objective"]
    path = record / own.solution_file
    run = records.read(record).run
    instance = problem_in(run, str(instance_file(stores[0], run.solved_sha256)))
    try:
        cost = own.price_file(instance, run.method, run.options, path)
    except InputError as error:
        raise error.at(path) from None
    if cost is None or claimed is None or abs(cost - claimed) > AGREEMENT * abs(claimed):
        found = described("no solution" if cost is None else f"a solution of cost {cost!r}")
        raise InputError("", found, f"the cost of its row, {claimed!r}", path)
    write_bytes(path.read_bytes(), folder / file)
    names = {"instance": row["instance"], "method": row["method"], "run_id": row["run_id"]}
    return Best(file=file, **names, objective=claimed)


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
