"""`rsjs import`: own tables of jobs and nodes become a workload or an instance, or a report."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from rsjs.cli.trace import import_
from rsjs.core.errors import InputError
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io.files import read_any

APP = Typer()
APP.command()(import_)
JOBS = """job;when;n;elapsed;type
a;2024-01-01 10:00:00;2;90;V100
b;2024-01-01 11:00:00;1;30;P100
c;2024-01-01 11:30:00;4;600;V100
"""
FLAWED = "d;2024-01-01 12:00:00;1;-5;V100\ne;2024-01-01 12:30:00;9;5;V100\n"
COLUMNS = ("--columns", "id=job,submit=when,gpus=n,duration=elapsed:min,gpu=type")


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the command on tables written from texts; an error is raised."""
    monkeypatch.chdir(tmp_path)

    def run(*options, jobs=JOBS, nodes="gpu,gpus,count\nV100,4,3\nP100,2,1\n", columns=COLUMNS):
        (tmp_path / "jobs.csv").write_text(jobs)
        files = ["jobs.csv"]
        if nodes:
            (tmp_path / "nodes.csv").write_text(nodes)
            files.append("nodes.csv")
        ended = CliRunner(env={"COLUMNS": "100"}).invoke(APP, [*files, *columns, *options])
        if isinstance(ended.exception, Exception):
            raise ended.exception
        return ended

    return run


def test_a_workload_is_written_and_what_was_made_up_is_told(run):
    ended = run("-o", "w.json", "--seed", "3")
    assert ended.exit_code == 0
    workload = read_any("w.json")
    assert isinstance(workload, Workload)
    assert workload.name == "jobs-N4-J3-s3"
    assert workload.jobs.id == ("a", "b", "c")
    assert "imputed with seed 3" in ended.output
    for rule in workload.generator["parameters"]["imputed"]:
        assert rule in ended.output


@pytest.mark.parametrize("at", ["2024-01-01 11:15:00", "1.25"])
def test_an_instance_at_a_moment(run, at):
    ended = run("--at", at, "--rigid", "-o", "i.json", "--json")
    instance = read_any("i.json")
    assert isinstance(instance, Instance)
    assert instance.jobs.id == ("a", "b")
    document = json.loads(ended.stdout)
    assert document["kind"] == "instance"
    assert document["at"] == "2024-01-01 11:15:00, 1.25 h after the first submission"
    assert document["imputed"] == instance.generator["parameters"]["imputed"]
    assert document["rows"] == 3
    assert (document["ended_before_at"], document["submitted_after_at"]) == (0, 1)


def test_a_moment_beyond_all_dates_is_told_in_hours(run):
    jobs = "submit,gpus,duration\n2024-01-01 10:00:00,1,60\n"
    ended = run("--at", "1e12", "-o", "i.json", "--json", jobs=jobs, columns=())
    assert json.loads(ended.stdout)["at"] == "1e+12 h after the first submission"


def test_jobs_that_are_not_in_the_instance_are_counted(run):
    jobs = "submit,start,gpus,duration\n0,0,1,60\n0,,1,60\n9000,,1,60\n9001,,1,60\n"
    ended = run("--at", "1", "-o", "i.json", jobs=jobs, columns=())
    assert read_any("i.json").jobs.id == ("line3",)
    lines = [" ".join(line.split()) for line in ended.output.splitlines()]
    assert "jobs that ended before --at 1" in lines
    assert "jobs submitted after --at 2" in lines
    assert "at 1 h after the first submission" in lines
    assert "left out by" not in ended.output  # no row was


def test_a_kind_that_does_not_exist_is_refused_without_output_too(run):
    with pytest.raises(InputError, match=r"--drop: found 'negativ-duration', .* negative-duration"):
        run("--drop", "negativ-duration")


def test_columns_of_the_names_of_their_roles_need_no_option(run):
    run("-o", "i.json", jobs="gpus,duration\n1,60\n2,90\n", columns=())
    assert isinstance(read_any("i.json"), Instance)


def test_without_output_it_is_a_report(run):
    ended = run()
    assert ended.exit_code == 0
    assert "nothing is wrong" in ended.output
    assert not [*Path().glob("*.json")]


def test_wrong_rows_are_a_report_with_lines_and_write_nothing_unless_they_are_named(run):
    ended = run("-o", "w.json", jobs=JOBS + FLAWED)
    assert ended.exit_code == 1
    lines = [line.split() for line in ended.output.splitlines()]
    assert ["negative-duration", "1", "error", "ended", "before", "it", "started", "5"] in lines
    assert [line for line in lines if line[:3] == ["too-large", "1", "error"] and line[-1] == "6"]
    assert "nothing is written: --drop too-large,negative-duration\n" in ended.output
    assert not Path("w.json").exists()
    ended = run("-o", "w.json", "--drop", "negative-duration,too-large", jobs=JOBS + FLAWED)
    assert ended.exit_code == 0
    assert "left out by --drop  negative-duration 1, too-large 1" in ended.output
    assert read_any("w.json").jobs.id == ("a", "b", "c")


@pytest.mark.parametrize(
    ("jobs", "note"),
    [
        ("gpus,duration\n", "nothing is written\n"),
        ("submit,gpus,duration,due\n9,1,60,3\n", "written: --drop early-due or --keep early-due\n"),
    ],
)
def test_ways_to_go_on_are_named(run, jobs, note):
    ended = run("-o", "w.json", jobs=jobs, columns=())
    assert ended.exit_code == 1
    assert note in ended.output


def test_a_report_as_json_has_the_counts_and_lines(run):
    ended = run("-o", "w.json", "--json", jobs=JOBS + FLAWED)
    assert ended.exit_code == 1
    kinds = json.loads(ended.stdout)["kinds"]
    assert [(kind["kind"], kind["rows"], kind["first"][0]["line"]) for kind in kinds] == [
        ("too-large", 1, 6),
        ("negative-duration", 1, 5),
    ]


@pytest.mark.parametrize(
    ("options", "tables", "message"),
    [
        ((), {"nodes": None}, r"--cluster: found None, expected the nodes: a list of nodes, or"),
        (
            (),
            {"columns": ()},
            r"jobs.csv: /columns: found no column for gpus and duration, or start and end among",
        ),
        ((), {"columns": ("--columns", "gpu")}, r"--columns: found 'gpu', expected ROLE=COLUMN"),
        ((), {"nodes": "gpu,gpus\nB200,8\n"}, r"--gpus: found nodes with the GPU type B200"),
        (("--at", "noon"), {}, r"--at: found 'noon', expected a date without a time zone"),
        (("--at", "-1"), {}, r"--at: found -1.0, expected hours >= 0"),
        (
            ("--at", "99"),
            {"jobs": "submit,start,gpus,duration\n0,0,1,60\n", "columns": ()},
            r"--at: found no job that waits or runs at 99 h after the first submission",
        ),
        (("--drop", "all"), {}, r"--drop: found 'all'"),
        (("--rules", "edf"), {}, r"--rules: found 'edf'"),
        (("--cluster", "V100"), {}, r"--cluster: found 'V100'"),
        (
            ("--cluster", "M60:4:2"),
            {
                "jobs": "gpus,duration,application\n1,3600,VGG16 (batch size 64)\n",
                "columns": (),
                "nodes": None,
            },
            r"jobs.csv: line 2: found VGG16 with 10.1 GB on 1 GPUs, expected a job that some node",
        ),
        (("--cluster", "V100:4:1"), {}, r"--cluster: found nodes, and a list of nodes, expected"),
    ],
)
def test_what_must_be_known_is_asked_for_by_name(run, options, tables, message):
    with pytest.raises(InputError, match=message):
        run(*options, "-o", "w.json", **tables)
    assert not Path("w.json").exists()


def test_the_tables_are_not_written_over(run):
    with pytest.raises(InputError, match=r"found the file that is read"):
        run("-o", "nodes.csv")


@pytest.mark.process
def test_what_is_made_goes_to_another_command_through_a_pipe(tmp_path):
    (tmp_path / "jobs.csv").write_text("gpus,duration\n1,3600\n2,7200\n")
    rsjs = f"{sys.executable} -m rsjs"
    line = (
        f"{rsjs} import jobs.csv --cluster V100:4:1 -o - |"
        f" {rsjs} compare - --methods edf,greedy:code --time-limit 5 -o results --json"
    )
    done = subprocess.run(
        line, shell=True, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert {row["method"] for row in json.loads(done.stdout)["rows"]} == {"edf:code", "greedy:code"}
    assert "Not recorded, and imputed with seed 1" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"jobs.csv", "results"}
    line = (
        f"{rsjs} generate jahani --nodes 40 -o - | {rsjs} convert - -o -"  # a folder of CSV files
    )
    done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "rsjs: error: found standard output, expected a folder to write to" in done.stderr
    line = f"{rsjs} generate jahani --nodes 100 -o - | true"
    done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert "error" not in done.stderr
