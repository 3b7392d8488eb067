"""The one table: narrow terminals, lists, nothing heavy to import."""

import subprocess
import sys

import pytest

from rsjs.reporting.tables import formats
from rsjs.reporting.tables.table import Column, Table

ROWS = [
    {"method": "greedy:code?restarts=100", "gap": 0.012, "message": "a longer remark on the run"},
    {"method": "exact", "gap": None, "message": None},
]
COLUMNS = [
    Column("method", "method"),
    Column("gap", "own gap", formats.percent, unit="%"),
    Column("message", "message", rank=1),
]


def test_columns_of_a_high_rank_give_way_and_then_text_is_folded():
    table = Table(columns=COLUMNS, rows=ROWS)
    assert [len(table.fitting(width)) for width in (30, 80)] == [2, 3]
    for width in (20, 30, 80):
        lines = table.terminal(width).splitlines()
        assert max(map(len, lines)) <= width
        assert "".join(line.split(" ")[0] for line in lines[3:]).startswith("greedy:code?restarts=")


@pytest.mark.parametrize(
    ("columns", "told"), [(1, "remark 0"), (7, "remark 4, remark 5, 1 more"), (0, None)]
)
def test_columns_without_room_are_named(columns, told):
    more = [Column("message", f"remark {i}", rank=1 + i) for i in range(columns)]
    lines = Table(columns=[*COLUMNS[:2], *more], rows=ROWS).terminal(30).splitlines()
    note = " ".join(lines).partition("A wider terminal also shows: ")[2]
    assert note.endswith(f"{told}.") if told else not note


def test_a_list_is_printed_as_it_is_and_steers_no_terminal():
    columns = [Column("0", "name"), Column("1", "jobs")]
    rows = [{"0": "a\x1b[31m", "1": 3}, {"0": "bc", "1": 12}]
    text = Table(title="Things", columns=columns, rows=rows).terminal()
    assert text.splitlines()[0] == "Things"
    assert "\x1b" not in text
    assert text.splitlines()[-1].split() == ["bc", "12"]


@pytest.mark.parametrize("rows", [ROWS, []])
def test_every_writer_takes_a_table_with_and_without_rows(rows):
    table = Table(name="t", title="T", columns=COLUMNS, rows=rows, notes=["100 % of a_b"])
    assert table.csv().splitlines()[0] == "method,gap,message"
    assert table.markdown(2).startswith("## T\n\n")
    assert table.latex().count(r"\begin{tabular}") == bool(rows)
    assert table.html().count("<tr>") == len(rows)
    assert "100 % of a_b" in table.terminal()


def test_importing_and_printing_a_table_loads_no_large_library():
    code = (
        "import sys; from rsjs.reporting.tables.table import Column, Table\n"
        "Table(columns=[Column('a', 'a')], rows=[{'a': 'b'}]).terminal()\n"
        "print([m for m in ('pandas', 'rich', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
