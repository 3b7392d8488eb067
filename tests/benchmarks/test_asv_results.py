"""What asv stores is read: nothing measured is an error, and twice the seconds are slower."""

import subprocess
from math import nan

import numpy as np
import pytest
from asv import results
from asv.runner import BenchmarkResult

from benchmarks import canary
from benchmarks.asv_results import Tally, changes, store, tallies
from benchmarks.history import commits_of, different, problems
from benchmarks.history_page import write_page

BEFORE, AFTER = "a" * 40, "b" * 40
SECONDS = list(np.random.default_rng(1).normal(1.0, 0.03, size=12))


def add_track(folder, commit, values):
    """Add values of a benchmark with parameters 1, 2 and 3 to what is stored of a commit."""
    stored = results.Results.load(str(folder / "here" / f"{commit[:8]}-existing.json"))
    benchmark = {"name": "suite.track_count", "params": [["1", "2", "3"]], "version": "1"}
    found = BenchmarkResult(values, [None] * 3, [None] * 3, 1, "", None)
    stored.add_result(benchmark, found)
    stored.save(str(folder))


def test_results_are_told_apart_by_what_became_of_them(tmp_path):
    store(tmp_path, BEFORE, {"suite.time_run": SECONDS})
    add_track(tmp_path, BEFORE, [0.5, nan, None])
    measured = ("suite.time_run", "suite.track_count(1)")
    skipped, failed = ("suite.track_count(2)",), ("suite.track_count(3)",)
    expected = Tally(measured=measured, skipped=skipped, failed=failed)
    assert tallies(tmp_path) == {BEFORE: expected}
    assert tallies(tmp_path, since=4e9) == {}  # what was stored before does not count


def test_changes_are_exact_values_that_differ_and_seconds_that_differ_enough(tmp_path):
    noisy = [3.0 * s if i % 4 == 0 else s for i, s in enumerate(SECONDS)]
    times = {factor: [factor * s for s in reversed(SECONDS)] for factor in (0.5, 1.05, 1.3)}
    cases = {
        "faster": (SECONDS, times[0.5]),
        "less than what counts": (SECONDS, times[1.05]),
        "noise": (SECONDS, noisy),
        "gone": (SECONDS, None),
        "run": (SECONDS, times[1.3]),
    }
    for i, commit in enumerate((BEFORE, AFTER)):
        seconds = {f"s.time_<{name}>": pair[i] for name, pair in cases.items() if pair[i]}
        store(tmp_path, commit, seconds)
        add_track(tmp_path, commit, [[7.0, 7.0, nan], [7.0, 8.0, 1.0]][i])
    found = changes(tmp_path, BEFORE, AFTER)
    exact = {"s.time_<faster>": False, "s.time_<run>": False, "suite.track_count(2)": True}
    assert [(one.name, one.exact) for one in found] == [*exact.items()]
    assert list(different(found)) == ["suite.track_count(2): 7.0 before, 8.0 now"]
    write_page(found, [BEFORE, AFTER], tmp_path / "changes.html")
    text = (tmp_path / "changes.html").read_text()
    row = "s.time_&lt;run&gt;<td>1.01s<td>1.31s<td>1.30"
    assert text.index("suite.track_count(2)") < text.index(row)
    assert "noise" not in text
    assert "http" not in text


def test_a_range_of_commits_has_its_first_one(tmp_path):
    def git(*words):
        own = ["-c", "user.name=x", "-c", "user.email=x", *words]
        return subprocess.run(
            ["git", *own], cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout.split()

    git("init", "-q")
    for name in "abc":
        git("commit", "-q", "--allow-empty", "-m", name)
    all_of_them = git("rev-list", "--reverse", "HEAD")
    assert commits_of("HEAD~2..HEAD", tmp_path) == all_of_them
    assert commits_of("HEAD^..HEAD", tmp_path) == all_of_them[1:]
    assert commits_of("HEAD^", tmp_path) == all_of_them[1:2]


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
    [(1.0, 2.0, None), (2.0, 2.0, "flagged against itself"), (1.0, 1.0, "was not noticed")],
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
