"""kill -9 of the launcher at any moment: no run lost, doubled or half-written, no process left."""

import os
import signal
import sys
import time
from random import Random

import psutil
import pytest

from rsjs.campaigns import runner
from rsjs.campaigns.collection import collect
from rsjs.campaigns.pool import Local

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform != "linux", reason="no parent-death signal"),
]

KILLS, RUNS = 8, 12
LATEST = 0.3  # seconds after a record was written
PATIENCE = 300.0  # seconds; a test that hangs is ended
MEETING = """
import os, time
from rsjs.core.report import SolveResult, Stop


def run(instance, call, report):
    \"\"\"Waits until three runs have begun: more than either launcher has slots.\"\"\"
    open(os.path.join({folder!r}, instance.name), "w").close()
    end = time.monotonic() + {patience}
    while len(os.listdir({folder!r})) < 3:
        assert time.monotonic() < end
        time.sleep(0.02)
    return SolveResult(stop=Stop.ITERATIONS)
"""


def processes_of(store):
    """Slots and workers of a store: their command lines name it."""
    found = psutil.process_iter(["cmdline"])
    return [one for one in found if any(str(store) in w for w in one.info["cmdline"] or [])]


def wait_until(true):
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def wait_until_gone(store):
    wait_until(lambda: not processes_of(store))


def start(prepared, store):
    """A launcher in a process of its own."""
    if pid := os.fork():
        return pid
    try:
        for _ in runner.carry_out(prepared, store, Local(2)):
            pass
    finally:
        os._exit(0)


def stamps(store):
    """When each record was written."""
    return {p.parent.name: p.stat().st_mtime_ns for p in store.glob("runs/*/*/result.json")}


@pytest.mark.parametrize("isolation", ["process", "batch"])
def test_a_launcher_killed_at_any_moment_loses_and_doubles_nothing(
    campaign, carry_out, tmp_path, isolation
):
    seeds = [*range(1, RUNS + 1)]
    asked = campaign("fifo:paper", seeds=seeds, more=f'isolation = "{isolation}"')
    store, rng = tmp_path / "store", Random(1)
    recorded: dict[str, int] = {}
    for _ in range(KILLS):
        prepared = runner.prepare(asked, store, runner.Part())
        assert prepared.survey.corrupt == []
        pid = start(prepared, store)
        wanted = min(len(recorded) + rng.randint(0, 2), RUNS)
        wait_until(lambda wanted=wanted: len(stamps(store)) >= wanted)
        time.sleep(rng.uniform(0, LATEST))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        wait_until_gone(store)
        found = stamps(store)
        assert {name: found[name] for name in recorded} == recorded
        recorded = found
    carry_out(asked, store)
    found = stamps(store)
    assert {name: found[name] for name in recorded} == recorded
    collected = collect([store])
    assert len(collected.rows) == len({row["run_id"] for row in collected.rows}) == RUNS
    assert {row["quality"] for row in collected.rows} == {"FEASIBLE_VERIFIED"}
    assert (collected.corrupt, collected.missing) == ([], [])
    assert not list((store / "scratch").iterdir())
    assert not list((store / "claims").iterdir())


def test_two_launchers_on_one_store_share_its_runs(campaign, carry_out, tmp_path):
    store, folder = tmp_path / "store", tmp_path / "begun"
    folder.mkdir()
    code = MEETING.format(folder=str(folder), patience=PATIENCE)
    (tmp_path / "meeting.py").write_text(code)
    asked = campaign("meeting.py:run", seeds=[*range(1, 9)])
    prepared = runner.prepare(asked, store, runner.Part())
    other = start(prepared, store)
    told = runner.carry_out(prepared, store, Local(1))
    done = [news.run.id for news in told if news.kind == "ended"]
    os.waitpid(other, 0)
    wait_until_gone(store)
    collected = collect([store])
    by_us = [row["run_id"] for row in collected.rows if str(os.getpid()) in row["session"]]
    assert sorted(by_us) == sorted(done)
    assert len(collected.rows) == 8
    assert 0 < len(done) < 8
