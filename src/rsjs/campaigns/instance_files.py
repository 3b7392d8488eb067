"""The files of instances in a store, each named by the sha256 of what it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from rsjs.campaigns.run import Kind
from rsjs.core.errors import InputError
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io.files import read_instance, read_workload, write_instance, write_workload
from rsjs.instances.mig.scheduling.problem import SchedulingProblem, read_problem, write_problem

Subject = Instance | Workload | SchedulingProblem
READERS: Mapping[Kind, Callable[[str | Path], Subject]] = {
    "instance": read_instance,
    "workload": read_workload,
    "mig_scheduling": read_problem,
}


def instance_file(store: Path, sha256: str) -> Path:
    """Where the instance of that digest is, or would be, in the folder of a store."""
    return store / "instances" / f"{sha256}.json.gz"


def write(subject: Subject, path: Path) -> None:
    """Write the file of whatever it is."""
    if isinstance(subject, Workload):
        write_workload(subject, path)
    elif isinstance(subject, SchedulingProblem):
        write_problem(subject, path)
    else:
        write_instance(subject, path)


def refuse_other(found: Subject, sha256: str, path: str | Path) -> None:
    """Raise InputError if a file holds another instance than the one it is named for."""
    if found.digest != sha256:
        raise InputError("", found.digest, f"the instance of sha256 {sha256}", path)
