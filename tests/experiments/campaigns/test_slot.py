"""What a slot tells when it cannot go on."""

import errno
import io
import json
from dataclasses import asdict

import pytest

from rsjs.experiments.campaigns import slot
from rsjs.experiments.campaigns.perform import Order
from rsjs.experiments.campaigns.runner import Part, prepare
from rsjs.experiments.campaigns.store import Store
from rsjs.instances.errors import InputError


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(errno.ENOSPC, "No space left"), "{store}: No space left"),
        (OSError(errno.ENOSPC, "No space left", "a file"), "a file: No space left"),
        (InputError("", "aa", "the instance of sha256 bb", "x.json"), "x.json: found 'aa', "),
    ],
)
def test_a_slot_that_is_broken_names_the_place(
    error, told, campaign, tmp_path, monkeypatch, capsys
):
    def fail(*_, **__):
        raise error

    (run,) = prepare(campaign("fifo:paper"), None, Part()).selected
    order = Order(
        run=run,
        instance="none",
        python="python",
        rsjs_version="0",
        solver_version=None,
        session="one",
    )
    line = json.dumps({"order": {**asdict(order), "run": run.as_document()}})
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{line}\n{line}\n"))
    monkeypatch.setattr(slot, "perform", fail)
    slot.serve(Store(tmp_path / "store"))
    lines = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    assert [line["event"] for line in lines] == ["ready", "begun", "broken"]
    assert lines[-1]["message"].startswith(told.format(store=tmp_path / "store"))
