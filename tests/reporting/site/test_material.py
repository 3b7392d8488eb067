"""What a report is made of, from stores, collected tables and comparisons."""

import shutil
from hashlib import sha256

import pytest

from rsjs.core.errors import InputError
from rsjs.reporting.site.report_data import footer, gathered, run_set
from rsjs.rows.csv import csv_text

COLUMNS_OF_CAMPAIGNS = {"run_id", "campaign", "ended", "quality", "timing", "options", "commit"}


@pytest.mark.process
def test_the_digest_of_a_solution_is_that_of_its_file(store):
    found = gathered([store])
    assert len(found.rows) == 2
    for row in found.rows:
        record = row["record"]
        assert record == store / "runs" / row["run_id"][:2] / row["run_id"]
        data = (record / "solution.json.gz").read_bytes()
        assert row["solution_sha256"] == sha256(data).hexdigest()
        assert row["problem_file"].exists()
        assert row["events"]
        assert row["session"] in found.sessions


@pytest.mark.process
def test_a_run_that_two_stores_have_counts_once(store, tmp_path):
    assert len(gathered([store, shutil.copytree(store, tmp_path / "copy")]).rows) == 2


def test_rows_of_a_comparison_get_what_campaigns_tell(rows, tmp_path):
    plain = [{k: row[k] for k in row if k not in COLUMNS_OF_CAMPAIGNS} for row in rows]
    (tmp_path / "rows.csv").write_text(csv_text(plain))
    found = gathered([tmp_path])
    told = {row["run_id"]: (row["ended"], row["quality"]) for row in rows}
    assert sorted((row["ended"], row["quality"]) for row in found.rows) == sorted(told.values())
    assert len({row["anchor"] for row in found.rows}) == len(rows)
    assert all(row["record"] is row["problem_file"] is None for row in found.rows)


def test_bounds_are_shared_between_sources(rows, tmp_path):
    exact, rule = (row | {"seed": 0} for row in (rows[0], rows[2]))
    for name, row in (("a", exact), ("b", rule | {"best_bound": None, "gap_to_best": None})):
        (tmp_path / name).mkdir()
        (tmp_path / name / "rows.csv").write_text(csv_text([row]))
    found = gathered([tmp_path / "a", tmp_path / "b"]).rows
    assert [row["best_bound"] for row in found] == [20.0, 20.0]
    assert found[1]["gap_to_best"] == pytest.approx(1 - 1 / 1.01)


def test_a_folder_with_other_files_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="expected a store of `rsjs run`"):
        gathered([tmp_path])


def test_a_run_set_is_named_by_its_runs_alone(rows):
    name = run_set(rows)
    assert len(name) == 12
    assert run_set(rows[::-1]) == name
    assert run_set(rows[1:]) != name
    without = [row | {"run_id": None} for row in rows]
    assert run_set(without[::-1]) == run_set(without) != name


def test_a_footer_tells_code_day_processor_limits_and_timing(rows):
    told = footer(rows)
    assert told.endswith(
        "36 runs · commit cccccccccccc · 2026-01-02 · A processor · 10 s · gap 0.0001 · 1 thread"
        " · exclusive and shared timing"
    )
    changed = footer(
        [row | {"dirty": True, "time_limit": 5.0 + i} for i, row in enumerate(rows[:2])]
    )
    assert "cccccccccccc with changes" in changed
    assert "5 s or 6 s" in changed
