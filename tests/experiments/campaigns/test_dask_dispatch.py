"""Runs on a Dask cluster: a real scheduler and two workers, of which some are killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from rsjs.experiments.campaigns import manifest, runner
from rsjs.experiments.campaigns.collection import collect
from rsjs.experiments.campaigns.dask_cluster import running_cluster
from rsjs.experiments.campaigns.dask_dispatch import dask
from rsjs.experiments.campaigns.dispatch import News
from rsjs.instances.errors import InputError

pytest.importorskip("distributed")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="no parent-death signal")

SLOW = "enumeration"  # takes far more than its time on 60 x 10
PATIENCE = 60.0  # seconds; a test that hangs is ended


def until(found: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not found():
        assert time.monotonic() < end
        time.sleep(0.02)


class Cluster:
    """A scheduler and workers of one thread, each a process as its users start it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--port", "0", "--scheduler-file", str(file))
        until(lambda: file.exists() and file.read_text().endswith("}"))
        self.address = json.loads(file.read_text())["address"]

    def worker(self, path: Path | None = None) -> subprocess.Popen[bytes]:
        """Start a worker that looks for packages in `path` first."""
        options = ["--nthreads", "1", "--local-directory", str(self.folder)]
        return self._start("worker", self.address, *options, path=path)

    def _start(self, kind: str, *options: str, path: Path | None = None) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--host", "127.0.0.1"]
        variables = {**os.environ, "PYTHONPATH": str(path)} if path else None
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                [*command, "--no-dashboard", *options], env=variables, stdout=log, stderr=log
            )
        self.processes.append(process)
        return process

    def running(self, module: str = "") -> list[psutil.Process]:
        """Processes of runs on the workers."""
        return [
            process
            for process in psutil.process_iter(["cmdline"])
            if any(str(self.folder / "dask") in word for word in process.info["cmdline"] or [])
            and any(f"rsjs.experiments.{module}" in word for word in process.info["cmdline"])
        ]


@pytest.fixture(scope="module")
def clusters() -> Iterator[list[Cluster]]:
    """Those that were started; all are ended afterwards."""
    started: list[Cluster] = []
    yield started
    for cluster in started:
        for process in cluster.processes:
            process.terminate()
            process.wait()


@pytest.fixture
def cluster(clusters, tmp_path_factory) -> Cluster:
    """A cluster with two workers, another if a test has ended the last."""
    if not clusters or clusters[-1].scheduler.poll() is not None:
        clusters.append(Cluster(tmp_path_factory.mktemp("cluster")))
        for _ in range(2):
            clusters[-1].worker()
        with running_cluster(clusters[-1].address) as client:
            client.wait_for_workers(2, timeout=PATIENCE)
    return clusters[-1]


@pytest.fixture
def news(tmp_path) -> Callable[..., Iterator[News]]:
    """Carries out what is left of a campaign on a cluster."""

    def tell(asked, cluster: Cluster) -> Iterator[News]:
        store = tmp_path / "store"
        prepared = runner.prepare(asked, store, runner.Part())
        with running_cluster(cluster.address) as client:
            yield from runner.carry_out(prepared, store, dask(client), 2)

    return tell


def slow(campaign, **changes):
    return campaign(SLOW, sizes='["60x10"]', **changes)


def files(store: Path, name: str) -> dict[str, bytes]:
    return {path.parent.name: path.read_bytes() for path in store.glob(f"runs/*/*/{name}")}


def test_records_are_those_of_this_machine(campaign, carry_out, cluster, news, tmp_path):
    asked = campaign("fifo:paper", "greedy:code", "enumeration", seeds=[1, 2], time_s=20)
    kinds = Counter(item.kind for item in news(asked, cluster) if item.kind != "idle")
    assert kinds == {"begun": 6, "ended": 6}
    carry_out(asked, tmp_path / "local")
    for name in ("spec.json", "solution.json.gz"):
        assert files(tmp_path / "store", name) == files(tmp_path / "local", name)
    found = collect([tmp_path / "store"])
    assert (found.corrupt, found.missing) == ([], [])
    assert {row["host"] for row in found.rows} == {os.uname().nodename}
    (session,) = (tmp_path / "store" / "sessions").iterdir()
    document = json.loads(session.read_text())
    assert (document["slots"], document["load_after"] is None) == (2, False)
    assert cluster.running() == []


def test_a_worker_that_is_killed_loses_no_run(campaign, cluster, news, tmp_path):
    asked, kinds, killed = slow(campaign, more="seeds = [0, 1, 2]"), Counter(), False
    for item in news(asked, cluster):
        kinds[item.kind] += 1
        guards = cluster.running("campaigns.guarded_slot")
        if guards and cluster.running("worker") and not killed:
            killed = True
            guards[0].parent().kill()
    assert (kinds["begun"], kinds["lost"], kinds["ended"]) == (4, 1, 3)
    rows = collect([tmp_path / "store"]).rows
    assert [row["ended"] for row in rows] == ["TIMEOUT"] * 3
    assert cluster.running() == []


def test_a_run_that_is_lost_twice_is_a_crash(campaign, cluster, news, tmp_path):
    kinds = Counter()
    for item in news(slow(campaign), cluster):
        kinds[item.kind] += 1
        if cluster.running("worker"):
            for guard in cluster.running("campaigns.guarded_slot"):
                guard.kill()
            until(lambda: not cluster.running())
    assert (kinds["begun"], kinds["lost"], kinds["ended"]) == (2, 1, 1)
    (row,) = collect([tmp_path / "store"]).rows
    assert (row["ended"], row["quality"]) == ("CRASH(watcher)", "NO_SOLUTION")


def test_a_client_that_is_killed_leaves_no_process_and_what_is_left_is_carried_out(
    campaign, cluster, news, tmp_path
):
    asked, store = slow(campaign, more="seeds = [0, 1]"), tmp_path / "store"
    words = ["run", tmp_path / "campaign.toml", "-o", store, "--dispatch", cluster.address]
    client = subprocess.Popen([sys.executable, "-m", "rsjs", *map(str, words)])
    until(lambda: len(cluster.running("worker")) == 2)
    client.kill()
    client.wait()
    until(lambda: not cluster.running())
    assert not list(store.glob("runs/*/*"))
    assert sum(item.kind == "ended" for item in news(asked, cluster)) == 2
    assert not list((store / "scratch").iterdir())
    assert not list((store / "claims").iterdir())


def test_another_version_on_a_worker_is_refused_before_anything_runs(
    campaign, cluster, news, tmp_path
):
    info = tmp_path / "other" / "rsjs_bench-9.9.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rsjs-bench\nVersion: 9.9\n")
    other = cluster.worker(info.parent)
    with running_cluster(cluster.address) as client:
        client.wait_for_workers(3, timeout=PATIENCE)
        with pytest.raises(
            InputError, match=r"worker tcp://.* found rsjs-bench 9.9, expected rsjs"
        ):
            list(news(campaign("fifo:paper"), cluster))
        other.terminate()
        other.wait()
        until(lambda: len(client.nthreads()) == 2)
    assert not list((tmp_path / "store").glob("runs/*/*"))


def test_another_version_of_a_solver_is_refused(campaign, cluster, news, tmp_path):
    asked, store = campaign("fifo:paper"), tmp_path / "store"
    runner.prepare(asked, store, runner.Part())
    document = manifest.read(store, "store")
    document["versions"][""]["other"] = "1.2"
    (store / "store.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match=r"found other none, expected other 1.2 as in the store"):
        list(news(asked, cluster))


def test_runs_that_are_to_be_alone_are_refused_beside_each_other(campaign, cluster, news):
    asked = replace(campaign("fifo:paper"), timing="exclusive")
    with pytest.raises(InputError, match=r"threads of workers at 127.0.0.1: found 2, expected 1"):
        list(news(asked, cluster))


def test_a_scheduler_that_has_gone_is_told_and_what_is_done_is_kept(
    campaign, cluster, news, tmp_path
):
    def kill_after_the_first() -> None:
        for item in news(slow(campaign, more="seeds = [0, 1, 2, 3]"), cluster):
            if item.kind == "ended":
                cluster.scheduler.kill()

    with pytest.raises(OSError, match="the Dask scheduler has gone; what is done is kept"):
        kill_after_the_first()
    found = collect([tmp_path / "store"])
    assert len(found.rows) + len(found.missing) == 4
    assert found.rows
    assert found.missing
    until(lambda: not cluster.running())
