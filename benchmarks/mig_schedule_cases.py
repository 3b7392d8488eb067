"""The experiment of Konopa, Fesl and Beranek 2025, section 4, and variants of it, as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rsjs.core.call import Limits
from rsjs.instances.io.strict_json import read_json
from rsjs.instances.library.sets import mig_config
from rsjs.instances.mig.job_generator.config import MigConfig, to_config
from rsjs.instances.mig.job_generator.generate import generate
from rsjs.instances.mig.scheduling.objective import parse_objective
from rsjs.instances.mig.scheduling.problem import SchedulingProblem, named, paper_problem

LIMITS = Limits(time_limit=30.0, gap=0.0, threads=1, seed=0)
ALL, SOME = 100, 20  # seeds of the experiment and of variants
PENALISED = "completion+5*preemptions+5*migrations"
MATTER = ("fcfs", "srpt", "edd", "bigfirst_srpt", "bigfirst_srbig", "local_search")
VARIANTS = Path(__file__).with_name("mig")


@dataclass(frozen=True, kw_only=True)
class Case:
    """
    A problem for each of the first primes as seed, and methods.

    The campaigns `konopa` and `mig_variants.toml` run them.

    Attributes
    ----------
    name : str
        Of its file of rows.
    title : str
    jobs : str
        `section4` of the library, or a configuration in `benchmarks/mig`.
    reading, objective : str
    methods : tuple of str
    seeds : int
    """

    name: str
    title: str
    jobs: str = "section4"
    reading: str = "A"
    objective: str
    methods: tuple[str, ...]
    seeds: int = ALL

    def problems(self) -> Iterator[SchedulingProblem]:
        """One after the other."""
        config = self._config()
        for seed in config.seeds[: self.seeds]:
            jobs = generate(config, seed)
            yield named(paper_problem(jobs, self.reading, parse_objective(self.objective)))

    def _config(self) -> MigConfig:
        path = VARIANTS / f"{self.jobs}.json"
        return to_config(read_json(path), path) if path.exists() else mig_config("section4.json")


CASES = (
    Case(
        name="section4-makespan-A",
        title="Makespan, jobs stop and move (A)",
        objective="makespan",
        methods=("fcfs", "srpt", "ramdec", "lrpt", "bigrem", "cpsat:fcfs"),
    ),
    Case(
        name="section4-makespan-C",
        title="Makespan, jobs run through (C)",
        reading="C",
        objective="makespan",
        methods=("fcfs", "srpt", "lrpt", "bigfirst_lrpt", "cpsat:fcfs"),
    ),
    Case(
        name="section4-completion-A",
        title="Sum of completion times, jobs stop and move (A)",
        objective="completion",
        methods=("fcfs", "srpt", "bigfirst_srpt", "bigfirst_srbig", "local_search"),
    ),
    Case(
        name="section4-completion-C",
        title="Sum of completion times, jobs run through (C)",
        reading="C",
        objective="completion",
        methods=("fcfs", "srpt", "bigfirst_srpt", "local_search"),
    ),
    Case(
        name="due-A",
        title="Jobs late, each due 1 to 20 run lengths after its arrival (A)",
        jobs="due",
        objective="late",
        methods=MATTER,
        seeds=SOME,
    ),
    Case(
        name="slow-due-A",
        title="Jobs late, 0.4 arrivals a minute, due after 1 to 4 run lengths (A)",
        jobs="slow-due",
        objective="late",
        methods=MATTER,
        seeds=SOME,
    ),
    Case(
        name="penalised-A",
        title="Sum of completion times + 5 minutes for each preemption and migration (A)",
        objective=PENALISED,
        methods=MATTER,
        seeds=SOME,
    ),
    Case(
        name="slow-penalised-A",
        title="The same, 0.5 arrivals a minute (A)",
        jobs="slow",
        objective=PENALISED,
        methods=MATTER,
        seeds=SOME,
    ),
    Case(
        name="slow-completion-A",
        title="Sum of completion times, 0.5 arrivals a minute (A)",
        jobs="slow",
        objective="completion",
        methods=MATTER,
        seeds=SOME,
    ),
)
