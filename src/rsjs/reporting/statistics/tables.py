"""
The tables of an analysis with the definitions that each needs, and their files.

Counts come first, then simulations and schedules on MIG instances where there are any, means, gaps,
values over time, pairs of methods, ranks, the virtual best, and the findings on fairness.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from rsjs.instances.io.files import write_bytes
from rsjs.reporting.statistics.analysis import CAUSES, QUALITIES, Analysis, counts
from rsjs.reporting.statistics.fairness import findings
from rsjs.reporting.statistics.gaps import gap_summary
from rsjs.reporting.statistics.pairwise import TIE, least_p
from rsjs.reporting.statistics.ranks import rank_spread
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.formats import counted
from rsjs.reporting.tables.labels import STATUS_NOTE, status_word
from rsjs.reporting.tables.table import Column, Table, latex_all, markdown_all
from rsjs.rows.columns import Row
from rsjs.rows.select import is_reference, is_schedule, is_simulated, known, problem
from rsjs.runs.gap import gap

CERTAIN = 0.05
MOST_PAIRS = 12  # beyond, a terminal shows those of the best method only
METHOD = Column("method", "method")
UNSOLVED = "limit"  # in place of a mean time to solve that would be that of the limits
UNRANKED = "Seconds were measured beside other runs or processes: they are not ranked."


def _columns(number: Callable[[float], str], unit: str = "", /, **headings: str) -> list[Column]:
    """Columns of one format, key -> heading."""
    return [Column(key, heading, number, unit=unit) for key, heading in headings.items()]


_counts_of = partial(_columns, formats.count)
_shares_of = partial(_columns, formats.percent, "%")


def tables(analysis: Analysis) -> list[Table]:
    """
    Return all tables; the one over time only where events were stored.

    Nothing is ranked by seconds that were measured beside other runs.
    """
    made = [
        _counts(analysis),
        simulation_table(analysis.ordered),
        schedule_table(analysis.ordered),
        _means(analysis),
        _gaps(analysis),
        _anytime(analysis),
    ]
    timed = not analysis.is_shared
    if len(analysis.times.columns) > 1:
        made += [
            _pairs("time", analysis.pairs_by_time(), analysis) if timed else None,
            _pairs("cost", analysis.pairs_by_cost(), analysis),
        ]
    if len(analysis.ranked) > 1:
        made += [
            _ranks("time", analysis.ranks_by_time, analysis) if timed else None,
            _ranks("cost", analysis.ranks_by_cost, analysis),
            _virtual_best(analysis) if timed else None,
        ]
    return [*(table for table in made if table is not None), _fairness(analysis)]


def named(found: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a frame by method as rows with the method in their own column."""
    rows: list[dict[str, Any]] = found.rename_axis("method").reset_index().to_dict("records")
    return rows


def definition(analysis: Analysis) -> str:
    """Return what counts as solved, in a sentence."""
    limit = "the run's own gap limit"
    if analysis.target is not None:
        limit = f"{100 * analysis.target:g} %"
    bound = "bound of the run itself" if analysis.success == "proved" else "best bound of all runs"
    return f"Solved: verified, with a gap to the {bound} of at most {limit}."


def _counts(analysis: Analysis) -> Table:
    found = counts(analysis.runs, analysis.target)
    if not found["not_run"].any():
        found = found.drop(columns="not_run")
    words = [word for word in (*QUALITIES, *CAUSES) if found[word].any()]
    headings = {"runs": "runs", **{word: status_word(word) for word in words}}
    if "not_run" in found:
        headings["not_run"] = "not run"
    return Table(
        name="counts",
        title="Runs",
        columns=[METHOD, *_counts_of(**headings)],
        rows=named(found),
        notes=[f"{STATUS_NOTE} The other counts tell why the run stopped."],
    )


KIND = ["goal", "reading", "units"]
ROUNDING = 1e-9  # of a gap


def schedule_table(rows: Sequence[Row]) -> Table | None:
    """
    Return a line per method for each objective, reading and division of the GPU; None without.

    A gap is that of the first stage, to the best bound of the problem by any method.
    """
    chosen = [row for row in rows if is_schedule(row)]
    if not chosen:
        return None
    runs = _numbers(chosen, {"value": "objective", "bound": "best_bound", "seconds": "total_s"})
    runs = runs.assign(
        **{name: [row.get(name) for row in chosen] for name in KIND},
        problem=[row["instance_sha256"] for row in chosen],
        gap_to_best=[gap(known(row, "objective"), known(row, "best_bound")) for row in chosen],
    ).astype({"gap_to_best": float})
    groups = runs.assign(optimal=runs["gap_to_best"] <= ROUNDING).groupby(
        [*KIND, "method"], sort=False
    )
    lines = pd.DataFrame(
        {
            "sets": groups["problem"].nunique(),
            "verified": groups["value"].count(),
            "gap_to_best": groups["gap_to_best"].mean(),
            "most": groups["gap_to_best"].max(),
            "optimal": groups["optimal"].sum(),
            "value": groups["value"].mean(),
            "bound": groups["bound"].mean(),
            "seconds": groups["seconds"].median(),
        }
    ).sort_values([*KIND, "gap_to_best"], kind="stable")
    return Table(
        name="schedules",
        title="Schedules on MIG instances",
        columns=[
            Column("goal", "objective"),
            Column("reading", "reading"),
            *([Column("units", "units", unit="MB")] if runs["units"].nunique() > 1 else []),
            METHOD,
            *_counts_of(sets="sets", verified="verified"),
            *_shares_of(gap_to_best="gap to best, mean", most="most"),
            *_counts_of(optimal="optimal"),
            *_columns(formats.term, value="mean z", bound="mean bound"),
            *_columns(formats.measured, "s", seconds="median"),
        ],
        rows=lines.reset_index().to_dict("records"),
        notes=[
            "By objective and reading; z: the first stage of the objective; gap to best:"
            " (z - b) / z to the best bound b of the problem by any method; optimal: z = b."
        ],
    )


def _numbers(rows: Sequence[Row], names: Mapping[str, str]) -> pd.DataFrame:
    """The methods of rows, and values of columns by other names, NaN where nothing is known."""
    values = {
        name: pd.Series([known(row, column) for row in rows], dtype=float)
        for name, column in names.items()
    }
    return pd.DataFrame({"method": [row["method"] for row in rows], **values})


CROWDED = 0.7  # utilisation above which a lower bound says little
CROWDED_NOTE = f"Above {CROWDED:.0%} of the GPUs in use bounds are far below what is possible."
SIMULATED = {"cost": "objective", "bound": "best_bound", "seconds": "decision_median_s"} | {
    name: name for name in ("energy", "tardiness", "late", "jobs", "utilisation", "decisions")
}


def simulation_table(rows: Sequence[Row]) -> Table | None:
    """
    Return the means of each policy over the workloads that all completed; None without any.

    Runs of one policy on one workload with several seeds count as their mean; where the seeds draw
    errors of the times, each is a workload of its own.
    """
    chosen = [row for row in rows if is_simulated(row) and not is_reference(row)]
    if not chosen:
        return None
    runs = _numbers(chosen, SIMULATED).assign(workload=[problem(row) for row in chosen])
    policies = list(dict.fromkeys(runs["method"]))
    done = runs[runs["cost"].notna()].groupby(["workload", "method"]).mean(numeric_only=True)
    having = done.groupby("workload").size()
    common = having.index[having == len(policies)]
    own = done[done.index.get_level_values("workload").isin(common)]
    own = own.groupby("method").mean().reindex(policies)
    lines = own.assign(
        over_bound=own["cost"] / own["bound"],
        late=own["late"] / own["jobs"],
        ended=runs.groupby("method")["cost"].count(),
        milliseconds=1000 * own["seconds"],
    )
    notes = [
        f"Means over {counted(len(common), 'workload')} that all policies completed; late: by"
        " more than 60 s; in use: of all GPU-hours; ms: medians."
    ]
    if (own["utilisation"] > CROWDED).any():
        notes.append(CROWDED_NOTE)
    return Table(
        name="simulations",
        title="Simulations",
        columns=[
            METHOD,
            *_counts_of(ended="completed"),
            *_columns(formats.cost, "$", cost="cost"),
            *_columns(formats.term, energy="energy", tardiness="tardiness", over_bound="/ bound"),
            *_shares_of(late="late", utilisation="in use"),
            *_counts_of(decisions="decisions"),
            *_columns(formats.measured, milliseconds="ms each"),
        ],
        rows=named(lines),
        notes=notes,
    )


RATIO = {"ratio": "ratio", "low": "from", "high": "to"}


def _means(analysis: Analysis) -> Table:
    found, shared = analysis.means(), analysis.is_shared
    common = int(found["in_both"].iloc[0])
    told = "" if shared else " ratio to the least mean with its 95 % bootstrap interval;"
    ratio = [] if shared else _columns(formats.measured, **RATIO)
    seconds = partial(_columns, formats.measured, "s")
    both = seconds(intersection=f"mean of {common}") if common else []
    solving = seconds(penalised="time to solve, mean"), seconds(par10="PAR10")
    to_solve, par10 = ([replace(one, missing=UNSOLVED) for one in own] for own in solving)
    return Table(
        name="times",
        title="Time to solve",
        columns=[
            METHOD,
            *_counts_of(solved="solved", problems="of"),
            *seconds(ran="running time, mean"),
            *(*to_solve, *ratio, *both, *par10),
        ],
        rows=named(found.drop(columns=[*RATIO]) if shared else found),
        notes=[
            f"{definition(analysis)} Mean: shifted geometric, shift {analysis.shift:g} s, over the"
            " problems that the method was run on; time to solve: a failure"
            f" counts the time limit;{told} all methods solved {counted(common, 'problem')};"
            f" PAR10: arithmetic mean, a failure counts 10 limits; {UNSOLVED}: solved nothing.",
            *([UNRANKED] if shared else []),
        ],
    )


def _gaps(analysis: Analysis) -> Table:
    return Table(
        name="gaps",
        title="Gaps at the end",
        columns=[
            METHOD,
            *_counts_of(gaps="gaps"),
            *_shares_of(median="median", upper_quartile="3/4", most="most"),
            *_shares_of(primal_median="primal median", primal_mean="primal mean"),
            *_counts_of(best="best cost"),
            *_columns(formats.measured, "MB", memory="memory"),
        ],
        rows=named(gap_summary(analysis.runs)),
        notes=[
            "Gap to best: (z - b) / max(|z|, |b|), b the best bound of the instance; primal gap:"
            " the same to the best cost of these rows; its mean counts a failure as 100 %, and no"
            " problem that the method was not run on."
        ],
    )


ANYTIME = {"primal": "primal integral", "primal_dual": "primal-dual integral", "hit": "targets hit"}


def _anytime(analysis: Analysis) -> Table | None:
    found = analysis.anytime()
    if found is None:
        return None
    return Table(
        name="anytime",
        title="Over time",
        columns=[METHOD, *_shares_of(**ANYTIME)],
        rows=named(found),
        notes=[
            "Integrals of the primal gap and of the gap to the run's own bound over time, by the"
            " time limit; 100 % before the first incumbent. Targets: primal gaps of 10, 5, 2, 1,"
            " 0.5, 0.1 and 0 % on each problem."
        ],
    )


def _pairs(measure: str, found: pd.DataFrame, analysis: Analysis) -> Table:
    """The pairs by "time" or "cost"."""
    instances = analysis.logs.index.get_level_values("instance").nunique()
    notes = [
        f"Wins, ties (within {100 * TIE:g} %) and losses of the first method by problem;"
        " better: how often its mean is the lesser one in the bootstrap; effect: rank-biserial,"
        " below 0 if the first is better; p: Wilcoxon's signed-rank test"
        f" over {counted(instances, 'instance')}, exact, two-sided; Holm: corrected for all pairs."
        " A pair is compared on the problems that both were run on."
    ]
    if least_p(instances) > CERTAIN:
        told = f"no p can be below {least_p(instances):g}"
        notes.append(f"With {counted(instances, 'instance')} {told}.")
    return Table(
        name=f"pairs-by-{measure}",
        title=f"Pairs by {measure}",
        columns=[
            Column("one", "method"),
            Column("other", "against"),
            *_counts_of(wins="wins", ties="ties", losses="losses"),
            *_shares_of(better="better"),
            Column("effect", "effect", "{:.2f}".format),
            *_columns(probability, p="p", holm="Holm"),
        ],
        rows=found.to_dict("records"),
        notes=notes,
    )


def probability(value: float) -> str:
    """
    Return a p-value, never a bare 0.

    >>> probability(0.0314), probability(1e-9), probability(1.0)
    ('0.0314', '<0.0001', '1.00')
    """
    return "<0.0001" if value < 1e-4 else formats.significant(value, 3)


def _ranks(measure: str, shares: pd.DataFrame, analysis: Analysis) -> Table:
    """Ranks by "time" or "cost"; its file has the share of every rank."""
    means = {"time": "shifted geometric mean time", "cost": "mean primal gap"}
    return Table(
        name=f"ranks-by-{measure}",
        title=f"Ranks by {measure}",
        columns=[
            METHOD,
            Column("mean", "mean rank", "{:.2f}".format),
            *_shares_of(rank_1="rank 1"),
            *_counts_of(low="from", high="to"),
        ],
        rows=named(rank_spread(shares).join(shares.add_prefix("rank_"))),
        notes=[
            f"Ranks by {means[measure]} when instances, then seeds, are drawn again: their mean,"
            " how often the first, and the middle 95 %.",
            *([analysis.unranked] if analysis.unranked else []),
        ],
    )


def _virtual_best(analysis: Analysis) -> Table:
    found = analysis.virtual_best()
    virtual, single = formats.measured(found.mean), formats.measured(found.single_mean)
    return Table(
        name="virtual-best",
        title="Virtual best",
        columns=[
            METHOD,
            *_counts_of(best="fastest", alone="alone"),
            *_columns(formats.measured, contribution="contribution"),
        ],
        rows=named(found.methods),
        notes=[
            f"The fastest method of each instance: mean {virtual} s; the single best, "
            f"{found.single}: {single} s. Fastest and alone: instances that no other solves faster,"
            " or at all; contribution: the virtual best's mean without the method by that with it."
        ],
    )


def _fairness(analysis: Analysis) -> Table:
    found = findings(analysis.ordered)
    unfair = [one for one in found if one.unfair]
    lines = [
        {"weight": "UNFAIR" if one.unfair else "note", "aspect": one.aspect, "message": one.message}
        for one in found
    ]
    return Table(
        name="fairness",
        title="Fairness",
        columns=[
            Column("weight", "weight"),
            Column("aspect", "aspect"),
            Column("message", "finding"),
        ],
        rows=lines,
        mark=lambda row, key: "bad" if row["weight"] == "UNFAIR" and key == "weight" else "",
        notes=[] if unfair else ["Nothing that the rows tell is unfair."],
    )


def best_pairs(table: Table, analysis: Analysis) -> Table:
    """Return a table of many pairs with those of the best method only; any other as it is."""
    few = len(table.rows) <= MOST_PAIRS
    if few or not table.name.startswith("pairs") or not analysis.ranked:
        return table
    ranks = analysis.ranks_by_time if table.name.endswith("time") else analysis.ranks_by_cost
    best = ranks.index[0]
    kept = [row for row in table.rows if best in (row["one"], row["other"])]
    told = f"Of {counted(len(table.rows), 'pair')}, those with {best}; files have all."
    return replace(table, rows=kept, notes=[*table.notes, told])


def write_all(analysis: Analysis, folder: str | Path) -> list[Path]:
    """Write statistics.md, statistics.tex, a CSV for each table, pictures; return their paths."""
    from rsjs.reporting.figures.draw import write
    from rsjs.reporting.figures.figure_style import styles
    from rsjs.reporting.figures.methods import figures

    folder, told = Path(folder), analysis.conditions()
    made = tables(analysis)
    texts = {
        "statistics.md": markdown_all(made, told),
        "statistics.tex": latex_all(made, told),
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
