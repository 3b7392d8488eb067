"""
The pages that compare methods: the opening page, that of a family, and any two methods in a pair.

The opening page has who leads each family, a chart, the ranking, findings, and what was run; that
of a family its methods in order, all of its statistics, and its results by instance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from rsjs.reporting.figures.methods import figures, ranking
from rsjs.reporting.site.pages import FOLDER, Downloads, instance_url, method_url, runs_url
from rsjs.reporting.site.plots import Plot, embedded, figure_plot
from rsjs.reporting.site.report_data import Family, Material, footer, grouped, versions
from rsjs.reporting.site.run_table import has_nothing
from rsjs.reporting.statistics.ranks import TIE, rank_spread
from rsjs.reporting.statistics.tables import METHOD, summary_table
from rsjs.reporting.statistics.tidy import matrix
from rsjs.reporting.tables import formats, labels
from rsjs.reporting.tables.comparison import proving
from rsjs.reporting.tables.labels import shortened
from rsjs.reporting.tables.table import Column, Row, Table
from rsjs.rows.select import best_row, competing, failure, how_it_ended, is_best, known

OF_SECONDS = {
    "times": {"ran", "penalised", "intersection", "par10"},
    "anytime": {"primal", "primal_dual", "hit"},
}
PAIRS = ("pairs-by-time", "pairs-by-cost")
INSTANCE = ("instance", "instance_sha256", "nodes", "jobs")
EFFORT = (
    ("build [s]", "build_s", formats.measured),
    ("solve [s]", "solve_s", formats.measured),
    ("CPU [s]", "cpu_s", formats.measured),
    ("search nodes", "search_nodes", formats.count),
    ("iterations", "iterations", formats.count),
)
TESTED = ("wins", "ties", "losses", "better", "effect", "p", "holm")


def overview(
    material: Material, families: Sequence[Family], downloads: Downloads
) -> dict[str, Any]:
    """Return what the template `overview` needs."""
    plots = [
        replace(plot, title=family.name, note="", pdf=f"{FOLDER}/{family.name}-ranking.pdf")
        for family in families
        if (plot := ranking_plot(family)) is not None
    ]
    return {
        "material": material,
        "families": families,
        "plots": plots,
        "ranking": downloads.with_files(ranking_table(families), "overview"),
        "counts": counts(material),
        "outcomes": [
            replace(
                linked(family, family.tables["counts"]),
                title=f"Outcomes: {family.name}",
                id=f"outcomes-{family.name}",
                is_open=len(families) == 1,
            )
            for family in families
        ],
    }


def ranking_plot(family: Family) -> Plot | None:
    """Return the mean rank of the best methods with its 95 % interval; a click leads to each."""
    if len(family.analysis.ranked) < 2:
        return None
    figure = ranking(rank_spread(family.analysis.ranks_by_cost))
    plot = figure_plot(figure, family.styles, id=f"ranking-{family.name}")
    for trace in plot.data:
        trace["customdata"] = [method_url(trace["name"])]
    return plot


def ranking_table(families: Sequence[Family]) -> Table:
    """Return the ranked summary of families, with links to the pages of methods and their runs."""
    table = summary_table({family.name: family.analysis for family in families})
    return replace(
        table,
        footer=footer([row for family in families for row in family.rows]),
        link=lambda line, key: _to_runs(line, key, line["family"]),
        choices=frozenset({"family"}),
        shared=frozenset({"seconds"} if any(one.analysis.is_shared for one in families) else ()),
    )


def counts(material: Material) -> dict[str, int]:
    """Return how many runs are verified, make a false claim, failed, or have no solution."""
    found = Counter(row["quality"] for row in material.rows)
    failed = sum(bool(failure(row)) for row in material.rows)
    return {
        "verified": found["OPTIMAL_VERIFIED"] + found["FEASIBLE_VERIFIED"],
        "wrong": found["WRONG"],
        "failed": failed,
        "empty": sum(map(has_nothing, material.rows)) - failed,
    }


def linked(family: Family, table: Table) -> Table:
    """Return a table of methods whose cells lead to the runs of the family."""
    return replace(
        table,
        footer=family.footer,
        link=lambda line, key: _to_runs(line, key, family.name),
        shared=frozenset(OF_SECONDS.get(table.name, ()) if family.analysis.is_shared else ()),
    )


def _to_runs(line: Row, key: str, words: str) -> str:
    """Return the page of the method of a line, or its runs that have some words."""
    page = method_url(line["method"])
    return page if key == "method" else runs_url(page, words)


def of_family(family: Family, downloads: Downloads) -> dict[str, Any]:
    """Return what the template `family` needs; times in pairs are on the page of pairs."""
    is_shared, plots, pdf = family.analysis.is_shared, [], {}
    for figure in figures(family.analysis):
        name = figure.name
        pdf[name] = downloads.figure(f"{family.name}-{name}", figure, family.styles)
        more = {
            "note": family.analysis.unranked if name in ("gaps", "targets") else "",
            "is_shared": name == "targets" and is_shared,
        }
        plot = ranking_plot(family) if name == "ranking" else None
        plot = plot or figure_plot(figure, family.styles, **more)
        plots.append(replace(plot, id=f"{name}-{family.name}", pdf=pdf[name]))
    tables = [
        linked(family, table)
        for name, table in family.tables.items()
        if name not in (*PAIRS, "summary", "fairness")
    ]
    return {
        "family": family,
        "methods": grouped(family.rows, "method"),
        "instances": grouped(family.rows, "instance"),
        "ranking": downloads.with_files(ranking_table([family]), family.name),
        "results": downloads.with_files(results_table(family), family.name),
        "tables": [downloads.with_files(table, family.name) for table in tables],
        "plots": [plot for plot in plots if not plot.id.startswith("times-")],
        "pdf": pdf,
    }


def results_table(family: Family) -> Table:
    """Return one line per instance and method: least cost, gaps, how its runs ended, seconds."""
    rows: Sequence[Row] = family.rows
    lines: list[dict[str, Any]] = []
    for group in grouped(rows, "instance").values():
        best = best_row(group)
        for method, runs in grouped(competing(group), "method").items():
            own = best_row(runs)
            lines.append(
                {
                    **{key: runs[0][key] for key in INSTANCE},
                    "method": method,
                    "runs": len(runs),
                    "cost": None if own is None else own["objective"],
                    "over_best": None if own is None else own["over_best"],
                    **{key: _middle(runs, key) for key in ("own_gap", "total_s")},
                    "gap_to_best": _middle(proving(runs), "gap_to_best"),
                    "ended": ", ".join(dict.fromkeys(map(how_it_ended, runs))),
                    "best": own is not None and is_best(own, best),
                    "anchor": (own or runs[0])["anchor"],
                }
            )

    def link(line: Row, key: str) -> str:
        page = instance_url(line)
        return page if key in INSTANCE else runs_url(page, line["method"])

    note = (
        "Gaps are of runs that prove a bound. Gap to best: to the best bound of the instance; own"
        " gap: to that of the method."
    )
    if any(line["runs"] > 1 for line in lines):
        note += " Cost: the least of the runs; gaps and running time: their medians."
    return Table(
        name="results",
        title="Results by instance",
        columns=[
            Column("instance", "instance"),
            Column("nodes", "nodes", formats.count),
            Column("jobs", "jobs", formats.count),
            METHOD,
            Column("runs", "runs", formats.count),
            labels.column("cost", "cost", family.rows),
            Column("over_best", "cost / best", formats.ratio),
            Column("gap_to_best", "gap to best", formats.percent, unit="%"),
            Column("own_gap", "own gap", formats.percent, unit="%"),
            Column("ended", "ended"),
            Column("total_s", "running time", formats.measured, unit="s"),
        ],
        rows=lines,
        notes=[note],
        footer=family.footer,
        link=link,
        mark=lambda line, key: "best" if key == "cost" and line["best"] else "",
        choices=frozenset({"instance", "method"}),
        shared=frozenset({"total_s"} if family.analysis.is_shared else ()),
    )


def _middle(runs: Sequence[Row], key: str) -> float | None:
    """Return the median over the runs that tell a value; None if none does."""
    found = [row[key] for row in runs if known(row, key) is not None]
    return median(found) if found else None


def pairwise(families: Sequence[Family], downloads: Downloads) -> dict[str, Any]:
    """Return what the template `pairwise` needs: counts, tests, values problem by problem."""
    several = [family for family in families if len(family.summary) > 1]

    def link(line: Row, key: str) -> str:
        names = {"one": "one", "losses": "one", "other": "other", "wins": "other"}
        return method_url(line[names[key]]) if key in names else ""

    tables = [
        downloads.with_files(
            replace(
                table,
                title=f"{family.name}: {table.title.lower()}",
                id=f"{family.name}-{name}",
                footer=family.footer,
                link=link,
                is_open=False,
            ),
            family.name,
        )
        for family in several
        for name, table in family.tables.items()
        if name in PAIRS
    ]
    return {
        "families": [family.name for family in several],
        "data": embedded({family.name: _pairs(family) for family in several}),
        "tables": tables,
        "tie": f"{100 * TIE:g} %",
    }


def _pairs(family: Family) -> dict[str, Any]:
    """
    Return what the page computes with.

    values: measure -> method -> one number for each problem, None where it failed or was not run;
    pairs: measure -> the numbers of TESTED for each pair, as `statistics.ranks` orders them;
    effort: method -> the medians of EFFORT over its runs and its versions, as text.
    """
    runs, is_shared = family.analysis.runs, family.analysis.is_shared
    matrices = {"cost": matrix(runs, "objective")}
    if not is_shared:
        matrices["time"] = family.analysis.times
    pairs = {measure: family.tables[f"pairs-by-{measure}"] for measure in matrices}
    problems = matrices["cost"].index
    pages = {row["instance"]: instance_url(row) for row in family.rows}
    common, short = shortened([name for name, *_ in problems])
    return {
        "methods": family.summary.index.tolist(),
        "pages": {name: method_url(name) for name in family.summary.index},
        "common": common,
        "problems": [f"{short[name]}, seed {seed}" for name, seed, _ in problems],
        "places": [pages[name] for name, *_ in problems],
        "values": {
            measure: {name: table[name].tolist() for name in family.summary.index}
            for measure, table in matrices.items()
        },
        "notes": {measure: " ".join(table.notes) for measure, table in pairs.items()},
        "effort": {name: _effort(rows) for name, rows in grouped(family.rows, "method").items()},
        "labels": [*(label for label, _, _ in EFFORT), "version"],
        "shared": is_shared,
        "pairs": {
            measure: {
                f"{line['one']}\n{line['other']}": [float(line[key]) for key in TESTED]
                for line in table.rows
            }
            for measure, table in pairs.items()
        },
    }


def _effort(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the medians over the runs that tell them, and the versions of solver and package."""
    found = [(_middle(rows, key), show) for _, key, show in EFFORT]
    texts = [formats.MISSING if value is None else show(value) for value, show in found]
    told = [f"{word} {' and '.join(found)}" for word, found in versions(rows).items() if found]
    return [*texts, ", ".join(told) or formats.MISSING]
