"""All tables and pictures of an analysis, written to a folder."""

from __future__ import annotations

from pathlib import Path

from rsjs.instances.files import write_bytes
from rsjs.reporting.statistics import measures, sheet_text
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.ecdf_picture import distribution_of_gaps, distribution_of_targets
from rsjs.reporting.statistics.integrals import with_courses
from rsjs.reporting.statistics.profile_picture import performance_profiles
from rsjs.reporting.statistics.rank_picture import rank_bars
from rsjs.reporting.statistics.scatter_picture import pairwise_times
from rsjs.reporting.statistics.sheets import sheets


def write_all(analysis: Analysis, folder: str | Path) -> list[Path]:
    """
    Write statistics.md, statistics.tex, one CSV for each table, and the pictures.

    Pictures that compare methods need two of them, that of the targets the events of all runs.

    Returns
    -------
    list of Path
        The files.
    """
    folder, told = Path(folder), analysis.conditions()
    made = sheets(analysis)
    texts = {
        "statistics.md": sheet_text.markdown(made, told),
        "statistics.tex": sheet_text.latex(made, told),
        **{f"{sheet.name}.csv": sheet_text.csv(sheet) for sheet in made},
    }
    for name, text in texts.items():
        write_bytes(text.encode(), folder / name)
    return [*(folder / name for name in texts), *_pictures(analysis, folder)]


def _pictures(analysis: Analysis, folder: Path) -> list[Path]:
    made = [distribution_of_gaps(measures.gaps(analysis.runs, "gap"), folder / "gaps.png")]
    if with_courses(analysis.runs):
        longest = float(analysis.limits.max())
        made.append(distribution_of_targets(analysis.hits, longest, folder / "targets.png"))
    if len(analysis.times.columns) > 1:
        made.append(rank_bars(analysis.ranks_by_cost(), "Cost", folder / "ranks-by-cost.png"))
    if len(analysis.times.columns) > 1 and not analysis.is_shared:
        by_time = analysis.ranks_by_time()
        ranked = by_time.index.tolist()
        made += [
            performance_profiles(analysis.times, ranked, folder / "profiles.png"),
            pairwise_times(analysis.times, analysis.limits, ranked, folder / "times.png"),
            rank_bars(by_time, "Time to solve", folder / "ranks-by-time.png"),
        ]
    return made
