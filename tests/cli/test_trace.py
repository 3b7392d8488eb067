"""`rsjs trace`: reports on traces, and workloads made of them."""

import gzip
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from typer import Typer
from typer.testing import CliRunner

from rsjs.cli.trace import trace
from rsjs.core.errors import InputError
from rsjs.instances.io.files import read_instance, read_workload

HEADER = "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,"
MORNING = "2020-06-09 08:00:00,2020-06-09 08:00:00,2020-06-09 09:00:00,3600,0"
NOON = "2020-06-09 12:00:00,2020-06-09 12:10:00,2020-06-09 12:20:00,600,600"
ROWS = [f"1,u,v,1,4,1,COMPLETED,{MORNING}", f"2,u,v,8,4,1,COMPLETED,{NOON}"]
FLAWED = [f"3,u,v,0,4,1,COMPLETED,{NOON}", f"4,u,v,1,4,1,CANCELLED,{NOON}"]
Run = Callable[..., Any]
APP = Typer()
APP.command()(trace)


@pytest.fixture
def run():
    """Run the command; an error is raised."""

    def run(*arguments):
        ended = CliRunner(env={"COLUMNS": "100"}).invoke(APP, [str(a) for a in arguments])
        if isinstance(ended.exception, Exception):
            raise ended.exception
        return ended

    return run


@pytest.fixture
def log(tmp_path):
    """A trace of two good rows."""
    return _written(tmp_path / "cluster_log.csv", ROWS)


@pytest.fixture
def flawed(tmp_path):
    """With a job of CPUs and one that was cancelled."""
    return _written(tmp_path / "flawed.csv", [*ROWS, *FLAWED])


def _written(path, rows):
    path.write_text("\n".join([f"{HEADER}duration,queue", *rows]) + "\n")
    return path


def test_the_trace_is_not_written_over(run, log):
    before = log.read_bytes()
    with pytest.raises(InputError, match=r"found the file that is read"):
        run(log, "--cluster", "V100:8:1", "-o", log)
    assert log.read_bytes() == before


def test_a_good_trace_is_reported_with_exit_code_0(run, log):
    ended = run(log)
    assert ended.exit_code == 0
    assert "nothing is wrong" in ended.output
    assert {"rows               2", "usable             2"} <= {*ended.output.splitlines()}


def test_flaws_are_counted_with_their_lines_and_exit_code_1(run, flawed):
    ended = run(flawed)
    assert ended.exit_code == 1
    lines = [line.split() for line in ended.output.splitlines()]
    assert ["no-gpu", "1", "error", "0", "GPUs:", "a", "job", "of", "CPUs", "4"] in lines
    assert ["killed", "1", "notice", "ended", "by", "its", "user", "5"] in lines


def test_a_report_as_json_has_all_of_it(run, flawed, tmp_path):
    picture = tmp_path / "a.png"
    ended = run(flawed, "--cluster", "V100:8:2", "--json", "--picture", picture)
    assert ended.exit_code == 1
    document = json.loads(ended.stdout)
    assert document["format"] == "helios"
    assert [(k["kind"], k["rows"]) for k in document["kinds"]] == [("no-gpu", 1), ("killed", 1)]
    assert document["kinds"][0]["first"] == [{"file": str(flawed), "line": 4, "id": "3"}]
    [load] = document["offered_load"]
    assert load["gpu_hours"] == pytest.approx((3600 + 8 * 600 + 600) / 3600)
    assert load["capacity"] == 16
    assert picture.stat().st_size > 1000


def test_missing_columns_and_archives_cut_short_are_reports_too(run, log):
    packed = log.with_suffix(".gz")
    packed.write_bytes(gzip.compress(log.read_bytes() * 50)[:-30])
    ended = run(packed)
    assert ended.exit_code == 1
    assert "truncated" in ended.output
    log.write_text(log.read_text().replace("gpu_num", "gpus"))
    ended = run(log)
    assert ended.exit_code == 1
    assert "missing-column" in ended.output
    assert "gpu_num" in ended.output


def test_a_workload_is_written_with_what_was_left_out(run, flawed):
    out = flawed.with_name("workload.json.gz")
    options = ["--drop", "no-gpu", "--keep", "killed", "--cluster", "V100:8:2", "-o", out]
    ended = run(flawed, *options)
    assert ended.exit_code == 0
    assert "rows left out by --drop  no-gpu 1" in ended.output
    assert "--after" not in ended.output  # none was
    assert read_workload(out).jobs.id == ("1", "2", "4")
    ended = run(flawed, *options, "-J", "1", "--json")
    assert json.loads(ended.stdout) | {"sha256": ""} == {
        "kind": "workload",
        "file": str(out),
        "name": "trace-helios-sts-base-none-N2-J1-s1",
        "sha256": "",
        "nodes": 2,
        "jobs": 1,
        "dropped": {"no-gpu": 1},
        "not_wanted": 2,
    }


@pytest.mark.parametrize("at", ["0.5", "2020-06-09 08:30:00"])
def test_an_instance_at_a_moment_has_rigid_jobs(run, log, at):
    out = log.with_name("instance.json")
    ended = run(log, "--cluster", "V100:8:2", "--rigid", "--at", at, "-o", out)
    assert "2020-06-09 08:30:00, 0.5 h after the first submission" in ended.output
    instance = read_instance(out)
    assert instance.jobs.id == ("1",)
    assert instance.now == 0.5
    assert np.isfinite(instance.jobs.hours_per_epoch[0]).sum() == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--cluster V100:8:2", "--drop: found 1 no-gpu, 1 killed"),
        ("--cluster V100:8:2 --drop no-gpu", "--drop: found 1 killed"),
        ("--cluster V100:8:2 --drop nothing", "--drop: found 'nothing'"),
        ("--drop no-gpu,killed", "--cluster: found None"),
        ("--cluster V100 --drop no-gpu,killed", "--cluster: found 'V100'"),
        ("--cluster V100:8:2 --drop no-gpu,killed --gpus H800", "--gpus: found 'H800'"),
        ("--cluster V100:8:2 --drop no-gpu,killed --gpus =H800", "--gpus: found 'H800'"),
        ("--cluster V100:8:2 --drop no-gpu,killed --at noon", "--at: found 'noon'"),
        ("--cluster V100:8:2 --rules jahani --laws base", "--laws: found 'base'"),
    ],
)
def test_bad_input_writes_nothing(run, flawed, options, message):
    out = flawed.with_name("workload.json")
    with pytest.raises(InputError, match=message):
        run(flawed, *options.split(), "-o", out)
    assert not out.exists()


def test_a_picture_that_cannot_be_written_is_refused_at_once(run, log):
    with pytest.raises(InputError, match="suffix"):
        run(log, "--picture", log.with_suffix(".bmp"))
