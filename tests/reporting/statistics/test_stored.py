"""Rows and events read back from a comparison's folder."""

import json

import pytest

from rsjs.core.errors import InputError
from rsjs.reporting.statistics.tidy import read_stored
from rsjs.rows.csv import csv_text


@pytest.fixture
def store(tmp_path, rows):
    """Write rows of one seed as `rsjs compare` does, with changes to the courses."""

    def written(seed=0, seeds=False, **changes):
        folder = tmp_path / f"seed{seed}"
        folder.mkdir()
        chosen = [row for row in rows if row["seed"] == seed]
        table = [{k: v for k, v in row.items() if k != "events"} for row in chosen]
        (folder / "rows.csv").write_text(csv_text(table))
        keys = ["instance", "instance_sha256", "method", "events", *(["seed"] if seeds else [])]
        courses = [{key: row[key] for key in keys} | changes for row in chosen]
        (folder / "events.json").write_text(json.dumps(courses))
        return folder

    return written


def test_repetitions_are_told_apart_by_the_id_of_the_run(tmp_path, rows):
    again = [rows[0] | {"run_id": f"{i:x}" * 16, "events": [{"seconds": i}]} for i in (10, 11)]
    table = [{k: v for k, v in row.items() if k != "events"} for row in again]
    (tmp_path / "rows.csv").write_text(csv_text(table))
    (tmp_path / "events.json").write_text(json.dumps(again[::-1]))
    assert [r["events"] for r in read_stored(tmp_path)] == [[{"seconds": 10}], [{"seconds": 11}]]


@pytest.mark.parametrize("seeds", [False, True])
def test_each_row_gets_the_course_of_its_run(store, rows, seeds):
    folder = store(seeds=seeds)
    expected = [row for row in rows if row["seed"] == 0]
    for path in (folder, folder / "rows.csv"):
        found = read_stored(path)
        assert [row["events"] for row in found] == [row["events"] for row in expected]
        assert [row["total_s"] for row in found] == [row["total_s"] for row in expected]


def test_the_course_of_another_seed_is_not_taken(store):
    assert all(row["events"] for row in read_stored(store(seed=1, seeds=True))[:2])
    folder = store(seed=0)
    courses = json.loads((folder / "events.json").read_text())
    (folder / "events.json").write_text(json.dumps([course | {"seed": 7} for course in courses]))
    assert [row["events"] for row in read_stored(folder)] == [None] * 6


def test_without_events_there_are_rows(store):
    folder = store()
    (folder / "events.json").unlink()
    assert len(read_stored(folder)) == 6
    assert "events" not in read_stored(folder)[0]


def test_a_run_that_is_told_twice_is_refused(store):
    with pytest.raises(InputError, match=r"events\.json: /1: found exact on a a second time"):
        read_stored(store(method="exact", instance="a", instance_sha256="f" * 64))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "instance,method\n",
        "family,formulation\nsts,rsjs_gpu\n",
        "instance_sha256,method\na,b\n",
    ],
)
def test_other_files_are_refused(tmp_path, text):
    (tmp_path / "rows.csv").write_text(text)
    with pytest.raises(InputError, match="rows as `rsjs compare` writes them"):
        read_stored(tmp_path)
