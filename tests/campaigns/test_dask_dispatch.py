"""Runs on a Dask cluster: a real scheduler and two workers, of which some are killed."""

import contextlib
import http.client
import json
import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from functools import partial

import psutil
import pytest

from rsjs.campaigns import runner
from rsjs.campaigns.collection import collect
from rsjs.campaigns.dask_dispatch import Dask, own_cluster, running_cluster
from rsjs.campaigns.store import read_document
from rsjs.core.errors import InputError
from rsjs.core.process import die_with_parent
from rsjs.methods import all_methods

distributed = pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform != "linux", reason="no parent-death signal"),
]

PATIENCE = 600.0  # seconds; a test that hangs is ended
WAITS = """
import time
from pathlib import Path
from rsjs.core.method import Method
from rsjs.core.report import SolveResult, Stop


def run(instance, call, report):
    while not Path({gate!r}, str(call.limits.seed)).exists():
        time.sleep(0.05)
    return SolveResult(stop=Stop.ITERATIONS)


METHOD = Method(name="waits", summary="a test", kind="heuristic", run="waits:run")
"""
OWN = """
from rsjs.methods import parse


def run(instance, call, report):
    return parse("edf:paper")(instance, call, report)
"""


def until(found):
    end = time.monotonic() + PATIENCE
    while not found():
        assert time.monotonic() < end
        time.sleep(0.1)


class Cluster:
    """A scheduler and workers of one thread, each a process of its own."""

    def __init__(self, folder, processes):
        self.folder, self.processes = folder, processes
        file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--port", "0", "--scheduler-file", str(file))
        until(lambda: file.exists() and file.read_text().endswith("}"))
        self.address = json.loads(file.read_text())["address"]

    def worker(self, path=None):
        """Start a worker that looks for packages in `path` first."""
        options = ["--no-nanny", "--nthreads", "1", "--local-directory", str(self.folder)]
        return self._start("worker", self.address, *options, path=path)

    def _start(self, kind, *options, path=None):
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--host", "127.0.0.1"]
        variables = {**os.environ, "PYTHONPATH": str(path)} if path else None
        ended_with_us = partial(die_with_parent, os.getpid())
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                [*command, "--no-dashboard", *options],
                env=variables,
                stdout=log,
                stderr=log,
                preexec_fn=ended_with_us,
            )
        self.processes.append(process)
        return process

    def running(self, module=""):
        """Processes of runs on the workers."""
        return [
            process
            for process in psutil.process_iter(["cmdline"])
            if any(str(self.folder / "dask") in word for word in process.info["cmdline"] or [])
            and any(f"rsjs.{module}" in word for word in process.info["cmdline"])
        ]


@pytest.fixture(scope="module")
def gates(tmp_path_factory):
    """The folder of a method that waits for a file with the name of its seed."""
    folder, gate = tmp_path_factory.mktemp("waits"), tmp_path_factory.mktemp("gate")
    info = folder / "waits-1.dist-info"
    info.mkdir()
    (folder / "waits.py").write_text(WAITS.format(gate=str(gate)))
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: waits\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[rsjs.methods]\nwaits = waits:METHOD\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(folder))
        patch.syspath_prepend(str(folder))
        all_methods.cache_clear()
        yield gate
    all_methods.cache_clear()
    sys.modules.pop("waits", None)


@pytest.fixture
def gate(gates):
    """Lets the method go on at seeds; all are held at the beginning."""
    for file in gates.iterdir():
        file.unlink()

    def let(*seeds):
        for seed in seeds:
            (gates / str(seed)).touch()

    return let


@pytest.fixture(scope="module")
def clusters():
    """Those that were started."""
    return []


@pytest.fixture(scope="module")
def processes():
    """Those that were started; all are ended afterwards."""
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for process in started:  # one whose scheduler has gone may not hear of a polite end
        process.kill()
    for process in started:
        process.wait()


@pytest.fixture
def cluster(gates, clusters, processes, tmp_path_factory):
    """A cluster with two workers; what a test has ended is started again."""
    if not clusters or clusters[-1].scheduler.poll() is not None:
        clusters.append(Cluster(tmp_path_factory.mktemp("cluster"), processes))
    with running_cluster(clusters[-1].address) as client:
        for _ in range(2 - len(client.nthreads())):
            clusters[-1].worker()
        client.wait_for_workers(2, timeout=PATIENCE)
    return clusters[-1]


@pytest.fixture
def news(tmp_path):
    """Carries out what is left of a campaign on a cluster."""

    def tell(asked, cluster):
        store = tmp_path / "store"
        prepared = runner.prepare(asked, store, runner.Part())
        with running_cluster(cluster.address) as client:
            yield from runner.carry_out(prepared, store, Dask(client))

    return tell


def waiting(campaign, **changes):
    return campaign("waits", time_s=2 * PATIENCE, **changes)


def files(store, name):
    return {path.parent.name: path.read_bytes() for path in store.glob(f"runs/*/*/{name}")}


def test_a_cluster_of_its_own_answers_nobody_else():
    with own_cluster(1) as client:
        address = client.scheduler.address
        assert address.startswith("tls://127.0.0.1:")
        assert client.submit(sum, [1, 2]).result(PATIENCE) == 3
        stranger = distributed.Security.temporary()
        for place, security in ((address.replace("tls", "tcp"), None), (address, stranger)):
            with pytest.raises(OSError):
                distributed.Client(place, timeout=3, security=security, set_as_default=False)
        for port in _ports(client):
            with contextlib.suppress(OSError):
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
                connection.request("GET", "/json/counts.json")
                assert connection.getresponse().status == 404


def _ports(client):
    """All that the processes of the cluster listen on."""
    own = psutil.Process()
    for process in [own, *own.children(recursive=True)]:
        for connection in process.net_connections("tcp"):
            if connection.status == psutil.CONN_LISTEN:
                assert connection.laddr.ip == "127.0.0.1"
                yield connection.laddr.port


def test_records_are_those_of_this_machine(campaign, carry_out, cluster, news, tmp_path):
    (tmp_path / "own.py").write_text(OWN)  # workers have another working directory
    methods = "fifo:paper", "greedy:code", "enumeration", "own.py:run"
    asked = campaign(*methods, time_s=PATIENCE)
    kinds = Counter(item.kind for item in news(asked, cluster) if item.kind != "idle")
    assert kinds == {"begun": 4, "ended": 4}
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


def test_a_worker_that_is_killed_loses_no_run(campaign, cluster, news, gate, tmp_path):
    asked, kinds, killed = waiting(campaign, more="seeds = [0, 1, 2]"), Counter(), False
    for item in news(asked, cluster):
        kinds[item.kind] += 1
        if item.kind == "lost":
            gate(0, 1, 2)
        if killed:
            continue
        guards = cluster.running("campaigns.pool_worker")
        if guards and cluster.running("runs.worker"):
            killed = True
            guards[0].parent().kill()
    assert (kinds["begun"], kinds["lost"], kinds["ended"]) == (4, 1, 3)
    rows = collect([tmp_path / "store"]).rows
    assert [row["ended"] for row in rows] == ["FINISHED"] * 3
    assert cluster.running() == []


@pytest.mark.usefixtures("gate")
def test_a_run_that_is_lost_twice_is_a_crash(campaign, cluster, news, tmp_path):
    kinds = Counter()
    for item in news(waiting(campaign), cluster):
        kinds[item.kind] += 1
        if cluster.running("runs.worker"):
            for guard in cluster.running("campaigns.pool_worker"):
                guard.kill()
            until(lambda: not cluster.running())
    assert (kinds["begun"], kinds["lost"], kinds["ended"]) == (2, 1, 1)
    (row,) = collect([tmp_path / "store"]).rows
    assert (row["ended"], row["quality"]) == ("CRASH(watcher)", "NO_SOLUTION")


def test_a_client_that_is_killed_leaves_no_process_and_what_is_left_is_carried_out(
    campaign, cluster, news, gate, tmp_path
):
    asked, store = waiting(campaign, more="seeds = [0, 1]"), tmp_path / "store"
    words = ["run", tmp_path / "campaign.toml", "-o", store, "--dispatch", cluster.address]
    client = subprocess.Popen([sys.executable, "-m", "rsjs", *map(str, words)])
    until(lambda: len(cluster.running("runs.worker")) == 2)
    client.kill()
    client.wait()
    until(lambda: not cluster.running())
    assert not list(store.glob("runs/*/*"))
    gate(0, 1)
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
    document = read_document(store, "store")
    document["versions"][""]["other"] = "1.2"
    (store / "store.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match=r"found other none, expected other 1.2 as in the store"):
        list(news(asked, cluster))


def test_runs_that_are_to_be_alone_are_refused_beside_each_other(campaign, cluster, news):
    asked = replace(campaign("fifo:paper"), timing="exclusive")
    with pytest.raises(InputError, match=r"threads of workers at 127.0.0.1: found 2, expected 1"):
        list(news(asked, cluster))


def test_a_scheduler_that_has_gone_is_told_and_what_is_done_is_kept(
    campaign, cluster, news, gate, tmp_path, monkeypatch
):
    def kill_after_the_first():
        for item in news(waiting(campaign, more="seeds = [0, 1, 2, 3]"), cluster):
            if item.kind == "ended":
                cluster.scheduler.kill()

    def closed(_):
        raise distributed.comm.CommClosedError("in <TCP (closed)>")

    with monkeypatch.context() as patch:  # the client does not know it yet
        patch.setattr(Dask, "look", closed)
        with pytest.raises(OSError, match="the Dask scheduler has gone; what is done is kept"):
            kill_after_the_first()
    gate(0)
    with pytest.raises(OSError, match="the Dask scheduler has gone; what is done is kept"):
        kill_after_the_first()
    found = collect([tmp_path / "store"])
    assert (len(found.rows), len(found.missing)) == (1, 3)
    until(lambda: not cluster.running())
