import re
import shutil
import subprocess
import sys

import pandas as pd
import pytest

from rsjs.core.errors import InputError
from rsjs.reporting.tables import comparison
from rsjs.reporting.tables.comparison import COLUMNS
from rsjs.rows.csv import read_rows

SAME = {"changes", "late", "best_bound", "peak_memory_mb"}  # in all rows of the fixture
AWKWARD = r"a_b 50% & c|d #1 $x$ ~^\ {e} <f> [g] `h`"


def printed(rows, width):
    return comparison.shortened_table(rows).terminal(width).splitlines()


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_all_three_files_are_written_and_the_same_from_the_file(rows, tmp_path):
    written = comparison.write_all(rows, tmp_path / "new")
    assert [path.name for path in written] == ["rows.csv", "table.md", "table.tex"]
    assert sorted((tmp_path / "new").iterdir()) == sorted(written)
    before = [path.read_bytes() for path in written]
    again = comparison.write_all(read_rows(tmp_path / "new" / "rows.csv"), tmp_path / "new")
    assert [path.read_bytes() for path in again] == before


def test_pandas_reads_back_every_number_of_every_row(rows, tmp_path):
    path, *_ = comparison.write_all(rows, tmp_path)
    text = dict.fromkeys(("rsjs_version", "solver_version"), str)
    frame = pd.read_csv(path, dtype=text, keep_default_na=False)
    assert list(frame.columns) == list(rows[0])
    for found, row in zip(frame.to_dict("records"), rows, strict=True):
        for key, value in row.items():
            shown = "" if value is None else value
            read = found[key]
            assert (float(read) if isinstance(value, float) else read) == shown or (
                str(read) == str(shown)
            )


@pytest.mark.parametrize("name", ["[g] m", "*m", "a?" * 10 + "[4 threads]"])
def test_no_row_is_taken_for_an_argument_of_the_break_before_it(rows, tmp_path, name):
    for row in rows:
        row["method"] = name
    comparison.write_all(rows, tmp_path)
    text = (tmp_path / "table.tex").read_text()
    assert name[-2:] in text
    assert not re.search(r"\\\\\s*[\[*]", text)


@pytest.mark.parametrize(
    "message", ['two\nlines, "quoted"', "a\rb", "\r\n", "x" * 200_000], ids=[*"nrel"]
)
def test_our_own_reader_gives_the_rows_back(rows, tmp_path, message):
    rows[0] |= {"instance": "1e5", "message": message, "extra": 3}
    rows[1] |= {"instance": f"i{message}"}
    comparison.write_all(rows, tmp_path)
    assert read_rows(tmp_path / "rows.csv") == [{"extra": None} | row for row in rows]


def test_text_is_no_formula_of_a_spreadsheet_and_steers_no_terminal(rows, tmp_path):
    names = ["=1+1", "+a", "-b", "@c", "'=d", "'e", "f\x1b[31m"]
    rows = [rows[0] | {"instance": name, "energy": -1.5} for name in names]
    comparison.write_all(rows, tmp_path)
    first = [line.split(",")[0] for line in (tmp_path / "rows.csv").read_text().splitlines()[1:]]
    assert first == ["'=1+1", "'+a", "'-b", "'@c", "''=d", "'e", "f\x1b[31m"]
    found = read_rows(tmp_path / "rows.csv")
    assert [row["instance"] for row in found] == [*names[:6], r"f\x1b[31m"]
    assert {row["energy"] for row in found} == {-1.5}


def test_a_mark_of_the_byte_order_is_no_part_of_the_first_column(tmp_path):
    (tmp_path / "rows.csv").write_text("instance,seed\na,1\n", encoding="utf-8-sig")
    assert read_rows(tmp_path / "rows.csv") == [{"instance": "a", "seed": 1}]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"instance,seed\na,1\nb,1,2,3\n", "row 2: found 2 more fields than columns, expected 2"),
        (b"instance,seed\na,one\n", "row 1, seed: found 'one', expected a number"),
        (b"instance,seed\n\xff,1\n", "found byte 0xff at offset 14, expected UTF-8 text"),
    ],
)
def test_a_file_of_rows_that_is_none_is_told(tmp_path, data, told):
    path = tmp_path / "rows.csv"
    path.write_bytes(data)
    with pytest.raises(InputError) as error:
        read_rows(path)
    assert str(error.value).startswith(f"{path}: ")
    assert told in str(error.value)


def test_markdown_has_one_line_per_row_and_a_cell_per_column(rows):
    lines = comparison.table(rows).markdown().splitlines()
    table = [cells(line) for line in lines if line.startswith("|")]
    assert len(table) == 2 + len(rows)
    keys = [column.key for column in comparison.table(rows).columns]
    assert {len(line) for line in table} == {len(keys)}
    assert {*(column.key for column in COLUMNS)} - {*keys} == SAME
    exact, heuristic, nothing = (dict(zip(keys, line, strict=True)) for line in table[2:5])
    assert (exact["objective"], exact["gap_to_best"]) == ("13.9748", r"\<0.001")
    assert exact["executed"] == "3/4"
    assert heuristic["over_best"] == "2194"
    assert heuristic["gap_to_best"] == heuristic["bound"] == heuristic["build_s"] == "\N{EN DASH}"
    assert nothing["stop"] == "no solution (time limit)"
    assert nothing["objective"] == nothing["total_s"] == "\N{EN DASH}"


def test_awkward_names_do_not_break_tables(rows):
    rows[0] |= {"instance": AWKWARD, "method": AWKWARD, "status": "wrong", "message": AWKWARD}
    text = comparison.table(rows).markdown()
    table = [cells(line) for line in text.splitlines() if line.startswith("|")]
    assert len({len(line) for line in table}) == 1
    assert table[2][1] == "`` " + AWKWARD.replace("|", r"\|") + " ``"
    assert r"a\_b 50% \& c\|d \#1 \$x\$" in text.split("\n\n")[-1]
    text = comparison.latex(rows)
    assert r"a\_b 50\% \& c\textbar{}d \#1 \$x\$" in text
    body = re.sub(r"\\[%&#_${}]|%.*booktabs.*", "", text)
    assert not re.search(r"[#%]", body)
    lines = [line for line in body.splitlines() if line.endswith(r"\\")]
    assert {line.count("&") for line in lines} == {0, 12, 5}  # headings, costs, effort


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not here")
def test_latex_compiles_with_booktabs_only(rows, tmp_path):
    rows[0] |= {"instance": AWKWARD, "method": AWKWARD, "status": "wrong", "message": AWKWARD}
    comparison.write_all(rows, tmp_path)
    (tmp_path / "all.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs}\n"
        "\\begin{document}\\input{table.tex}\\end{document}\n"
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]


def test_long_latex_tables_are_split_between_instances(rows):
    many = [row | {"instance": f"x-{i}"} for i in range(20) for row in rows[:3]]
    text = comparison.latex(many)
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 4
    assert (text.count("(continued)"), text.count("greedy:code &")) == (2, 2 * 20)


def test_limits_seed_and_versions_stand_below_every_table_and_differences(rows):
    shown = " ".join(" ".join(printed(rows, 120)).split())
    for text in (comparison.table(rows).markdown(), comparison.latex(rows), shown):
        assert "Limits: 60 s, gap 0.0001, 1 thread, seed 0." in text
        assert "rsjs-bench 0.1.0, highs 1.14.0" in text
    rows[0]["time_limit"] = 8.0
    rows[1]["threads"] = 4
    for text in (comparison.table(rows).markdown(), comparison.latex(rows)):
        assert "LIMITS DIFFER between rows: 8 s (1 row) or 60 s (5 rows)" in text
        assert "1 thread (5 rows) or 4 threads (1 row)" in text


def test_the_longest_limit_is_told_as_none(rows):
    shown = comparison.conditions([row | {"time_limit": 1e7} for row in rows])[0]
    assert shown.startswith("Limits: no time limit of a run, gap 0.0001")


def test_wrong_rows_are_marked_and_explained(rows):
    rows[1] |= {"status": "wrong", "message": "claimed_objective: /objective: found 3"}
    markdown, latex = comparison.table(rows).markdown(), comparison.latex(rows)
    assert "**WRONG (iterations)**" in markdown
    assert r"- WRONG: greedy:code on jahani-N2-J4-s1: claimed\_objective" in markdown
    assert r"\textbf{\shortstack[l]{WRONG\\(iterations)}}" in latex
    assert "WRONG: greedy:code on jahani-N2-J4-s1" in latex
    lines = comparison.shortened_table(rows).terminal(100, colour=True).splitlines()
    marked = [line for line in lines if "\x1b[1;31m" in line]
    assert any("WRONG" in line and "greedy:code" in line for line in marked)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_terminal_tables_fit_their_width(rows, width):
    lines = printed(rows, width)
    assert max(len(line.rstrip()) for line in lines) <= width
    text = "\n".join(lines)
    assert text.count("13.9748") == text.count("2194") == 2  # cost, cost / best
    assert text.count("jahani_patterns@highs") == (2 if width >= 80 else 0)  # 0: folded
    assert "\N{HORIZONTAL ELLIPSIS}" not in text.split("\n", 1)[1]  # nothing is cut


def test_wider_terminals_show_more_columns(rows):
    shown = [
        len(comparison.shortened_table(rows).fitting(width)) for width in (60, 80, 100, 140, 250)
    ]
    assert (shown, shown[0], shown[-1]) == (
        sorted(shown),
        5,
        len(COLUMNS) - len(SAME),
    )
    rows[0]["method"] = "[red]x[/red]"
    assert any("[red]x[/red]" in line for line in printed(rows, 100))


def test_a_single_row_makes_a_table(rows):
    assert "13.9748" in comparison.table(rows[:1]).markdown()
    assert r"\begin{tabular}" in comparison.latex(rows[:1])
    lines = printed(rows[:1], 80)
    assert "jahani-N2-J4-s1" in lines[0]  # the only instance is the title
    assert any("13.9748" in line for line in lines)


@pytest.mark.parametrize(
    "make",
    [
        comparison.table,
        comparison.latex,
        comparison.shortened_table,
        lambda rows: comparison.write_all(rows, "."),
    ],
)
def test_no_rows_are_refused_in_one_line(make):
    with pytest.raises(InputError, match="found no rows, expected at least one run"):
        make([])


def test_rows_with_missing_keys_or_from_pandas_make_tables(rows):
    frame = pd.DataFrame(rows).to_dict("records")  # missing values are nan there
    for table in (frame, [{"instance": "x", "method": "y"}]):
        text = (
            comparison.table(table).markdown()
            + comparison.latex(table)
            + "\n".join(printed(table, 250))
        )
        assert not re.search(r"\b(nan|None|inf)\b", text)


def test_importing_tables_and_figures_loads_no_large_library():
    code = (
        "import sys; import rsjs.reporting.tables.comparison, rsjs.reporting.figures.runs\n"
        "print([m for m in ('pandas', 'matplotlib', 'rich', 'pyomo', 'highspy', 'ortools')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
