"""Scheduling problems on MIG instances: tiny ones of every kind, sets of the paper, a document."""

import numpy as np
import pytest

from rsjs.instances.library.sets import mig_config
from rsjs.instances.mig.job_generator.generate import generate
from rsjs.instances.mig.jobs import JobSet
from rsjs.instances.mig.scheduling.objective import parse_objective
from rsjs.instances.mig.scheduling.problem import paper_problem

UNITS = [(2000, 1000, 1000), (2000, 1000), (1000, 2000), (2000,)]


def _jobs(rows, **columns):
    n = len(rows)
    given = {"priority": [1] * n, "deadline": [np.inf] * n}
    given |= {"interruptible": [True] * n, "migratable": [True] * n} | columns
    return JobSet(
        name="tiny",
        time_unit="minute",
        arrival=np.array([arrival for arrival, _ in rows], dtype=np.float64),
        priority=np.array(given["priority"], dtype=np.int64),
        run_length=np.array([len(memory) for _, memory in rows], dtype=np.int64),
        memory=np.array([w for _, memory in rows for w in memory], dtype=np.float64),
        cuda_cores=np.ones(n, dtype=np.int64),
        interruptible=np.array(given["interruptible"], dtype=np.bool_),
        migratable=np.array(given["migratable"], dtype=np.bool_),
        deadline=np.array(given["deadline"], dtype=np.float64),
        job_class=np.zeros(n, dtype=np.int64),
        classes=("job",),
    )


@pytest.fixture(scope="session")
def problem_of():
    """The builder of a problem: rows of (arrival, memory of each step), then columns by name."""

    def build(rows, reading="A", objective="makespan", units=UNITS[0], **columns):
        return paper_problem(_jobs(rows, **columns), reading, parse_objective(objective), units)

    return build


@pytest.fixture(scope="session")
def tiny():
    """The builder of random tiny problems of a reading and an objective, every flag mixed."""

    def build(rng, reading, objective):
        n = rng.randint(1, 3)
        arrivals = sorted(rng.choice([0, 0.5, 1.5, 2]) for _ in range(n))
        rows = [
            (
                arrival,
                [rng.choice([300, 900.5, 1000, 1500, 1990]) for _ in range(rng.randint(1, 3))],
            )
            for arrival in arrivals
        ]
        jobs = _jobs(
            rows,
            priority=[rng.randint(0, 3) for _ in rows],
            interruptible=[rng.random() < 0.8 for _ in rows],
            migratable=[rng.random() < 0.8 for _ in rows],
            deadline=[rng.choice([3, 4.5, np.inf]) for _ in rows],
        )
        return paper_problem(jobs, reading, parse_objective(objective), rng.choice(UNITS))

    return build


@pytest.fixture(scope="session")
def section_4():
    """The experiment of the paper: seed, reading, objective."""

    def build(seed, reading="A", objective="makespan"):
        jobs = generate(mig_config("section4.json"), seed)
        return paper_problem(jobs, reading, parse_objective(objective))

    return build


MEMORY = [(0, [900, 1500]), (0, [1500]), (0.5, [300, 300]), (0.5, [1200])]
JOBS = {
    "format": "rsjs-mig-jobs/1",
    "name": "four",
    "time_unit": "minute",
    "jobs": [
        {
            "arrival": arrival,
            "class": "job",
            "priority": 1,
            "memory": memory,
            "cuda_cores": 1,
            "interruptible": True,
            "migratable": True,
            "deadline": 4,
        }
        for arrival, memory in MEMORY
    ],
}


def vector_of(data, placement):
    """The column vector of a placement in the pattern model."""
    number = {tuple(counts): i for i, counts in enumerate(data.counts.tolist())}
    choice = {tuple(pair): i for i, pair in enumerate(data.choices.tolist())}
    x = np.zeros(len(number) + len(choice))
    for gpu in np.unique(placement.gpu).tolist():
        profiles = placement.profile[placement.gpu == gpu]
        x[number[tuple(np.bincount(profiles, minlength=data.counts.shape[1]).tolist())]] += 1
    for pair in zip(data.group.tolist(), placement.profile.tolist(), strict=True):
        x[len(number) + choice[pair]] += 1
    return x
