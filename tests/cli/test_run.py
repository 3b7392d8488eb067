"""`rsjs run` and `rsjs collect`."""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import psutil
import pytest

from rsjs.campaign_runs import bundled, find_campaign, own_methods, run_campaign
from rsjs.campaigns import runner
from rsjs.campaigns.collection import collect
from rsjs.campaigns.pool import News
from rsjs.campaigns.runner import Part
from rsjs.cli.campaign import print_outcome
from rsjs.cli.main import main
from rsjs.cli.progress import Board, Screen
from rsjs.methods import parse
from rsjs.rows import csv as csv_rows
from rsjs.rows.csv import read_rows

TEXT = """
format = "rsjs-campaign/1"
name = "two"
shows = "a test"
timing = "{timing}"
[limits]
time_s = {time_s}
memory_mb = 1000
[[instances]]
generator = "jahani"
sizes = ["{size}"]
[[methods]]
run = [{methods}]
"""
PATIENCE = 600.0  # seconds; a test that hangs is ended
PAIR = ("fifo:paper", "greedy:code")


def write(folder, *methods, **changes):
    """A campaign in a folder."""
    path = folder / "two.toml"
    named = ", ".join(f'"{method}"' for method in methods or PAIR)
    fields = {"timing": "shared", "time_s": 600, "size": "1x2", **changes}
    path.write_text(TEXT.format(methods=named, **fields))
    return path


@pytest.fixture
def file(tmp_path):
    """The writer of a campaign."""
    return partial(write, tmp_path)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The store of a campaign that has been run."""
    folder = tmp_path_factory.mktemp("finished")
    assert main(["run", str(write(folder)), "-o", str(folder / "store")]) == 0
    return folder / "store"


@pytest.fixture
def store(finished, tmp_path):
    """A copy of it."""
    return shutil.copytree(finished, tmp_path / "store")


@pytest.mark.process
def test_a_campaign_is_run_resumed_and_collected(rsjs, file, tmp_path):
    store, tables = tmp_path / "store", tmp_path / "tables"
    first = rsjs("run", file(), "-o", store)
    assert first.code == 0
    assert "2/2 " in first.err
    assert first.out.startswith("two: 2 runs now, 0 before, 0 failed")
    again = rsjs("run", file(), "-o", store, "--json")
    assert again.json["done_before"] == again.json["runs"] == 2
    assert again.json["ended_now"] == 0
    assert "2 FEASIBLE_VERIFIED" in rsjs("collect", store, "-o", tables).output
    rows = read_rows(tables / "rows.csv")
    assert {row["method"] for row in rows} == {"fifo:paper", "greedy:code"}
    assert all((store / "runs" / row["run_id"][:2] / row["run_id"]).is_dir() for row in rows)
    courses = json.loads((tables / "events.json").read_text())
    assert {course["run_id"] for course in courses} == {row["run_id"] for row in rows}
    assert rsjs("statistics", tables).code == 0


@pytest.mark.process
def test_a_store_that_cannot_be_written_is_refused_only_where_something_is_to_be_written(
    rsjs, file, store, tmp_path, monkeypatch
):
    monkeypatch.setattr("os.access", lambda _path, mode, **_: mode != os.W_OK)
    assert rsjs("run", file(), "-o", store, "--dry-run").code == 0
    assert rsjs("run", file(), "-o", tmp_path / "new", "--dry-run").code == 0
    before = {path: path.stat().st_mtime_ns for path in store.rglob("*")}
    assert rsjs("run", file(), "-o", store).code == 0
    assert {path: path.stat().st_mtime_ns for path in store.rglob("*")} == before
    shutil.rmtree(store / "runs")
    for folder in (store, tmp_path / "new"):
        assert "expected a place that can be written" in rsjs("run", file(), "-o", folder).refusal


@pytest.mark.process
def test_tables_do_not_go_into_a_store(rsjs, store):
    refusal = rsjs("collect", store, "-o", store).refusal
    assert f"{store}: -o: found a store, expected another folder for tables" in refusal
    assert not (store / "rows.csv").exists()


@pytest.mark.process
def test_a_session_that_is_lost_is_told(rsjs, store, tmp_path):
    (session,) = store.glob("sessions/*.json")
    session.unlink()
    output = rsjs("collect", store, "-o", tmp_path / "tables").output
    assert f"as session {session.stem} cannot be read: {session}: found" in output
    again = rsjs("collect", store, "-o", tmp_path / "tables", "--json").json
    assert [lost["session"] for lost in again["sessions_lost"]] == [session.stem]
    assert again["rows"] == 2


def test_a_dry_run_tells_what_would_run_and_writes_nothing(rsjs, file, tmp_path):
    path = file("fifo:paper", "jahani_patterns@highs", time_s=5)
    shown = rsjs("run", path, "--dry-run", "-o", tmp_path / "store")
    assert "2 runs on 1 instance, 0 done;" in shown.out
    assert "Nothing was run." in shown.out
    listed = rsjs("run", path, "--dry-run", "--json", "-o", tmp_path / "store").json
    assert (listed["runs"], listed["longest_s"]) == (2, 14.0)
    assert [place.name for place in tmp_path.iterdir()] == ["two.toml"]


@pytest.mark.process
def test_only_and_shard_leave_the_rest_for_later(rsjs, file, tmp_path):
    store = tmp_path / "store"
    assert rsjs("run", file(), "-o", store, "--only", "fifo").code == 0
    partly = rsjs("collect", store, "-o", tmp_path / "tables")
    assert partly.code == 1
    assert "not carried out yet: 1 run" in partly.out
    for part in ("1/2", "2/2"):
        assert rsjs("run", file(), "-o", store, "--shard", part).code == 0
    assert rsjs("collect", store, "-o", tmp_path / "tables").code == 0


@pytest.mark.process
@pytest.mark.solver
def test_a_run_without_a_solution_in_time_is_no_failure(rsjs, file, tmp_path):
    store = tmp_path / "store"
    ended = rsjs("run", file("jahani_literal@highs", time_s=0.001), "-o", store)
    assert ended.code == 0
    assert "TIMEOUT, NO_SOLUTION" in ended.err
    assert rsjs("collect", store, "-o", tmp_path / "tables", "--json").json["rows"] == 1


BAD = [
    ("nothing-such", "campaign nothing-such, expected a TOML file, or "),
    ("smok", "a TOML file, or smoke"),
    ("missing.toml", "missing.toml: found No such file"),
    ("{file} --jobs 0", "--jobs: found 0"),
    ("{file} --jobs 1000", "--jobs: found 1000"),
    ("{file} --shard 3/2", "--shard: found '3/2'"),
    ("{file} --shard 0/2", "--shard: found '0/2'"),
    ("{file} --shard one", "--shard: found 'one'"),
    ("{file} --only nothing-such", "--only: found nothing-such in none of 2 runs"),
]


@pytest.mark.parametrize(("line", "told"), BAD, ids=[line for line, _ in BAD])
def test_bad_input_is_told_in_one_line_and_nothing_is_written(line, told, rsjs, file, tmp_path):
    words = line.format(file=file()).split()
    assert told in rsjs("run", *words, "-o", tmp_path / "store", "--dry-run").refusal


def test_an_exclusive_campaign_runs_one_at_a_time(rsjs, file, tmp_path):
    refusal = rsjs("run", file(timing="exclusive"), "--jobs", "2", "-o", tmp_path / "store").refusal
    assert "1, as the campaign's timing is exclusive" in refusal


def test_collect_refuses_what_is_no_store(rsjs, tmp_path):
    refusal = rsjs("collect", tmp_path, "-o", tmp_path / "tables").refusal
    assert "store.json: found No such file" in refusal


@pytest.mark.process
def test_ctrl_c_keeps_what_is_done_and_leaves_no_process(file, tmp_path):
    """With this limit the order of the two, which follows from their ids, begins with fifo."""
    store = tmp_path / "store"
    path = file("fifo:paper", "jahani_literal@highs", time_s=300, size="10x100")
    process = subprocess.Popen(
        [sys.executable, "-m", "rsjs", "run", str(path), "-o", str(store)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    end = time.monotonic() + PATIENCE
    while not (list(store.glob("runs/*/*")) and list(store.glob("scratch/*/work/events.jsonl"))):
        assert time.monotonic() < end
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "run the same command again to resume" in out
    assert [
        child.info["cmdline"]
        for child in psutil.process_iter(["cmdline"])
        if any(str(store) in word for word in child.info["cmdline"] or [])
    ] == []
    assert list((store / "scratch").iterdir()) == []
    with (store / "plan.json").open() as plan:
        assert len(json.load(plan)["runs"]) == 2


@pytest.mark.parametrize(
    ("ended", "told"),
    [
        (2, "2 runs now, 0 before, 0 failed"),
        (1, "1 run now, 0 before, 1 by another rsjs run, 0 failed"),
    ],
)
def test_what_another_launcher_did_is_told_apart(file, tmp_path, capsys, ended, told):
    prepared = runner.prepare(find_campaign(str(file("fifo:paper", "edf:paper"))), None, Part())
    print_outcome(prepared, ended, 0, tmp_path, interrupted=False, as_json=False)
    assert told in capsys.readouterr().out


def test_the_board_counts_and_tells_how_long_it_will_take(file, tmp_path, capsys):
    prepared = runner.prepare(
        find_campaign(str(file("fifo:paper", "greedy:code", "edf:paper"))), None, Part()
    )
    first, second, third = prepared.left
    board = Board("two", prepared.left, 1, Screen(live=False))
    assert board.text() == "two: 0 of 3 done, 0 failed, 0 running"
    board.hear(News(kind="begun", run=first))
    board.hear(News(kind="line", run=first, data={"event": "incumbent", "value": 4.0}))
    assert (
        board.text()
        .splitlines()[1]
        .startswith(f"  {first.method}, 1 x 2: 0 s (limit 600)  cost 4.00000")
    )
    good = {"ended": "FINISHED", "quality": "FEASIBLE_VERIFIED", "objective": 4.0, "own_gap": None}
    board.hear(News(kind="ended", run=first, data={**good, "total_s": 1.0, "whole_s": 10.0}))
    assert board.text() == "two: 1 of 3 done, 0 failed, 0 running, about 20 s left"
    board.hear(News(kind="begun", run=second))
    board.hear(News(kind="lost", run=second))
    board.hear(News(kind="begun", run=second))
    crash = {**good, "ended": "CRASH(SIGKILL)", "quality": "NO_SOLUTION", "objective": None}
    crash |= {"total_s": None, "whole_s": 20.0, "message": "ended by a signal"}
    board.hear(News(kind="ended", run=second, data=crash))
    assert board.text() == "two: 2 of 3 done, 1 failed, 0 running, about 15 s left"
    board.hear(News(kind="passed over", run=third))
    board.hear(News(kind="idle"))
    assert board.text().startswith("two: 3 of 3 done, 1 failed, 0 running")
    told = capsys.readouterr().err
    assert " s: ended by a signal\n" in told
    assert "its supervisor died" in told
    assert "left to another process" in told


CAMPAIGNS = sorted((Path(__file__).parents[2] / "benchmarks" / "campaigns").glob("*.toml"))


@pytest.mark.parametrize("name", [*sorted(bundled()), *map(str, CAMPAIGNS)])
def test_every_campaign_can_be_read_and_says_what_it_shows(name):
    assert len(find_campaign(name).shows.split()) > 10
    assert find_campaign(name).name == Path(name).stem.replace("_", "-")


def test_without_pyarrow_the_rest_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_rows, "has_parquet", lambda: False)
    row = {"run_id": "1e5", "objective": 1.5}
    written = csv_rows.write_all([row], [{"run_id": "2"}], [], tmp_path)
    assert [path.name for path in written] == ["rows.csv", "events.json", "skipped.csv"]
    assert read_rows(tmp_path / "rows.csv") == [row]
    with (tmp_path / "skipped.csv").open() as lines:
        assert [line["run_id"] for line in csv.DictReader(lines)] == ["2"]


POLICY = "def decide(instance, call, report):\n    import rsjs\n" + (
    '    return rsjs.solve(instance, "queue:pedf", isolation="none").solution\n'
)


TRACK = """
format = "rsjs-campaign/1"
name = "track"
shows = "a test"
timing = "shared"
isolation = "batch"
workloads = [{ generator = "sts", sizes = ["2x8"] }]
policies = [{ run = ["queue:fifo"] }, { run = ["references"] }]
"""


@pytest.mark.process
def test_a_policy_of_ones_own_takes_the_place_of_others_beside_the_bounds(
    rsjs, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(POLICY)
    (tmp_path / "track.toml").write_text(TRACK)
    ended = rsjs("run", "track.toml", "--methods", "mine.py:decide,queue:pedf")
    assert (ended.code, ended.err.count("FINISHED")) == (0, 3)
    assert "score" in ended.out
    rows = read_rows_of(tmp_path / "runs" / "track")
    own, suite = (rows[name] for name in ("mine.py:decide", "queue:pedf"))
    assert own["objective"] == suite["objective"] >= own["best_bound"] > 0
    again = rsjs("run", "track.toml", "--methods", "queue:pedf", "--again", "queue:pedf")
    assert "1 run now" in again.out
    assert read_rows_of(tmp_path / "runs" / "track")["queue:pedf"] == suite
    assert "mine.py:decide" in rsjs("collect", "runs/track", "-o", "tables").out
    known = run_campaign("track.toml", "runs/track", methods=["queue:pedf", "mine.py:decide"])
    assert [row["method"] for row in known.rows] == ["queue:pedf", "mine.py:decide", "references"]
    shorter = run_campaign("track.toml", "runs/track", methods="queue:pedf", time_limit=7)
    assert {row["time_limit"] for row in shorter.rows} == {7}
    assert rsjs("run", "track.toml", "--limit", "7", "--methods", "queue:pedf").out.count(
        "0 runs now"
    )


def test_a_file_of_a_bundled_campaign_is_in_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(POLICY)
    found = find_campaign("online-track")
    asked = own_methods(found, "online-track", lambda known: [parse("mine.py:decide", known)])
    assert asked.choices[0].request.spelling == "mine.py:decide"
    assert asked.file.parent == tmp_path


def read_rows_of(store):
    kept = ("objective", "best_bound", "decisions", "energy")
    return {row["method"]: {key: row[key] for key in kept} for row in collect([store]).rows}


@pytest.mark.parametrize(
    ("methods", "told"),
    [
        ("queue:edff", "--methods: found rule of queue 'edff', expected e.g. edf"),
        ("none.py:f", "--methods: found 'none.py:f', expected a Python file"),
        (",", "--methods: found ',', expected methods"),
    ],
)
def test_methods_that_take_the_place_of_others_are_checked(methods, told, rsjs):
    assert told in rsjs("run", "online-track", "--methods", methods, "--dry-run").refusal
