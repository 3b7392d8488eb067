"""Konopa, Fesl and Beranek 2025: the metric of each claim, and its experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rsjs.core.call import Limits
from rsjs.paper_claims.claim import Row, Rows
from rsjs.paper_claims.metrics import Value, each_case, ended, faster, mean
from rsjs.paper_claims.runs import Runner

FCFS, CPSAT = "fcfs", "cpsat:fcfs"


def dataset(runner: Runner) -> list[Row]:
    """Return the jobs of the published dataset, which is made again byte for byte."""
    from rsjs.instances.mig.konopa.files import published_jobs

    jobs = published_jobs()
    gaps = np.diff(jobs.arrival, prepend=0.0)
    return [
        {
            "case": "dataset",
            "job": job,
            "priority": int(jobs.priority[job]),
            "run_length": int(jobs.run_length[job]),
            "first_memory_mb": float(jobs.memory[jobs.start[job]]),
            "gap": float(gaps[job]),
            "cuda_cores": int(jobs.cuda_cores[job]),
        }
        for job in range(len(jobs))
    ]


def schedules(
    runner: Runner,
    *,
    seeds: int,
    methods: Sequence[str],
    readings: Mapping[str, str],
    time_limit: float,
) -> list[Row]:
    """Run section 4: shortest makespan of the library's set, by each reading."""
    from rsjs.instances.library.sets import mig_config
    from rsjs.instances.mig.job_generator.generate import generate
    from rsjs.instances.mig.scheduling.objective import parse_objective
    from rsjs.instances.mig.scheduling.problem import paper_problem

    config, goal = mig_config("section4.json"), parse_objective("makespan")
    sets = [generate(config, seed) for seed in config.seeds[:seeds]]
    problems = [
        (case, paper_problem(jobs, reading, goal))
        for jobs in sets
        for case, reading in readings.items()
    ]
    memory = {problem.digest: float(problem.jobs.memory.max()) for _, problem in problems}
    return [
        {**row, "largest_memory_mb": memory[row["instance_sha256"]]}
        for row in runner.rows(problems, methods, Limits(time_limit=time_limit, gap=0.0))
    ]


def _share_of_priorities(rows: Rows) -> float | None:
    """Return the largest distance of the share of a priority from 1/5."""
    shares = [mean(float(row["priority"] == p) for row in rows) for p in range(1, 6)]
    return max(abs(share - 0.2) for share in shares if share is not None)


def _above_best(rows: Rows) -> float | None:
    """Return the mean share by which best fit is above the best value known."""
    own: dict[str, dict[str, float]] = {}
    for row in ended(rows):
        own.setdefault(row["instance"], {})[row["method"]] = row["objective"]
    return mean(found[FCFS] / min(found.values()) - 1 for found in own.values() if FCFS in found)


def _proved(rows: Rows) -> float | None:
    """Return the share of the runs of the solver that end with an optimum."""
    return mean(float(row["stop"] == "optimal") for row in rows if row["method"] == CPSAT)


def _within_deadline(rows: Rows) -> float | None:
    return mean(float(row["objective"] <= 250) for row in ended(rows) if row["method"] == FCFS)


VALUES: Mapping[str, Value] = {
    "konopa-fig2-priorities": each_case(_share_of_priorities),
    "konopa-fig3-run-lengths": each_case(lambda rows: mean(row["run_length"] for row in rows)),
    "konopa-table3-memory": each_case(lambda rows: mean(row["first_memory_mb"] for row in rows)),
    "konopa-table3-arrivals": each_case(lambda rows: mean(row["gap"] for row in rows)),
    "konopa-section4-memory": each_case(lambda rows: max(row["largest_memory_mb"] for row in rows)),
    "konopa-section4-best-fit": each_case(_above_best),
    "konopa-section4-optimum": each_case(_proved),
    "konopa-section4-fast": each_case(faster(FCFS, CPSAT, "total_s")),
    "konopa-section4-deadline": each_case(_within_deadline),
}
