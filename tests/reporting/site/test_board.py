"""The board: what is ranked with what, where cells lead, and that no name harms a page."""

import csv
import json
import re

import pytest

from rsjs.cli.main import main
from rsjs.instances.io.files import write_bytes
from rsjs.instances.library.sets import library_set
from rsjs.reporting.site import board_rankings
from rsjs.reporting.site.board_data import board_data
from rsjs.reporting.site.board_rankings import part_url, split
from rsjs.reporting.tables.table import Column, Table
from rsjs.rows.csv import csv_text
from tests.reporting.site.conftest import SOURCE, made_row
from tests.reporting.site.test_site import Page, facts, runs_that_links_lead_to

LONG = "a-long-name-of-an-instance-" * 6


def page(board, pattern):
    [path] = board.glob(pattern)
    return path.read_text("utf-8")


def table(text, name):
    """The texts of the cells of a table, row by row."""
    body = re.search(rf'<section class="table" id="{name}">.*?</section>', text, re.DOTALL)[0]
    rows = re.findall(r"<tr>(<td.*?)</tr>", body)
    return [
        [re.sub("<[^>]+>", "", cell) for cell in re.findall("<td[^>]*>(.*?)</td>", r)] for r in rows
    ]


@pytest.fixture(scope="module")
def found(results):
    return board_data(results, results / "none")


def test_runs_of_unequal_limits_or_sources_are_never_in_one_ranking(found):
    for one in found.sets:
        for ranking in one.rankings:
            assert {row["source"] for row in ranking.family.rows} == {ranking.source}
            [limit] = {row["time_limit"] for row in ranking.family.rows}
            assert ranking.conditions.startswith(f"{limit:g} s, ")
    [tiny] = [one for one in found.sets if one.name == "tiny"]
    told = [(one.source, len(one.family.rows), one.conditions[:4]) for one in tiny.rankings]
    assert told == [(SOURCE, 16, "10 s"), (SOURCE, 4, "20 s")]


def test_costs_and_bounds_of_other_options_or_wrong_answers_are_not_mixed(tmp_path):
    row = {**made_row("workload", (2, 10), "rule:x", 0), "own_gap": None}
    told = {"{}": (100.0, 90.0), '{"energy":"node"}': (200.0, 199.0)}
    rows = [
        {
            **row,
            "simulation": options,
            "run_id": f"{i:016x}",
            "objective": cost,
            "bound": bound,
        }
        for i, (options, (cost, bound)) in enumerate(told.items())
    ]
    rows.append({**rows[0], "run_id": "f" * 16, "status": "wrong", "bound": 120.0})
    write_bytes(csv_text(rows).encode(), tmp_path / "mine" / "rows.csv")
    [one] = board_data(tmp_path, tmp_path / "none").subjects
    assert (one.cost, one.bound, one.word) == (100.0, 90.0, "open")


def test_only_seconds_of_exclusive_timing_are_ranked(found, board):
    timed = {one.name: [ranking.is_timed for ranking in one.rankings] for one in found.sets}
    assert timed["tiny"] == [True, True]
    assert timed["of-no-set-plain"] == [False]  # the rows do not tell
    exclusive, unknown = (page(board, f"sets/{name}.html") for name in ("tiny", "of-no-set-plain"))
    assert "time to solve" in exclusive
    assert "time to solve" not in unknown
    assert board_rankings.UNTIMED in unknown
    assert (
        'class="n shared"' not in re.search('id="ranking1">.*?</section>', exclusive, re.DOTALL)[0]
    )


def test_costs_are_compared_with_the_best_known_values_of_the_results(board):
    lines = table(page(board, "sets/tiny-results1.html"), "results")
    heads = re.findall(r"<th[^>]*>(.*?)</th>", page(board, "sets/tiny-results1.html"))
    place = [re.sub("<[^>]+>", "", head) for head in heads].index("cost / best")
    ratios = {line[0]: {line[place]} for line in lines}
    assert ratios["exact@highs (1.13)"] == {"1"}  # 20 $, as in the values that the fixture writes
    assert ratios["rule:x"] == {"1.01"}


def test_each_version_of_a_solver_is_a_method_of_its_own(board):
    methods = {line[0] for line in table(page(board, "sets/tiny.html"), "ranking1")}
    assert {"exact@highs (1.13)", "exact@highs (1.15)", "rule:x"} < methods
    assert len([*board.glob("methods/exact-highs-1-1*.html")]) == 2


def test_the_status_of_an_instance_says_who_found_and_who_confirmed_it(board):
    text = page(board, "sets/tiny.html")
    status = {line[0]: line for line in table(text, "status")}
    first, second, third, fourth = (status[one.name] for one in library_set("tiny").members)
    assert [line[3] for line in (first, second, third, fourth)] == [
        "confirmed", "closed", "open", "closed",
    ]  # fmt: skip
    assert "another@scip 9" in first
    assert "exact@highs (1.13)" in fourth  # no value but those of its runs
    assert "another@scip 9" not in second
    assert {"2026-01-02", "2026-02-02"} & {*third} == {"2026-02-02"}
    assert "exact@highs 1.15" in third  # what proved its bound
    assert "campaign made up" in third  # who found its cost, not a run
    assert first[6] == "20.0000"


def test_the_history_of_an_instance_is_drawn_step_by_step(board):
    name = library_set("tiny").members[2].name
    text = page(board, f"instances/{name[:20]}*{name[-5:]}-*.html")
    values = [line[:3] for line in table(text, "history")]
    assert values == [
        ["cost", "20.0", "2026-02-02"], ["cost", "22.0", "2026-01-02"],
        ["bound", "15.0", "2026-02-02"], ["bound", "10.0", "2026-01-02"],
    ]  # fmt: skip
    plot = json.loads(re.search(r'<script type="application/json">(.*?)</script>', text)[1])
    assert [(one["name"], one["y"]) for one in plot["data"]] == [
        ("cost", [22, 20, 20]),
        ("bound", [10, 15, 15]),
    ]


def test_every_link_leads_to_a_file_and_every_anchor_to_a_run_or_a_place(board):
    assert runs_that_links_lead_to(board) > 50


def test_a_ranking_leads_to_results_and_these_to_runs_that_can_be_repeated(board):
    text = page(board, "sets/tiny.html")
    line = re.search(r"<tr><td[^>]*><a [^>]*>rule:x</a></td>.*?</tr>", text)[0]
    [target] = {*re.findall(r'href="\.\./(sets/[^"]*)"', line)}
    assert target == "sets/tiny-results1.html#results=rule%3Ax"
    lines = table(page(board, "sets/tiny-results1.html"), "results")
    assert sum(row[0] == "rule:x" for row in lines) == 4
    member = library_set("tiny").members[0]
    [script] = board.glob(f"data/{member.name[:30]}*.js")
    run = next(one for one in facts(script)["runs"].values() if one["title"].startswith("rule:x"))
    assert run["command"].splitlines()[0] == "rsjs fetch-set tiny -o instances"
    assert f"rsjs solve instances/{member.name}.json.gz --method rule:x" in run["command"]


def test_solvers_are_compared_on_models_and_a_bound_above_a_known_cost_is_wrong(board):
    lines = {line[0]: line for line in table(page(board, "sets/solver-track.html"), "counts1")}
    assert {*lines} == {"highs 7", "scip 7"}
    heads = re.findall(r"<th[^>]*>([^<]*)", page(board, "sets/solver-track.html"))
    assert "Wrong" in heads
    [results] = board.glob("sets/solver-track-results1.html")
    wrong = [row[0] for row in table(results.read_text(), "results") if "WRONG" in str(row)]
    assert wrong == ["scip 7"]
    [line] = table(page(board, "sets/solver-track.html"), "seconds1")
    assert line[1:] == ["&gt; 10", "WRONG"]


def test_a_folder_without_rows_of_runs_is_named_and_left_out(board):
    told = {line[0]: line[1:] for line in table(page(board, "sources.html"), "sources")}
    assert told["means"] == ["0", "no rows of single runs: no column instance_sha256"]


def test_submissions_are_shown_with_credit_and_an_unrepeated_run_proves_nothing(board):
    [line] = table(page(board, "submissions.html"), "submissions")
    assert line[0] == "jahani/mine"
    assert "equal" in line
    assert "run, not repeated: not proved" in line
    assert 'href="javascript' not in page(board, "submissions.html")
    name = library_set("tiny").members[0].name
    for pattern in ("sets/tiny.html", f"instances/{name[:30]}*.html"):
        assert len(table(page(board, pattern), "submissions")) == 1


def test_hostile_names_are_text_in_pages_scripts_and_files(board):
    told = 0
    for path in board.rglob("*.html"):
        text = path.read_text("utf-8")
        told += "window.harmed" in text
        assert "<script>window.harmed" not in text
        assert not {"b", "i"} & {*Page(path).tags}
    assert told > 10
    for path in board.glob("data/*.js"):
        assert "<" not in path.read_text("utf-8")
    cells = 0
    for path in board.glob("downloads/*.csv"):
        with path.open(newline="") as lines:
            for cell in (cell for row in csv.reader(lines) for cell in row):
                cells += "window.harmed" in cell
                assert not re.match(r"[=+@]|-(?![\d.])", cell), (path, cell)
    assert cells > 0
    assert {path.name for path in board.iterdir()} >= {"index.html", "sets", "assets"}
    for path in board.rglob("*"):
        assert re.fullmatch(r"[A-Za-z0-9_.-]+", path.name)


def test_the_same_results_give_the_same_bytes_and_replace_the_board_before(results, tmp_path):
    def files():
        every = (path for path in (tmp_path / "site").rglob("*") if path.is_file())
        return {path.relative_to(tmp_path): path.read_bytes() for path in every}

    arguments = ["board", "--results", str(results), "-o", str(tmp_path / "site")]
    assert main(arguments) == 0
    before = files()
    (tmp_path / "site" / "more.html").write_text("")
    assert main(arguments) == 0
    assert files() == before


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--results", "nowhere"], "nowhere: found no folder, expected a folder of results"),
        (["--results", "."], "found neither, expected rows of runs, */rows.csv"),
        (
            ["--results", ".", "--submissions", "nowhere"],
            "nowhere: found no folder, expected one with submissions",
        ),
    ],
)
def test_without_data_one_line_says_what_is_missing(arguments, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["board", *arguments, "-o", "site"]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1
    assert not [*tmp_path.iterdir()]


def test_a_folder_with_other_files_is_left_alone(results, tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("mine")
    assert main(["board", "--results", str(results), "-o", str(tmp_path)]) == 2
    assert "a folder with other files" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(("lines", "parts"), [(0, 1), (10, 1), (60_000, 9)])
def test_a_long_table_is_on_several_pages_none_of_them_large(lines, parts):
    columns = [Column("instance", "instance"), Column("i", "place")]
    rows = [{"instance": LONG, "i": i} for i in range(lines)]
    made = split(Table(columns=columns, rows=rows, link=lambda row, key: "page.html"))
    assert [row["i"] for part in made for row in part.rows] == [*range(lines)]
    assert len(made) == parts
    assert all(len(part.html("../").encode()) < 2_500_000 for part in made)
    assert len({part_url("a.html", i) for i in range(parts)}) == parts
