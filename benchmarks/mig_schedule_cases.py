"""The experiment of Konopa, Fesl and Beranek 2025, section 4, and variants of it, as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.bench_mig import LAWS
from rsjs.instances.method import Limits
from rsjs.instances.mig.config import to_config
from rsjs.instances.mig.generator import generate
from rsjs.instances.mig.schedule_objective import parse_objective
from rsjs.instances.mig.scheduling import SchedulingProblem, paper_problem
from rsjs.instances.mig.seeds import first_primes

LIMITS = Limits(time_limit=30.0, gap=0.0, threads=1, seed=0)
JOBS, ALL, SOME = 50, 100, 20  # jobs; seeds of the experiment and of variants
PENALISED = "completion+5*preemptions+5*migrations"
MATTER = ("fcfs", "srpt", "edd", "bigfirst_srpt", "bigfirst_srbig", "local_search")


@dataclass(frozen=True, kw_only=True)
class Case:
    """
    A problem for each of the first primes as seed, and methods.

    Attributes
    ----------
    name : str
        Of its file of rows.
    title : str
    reading, objective : str
    methods : tuple of str
    seeds : int
    rate : float
        Jobs that arrive per minute.
    deadline : mapping
        As in a configuration.
    """

    name: str
    title: str
    reading: str
    objective: str
    methods: tuple[str, ...]
    seeds: int = ALL
    rate: float = 20
    deadline: Any = None

    def problems(self) -> Iterator[SchedulingProblem]:
        """One after the other."""
        config = to_config(self._document(), f"{self.name}.json")
        for seed in config.seeds:
            jobs = generate(config, seed)
            yield paper_problem(jobs, self.reading, parse_objective(self.objective))

    def _document(self) -> dict[str, Any]:
        laws = LAWS["section 4"]
        (job,) = laws["classes"]
        return {
            "format": "rsjs-mig-config/1",
            "name": self.name,
            "count": JOBS,
            "seeds": list(first_primes(self.seeds)),
            "arrivals": {**laws["arrivals"], "rate": self.rate},
            "classes": [{**job, **({"deadline": self.deadline} if self.deadline else {})}],
        }


def _due(most: float) -> dict[str, Any]:
    """Deadlines of 1 to `most` run lengths after the arrival."""
    return {"kind": "slack_factor", "value": {"dist": "uniform", "low": 1, "high": most}}


CASES = (
    Case(
        name="section4-makespan-A",
        title="Makespan, jobs stop and move (A)",
        reading="A",
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
        reading="A",
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
        reading="A",
        objective="late",
        methods=MATTER,
        seeds=SOME,
        deadline=_due(20),
    ),
    Case(
        name="slow-due-A",
        title="Jobs late, 0.4 arrivals a minute, due after 1 to 4 run lengths (A)",
        reading="A",
        objective="late",
        methods=MATTER,
        seeds=SOME,
        rate=0.4,
        deadline=_due(4),
    ),
    Case(
        name="penalised-A",
        title="Sum of completion times + 5 minutes for each preemption and migration (A)",
        reading="A",
        objective=PENALISED,
        methods=MATTER,
        seeds=SOME,
    ),
    Case(
        name="slow-penalised-A",
        title="The same, 0.5 arrivals a minute (A)",
        reading="A",
        objective=PENALISED,
        methods=MATTER,
        seeds=SOME,
        rate=0.5,
    ),
    Case(
        name="slow-completion-A",
        title="Sum of completion times, 0.5 arrivals a minute (A)",
        reading="A",
        objective="completion",
        methods=MATTER,
        seeds=SOME,
        rate=0.5,
    ),
)
