"""The table and the picture of a study of formulations, from rows alone."""

import pytest

from rsjs.reporting.figures import draw
from rsjs.reporting.figures.claim import formulation_sizes
from rsjs.reporting.tables.comparison import formulations, latex
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
    def gaps(rows):
        return {(one["method"], one["nodes"]): one["root_gap"] for one in formulations(rows).rows}

    found = gaps(ROWS)
    assert found["literal@relaxation", 2] == pytest.approx(0.2)
    assert found["patterns@relaxation", 2] == pytest.approx(0.1)
    assert found["patterns@relaxation", 20] is None  # nothing was solved there
    assert found["literal@relaxation", 20] is None
    wrong = row("patterns", solver="scip", objective=1.0, status="infeasible")
    assert gaps([*ROWS, wrong])["literal@relaxation", 2] == pytest.approx(0.2)  # failed the check


def test_a_relaxation_above_a_cost_is_pointed_out():
    told = "bound 10.5 above a cost reached, 10"
    false = row("patterns", bound=10.5, status="wrong", message=told)
    line = f"WRONG: patterns@relaxation on jahani-N2: {told}"
    assert formulations([*ROWS, false]).footnotes[0] == line


def test_the_markdown_table_has_a_line_for_every_formulation_and_every_solve():
    lines = formulations(ROWS).markdown().splitlines()
    dash = "\N{EN DASH}"
    assert (
        "| `jahani-N2` | `literal@relaxation` | bound | 100 | 30 | 80 | 120"
        f" | {dash} | 8.00000 | 20 | 1.00 | 0.250 | 1.25 | 2.00 | {dash} | 120 |"
    ) in lines
    assert sum("no solution (time limit)" in line and "`jahani-N20`" in line for line in lines) == 1
    assert (
        "| `jahani-N2` | `literal@highs` | time limit | 100 | 30 | 80 | 120"
        " | 12.0000 | 3.00000 | 70 | 1.00 | 0.250 | 1.25 | 2.00 | 7 | 120 |"
    ) in lines
    assert "Limits: 60 s, gap 0.0001, 1 thread, seed 1.  " in lines
    assert r"\toprule" in latex(ROWS, formulations)


def test_stored_rows_give_the_same_table_and_picture(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(csv_text(ROWS))
    again = read_rows(path)
    assert formulations(again).markdown() == formulations(ROWS).markdown()
    first = draw.write(formulation_sizes(ROWS), tmp_path / "a.svg").read_bytes()
    assert draw.write(formulation_sizes(again), tmp_path / "b.svg").read_bytes() == first


def test_a_narrow_terminal_gets_fewer_columns():
    wide, narrow = (formulations(ROWS).fitting(width) for width in (250, 80))
    assert (len(wide), [column.key for column in narrow][:2]) == (16, ["instance", "method"])
    assert len(narrow) < 16
