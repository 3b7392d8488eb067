"""The page of an instance: its runs, their course, and the best decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.instances.mig.scheduling.schedule import Schedule
from rsjs.reporting.cost_bars import cost_split
from rsjs.reporting.gap_curves import gap_over_time
from rsjs.reporting.mig_gantt import mig_gantt
from rsjs.reporting.objectives import best_row, is_schedule, shown
from rsjs.reporting.occupancy_picture import occupancy
from rsjs.reporting.rows import known
from rsjs.reporting.site import instance_plots
from rsjs.reporting.site.addresses import family_page, instance_slug, run_place
from rsjs.reporting.site.decisions import Decision, best_decision, best_schedule
from rsjs.reporting.site.downloads import Downloads
from rsjs.reporting.site.gantt import gantt
from rsjs.reporting.site.material import Material
from rsjs.reporting.site.occupancy_svg import cluster_svg
from rsjs.reporting.site.plots import Plot, Styles
from rsjs.reporting.site.run_tables import run_table

Row = Mapping[str, Any]


def content(
    rows: Sequence[Row], material: Material, styles: Styles, downloads: Downloads, *, pdf: bool
) -> dict[str, Any]:
    """
    What the template `instance` needs.

    Parameters
    ----------
    pdf : bool
        Whether figures are drawn as PDF too, which takes a second.
    """
    first, best, slug = rows[0], best_row(rows), instance_slug(rows[0])
    decision, schedule = best_decision(rows, material), best_schedule(rows, material)
    made = (
        instance_plots.course(rows, styles),
        instance_plots.gaps(rows, styles),
        instance_plots.costs(rows),
    )
    plots = [plot for plot in made if plot is not None]
    pdfs = _pictures(rows, plots, decision, slug, downloads) if pdf else {}
    table = run_table(rows, "method", "Runs")
    return {
        "row": first,
        "slug": slug,
        "family": first["family"],
        "family_page": family_page(first["family"]),
        "best": best,
        "best_place": "" if best is None else run_place(best),
        "best_cost": "" if best is None else shown(best["objective"], best),
        "best_bound": shown(known(best or first, "best_bound"), first),
        "size": _size(first),
        "gap": None if best is None else known(best, "gap_to_best"),
        "runs": downloads.with_files(table, slug),
        "plots": [replace(plot, pdf=pdfs.get(plot.id, "")) for plot in plots],
        "decision": decision,
        "decision_place": "" if decision is None else run_place(decision.row),
        "occupancy": None if decision is None else cluster_svg(decision.instance, decision.on),
        "occupancy_pdf": pdfs.get("occupancy", ""),
        "schedule": _schedule(*schedule, slug, downloads) if schedule and pdf else None,
        "has_schedule": schedule is not None,
        "gantt": None if decision is None else gantt(decision.instance, decision.on),
        "pdf": pdf,
    }


def _size(row: Row) -> str:
    if not is_schedule(row):
        return f"{row['nodes']} nodes, {row['jobs']} jobs"
    told = f"reading {row['reading']}, objective {row['goal']}"
    return f"{row['nodes']} units of {row['units']} MB, {row['jobs']} jobs; {told}"


def _schedule(
    row: Row, problem: SchedulingProblem, schedule: Schedule, slug: str, downloads: Downloads
) -> dict[str, Any]:
    """The picture of a schedule on MIG instances, and the run that it is of."""
    name, method = f"{slug}-schedule", str(row["method"])
    files = [
        downloads.picture(name, partial(mig_gantt, title=method), problem, schedule, suffix=suffix)
        for suffix in ("svg", "pdf")
    ]
    told = f"{problem.name} by {method}: which job runs when on which unit"
    return {"place": run_place(row), "cost": shown(row["objective"], row), "row": row} | {
        "svg": files[0],
        "pdf": files[1],
        "told": told,
    }


def _pictures(
    rows: Sequence[Row],
    plots: Sequence[Plot],
    decision: Decision | None,
    slug: str,
    downloads: Downloads,
) -> dict[str, str]:
    made, names = {}, {plot.id for plot in plots}
    if "gap" in names:
        runs = [{**row, "seconds": known(row, "total_s")} for row in rows if row["events"]]
        made["gap"] = downloads.picture(f"{slug}-gap", gap_over_time, runs)
    if "costs" in names:
        made["costs"] = downloads.picture(f"{slug}-costs", cost_split, rows)
    if decision is not None:
        made["occupancy"] = downloads.picture(
            f"{slug}-occupancy", occupancy, decision.instance, decision.solution
        )
    return made
