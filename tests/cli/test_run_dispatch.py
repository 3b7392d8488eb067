"""`rsjs run --dispatch`: a cluster of its own, and what cannot be meant."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from rsjs.campaigns import dask_dispatch
from tests.campaign_text import campaign_text

pytest.importorskip("distributed")

pytestmark = pytest.mark.process


TEXT = campaign_text("one", "10x100", "jahani_literal@highs", limits="time_s = 3600")
PATIENCE = 600.0  # seconds; a test that hangs is ended


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "one.toml"
    path.write_text(TEXT)
    return path


BAD = [
    ("--dispatch cloud", "--dispatch: found 'cloud', expected local, dask, or e.g. tcp://"),
    ("--dispatch tcp://127.0.0.1:1", "found tcp://127.0.0.1:1: Timed out"),
    ("--dispatch nothing://127.0.0.1", "found nothing://127.0.0.1: unknown address scheme"),
    ("--dispatch tcp://h:1 --jobs 2", "--jobs: found 2, expected none: the workers' threads say"),
    ("--dispatch dask --jobs 1000", "--jobs: found 1000"),
]


@pytest.mark.parametrize(("line", "told"), BAD, ids=[line for line, _ in BAD])
def test_bad_options_are_told_and_nothing_is_written(line, told, rsjs, file, tmp_path, monkeypatch):
    monkeypatch.setattr(dask_dispatch, "PATIENCE", 0.5)
    assert told in rsjs("run", file, "-o", tmp_path / "store", *line.split()).refusal
    assert not (tmp_path / "store").exists()


def test_without_distributed_its_installation_is_told(rsjs, file, tmp_path, monkeypatch):
    monkeypatch.setattr(dask_dispatch, "find_spec", lambda name: None)
    refusal = rsjs("run", file, "-o", tmp_path / "store", "--dispatch", "dask").refusal
    assert "pip install 'rsjs-bench[dask]'" in refusal


def test_a_dry_run_starts_no_cluster(rsjs, file, tmp_path):
    words = ["--dispatch", "tcp://127.0.0.1:1", "--dry-run"]
    assert "1 run on 1 instance" in rsjs("run", file, "-o", tmp_path / "store", *words).out


def processes_of(folder):
    found = psutil.process_iter(["cmdline"])
    return [one for one in found if any(str(folder) in w for w in one.info["cmdline"] or [])]


@pytest.mark.skipif(sys.platform != "linux", reason="no parent-death signal")
def test_ctrl_c_ends_a_cluster_of_its_own_and_all_on_it(file, tmp_path):
    store = tmp_path / "store"
    command = [sys.executable, "-m", "rsjs", "run", str(file), "-o", str(store)]
    process = subprocess.Popen(
        [*command, "--dispatch", "dask", "--jobs", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "DASK_TEMPORARY_DIRECTORY": str(tmp_path)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    end = time.monotonic() + PATIENCE
    while not list(tmp_path.rglob("work/events.jsonl")):
        assert time.monotonic() < end
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert err == f"one in {store}: 0 done, 1 to run\n"
    assert "run the same command again to resume" in out
    assert processes_of(tmp_path) == []
    assert not list((store / "claims").iterdir())
