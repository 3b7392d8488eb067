"""
The instances, best solutions and best simulation logs of an archive.

Solutions are checked by the verifier that goes with them, files of stores cost what their rows say,
and the cheapest simulation of each workload is simulated again to write its log.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from rsjs.bks.exact_cost import AGREEMENT
from rsjs.campaigns.instance_store import InstanceStore, read_index, refuse_other
from rsjs.campaigns.store import Store
from rsjs.core.errors import InputError, described
from rsjs.instances.check import check
from rsjs.instances.io.files import read_instance, read_solution, read_workload, write_bytes
from rsjs.reporting.archive.campaign_data import Experiment
from rsjs.reporting.tables.select import is_simulated
from rsjs.reporting.tables.units import best_row
from rsjs.runs.compare import Row
from rsjs.runs.gap import problem
from rsjs.runs.kinds.base import kind


def file_of_instance(experiment: Experiment, sha256: str) -> Path:
    """The file of an instance or a workload in a store that has it."""
    paths = [InstanceStore(folder).path(sha256) for folder in experiment.stores]
    for path in paths:
        if path.exists():
            return path
    raise InputError("", described("no such file"), "an instance of the store", paths[0])


def file_of_run(experiment: Experiment, run_id: str, name: str) -> Path:
    """A file of a run in the store that has it."""
    paths = [Store(folder).path(run_id) / name for folder in experiment.stores]
    return next(path for path in paths if path.exists())


def refuse_other_cost(row: Row, cost: float | None, path: Path) -> None:
    """Raise InputError if what is in a file does not cost what its row says; None = no decision."""
    told = row["objective"]
    if cost is None or abs(cost - told) > AGREEMENT * abs(told):
        found = described("no decision" if cost is None else f"a decision of cost {cost!r}")
        raise InputError("", found, f"the cost of its row, {told!r}", path)


VERIFIER = "rsjs_verify.py"
VERIFICATION = "verification.txt"
LONGEST = 180  # characters of an instance's name that are kept in that of its file


@dataclass(frozen=True, kw_only=True)
class Data:
    """
    An instance or a workload of the archive.

    Attributes
    ----------
    file, name, sha256 : str
    nodes, jobs : int
    order : int
        0 = as given; else the seed that drew the order of its jobs and nodes.
    """

    file: str
    name: str
    sha256: str
    nodes: int
    jobs: int
    order: int


@dataclass(frozen=True, kw_only=True)
class Best:
    """The cheapest verified decision for an instance: its file, and the run that made it."""

    file: str
    instance: str
    method: str
    run_id: str
    objective: float


def write_verifier(path: Path) -> None:
    """Write the single-file verifier."""
    write_bytes(files("rsjs").joinpath(VERIFIER).read_bytes(), path)


def write_instances(found: Sequence[Experiment], folder: Path) -> list[Data]:
    """
    Copy every instance that was given or solved, each in its orders.

    Raises
    ------
    InputError
        If a store lacks one, or has another in its place.
    """
    wanted: dict[str, tuple[Row, int, Experiment]] = {}
    for experiment in found:
        for row in experiment.rows:
            wanted.setdefault(row["instance_sha256"], (row, 0, experiment))
            wanted.setdefault(row["solved_sha256"], (row, row["permutation"], experiment))
    names = _names({sha256: (row["instance"], n) for sha256, (row, n, _) in wanted.items()})
    made = []
    for sha256, (row, order, experiment) in wanted.items():
        path = file_of_instance(experiment, sha256)
        read = read_workload if is_simulated(row) else read_instance
        refuse_other(read(path), sha256, path)
        write_bytes(path.read_bytes(), folder / names[sha256])
        made.append(
            Data(
                file=names[sha256],
                name=row["instance"],
                sha256=sha256,
                nodes=row["nodes"],
                jobs=row["jobs"],
                order=order,
            )
        )
    return sorted(made, key=lambda one: (one.nodes, one.jobs, one.file))


def read_from_files(experiment: Experiment) -> set[str]:
    """sha256 of the instances that a campaign reads from files, as its stores remember them."""
    found = set()
    for folder in experiment.stores:
        index = read_index(folder / "instances/index.json")
        for key, entry in index["drawn"].items():  # the sum of a file, or a generator's arguments
            if re.fullmatch("[0-9a-f]{64}", key):
                found.add(entry["sha256"])
    return found & {row["instance_sha256"] for row in experiment.rows}


def write_best(found: Sequence[Experiment], data: Sequence[Data], folder: Path) -> list[Best]:
    """
    Copy the cheapest verified decision for each instance, whatever order it was solved in.

    Raises
    ------
    InputError
        If a decision does not cost what its row says.
    """
    runs: dict[str, list[Row]] = {}
    experiment_of: dict[str, Experiment] = {}
    for experiment in found:
        for row in experiment.rows:
            if not is_simulated(row):
                runs.setdefault(row["instance_sha256"], []).append(row)
                experiment_of.setdefault(row["run_id"], experiment)
    file_of = {one.sha256: one.file for one in data}
    made = []
    for sha256, rows in runs.items():
        if (best := best_row(rows)) is None:
            continue
        experiment = experiment_of[best["run_id"]]
        path = file_of_run(experiment, best["run_id"], kind("instance").solution_file)
        _refuse_refuted(best, path, file_of_instance(experiment, best["solved_sha256"]))
        write_bytes(path.read_bytes(), folder / file_of[sha256])
        made.append(
            Best(
                file=file_of[sha256],
                instance=best["instance"],
                method=best["method"],
                run_id=best["run_id"],
                objective=best["objective"],
            )
        )
    return sorted(made, key=lambda one: one.file)


def verify(archive: Path, folders: Sequence[str]) -> str:
    """
    What the archive's verifier says of the instances and solutions in its folders.

    Raises
    ------
    InputError
        Unless it finds all solutions feasible and their claims true.
    """
    command = [sys.executable, "-I", "-S", f"results/{VERIFIER}", *folders]
    done = subprocess.run(command, cwd=archive, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stdout.splitlines() if "violation" in line]
        told = described(" ".join([*done.stderr.splitlines(), *lines][:1]) or "no verdict")
        raise InputError("", told, "solutions that the verifier confirms")
    return done.stdout


def _refuse_refuted(row: Row, solution: Path, instance: Path) -> None:
    verdict = check(read_instance(instance), read_solution(solution).solution)
    refuse_other_cost(row, verdict.objective if verdict.feasible else None, solution)


def _names(wanted: dict[str, tuple[str, int]]) -> dict[str, str]:
    """sha256 -> file name; with part of the sum where instances share a name."""
    plain = {
        sha256: re.sub(r"[^\w.+-]|^\.", "_", name[:LONGEST], flags=re.ASCII)
        + (f".order{n}" if n else "")
        for sha256, (name, n) in wanted.items()
    }
    twice = {name for name in plain.values() if [*plain.values()].count(name) > 1}
    return {
        sha256: f"{name}-{sha256[:8]}.json.gz" if name in twice else f"{name}.json.gz"
        for sha256, name in plain.items()
    }


def write_logs(found: Sequence[Experiment], data: Sequence[Data], folder: Path) -> list[Best]:
    """
    Copy the log of the cheapest simulation of each workload, campaign by campaign.

    Simulations of several campaigns are not compared: their options may differ. Where the times of
    a campaign differ by seed, each seed has its log.

    Raises
    ------
    InputError
        If a log does not hold, or its run does not cost what its row says.
    """
    name_of = {one.sha256: one.file.removesuffix(".json.gz") for one in data}
    made = []
    for experiment in found:
        for row in _cheapest(experiment.rows):
            path = file_of_run(experiment, row["run_id"], kind("workload").solution_file)
            _refuse_refuted_log(row, path, file_of_instance(experiment, row["instance_sha256"]))
            seed = f"-seed{row['seed']}" if problem(row)[-1] is not None else ""
            file = f"{experiment.name}/{name_of[row['instance_sha256']]}{seed}.jsonl.gz"
            write_bytes(path.read_bytes(), folder / file)
            made.append(
                Best(
                    file=file,
                    instance=row["instance"],
                    method=row["method"],
                    run_id=row["run_id"],
                    objective=row["objective"],
                )
            )
    return sorted(made, key=lambda one: one.file)


def _cheapest(rows: Sequence[Row]) -> list[Row]:
    runs: dict[tuple[object, ...], list[Row]] = {}
    for row in filter(is_simulated, rows):
        runs.setdefault(problem(row), []).append(row)
    best = map(best_row, runs.values())
    return [row for row in best if row is not None]


def _refuse_refuted_log(row: Row, log: Path, workload: Path) -> None:
    from rsjs.simulation import event_log
    from rsjs.simulation.replay import replay

    try:
        found = replay(read_workload(workload), event_log.read(log))
    except InputError as error:
        raise error.at(log) from None
    refuse_other_cost(row, found.totals.cost, log)
