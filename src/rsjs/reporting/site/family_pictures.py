"""The figures of a family as PDF, drawn by the modules that `rsjs statistics` uses."""

from __future__ import annotations

from rsjs.reporting.site.downloads import Downloads
from rsjs.reporting.site.families import Family
from rsjs.reporting.statistics import measures
from rsjs.reporting.statistics.ecdf_picture import distribution_of_gaps, distribution_of_targets
from rsjs.reporting.statistics.integrals import with_courses
from rsjs.reporting.statistics.profile_picture import performance_profiles
from rsjs.reporting.statistics.rank_picture import rank_bars
from rsjs.reporting.statistics.scatter_picture import pairwise_times


def pictures(family: Family, downloads: Downloads) -> dict[str, str]:
    """Name -> path; those that rank seconds only if these may be ranked."""
    analysis, name = family.analysis, family.name
    gaps = measures.gaps(analysis.runs, "gap")
    made = {"gaps": downloads.picture(f"{name}-gaps", distribution_of_gaps, gaps)}
    if with_courses(analysis.runs):
        longest = float(analysis.limits.max())
        made["targets"] = downloads.picture(
            f"{name}-targets", distribution_of_targets, analysis.hits, longest
        )
    if len(family.methods) < 2:
        return made
    made["ranks-by-cost"] = downloads.picture(
        f"{name}-ranks-by-cost", rank_bars, family.ranks_by_cost, "Cost"
    )
    if family.is_shared:
        return made
    by_time, times = analysis.ranks_by_time(), analysis.times
    ranked = by_time.index.tolist()
    return made | {
        "ranks-by-time": downloads.picture(
            f"{name}-ranks-by-time", rank_bars, by_time, "Time to solve"
        ),
        "profiles": downloads.picture(f"{name}-profiles", performance_profiles, times, ranked),
        "times": downloads.picture(f"{name}-times", pairwise_times, times, analysis.limits, ranked),
    }
