"""Any two methods set against each other: counts, tests, and their values problem by problem."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from rsjs.reporting.site.downloads import Downloads
from rsjs.reporting.site.families import Family, grouped, versions
from rsjs.reporting.site.family_page import middle
from rsjs.reporting.site.pages import instance_url, method_url
from rsjs.reporting.site.plots import embedded
from rsjs.reporting.statistics import measures
from rsjs.reporting.statistics.pairwise import TIE
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.labels import shortened
from rsjs.reporting.tables.table import Row

EFFORT: Sequence[tuple[str, str, Callable[[float], str]]] = (
    ("build [s]", "build_s", formats.measured),
    ("solve [s]", "solve_s", formats.measured),
    ("CPU [s]", "cpu_s", formats.measured),
    ("search nodes", "search_nodes", formats.count),
    ("iterations", "iterations", formats.count),
)
TESTED = ("wins", "ties", "losses", "better", "effect", "p", "holm")


def content(families: Sequence[Family], downloads: Downloads) -> dict[str, Any]:
    """Return what the template `pairwise` needs."""
    several = [family for family in families if len(family.compared) > 1]
    tables = [
        replace(
            family.tables[name],
            title=f"{family.name}: {family.tables[name].title.lower()}",
            id=f"{family.name}-{name}",
            footer=family.footer,
            link=_link,
            is_open=False,
        )
        for family in several
        for name in ("pairs-by-cost", "pairs-by-time")
        if name in family.tables
    ]
    return {
        "families": [family.name for family in several],
        "data": embedded({family.name: _data(family) for family in several}),
        "tables": [downloads.with_files(table, table.id.partition("-")[0]) for table in tables],
        "tie": f"{100 * TIE:g} %",
    }


def _link(line: Row, key: str) -> str:
    if key in ("one", "losses"):
        return method_url(line["one"])
    return method_url(line["other"]) if key in ("other", "wins") else ""


def _data(family: Family) -> dict[str, Any]:
    """
    Return what the page computes with.

    values: measure -> method -> one number for each problem, None where it failed or was not run;
    pairs: measure -> the numbers of TESTED for each pair, as `statistics.pairwise` orders them;
    effort: method -> the medians of EFFORT over its runs and its versions, as text.
    """
    runs = family.analysis.runs
    matrices = {"cost": measures.matrix(runs, runs["objective"])}
    if not family.is_shared:
        matrices["time"] = family.analysis.times
    pairs = {measure: family.tables[f"pairs-by-{measure}"] for measure in matrices}
    problems = matrices["cost"].index
    pages = {row["instance"]: instance_url(row) for row in family.rows}
    common, short = shortened([name for name, *_ in problems])
    return {
        "methods": family.summary.index.tolist(),
        "pages": {name: method_url(name) for name in family.compared},
        "common": common,
        "problems": [f"{short[name]}, seed {seed}" for name, seed, _ in problems],
        "places": [pages[name] for name, *_ in problems],
        "values": {
            measure: {name: table[name].tolist() for name in family.compared}
            for measure, table in matrices.items()
        },
        "notes": {measure: " ".join(table.notes) for measure, table in pairs.items()},
        "effort": {name: _effort(rows) for name, rows in grouped(family.rows, "method").items()},
        "labels": [*(label for label, _, _ in EFFORT), "version"],
        "shared": family.is_shared,
        "pairs": {
            measure: {
                f"{line['one']}\n{line['other']}": [float(line[key]) for key in TESTED]
                for line in table.rows
            }
            for measure, table in pairs.items()
        },
    }


def _effort(rows: Sequence[Row]) -> list[str]:
    """Return the medians over the runs that tell them, and the versions of solver and package."""
    found = [(middle(rows, key), show) for _, key, show in EFFORT]
    texts = [formats.MISSING if value is None else show(value) for value, show in found]
    told = [f"{word} {' and '.join(found)}" for word, found in versions(rows).items() if found]
    return [*texts, ", ".join(told) or formats.MISSING]
