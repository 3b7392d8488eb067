"""
The rankings of a board: what is ranked, with which intervals, and where each cell leads.

What is ranked is told above each ranking. A cell leads to the results of its method there, a line
for each problem, and each of these to its run on the page of the instance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

from rsjs.reporting.figures.methods import ranking as ranking_figure
from rsjs.reporting.site.board_data import TRACK, BoardSet, Ranking
from rsjs.reporting.site.comparison_pages import results_table
from rsjs.reporting.site.pages import Downloads, instance_url, method_url, run_url, runs_url
from rsjs.reporting.site.plots import Plot, figure_plot
from rsjs.reporting.statistics.ranks import rank_spread
from rsjs.reporting.statistics.tables import METHOD, count_table, simulation_table, summary_table
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.formats import counted
from rsjs.reporting.tables.table import Column, Row, Table
from rsjs.rows.select import known

RULE = (
    "Methods are ranked by cost over the best-known cost: by the mean gap to it, in which a run"
    " without a verified solution counts 100 %. Only runs of one source with equal limits and"
    " options are ranked with each other, and only methods that ran on all of its problems."
    " Every cost is the checker's."
)
OF_MODELS = (
    "Solvers are compared on the same model files, among runs of one source with equal limits: by"
    " the mean gap to the least cost that any of them reached, in which a run without a verified"
    " solution counts 100 %. An answer is wrong if its solution fails the check, or its bound is"
    " above a cost that is known to be reached."
)
UNTIMED = (
    "Seconds are shown in grey, marked †, and rank nothing: not all of these runs had a machine to"
    " themselves, or the rows do not tell."
)
NONE_WRONG = "No answer of these runs is known to be wrong."
MOST_BYTES = 2_000_000  # of the rows of a table on a page
FEW_CELLS = 2_000  # of a table that is not split


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a page."""

    tables: Sequence[Table]
    plots: Sequence[Plot] = ()
    title: str = ""
    id: str = ""
    unfair: Sequence[str] = ()  # findings that favour a method
    other: Sequence[str] = ()  # and those that do not


def ends_text(low: str, high: str, show: Callable[[float], str]) -> Callable[[Row], str]:
    """Return what writes an interval of two columns; "" where there is none."""

    def text(line: Row) -> str:
        ends = [known(line, key) for key in (low, high)]
        return "" if None in ends else f"{show(ends[0])} to {show(ends[1])}"

    return text


RANKS = (
    Column("rank_mean", "mean rank", "{:.2f}".format),
    Column("rank_low", "95 %", text=ends_text("rank_low", "rank_high", formats.count)),
    Column("gap_mean", "gap to best cost, mean", formats.percent, unit="%"),
    Column("gap_low", "95 %", text=ends_text("gap_low", "gap_high", formats.percent), unit="%"),
)
TIMES = (
    Column("penalised", "time to solve, mean", formats.measured, unit="s"),
    Column(
        "ratio_low",
        "ratio to least, 95 %",
        text=ends_text("time_low", "time_high", formats.measured),
    ),
)


def split(table: Table) -> list[Table]:
    """Return a table in parts of at most `MOST_BYTES` of HTML, in one if it fits."""
    if len(table.rows) * len(table.columns) < FEW_CELLS:
        return [table]
    starts, size = [0], 0
    for i, row in enumerate(table.rows):
        size += (bytes_of_row := len(table.html_row(row).encode()))
        if size > MOST_BYTES and i > starts[-1]:
            starts.append(i)
            size = bytes_of_row
    if len(starts) == 1:
        return [table]
    parts = []
    for start, end in pairwise([*starts, len(table.rows)]):
        note = f"Lines {start + 1} to {end} of {len(table.rows)}."
        parts.append(replace(table, rows=table.rows[start:end], notes=[note, *table.notes]))
    return parts


def part_url(url: str, place: int) -> str:
    """
    Return the page of a part, from 0, of a table that begins on some page.

    >>> part_url("sets/tiny.html", 0), part_url("sets/tiny.html", 1)
    ('sets/tiny.html', 'sets/tiny-part2.html')
    """
    return url if place == 0 else f"{url.removesuffix('.html')}-part{place + 1}.html"


def numbered(url: str, count: int) -> list[tuple[str, str]]:
    """Return number and page of each part of a table; nothing of a single one."""
    return [(str(i + 1), part_url(url, i)) for i in range(count)] if count > 1 else []


def results_url(one: BoardSet, place: int) -> str:
    """Return the page with the results behind a ranking of a set."""
    return f"sets/{one.name}-results{place + 1}.html"


def ranking_table(one: BoardSet, place: int, parts: Mapping[str, str]) -> Table:
    """Return a ranking with intervals; `parts` has the page with the results of each method."""
    ranking = one.rankings[place]
    analysis, family = ranking.family.analysis, ranking.family
    summary = summary_table({"": analysis})
    more = analysis.gap_intervals().to_dict("index")
    times = analysis.means() if ranking.is_timed else None
    rows = []
    for line in summary.rows:
        own = {**line, **more.get(line["method"], {})}
        if times is not None:
            found = times.loc[line["method"]]
            own |= {"penalised": found["penalised"]}
            own |= {"time_low": found["ratio_low"], "time_high": found["ratio_high"]}
        rows.append(own)
    columns = [*(summary.columns or [METHOD])]  # none is left where all are equal
    first = 1 + max(i for i, one in enumerate(columns) if one.key in ("method", "rank"))
    columns[first:first] = RANKS if len(analysis.ranked) > 1 else RANKS[2:]
    columns += TIMES if times is not None else ()
    may_lack = {one.key for one in (*RANKS, *TIMES)}
    kept = [
        column
        for column in columns
        if column.key not in may_lack or any(column.cell(row) != column.missing for row in rows)
    ]

    def link(line: Row, key: str) -> str:
        method = str(line["method"])
        return method_url(method) if key == "method" else parts.get(method, "")

    notes = [*summary.notes, "95 %: bootstrap, instances, then seeds, are drawn again."]
    notes += [] if ranking.is_timed or analysis.is_shared else [UNTIMED]
    if ranking.repeated:
        told = counted(ranking.repeated, "earlier run")
        notes.append(f"{told} of a method on a problem not counted: the last one is.")
    return replace(
        summary,
        name=f"ranking{place + 1}",
        title="Ranking",
        columns=kept,
        rows=rows,
        notes=notes,
        footer=family.footer,
        link=link,
        shared=frozenset() if ranking.is_timed else frozenset({"seconds"}),
    )


def seconds_table(ranking: Ranking, place: int) -> Table:
    """Return the running time of each solver on each model, a line per model."""
    rows = {(str(row["instance"]), str(row["method"])): row for row in ranking.family.rows}
    methods = sorted({method for _, method in rows})

    def text(line: Row, method: str) -> str:
        row = rows.get((line["instance"], method))
        if row is None or row["quality"] == "WRONG":
            return "" if row is None else "WRONG"
        seconds = line[method]
        return f"> {row['time_limit']:g}" if seconds is None else formats.measured(seconds)

    def link(line: Row, key: str) -> str:
        row = rows.get((line["instance"], key))
        return line["url"] if key == "instance" else run_url(row) if row else ""

    lines: dict[str, dict[str, Any]] = {}
    for (name, method), row in rows.items():
        line = lines.setdefault(name, {"instance": name, "url": instance_url(row)})
        line[method] = known(row, "total_s") if row["quality"] == "OPTIMAL_VERIFIED" else None
    return Table(
        name=f"seconds{place + 1}",
        title="Running time to the proof of an optimum",
        columns=[
            Column("instance", "model"),
            *(
                Column(one, one, unit="s", text=partial(text, method=one), align="right")
                for one in methods
            ),
        ],
        rows=[*lines.values()],
        notes=["To the gap that each run was asked for; > limit: not proved, in whatever time."],
        link=link,
        mark=lambda line, key: "bad" if key in methods and text(line, key) == "WRONG" else "",
        shared=frozenset() if ranking.is_timed else frozenset(methods),
    )


def result_parts(one: BoardSet, place: int) -> tuple[list[Table], dict[str, str]]:
    """Return the results behind a ranking in parts, and the place of those of each method."""
    ranking = one.rankings[place]
    order = {name: i for i, name in enumerate(ranking.family.summary.index)}
    table = results_table(ranking.family)
    columns = [column for column in table.columns if column.key != "method"]
    columns = [METHOD, *columns, Column("anchor", "run")]
    table = replace(
        table,
        title="Results, by method",
        columns=columns,
        rows=sorted(table.rows, key=lambda line: order.get(line["method"], len(order))),
        link=_to_run,
        choices=frozenset({"method"}),
        shared=frozenset() if ranking.is_timed else frozenset({"total_s"}),
    )
    parts = split(table.without_constants())
    places: dict[str, str] = {}
    for i, part in enumerate(parts):
        for line in part.rows:
            method = str(line["method"])
            places.setdefault(method, _words(part_url(results_url(one, place), i), method))
    return parts, places


def _words(page: str, method: str) -> str:
    return runs_url(page, method).replace("#runs=", "#results=")


def _to_run(line: Row, key: str) -> str:
    """Return where a line of results leads: by its name, its cost or its run."""
    if key not in ("instance", "cost", "anchor"):
        return ""
    several = key == "cost" and line["runs"] > 1
    return runs_url(instance_url(line), line["method"]) if several else run_url(line)


def ranking_section(
    one: BoardSet, place: int, parts: Mapping[str, str], downloads: Downloads
) -> Section:
    """Return the part of a page with a ranking, the first of its tables: see `ranking_table`."""
    ranking = one.rankings[place]
    analysis, name = ranking.family.analysis, f"{one.name}-{place + 1}"
    table = ranking_table(one, place, parts)
    counts = replace(count_table(analysis), link=table.link, is_open=one.name == TRACK)
    tables = [table, replace(counts, title="How the runs ended", name=f"counts{place + 1}")]
    if (scores := simulation_table(analysis.ordered)) is not None:
        scores = replace(scores, name=f"scores{place + 1}", title="Cost over the bound")
        tables.insert(1, replace(scores, link=table.link, footer=table.footer))
    if one.kind == "models":
        told = "" if any(row["quality"] == "WRONG" for row in ranking.family.rows) else NONE_WRONG
        tables[1] = replace(tables[1], notes=[*tables[1].notes, *filter(None, [told])])
        tables.append(seconds_table(ranking, place))
    plots = []
    if len(analysis.ranked) > 1:
        figure = ranking_figure(rank_spread(analysis.ranks_by_cost))
        plots.append(figure_plot(figure, ranking.family.styles, id=f"{name}-rank"))
    return Section(
        title=f"{ranking.source}: {ranking.conditions}",
        id=f"conditions{place + 1}",
        unfair=[found.message for found in ranking.findings if found.unfair],
        other=[found.message for found in ranking.findings if not found.unfair],
        tables=[downloads.with_files(table, name) for table in tables],
        plots=plots,
    )
