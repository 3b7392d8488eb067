"""
The tables of an analysis with the definitions that each needs, and their files.

The ranked summary comes first, then counts, simulations and schedules on MIG instances where there
are any, costs, means of seconds, gaps, values over time, pairs of methods, ranks, the virtual best,
and the findings on fairness. A column whose cells are all equal is told in the notes instead.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rsjs.instances.io.files import write_bytes
from rsjs.reporting.references import references, referred, rule
from rsjs.reporting.statistics.analysis import CAUSES, QUALITIES, Analysis, Measure, counts
from rsjs.reporting.statistics.fairness import findings
from rsjs.reporting.statistics.gaps import cost_summary, gap_summary
from rsjs.reporting.statistics.ranks import TIE, least_p, rank_spread
from rsjs.reporting.statistics.tidy import ROUNDING
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.formats import counted
from rsjs.reporting.tables.labels import STATUS_NOTE, status_word
from rsjs.reporting.tables.table import Column, Table, latex_all, markdown_all
from rsjs.rows.columns import Row
from rsjs.rows.select import is_reference, is_schedule, is_simulated, known, problem
from rsjs.runs.gap import gap

CERTAIN = 0.05
KIND = ["goal", "reading", "units"]
SIMULATED = ["objective", "best_bound", "energy", "tardiness", "late", "jobs", "utilisation"]
SIMULATED += ["decisions", "decision_median_s"]
BOTH = "intersection"
UNSOLVED = "limit"  # in place of a mean time to solve that would be that of the limits
UNRANKED = "Seconds measured beside other runs or processes, or in a batch, are not ranked."


def probability(value: float) -> str:
    """
    Return a p-value, never a bare 0.

    >>> probability(0.0314), probability(1e-9), probability(1.0)
    ('0.0314', '<0.0001', '1.00')
    """
    return "<0.0001" if value < 1e-4 else formats.significant(value, 3)


def _columns(
    number: Callable[[float], str],
    unit: str = "",
    missing: str = formats.MISSING,
    /,
    **headings: str,
) -> list[Column]:
    """Columns of one format, key -> heading."""
    return [
        Column(key, heading, number, unit=unit, missing=missing)
        for key, heading in headings.items()
    ]


METHOD = Column("method", "method")
COLUMNS = {
    column.key: column
    for column in (
        METHOD,
        *(Column("one", "method"), Column("other", "against")),
        *(Column("goal", "objective"), Column("reading", "reading")),
        Column("units", "units", unit="MB"),
        *(Column("weight", "weight"), Column("aspect", "aspect"), Column("message", "finding")),
        *_columns(formats.count, runs="runs"),
        *_columns(formats.count, **{word: status_word(word) for word in (*QUALITIES, *CAUSES)}),
        *_columns(formats.count, not_run="not run", solved="solved", problems="of", gaps="gaps"),
        *_columns(formats.count, sets="sets", verified="verified", optimal="optimal"),
        *_columns(formats.count, ended="completed", decisions="decisions", best="best cost"),
        *_columns(formats.count, wins="wins", ties="ties", losses="losses"),
        *_columns(formats.count, low="from", high="to", fastest="fastest", alone="alone"),
        *_columns(formats.percent, "%", gap_to_best="gap to best, mean", most="most"),
        *_columns(formats.percent, "%", median="median", upper_quartile="3/4"),
        *_columns(formats.ratio, cost_ratio="cost / best, mean", ratio_median="median"),
        *_columns(formats.ratio, ratio_most="most", spent="without postponement"),
        *_columns(formats.percent, "%", primal="primal integral", hit="targets hit"),
        *_columns(formats.percent, "%", primal_dual="primal-dual integral", better="better"),
        *_columns(formats.percent, "%", rank_1="rank 1", late="late", utilisation="in use"),
        *_columns(formats.term, value="mean z", bound="mean bound"),
        *_columns(formats.term, energy="energy", tardiness="tardiness"),
        *_columns(formats.cost, "$", cost="cost"),
        *_columns(formats.measured, "s", seconds="median", ran="running time, mean"),
        *_columns(formats.measured, "s", intersection="mean of those solved by all"),
        *_columns(formats.measured, "s", UNSOLVED, penalised="time to solve, mean", par10="PAR10"),
        *_columns(formats.measured, ratio="ratio", ratio_low="from", ratio_high="to"),
        *_columns(formats.measured, milliseconds="ms each", contribution="contribution"),
        *_columns(formats.measured, "MB", memory="memory"),
        *_columns("{:.3f}".format, score="score"),
        *_columns("{:.2f}".format, mean="mean rank", effect="effect"),
        *_columns(probability, p="p", holm="Holm"),
    )
}


def _table(
    name: str,
    title: str,
    frame: pd.DataFrame,
    notes: Sequence[str] = (),
    hidden: Collection[str] = (),
) -> Table:
    """Return a table of a frame; the columns that are not declared are in its file only."""
    columns = [COLUMNS[key] for key in frame if key in COLUMNS and key not in hidden]
    rows = frame.to_dict("records")
    return Table(name=name, title=title, columns=columns, rows=rows, notes=notes)


def by_method(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame by method with the method as its first column."""
    return frame.rename_axis("method").reset_index()


def named(found: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a frame by method as rows with the method in their own column."""
    rows: list[dict[str, Any]] = by_method(found).to_dict("records")
    return rows


def tables(analysis: Analysis) -> list[Table]:
    """
    Return all tables; the one over time only where events were stored.

    Nothing is ranked by seconds that were measured beside other runs.
    """
    measures: list[Measure] = ["cost"] if analysis.is_shared else ["time", "cost"]
    made = [
        summary_table({"": analysis}),
        count_table(analysis),
        simulation_table(analysis.ordered),
        schedule_table(analysis.ordered),
        _costs(analysis),
        _means(analysis),
        _gaps(analysis),
        _anytime(analysis),
    ]
    if len(analysis.ran.columns) > 1:
        made += [pairs_table(measure, analysis) for measure in measures]
    if len(analysis.ranked) > 1:
        made += [_ranks(measure, analysis) for measure in measures]
        made += [] if analysis.is_shared or not analysis.ranked else [_virtual_best(analysis)]
    found = [table for table in made if table is not None]
    return [*(table.without_constants() for table in found), _fairness(analysis)]


def summary_table(analyses: Mapping[str, Analysis]) -> Table:
    """
    Return the ranked summary of families: who solves how much, at what cost, how fast.

    A column "family" stands in it where there are several; its rows are those of
    `Analysis.summary`, the mean rank of the bootstrap and its interval with them.
    """

    def share(key: str) -> Callable[[Mapping[str, Any]], str]:
        return lambda line: f"{line[key]:.0f} of {line['problems']:.0f}" if line[key] else "0"

    first, rows = next(iter(analyses.values())), [*analyses.values()]
    several = len(analyses) > 1
    lines: list[dict[str, Any]] = []
    for family, analysis in analyses.items():
        found = analysis.summary
        if analysis.ranked:
            found = found.join(rank_spread(analysis.ranks_by_cost).add_prefix("rank_"))
        lines += [{**line, "family": family} for line in named(found)]
    shared = any(analysis.is_shared for analysis in rows)
    runs = [row for analysis in rows for row in analysis.rows]
    told = rule(runs, references(runs)) if several else first.rule
    is_solved = any(line["solved"] for line in lines)
    complete = all(line["verified"] == line["problems"] for line in lines)
    empty = ["Each run found a solution."] if complete else []
    empty += [] if is_solved else ["No run solved its problem."]
    return Table(
        name="summary",
        title="Summary",
        columns=[
            METHOD,
            *([Column("family", "family")] if several else []),
            Column("rank", "rank", formats.count),
            *(
                Column(key, heading, text=share(key), align="right")
                for key, heading, says in (
                    ("verified", "with solution", not complete),
                    ("solved", "solved", is_solved),
                )
                if says
            ),
            Column("ratio", "cost / best, median", formats.ratio),
            Column("seconds", "running time, median", formats.measured, unit="s"),
            Column("wins", "wins", text=share("wins"), align="right"),
        ],
        rows=lines,
        notes=[
            f"{told} Rank: by mean primal gap"
            " to it, where a run without a solution counts 100 %. Wins: no method of these rows is"
            f" cheaper. {definition(first)}",
            *([analysis.unranked for analysis in rows if analysis.unranked][: 0 if several else 1]),
            *([UNRANKED] if shared else []),
            *empty,
        ],
        mark=lambda line, key: "best" if key == "method" and line["rank"] == 1 else "",
    ).without_constants()


def definition(analysis: Analysis) -> str:
    """Return what counts as solved, in a sentence."""
    limit = "the run's own gap limit"
    if analysis.target is not None:
        limit = f"{100 * analysis.target:g} %"
    bound = "bound of the run itself" if analysis.success == "proved" else "best bound of all runs"
    return f"Solved: verified, with a gap to the {bound} of at most {limit}."


def count_table(analysis: Analysis) -> Table:
    """Return how many runs of each method have what, and why they stopped."""
    found = counts(analysis.runs)
    notes = [f"{STATUS_NOTE} The other counts tell why the run stopped."]
    return _table("counts", "Runs", by_method(found), notes, found.columns[~found.any()])


def schedule_table(rows: Sequence[Row]) -> Table | None:
    """
    Return a line per method for each objective, reading and division of the GPU; None without.

    A gap is that of the first stage, to the best bound of the problem by any method.
    """
    chosen = [row for row in rows if is_schedule(row)]
    if not chosen:
        return None
    chosen = [row if row["status"] == "ok" else {**row, "objective": None} for row in chosen]
    runs = _numbers(chosen, ("objective", "best_bound", "total_s"))
    for key in (*KIND, "instance_sha256"):
        runs[key] = [row.get(key) for row in chosen]
    gaps = [gap(known(row, "objective"), known(row, "best_bound")) for row in chosen]
    runs["gap"] = pd.Series(gaps, dtype=float)
    lines = (
        runs.assign(optimal=runs["gap"] <= ROUNDING)
        .groupby([*KIND, "method"], sort=False)
        .agg(
            sets=("instance_sha256", "nunique"),
            verified=("objective", "count"),
            gap_to_best=("gap", "mean"),
            most=("gap", "max"),
            optimal=("optimal", "sum"),
            value=("objective", "mean"),
            bound=("best_bound", "mean"),
            seconds=("total_s", "median"),
        )
        .sort_values([*KIND, "gap_to_best"], kind="stable")
    )
    note = (
        "By objective and reading; z: the first stage of the objective; gap to best: (z - b) / z"
        " to the best bound b of the problem by any method; optimal: z = b."
    )
    hidden = [] if runs["units"].nunique() > 1 else ["units"]
    return _table("schedules", "Schedules on MIG instances", lines.reset_index(), [note], hidden)


def _numbers(rows: Sequence[Row], keys: Sequence[str]) -> pd.DataFrame:
    """The methods of rows and numbers of their columns, NaN where nothing is known."""
    numbers = {key: pd.Series([known(row, key) for row in rows], dtype=float) for key in keys}
    return pd.DataFrame({"method": [row["method"] for row in rows], **numbers})


def simulation_table(rows: Sequence[Row]) -> Table | None:
    """
    Return scores of policies, and means over the workloads that all completed; None without any.

    Policies are ranked by the workloads that they completed, then by score: one that did not
    complete all of them has none, as a mean over fewer says something else. Runs of one policy on
    one workload with several seeds count as their mean; where the seeds draw errors of the times,
    each is a workload of its own. The best bound is that of these rows or of the library.
    """
    simulated = [row for row in rows if is_simulated(row)]
    of_best = referred(simulated, references(simulated))
    chosen = [row for row in of_best if not is_reference(row)]
    if not chosen:
        return None
    runs = _numbers(chosen, SIMULATED).assign(workload=[problem(row) for row in chosen])
    policies = list(dict.fromkeys(runs["method"]))
    seeds = runs.groupby(["workload", "method"])["objective"]
    done = runs[seeds.transform("count") == seeds.transform("size")]
    done = done.groupby(["workload", "method"]).mean().reset_index()
    common = done[done.groupby("workload")["method"].transform("size") == len(policies)]
    own = common.drop(columns="workload").groupby("method").mean().reindex(policies)
    workloads, ratios = runs["workload"].nunique(), np.log(done["objective"] / done["best_bound"])
    scores = ratios.groupby(done["method"]).agg(lambda own: np.exp(own.mean(skipna=False)))
    solved = runs["objective"].notna().groupby([runs["method"], runs["workload"]]).all()
    solved = solved.groupby("method").sum()
    lines = pd.DataFrame(
        {
            "ended": runs.groupby("method")["objective"].count()[policies],
            "score": scores.where(solved == workloads).reindex(policies),
            "cost": own["objective"],
            "energy": own["energy"],
            "tardiness": own["tardiness"],
            "late": own["late"] / own["jobs"],
            "utilisation": own["utilisation"],
            "decisions": own["decisions"],
            "milliseconds": 1000 * own["decision_median_s"],
        }
    )
    order = pd.DataFrame({"solved": -solved, "score": lines["score"]}).reindex(policies)
    lines = lines.loc[order.sort_values(["solved", "score"], kind="stable").index]
    notes = [
        f"Score: geometric mean of cost / best bound over {counted(workloads, 'workload')}, none"
        " where a policy did not complete all of them. Means of the others over"
        f" {counted(common['workload'].nunique(), 'workload')} that all policies completed;"
        " late: by more than 60 s; in use: of all GPU-hours; ms: medians.",
    ]
    return _table("simulations", "Simulations", by_method(lines), notes)


def _means(analysis: Analysis) -> Table:
    found, shared, ranked = analysis.means(), analysis.is_shared, analysis.ranked
    common = len(analysis.times[ranked].dropna()) if ranked else 0
    told = "" if shared else " ratio to the least mean with its 95 % bootstrap interval;"
    notes = [
        f"{definition(analysis)} Mean: shifted geometric, shift {analysis.shift:g} s, over the"
        " problems that the method was run on; time to solve: a failure"
        f" counts the time limit;{told} all ranked methods solved {counted(common, 'problem')};"
        f" PAR10: arithmetic mean, a failure counts 10 limits; {UNSOLVED}: solved nothing.",
        *([UNRANKED] if shared else []),
    ]
    found = found.drop(columns=["ratio", "ratio_low", "ratio_high"] if shared else [])
    table = _table("times", "Time to solve", by_method(found), notes, [] if common else [BOTH])
    both = replace(COLUMNS[BOTH], heading=f"mean of {common}")
    columns = [both if column.key == BOTH else column for column in table.columns]
    return replace(table, columns=columns)


def _costs(analysis: Analysis) -> Table:
    notes = [
        f"{analysis.rule} Cost / best: geometric mean, median and most over the solutions."
        " Without postponement: the median of (z - postponement) / best. Late: mean share of the"
        " jobs. The file has primal gaps, too."
    ]
    return _table("costs", "Costs", by_method(cost_summary(analysis.runs)), notes)


def _gaps(analysis: Analysis) -> Table | None:
    """Gaps to the best bound, of methods that prove bounds; None without any."""
    found = gap_summary(analysis.runs)
    if found.empty:
        return None
    notes = [
        "Of the methods that prove bounds: (z - b) / max(|z|, |b|), b the best bound of the"
        f" instance. {analysis.rule}"
    ]
    return _table("gaps", "Gaps at the end", by_method(found), notes)


def _anytime(analysis: Analysis) -> Table | None:
    found = analysis.anytime()
    if found is None:
        return None
    note = (
        "Integrals of the primal gap and of the gap to the run's own bound over time, by the time"
        " limit; 100 % before the first incumbent. Targets: primal gaps of 10, 5, 2, 1, 0.5, 0.1"
        " and 0 % on each problem."
    )
    return _table("anytime", "Over time", by_method(found), [note])


def pairs_table(measure: Measure, analysis: Analysis) -> Table:
    """Return the pairs of methods by "time" or "cost", or each method against the baseline."""
    instances = analysis.ran.index.get_level_values("instance").nunique()
    notes = [
        f"Wins, ties (within {100 * TIE:g} %) and losses of the first method by problem;"
        " better: how often its mean is the lesser one in the bootstrap; effect: rank-biserial,"
        " below 0 if the first is better; p: Wilcoxon's signed-rank test"
        f" over {counted(instances, 'instance')}, exact, two-sided; Holm: corrected for these"
        " pairs. A pair is compared on the problems that both were run on."
    ]
    if analysis.against is not None:
        told = f"Baseline: {analysis.against}"
        notes.append(f"{told}; no other pairs are compared or corrected for.")
    if (least := least_p(instances)) > CERTAIN:
        notes.append(f"With {counted(instances, 'instance')} no p can be below {least:g}.")
    return _table(f"pairs-by-{measure}", f"Pairs by {measure}", analysis.pairs(measure), notes)


def _ranks(measure: Measure, analysis: Analysis) -> Table:
    """Ranks by "time" or "cost"; its file has the share of every rank."""
    shares = analysis.ranks_by_time if measure == "time" else analysis.ranks_by_cost
    mean = {"time": "shifted geometric mean time", "cost": "mean primal gap"}[measure]
    found = by_method(rank_spread(shares).join(shares.add_prefix("rank_")))
    notes = [
        f"Ranks by {mean} when instances, then seeds, are drawn again: their mean, the middle 95 %,"
        " and how often the first.",
        *([analysis.unranked] if analysis.unranked else []),
    ]
    return _table(f"ranks-by-{measure}", f"Ranks by {measure}", found, notes)


def _virtual_best(analysis: Analysis) -> Table:
    found = analysis.virtual_best()
    virtual, single = formats.measured(found.mean), formats.measured(found.single_mean)
    note = (
        f"The fastest ranked method of each instance: mean {virtual} s; the single best, "
        f"{found.single}: {single} s. Fastest and alone: instances that no other solves faster, or"
        " at all; contribution: the virtual best's mean without the method by that with it."
    )
    return _table("virtual-best", "Virtual best", by_method(found.methods), [note])


def _fairness(analysis: Analysis) -> Table:
    lines = [
        ("UNFAIR" if one.unfair else "note", one.aspect, one.message)
        for one in findings(analysis.ordered)
    ]
    frame = pd.DataFrame(lines, columns=["weight", "aspect", "message"])
    is_fair = (frame["weight"] == "note").all()
    notes = ["Nothing that the rows tell is unfair."] if is_fair else []

    def mark(row: Mapping[str, Any], key: str) -> str:
        return "bad" if key == "weight" and row[key] == "UNFAIR" else ""

    return replace(_table("fairness", "Fairness", frame, notes), mark=mark)


def write_all(analysis: Analysis, folder: str | Path) -> list[Path]:
    """Write statistics.md, LaTeX and CSV of each table, and pictures; return their paths."""
    from rsjs.reporting.figures.draw import write
    from rsjs.reporting.figures.figure_style import styles
    from rsjs.reporting.figures.methods import figures

    folder, told = Path(folder), analysis.conditions()
    made = tables(analysis)
    texts = {
        "statistics.md": markdown_all(made, told),
        **{f"{table.name}.tex": latex_all([table], told) for table in made},
        **{f"{table.name}.csv": table.csv() for table in made},
    }
    for name, text in texts.items():
        write_bytes(text.encode(), folder / name)
    colours = styles(analysis.ran.columns)
    drawn = [
        write(one, folder / f"{one.name}.{suffix}", colours)
        for suffix in ("png", "pdf")
        for one in figures(analysis)
    ]
    return [*(folder / name for name in texts), *drawn]
