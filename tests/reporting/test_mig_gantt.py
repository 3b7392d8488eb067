"""The picture of a schedule on MIG instances."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rsjs.instances.errors import InputError
from rsjs.instances.mig.jobs import JobSet
from rsjs.instances.mig.schedule import Schedule
from rsjs.instances.mig.schedule_objective import parse_objective
from rsjs.instances.mig.scheduling import SchedulingProblem, paper_problem
from rsjs.reporting.mig_gantt import mig_gantt

SCHEDULE = Schedule(minute=np.array([0, 2, 0, 1]), unit=np.array([0, 0, 1, 0]))


def problem(deadline: float) -> SchedulingProblem:
    """Two jobs of two steps."""
    jobs = JobSet(
        name="two",
        time_unit="minute",
        arrival=np.zeros(2),
        priority=np.ones(2, dtype=np.int64),
        run_length=np.array([2, 2]),
        memory=np.array([1500.0, 700.0, 900.0, 1990.0]),
        cuda_cores=np.ones(2, dtype=np.int64),
        interruptible=np.ones(2, dtype=np.bool_),
        migratable=np.ones(2, dtype=np.bool_),
        deadline=np.full(2, deadline),
        job_class=np.zeros(2, dtype=np.int64),
        classes=("job",),
    )
    return paper_problem(jobs, "A", parse_objective("late"))


@pytest.mark.parametrize(("deadline", "told"), [(2, True), (3, False)])
def test_units_jobs_and_late_ones_are_named(tmp_path: Path, deadline: float, told: bool) -> None:
    text = mig_gantt(problem(deadline), SCHEDULE, tmp_path / "s.svg", title="by hand").read_text()
    assert "two, reading A, by hand" in text
    assert all(f"{unit}: {size} MB" in text for unit, size in enumerate([2000, 1000, 1000]))
    assert ("of a late job" in text) is told


def test_the_same_schedule_makes_the_same_bytes(tmp_path: Path) -> None:
    files = [mig_gantt(problem(3), SCHEDULE, tmp_path / name) for name in ("a.png", "b.png")]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_an_unknown_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a picture's suffix"):
        mig_gantt(problem(3), SCHEDULE, tmp_path / "s.bmp")
