"""Rows as CSV and Parquet: declared types, and files of older versions."""

import random

import pytest

from rsjs.core.call import Limits
from rsjs.core.errors import InputError
from rsjs.instances.mig.gpus import gpu_named
from rsjs.instances.mig.placement import problem as placement
from rsjs.instances.mig.reconfiguration import problem as reconfiguration
from rsjs.rows import build
from rsjs.rows.columns import COLUMNS
from rsjs.rows.csv import csv_text, read_rows, write_all
from rsjs.runs import verified_run
from rsjs.runs.kinds.base import kind_of
from tests.by_hand import undeclared

VALUES = {
    str: ["1e5", "=1+1", "'=", "-", "None", "two\nlines", '"quoted", "text"', "ä"],
    float: [0.1, -1e-300, 1e22, 3],
    int: [0, -5, 2**53],
    bool: [True, False],
}


def some_row(rng):
    """A row with a value of its type, or none, in every column."""
    return {
        column.name: None if column.optional and rng.random() < 0.4 else rng.choice(values)
        for column in COLUMNS.values()
        for values in [VALUES[column.type]]
    }


def test_what_was_skipped_before_is_no_longer_there(tmp_path):
    rows = [some_row(random.Random(1))]
    write_all(rows, [{"instance": "a", "method": "m", "reason": "no solver"}], [], tmp_path)
    assert (tmp_path / "skipped.csv").exists()
    write_all(rows, [], [], tmp_path)
    assert not (tmp_path / "skipped.csv").exists()


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
def test_every_column_comes_back_with_its_type(name, tmp_path):
    rng = random.Random(1)
    rows = [some_row(rng) for _ in range(20)]
    for row in rows:
        row |= dict.fromkeys(("bound", "executed", "goal", "dirty"))  # without a single value
    course = {"run_id": "a", "events": [{"seconds": 1.0, "incumbent": 2.0, "bound": None}]}
    write_all(rows, [], [course], tmp_path)
    again = read_rows(tmp_path / name)
    assert again == rows
    assert undeclared(again) == set()


def test_a_parquet_column_without_a_value_has_its_type(tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    write_all([{"run_id": "a", "bound": None, "goal": None, "dirty": None}], [], [], tmp_path)
    types = {field.name: str(field.type) for field in pq.read_schema(tmp_path / "rows.parquet")}
    assert types == {"run_id": "string", "bound": "double", "goal": "string", "dirty": "bool"}
    events = {field.name: str(field.type) for field in pq.read_schema(tmp_path / "events.parquet")}
    assert events == {
        "run_id": "string",
        **dict.fromkeys(("seconds", "incumbent", "bound"), "double"),
    }


def test_a_parquet_column_of_another_type_is_named(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"instance": ["a"], "seed": ["one"]}), tmp_path / "rows.parquet")
    with pytest.raises(InputError, match=r"rows\.parquet: seed: found .*'one'"):
        read_rows(tmp_path / "rows.parquet")


def test_files_of_older_versions_call_the_own_gap_gap(tmp_path):
    (tmp_path / "rows.csv").write_text("instance,bound,gap\na,1.0,0.5\n")
    assert read_rows(tmp_path / "rows.csv") == [{"instance": "a", "bound": 1.0, "own_gap": 0.5}]
    (tmp_path / "jobs.csv").write_text("job,gap\n1,0.5\n")  # of another table
    assert read_rows(tmp_path / "jobs.csv") == [{"job": 1, "gap": 0.5}]


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("rows.csv", b"instance,dirty\na,1\n", "row 1, dirty: found '1', expected True or False"),
        ("rows.csv", b"bound\nnone\n", "row 1, bound: found 'none', expected a number"),
        ("rows.csv", b"bound\n1e400\n", "row 1, bound: found '1e400', expected a number"),
        ("rows.csv", b"bound\nnan\n", "row 1, bound: found 'nan', expected a number"),
        ("rows.csv", b"bound\n'-5\n", 'row 1, bound: found "\'-5", expected a number'),
        ("rows.csv", b"seed\n1_000\n", "row 1, seed: found '1_000', expected a number"),
        ("rows.csv", b"bound,seed,bound\n1,2,3\n", "header: found bound twice, expected each"),
        ("rows.parquet", b"instance\n", "expected rows as Parquet"),
    ],
)
def test_what_is_not_of_its_type_is_refused(name, data, told, tmp_path):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError) as error:
        read_rows(tmp_path / name)
    assert str(error.value).startswith(f"{tmp_path / name}: ")
    assert told in str(error.value)


@pytest.mark.process
@pytest.mark.parametrize(
    ("problem", "method"),
    [
        (placement.generate(gpu_named("A100-40"), "mixed", 5, 1), "ffd"),
        (reconfiguration.generate(gpu_named("A100-40"), 5, 1), "greedy"),
    ],
    ids=["placement", "reconfiguration"],
)
def test_rows_of_other_kinds_have_declared_columns(problem, method, tmp_path):
    found = verified_run.run(problem, kind_of(problem).request(method), Limits())
    (row,) = build.rows([found], Limits())
    assert row["status"] == "ok"
    assert undeclared([row]) == set()
    (tmp_path / "rows.csv").write_text(csv_text([row]))
    assert read_rows(tmp_path / "rows.csv") == [row]
