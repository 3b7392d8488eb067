"""What asv stores is read: nothing measured is an error, and twice the seconds are slower."""

from __future__ import annotations

from itertools import cycle
from math import nan

import numpy as np
import pytest
from asv import results
from asv.runner import BenchmarkResult

from benchmarks import canary
from benchmarks.asv_results import Tally, has_become_slower, store, tallies
from benchmarks.history import problems
from benchmarks.history_page import write_page

BEFORE, AFTER = "a" * 40, "b" * 40
SECONDS = list(np.random.default_rng(1).normal(1.0, 0.03, size=12))


@pytest.mark.parametrize(
    ("factors", "slower"),
    [
        ([1.3], True),
        ([1.05], False),  # less than what counts
        ([0.5], False),
        ([3.0, 1.0, 1.0, 1.0], False),  # noise
    ],
)
def test_a_benchmark_is_slower_if_asv_says_so(tmp_path, factors, slower):
    store(tmp_path, BEFORE, {"suite.time_run": SECONDS, "suite.time_other": SECONDS})
    after = [f * s for f, s in zip(cycle(factors), reversed(SECONDS))]
    store(tmp_path, AFTER, {"suite.time_run": after, "suite.time_other": SECONDS})
    assert has_become_slower(tmp_path, BEFORE, AFTER) is slower


def test_results_are_told_apart_by_what_became_of_them(tmp_path):
    store(tmp_path, BEFORE, {"suite.time_run": SECONDS})
    path = tmp_path / "here" / f"{BEFORE[:8]}-existing.json"
    stored = results.Results.load(str(path))
    benchmark = {"name": "suite.track", "params": [["1", "2", "3"]], "version": "1"}
    found = BenchmarkResult([0.5, nan, None], [None] * 3, [None] * 3, 1, "", None)
    stored.add_result(benchmark, found)
    stored.save(str(tmp_path))
    assert tallies(tmp_path) == {
        BEFORE: Tally(
            measured=("suite.time_run", "suite.track(1)"),
            skipped=("suite.track(2)",),
            failed=("suite.track(3)",),
        )
    }
    assert tallies(tmp_path, since=4e9) == {}  # what was stored before does not count


def test_the_plain_page_has_a_column_for_each_commit_and_no_script(tmp_path):
    store(tmp_path, BEFORE, {"suite.time_run": SECONDS, "suite.time_<gone>": [2.0]})
    store(tmp_path, AFTER, {"suite.time_run": [0.5 * s for s in SECONDS]})
    write_page(tmp_path, tmp_path / "plain.html")
    text = (tmp_path / "plain.html").read_text()
    assert "<th>aaaaaaaa<br>here<th>bbbbbbbb<br>here" in text
    assert "<tr><td>suite.time_&lt;gone&gt;</td><td>2.0</td><td>" in text
    assert "<tr><td>suite.time_run</td><td>1.01s</td><td>505ms" in text
    assert "<script" not in text
    assert "http" not in text


@pytest.mark.parametrize(
    ("found", "lines"),
    [
        ({}, ["found no results, expected those of one commit at least"]),
        ({BEFORE: Tally(measured=("a",), skipped=("b",), failed=())}, []),
        (
            {BEFORE: Tally(measured=("a",), skipped=(), failed=("b", "c"))},
            ["aaaaaaaa: b failed", "aaaaaaaa: c failed"],
        ),
        (
            {BEFORE: Tally(measured=(), skipped=("a",), failed=())},
            ["aaaaaaaa: nothing was measured"],
        ),
    ],
)
def test_problems_of_a_run(found, lines):
    assert list(problems(found)) == lines


@pytest.mark.parametrize(
    ("again", "slowed", "words"),
    [
        (1.0, 2.0, None),
        (2.0, 2.0, "flagged against itself"),
        (1.0, 1.0, "was not noticed"),
    ],
)
def test_the_canary_ends_with_an_error_if_asv_is_wrong(monkeypatch, again, slowed, words):
    factors = {canary.PLAIN: 1.0, canary.AGAIN: again, canary.SLOWED: slowed}
    monkeypatch.setattr(
        canary, "measured", lambda: {c: [f * s for s in SECONDS] for c, f in factors.items()}
    )
    if words is None:
        canary.main()
        return
    with pytest.raises(SystemExit, match=words):
        canary.main()
