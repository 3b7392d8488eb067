"""
Every column of the rows of runs, once: name, type, unit, meaning, and who fills it.

    campaign      what was asked
    method        what it reports; its process measures the seconds of its phases
    checker       what follows from the checked solution
    runner        measured around the worker process
    session       surroundings that the `rsjs run` of the row recorded
    collection    what the runs of an instance say of each other

None, an empty field of a CSV file, is a value that is not known or does not exist.
`docs/reference/columns.md` is made from these declarations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import NoneType
from typing import Annotated, Any, Literal, TypedDict, get_args, get_type_hints

By = Literal["campaign", "method", "checker", "runner", "session", "collection"]


@dataclass(frozen=True)
class Column:
    """A column of the rows."""

    by: By  # who fills it
    meaning: str
    unit: str = ""
    name: str = ""
    type: type = str  # str, float, int or bool
    optional: bool = False  # may be None
    kind: str = ""  # of the problems that have it, see `rsjs.runs.kinds`; "" = any


Text = str | None
Number = float | None
Count = int | None


class SimulationRow(TypedDict, total=False):
    """Columns of a policy on a workload."""

    simulation: Annotated[Text, Column("campaign", "options of the simulation, JSON")]
    completed: Annotated[Count, Column("checker", "jobs that completed")]
    tardiness_hours: Annotated[Number, Column("checker", "sum of tardiness", "h")]
    makespan_h: Annotated[Number, Column("checker", "first submission to last completion", "h")]
    utilisation: Annotated[Number, Column("checker", "share of GPU-hours in use in the makespan")]
    longest_queue: Annotated[Count, Column("checker", "most jobs waiting after a decision")]
    decisions: Annotated[Count, Column("checker", "decisions of the policy")]
    moves: Annotated[Count, Column("checker", "times that a job changed its mode")]
    repeated_epochs: Annotated[Number, Column("checker", "epochs run twice after interruptions")]
    idle_gpu_hours: Annotated[Number, Column("checker", "idle GPUs of nodes that are on", "GPU h")]
    gpu_hours: Annotated[Text, Column("checker", "use of each GPU type, JSON", "GPU h")]
    decision_median_s: Annotated[Number, Column("method", "median time of a decision", "s")]
    decision_most_s: Annotated[Number, Column("method", "longest time of a decision", "s")]
    policy_s: Annotated[Number, Column("method", "time of all decisions", "s")]
    capacity_free_bound: Annotated[Number, Column("method", "bound without capacities", "$")]
    workload_bound: Annotated[Number, Column("method", "bound by prices of GPUs", "$")]
    bucket_bound: Annotated[Number, Column("method", "bound by time buckets, in older rows", "$")]
    bucket_hours: Annotated[Number, Column("method", "length of a bucket, in older rows", "h")]
    offered_load: Annotated[Number, Column("method", "work over capacity while jobs arrive")]
    clairvoyant_greedy: Annotated[Number, Column("method", "greedy that knows all epochs", "$")]
    infinite_cluster: Annotated[Number, Column("method", "each job alone, optimal modes", "$")]


class ScheduleRow(TypedDict, total=False):
    """Columns of a schedule on MIG instances."""

    steps: Annotated[Count, Column("campaign", "steps of all jobs")]
    reading: Annotated[Text, Column("campaign", "reading of the problem statement")]
    goal: Annotated[Text, Column("campaign", "stages of the objective")]
    units: Annotated[Text, Column("campaign", "memory of each MIG instance", "MB")]
    makespan: Annotated[Count, Column("checker", "latest completion", "min")]
    completion: Annotated[Count, Column("checker", "sum of completions", "min")]
    weighted_completion: Annotated[Count, Column("checker", "sum of priority x completion", "min")]
    waste: Annotated[Number, Column("checker", "unused memory of busy units", "MB min")]
    migrations: Annotated[Count, Column("checker", "steps on another unit than the one before")]
    stages: Annotated[Text, Column("checker", "value of each stage, JSON")]
    stage_bounds: Annotated[Text, Column("method", "bound of each stage, JSON")]
    construct_s: Annotated[Number, Column("method", "construction of the first schedule", "s")]
    search_s: Annotated[Number, Column("method", "search", "s")]
    bound_s: Annotated[Number, Column("method", "bounds", "s")]


class PlacementRow(TypedDict, total=False):
    """Columns of a placement on GPUs that are divided into MIG instances."""

    stranded_compute: Annotated[Count, Column("checker", "free, but of no use", "slices")]
    stranded_memory: Annotated[Count, Column("checker", "free, but of no use", "slices")]
    over_allocated: Annotated[Count, Column("checker", "beyond what workloads need", "slices")]
    waste_bound: Annotated[Count, Column("method", "bound of the sum of the three", "slices")]


class Row(SimulationRow, ScheduleRow, PlacementRow, total=False):
    """One run of one method on one problem."""

    instance: Annotated[str, Column("campaign", "name of the instance")]
    instance_sha256: Annotated[str, Column("campaign", "digest of the instance as given")]
    nodes: Annotated[int, Column("campaign", "nodes; on MIG instances units or GPUs")]
    jobs: Annotated[int, Column("campaign", "jobs")]
    method: Annotated[str, Column("campaign", "specification; environment, threads if they differ")]
    stop: Annotated[str, Column("method", "why it stopped: optimal, gap, time_limit, ...")]
    status: Annotated[
        str,
        Column(
            "checker",
            "ok (feasible), no_solution, infeasible (the solution fails the check), wrong (a claim"
            " is false: the cost, a bound above a cost that a run reached, infeasibility)",
        ),
    ]
    objective: Annotated[
        Number,
        Column("checker", "cost of a feasible solution; on MIG instances the first stage", "$"),
    ]
    tardiness: Annotated[Number, Column("checker", "term of the objective", "$")]
    postponement: Annotated[Number, Column("checker", "term of the objective", "$")]
    energy: Annotated[Number, Column("checker", "term of the objective", "$")]
    idle: Annotated[Number, Column("checker", "term of the objective: idle nodes", "$")]
    changes: Annotated[
        Number,
        Column(
            "checker", "term of the objective: jobs started and moved; none if not charged", "$"
        ),
    ]
    bound: Annotated[Number, Column("method", "lower bound, valid for the instance", "$")]
    best_bound: Annotated[Number, Column("collection", "best valid bound of all runs", "$")]
    own_gap: Annotated[
        Number,
        Column(
            "checker",
            "in [0, 1]: (z - b) / max(|z|, |b|), z the objective, b the bound; of several stages"
            " that of the first whose bound is not met",
        ),
    ]
    gap_to_best: Annotated[Number, Column("collection", "in [0, 1]: the gap to best_bound")]
    gap_without_postponement: Annotated[
        Number, Column("collection", "(z - best_bound) / (z - postponement)")
    ]
    gap_over_energy: Annotated[Number, Column("collection", "in [0, 1]: (z - best_bound) / energy")]
    executed: Annotated[Count, Column("checker", "jobs that run; in simulations, completed")]
    late: Annotated[
        Count,
        Column(
            "checker",
            "late jobs; in simulations, by more than 60 s",
        ),
    ]
    preemptions: Annotated[Count, Column("checker", "interruptions of jobs or between their steps")]

    import_s: Annotated[Number, Column("method", "imports, compiling, other preparation", "s")]
    read_s: Annotated[Number, Column("method", "reading the instance", "s")]
    build_s: Annotated[Number, Column("method", "building the model", "s")]
    handover_s: Annotated[Number, Column("method", "handing the model to the solver", "s")]
    solve_s: Annotated[Number, Column("method", "solving", "s")]
    extract_s: Annotated[Number, Column("method", "from the solver's answer to a solution", "s")]
    check_s: Annotated[Number, Column("runner", "checking the solution", "s")]
    total_s: Annotated[Number, Column("method", "from being given the instance to the end", "s")]
    process_s: Annotated[Number, Column("runner", "worker process", "s")]
    peak_memory_mb: Annotated[Number, Column("runner", "resident memory of all processes", "MB")]

    rsjs_version: Annotated[str, Column("runner", "version of this package")]
    solver_version: Annotated[Text, Column("runner", "version of the solver")]
    time_limit: Annotated[float, Column("campaign", "limit of total_s", "s")]
    gap_limit: Annotated[Number, Column("campaign", "gap at which the method may stop")]
    threads: Annotated[int, Column("campaign", "threads that the method may use")]
    seed: Annotated[int, Column("campaign", "seed of the method")]
    feasibility_tolerance: Annotated[Number, Column("method", "read back from the solver")]
    integrality_tolerance: Annotated[Number, Column("method", "read back from the solver")]
    warm_start_sha256: Annotated[Text, Column("runner", "digest of the solution to begin from")]
    message: Annotated[str, Column("method", "remarks, and the violations that were found")]

    run_id: Annotated[str, Column("campaign", "record: runs/<first two digits>/<run_id>")]
    campaign: Annotated[str, Column("campaign", "name of the campaign")]
    spelling: Annotated[str, Column("campaign", "method specification")]
    environment: Annotated[str, Column("campaign", "where it ran; empty: where rsjs run does")]
    plugins: Annotated[Text, Column("campaign", "source of each method of another package, JSON")]
    repetition: Annotated[int, Column("campaign", "from 1")]
    permutation: Annotated[int, Column("campaign", "order of jobs and nodes; 0 = as given")]
    solved_sha256: Annotated[str, Column("campaign", "digest of the instance in that order")]
    timing: Annotated[str, Column("campaign", "exclusive; shared, batch: seconds are not ranked")]
    memory_limit_mb: Annotated[Number, Column("campaign", "limit of resident memory", "MB")]
    output_limit_mb: Annotated[Number, Column("campaign", "limit of files and printed text", "MB")]
    ended: Annotated[str, Column("runner", "how it ended: FINISHED, TIMEOUT, MEMOUT, ...")]
    quality: Annotated[Text, Column("collection", "OPTIMAL_VERIFIED, ..., NO_SOLUTION, WRONG")]
    claimed_objective: Annotated[Number, Column("method", "reported objective", "$")]
    bound_source: Annotated[Text, Column("method", "what proved the bound")]
    bound_variant: Annotated[Text, Column("method", "what the bound is valid for: instance, ...")]
    objective_at_limit: Annotated[Number, Column("checker", "least cost at the time limit", "$")]
    incumbents: Annotated[Count, Column("runner", "incumbents reported")]
    false_incumbents: Annotated[Count, Column("checker", "incumbents of another cost than claimed")]
    overshoot_s: Annotated[Number, Column("runner", "from the limit to the end, at least 0", "s")]
    cpu_s: Annotated[Number, Column("runner", "CPU time of all processes", "s")]
    overhead_s: Annotated[Number, Column("runner", "whole_s less imports, compiling, method", "s")]
    whole_s: Annotated[Number, Column("runner", "all that was done for the run", "s")]
    returncode: Annotated[Count, Column("runner", "of the worker process")]
    cores: Annotated[str, Column("runner", "cores that the worker was pinned to")]
    strays: Annotated[Count, Column("runner", "processes that the worker left behind")]
    load_before: Annotated[Number, Column("runner", "load average of the last minute")]
    load_after: Annotated[Number, Column("runner", "load average of the last minute")]
    rows: Annotated[Count, Column("method", "rows of the model")]
    columns: Annotated[Count, Column("method", "columns of the model")]
    nonzeros: Annotated[Count, Column("method", "nonzeros of the model")]
    integers: Annotated[Count, Column("method", "integer columns of the model")]
    iterations: Annotated[Count, Column("method", "iterations")]
    search_nodes: Annotated[Count, Column("method", "nodes of the branch-and-bound tree")]
    options: Annotated[Text, Column("method", "options read back from the solver, JSON")]
    begun: Annotated[Text, Column("runner", "UTC")]
    session: Annotated[Text, Column("runner", "the rsjs run that made the row")]

    commit: Annotated[Text, Column("session", "commit of this package")]
    dirty: Annotated[bool | None, Column("session", "whether its tree had changes")]
    python_version: Annotated[Text, Column("session", "Python")]
    environment_sha256: Annotated[Text, Column("session", "digest of the installed packages")]
    host: Annotated[Text, Column("session", "name of the machine")]
    cpu_model: Annotated[Text, Column("session", "processor")]
    hardware_threads: Annotated[Count, Column("session", "hardware threads of the machine")]
    calibration_before: Annotated[Number, Column("session", "time of fixed work before it", "s")]
    calibration_after: Annotated[Number, Column("session", "time of fixed work after it", "s")]


KINDS = {"workload": SimulationRow, "mig_scheduling": ScheduleRow, "mig_placement": PlacementRow}


def _column(name: str, hint: Any) -> Column:
    values, column = get_args(hint)
    (only,) = (one for one in get_args(values) or (values,) if one is not NoneType)
    kind = next((kind for kind, columns in KINDS.items() if name in columns.__annotations__), "")
    optional = NoneType in get_args(values)
    made: Column = replace(column, name=name, type=only, optional=optional, kind=kind)
    return made


_HINTS = get_type_hints(Row, include_extras=True)
COLUMNS: Mapping[str, Column] = {  # those of kinds last
    column.name: column
    for column in sorted(
        (_column(name, hint) for name, hint in _HINTS.items()), key=lambda column: column.kind
    )
}
