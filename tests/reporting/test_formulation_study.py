"""Tables and pictures of a study of formulations, from rows alone."""

import pytest

from rsjs.core.errors import InputError
from rsjs.reporting.figures import draw
from rsjs.reporting.figures.formulation_study import formulation_sizes
from rsjs.reporting.tables.formulation_study import (
    false_bounds,
    markdown,
    records,
    tables,
    told,
)
from rsjs.rows.csv import csv_text, read_rows


def row(formulation, *, nodes=2, solver="relaxation", **changes):
    relaxed = solver == "relaxation"
    made = {
        "family": "jahani",
        "formulation": formulation,
        "measure": "relaxation" if relaxed else "solve",
        "solver": solver,
        "instance": f"jahani-N{nodes}",
        "instance_sha256": f"{nodes:064d}",
        "nodes": nodes,
        "jobs": 10 * nodes,
        "method": f"{formulation}@{solver}",
        "stop": "iterations" if relaxed else "optimal",
        "status": "no_solution" if relaxed else "ok",
        "objective": None if relaxed else 10.0,
        "bound": 8.0 if relaxed else 10.0,
        "own_gap": None if relaxed else 0.0,
        "build_s": 0.5 * nodes,
        "handover_s": 0.25,
        "solve_s": 1.25,
        "total_s": 2.0,
        "peak_memory_mb": 120.0,
        "time_limit": 60.0,
        "gap_limit": 1e-4,
        "threads": 1,
        "seed": 1,
        "rsjs_version": "0.1.0",
        "solver_version": "1.13.1",
        "message": "",
        "rows": 40 * nodes,
        "columns": 50 * nodes,
        "nonzeros": 60 * nodes,
        "integers": 30,
        "search_nodes": None if relaxed else 7,
    }
    return {**made, **changes}


UNBUILT = {"stop": "time_limit", "bound": None, "handover_s": None, "solve_s": None}
UNBUILT |= dict.fromkeys(("rows", "columns", "nonzeros", "integers"))
ROWS = [
    row("literal"),
    row("literal", solver="highs", stop="time_limit", objective=12.0, bound=3.0, own_gap=0.75),
    row("patterns", bound=9.0),
    row("patterns", solver="highs"),
    row("literal", nodes=20, **UNBUILT),
    row("patterns", nodes=20, bound=90.0),
]


def test_the_root_gap_is_to_the_best_cost_of_any_row_of_the_instance():
    found = {(one.formulation, one.nodes): one for one in records(ROWS)}
    assert found["literal", 2].root_gap == pytest.approx(0.2)
    assert found["patterns", 2].root_gap == pytest.approx(0.1)
    assert found["patterns", 20].root_gap is None  # nothing was solved there
    assert found["literal", 20].root_gap is None
    wrong = row("patterns", solver="scip", objective=1.0, status="infeasible")
    assert records([*ROWS, wrong])[0].best == 10.0  # costs that failed the check do not count
    again = row("patterns", bound=9.5)
    found = {(one.formulation, one.nodes): one for one in records([*ROWS, again])}
    assert found["patterns", 2].bound == 9.5  # of several rows for the same, the last counts


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({}, "solved"),
        ({"stop": "time_limit", "bound": None}, "limit (time)"),
        ({"stop": "memory_limit", "bound": None}, "limit (memory)"),
        ({"stop": "error", "bound": None, "message": "m serves up to 4 nodes, not 5"}, "refused"),
        ({"stop": "error", "bound": None, "message": "MemoryError"}, "error"),
        ({"stop": "infeasible", "bound": None}, "infeasible"),
        ({"solver": "highs"}, "optimal"),
        ({"solver": "highs", "stop": "gap"}, "gap"),
    ],
)
def test_how_a_measurement_ended_is_told_in_a_word(changes, word):
    assert told(row("literal", **changes)) == word


def test_a_relaxation_above_a_cost_is_pointed_out():
    (line,) = false_bounds([*ROWS, row("patterns", bound=10.5)])
    assert line == "patterns on jahani-N2: relaxation 10.5 above a cost reached, 10"
    assert line in markdown([*ROWS, row("patterns", bound=10.5)])
    assert not false_bounds(ROWS)


def test_the_markdown_table_has_a_line_for_every_formulation_and_every_solve():
    lines = markdown(ROWS).splitlines()
    assert (
        "| jahani 2 x 20 | `literal` | 80 | 100 | 120 | 30 | 8.00000 | 20 | 1.00 | 0.250 | 1.00"
        " | 120 | solved |"
    ) in lines
    assert sum("limit (time)" in line and "jahani 20 x 200" in line for line in lines) == 1
    assert (
        "| jahani 2 x 20 | `literal` | highs | limit (time) | 12.0000 | 3.00000 | 75 | 7 | 2.00"
        " | 120 |"
    ) in lines
    assert "Limits: 60 s, gap 0.0001, 1 thread, seed 1.  " in lines


def test_stored_rows_give_the_same_table_and_picture(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(csv_text(ROWS))
    again = read_rows(path)
    assert markdown(again) == markdown(ROWS)
    first = draw.write(formulation_sizes(ROWS), tmp_path / "a.svg").read_bytes()
    assert draw.write(formulation_sizes(again), tmp_path / "b.svg").read_bytes() == first
    with pytest.raises(InputError, match="at least one relaxation"):
        formulation_sizes(ROWS[1:2])


def test_a_narrow_terminal_gets_fewer_columns():
    wide, narrow = ([table.fitting(width) for table in tables(ROWS)] for width in (200, 60))
    assert [len(columns) for columns in wide] == [13, 10]
    assert [column.heading for column in narrow[0]][:2] == ["instance", "formulation"]
    assert len(narrow[0]) < 13
    assert len(tables(ROWS[:1])) == 1  # nothing solved
