"""Rows under results/ name what made them."""

import subprocess
from pathlib import Path

import pytest

from rsjs import commit
from rsjs.rows.csv import read_rows

RESULTS = Path(__file__).parents[2] / "results"
FILES = sorted(path.relative_to(RESULTS) for path in RESULTS.rglob("*.csv"))


@pytest.mark.parametrize("file", FILES, ids=str)
def test_every_stored_row_has_a_commit(file):
    rows = read_rows(RESULTS / file)
    assert rows
    assert all(row.get("commit") for row in rows)


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
