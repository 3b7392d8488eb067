"""`rsjs mig`: jobs on GPUs that are divided into MIG instances."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rsjs.cli.options import (
    Gap,
    Json,
    MemoryLimit,
    Output,
    Picture,
    Seed,
    Threads,
    TimeLimit,
    argument,
    errors_at,
    limits,
    option,
)
from rsjs.cli.output import print_values, writable
from rsjs.cli.progress import RunLine, running
from rsjs.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rsjs.core.call import Limits
    from rsjs.instances.mig.gpus import MigGpu
    from rsjs.runs.verified_run import Outcome

# Columns of a row that repeat others where there is one run, or mean nothing here.
LEFT_OUT = ("nodes", "best_bound", "gap_to_best", "stages", "stage_bounds", "gap_limit")
MOST_MEMORY = 1_000_000_000  # MB of a unit

app = typer.Typer(
    help="Jobs for MIG instances: schedule them, place them, repartition a GPU.\n\n\b\n"
    "Example:\n"
    "  rsjs generate mig config.json -o jobs\n"
    "  rsjs mig schedule jobs/section4-s2.json --method bigrem --json\n"
    "  rsjs mig place --mix mixed -n 500",
)

File = Annotated[Path | None, argument("FILE", "Problem file; without it one is drawn.")]
Gpu = Annotated[str, option("NAME", "GPU of what is drawn.")]
Gpus = Annotated[Path | None, option("FILE", "GPUs of rsjs-mig-gpus/1 instead of those known.")]
DrawSeed = Annotated[int, option("N", "Seed of what is drawn.")]
Save = Annotated[Path | None, option("FILE", "Write what was drawn, a problem.")]
Solution = Annotated[Path | None, option("FILE", "Write the solution.", "-o", "--output")]


@app.command("schedule")
def schedule(
    file: Annotated[Path, argument("FILE", "Set of jobs, or rsjs-mig-scheduling/1.")],
    method: Annotated[
        str,
        option(
            "METHOD",
            "A rule (fcfs, srpt, bigrem, ...), local_search, cpsat[:RULE], milp[@SOLVER] or"
            " enumeration, see `rsjs list methods`.",
        ),
    ] = "cpsat",
    reading: Annotated[
        str | None,
        option("A|B|C", "Jobs may stop and move (A, of a set of jobs), stop (B), neither (C)."),
    ] = None,
    objective: Annotated[
        str | None,
        option(
            "TERMS",
            "Stages between commas, e.g. late,completion+5*preemptions; or lexicographic. The"
            " makespan of a set of jobs.",
        ),
    ] = None,
    units: Annotated[
        str | None, option("MB,...", "Memory of the units; 2000,1000,1000 of a set.")
    ] = None,
    time_limit: TimeLimit = 30.0,
    threads: Threads = 1,
    seed: Seed = 0,
    memory_limit: MemoryLimit = None,
    output: Annotated[
        Path | None,
        option("FOLDER", "For problem.json, schedule.json and schedule.png.", "-o", "--output"),
    ] = None,
    as_json: Json = False,
) -> None:
    """
    Schedule a set of jobs on the MIG instances of a GPU.

    \b
    Example:
      rsjs mig schedule jobs/section4-s2.json --method bigrem -o scheduled
      rsjs mig schedule jobs/section4-s2.json --objective completion --method local_search
      rsjs mig schedule jobs/section4-s2.json --reading C --objective lexicographic
      rsjs mig schedule jobs/section4-s2.json --method 'fcfs?poll=10'

    The schedule is checked; `rsjs check problem.json schedule.json` checks the files again.
    Ctrl-C ends the method and keeps the best schedule it has reported.
    """
    from rsjs.instances.mig.scheduling.objective import parse_objective
    from rsjs.instances.mig.scheduling.problem import read_problem_or_jobs, write_problem
    from rsjs.instances.mig.scheduling.schedule import write_schedule
    from rsjs.reporting.figures.mig import mig_gantt
    from rsjs.rows import build

    allowed = limits(time_limit, 0.0, threads, seed, memory_limit)
    memory = units and [part.strip() for part in units.split(",")]
    for part in memory or ():
        if not part.isdecimal() or not 0 < int(part) <= MOST_MEMORY:
            expected = f"integers of MB from 1 to {MOST_MEMORY}, such as 2000,1000,1000"
            raise InputError("--units", units, expected)
    problem = read_problem_or_jobs(
        file,
        reading=reading,
        objective=None if objective is None else parse_objective(objective),
        memory=tuple(map(int, memory)) if memory else None,
    )
    writable(output, folder=True)
    outcome = _run(problem, method, allowed)
    if output is not None and outcome.verified:
        metrics = outcome.figures
        write_problem(problem, output / "problem.json")
        write_schedule(
            problem,
            outcome.solution,
            output / "schedule.json",
            method=outcome.method,
            objective=metrics["stage_values"],
            bound=metrics["stage_bounds"],
        )
        mig_gantt(problem, outcome.solution, output / "schedule.png", title=outcome.method)
    (row,) = build.rows([outcome], allowed)
    values, bounds = (outcome.figures.get(f"stage_{name}") for name in ("values", "bounds"))
    facts = {
        **{key: value for key, value in row.items() if key not in LEFT_OUT},
        "bound": None if bounds is None else list(bounds),
        "message": row["message"] or None,
        "objective": None if values is None else list(values),
        "feasible": outcome.verdict is not None and outcome.verdict.feasible,
    }
    violations = () if outcome.verdict is None else outcome.verdict.violations
    print_values({**facts, "violations": [*map(vars, violations)]}, as_json=as_json)
    raise typer.Exit(0 if outcome.verified else 1)


@app.command("place")
def place(
    file: File = None,
    mix: Annotated[str, option("NAME", "mixed, small, large, memheavy or elastic.")] = "mixed",
    n: Annotated[int, option("N", "Workloads that are drawn.", "-n")] = 500,
    seed: DrawSeed = 1,
    gpu: Gpu = "A100-40",
    gpus: Gpus = None,
    method: Annotated[str, option("NAME", "ilp[@SOLVER], ff, bf, wf, ff_pref, flex, ffd.")] = "ilp",
    time_limit: TimeLimit = 60.0,
    save: Save = None,
    output: Solution = None,
    picture: Picture = None,
    as_json: Json = False,
) -> None:
    """
    Place workloads on as few GPUs as possible.

    \b
    Example:
      rsjs mig place --mix mixed -n 500 --seed 1 --method ilp --picture map.png
      rsjs mig place --mix small -n 200 --gpu H100-80 --method flex
      rsjs mig place workloads.json --method ilp@scip -o placement.json

    Among placements on the fewest GPUs, the one with the least waste: stranded slices, which no
    further instance can use, and over-allocated ones, beyond what a workload with a choice needs.
    """
    from rsjs.instances.mig.placement import problem

    workloads = _problem(
        file,
        lambda model: problem.generate(model, mix, n, seed),
        problem,
        gpu=gpu,
        gpus=gpus,
        outputs=(save, output, picture),
    )
    outcome = _run(workloads, method, limits(time_limit, 0.0, 1, 0, None))
    facts = {"name": workloads.name, "workloads": len(workloads), "method": method}
    _finish(outcome, facts, ("gpus", "gpus_bound"), output, picture, as_json=as_json)


def _problem(
    file: Path | None,
    generate: Callable[[MigGpu], Any],
    kind: Any,
    *,
    gpu: str,
    gpus: Path | None,
    outputs: tuple[Path | None, Path | None, Path | None],
) -> Any:
    """Read a problem with its module (`kind`), or draw one and write it to the first output."""
    from rsjs.instances.mig.gpus import gpu_named, read_gpus

    for path in outputs:
        writable(path)
    if file is None:
        problem = generate(gpu_named(gpu, read_gpus(gpus) if gpus else None))
    else:
        problem = kind.read_problem(file)
    if outputs[0] is not None:
        kind.write_problem(problem, outputs[0])
    return problem


def _run(
    problem: Any, method: str, allowed: Limits, options: Mapping[str, Any] | None = None
) -> Outcome:
    """Run a method on a problem of any kind; an error in its specification names --method."""
    from rsjs.runs import verified_run
    from rsjs.runs.kinds.base import kind_of

    with errors_at("--method"):
        request = kind_of(problem).request(method)
        verified_run.refuse(problem, request)
    line = RunLine(request.spelling, allowed.time_limit)
    with running() as screen:
        screen.show(line)
        return verified_run.run(problem, request, allowed, options=options, on_event=line)


def _finish(
    outcome: Outcome,
    facts: Mapping[str, Any],
    names: tuple[str, str],
    output: Path | None,
    picture: Path | None,
    *,
    as_json: bool,
) -> None:
    """Write, draw and print the solution, objective and bound by these names; exit code 0 or 1."""
    result, verdict = outcome.result, outcome.verdict
    if output is not None and outcome.solution is not None:
        outcome.kind.save(outcome.problem, outcome.method, outcome, output)
    if picture is not None and outcome.solution is not None:
        from rsjs.reporting.figures.mig import placement_picture, repartition_picture

        placement = outcome.kind.name == "mig_placement"
        draw = placement_picture if placement else repartition_picture
        draw(outcome.problem, outcome.solution, picture)
    objective = None if verdict is None else verdict.objective
    terms = (verdict and verdict.terms) or {}
    shown = {
        **facts,
        "feasible": outcome.verified,
        "violations": [*map(str, verdict.violations if verdict else ())] or None,
        names[0]: None if objective is None else round(objective),
        **{name: value for name, value in terms.items() if name != names[0]},
        names[1]: None if result.bound is None else round(result.bound),
        **outcome.figures,
        "stop": result.stop,
        "message": result.message or None,
        "seconds": round(result.seconds.get("total", 0.0), 4),
    }
    print_values(shown, as_json=as_json)
    raise typer.Exit(0 if outcome.verified else 1)


@app.command("repartition")
def repartition(
    file: File = None,
    n: Annotated[int, option("N", "Jobs that are drawn.", "-n")] = 20,
    seed: DrawSeed = 1,
    gpu: Gpu = "A100-40",
    gpus: Gpus = None,
    rigid: Annotated[
        bool, option(None, "Draw jobs that run on one MIG profile only.", "--rigid")
    ] = False,
    releases: Annotated[int, option("T", "Draw releases up to T.")] = 0,
    delta: Annotated[int, option("T", "Draw: time to make an instance.")] = 0,
    partition: Annotated[str | None, option("LIST", "Static partition, such as 4g,2g,1g.")] = None,
    method: Annotated[str, option("NAME", "cpsat, highs, scip or greedy.")] = "cpsat",
    time_limit: TimeLimit = 60.0,
    gap: Gap = 0.0,
    save: Save = None,
    output: Solution = None,
    picture: Picture = None,
    as_json: Json = False,
) -> None:
    """
    Schedule jobs on one GPU that is divided as needed.

    \b
    Example:
      rsjs mig repartition -n 20 --seed 1 --picture gantt.png
      rsjs mig repartition -n 30 --delta 2 --releases 150 --method greedy
      rsjs mig repartition jobs.json --partition 4g,2g,1g -o schedule.json

    The makespan is minimised. Jobs released together are assigned without any time (laminar
    placements), which highs and scip can do too; for others, model R is solved by CP-SAT.
    """
    from rsjs.instances.mig.reconfiguration import problem
    from rsjs.runs.kinds.mig_reconfiguration import PARTITION, refuse_partition

    jobs = _problem(
        file,
        lambda model: problem.generate(model, n, seed, rigid=rigid, releases=releases, delta=delta),
        problem,
        gpu=gpu,
        gpus=gpus,
        outputs=(save, output, picture),
    )
    options = {} if partition is None else {PARTITION: partition}
    if partition is not None:
        refuse_partition(jobs, partition)
    outcome = _run(jobs, method, limits(time_limit, gap, 1, 0, None), options)
    facts = {"name": jobs.name, "jobs": len(jobs), "partition": partition, "method": method}
    _finish(outcome, facts, ("makespan", "bound"), output, picture, as_json=as_json)


@app.command("reproduce-dataset")
def reproduce_dataset(output: Output, as_json: Json = False) -> None:
    """
    Write the dataset of Konopa 2025, byte for byte.

    \b
    Example:
      rsjs mig reproduce-dataset -o test_jobs.json

    1000 jobs of their configuration with seed 41. The arrivals come from a second stream whose
    seed, 189028438751160, was recovered from the dataset.
    """
    import gzip

    from rsjs.instances.io.files import write_bytes
    from rsjs.instances.mig.konopa.files import SHA256, published_dataset

    writable(output)
    data = published_dataset()
    digest = sha256(data).hexdigest()
    if digest != SHA256:
        raise InputError("/sha256", digest, f"{SHA256}; the logarithm of this platform differs")
    write_bytes(gzip.compress(data, mtime=0) if output.name.endswith(".gz") else data, output)
    print_values({"file": output, "jobs": 1000, "sha256": digest}, as_json=as_json)
