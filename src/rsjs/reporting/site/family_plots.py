"""The figures of a family: what its methods reach, how fast, how sure their order is."""

from __future__ import annotations

from rsjs.reporting.figures.methods import figures
from rsjs.reporting.site.families import Family
from rsjs.reporting.site.plots import Plot, figure_plot

SHARED_NOTE = (
    " Seconds were measured beside other runs or processes: for the shape, not for a ranking."
)
ON_PAGES = ("gaps", "targets", "ranking", "profiles", "ranks-by-cost", "ranks-by-time")
WITH_UNRANKED = ("gaps", "targets")


def plots(family: Family) -> dict[str, Plot]:
    """Return the figures that the rows of a family have, by the name of their PDF."""
    made = {}
    for figure in figures(family.analysis):
        name = figure.name
        if name not in ON_PAGES:
            continue
        shared = name == "targets" and family.is_shared
        note = family.analysis.unranked if name in WITH_UNRANKED else ""
        made[name] = figure_plot(
            figure,
            family.styles,
            id=name if name == "ranking" else f"{name}-{family.name}",
            note=note + (SHARED_NOTE if shared else ""),
            is_shared=shared,
        )
    return made
