"""Jobs for MIG instances: sets of them, geometry, placement, reconfiguration, schedules."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from benchmarks.cases import Work
from rsjs.core.call import Limits
from rsjs.formulations.mig import (
    placement,
    reconfiguration_assignment,
    reconfiguration_bounds,
    scheduling_cpsat,
)
from rsjs.formulations.mig.reconfiguration_bounds import find_candidates
from rsjs.formulations.mig.scheduling_bounds import lagrangian_bound, makespan_bound
from rsjs.heuristics.mig.placement import RULES as PLACING
from rsjs.heuristics.mig.placement import place
from rsjs.heuristics.mig.reconfiguration import best_greedy
from rsjs.heuristics.mig.scheduling_local_search import local_search
from rsjs.heuristics.mig.scheduling_rules import RULES, best_fit
from rsjs.instances.library.sets import mig_config
from rsjs.instances.mig.geometry import geometry
from rsjs.instances.mig.gpus import gpu_named
from rsjs.instances.mig.job_files import read_jobs, write_jobs
from rsjs.instances.mig.job_generator.config import MigConfig, to_config
from rsjs.instances.mig.job_generator.generate import generate
from rsjs.instances.mig.job_generator.goodness_of_fit import statistics
from rsjs.instances.mig.jobs import JobSet, text_and_digest
from rsjs.instances.mig.konopa import files, java_random
from rsjs.instances.mig.placement import check as placement_check
from rsjs.instances.mig.placement import problem as placement_problem
from rsjs.instances.mig.reconfiguration import problem as reconfiguration
from rsjs.instances.mig.scheduling.check import check_schedule
from rsjs.instances.mig.scheduling.objective import parse_objective
from rsjs.instances.mig.scheduling.problem import SchedulingProblem, named, paper_problem
from rsjs.instances.mig.scheduling.schedule import terms

A100 = gpu_named("A100-40")
FOLDER = tempfile.TemporaryDirectory()  # of this process
_WALK = {
    "model": "random_walk",
    "first": {"dist": "uniform", "low": 1, "high": 1990},
    "step": {"kind": "normal", "rel_sd": 0.1},
    "clip": [1, 1990],
}
_RUSH = {"process": "nhpp", "period": 1440, "points": [[0, 2], [480, 20], [1020, 6], [1320, 2]]}
_TRAIN = {
    "name": "train",
    "weight": 3,
    "run_length": {"dist": "lognormal", "mean": 20, "cv": 1, "round": "ceil"},
    "memory": {"model": "ar1", "mean": 900, "phi": 0.9, "sd": 40},
    "deadline": {"kind": "slack_factor", "value": {"dist": "gamma", "shape": 4, "scale": 1}},
}
CONFIGS: Mapping[str, Mapping[str, Any]] = {
    "section 4": {
        "arrivals": {"process": "poisson", "rate": 20},
        "classes": [
            {
                "name": "job",
                "run_length": {"dist": "uniform_int", "low": 1, "high": 10},
                "memory": _WALK,
                "deadline": {"kind": "absolute", "value": 250},
            }
        ],
    },
    "day": {
        "arrivals": _RUSH,
        "classes": [
            _TRAIN,
            {
                "name": "serve",
                "run_length": {"dist": "geometric", "p": 0.2},
                "memory": _WALK | {"out_of_range": "resample"},
            },
        ],
    },
}


@cache
def _jobs(name: str) -> tuple[MigConfig, JobSet, Path]:
    """Return a configuration of 1000 jobs, its first set, and the file of this."""
    head = {"format": "rsjs-mig-config/1", "name": "bench", "count": 1000, "seeds": [1]}
    config = to_config(head | CONFIGS[name], "bench.json")
    jobs, path = generate(config, 1), Path(FOLDER.name) / f"{name}.json"
    write_jobs(jobs, path)
    return config, jobs, path


def _fingerprint(jobs: JobSet) -> dict[str, float]:
    """Return the start of a digest as a number."""
    return {"digest": int(jobs.digest[:12], 16)}


def _draw(name: str) -> Work:
    config, *_ = _jobs(name)
    return Work(run=lambda: generate(config, 1), values=_fingerprint)


def _write(name: str) -> Work:
    _, jobs, path = _jobs(name)
    return Work(run=lambda: write_jobs(jobs, path), values=lambda _: _fingerprint(read_jobs(path)))


def _read(name: str) -> Work:
    *_, path = _jobs(name)
    return Work(run=lambda: read_jobs(path), values=_fingerprint)


def _text(name: str) -> Work:
    _, jobs, _ = _jobs(name)
    return Work(run=lambda: text_and_digest(jobs), values=lambda found: {"bytes": len(found[0])})


def _statistics(name: str) -> Work:
    config, jobs, _ = _jobs(name)
    return Work(run=lambda: statistics([jobs], config), values=lambda rows: {"rows": len(rows)})


def _dataset(*, first: bool) -> Work:
    """The published dataset, without and with the tables of the ziggurat."""

    def run() -> bytes:
        if first:
            java_random.normal.cache_clear()
        return files.published_dataset()

    return Work(run=run, values=lambda text: {"bytes": len(text)})


def _geometry() -> Work:
    """All sets of placements of a GPU, the media profile included."""
    return Work(
        run=lambda: geometry.__wrapped__(A100), values=lambda found: {"sets": len(found.chosen)}
    )


def _placement(method: str) -> Work:
    """500 workloads by a rule or to optimality."""
    workloads = placement_problem.generate(A100, "mixed", 500, 1)

    def values(found: Any) -> dict[str, float]:
        verdict = placement_check.check(workloads, found.placement if method == "ilp" else found)
        return {"gpus": verdict.gpus, "waste": verdict.waste}

    if method == "ilp":
        return Work(run=lambda: placement.solve(workloads, Limits(gap=0.0)), values=values)
    return Work(run=lambda: place(workloads, method), values=values)


def _reconfiguration(what: str) -> Work:
    """50 moldable jobs released together on one GPU: greedy, bound, or the exact model built."""
    jobs = reconfiguration.generate(A100, 50, 1)
    if what == "greedy":
        return Work(
            run=lambda: best_greedy(jobs),
            values=lambda found: {"makespan": reconfiguration.makespan(jobs, found[1])},
        )
    if what == "bound":
        return Work(
            run=lambda: reconfiguration_bounds.best(find_candidates(jobs)),
            values=lambda bound: {"bound": bound},
        )
    model = reconfiguration_assignment.AssignmentModel
    return Work(
        run=lambda: reconfiguration_assignment.build(model.of(find_candidates(jobs))),
        values=lambda _: {"jobs": len(jobs)},
    )


def first_problem(objective: str) -> SchedulingProblem:
    """Return the first set of section 4 of the paper with an objective; jobs stop and move."""
    config = mig_config("section4.json")
    jobs = generate(config, config.seeds[0])
    return named(paper_problem(jobs, "A", parse_objective(objective)))


def _rule(rule: str) -> Work:
    problem = first_problem("completion")
    best_fit(problem, rule)
    return Work(
        run=lambda: best_fit(problem, rule),
        values=lambda found: {"completion": terms(problem, found)["completion"]},
    )


def _check() -> Work:
    problem = first_problem("completion")
    schedule = best_fit(problem)
    return Work(
        run=lambda: check_schedule(problem, schedule),
        values=lambda verdict: {"feasible": int(verdict.feasible)},
    )


def _search() -> Work:
    problem = first_problem("completion")
    start = best_fit(problem, "bigfirst_srpt")
    local_search(problem, [start], iterations=1)
    return Work(
        run=lambda: local_search(problem, [start], iterations=5000),
        values=lambda found: {"completion": terms(problem, found[0])["completion"]},
    )


def _lagrangian() -> Work:
    problem = first_problem("completion")
    reached = terms(problem, best_fit(problem, "bigfirst_srpt"))
    return Work(
        run=lambda: lagrangian_bound(
            problem,
            {"completion": 1},
            target=reached["completion"],
            horizon=int(reached["makespan"]),
            iterations=300,
        ),
        values=lambda bound: {"bound": bound},
    )


def _proof() -> Work:
    """CP-SAT from the schedule of FCFS to a proof of the makespan."""
    problem = first_problem("makespan")
    start, bound = best_fit(problem), makespan_bound(problem)
    return Work(
        run=lambda: scheduling_cpsat.solve(problem, start, [bound], Limits(time_limit=30)),
        values=lambda result: {"proved": int(result.stop == "optimal")},
    )


WORK: Mapping[str, Callable[[], Work]] = {
    **{
        f"{call.__name__.strip('_')} {name}": partial(call, name)
        for call in (_draw, _write, _read, _text, _statistics)
        for name in CONFIGS
    },
    "dataset": partial(_dataset, first=False),
    "first dataset": partial(_dataset, first=True),
    "geometry": _geometry,
    **{f"place {method}": partial(_placement, method) for method in ("ilp", *PLACING)},
    **{f"reconfigure {w}": partial(_reconfiguration, w) for w in ("greedy", "bound", "build")},
    **{f"schedule {rule}": partial(_rule, rule) for rule in RULES},
    "check schedule": _check,
    "local search": _search,
    "lagrangian bound": _lagrangian,
    "makespan proof": _proof,
}
