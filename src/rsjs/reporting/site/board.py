"""
The board: a static site of stored rows and best-known values, written page by page.

It shares templates, tables, figures and files with the report of a campaign, see `build`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from rsjs.bks import storage
from rsjs.core.errors import InputError, described
from rsjs.reporting.site import board_pages
from rsjs.reporting.site.board_data import KNOWN, TRACK, Board, board_data
from rsjs.reporting.site.board_pages import content
from rsjs.reporting.site.board_rankings import (
    Section,
    numbered,
    part_url,
    ranking_section,
    result_parts,
    results_url,
    split,
)
from rsjs.reporting.site.board_status import status_table, submissions_table
from rsjs.reporting.site.build import placed, refuse, write_assets, write_mark
from rsjs.reporting.site.pages import (
    Downloads,
    PageWriter,
    instance_slug,
    method_url,
    page_writer,
    run_url,
    slug,
)
from rsjs.reporting.site.run_table import facts_script
from rsjs.reporting.tables.table import Table

SUBMISSIONS = "submissions"
TITLE = "rsjs-bench board"
NAVIGATION = (
    ("Overview", "index.html"),
    ("Instances", "instances.html"),
    ("Methods", "methods.html"),
)
OF_SETS = ("Solver track", TRACK), ("Online track", "online")  # where the board has them


def results_here() -> Path:
    """Return the folder of results in the working folder, or else that of the source tree."""
    return storage.known_here().parent


def write_board(results: Path, folder: Path, submissions: Path | None = None) -> dict[str, Any]:
    """
    Write the board of a folder of results; return what `build.placed` returns, and counts.

    Submissions are those of a folder, by default of that beside the results. InputError for results
    that are none, and for a folder with other files.
    """
    refuse(folder)
    if submissions is not None and not submissions.is_dir():
        expected = "one with submissions, FAMILY/NAME/"
        raise InputError("", described("no folder"), expected, submissions)
    with storage.reading(results / KNOWN):
        board = board_data(results, submissions or results.parent / SUBMISSIONS)
        made = placed(folder, partial(_write, board))
    counts = {"runs": len(board.rows), "instances": len(board.subjects), "sets": len(board.sets)}
    return made | counts


def _write(board: Board, root: Path) -> dict[str, Any]:
    downloads = Downloads(root)
    sets = {one.name: one.url for one in board.sets}
    tracks = [(label, sets[name]) for label, name in OF_SETS if name in sets]
    links = [*NAVIGATION, *tracks, ("Submissions", "submissions.html"), ("Sources", "sources.html")]
    write = page_writer(root, TITLE, "rsjs board", links)
    rows = [row for one in board.subjects for row in one.rows]
    write_assets(root, rows)
    runs = {row["anchor"]: run_url(row) for row in reversed(rows)}  # not those of models
    lines = _write_sets(board, runs, write, downloads)
    _write_instances(board, sets, runs, write, root)
    _write_methods(board, lines, write, downloads)
    every = downloads.with_files(status_table(board.subjects, "instances", runs), "board")
    page = content("Instances", [], lead=["Every instance with runs or best-known values."])
    _write_parts(write, "instances.html", every, page)
    submitted = downloads.with_files(submissions_table(board.subjects), "board")
    told = "Costs and bounds that others reached, each checked before it is shown here."
    lead = [told if submitted.rows else f"{told} There is none yet."]
    _write_parts(write, "submissions.html", submitted, content("Submissions", [], lead=lead))
    write("index.html", "board", board_pages.opening_page(board, downloads))
    write("sources.html", "board", board_pages.sources_page(board))
    write_mark(root, TITLE, board.rows)
    return {}


def _write_parts(write: PageWriter, url: str, table: Table, page: Mapping[str, Any]) -> None:
    """Write a page that ends with a table, with a page for each further part of it."""
    parts = split(table)
    for i, part in enumerate(parts):
        own = page if i == 0 else content(page["heading"], [])
        sections = [*own["sections"], Section(tables=[part])]
        more = {"sections": sections, "parts": numbered(url, len(parts))}
        write(part_url(url, i), "board", {**own, **more})


def _write_sets(
    board: Board, runs: Mapping[str, str], write: PageWriter, downloads: Downloads
) -> dict[str, list[dict[str, Any]]]:
    """Write the pages of sets and the results behind their rankings; return lines by method."""
    lines: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in board.sets:
        places = []
        for i in range(len(one.rankings)):
            tables, found = result_parts(one, i)
            places.append(found)
            for k in range(len(tables)):
                page = board_pages.results_page(one, i, tables, k)
                write(part_url(results_url(one, i), k), "board", page)
        sections = [ranking_section(one, i, found, downloads) for i, found in enumerate(places)]
        for i, found in enumerate(places):
            own = board_pages.method_lines(one, i, sections[i].tables[0], found)
            for method, line in own.items():
                lines[method].append(line)
        status = downloads.with_files(status_table(one.members, "status", runs), one.name)
        _write_parts(write, one.url, status, board_pages.set_page(one, sections))
    return lines


def _write_instances(
    board: Board,
    sets: Mapping[str, str],
    runs: Mapping[str, str],
    write: PageWriter,
    root: Path,
) -> None:
    for one in board.subjects:
        name = instance_slug({"instance": one.name, "instance_sha256": one.sha256})
        page = board_pages.instance_page(one, sets, runs, board.last)
        page |= {"dialog": name if one.rows else ""}
        table = board_pages.runs_of(one)
        if table is None:
            write(one.url, "board", page)
        else:
            _write_parts(write, one.url, table, page)
            (root / "data" / f"{name}.js").write_text(facts_script(name, one.rows), "utf-8")


def _write_methods(
    board: Board,
    lines: Mapping[str, list[dict[str, Any]]],
    write: PageWriter,
    downloads: Downloads,
) -> None:
    """Write a page per method, of its rankings, and the list of all."""
    groups = defaultdict(list)
    for one in board.subjects:
        for row in one.rows:
            groups[str(row["method"])].append(row)
    for method, rows in groups.items():
        page = board_pages.method_page(method, rows, lines[method], downloads, slug(method))
        write(method_url(method), "board", page)
    table = board_pages.methods_table(groups, lines)
    table = downloads.with_files(table, "board")
    lead = ["A method that ran with several versions of its solver is listed with each."]
    _write_parts(write, "methods.html", table, content("Methods", [], lead=lead))
