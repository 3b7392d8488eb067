"""The picture of a job's profiles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rsjs.heuristics.job_profiles import job_profiles
from rsjs.heuristics.survival_steps import law_of_job
from rsjs.instances.generators import sts
from rsjs.instances.schema import Instance
from rsjs.reporting.profile_picture import profile_picture


def drawn(instance: Instance, job: int, path: Path) -> bytes:
    time = float(instance.jobs.due[job]) - instance.now
    found = job_profiles(instance, job, time)
    done = float(instance.jobs.epochs_done[job])
    law = law_of_job(instance, job)
    return profile_picture(found, law, path, done=done, time=time, title="a job").read_bytes()


@pytest.mark.parametrize("laws", ["base", "fixed"])
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_every_format_is_written_with_the_same_bytes_each_time(
    suffix: str, laws: str, tmp_path: Path
) -> None:
    instance = sts.generate(nodes=3, jobs=4, seed=1, mix="kma", sharing="paper", laws=laws)
    first, second = (drawn(instance, 0, tmp_path / f"{i}.{suffix}") for i in range(2))
    assert first == second


def test_a_job_under_way_and_overdue_is_drawn_from_its_epoch_on(tmp_path: Path) -> None:
    instance = sts.generate(nodes=3, jobs=4, seed=1)
    jobs = replace(instance.jobs, epochs_done=np.full(4, 42.5), due=np.full(4, -1.0))
    text = drawn(replace(instance, jobs=jobs), 1, tmp_path / "p.svg").decode()
    assert "K80: infeasible" in text
    assert "a job" in text
    assert "due 1 h ago" in text
    assert "due date" not in text
    assert "P(W &gt; w | W &gt; 42.5)" in text


def test_a_new_job_with_time_left_has_a_line_at_its_due_date(tmp_path: Path) -> None:
    text = drawn(sts.generate(nodes=3, jobs=4, seed=1), 1, tmp_path / "p.svg").decode()
    assert "due date" in text
    assert "P(W &gt; w)" in text
