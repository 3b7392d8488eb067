"""The functions of the package `rsjs`: what the commands of `rsjs` call too."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from rsjs.campaign_runs import run_campaign as run_campaign
from rsjs.comparison import Comparison as Comparison
from rsjs.comparison import compare as compare
from rsjs.core.errors import InputError as InputError
from rsjs.core.errors import MethodError as MethodError
from rsjs.core.errors import described, integer, one_of
from rsjs.core.method import Method as Method
from rsjs.core.method import MethodFunction
from rsjs.heuristics.common.result import finished as finished
from rsjs.instances.check import Verdict
from rsjs.instances.check import check as _check
from rsjs.instances.costs import cost_tables as cost_tables
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io import files
from rsjs.instances.solution import Solution as Solution

if TYPE_CHECKING:
    import pandas as pd

    from rsjs.bks.storage import KnownValue
    from rsjs.core.report import SolveResult
    from rsjs.formulations.milp.export import ModelFile
    from rsjs.methods import Request
    from rsjs.simulation.outcome import Outcome, Outcomes
    from rsjs.submissions.check import Checked

INSTANCE = "an instance, as `rsjs.load` returns it"
FILE = "the path of a file"
JOBS_PER_NODE = {"planted": 4, "heterogeneous": 4}  # of `generate` without jobs; others 10


def load(path: str | Path, *, instance: Instance | None = None) -> Any:
    """
    Read an instance, a workload or a solution; its format says which.

    Parameters
    ----------
    path : str or Path
        `.json` or `.json.gz`.
    instance : Instance, optional
        The instance of a solution, whose digest the file must name.

    Returns
    -------
    Instance, Workload or Solution

    Raises
    ------
    InputError
        Naming the file, the place in it, the value found and what was expected.
    """
    subject = files.read_any(_refuse_other(path, (str, PathLike), FILE))
    if not isinstance(subject, files.SolutionFile):
        return subject
    if instance is not None:
        subject.refuse_other(_refuse_other(instance, Instance, INSTANCE), path)
    return subject.solution


def save(
    subject: Instance | Workload | Solution | Outcome,
    path: str | Path,
    *,
    instance: Instance | None = None,
) -> None:
    """
    Write an instance, a workload, a solution, or the event log of a simulation.

    Parameters
    ----------
    path : str or Path
        `.json` or `.json.gz`, of a log `.jsonl` or `.jsonl.gz`; in a folder that exists.
    instance : Instance, optional
        The instance of a solution, whose digest the file names.

    Raises
    ------
    InputError
        For anything else, e.g. a result's missing solution, and a place that cannot be written.
    """
    files.refuse_unwritable(_refuse_other(path, (str, PathLike), FILE))
    if isinstance(subject, Instance):
        files.write_instance(subject, path)
    elif isinstance(subject, Workload):
        files.write_workload(subject, path)
    elif isinstance(subject, Solution):
        of = _refuse_other(instance, Instance, "instance=INSTANCE, that of the solution")
        files.write_solution(subject, of.digest, path)
    else:
        from rsjs.simulation import event_log, outcome

        expected = "an instance, a workload, a solution or the outcome of a simulation"
        event_log.write(_refuse_other(subject, outcome.Outcome, expected), path)


@overload
def generate(family: str, *, nodes: int, arrivals: str, **options: Any) -> Workload: ...
@overload
def generate(family: str, *, nodes: int, arrivals: None = ..., **options: Any) -> Instance: ...
def generate(
    family: str,
    *,
    nodes: int,
    jobs: int | None = None,
    seed: int = 1,
    arrivals: str | None = None,
    gap_seconds: float | None = None,
    **options: Any,
) -> Instance | Workload:
    """
    Draw an instance of a family, or with `arrivals` a workload.

    Parameters
    ----------
    family : "jahani" | "kiros" | "andreas" | "sts" | "planted" | "heterogeneous"
        The generator, see `rsjs.instances.generators`.
    nodes, jobs : int
        N and J; without `jobs` 10 N as in the papers, 4 N of the last two.
    seed : int
        Of all random numbers, >= 0.
    arrivals : str, optional
        Arrival process of a workload: exp, integer_poisson or constant; of kiros,
        andreas and sts also high, low or mixed. Without it all jobs are submitted at time 0.
    gap_seconds : float, optional
        Mean time between two submissions [s], the paper's by default: of jahani to the whole
        cluster, of the others multiplied by N.
    **options
        Those of the generator, e.g. `catalogue` and `due` of jahani, `mix` and `sharing` of sts.

    Raises
    ------
    InputError
        At "/NAME", for an argument that does not exist or a value that makes no sense.
    """
    from rsjs.instances.library.sets import GENERATORS, WORKLOADS

    one_of("family", family, GENERATORS)
    if jobs is None:
        jobs = JOBS_PER_NODE.get(family, 10) * integer("nodes", nodes, 1)
    arguments = {"nodes": nodes, "jobs": jobs, "seed": seed, **options}
    if arrivals is None:
        if gap_seconds is not None:
            raise InputError("/gap_seconds", gap_seconds, "none without an arrival process")
        _refuse_unknown(GENERATORS[family], arguments)
        return GENERATORS[family](**arguments)
    if family not in WORKLOADS:
        raise InputError("/arrivals", arrivals, f"none: {family} has no workloads")
    if gap_seconds is not None:
        arguments["gap_seconds"] = gap_seconds
    _refuse_unknown(WORKLOADS[family], arguments)
    try:
        return WORKLOADS[family](law=arrivals, **arguments)
    except InputError as error:
        if error.pointer != "/law":
            raise
        raise InputError("/arrivals", error.value, error.expected) from None


def _refuse_unknown(function: Callable[..., Any], arguments: Mapping[str, Any]) -> None:
    """Refuse an argument that a function does not have; `law` is called `arrivals` here."""
    known = [name for name in inspect.signature(function).parameters if name != "law"]
    for name in arguments.keys() - {*known}:
        raise InputError(f"/{name}", arguments[name], f"one of the options {', '.join(known)}")


def from_frames(
    jobs: pd.DataFrame,
    nodes: pd.DataFrame | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    cluster: str | None = None,
    gpus: Mapping[str, str] | None = None,
    rigid: bool = False,
    at: float | str | datetime | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    rules: str = "sts",
    seed: int = 1,
) -> Instance | Workload:
    """
    Make a workload or an instance from data frames of jobs and nodes, like `rsjs import`.

    Parameters
    ----------
    jobs : DataFrame
        A row per job: GPUs and run time, and what else is known. Times are numbers, texts or
        Timestamps; a run time may be a Timedelta.
    nodes : DataFrame, optional
        A row per node, or per group of them with its `count`.
    columns : mapping of str to str, optional
        Role -> column[:unit], see `rsjs.instances.traces.own_tables`; a column whose name is that
        of its role need not be named.
    cluster : str, optional
        The nodes instead, such as "V100:8:100,P100:4:20".
    gpus : mapping of str to str, optional
        GPU type -> the one of the catalogue that stands for it; "" for jobs without one.
    rigid : bool
        Whether jobs run on the number of GPUs in their row, and no other.
    at : float, str or datetime, optional
        Hours from the first submission, or a date as in `jobs`: the instance of that moment.
    drop, keep : sequence of str
        Kinds of rows that are left out, or taken although flawed: docs/reference/traces.md.
    rules : "sts" | "jahani"
        Objective, and due dates and weights where there are none, of Filippini 2024 or Jahani 2019.
    seed : int
        Of the imputed values; `generator["parameters"]["imputed"]` of the result
        has the rules.

    Returns
    -------
    Instance or Workload
        An instance with `at`, and of jobs without `submit`.

    Raises
    ------
    InputError
        For a column or nodes that must be known, and rows with a flaw of a kind that neither
        `drop` nor `keep` names. Rows are counted from 0, whatever their index.

    Warns
    -----
    UserWarning
        Of what looks odd in the table as a whole, such as run times in another unit.
    """
    import pandas as pd

    from rsjs.instances.epoch_distribution import FIXED
    from rsjs.instances.traces.convert import ConversionOptions, convert, options_of_own
    from rsjs.instances.traces.imputation import parse_nodes
    from rsjs.instances.traces.own_tables import inspect_tables, open_frames

    for frame in (jobs, *([] if nodes is None else [nodes])):
        _refuse_other(frame, pd.DataFrame, "a pandas DataFrame")
    for given in filter(None, (columns, gpus)):
        _refuse_other(given, Mapping, "a mapping, such as columns={'duration': 'elapsed:min'}")
    _refuse_other(rigid, bool, "rigid=True or rigid=False")
    groups = None if cluster is None else parse_nodes(cluster)
    report = inspect_tables(open_frames(jobs, nodes, columns), nodes=groups, gpus=gpus)
    for remark in report.remarks:
        warnings.warn(remark, stacklevel=2)
    moment = at.isoformat() if isinstance(at, datetime) else at
    options = ConversionOptions(
        rigid=rigid, at=moment, drop=drop, keep=keep, rules=rules, laws=FIXED, seed=seed
    )
    return convert(report, options_of_own(report, options))[0]


def solve(
    instance: Instance,
    method: str | Method | MethodFunction | None = None,
    *,
    isolation: Literal["process", "none"] = "process",
    warm_start: Solution | None = None,
    log: bool = False,
    time_limit: float = 60.0,
    gap: float = 1e-4,
    threads: int = 1,
    seed: int = 0,
    memory_limit_mb: float | None = None,
    **unknown: Any,
) -> SolveResult:
    """
    Run a method in a process of its own and return its result.

    Parameters
    ----------
    method : str, function or Method, optional
        `name[@solver][:rule][?key=value,...]`, `rsjs list methods` shows the names; or
        `path.py:function`; or a function (instance, call, report) that returns a `Solution` or a
        `SolveResult`. By default the method that is recommended for the instance, see
        `rsjs.recommendation`.
    isolation : "process" | "none"
        "none" runs a method without a solver in this process: a short call costs its own time, but
        the method is only asked to keep its limits.
    warm_start : Solution, optional
        A feasible solution to start from.
    log : bool
        Let the solver's log through to standard error.
    time_limit : float
        Wall clock of the method [s].
    gap : float
        Relative gap at which an exact method may stop.
    threads, seed : int
        Threads of the solver; seed of all random numbers.
    memory_limit_mb : float, optional
        Resident memory of the run [MB].

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
    from rsjs.methods import request_of
    from rsjs.recommendation import recommend
    from rsjs.runs import verified_run

    _refuse_other(instance, Instance, INSTANCE)
    here = one_of("isolation", isolation, ("process", "none")) == "none"
    request = request_of(recommend(instance)[0] if method is None else method, here=here)
    limits = Limits.asked(
        time_limit=time_limit,
        gap=gap,
        threads=threads,
        seed=seed,
        memory_limit_mb=memory_limit_mb,
        **unknown,
    )
    if here and memory_limit_mb is not None:
        expected = 'none with isolation="none", which has no process to end'
        raise InputError("/memory_limit_mb", memory_limit_mb, expected)
    carry_out = verified_run.run_here if here else verified_run.run
    run = carry_out(instance, request, limits, warm_start=warm_start, log=log)
    result = replace(run.result, objective=run.objective)
    if method is None:
        told = f"{request.label}, the method recommended here"
        result = replace(result, message=": ".join(filter(None, (told, result.message))))
    if run.verdict is not None and not run.verdict.feasible:
        message = "; ".join(str(violation) for violation in run.verdict.violations[:3])
        result = replace(result, stop=Stop.ERROR, message=message)
    if result.stop is Stop.ERROR:
        raise MethodError(request.spelling, result)
    return result


def check(
    instance: Instance,
    solution: Solution | None,
    *,
    objective: float | None = None,
    bound: float | None = None,
) -> Verdict:
    """
    Check a solution and compute its cost.

    Parameters
    ----------
    objective, bound : float, optional
        Cost and lower bound [$] that somebody claims, to be checked too.

    Raises
    ------
    InputError
        For None, as of a method that ended without a solution, and anything else that is none.
    """
    _refuse_other(instance, Instance, INSTANCE)
    given = _refuse_other(solution, Solution, "a solution to check")
    return _check(instance, given, objective=objective, bound=bound)


def check_submission(path: str | Path, *, rerun: bool = False) -> Checked:
    """
    Check a submission, like `rsjs submit check`.

    Parameters
    ----------
    path : str or Path
        A submission, a folder of FAMILY/NAME/, or an archive.
    rerun : bool
        Repeat the runs that bounds come from, each within the limits that it names.

    Returns
    -------
    Checked
        `rows` of submissions that are accepted, see `rsjs.submissions`; `refused` has the others,
        each with its `errors`.

    Raises
    ------
    InputError
        For best-known values that cannot be read; what is wrong with a submission is returned.
    """
    from rsjs.submissions.check import check

    return check([Path(_refuse_other(path, (str, PathLike), "the path of one"))], rerun=rerun)


def best_known(instance: Instance | Workload) -> KnownValue | None:
    """
    Return the best-known value of an instance or a workload, found by its sha256.

    That of a workload is of schedules in hindsight, with the default options of a simulation.

    Returns
    -------
    KnownValue or None
        `value` and `bound` [$], either may be None; `status` is "closed" if the bound proves the
        cost to be the optimum, else "open". None if nothing is known of it.
    """
    from rsjs.bks.storage import lookup

    return lookup(_refuse_other(instance, (Instance, Workload), f"{INSTANCE}, or a workload"))


def board(
    folder: str | Path,
    *,
    results: str | Path | None = None,
    submissions: str | Path | None = None,
) -> dict[str, Any]:
    """
    Write a static site of stored results, best-known values and submissions.

    Parameters
    ----------
    folder : str or Path
        Of the site; one that is there is replaced, another folder with files refused.
    results : str or Path, optional
        Folder with */rows.csv and best_known/*.jsonl; by default that of the checkout.
    submissions : str or Path, optional
        Folder with FAMILY/NAME/; by default `submissions` beside the results, if it exists.

    Returns
    -------
    dict
        The folder; numbers of pages, runs, instances and sets; the bytes of the largest page.

    Raises
    ------
    InputError
        Without results, without the packages of the extra `report`, and for rows without sense.
    """
    from rsjs.reporting.site.board import results_here, write_board

    given = None if submissions is None else Path(submissions)
    return write_board(Path(results or results_here()), Path(folder), given)


def export_model(
    instance: Instance, path: str | Path, method: str = "jahani_patterns"
) -> ModelFile:
    """
    Write the linear model that a method passes to its solver.

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

    _refuse_other(instance, Instance, INSTANCE)
    files.refuse_unwritable(_refuse_other(path, (str, PathLike), FILE))
    request = parse(method)
    export.refuse(request.method.name, Path(path))
    refuse_unserved(instance, request)
    return export.export(request.method.name, instance, request.options, Path(path))


def refuse_unserved(instance: Instance, request: Request) -> None:
    """Raise InputError unless the method serves the instance; its solver may be missing."""
    from rsjs.methods import instead
    from rsjs.recommendation import serving

    if reason := request.method.refusal(instance):
        raise InputError("", request.spelling, instead(serving(instance), reason))


@overload
def simulate(
    workload: Workload, policies: str | Method | MethodFunction = ..., **options: Any
) -> Outcome: ...
@overload
def simulate(
    workload: Workload, policies: Sequence[str | Method | MethodFunction], **options: Any
) -> Outcomes: ...
def simulate(
    workload: Workload,
    policies: str | Method | MethodFunction | Sequence[str | Method | MethodFunction] = "queue:edf",
    **options: Any,
) -> Outcome | Outcomes:
    """
    Run a workload under a policy, or under each of several, until its last job is complete.

    Policies run in this process, one after the other; `rsjs simulate` and campaigns run each in a
    process of its own, with limits and a record.

    Parameters
    ----------
    policies : str, function or Method, or a sequence of these
        Specifications of methods or policies, see `rsjs list policies`; functions as of `solve`.
    **options
        energy, boot [h], checkpoint, events, period [h], epochs, deviation, denominator,
        decision_limit [s], seed: see `rsjs.simulation.options.Options`.

    Returns
    -------
    Outcome or Outcomes, a list of them
        `totals` has cost, energy, tardiness and more, `records` the events in order; `rsjs.save`
        writes them as a log. A run that cannot continue is an outcome, too: `status` tells.

    Raises
    ------
    InputError
        For an unknown policy or option, and a policy that cannot decide on these jobs.
    """
    from rsjs.methods import several_methods
    from rsjs.simulation.engine import simulate as run
    from rsjs.simulation.options import Options
    from rsjs.simulation.outcome import Outcomes
    from rsjs.simulation.policies.registry import policy

    _refuse_other(workload, Workload, "a workload, as `rsjs.load` returns it")
    _refuse_unknown(Options, options)
    chosen = Options(**options)
    given, alone = several_methods("policies", policies)
    prepared = [policy(one, workload, chosen) for one in given]
    outcomes = Outcomes(run(workload, one, chosen) for one in prepared)
    return outcomes[0] if alone else outcomes


def snapshots(
    outcome: Outcome,
    *,
    hours: Sequence[float] | None = None,
    number: int | None = None,
    use: Sequence[float] | None = None,
) -> list[Instance]:
    """
    Return decisions of a simulation as instances, with jobs that run and jobs that wait.

    Parameters
    ----------
    outcome : Outcome
        Of `simulate`; its policy decides at these moments.
    hours : sequence of float [h]
        The decision nearest to each of these times; or
    number : int
        so many, evenly spread over all decisions; or
    use : sequence of float
        the decision at which the share of GPUs in use is nearest to each of these, in [0, 1]; of
        several the one with the most jobs at hand, then the first.

    Returns
    -------
    list of Instance
        In the order of time, each moment once. `current` is the placement until then.

    Raises
    ------
    InputError
        For none or several of the three ways, a moment that there is not, and a run that failed.
    """
    from rsjs.simulation import event_log
    from rsjs.simulation import snapshots as points
    from rsjs.simulation.outcome import Outcome

    _refuse_other(outcome, Outcome, "the outcome of a policy, as `rsjs.simulate` returns it")
    moments = points.Moments(hours=hours, number=number, use=use)
    return points.snapshots(outcome.workload, event_log.of(outcome), moments)


def _refuse_other(value: Any, kinds: Any, expected: str) -> Any:
    """Return the value, if it is of a kind that is expected."""
    if not isinstance(value, kinds):
        raise InputError("", described(f"an object of type {type(value).__name__}"), expected)
    return value
