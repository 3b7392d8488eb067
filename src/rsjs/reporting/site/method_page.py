"""The page of a method: what it ran with, what it reached everywhere, how it kept its limits."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rsjs.reporting.figures.figure_style import COLOURS
from rsjs.reporting.figures.runs import FLOOR
from rsjs.reporting.site.downloads import Downloads
from rsjs.reporting.site.families import grouped
from rsjs.reporting.site.family_plots import SHARED_NOTE
from rsjs.reporting.site.footer import footing
from rsjs.reporting.site.overview_page import ENDS, QUALITIES
from rsjs.reporting.site.plots import Plot, Trace, axes
from rsjs.reporting.site.run_tables import run_table
from rsjs.reporting.site.urls import family_page, run_place
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.labels import shortened, status_word
from rsjs.reporting.tables.table import Column, Table
from rsjs.rows.select import are_shared, known

MOST_VALUES = 6  # of an option, told one by one

Row = Mapping[str, Any]


def content(name: str, rows: Sequence[Row], slug: str, downloads: Downloads) -> dict[str, Any]:
    """What the template `method` needs."""
    options = _options(rows)
    plots = [_gaps(rows), _seconds(rows)]
    return {
        "name": name,
        "families": [(word, family_page(word)) for word in grouped(rows, "family")],
        "facts": list(_facts(rows)),
        "runs": downloads.with_files(run_table(rows, "instance", "Runs"), slug),
        "options": downloads.with_files(options, slug) if options.rows else None,
        "plots": [plot for plot in plots if plot is not None],
    }


def _facts(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    yield "runs", str(len(rows))
    for key, words in (("quality", QUALITIES), ("ended", ENDS)):
        found = [row[key].partition("(")[0] for row in rows]
        yield (
            key,
            ", ".join(
                f"{found.count(word)} {status_word(word).lower()}"
                for word in words
                if word in found
            ),
        )
    for key, label in (("rsjs_version", "rsjs-bench"), ("solver_version", "solver")):
        values = sorted({str(row[key]) for row in rows if known(row, key)})
        if values:
            yield label, " and ".join(values)
    over = [known(row, "overshoot_s") or 0.0 for row in rows if "overshoot_s" in row]
    if over:
        late = sum(seconds > 0 for seconds in over)
        yield "over its limit", f"{late} of {len(over)} runs, at most {max(over):.3g} s"


def _options(rows: Sequence[Row]) -> Table:
    """Options as the solver reports them after the run, with how many runs had each value."""
    values: dict[str, dict[str, int]] = {}
    for row in rows:
        for option, value in json.loads(known(row, "options") or "{}").items():
            told = f"{value:.6g}" if isinstance(value, float) else str(value)
            counts = values.setdefault(option, {})
            counts[told] = counts.get(told, 0) + 1
    lines = [
        {"option": option, "values": _listed(counts), "runs": sum(counts.values())}
        for option, counts in values.items()
    ]
    return Table(
        name="options",
        title="Options as read back",
        columns=[
            Column("option", "option"),
            Column("values", "value (runs)"),
            Column("runs", "runs", formats.count),
        ],
        rows=lines,
        notes=["time_limit: what was left of the run's limit when the solver was called."],
        id="options",
        footer=footing(rows),
    )


def _listed(counts: Mapping[str, int]) -> str:
    if len(counts) == 1:
        return next(iter(counts))
    if len(counts) <= MOST_VALUES:
        return ", ".join(f"{value} ({count})" for value, count in counts.items())
    try:
        ends = sorted(counts, key=float)
    except ValueError:
        return f"{len(counts)} values"
    return f"{ends[0]} to {ends[-1]}"


def _gaps(rows: Sequence[Row]) -> Plot | None:
    """Gap to the best bound at the end, against the number of jobs."""
    found = [row for row in rows if known(row, "gap_to_best") is not None]
    if not found:
        return None
    return Plot(
        id="gaps",
        title="Gap at the end by size",
        data=_by_family(found, lambda row: max(FLOOR, 100 * row["gap_to_best"]), "gap %{y:.3g} %"),
        layout=axes("jobs", "gap to the best bound [%]", x_log=True, y_log=True),
        note=f"Gaps below {FLOOR} % are drawn there. A click opens the run.",
        height=380,
    )


def _seconds(rows: Sequence[Row]) -> Plot | None:
    """Seconds of each run, against the number of jobs."""
    found = [row for row in rows if known(row, "total_s")]
    if not found:
        return None
    shared = are_shared(found)
    return Plot(
        id="seconds",
        title="Time by size",
        data=_by_family(found, lambda row: row["total_s"], "%{y:.3g} s"),
        layout=axes("jobs", "wall-clock time [s]", x_log=True, y_log=True),
        note="From the start of the build to the end." + (SHARED_NOTE if shared else ""),
        height=380,
        is_shared=shared,
    )


def _by_family(rows: Sequence[Row], value: Any, told: str) -> list[Trace]:
    made = []
    groups = grouped(rows, "family")
    for i, (name, group) in enumerate(groups.items()):
        _, short = shortened([row["instance"] for row in group])
        made.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": name,
                "x": [row["jobs"] for row in group],
                "y": [value(row) for row in group],
                "text": [f"{short[row['instance']]}, seed {row['seed']}" for row in group],
                "customdata": [run_place(row) for row in group],
                "marker": {"color": COLOURS[i % len(COLOURS)], "size": 7, "opacity": 0.75},
                "hovertemplate": f"%{{text}}: {told}",
            }
        )
    return made
