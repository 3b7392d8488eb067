"""What a slot tells when it cannot go on."""

import errno
import io
import json
import subprocess
import sys
from dataclasses import asdict

import pytest

from rsjs.campaigns import pool, pool_worker
from rsjs.campaigns.collection import collect
from rsjs.campaigns.pool import Slot
from rsjs.campaigns.pool_worker import Order
from rsjs.campaigns.runner import Part, prepare
from rsjs.campaigns.store import Store
from rsjs.core.errors import InputError
from rsjs.runs.supervisor import Batch


@pytest.mark.process
def test_slots_killed_between_two_runs_are_replaced(campaign, carry_out, tmp_path, monkeypatch):
    opened, open_slot = [], pool.Local.open

    def killed_once(self):
        open_slot(self)
        opened.append(self.slots[-1])
        if len(opened) == 1:
            opened[0].process.kill()

    monkeypatch.setattr(pool.Local, "open", killed_once)
    asked = campaign("fifo:paper")
    carry_out(asked, tmp_path / "store")
    assert len(opened) == 2
    assert [row["ended"] for row in collect([tmp_path / "store"]).rows] == ["FINISHED"]
    monkeypatch.setattr(pool, "MOST_IDLE_DEATHS", 0)
    opened.clear()
    with pytest.raises(OSError, match="slots end without a run, the last one with code -9"):
        carry_out(asked, tmp_path / "other")


@pytest.mark.process
def test_children_that_another_thread_starts_meanwhile_are_left_alone(
    campaign, carry_out, tmp_path, monkeypatch
):
    others, open_slot = [], pool.Local.open

    def beside(self):
        others.append(subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE))
        open_slot(self)

    monkeypatch.setattr(pool.Local, "open", beside)
    carry_out(campaign("fifo:paper"), tmp_path / "store")
    (other,) = others
    assert other.poll() is None
    other.communicate(b"\n")
    assert other.returncode == 0


@pytest.mark.process
def test_a_slot_that_talks_nonsense_is_ended(tmp_path):
    there = Slot(Store(tmp_path / "store"), "this")  # prints the Zen of Python
    heard = [there.lines() for _ in range(2)]
    assert heard == [[], None]
    assert there.process.wait() in (0, -9)
    there.end()


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(errno.ENOSPC, "No space left"), "{store}: No space left"),
        (OSError(errno.ENOSPC, "No space left", "a file"), "a file: No space left"),
        (InputError("", "aa", "the instance of sha256 bb", "x.json"), "x.json: found 'aa', "),
    ],
)
def test_a_broken_slot_names_the_place(error, told, campaign, tmp_path, monkeypatch, capsys):
    def fail(*_, **__):
        raise error

    (run,) = prepare(campaign("fifo:paper"), None, Part()).selected
    origin = {"rsjs_version": "0", "solver_version": None, "session": "one"}
    order = Order(run=run, instance="none", python="python", origin=origin)
    line = json.dumps({"order": {**asdict(order), "run": run.as_document()}})
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{line}\n{line}\n"))
    monkeypatch.setattr(pool_worker, "perform", fail)
    pool_worker.serve(Store(tmp_path / "store"), Batch())
    lines = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    assert [line["event"] for line in lines] == ["ready", "begun", "broken"]
    assert lines[-1]["data"]["message"].startswith(told.format(store=tmp_path / "store"))
