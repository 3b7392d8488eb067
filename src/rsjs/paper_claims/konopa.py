"""Konopa, Fesl and Beranek 2025: the figure of each claim, and its experiments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from rsjs.paper_claims.claim import Row, Rows
from rsjs.paper_claims.metrics import Value, each_case, ended, faster, mean

FCFS, CPSAT = "fcfs", "cpsat:fcfs"


def dataset() -> Iterator[Row]:
    """The jobs of the published dataset, which is made again byte for byte."""
    from rsjs.instances.mig.konopa.files import published_jobs

    jobs, before = published_jobs(), 0.0
    for job in range(len(jobs)):
        arrival = float(jobs.arrival[job])
        yield {
            "case": "dataset",
            "job": job,
            "priority": int(jobs.priority[job]),
            "run_length": int(jobs.run_length[job]),
            "first_memory_mb": float(jobs.memory[jobs.start[job]]),
            "gap": arrival - before,
            "cuda_cores": int(jobs.cuda_cores[job]),
        }
        before = arrival


def schedules(
    *, seeds: int, methods: Sequence[str], readings: Mapping[str, str], time_limit: float
) -> Iterator[Row]:
    """The experiment of section 4: shortest makespan of the library's set, by each reading."""
    from rsjs.core.call import Limits
    from rsjs.instances.library.sets import mig_config
    from rsjs.instances.mig.job_generator.generate import generate
    from rsjs.instances.mig.scheduling.objective import parse_objective
    from rsjs.instances.mig.scheduling.problem import paper_problem
    from rsjs.runs import compare, verified_run
    from rsjs.runs.kinds.mig_methods import request

    limits, config = Limits(time_limit=time_limit, gap=0.0), mig_config("section4.json")
    for seed in config.seeds[:seeds]:
        jobs = generate(config, seed)
        for case, reading in readings.items():
            problem = paper_problem(jobs, reading, parse_objective("makespan"))
            for method in methods:
                found = verified_run.run(problem, request(method), limits)
                (row,) = compare.rows([found], limits)
                yield {
                    "case": case,
                    **row,
                    "algorithm_s": found.result.seconds["total"],
                    "largest_memory_mb": float(jobs.memory.max()),
                }


def _share_of_priorities(rows: Rows) -> float | None:
    """Largest distance of the share of a priority from 1/5."""
    shares = [mean(float(row["priority"] == p) for row in rows) for p in range(1, 6)]
    return max(abs(share - 0.2) for share in shares if share is not None)


def _above_best(rows: Rows) -> float | None:
    """Mean share by which best fit is above the best value known."""
    own: dict[str, dict[str, float]] = {}
    for row in ended(rows):
        own.setdefault(row["instance"], {})[row["method"]] = row["objective"]
    return mean(found[FCFS] / min(found.values()) - 1 for found in own.values() if FCFS in found)


def _proved(rows: Rows) -> float | None:
    """Share of the runs of the solver that end with an optimum."""
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
    "konopa-section4-fast": each_case(faster(FCFS, CPSAT, "algorithm_s")),
    "konopa-section4-deadline": each_case(_within_deadline),
}
RUNS: Mapping[str, Callable[..., Iterable[Row]]] = {
    "mig_dataset": dataset,
    "mig_schedules": schedules,
}
