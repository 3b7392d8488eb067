"""`rsjs mig`: jobs on GPUs that are divided into MIG instances."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rsjs.cli import INTERRUPTED
from rsjs.cli.options import (
    Json,
    MemoryLimit,
    Output,
    Picture,
    Seed,
    Threads,
    TimeLimit,
    argument,
    limits,
    option,
    options_named,
)
from rsjs.cli.output import (
    measured,
    print_json,
    print_values,
    print_verdict,
    refuse_same,
    writable,
)
from rsjs.cli.progress import RunLine, Screen
from rsjs.core.errors import InputError
from rsjs.core.report import Stop

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rsjs.core.call import Limits
    from rsjs.instances.mig.gpus import MigGpu

MOST_MEMORY = 1_000_000_000  # MB of a unit
SHOWN = (  # columns besides those of every verdict
    *("reading", "goal", "jobs", "late", "makespan", "completion", "weighted_completion", "waste"),
    *("preemptions", "migrations", "stranded_compute", "stranded_memory", "over_allocated"),
)

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
Save = Annotated[Path | None, option("FILE", "Write the problem, as drawn or as read.")]
Solution = Annotated[
    Path | None, option("FILE", "Write the solution, if it is verified.", "-o", "--output")
]


def _solve(
    problem: Any,
    method: str,
    allowed: Limits,
    outputs: tuple[Path | None, Path | None, Path | None],
    *,
    read: Sequence[Path | None],
    as_json: bool,
    options: Mapping[str, Any] | None = None,
) -> None:
    """Run a method, write problem, solution and picture, print the row, end with the exit code."""
    from rsjs.rows import build
    from rsjs.runs import verified_run
    from rsjs.runs.kinds.base import kind_of

    for path in outputs:
        writable(path, *(one for one in read if one is not None))
    refuse_same(*outputs)
    kind, (save, output, picture) = kind_of(problem), outputs
    if save is not None:
        kind.write(problem, save)
    with options_named("--method"):
        request = kind.request(method)
        verified_run.refuse(problem, request)
    line = RunLine(request.label, allowed.time_limit)
    with Screen() as screen:
        screen.show(line)
        outcome = verified_run.run(problem, request, allowed, options=options, on_event=line)
    if outcome.verified and output is not None:
        kind.save(problem, outcome.method, outcome, output)
    if outcome.verified and picture is not None:
        from rsjs.reporting.figures import draw, mig

        draw.write(mig.FIGURES[kind.name](problem, outcome.solution), picture)
    (row,) = build.rows([outcome], allowed)
    if as_json:
        print_json(row)
    else:
        stages = (row.get(name) for name in ("stages", "stage_bounds"))
        objective, bound = (json.loads(str(stage)) if stage else None for stage in stages)
        document = {
            **outcome.as_dict(),
            "objective": objective or outcome.objective,
            "bound": bound or outcome.result.bound,
            "gap": row["own_gap"],
            "terms": None,
            "unit": kind.unit,
        }
        others = {name: row.get(name) for name in SHOWN if name in row}
        wrote = [("solution", str(output))] if outcome.verified and output is not None else []
        print_verdict(document, *measured(others), *wrote)
    if outcome.result.stop is Stop.INTERRUPTED:
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(0 if outcome.verified else 1)


def _gpu(name: str, file: Path | None) -> MigGpu:
    """Return the GPU of that name, of a file of GPUs if there is one."""
    from rsjs.instances.mig.gpus import gpu_named, read_gpus

    return gpu_named(name, read_gpus(file) if file else None)


@app.command("schedule")
def schedule(
    file: Annotated[Path, argument("FILE", "Set of jobs, or rsjs-mig-scheduling/1.")],
    method: Annotated[
        str,
        option("METHOD", "A rule, local_search, cpsat[:RULE], ..., see `rsjs list methods`."),
    ] = "cpsat",
    reading: Annotated[
        str | None, option("A|B|C", "Jobs may stop and move (A), stop (B), neither (C).")
    ] = None,
    objective: Annotated[
        str | None,
        option("TERMS", "Stages, e.g. late,completion+5*preemptions; or lexicographic."),
    ] = None,
    units: Annotated[str | None, option("MB,...", "Memory of the units.")] = None,
    time_limit: TimeLimit = 30.0,
    threads: Threads = 1,
    seed: Seed = 0,
    memory_limit: MemoryLimit = None,
    save: Annotated[
        Path | None, option("FILE", "Write the problem: jobs, reading, objective and units.")
    ] = None,
    output: Solution = None,
    picture: Picture = None,
    as_json: Json = False,
) -> None:
    """
    Schedule a set of jobs on the MIG instances of a GPU.

    \b
    Example:
      rsjs mig schedule jobs/section4-s2.json --method bigrem --picture gantt.png
      rsjs mig schedule jobs/section4-s2.json --objective completion --method local_search
      rsjs mig schedule jobs/section4-s2.json --reading C --save problem.json -o schedule.json
      rsjs mig schedule jobs/section4-s2.json --method 'fcfs?poll=10'

    A set of jobs is scheduled with reading A, the makespan as objective and units of 2000, 1000
    and 1000 MB if not said otherwise. `rsjs check problem.json schedule.json` checks files again.
    Ctrl-C ends the method and keeps the best schedule it has reported.
    """
    from rsjs.instances.mig.scheduling.objective import parse_objective
    from rsjs.instances.mig.scheduling.problem import read_problem_or_jobs

    allowed = limits(time_limit, 0.0, threads, seed, memory_limit)
    memory = [part.strip() for part in units.split(",")] if units else []
    if not all(part.isdecimal() and 0 < int(part) <= MOST_MEMORY for part in memory):
        expected = f"integers of MB from 1 to {MOST_MEMORY}, such as 2000,1000,1000"
        raise InputError("--units", units, expected)
    problem = read_problem_or_jobs(
        file,
        reading=reading,
        objective=None if objective is None else parse_objective(objective),
        memory=tuple(map(int, memory)) or None,
    )
    outputs = save, output, picture
    _solve(problem, method, allowed, outputs, read=[file], as_json=as_json)


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

    Among placements on the fewest GPUs, the one with the lowest waste: stranded slices, which no
    further instance can use, and over-allocated ones, beyond what a workload with a choice needs.
    """
    from rsjs.instances.mig.placement import problem

    if file is None:
        workloads = problem.generate(_gpu(gpu, gpus), mix, n, seed)
    else:
        workloads = problem.read_problem(file)
    allowed = limits(time_limit, 0.0, 1, 0, None)
    outputs = save, output, picture
    _solve(workloads, method, allowed, outputs, read=[file, gpus], as_json=as_json)


@app.command("repartition")
def repartition(
    file: File = None,
    n: Annotated[int, option("N", "Jobs that are drawn.", "-n")] = 20,
    seed: DrawSeed = 1,
    gpu: Gpu = "A100-40",
    gpus: Gpus = None,
    rigid: Annotated[bool, option(None, "Draw jobs of one MIG profile each.", "--rigid")] = False,
    releases: Annotated[int, option("T", "Draw releases up to T.")] = 0,
    delta: Annotated[int, option("T", "Draw: time to make an instance.")] = 0,
    partition: Annotated[str | None, option("LIST", "Static partition, such as 4g,2g,1g.")] = None,
    method: Annotated[str, option("NAME", "cpsat, highs, scip or greedy.")] = "cpsat",
    time_limit: TimeLimit = 60.0,
    gap: Annotated[
        float, option("GAP", "Relative gap of the makespan at which a solver may stop.")
    ] = 0.0,
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

    if file is None:
        model = _gpu(gpu, gpus)
        jobs = problem.generate(model, n, seed, rigid=rigid, releases=releases, delta=delta)
    else:
        jobs = problem.read_problem(file)
    options = {}
    if partition is not None:
        refuse_partition(jobs, partition)
        options[PARTITION] = partition
    allowed = limits(time_limit, gap, 1, 0, None)
    outputs, read = (save, output, picture), [file, gpus]
    _solve(jobs, method, allowed, outputs, read=read, as_json=as_json, options=options)


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
    from hashlib import sha256

    from rsjs.instances.io.files import write_packed
    from rsjs.instances.mig.konopa.files import SHA256, published_dataset

    writable(output)
    data = published_dataset()
    digest = sha256(data).hexdigest()
    if digest != SHA256:
        raise InputError("/sha256", digest, f"{SHA256}; the logarithm of this platform differs")
    write_packed(data, output)
    print_values({"file": output, "jobs": 1000, "sha256": digest}, as_json=as_json)
