"""The library in five calls: `load`, `save`, `solve`, `check`, `export_model`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rsjs.core.errors import InputError, MethodError, described
from rsjs.instances.check import Verdict
from rsjs.instances.check import check as _check
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io import files
from rsjs.instances.solution import Solution

if TYPE_CHECKING:
    from rsjs.core.report import SolveResult
    from rsjs.formulations.milp.export import ModelFile

T = TypeVar("T")

__all__ = ["InputError", "MethodError", "check", "export_model", "load", "save", "solve"]


def load(path: str | Path) -> Instance:
    """Read an instance file (`.json` or `.json.gz`); see `rsjs.instances.io.files`."""
    return files.read_instance(path)


def save(
    subject: Instance | Workload | Solution, path: str | Path, *, instance: Instance | None = None
) -> None:
    """
    Write an instance, a workload or a solution.

    Parameters
    ----------
    path : str or Path
        `.json` or `.json.gz`, in a folder that exists.
    instance : Instance, optional
        The instance of a solution, whose digest the file names.

    Raises
    ------
    InputError
        For anything else, e.g. a result's missing solution, and a place that cannot be written.
    """
    files.refuse_unwritable(path)
    if isinstance(subject, Instance):
        files.write_instance(subject, path)
    elif isinstance(subject, Workload):
        files.write_workload(subject, path)
    else:
        solution = _refuse_other(subject, Solution, "an instance, a workload or a solution")
        found = _refuse_other(instance, Instance, "instance=INSTANCE, that of the solution")
        files.write_solution(solution, found.digest, path)


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
        `objective` is the checker's cost. `solution` is None if a limit came first, or there is
        no feasible solution; `stop` tells.

    Raises
    ------
    InputError
        For an unknown method or limit, a value that makes no sense, and an instance that the
        method does not serve.
    MethodError
        If the method fails, or its solution fails the check.
    """
    from rsjs.core.call import Limits
    from rsjs.core.report import Stop
    from rsjs.methods import parse
    from rsjs.runs import verified_run

    _refuse_other(instance, Instance, "an instance, as `rsjs.load` returns it")
    request, own = parse(method), Limits.asked(**limits)
    found = verified_run.run(instance, request, own, warm_start=warm_start, log=log)
    result = replace(found.result, objective=found.objective)
    if found.verdict is not None and not found.verdict.feasible:
        message = "; ".join(str(violation) for violation in found.verdict.violations[:3])
        result = replace(result, stop=Stop.ERROR, message=message)
    if result.stop is Stop.ERROR:
        raise MethodError(request.spelling, result)
    return result


def check(instance: Instance, solution: Solution | None) -> Verdict:
    """
    Check a solution and price it.

    Raises
    ------
    InputError
        For None, as of a method that ended without a solution, and anything else that is none.
    """
    _refuse_other(instance, Instance, "an instance, as `rsjs.load` returns it")
    return _check(instance, _refuse_other(solution, Solution, "a solution to check"))


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
    from rsjs.formulations.milp import export
    from rsjs.methods import parse

    _refuse_other(instance, Instance, "an instance, as `rsjs.load` returns it")
    files.refuse_unwritable(path)
    request = parse(method)
    export.refuse(request.method.name, Path(path))
    if reason := request.method.refusal(instance):
        raise InputError("", request.spelling, f"another method or instance: {reason}")
    return export.export(request.method.name, instance, request.options, Path(path))


def _refuse_other(value: Any, kind: type[T], expected: str) -> T:
    """Return the value, if it is of the kind that is expected."""
    if not isinstance(value, kind):
        raise InputError("", described(f"an object of type {type(value).__name__}"), expected)
    return value
