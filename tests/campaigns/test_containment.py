"""Methods that do harm: each becomes a row that says so, and nothing of it is left."""

import psutil
import pytest

from rsjs.campaigns.collection import collect

pytestmark = pytest.mark.process

EXPECTED = {  # ended, quality
    "fork": ("CRASH(7)", "NO_SOLUTION"),
    "hog": ("MEMOUT", "FEASIBLE_VERIFIED"),
    "lie": ("FINISHED", "WRONG"),
    "flood": ("OUTPUT_LIMIT", "NO_SOLUTION"),
    "litter": ("OUTPUT_LIMIT", "NO_SOLUTION"),
    "raze": ("CRASH(1)", "NO_SOLUTION"),
    "crash": ("CRASH(SIGSEGV)", "NO_SOLUTION"),
    "babble": ("SOLVER_ERROR", "NO_SOLUTION"),
    "prattle": ("SOLVER_ERROR", "NO_SOLUTION"),
    "misshape": ("FINISHED", "WRONG"),
    "betray": ("CRASH(watcher)", "NO_SOLUTION"),
    "stop": ("CRASH(watcher)", "NO_SOLUTION"),
    "pipes": ("SOLVER_ERROR", "NO_SOLUTION"),
    "heads": ("SOLVER_ERROR", "FEASIBLE_VERIFIED"),
    "single": ("FINISHED", "FEASIBLE_VERIFIED"),
    "promise": ("FINISHED", "WRONG"),
    "colour": ("SOLVER_ERROR", "NO_SOLUTION"),
    "share": ("FINISHED", "NO_SOLUTION"),
    "close": ("FINISHED", "NO_SOLUTION"),
    "fifo:paper": ("FINISHED", "FEASIBLE_VERIFIED"),
}


each_isolation = pytest.mark.parametrize(
    "isolated", ['isolation = "process"', 'isolation = "batch"'], ids=["process", "batch"]
)


@each_isolation
@pytest.mark.usefixtures("wicked")
def test_incumbents_are_priced_again_and_what_comes_late_does_not_count(
    campaign, carry_out, tmp_path, isolated
):
    asked = campaign("brag", "late", "spin", time_s=2, sizes='["2x4"]', more=isolated)
    carry_out(asked, tmp_path / "store")
    rows = {row["method"]: row for row in collect([tmp_path / "store"]).rows}
    brag, late = rows["brag"], rows["late"]
    assert (brag["incumbents"], brag["false_incumbents"]) == (1, 1)
    assert brag["objective_at_limit"] == brag["objective"] == brag["claimed_objective"]
    assert (late["ended"], late["quality"], late["false_incumbents"]) == (
        "FINISHED",
        "OPTIMAL_VERIFIED",
        0,
    )
    assert late["objective"] < late["objective_at_limit"] == brag["objective"]
    assert late["overshoot_s"] > 0.2
    spin = rows["spin"]
    assert (spin["ended"], spin["quality"]) == ("TIMEOUT", "FEASIBLE_VERIFIED")
    assert spin["overshoot_s"] > 0.8


@pytest.mark.usefixtures("wicked")
def test_what_a_run_leaves_in_the_worker_of_a_batch_reaches_no_other_run(
    campaign, carry_out, tmp_path
):
    more = 'isolation = "batch"'
    asked = campaign("branch", "taint", "fifo:paper", sizes='["2x4"]', seeds=[*range(6)], more=more)
    carry_out(asked, tmp_path / "store")
    rows = collect([tmp_path / "store"]).rows
    innocent = [row["ended"] for row in rows if row["method"] == "fifo:paper"]
    assert innocent == ["FINISHED"] * 6
    assert {row["ended"] for row in rows if row["method"] == "taint"} == {"SOLVER_ERROR"}


@each_isolation
@pytest.mark.usefixtures("wicked")
def test_what_stands_in_the_place_of_a_record_makes_room(campaign, carry_out, tmp_path, isolated):
    asked = campaign("usurp", "fifo:paper", sizes='["2x4"]', seeds=[*range(4)], more=isolated)
    carry_out(asked, tmp_path / "store")
    found = collect([tmp_path / "store"])
    assert {row["quality"] for row in found.rows} == {"FEASIBLE_VERIFIED"}
    assert (len(found.rows), found.corrupt, found.missing) == (8, [], [])
    links = [path for path in (tmp_path / "store" / "runs").rglob("*") if path.is_symlink()]
    assert links == []


def bearing(mark):
    """Processes with the mark in their command line."""
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if any(mark in word for word in process.info["cmdline"] or [])
    ]


@each_isolation
@pytest.mark.usefixtures("wicked")
def test_harm_is_contained_and_told(campaign, carry_out, tmp_path, wicked, isolated):
    store, asked = tmp_path / "store", campaign(*EXPECTED, more=isolated)
    carry_out(asked, store)
    found = collect([store])
    rows = {row["spelling"]: row for row in found.rows}
    assert {name: (row["ended"], row["quality"]) for name, row in rows.items()} == EXPECTED
    assert (found.corrupt, found.missing) == ([], [])
    assert bearing(wicked) == []
    assert rows["fork"]["strays"] == 1
    assert rows["hog"]["peak_memory_mb"] > 400
    assert "FileNotFoundError" in rows["raze"]["message"]
    assert "claimed_objective" in rows["lie"]["message"]
    assert rows["babble"]["message"] == "TypeError: 'int' object is not iterable"
    assert rows["prattle"]["message"] == "the result cannot be read: TypeError: objective = 'cheap'"
    assert "claimed_bound" in rows["promise"]["message"]
    assert rows["colour"]["message"] == r"ValueError: \x1b[31mred\ud800"
    assert rows["single"]["bound"] == pytest.approx(rows["single"]["objective"] / 2, rel=1e-6)
    assert 160 < rows["share"]["peak_memory_mb"] < 390
    assert not list((store / "scratch").iterdir())
    assert not list((store / "claims").iterdir())
    size = sum(path.stat().st_size for path in store.rglob("*") if path.is_file())
    assert size < 2**20
    assert not list(store.rglob("in-the-working-folder"))
    assert {row["timing"] for row in found.rows} == {"batch" if "batch" in isolated else "shared"}
    carry_out(asked, store)
    assert len(collect([store]).rows) == len(EXPECTED)
