"""Tables say something in each cell, and keep the order in which the campaign lists the methods."""

import re
from pathlib import Path

import pytest

from rsjs.comparison import Comparison
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.tables import tables
from rsjs.rows.csv import read_rows
from rsjs.rows.select import method_places, ordered

ROOT = Path(__file__).parents[2]
ROWS = read_rows(ROOT / "results" / "heuristics" / "rows.csv")
NAMES = ("method", "instance", "against")  # heads of columns of names


def says_nothing(text):
    """The cells of Markdown tables that are at least 99 %, or equal in all of a column."""
    found = []
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        lines = [re.split(r"(?<!\\)\|", line)[1:-1] for line in table.splitlines()]
        heads, _, *rows = [[cell.strip() for cell in line] for line in lines]
        for head, *cells in zip(heads, *rows, strict=True):
            share = "%" in head and "gap" in head
            if len(cells) > 1 and head not in NAMES and len({*cells}) == 1:
                found += [(head, cell) for cell in cells]
            found += [(head, cell) for cell in cells if share and cell[:3] in ("99.", "100")]
    return found


def test_what_says_nothing_is_found():
    text = "| method | gap [%] | a |\n| :-- | --: | --: |\n| x | 99.9 | 1 |\n| y | 2.00 | 1 |\n"
    assert says_nothing(text) == [("gap [%]", "99.9"), ("a", "1"), ("a", "1")]


def test_each_cell_of_the_heuristics_page_says_something():
    page = (ROOT / "docs" / "results" / "heuristics.md").read_text("utf-8")
    assert page.count("\n| :--- |") == 4  # tables
    assert says_nothing(page) == []


@pytest.mark.parametrize("family", ["jahani", "sts"])
def test_each_cell_of_a_comparison_of_heuristics_says_something(family):
    rows = [r for r in ROWS if r["instance"].startswith(family) and "@" not in r["method"]]
    made = Comparison(rows=rows)
    shown = (made.summary(), made.table(), *tables(Analysis(rows=rows))[2:3])
    assert [table.name for table in shown] == ["summary", "comparison", "costs"]
    assert says_nothing("\n".join(table.markdown() for table in shown)) == []


def test_what_is_the_same_for_all_is_told_in_a_sentence():
    rows = [row for row in ROWS if row["method"] in ("edf:paper", "greedy:paper")]
    made = Comparison(rows=rows).summary()
    assert {"Each run found a solution.", "No run solved its problem."} <= {*made.notes}
    assert not {"verified", "solved"} & {column.key for column in made.columns}
    kiros = [row for row in ROWS if row["instance"].startswith("kiros")]
    proved = {name: {**row, "method": name} for name in "ab" for row in kiros[:1]}
    gaps = next(one for one in tables(Analysis(rows=[*proved.values()])) if one.name == "gaps")
    assert gaps.notes[-1].startswith("a, b: gaps 1; ")
    assert (gaps.cells, gaps.csv().count("\n"), "| :--- |" in gaps.markdown()) == ([], 3, False)
    assert r"\begin" not in gaps.latex()
    assert gaps.terminal().count("\n") < 10


def _run(instance, method):
    return {"instance": instance, "instance_sha256": instance * 64, "method": method}


def test_methods_keep_the_campaigns_order_however_the_rows_are_sorted():
    served = {"z": "ij", "m": "j", "a": "ij"}  # in the campaign's order: m does not serve i
    by_method = [_run(name, method) for method, names in served.items() for name in names]
    by_instance = sorted(by_method, key=lambda row: row["instance"])
    assert [*method_places(by_method)] == [*method_places(by_instance)] == [*served]
    assert [row["method"] for row in ordered(by_method)] == ["z", "a", "z", "m", "a"]
    apart = [_run("i", "b"), _run("j", "a"), _run("k", "a"), _run("k", "b")]
    assert [*method_places(apart)] == ["a", "b"]
    against = [_run("i", "a"), _run("i", "b"), _run("j", "b"), _run("j", "a")]
    assert [*method_places(against)] == ["a", "b"]  # two campaigns that contradict each other


def test_tables_but_the_ranked_one_stand_in_the_campaigns_order():
    rows = [row for row in ROWS if row["instance"].startswith("kiros")]
    campaign = list(dict.fromkeys(row["method"] for row in rows))
    assert campaign[:3] == ["rsjs_sifting@highs", "rsjs_nodes@highs", "fifo:paper"]
    ranked, *others = tables(Analysis(rows=rows))
    assert [line["method"] for line in ranked.rows] != campaign
    for table in others:
        if table.name in ("counts", "costs", "times", "anytime"):
            assert [line["method"] for line in table.rows] == campaign
