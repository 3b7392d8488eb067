"""The tables of an analysis, counts first, each with the definitions that it needs."""

from __future__ import annotations

import pandas as pd

from rsjs.reporting import formats
from rsjs.reporting.formats import counted
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.counts import CAUSES, QUALITIES
from rsjs.reporting.statistics.rank_sheets import pairs_sheet, ranks_sheet, virtual_best_sheet
from rsjs.reporting.statistics.schedule_sheet import schedule_sheet
from rsjs.reporting.statistics.sheet import METHOD, Column, Sheet, named
from rsjs.reporting.statistics.simulation_sheet import simulation_sheet

RATIO = (
    Column("ratio", "ratio", formats.measured),
    Column("low", "from", formats.measured),
    Column("high", "to", formats.measured),
)
UNSOLVED = "limit"  # in place of a mean time to solve that would be that of the limits
UNRANKED = "Seconds were measured beside other runs or processes: they are not ranked."


def sheets(analysis: Analysis) -> list[Sheet]:
    """
    All tables; the one of the course over time only where events were stored.

    Nothing is ranked by seconds that were measured beside other runs.
    """
    made = [_counts(analysis), simulation_sheet(analysis.ordered)]
    made.append(schedule_sheet(analysis.ordered))
    made += [_means(analysis), _gaps(analysis), _anytime(analysis)]
    timed = not analysis.is_shared
    if len(analysis.times.columns) > 1:
        made += [
            pairs_sheet("time", analysis.pairs_by_time(), analysis) if timed else None,
            pairs_sheet("cost", analysis.pairs_by_cost(), analysis),
        ]
    if len(analysis.ranked) > 1:
        made += [
            ranks_sheet("time", analysis.ranks_by_time, analysis) if timed else None,
            ranks_sheet("cost", analysis.ranks_by_cost, analysis),
            virtual_best_sheet(analysis) if timed else None,
        ]
    return [*(sheet for sheet in made if sheet is not None), _fairness(analysis)]


def definition(analysis: Analysis) -> str:
    """What counts as solved, in a sentence."""
    limit = "the run's own gap limit"
    if analysis.target is not None:
        limit = f"{100 * analysis.target:g} %"
    bound = "bound of the run itself" if analysis.success == "proved" else "best bound of all runs"
    return f"Solved: verified, with a gap to the {bound} of at most {limit}."


def _counts(analysis: Analysis) -> Sheet:
    found = analysis.counts()
    words = [word for word in (*QUALITIES, *CAUSES) if found[word].any()]
    if not found["not_run"].any():
        found = found.drop(columns="not_run")
    columns = [Column("runs", "runs", formats.count)]
    columns += [Column(word, word, formats.count) for word in words]
    if "not_run" in found:
        columns.append(Column("not_run", "not run", formats.count))
    return Sheet(
        name="counts",
        title="Runs",
        columns=[METHOD, *columns],
        lines=named(found),
        notes=[
            "Proved: by the method's own bound; certified: by another's; valid: a verified decision"
            " with a larger gap; the other counts tell why the run stopped."
        ],
    )


def _means(analysis: Analysis) -> Sheet:
    found, shared = analysis.means(), analysis.is_shared
    common = int(found["in_both"].iloc[0])
    told = "" if shared else " ratio to the least mean with its 95 % bootstrap interval;"
    return Sheet(
        name="times",
        title="Time to solve",
        columns=[
            METHOD,
            Column("solved", "solved", formats.count),
            Column("problems", "of", formats.count),
            Column("ran", "running time, mean [s]", formats.measured),
            Column("penalised", "time to solve, mean [s]", formats.measured, missing=UNSOLVED),
            *([] if shared else RATIO),
            *(
                [Column("intersection", f"mean of {common} [s]", formats.measured)]
                if common
                else []
            ),
            Column("par10", "PAR10 [s]", formats.measured, missing=UNSOLVED),
        ],
        lines=named(found.drop(columns=[column.key for column in RATIO]) if shared else found),
        notes=[
            f"{definition(analysis)} Mean: shifted geometric, shift {analysis.shift:g} s, over the"
            " problems that the method was run on; time to solve: a failure"
            f" counts the time limit;{told} all methods solved {counted(common, 'problem')};"
            f" PAR10: arithmetic mean, a failure counts 10 limits; {UNSOLVED}: solved nothing.",
            *([UNRANKED] if shared else []),
        ],
    )


def _gaps(analysis: Analysis) -> Sheet:
    return Sheet(
        name="gaps",
        title="Gaps at the end",
        columns=[
            METHOD,
            Column("gaps", "gaps", formats.count),
            Column("median", "median [%]", formats.percent),
            Column("upper_quartile", "3/4 [%]", formats.percent),
            Column("most", "most [%]", formats.percent),
            Column("primal_median", "primal median [%]", formats.percent),
            Column("primal_mean", "primal mean [%]", formats.percent),
            Column("best", "best cost", formats.count),
            Column("memory", "memory [MB]", formats.measured),
        ],
        lines=named(analysis.gaps()),
        notes=[
            "Gap: (z - b) / max(|z|, |b|), b the best bound of the instance; primal gap: the same"
            " to the best cost of these rows; its mean counts a failure as 100 %, and no problem"
            " that the method was not run on."
        ],
    )


def _anytime(analysis: Analysis) -> Sheet | None:
    found = analysis.anytime()
    if found is None:
        return None
    return Sheet(
        name="anytime",
        title="Over time",
        columns=[
            METHOD,
            Column("primal", "primal integral [%]", formats.percent),
            Column("primal_dual", "primal-dual integral [%]", formats.percent),
            Column("hit", "targets hit [%]", formats.percent),
        ],
        lines=named(found),
        notes=[
            "Integrals of the primal gap and of the gap to the run's own bound over time, by the"
            " time limit; 100 % before the first incumbent. Targets: primal gaps of 10, 5, 2, 1,"
            " 0.5, 0.1 and 0 % on each problem."
        ],
    )


def _fairness(analysis: Analysis) -> Sheet:
    found = analysis.findings()
    lines = [
        {"weight": "UNFAIR" if one.unfair else "note", "aspect": one.aspect, "message": one.message}
        for one in found
    ]
    keys = ["weight", "aspect", "message"]
    return Sheet(
        name="fairness",
        title="Fairness",
        columns=[Column("weight", ""), Column("aspect", "aspect"), Column("message", "finding")],
        lines=pd.DataFrame(lines, columns=keys),
        notes=[] if any(one.unfair for one in found) else ["Nothing that the rows tell is unfair."],
    )
