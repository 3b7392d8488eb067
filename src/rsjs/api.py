"""The library in five calls: `load`, `save`, `solve`, `check`, `export_model`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsjs.instances import files
from rsjs.instances.check import Verdict
from rsjs.instances.check import check as _check
from rsjs.instances.errors import InputError
from rsjs.instances.schema import Instance, Workload
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from rsjs.formulations.model_files import ModelFile
    from rsjs.instances.solution import SolveResult


def load(path: str | Path) -> Instance:
    """Read an instance file (`.json` or `.json.gz`); see `rsjs.instances.files`."""
    return files.read_instance(path)


def save(subject: Instance | Workload, path: str | Path) -> None:
    """Write an instance or a workload."""
    if isinstance(subject, Instance):
        files.write_instance(subject, path)
    else:
        files.write_workload(subject, path)


def solve(
    instance: Instance,
    method: str = "jahani_patterns@highs",
    *,
    warm_start: Solution | None = None,
    log: bool = False,
    **limits: Any,
) -> SolveResult:
    """
    Run a method in a process of its own and return what it knows when it ends.

    Parameters
    ----------
    method : str
        `name[@solver][:rule][?key=value,...]`; `rsjs list methods` shows the names.
    warm_start : Solution, optional
        A feasible decision to begin from.
    log : bool
        Let the solver's log through to standard error.
    **limits
        time_limit [s], gap, threads, seed, memory_limit_mb: see `Limits`.

    Returns
    -------
    SolveResult
        `objective` is the checker's cost; a decision that fails the check is an error.
    """
    from rsjs.experiments import outcome
    from rsjs.instances.method import Limits
    from rsjs.instances.solution import Stop
    from rsjs.methods import parse

    found = outcome.run(instance, parse(method), Limits(**limits), warm_start=warm_start, log=log)
    if found.verdict is not None and not found.verdict.feasible:
        message = "; ".join(str(violation) for violation in found.verdict.violations[:3])
        return replace(found.result, stop=Stop.ERROR, message=message)
    return replace(found.result, objective=found.objective)


def check(instance: Instance, solution: Solution | None) -> Verdict:
    """Check a decision and price it; None, as from a method without a solution, is refused."""
    if solution is None:
        raise InputError("", "no solution", "a decision to check")
    return _check(instance, solution)


def export_model(
    instance: Instance, path: str | Path, method: str = "jahani_patterns"
) -> ModelFile:
    """
    Write the linear model that a method would hand to its solver.

    Parameters
    ----------
    path : str or Path
        `.mps` or `.lp`, each also with `.gz`; replaced whole or not at all.
    method : str
        `name[?key=value,...]` of a method with a linear model; a solver makes no difference.

    Returns
    -------
    ModelFile
        Where it is, its sha256, and the size of the model.
    """
    from rsjs.formulations import model_files
    from rsjs.methods import parse

    request = parse(method)
    model_files.refuse(request.method.name, Path(path))
    if reason := request.method.refusal(instance):
        raise InputError("", request.spelling, f"another method or instance: {reason}")
    return model_files.export(request.method.name, instance, request.options, Path(path))
