"""The instances and best solutions of an archive, checked by the verifier that goes with them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from rsjs.core.errors import InputError, described
from rsjs.experiments.campaigns.instance_files import refuse_other
from rsjs.experiments.campaigns.instance_store import read_index
from rsjs.experiments.campaigns.records import SOLUTION
from rsjs.experiments.comparison import Row
from rsjs.instances.check import check
from rsjs.instances.io.files import read_instance, read_solution, read_workload, write_bytes
from rsjs.reporting.kit.archive_files import file_of_instance, file_of_run, refuse_other_cost
from rsjs.reporting.kit.evidence import Experiment
from rsjs.reporting.objectives import best_row
from rsjs.reporting.rows import is_simulated

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
        path = file_of_run(experiment, best["run_id"], SOLUTION)
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
