"""The page of an instance: its runs, their trajectories, its best solution; the list of all."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from rsjs.campaigns.store import refuse_other
from rsjs.instances.io.files import read_solution
from rsjs.instances.mig.scheduling.schedule import read_schedule
from rsjs.reporting.figures.draw import Styles
from rsjs.reporting.figures.figure import Axis, Figure, Panel
from rsjs.reporting.figures.mig import schedule_figure
from rsjs.reporting.figures.occupancy import occupancy_figure
from rsjs.reporting.figures.runs import (
    cost_split,
    gap_curve,
    gap_over_time,
    step_series,
    trajectory,
)
from rsjs.reporting.site.pages import Downloads, instance_slug, instance_url, method_url, run_url
from rsjs.reporting.site.plots import AROUND, figure_plot
from rsjs.reporting.site.report_data import DIGITS, ReportRow, footer, grouped
from rsjs.reporting.site.run_table import run_table
from rsjs.reporting.tables import formats, labels
from rsjs.reporting.tables.labels import shown
from rsjs.reporting.tables.table import Column, Row, Table
from rsjs.rows.select import are_shared, best_row, is_schedule, is_simulated, known
from rsjs.runs.kinds.base import kind

MOST_RUNS = 40  # beyond, one run of each method is drawn
SHOWN_BOUNDS = 0.1  # of the least cost: lesser bounds are left out
LINE, UNIT = 24, 80  # pixels: height of a line of GPUs and of a unit


def content(
    rows: Sequence[ReportRow], styles: Styles, downloads: Downloads, *, pdf: bool
) -> dict[str, Any]:
    """Return what the template `instance` needs; with `pdf` figures are drawn as PDF too."""
    first, best, slug, shared = rows[0], best_row(rows), instance_slug(rows[0]), are_shared(rows)
    found = best_solution(rows)
    drawn = _drawn(rows)
    plots = []
    with_gaps = [run for run in drawn if gap_curve(run)]
    gaps = gap_over_time(with_gaps) if with_gaps else None
    for figure in filter(None, (_trajectories(drawn), gaps, _costs(rows))):
        timed = figure.name != "costs"
        few = "Of each method the run of median cost." if len(drawn) < len(rows) else ""
        note = few if timed else ""
        path = downloads.figure(f"{slug}-{figure.name}", figure, styles) if pdf else ""
        more = {"pdf": path, "note": note, "is_shared": timed and shared}
        plots.append(figure_plot(figure, styles, **more))
    return {
        "row": first,
        "slug": slug,
        "best": best,
        "best_cost": "" if best is None else shown(best["objective"], best),
        "best_bound": shown(known(best or first, "best_bound"), first),
        "gap_to_best": None if best is None else known(best, "gap_to_best"),
        "runs": downloads.with_files(run_table(rows, "method"), slug),
        "plots": plots,
        "solution": None if found is None else _drawn_solution(*found, slug, downloads, pdf=pdf),
        "is_schedule": is_schedule(first),
        "pdf": pdf,
    }


def best_solution(rows: Sequence[ReportRow]) -> tuple[ReportRow, Any, Any] | None:
    """Return the row, problem and solution of the best run; None where none was kept."""
    row = best_row([row for row in rows if row["solution_sha256"] and not is_simulated(row)])
    if row is None:
        return None
    record, file = row["record"], row["problem_file"]
    if record is None or file is None or not file.exists():
        return None
    own = kind("mig_scheduling" if is_schedule(row) else "instance")
    path = record / own.solution_file
    if not path.exists():  # of placements and reconfigurations
        return None
    problem = own.read(file)
    refuse_other(problem, row["solved_sha256"], file)
    if is_schedule(row):
        return row, problem, read_schedule(path, problem).schedule
    return row, problem, read_solution(path).solution


def _drawn_solution(
    row: Row, problem: Any, solution: Any, slug: str, downloads: Downloads, *, pdf: bool
) -> dict[str, Any]:
    """The picture of a solution or of a schedule on MIG instances, and its run."""
    if is_schedule(row):
        figure = whole = schedule_figure(problem, solution, str(row["method"]))
        height = UNIT * len(problem.units)
    else:
        figure, whole = (occupancy_figure(problem, solution, columns) for columns in (0, 1))
        height = LINE * round(whole.panels[0].y.ends[0] or 0)
    path = downloads.figure(f"{slug}-{figure.name}", figure, {}) if pdf else ""
    plot = figure_plot(whole, {}, height=AROUND + height, pdf=path)
    return {"row": row, "cost": shown(row["objective"], row), "plot": plot}


def _drawn(rows: Sequence[ReportRow]) -> list[dict[str, Any]]:
    """All runs, or of many the one of each method whose cost is the median; the cheapest first."""
    chosen = list(rows)
    if len(rows) > MOST_RUNS:
        groups = grouped(rows, "method").values()
        chosen = [sorted(group, key=_cost)[(len(group) - 1) // 2] for group in groups]
    return [
        {
            **row,
            "events": row["events"] or [],
            "seconds": known(row, "total_s"),
            "tip": f"seed {row['seed']}",
            "link": run_url(row),
        }
        for row in sorted(chosen, key=_cost)
    ]


def _cost(row: Row) -> float:
    cost = known(row, "objective")
    return inf if cost is None else float(cost)


def _trajectories(runs: Sequence[Row]) -> Figure | None:
    """Incumbent and bound of each run against time; None if no trajectory was kept."""

    def points_of(run: Row, key: str) -> list[tuple[float, float]]:
        return trajectory(run, lambda event: known(event, key))

    least = min((cost for run in runs for _, cost in points_of(run, "incumbent")), default=0.0)
    series = []
    for run in runs:
        for key, look, word in (("incumbent", "", "cost"), ("bound", "thin", "bound")):
            points = points_of(run, key)
            if least > 0:  # first bounds may be negative, or next to nothing
                points = [point for point in points if point[1] >= SHOWN_BOUNDS * least]
            if points:
                more = {"tips": [f"{run['tip']}, {word}"], "links": [run["link"]], "look": look}
                series.append(step_series(run["method"], points, **more))
    if not series:
        return None
    below = f", from {SHOWN_BOUNDS:.0%} of the least cost on" if least > 0 else ""
    x = Axis(title="wall-clock time [s]", is_log=True)
    y = Axis(title=labels.column("cost", "cost", runs).full_heading, is_log=least > 0)
    return Figure(
        name="trajectories",
        title="Cost and bound over time",
        panels=[Panel(series=series, x=x, y=y)],
        note=f"Thick: incumbents; thin: bounds{below}.",
        size=(4.5, 2.8),
    )


def _costs(rows: Sequence[Row]) -> Figure | None:
    """The terms of the cost, of the cheapest run of each method; None without a cost in $."""
    priced = [row for row in rows if known(row, "objective") is not None and not is_schedule(row)]
    groups = grouped(priced, "method").values()
    best = sorted((min(group, key=_cost) for group in groups), key=_cost)
    return cost_split(best) if best else None


def list_content(rows: Sequence[Row], downloads: Downloads) -> dict[str, Any]:
    """Return what the template `instances` needs."""

    def link(line: Row, key: str) -> str:
        if key == "method":
            return method_url(line["method"]) if line["method"] else ""
        of_best = key in ("cost", "gap_to_best", "solution")
        return line["best_run"] if of_best else instance_url(line)

    table = Table(
        name="instances",
        title="Instances",
        columns=[
            Column("instance", "instance"),
            Column("family", "family"),
            Column("nodes", "nodes", formats.count),
            Column("jobs", "jobs", formats.count),
            Column("runs", "runs", formats.count),
            Column("verified", "verified", formats.count),
            labels.column("cost", "best cost", rows),
            labels.column("bound", "best bound", rows),
            Column("gap_to_best", "gap to best", formats.percent, unit="%"),
            Column("method", "best cost by"),
            Column("instance_sha256", "sha256", text=lambda row: row["instance_sha256"][:DIGITS]),
            Column("solution", "sha256 of solution", text=lambda row: row["solution"][:DIGITS]),
        ],
        rows=[list_line(group) for group in grouped(rows, "instance").values()],
        notes=[
            "Best cost: the least that the checker confirms; of equals the first by method. sha256:"
            f" {DIGITS} digits of that of the canonical form, see docs/reference/files.md, and of"
            " that of the best solution's file; the CSV file has all."
        ],
        footer=footer(rows),
        link=link,
        mark=lambda line, key: "digest" if key in ("instance_sha256", "solution") else "",
        choices=frozenset({"family"}),
    )
    return {"instances": downloads.with_files(table, "all")}


def list_line(group: Sequence[Row]) -> dict[str, Any]:
    """Return the line of an instance in the list of all."""
    first, best = group[0], best_row(group)
    return {
        **{key: first[key] for key in ("instance", "instance_sha256", "family", "nodes", "jobs")},
        "runs": len(group),
        "verified": sum(row["status"] == "ok" for row in group),
        "cost": None if best is None else best["objective"],
        "bound": known(best or first, "best_bound"),
        "gap_to_best": None if best is None else known(best, "gap_to_best"),
        "method": "" if best is None else best["method"],
        "solution": "" if best is None else best["solution_sha256"] or "",
        "best_run": "" if best is None else run_url(best),
    }
