"""Records that travel, and machines that are too small."""

from dataclasses import replace

import pytest

from rsjs.campaigns import runner
from rsjs.campaigns.records import receive
from rsjs.campaigns.session import RESERVE_MB, refuse_more
from rsjs.campaigns.store import Store
from rsjs.core.errors import InputError


@pytest.fixture
def made(campaign, carry_out, tmp_path):
    """A run, another, and the record of the first."""
    prepared = carry_out(campaign("fifo:paper", seeds=[1, 2]), tmp_path / "store")
    run, other = prepared.selected
    return run, other, Store(tmp_path / "store").path(run.id)


@pytest.mark.process
def test_a_record_arrives_as_it_was_or_is_refused(made, tmp_path):
    run, other, record = made
    sent = {path.name: path.read_bytes() for path in record.iterdir()}
    receive(sent, tmp_path / "there", run)
    assert {path.name: path.read_bytes() for path in (tmp_path / "there").iterdir()} == sent
    with pytest.raises(InputError, match=f"expected {other.id}, as asked"):
        receive(sent, tmp_path / "again", other)
    with pytest.raises(InputError, match="sha256"):
        receive({**sent, "events.jsonl": b"{}"}, tmp_path / "again", run)


TOO_MUCH = [
    (2, True, "found 2, expected 1, as the campaign's timing is exclusive"),
    (3, False, "found 3, expected at most 2: 2 threads each on 4 cores"),
    (2, False, "found 2, expected 400 MB for each of them in 799 MB"),
]


@pytest.mark.parametrize(("slots", "exclusive", "told"), TOO_MUCH)
def test_a_machine_that_is_too_small_is_told(campaign, slots, exclusive, told):
    asked = campaign("fifo:paper", threads=[1, 2])
    asked = replace(asked, timing="exclusive" if exclusive else "shared")
    refuse_more(asked, "place", 1, cores=2, memory_mb=RESERVE_MB + 400)
    with pytest.raises(InputError, match=f"place: {told}"):
        refuse_more(asked, "place", slots, cores=4, memory_mb=RESERVE_MB + 799)


@pytest.mark.parametrize(
    ("jobs", "cores", "slots"), [(None, 1, 1), (None, 4, 2), (None, 9, 3), (2, 4, 2)]
)
def test_a_campaign_runs_fewer_side_by_side_where_there_are_fewer_cores(
    campaign, monkeypatch, jobs, cores, slots
):
    machine = {"hardware_threads_usable": cores, "memory_mb": 1e6}
    monkeypatch.setattr(runner.provenance, "machine", lambda: machine)
    asked = campaign("fifo:paper", threads=[2 if cores > 1 else 1])
    assert runner.slots_here(replace(asked, jobs=3), jobs) == slots
