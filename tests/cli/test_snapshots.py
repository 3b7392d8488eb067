"""`rsjs snapshots`: decisions of a simulation in files."""

import json
from dataclasses import replace

import pytest

import rsjs as package
from rsjs.instances.generators import andreas
from rsjs.instances.io.files import read_instance, write_workload
from rsjs.instances.transform import rigid
from rsjs.simulation import event_log


@pytest.fixture(scope="module")
def workload():
    return andreas.workload(nodes=3, jobs=20, seed=1, law="exp", gap_seconds=1500)


@pytest.fixture
def file(tmp_path, workload):
    write_workload(workload, tmp_path / "workload.json")
    return tmp_path / "workload.json"


def test_each_moment_is_an_instance_in_a_file(rsjs, file, tmp_path, workload):
    ended = rsjs("snapshots", file, "--at", "use=0.4,0.8", "-o", tmp_path / "points", "--json")
    assert (ended.code, ended.json["policy"]) == (0, "queue:greedy")
    outcome = package.simulate(workload, "queue:greedy")
    expected = [one.digest for one in package.snapshots(outcome, use=[0.4, 0.8])]
    rows = ended.json["snapshots"]
    assert [row["sha256"] for row in rows] == expected
    for row in rows:
        instance = read_instance(tmp_path / "points" / row["file"])
        assert (instance.digest, len(instance.jobs)) == (row["sha256"], row["jobs"])
    shown = rsjs("snapshots", file, "--at", "0,1.5", "-o", tmp_path / "points").output
    assert "Decision points" in shown
    assert "licence" not in shown
    assert "files of before" in shown
    assert all(path.name in shown or "-d" in path.name for path in (tmp_path / "points").iterdir())


def test_a_log_of_a_simulation_is_a_source_too(rsjs, file, tmp_path, workload):
    outcome, log = package.simulate(rigid(workload), "queue:edf"), tmp_path / "log.jsonl"
    event_log.write(outcome, log)
    options = "--replay", log, "--at", "number=3", "-o", tmp_path / "points"
    ended = rsjs("snapshots", file, "--rigid", *options, "--json")
    assert ended.json["policy"] == "queue:edf"
    expected = [one.digest for one in package.snapshots(outcome, number=3)]
    assert [row["sha256"] for row in ended.json["snapshots"]] == expected
    assert "/sha256: found" in rsjs("snapshots", file, *options).refusal
    lines = log.read_text().splitlines()
    lines[3] = json.dumps({**json.loads(lines[3]), "waiting": 9})
    log.write_text("\n".join(lines))
    told = rsjs("snapshots", file, "--rigid", *options).refusal
    assert f"{log}: line 4/waiting: found 9, expected" in told


def test_a_log_without_what_moments_are_chosen_by_is_refused(rsjs, file, tmp_path, workload):
    log = tmp_path / "log.jsonl"
    event_log.write(package.simulate(workload, "queue:edf"), log)
    first, second, *lines = log.read_text().splitlines()
    event = {key: value for key, value in json.loads(second).items() if key != "decided"}
    log.write_text("\n".join([first, json.dumps(event), *lines]))
    asked = rsjs("snapshots", file, "--replay", log, "--at", "1", "-o", tmp_path / "points")
    assert f"{log}: found KeyError: 'decided', expected a log of rsjs simulate" in asked.refusal


def test_files_stay_in_their_folder_whatever_a_workload_is_called(rsjs, tmp_path, workload):
    write_workload(replace(workload, name="../" + "x" * 300), tmp_path / "workload.json")
    output = tmp_path / "points"
    asked = rsjs(
        *("snapshots", tmp_path / "workload.json", "--at", "number=2", "-o", output, "--json")
    )
    assert {path.name for path in output.iterdir()} == {
        row["file"] for row in asked.json["snapshots"]
    }
    assert {path.name for path in tmp_path.iterdir()} == {"workload.json", "points"}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--at", "noon"], "--at: found 'noon', expected hours such as 8,24, number=N, or use="),
        (["--at", "number=2.5"], "--at: found 'number=2.5'"),
        (["--at", "number=0"], "--at: found 0, expected"),
        (["--at", "use=1.5"], "--at: found 1.5, expected a share of the GPUs from 0 to 1"),
        (["--at", "share=0.5"], "--at: found 'share=0.5'"),
        (["--at", "1e9"], "--at: found 1000000000.0, expected 0 to"),
        (["--at", "number=99999"], "--at: found 99999 moments, expected at most"),
        (["--at", "1", "--policy", "greedi"], "--policy: found method 'greedi'"),
        (["--at", "1", "--policy", "fifo", "--replay", "x"], "found both --policy and --replay"),
    ],
)
def test_bad_input_is_told_in_one_line(rsjs, file, tmp_path, arguments, told):
    assert told in rsjs("snapshots", file, *arguments, "-o", tmp_path / "points").refusal
    assert not (tmp_path / "points").exists()
