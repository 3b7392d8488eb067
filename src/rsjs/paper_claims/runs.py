"""
Experiments as campaigns: each run is a process of its own, verified, with a record in a store.

A row is that of the run, see `rsjs.rows.columns`, with the case of the experiment before it: what
the paper leaves open, and how it was set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rsjs.core.call import Limits
from rsjs.instances.generators import sts
from rsjs.instances.io.serialization import canonical_text
from rsjs.instances.library.sets import GENERATORS, WORKLOADS
from rsjs.paper_claims.claim import Row
from rsjs.runs.kinds.base import kind_of
from rsjs.simulation.options import Options

LONGEST = Limits(time_limit=1e6)  # of a simulation, whose decisions have a limit each
Problems = Sequence[tuple[str, Any]]  # case, and instance or workload
Cases = Mapping[str, Mapping[str, Any]]  # case -> arguments of the generator


class Runner(NamedTuple):
    """What carries out the runs of an experiment."""

    compare: Callable[..., Any]  # `rsjs.comparison.compare_pairs`, or a test's
    store: Path

    def rows(
        self,
        problems: Problems,
        methods: Sequence[str],
        limits: Limits,
        options: Options | None = None,
    ) -> list[Row]:
        """
        Return the rows of methods on problems, in this order; those in the store are not run again.

        Raises KeyboardInterrupt if Ctrl-C ended them: there are no rows of a part of an experiment.
        """
        given = {problem.digest: problem for _, problem in problems}
        own = kind_of(problems[0][1])
        requests = [own.request(method) for method in methods]
        text = None
        if options is not None:
            text = canonical_text({k: v for k, v in asdict(options).items() if k != "seed"})
        found = self.compare(
            [(problem, requests) for problem in given.values()],
            limits,
            store=self.store,
            options=text,
        )
        if found.interrupted:
            raise KeyboardInterrupt
        rows: dict[str, list[Row]] = {digest: [] for digest in given}
        for row in found.rows:
            rows[row["instance_sha256"]].append(row)
        return [{"case": case, **row} for case, problem in problems for row in rows[problem.digest]]

    def file(self, row: Row, name: str) -> Path:
        """Return a file in the record of a row."""
        run_id: str = row["run_id"]
        return self.store / "runs" / run_id[:2] / run_id / name


def decisions(
    runner: Runner,
    *,
    generator: str,
    sizes: Sequence[str],
    seeds: Sequence[int],
    methods: Sequence[str],
    cases: Cases,
    limits: Mapping[str, Any] | None = None,
) -> list[Row]:
    """Run methods on one decision of each case, size ("NxJ") and seed, all jobs submitted."""
    problems = [
        (case, GENERATORS[generator](**size, **arguments))
        for case, arguments in cases.items()
        for size in drawn(sizes, seeds)
    ]
    return runner.rows(problems, methods, Limits(**(limits or {})))


def simulations(
    runner: Runner,
    *,
    generator: str,
    sizes: Sequence[str],
    seeds: Sequence[int],
    policies: Sequence[str],
    cases: Cases,
    simulation: Mapping[str, Any] | None = None,
) -> list[Row]:
    """Simulate workloads of each case, size ("NxJ") and seed; a case may have `simulation`, too."""
    rows = []
    for case, chosen in cases.items():
        options = Options(**{**(simulation or {}), **chosen.get("simulation", {})})
        arguments = {key: value for key, value in chosen.items() if key != "simulation"}
        made = (WORKLOADS[generator](**size, **arguments) for size in drawn(sizes, seeds))
        rows += runner.rows([(case, workload) for workload in made], policies, LONGEST, options)
    return rows


def printed(runner: Runner, *, rows: Sequence[Row]) -> list[Row]:
    """Return the values of a paper's table as rows, to be held against what the paper says."""
    return [*rows]


def arrivals(
    runner: Runner, *, sizes: Sequence[str], seeds: Sequence[int], laws: Sequence[str]
) -> list[Row]:
    """Return when the last job is submitted, by arrival process, size and seed."""
    return [
        {
            "case": "K80 + M60",
            "instance": made.name,
            "nodes": made.cluster.nodes,
            "jobs": len(made.jobs),
            "law": law,
            "last_release_h": float(made.jobs.release[-1]),
        }
        for law in laws
        for made in (sts.workload(**size, law=law) for size in drawn(sizes, seeds))
    ]


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


def drawn(sizes: Sequence[str], seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Return nodes, jobs and seed of each size and seed."""
    for size in sizes:
        nodes, jobs = map(int, size.split("x"))
        yield from ({"nodes": nodes, "jobs": jobs, "seed": seed} for seed in seeds)
