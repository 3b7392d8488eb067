from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from rsjs.instances.errors import InputError
from rsjs.reporting import figures

Draw = Callable[[Path], Path]

SIGNATURES = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
NAMES = ["occupancy", "gap_over_time", "cost_split"]


@pytest.fixture
def draw(rows: Any, runs: Any, decide: Any) -> dict[str, Draw]:
    instance, solution = decide(3, [(0, 2), (0, "half"), (0, "quarter"), (1, 4), None], spare=1)
    return {
        "occupancy": lambda path: figures.occupancy(instance, solution, path),
        "gap_over_time": lambda path: figures.gap_over_time(runs, path),
        "cost_split": lambda path: figures.cost_split(rows, path),
    }


def texts(path: Path) -> list[str]:
    root = ElementTree.parse(path).getroot()
    return ["".join(element.itertext()).strip() for element in root.iter() if "text" in element.tag]


@pytest.mark.parametrize("suffix", SIGNATURES)
@pytest.mark.parametrize("name", NAMES)
def test_every_format_is_written_with_the_same_bytes_each_time(
    draw: dict[str, Draw], name: str, suffix: str, tmp_path: Path
) -> None:
    first, second = (draw[name](tmp_path / f"{i}.{suffix}").read_bytes() for i in range(2))
    assert first.startswith(SIGNATURES[suffix])
    assert first == second


@pytest.mark.parametrize("name", NAMES)
def test_another_suffix_is_refused_and_nothing_is_written(
    draw: dict[str, Draw], name: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=r"expected a picture's suffix: \.png, \.svg, \.pdf"):
        draw[name](tmp_path / "picture.jpg")
    assert list(tmp_path.iterdir()) == []


def test_gap_curves_name_methods_once_and_what_has_no_gap(
    draw: dict[str, Draw], tmp_path: Path
) -> None:
    shown = texts(draw["gap_over_time"](tmp_path / "gap.svg"))
    for name in ("jahani_patterns@highs", "greedy:code", "gap to its own bound", "N2-J4"):
        assert shown.count(name) == 1
    assert shown.count("(no gap: jahani_literal@highs)") == 2
    assert "gap to the best bound [%]" in shown
    assert "wall-clock time [s]" in shown
    assert "\N{LESS-THAN OR EQUAL TO} 0.001" in shown


def test_cost_bars_name_terms_totals_and_missing_solutions(
    draw: dict[str, Draw], tmp_path: Path
) -> None:
    shown = texts(draw["cost_split"](tmp_path / "cost.svg"))
    for name in ("energy", "idle", "tardiness", "postponement", "N2-J4", "N10-J40"):
        assert shown.count(name) == 1
    for name in ("greedy:code", "13.9748", "30657.9", "no solution (time limit)"):
        assert shown.count(name) == 2


def test_cost_bars_mark_wrong_rows(rows: Any, tmp_path: Path) -> None:
    rows[0]["status"] = "wrong"
    shown = texts(figures.cost_split(rows, tmp_path / "cost.svg"))
    assert "13.9748  WRONG" in shown


def test_occupancy_names_jobs_nodes_and_totals(draw: dict[str, Draw], tmp_path: Path) -> None:
    shown = texts(draw["occupancy"](tmp_path / "occupancy.svg"))
    assert {"j0", "j1", "j3"} <= set(shown)
    assert "j4" not in shown  # postponed
    assert any(line.startswith("4 of 5 jobs run (2 on shares) on 2 of 3 nodes") for line in shown)
    assert "time to completion [h]" in shown


@pytest.mark.parametrize("nodes", [1, 12, 13, 100])
def test_occupancy_draws_few_and_many_nodes(decide: Any, nodes: int, tmp_path: Path) -> None:
    instance, solution = decide(nodes, [(node, 3) for node in range(nodes)])
    shown = texts(figures.occupancy(instance, solution, tmp_path / "many.svg"))
    assert sum(text.startswith("j") for text in shown) == nodes


def test_an_empty_decision_is_drawn(decide: Any, tmp_path: Path) -> None:
    instance, solution = decide(2, [None, None], spare=2)
    assert figures.occupancy(instance, solution, tmp_path / "empty.png").exists()


@pytest.mark.parametrize("made", [figures.gap_over_time, figures.cost_split])
def test_no_rows_are_refused(made: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected at least one run to draw"):
        made([], tmp_path / "none.png")


def test_runs_without_any_solution_are_drawn(runs: Any, rows: Any, tmp_path: Path) -> None:
    empty = [run | {"events": [], "best_bound": None} for run in runs]
    assert figures.gap_over_time(empty, tmp_path / "gap.png").exists()
    assert figures.cost_split(rows[2:3], tmp_path / "cost.png").exists()


def test_dollar_signs_in_names_are_no_mathematics(rows: Any, runs: Any, tmp_path: Path) -> None:
    for entry in (*rows, *runs):
        entry["method"] = r"a$\b"
    assert r"a$\b" in texts(figures.cost_split(rows, tmp_path / "cost.svg"))
    assert r"a$\b" in texts(figures.gap_over_time(runs, tmp_path / "gap.svg"))


def test_pictures_leave_no_global_state_behind(draw: dict[str, Draw], tmp_path: Path) -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    draw["cost_split"](tmp_path / "cost.png")
    assert dict(matplotlib.rcParams) == before


def test_pictures_do_without_pyplot(tmp_path: Path) -> None:
    code = (
        "import sys; from rsjs.reporting.figures import cost_split\n"
        "cost_split([{'instance': 'x', 'method': 'y', 'objective': 1.0, 'energy': 1.0}],"
        f" {str(tmp_path / 'cost.png')!r})\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
