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
from rsjs.reporting.site.pages import Downloads, instance_url, method_url, runs_url
from rsjs.reporting.site.plots import SHARED_NOTE, Plot, embedded, figure_plot
from rsjs.reporting.site.report_data import Family, Material, footer, grouped, versions
from rsjs.reporting.site.run_table import has_nothing
from rsjs.reporting.statistics.pairwise import TIE
from rsjs.reporting.statistics.ranks import rank_spread
from rsjs.reporting.statistics.tables import METHOD, named
from rsjs.reporting.statistics.tidy import matrix
from rsjs.reporting.tables import formats, labels
from rsjs.reporting.tables.labels import shortened, status_word
from rsjs.reporting.tables.table import Column, Row, Table
from rsjs.rows.select import best_row, competing, failure, how_it_ended, is_best, known

OUTCOMES = (  # what a run has, then how it ended
    *("OPTIMAL_VERIFIED", "FEASIBLE_VERIFIED", "INFEASIBLE_CLAIMED", "NO_SOLUTION", "WRONG"),
    *("FINISHED", "TIMEOUT", "MEMOUT", "OUTPUT_LIMIT", "SOLVER_ERROR", "CRASH"),
    "SKIPPED",
)
MARKS = {"WRONG": "bad", "NO_SOLUTION": "warn", "CRASH": "warn", "SOLVER_ERROR": "warn"}
ROUNDING = 1e-9
OF_SECONDS = {
    "times": {"ran", "penalised", "intersection", "par10"},
    "anytime": {"primal", "primal_dual", "hit"},
}
PAIRS = ("pairs-by-cost", "pairs-by-time")
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
    plots = [(ranking_plot(family), family.name) for family in families]
    return {
        "families": families,
        "headlines": [headline(family) for family in families],
        "plots": [replace(plot, title=name, note="") for plot, name in plots if plot is not None],
        "ranking": downloads.with_files(ranking_table(families), "overview"),
        "counts": counts(material),
        "outcomes": downloads.with_files(_outcomes(material), "overview"),
        "campaigns": sorted({str(row["campaign"]) for row in material.rows if row.get("campaign")}),
    }


def headline(family: Family) -> dict[str, Any]:
    """Return who leads a family, who is next, and at how many times the cost (None: unknown)."""
    found = family.summary[~family.summary["unranked"]]
    if len(found) < 2:
        return {"family": family.name, "leaders": []}
    first, rest = found.iloc[0], found[found["rank"] > 1]
    ratio = None if rest.empty else rest.iloc[0]["cost_ratio"] / first["cost_ratio"]
    return {
        "family": family.name,
        "leaders": found.index[found["rank"] == 1].tolist(),
        "best": int(first["best"]),
        "problems": int(first["problems"]),
        "mean_rank": first["rank_mean"],
        "methods": len(found),
        "next": None if rest.empty else rest.index[0],
        "ratio": ratio if ratio == ratio else None,
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
    """Return the ranked methods of families: rank, n of N, cost / best, gap, running time."""
    rows = [
        {
            **line,
            "family": family.name,
            **{
                f"{key}_of": f"{line[key]:.0f} of {line['problems']:.0f}"
                for key in ("verified", "solved", "best")
            },
        }
        for family in families
        for line in named(family.summary)
    ]
    columns = [
        METHOD,
        *([Column("family", "family")] if len(families) > 1 else []),
        Column("rank", "rank", formats.count),
        Column("rank_mean", "mean rank", "{:.1f}".format),
        Column("verified_of", "with solution", align="right"),
        Column("solved_of", "within gap limit", align="right"),
        Column("best_of", "best cost", align="right"),
        Column("cost_ratio", "cost / best", ratio_text),
        Column("primal_mean", "primal gap, mean", formats.percent, unit="%"),
        Column("ran", "running time, mean", formats.measured, unit="s"),
    ]
    unranked = [family.analysis.unranked for family in families if family.analysis.unranked]
    return Table(
        name="ranking",
        title="Ranking",
        columns=columns,
        rows=rows,
        notes=[
            "Rank: by mean primal gap, to the best cost of all runs, where a run without a solution"
            " counts 100 %; methods that were not run on all problems have none. Mean rank: when"
            " instances and seeds are drawn again. Cost / best: geometric mean over the solutions."
            f" Running time: shifted geometric mean, shift {families[0].analysis.shift:g} s.",
            *(unranked if len(families) == 1 else []),
        ],
        footer=footer([row for family in families for row in family.rows]),
        link=lambda row, key: _to_runs(row, key, row["family"]),
        mark=lambda row, key: "best" if key == "method" and row["rank"] == 1 else "",
        choices=frozenset({"family"}),
        shared=frozenset({"ran"} if any(one.analysis.is_shared for one in families) else ()),
    )


def ratio_text(ratio: float) -> str:
    """
    Return a ratio of costs, never 1 for what is above it.

    >>> ratio_text(1.0), ratio_text(1.000001), ratio_text(1.00004), ratio_text(23.4)
    ('1', '<1.00001', '1.00004', '23.4')
    """
    if ratio < 1 + ROUNDING:
        return "1"
    return "<1.00001" if ratio < 1.000005 else formats.significant(ratio, 3 if ratio >= 1.01 else 6)


def counts(material: Material) -> dict[str, int]:
    """Return how many runs there are, verified, failed, without a solution, and not carried out."""
    rows = material.rows
    found = Counter(row["quality"] for row in rows)
    failed = sum(bool(failure(row)) for row in rows)
    return {
        "runs": len(rows),
        "verified": found["OPTIMAL_VERIFIED"] + found["FEASIBLE_VERIFIED"],
        "wrong": found["WRONG"],
        "failed": failed,
        "empty": sum(map(has_nothing, rows)) - failed,
        "skipped": len(material.skipped),
        "missing": len(material.missing),
        "instances": len(grouped(rows, "instance_sha256")),
        "methods": len(grouped(rows, "method")),
    }


def _outcomes(material: Material) -> Table:
    """Counts come before any mean: what runs have, and how they ended."""
    skipped = Counter(row["method"] for row in material.skipped)
    groups = grouped(material.rows, "method")
    lines = []
    for name in dict.fromkeys([*groups, *skipped]):
        group = groups.get(name, [])
        found = Counter(row["quality"] for row in group)
        found.update(row["ended"].partition("(")[0] for row in group)
        found["SKIPPED"] = skipped[name]
        lines.append(
            {"method": name, "runs": len(group), **{word: found[word] for word in OUTCOMES}}
        )
    words = [word for word in OUTCOMES if any(line[word] for line in lines)]

    def link(line: Row, key: str) -> str:
        if line["method"] not in groups or key == "SKIPPED":
            return "failures.html#skipped"
        return _to_runs(line, key, "" if key == "runs" else status_word(key))

    return Table(
        name="outcomes",
        title="Outcomes",
        columns=[
            METHOD,
            Column("runs", "runs", formats.count),
            *(Column(word, status_word(word), formats.count) for word in words),
        ],
        rows=lines,
        notes=[
            "What a run has and how it ended are told apart: one that hit its limit may have a"
            " verified solution. Verified: confirmed by the checker, never by the method itself."
        ],
        footer=footer(material.rows),
        link=link,
        mark=lambda line, key: MARKS.get(key, "") if line[key] else "zero",
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
        shared = name == "targets" and is_shared
        left = family.analysis.unranked if name in ("gaps", "targets") else ""
        note = f"{left} {SHARED_NOTE if shared else ''}".strip()
        plot = ranking_plot(family) if name == "ranking" else None
        plot = plot or figure_plot(figure, family.styles, note=note, is_shared=shared)
        if name != "times":
            plots.append(replace(plot, id=f"{name}-{family.name}", pdf=pdf[name]))
    tables = [
        replace(
            table,
            footer=family.footer,
            link=lambda line, key: _to_runs(line, key, family.name),
            shared=frozenset(OF_SECONDS.get(name, ()) if is_shared else ()),
        )
        for name, table in family.tables.items()
        if name not in (*PAIRS, "fairness")
    ]
    return {
        "family": family,
        "ranking": downloads.with_files(ranking_table([family]), family.name),
        "results": downloads.with_files(results_table(family), family.name),
        "tables": [downloads.with_files(table, family.name) for table in tables],
        "plots": plots,
        "pdf": pdf,
    }


def results_table(family: Family) -> Table:
    """Return one line per instance and method: least cost, gaps, how its runs ended, seconds."""
    lines = [
        _result(runs, best)
        for group in family.instances.values()
        for best in [best_row(group)]
        for runs in grouped(competing(group), "method").values()
    ]

    def link(line: Row, key: str) -> str:
        page = instance_url(line)
        return page if key in ("instance", "nodes", "jobs") else runs_url(page, line["method"])

    note = "Gap to best: to the best bound of the instance; own gap: to that of the method."
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
            Column("gap_to_best", "gap to best", formats.percent, unit="%"),
            Column("own_gap", "own gap", formats.percent, unit="%"),
            Column("ended", "ended"),
            Column("ran", "running time", formats.measured, unit="s"),
        ],
        rows=lines,
        notes=[note],
        footer=family.footer,
        link=link,
        mark=lambda line, key: "best" if key == "cost" and line["best"] else "",
        choices=frozenset({"instance", "method"}),
        shared=frozenset({"ran"} if family.analysis.is_shared else ()),
    )


def _result(runs: Sequence[Row], best: Row | None) -> dict[str, Any]:
    first, own = runs[0], best_row(runs)
    return {
        **{key: first[key] for key in ("instance", "instance_sha256", "nodes", "jobs", "method")},
        "runs": len(runs),
        "cost": None if own is None else own["objective"],
        "gap_to_best": _middle(runs, "gap_to_best"),
        "own_gap": _middle(runs, "own_gap"),
        "ended": ", ".join(dict.fromkeys(map(how_it_ended, runs))),
        "ran": _middle(runs, "total_s"),
        "best": own is not None and is_best(own, best),
    }


def _middle(runs: Sequence[Row], key: str) -> float | None:
    """Return the median over the runs that tell a value; None if none does."""
    found = [row[key] for row in runs if known(row, key) is not None]
    return median(found) if found else None


def pairwise(families: Sequence[Family], downloads: Downloads) -> dict[str, Any]:
    """Return what the template `pairwise` needs: counts, tests, values problem by problem."""
    several = [family for family in families if len(family.compared) > 1]

    def link(line: Row, key: str) -> str:
        names = {"one": "one", "losses": "one", "other": "other", "wins": "other"}
        return method_url(line[names[key]]) if key in names else ""

    tables = [
        (
            family.name,
            replace(
                family.tables[name],
                title=f"{family.name}: {family.tables[name].title.lower()}",
                id=f"{family.name}-{name}",
                footer=family.footer,
                link=link,
                is_open=False,
            ),
        )
        for family in several
        for name in PAIRS
        if name in family.tables
    ]
    return {
        "families": [family.name for family in several],
        "data": embedded({family.name: _pairs(family) for family in several}),
        "tables": [downloads.with_files(table, name) for name, table in tables],
        "tie": f"{100 * TIE:g} %",
    }


def _pairs(family: Family) -> dict[str, Any]:
    """
    Return what the page computes with.

    values: measure -> method -> one number for each problem, None where it failed or was not run;
    pairs: measure -> the numbers of TESTED for each pair, as `statistics.pairwise` orders them;
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
