"""What a row says of a record."""

import json
from dataclasses import replace

import pytest

from rsjs.campaigns.collection import collect
from rsjs.campaigns.records import Record, write
from rsjs.campaigns.runner import Part, prepare
from rsjs.campaigns.store import write_plan
from rsjs.core.report import SolveResult, Stop
from rsjs.instances.check import Verdict
from rsjs.instances.io.serialization import canonical_text
from rsjs.rows.build import LONGEST_MESSAGE, row_of


@pytest.fixture
def record(campaign):
    """The builder of a record whose limit is 1 s."""
    (run,) = prepare(campaign("fifo:paper", time_s=1), None, Part()).selected

    def make(*incumbents, total=0.5, clock=0.6, cost=None, message=""):
        verdict = None
        if cost is not None:
            terms = {"tardiness": 0.0, "postponement": 0.0, "energy": cost, "idle": 0.0}
            verdict = Verdict(feasible=True, violations=(), terms=terms, objective=cost)
        return Record(
            run=run,
            result=SolveResult(
                stop=Stop.TIME_LIMIT, objective=cost, seconds={"total": total}, message=message
            ),
            verdict=verdict,
            process={
                **{"end": "by itself", "returncode": 0, "cores": [], "strays": 0},
                **{"clock_s": clock, "cpu_s": None, "whole_s": 2.0, "begun": ""},
                **{"load_before": None, "load_after": None},
            },
            incumbents=[
                {"seconds": seconds, "claimed": value, "objective": value}
                for seconds, value in incumbents
            ],
            incumbents_reported=len(incumbents),
            rsjs_version="0",
            solver_version=None,
            session="one",
        )

    return make


@pytest.mark.parametrize(
    ("incumbents", "more", "expected"),
    [
        ([(0.1, 9.0), (1.0, 7.0), (1.1, 5.0)], {}, 7.0),  # what came after the limit does not count
        ([(0.1, 9.0), (0.2, None)], {}, 9.0),  # nor what the checker refuses
        ([(1.1, 5.0)], {}, None),
        ([(0.1, 9.0)], {"cost": 4.0, "total": 0.9}, 4.0),
        ([(0.1, 9.0)], {"cost": 4.0, "total": 1.2}, 9.0),
    ],
)
def test_what_was_known_at_the_limit(record, incumbents, more, expected):
    assert row_of(record(*incumbents, **more), None)["objective_at_limit"] == expected


@pytest.mark.parametrize(("clock", "expected"), [(0.6, 0.0), (1.5, 0.5), (None, None)])
def test_a_limit_that_was_kept_is_overshot_by_nothing(record, clock, expected):
    assert row_of(record(clock=clock), None)["overshoot_s"] == expected


@pytest.mark.parametrize("more", [0, 1, 10**6])
def test_a_message_without_end_is_cut(record, more):
    left = f" ... {more} characters left out" if more else ""
    made = record(message="x" * (LONGEST_MESSAGE + more))
    assert row_of(made, None)["message"] == "x" * LONGEST_MESSAGE + left


def put(record, run, store):
    """Write the record of another run into a store."""
    folder = store / "runs" / run.id[:2] / run.id
    folder.mkdir(parents=True)
    write(replace(record, run=run), folder, None)


def test_a_method_of_a_package_is_told_apart_by_its_source(campaign, record, tmp_path):
    prepared = prepare(campaign("fifo:paper"), tmp_path / "store", Part())
    write_plan(tmp_path / "store", prepared)
    for digit in "ab":
        source = {"distribution": "pack", "version": "1", "sha256": digit * 64}
        (run,) = prepared.selected
        put(record(), replace(run, plugins=canonical_text({"own": source})), tmp_path / "store")
    rows = {row["method"]: row["plugins"] for row in collect([tmp_path / "store"]).rows}
    assert rows.keys() == {"fifo:paper [pack 1 aaaaaaaa]", "fifo:paper [pack 1 bbbbbbbb]"}
    assert json.loads(rows["fifo:paper [pack 1 bbbbbbbb]"])["own"] == source


def test_methods_are_told_apart_by_limits_where_a_store_has_the_same_run_with_several(
    campaign, record, tmp_path
):
    prepared = prepare(campaign("fifo:paper"), tmp_path / "store", Part())
    write_plan(tmp_path / "store", prepared)
    (run,) = prepared.selected
    for seconds in (2.0, 30.0):
        limits = replace(run.limits, time_limit=seconds)
        put(record(), replace(run, limits=limits), tmp_path / "store")
    rows = collect([tmp_path / "store"]).rows
    assert {row["method"] for row in rows} == {"fifo:paper [2 s]", "fifo:paper [30 s]"}


def test_methods_are_told_apart_by_their_threads(campaign, record, tmp_path):
    prepared = prepare(campaign("fifo:paper", threads=[1, 2]), tmp_path / "two", Part())
    write_plan(tmp_path / "two", prepared)
    for run in prepared.selected:
        put(record(), run, tmp_path / "two")
    rows = collect([tmp_path / "two"]).rows
    found = {row["method"]: row["threads"] for row in rows}
    assert found == {"fifo:paper [1 threads]": 1, "fifo:paper [2 threads]": 2}
    assert {row["spelling"] for row in rows} == {"fifo:paper"}
