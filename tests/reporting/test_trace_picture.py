"""The picture of a trace shows what its report counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from rsjs.instances.traces.lint import Report, inspect
from rsjs.instances.traces.registry import open_trace
from rsjs.reporting import trace_picture as module
from rsjs.reporting.trace_picture import trace_picture

HEADER = "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,"
MODELS = ("A10", "A100", "V100", "T4", "P100", "K80")


def _report(folder: Path, jobs: int) -> Report:
    lines = [
        f"{i},1,{MODELS[i % 6]},8,{1 + i % 3},1,{5000 * i},{100 + 7 * i},HP" for i in range(jobs)
    ]
    (folder / "jobs.csv").write_text("\n".join([f"{HEADER}job_type", *lines]))
    return inspect(open_trace([folder / "jobs.csv"]))


def test_bars_add_up_to_the_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = _report(tmp_path, 300)
    drawn = []
    monkeypatch.setattr(module.canvas, "write", lambda draw, path: drawn.append(draw()) or path)
    trace_picture(report, tmp_path / "a.png")
    work, jobs, run_times, gpus = drawn[0].axes
    hours = float(jobs.get_ylabel().split()[-2])
    area = sum(bar.get_height() for bar in work.patches) * hours
    assert area == pytest.approx(sum(load.gpu_hours for load in report.loads))
    for ax in (jobs, run_times, gpus):
        assert sum(bar.get_height() for bar in ax.patches) == 300
    assert len(work.get_legend().get_texts()) == 5
    assert [label.get_text() for label in gpus.get_xticklabels()] == ["1", "2", "3"]


@pytest.mark.parametrize("jobs", [0, 1, 50])
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_every_report_can_be_drawn(tmp_path: Path, jobs: int, suffix: str) -> None:
    file = trace_picture(_report(tmp_path, jobs), tmp_path / f"a.{suffix}")
    assert file.stat().st_size > 1000


def test_the_same_report_gives_the_same_bytes(tmp_path: Path) -> None:
    report = _report(tmp_path, 40)
    first = trace_picture(report, tmp_path / "a.svg").read_bytes()
    assert trace_picture(report, tmp_path / "b.svg").read_bytes() == first
