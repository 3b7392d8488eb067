"""Rows under results/ name what made them."""

import subprocess
from pathlib import Path

import pytest

from benchmarks.mig_tables import DOCS, PARTS
from benchmarks.stored import have_commits, is_measured, rows_by, store, store_part
from rsjs import commit
from rsjs.rows.csv import read_rows

RESULTS = Path(__file__).parents[2] / "results"
FILES = sorted(path.relative_to(RESULTS) for path in RESULTS.rglob("*.csv"))


@pytest.mark.parametrize("file", FILES, ids=str)
def test_every_stored_row_has_a_commit(file):
    rows = read_rows(RESULTS / file)
    assert rows
    assert all(row.get("commit") for row in rows)


@pytest.mark.parametrize("part", PARTS)
def test_tables_on_mig_geometry_are_what_the_stored_rows_make_of_them(part):
    lines = PARTS[part][1](read_rows(RESULTS / "mig" / f"{part}.csv"))
    assert "\n".join(lines) in (DOCS / "mig.md").read_text("utf-8")


def test_rows_are_stored_with_a_commit_only_and_those_without_are_measured_again(tmp_path):
    path, row = tmp_path / "rows.csv", {"method": "m", "instance": "i", "status": "ok"}
    assert not is_measured(path)
    for wrong in ({"commit": None}, {"commit": "c", "status": "wrong", "message": "too low"}):
        with pytest.raises(SystemExit, match=r"commit|m on i: too low"):
            store([row | wrong], path)
    path.write_text("method\nm\n")
    assert not is_measured(path)
    store([row | {"commit": "c"}], path)
    assert is_measured(path)


def test_rows_of_a_part_take_the_place_of_those_before_and_others_stay(tmp_path):
    path, row = tmp_path / "rows.csv", {"method": "m", "commit": "c"}
    assert rows_by("case", path) == {}
    store_part([row], "case", "a", path)
    store_part([row, {**row, "method": "n"}], "case", "b", path)
    store_part([{**row, "commit": "d", "seconds": 1.5}], "case", "a", path)
    groups = rows_by("case", path)
    assert [row["method"] for row in groups["b"]] == ["m", "n"]
    assert [(row["commit"], row["seconds"]) for row in groups["a"]] == [("d", 1.5)]
    assert have_commits(groups["a"])
    assert not have_commits([])
    with pytest.raises(SystemExit, match="commit"):
        store_part([{**row, "commit": None}], "case", "b", path)
    assert rows_by("case", path) == groups


def test_changes_of_results_do_not_make_a_tree_dirty(tmp_path, monkeypatch):
    for name in ("src/module.py", "results/rows.csv", "docs/page.md"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("before\n")
    person = ("-c", "user.name=a", "-c", "user.email=a@b")
    for command in (("init", "-q"), ("add", "."), (*person, "commit", "-q", "-m", "all")):
        subprocess.run(["git", "-C", tmp_path, *command], check=True)
    monkeypatch.setattr(commit, "__file__", str(tmp_path / "src/module.py"))
    for name, dirty in (
        ("results/rows.csv", False),
        ("docs/page.md", False),
        ("src/module.py", True),
    ):
        (tmp_path / name).write_text("after\n")
        found = commit.source()
        assert (len(found["commit"]), found["dirty"]) == (40, dirty)
