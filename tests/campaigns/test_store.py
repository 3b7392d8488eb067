"""What a store keeps, goes on with, refuses and repairs."""

import errno
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from rsjs.campaigns import records, runner
from rsjs.campaigns.collection import collect
from rsjs.campaigns.environments import Environment
from rsjs.campaigns.pool import Local
from rsjs.campaigns.pool_worker import Order, perform
from rsjs.campaigns.runner import Part
from rsjs.campaigns.session import Session
from rsjs.campaigns.store import Store, open_store
from rsjs.commit import code_digest
from rsjs.core.errors import InputError
from rsjs.instances.check import check
from rsjs.instances.generators.jahani import generate
from rsjs.instances.io.files import read_instance, read_solution, write_instance
from rsjs.runs.supervisor import Batch
from tests.by_hand import undeclared

pytestmark = pytest.mark.process

METHODS = ("fifo:paper", "greedy:code", "jahani_patterns@highs")


def record_of(store, method):
    (path,) = (
        spec.parent
        for spec in store.glob("runs/*/*/spec.json")
        if json.loads(spec.read_text())["method"] == method
    )
    return path


def test_a_record_has_all_that_its_row_is_made_of(store):
    path = record_of(store, "jahani_patterns@highs")
    record, row = (
        records.read(path),
        next(row for row in collect([store]).rows if row["run_id"] == path.name),
    )
    instance = read_instance(store / "instances" / f"{record.run.solved_sha256}.json.gz")
    kept = read_solution(path / "solution.json.gz")
    verdict = check(instance, kept.solution, objective=kept.objective, bound=kept.bound)
    assert verdict.feasible
    assert row["objective"] == verdict.objective == row["objective_at_limit"]
    assert (row["ended"], row["quality"]) == ("FINISHED", "OPTIMAL_VERIFIED")
    assert record.incumbents_reported == len(record.incumbents) >= 1
    assert all(found["objective"] == found["claimed"] for found in record.incumbents)
    assert {"import", "read", "build", "solve", "check", "total", "process"} <= {
        *record.result.seconds
    }
    assert row["overhead_s"] == pytest.approx(row["whole_s"] - row["import_s"] - row["total_s"])
    assert json.loads(row["options"])["threads"] == 1
    assert row["rows"] == record.result.counts["rows"]
    assert {row["host"], row["cpu_model"], row["commit"]} != {None}
    assert row["hardware_threads"] >= 1
    session = json.loads((store / "sessions" / f"{row['session']}.json").read_text())
    assert session["ended"] is not None
    done = subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=path, check=False)
    assert done.returncode == 0


def test_an_exclusive_campaign_is_framed_by_calibrations(asked, carry_out, tmp_path, monkeypatch):
    figures = iter([{"milp_s": 1.0, "memory_s": 0.5}, {"milp_s": 1.25, "memory_s": None}])
    monkeypatch.setattr("rsjs.campaigns.session.calibrate", lambda: next(figures))
    carry_out(replace(asked, timing="exclusive"), tmp_path / "store", Part(only="fifo"), 1)
    (row,) = collect([tmp_path / "store"]).rows
    assert (row["timing"], row["calibration_before"], row["calibration_after"]) == (
        "exclusive",
        1.5,
        1.25,
    )


def test_a_shared_campaign_is_not_calibrated(store):
    assert {row["calibration_before"] for row in collect([store]).rows} == {None}


def test_what_is_done_is_not_done_again(asked, carry_out, store):
    before = {path: path.stat().st_mtime_ns for path in store.rglob("*") if path.is_file()}
    prepared = carry_out(asked, store)
    assert (len(prepared.survey.done), prepared.left) == (3, [])
    changed = {
        path.name
        for path in store.rglob("*")
        if path.is_file() and before.get(path) != path.stat().st_mtime_ns
    }
    assert changed <= {"plan.json", "campaign.toml"}


def test_a_pattern_that_is_refused_leaves_no_store_behind(asked, tmp_path):
    for folder in (tmp_path / "new", tmp_path / "empty"):
        with pytest.raises(InputError, match="--only: found nothing like it in none of 3 runs"):
            runner.prepare(asked, folder, Part(only="nothing like it"))
        assert not folder.exists()


def test_runs_that_are_done_are_carried_out_again_on_request(asked, carry_out, store):
    old = json.loads((record_of(store, "fifo:paper") / "result.json").read_text())["session"]
    prepared = carry_out(asked, store, Part(again="fifo"))
    assert ([run.method for run in prepared.left], len(prepared.survey.done)) == (["fifo:paper"], 2)
    rows = {row["method"]: row["session"] for row in collect([store]).rows}
    assert (len(rows), rows["fifo:paper"] == old) == (3, False)
    assert len([*(store / "replaced").iterdir()]) == 1
    ended = [row["method"] for row in collect([store]).rows if row["ended"] == "FINISHED"]
    prepared = runner.prepare(asked, store, Part(again="FINISHED"))
    assert sorted(run.method for run in prepared.left) == sorted(ended)
    assert runner.prepare(asked, store, Part(again="CRASH")).left == []
    with pytest.raises(InputError, match="--again: found nobody in none of 3 runs"):
        runner.prepare(asked, store, Part(again="nobody"))


def test_runs_that_other_code_has_made_are_told(asked, store):
    assert runner.of_other_code(runner.prepare(asked, store, Part())) == []
    (session,) = store.glob("sessions/*.json")
    document = json.loads(session.read_text())
    code = document["environments"][""]["code"]
    assert code == code_digest() != ""
    session.write_text(json.dumps(document).replace(code, "0" * 64))
    [told] = runner.of_other_code(runner.prepare(asked, store, Part()))
    assert told.startswith("3 of 3 runs that are done were made by other code of rsjs-bench")
    session.unlink()
    assert runner.of_other_code(runner.prepare(asked, store, Part())) == []


@pytest.mark.skipif(os.getuid() != 0, reason="needs another user")
def test_a_folder_that_nobody_may_enter_is_removed_by_its_owner(tmp_path):
    code = (
        "import os, sys; from pathlib import Path; from rsjs.campaigns import store; "
        "os.setgid(65534); os.setuid(65534); folder = Path(sys.argv[1]); "
        "(folder / 'a/b').mkdir(parents=True); (folder / 'a/b/file').touch(); "
        "(folder / 'a/b').chmod(0); (folder / 'a').chmod(0); store._remove(folder / 'a')"
    )
    folder = Path(tempfile.mkdtemp(dir="/tmp"))  # those of the test are closed to other users
    folder.chmod(0o777)
    try:
        subprocess.run([sys.executable, "-c", code, str(folder)], check=True)
        assert list(folder.iterdir()) == []
    finally:
        shutil.rmtree(folder)


def test_no_run_is_carried_out_on_another_instance_than_its_own(asked, carry_out, store):
    (path,) = (file for file in store.glob("instances/*.json.gz"))
    write_instance(generate(nodes=1, jobs=1, seed=1), path)
    shutil.rmtree(store / "runs")
    with pytest.raises(InputError, match=f"expected the instance of sha256 {path.name[:9]}"):
        carry_out(asked, store)
    assert [*store.glob("runs/*/*")] == []


def test_a_run_refuses_another_instance_where_it_is_carried_out(store, tmp_path):
    run = records.read(record_of(store, "fifo:paper")).run
    other = tmp_path / "other.json"
    write_instance(generate(nodes=1, jobs=1, seed=1), other)
    order = Order(
        run=run,
        instance=str(other),
        python=sys.executable,
        origin={"rsjs_version": "0", "solver_version": None, "session": "one"},
    )
    with pytest.raises(InputError, match=f"expected the instance of sha256 {run.solved_sha256}"):
        perform(order, tmp_path, tmp_path, batch=Batch())


def test_a_store_remembers_the_versions_of_every_solver_that_it_has_met(asked, tmp_path):
    def having(**solvers):
        return {
            "": Environment(
                python="", rsjs_version="1", solvers=solvers, methods=[], sha256="0" * 64
            )
        }

    store = tmp_path / "new"
    open_store(store, asked, having(highs="1.13"))
    open_store(store, asked, having(scip="6.3"))
    versions = json.loads((store / "store.json").read_text())["versions"]
    assert versions == {"": {"rsjs-bench": "1", "highs": "1.13", "scip": "6.3"}}
    with pytest.raises(InputError, match=r"/versions//highs: found '1\.13'"):
        open_store(store, asked, having(highs="1.14"))


def test_a_campaign_that_grows_keeps_what_is_there(campaign, carry_out, store):
    grown = campaign(*METHODS, "edf:paper", sizes='["2x6"]')
    prepared = carry_out(grown, store)
    assert [run.method for run in prepared.left] == ["edf:paper"]
    assert len(collect([store]).rows) == 4


DAMAGE = {
    "cut off": lambda path: (path / "result.json").write_text('{"format": "rsjs-res'),
    "one digit": lambda path: (path / "verify.json").write_text(
        (path / "verify.json").read_text().replace("true", "false")
    ),
    "a file gone": lambda path: (path / "events.jsonl").unlink(),
    "no sums": lambda path: (path / "SHA256SUMS").unlink(),
    "empty sums": lambda path: (path / "SHA256SUMS").write_text(""),
    "another run's": lambda path: [
        shutil.copy(other, path) for other in record_of(path.parents[2], "greedy:code").iterdir()
    ],
    "a folder": lambda path: [shutil.rmtree(path), path.mkdir()],
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_corrupt_record_is_told(store, damage):
    path = record_of(store, "fifo:paper")
    damage(path)
    found = collect([store])
    assert [place for place, _ in found.corrupt] == [str(path)]
    assert found.missing == [path.name]


def test_a_corrupt_record_is_kept_aside_and_its_run_carried_out_again(asked, carry_out, store):
    path = record_of(store, "fifo:paper")
    DAMAGE["another run's"](path)
    prepared = carry_out(asked, store)
    assert [run_id for run_id, _ in prepared.survey.corrupt] == [path.name]
    assert [run.method for run in prepared.left] == ["fifo:paper"]
    again = collect([store])
    assert (len(again.rows), again.corrupt, again.missing) == (3, [], [])
    assert undeclared(again.rows) == set()
    assert len([*(store / "corrupt").iterdir()]) == 1


def test_a_folder_is_for_one_campaign(campaign, store):
    with pytest.raises(InputError, match=r"/campaign: found 'test', expected 'other': a folder is"):
        runner.prepare(campaign("fifo:paper", name="other"), store, Part())


@pytest.mark.parametrize("name", ["store.json", "plan.json", "result.json", "session"])
def test_what_a_newer_version_wrote_is_refused(asked, store, name):
    path = {
        "result.json": record_of(store, "fifo:paper") / "result.json",
        "session": next((store / "sessions").iterdir()),
    }.get(name, store / name)
    path.write_text(path.read_text().replace("/1", "/2", 1))
    _make_sums_right(path)
    with pytest.raises(InputError, match=r"/format: found .*/2', expected .* newer rsjs-bench"):
        collect([store])


def _make_sums_right(path):
    sums = path.parent / "SHA256SUMS"
    if sums.exists():
        names = [line.split("  ")[1] for line in sums.read_text().splitlines()]
        made = subprocess.run(
            ["sha256sum", *names], cwd=path.parent, capture_output=True, text=True, check=True
        )
        sums.write_text(made.stdout)


def test_a_store_goes_on_with_the_versions_it_was_begun_with(asked, store):
    path = store / "store.json"
    document = json.loads(path.read_text())
    version, document["versions"][""]["highs"] = document["versions"][""]["highs"], "1.0"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=rf"/versions//highs: found '1.0', expected {version}"):
        runner.prepare(asked, store, Part())


def test_a_folder_with_other_files_is_no_store(asked, tmp_path):
    with pytest.raises(InputError, match="a folder with other files"):
        runner.prepare(asked, tmp_path, Part())
    with pytest.raises(InputError, match="No such file"):
        collect([tmp_path / "nothing"])
    own = tmp_path / "project" / "instances" / "mine.json"
    own.parent.mkdir(parents=True)
    own.touch()
    with pytest.raises(InputError, match="a folder with other files"):
        runner.prepare(asked, tmp_path / "project", Part(only="nothing like it"))
    assert own.exists()


def test_two_shards_collect_as_one_store_does(store, tmp_path):
    shards = [shutil.copytree(store, tmp_path / name) for name in ("one", "two")]
    for i, record in enumerate(sorted(store.glob("runs/*/*"))):
        shutil.rmtree(shards[i % 2] / record.relative_to(store))
    whole, merged = collect([store]), collect([*shards, shards[0]])
    ids = {row["run_id"]: (row["objective"], row["best_bound"]) for row in whole.rows}
    assert {row["run_id"]: (row["objective"], row["best_bound"]) for row in merged.rows} == ids
    assert len(merged.rows) == 3
    assert (merged.corrupt, merged.missing) == ([], [])
    assert sum(len(collect([shard]).missing) for shard in shards) == 3


def test_a_claim_is_held_by_one_and_what_was_left_is_swept(asked, store):
    prepared = runner.prepare(asked, store, Part())
    run, place = prepared.selected[0], Store(store)
    shutil.rmtree(place.path(run.id))
    with place.claimed(run.id) as first:
        assert first is not None
        with place.claimed(run.id) as second:
            assert second is None
        Store(store).sweep()
        assert first.is_dir()
    (place.scratch(run.id) / "work").mkdir(parents=True)
    (store / "claims" / run.id).write_text("")
    place.sweep()
    assert not place.scratch(run.id).exists()
    assert not (store / "claims" / run.id).exists()


def test_what_a_slot_leaves_that_is_ended_is_swept_when_dispatch_ends(asked, tmp_path):
    place, session = Store(tmp_path), Session(tmp_path, asked, {})
    place.scratch("0" * 64).mkdir(parents=True)
    assert [*Local(1)([], place, session)] == []
    assert not place.scratch("0" * 64).exists()


def test_a_log_keeps_its_ends(tmp_path, store):
    record = records.read(record_of(store, "fifo:paper"))
    log = tmp_path / "log"
    log.write_bytes(b"first" + bytes(10**6) + b"last")
    (tmp_path / "record").mkdir()
    records.write(record, tmp_path / "record", log)
    kept = gzip.decompress((tmp_path / "record" / "log.gz").read_bytes())
    assert kept.startswith(b"first")
    assert kept.endswith(b"last")
    assert len(kept) < 10**6


@pytest.mark.solver
def test_an_environment_of_another_python_is_asked_and_used(campaign, carry_out, tmp_path):
    """Stands for a second environment: the same interpreter with another version of HiGHS told."""
    info = tmp_path / "old" / "highspy-0.9.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: highspy\nVersion: 0.9\n")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={info.parent} exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    tail = '[[methods]]\nrun = ["jahani_patterns@highs"]\nenvironment = "old"\n'
    tail += '[environments]\nold = "python"\n'
    asked = campaign("jahani_patterns@highs", tail=tail)
    carry_out(asked, tmp_path / "store")
    rows = {row["method"]: row for row in collect([tmp_path / "store"]).rows}
    assert rows["jahani_patterns@highs [old]"]["solver_version"] == "0.9"
    assert rows["jahani_patterns@highs"]["solver_version"] != "0.9"
    assert len({row["objective"] for row in rows.values()}) == 1


def test_versions_of_an_environment_decide_what_is_missing(asked):
    bare = Environment(python="", rsjs_version="1", solvers={}, methods=["fifo"], sha256="")
    first, second, third = (choice.request for choice in asked.choices)
    assert bare.missing(first) is None
    assert bare.missing(second) == "method greedy is not known in this environment"
    other = Environment(
        python="", rsjs_version="1", solvers={}, methods=["jahani_patterns"], sha256=""
    )
    assert other.missing(third).startswith("solver highs is not installed: pip install")


def test_a_file_system_without_locks_is_told(tmp_path, monkeypatch):
    def none(*_):
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr("rsjs.campaigns.store.fcntl.flock", none)
    with pytest.raises(OSError, match="Function not implemented"), Store(tmp_path).claimed("a"):
        pass
