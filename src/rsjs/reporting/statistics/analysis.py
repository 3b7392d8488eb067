"""
All statistics of one comparison, each computed once; tables and pictures are made from these.

Two partitions of the runs are counted, for a run may hit its limit and still have a solution:

    what it has      QUALITIES: as `quality` of its row, and WITHIN_GAP of another method's bound
    why it stopped   CAUSES: as `ended` of its row, and INTERRUPTED
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd

from rsjs.core.errors import InputError
from rsjs.core.report import Stop
from rsjs.core.types import Floats
from rsjs.reporting.references import references, rule
from rsjs.reporting.statistics import gaps, means
from rsjs.reporting.statistics.means import VirtualBest
from rsjs.reporting.statistics.ranks import (
    interval,
    mean_ratio_interval,
    pairs,
    rank_shares,
    weights,
)
from rsjs.reporting.statistics.tidy import (
    PROBLEM,
    StoredRow,
    Success,
    matrix,
    methods,
    solved,
    tidy,
)
from rsjs.reporting.tables.comparison import conditions
from rsjs.rows.build import ENDED_BY_STOP
from rsjs.rows.select import AnyRow, are_shared, ordered

QUALITIES = (
    *("OPTIMAL_VERIFIED", "WITHIN_GAP", "FEASIBLE_VERIFIED"),
    *("INFEASIBLE_CLAIMED", "BOUND_ONLY", "NO_SOLUTION", "WRONG"),
)
CAUSES = ("FINISHED", *ENDED_BY_STOP.values(), "INTERRUPTED")
SHIFT = 1.0  # s
Measure = Literal["time", "cost"]


def counts(runs: pd.DataFrame) -> pd.DataFrame:
    """
    Return counts of runs of each method, by quality and by reason why they stopped.

    runs; one column for each of QUALITIES and CAUSES; not_run, the problems that other methods were
    run on and this one was not.
    """
    quality = pd.Series("NO_SOLUTION", index=runs.index)
    completed = ~runs["stop"].isin([*ENDED_BY_STOP, Stop.INTERRUPTED])
    quality[completed & runs["bound"].notna()] = "BOUND_ONLY"
    quality[runs["stop"] == Stop.INFEASIBLE] = "INFEASIBLE_CLAIMED"
    quality[runs["status"].isin(["wrong", "infeasible"])] = "WRONG"
    quality[runs["valid"]] = "FEASIBLE_VERIFIED"
    quality[solved(runs, "reached")] = "WITHIN_GAP"
    quality[solved(runs, "proved")] = "OPTIMAL_VERIFIED"
    cause = runs["stop"].map({**ENDED_BY_STOP, Stop.INTERRUPTED: "INTERRUPTED"})
    words = pd.concat([quality, cause.fillna("FINISHED")])
    names = methods(runs)
    found = pd.crosstab(pd.concat([runs["method"]] * 2).to_numpy(), words.to_numpy())
    found = found.reindex(index=names, columns=[*QUALITIES, *CAUSES], fill_value=0)
    own = runs["method"].value_counts()[names]
    found.insert(0, "runs", own)
    return found.assign(not_run=len(runs.groupby(PROBLEM)) - own).rename_axis(None, axis=1)


def baseline_of(rows: Sequence[AnyRow], given: str | None) -> str | None:
    """
    Return the method of rows that a baseline names, whole or without its default solver and rule.

    InputError at "/baseline" for a name of none or of several of the methods.
    """
    if given is None:
        return None
    names = list(dict.fromkeys(str(row["method"]) for row in rows))
    found = [name for name in names if name == given]
    found = found or [name for name in names if re.split("[@:?]", name)[0] == given]
    if len(found) != 1:
        expected = f"one of {', '.join(found or names)}"
        raise InputError("/baseline", given, expected)
    return found[0]


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """Statistics of rows, as `tidy.tidy` takes them."""

    rows: Sequence[StoredRow]
    success: Success = "reached"  # with `target` what counts as solved, see `tidy.solved`
    target: float | None = None
    shift: float = SHIFT  # s, of the shifted geometric mean
    baseline: str | None = None  # see `against`

    @cached_property
    def against(self) -> str | None:
        """The baseline if it is one of the methods: all are compared with it; None: all pairs."""
        return next((self.baseline for row in self.rows if row["method"] == self.baseline), None)

    @cached_property
    def runs(self) -> pd.DataFrame:
        """One line per run."""
        return tidy(self.rows)

    @cached_property
    def ordered(self) -> list[StoredRow]:
        """The rows in the order of `rsjs.rows.select.ordered`."""
        return ordered(self.rows)

    @cached_property
    def rule(self) -> str:
        """What costs are compared with, see `references.rule`."""
        return rule(self.rows, references(self.rows))

    @cached_property
    def ran(self) -> pd.DataFrame:
        """Whether each method was run on each problem."""
        return matrix(self.runs, "limit").notna()

    @cached_property
    def ranked(self) -> list[str]:
        """The methods that were run on all problems: no others are ranked or drawn."""
        return [str(name) for name in self.ran.columns[self.ran.all()]]

    @cached_property
    def best_first(self) -> list[str]:
        """The ranked methods by mean rank by cost."""
        if len(self.ranked) < 2:
            return self.ranked
        return [str(name) for name in self.ranks_by_cost.index]

    @property
    def unranked(self) -> str:
        """Which methods are not ranked, and why, in a sentence; "" if all are."""
        counts = self.ran.sum()
        left = [f"{name} ({n})" for name, n in counts.items() if name not in self.ranked]
        if not left:
            return ""
        return f"Not ranked, as not run on all {len(self.ran)} problems: {', '.join(left)}."

    @cached_property
    def is_shared(self) -> bool:
        """Whether seconds were measured beside others: none is ranked."""
        return are_shared(self.rows)

    @cached_property
    def limits(self) -> pd.Series:
        """Time limit [s] of each problem: the longest, where runs differ."""
        return matrix(self.runs, "limit").max(axis=1)

    @cached_property
    def times(self) -> pd.DataFrame:
        """Seconds of the solved runs, at most their limits, problems x methods."""
        spent = self.runs["seconds"].fillna(self.runs["limit"]).clip(upper=self.runs["limit"])
        return matrix(self.runs, spent.where(solved(self.runs, self.success, self.target)))

    @cached_property
    def logs(self) -> pd.DataFrame:
        """Logarithms of penalised seconds, NaN = not run, whose mean is ranked by time."""
        return means.logarithms(means.penalised(self.times, self.limits, ran=self.ran), self.shift)

    @cached_property
    def primal(self) -> pd.DataFrame:
        """Primal gaps, 1 for a failure, NaN = not run, whose mean is ranked by cost."""
        return matrix(self.runs, "primal_gap").fillna(gaps.FAILURE).where(self.ran)

    @cached_property
    def drawn(self) -> Floats:
        """The bootstrap's draws."""
        return weights(self.logs.index)

    @cached_property
    def summary(self) -> pd.DataFrame:
        """
        Return the data of the ranked summary, a line per method, best first, unranked ones last.

        rank by mean primal gap; problems, those that it was run on; verified, those with a
        solution; solved, see `tidy.solved`; ratio, the median of cost / best cost; seconds, the
        median running time [s]; wins, on how many problems no method of these rows is cheaper.
        """
        runs = self.runs
        made = pd.DataFrame(
            {
                "problems": self.ran.sum(),
                "verified": matrix(runs, "valid").eq(True).sum(),
                "solved": self.times.notna().sum(),
                "ratio": matrix(runs, "cost_ratio").median(),
                "seconds": matrix(runs, "seconds").median(),
                "wins": matrix(runs, "is_least").eq(True).sum(),
                "primal_mean": self.primal.mean(),
            }
        ).assign(unranked=~self.ran.all())
        made["rank"] = made["primal_mean"].where(~made["unranked"]).round(9).rank(method="min")
        return made.sort_values(["unranked", "primal_mean"], kind="stable")

    def means(self) -> pd.DataFrame:
        """
        Return seconds and counts by method.

        solved of problems; ran, the mean of all running times; those of `means.shifted_means`, with
        the interval of the ratio; par10. NaN where nothing is known or seconds are not ranked.
        """
        runs, shift = self.runs, self.shift
        spent = runs["seconds"].fillna(runs["limit"].where(runs["stop"] == "time_limit"))
        shifted = means.shifted_means(self.times, self.limits, shift, self.ran)
        ratio = shifted["ratio"]
        ends = {
            name: mean_ratio_interval(self.logs, name, ratio.idxmin(), shift, self.drawn)
            for name in ratio.index[ratio.notna() & (not self.is_shared)]
        }
        return pd.DataFrame(
            {
                "solved": self.times.notna().sum(),
                "problems": self.ran.sum(),
                "ran": means.geometric_means(matrix(runs, spent), shift),
                "penalised": shifted["penalised"],
                "ratio": ratio,
                "ratio_low": pd.Series({name: low for name, (low, _) in ends.items()}, dtype=float),
                "ratio_high": pd.Series(
                    {name: high for name, (_, high) in ends.items()}, dtype=float
                ),
                "intersection": shifted["intersection"],
                "par10": means.penalised_average(self.times, self.limits, ran=self.ran),
            }
        ).loc[shifted.index]

    def anytime(self) -> pd.DataFrame | None:
        """Return mean gaps over time and the share of targets hit; None without all events."""
        if not gaps.with_trajectories(self.runs):
            return None
        return pd.DataFrame(
            {
                "primal": gaps.mean_gaps(self.runs, "primal").mean(),
                "primal_dual": gaps.mean_gaps(self.runs, "primal_dual").mean(),
                "hit": self.hits.notna().sum() / (len(gaps.TARGETS) * self.ran.sum()),
            }
        )

    @cached_property
    def hits(self) -> pd.DataFrame:
        """Seconds to targets, (target, problem) x methods."""
        return gaps.seconds_to_targets(self.runs)

    def pairs(self, measure: Measure) -> pd.DataFrame:
        """Return the pairs of methods, see `ranks.pairs`; by cost, by their primal gaps."""
        if measure == "time":
            return pairs(self.logs, self.times, self.drawn, self.against)
        return pairs(self.primal, matrix(self.runs, "objective"), self.drawn, self.against)

    @cached_property
    def ranks_by_time(self) -> pd.DataFrame:
        """Shares of ranks by time."""
        return rank_shares(self.logs[self.ranked], self.drawn)

    @cached_property
    def ranks_by_cost(self) -> pd.DataFrame:
        """Shares of ranks by primal gap."""
        return rank_shares(self.primal[self.ranked], self.drawn)

    def gap_intervals(self) -> pd.DataFrame:
        """Return the mean primal gap of each ranked method, gap_mean, and its interval in draws."""
        means = self.drawn @ self.primal[self.ranked].to_numpy(dtype=np.float64)
        ends = [interval(own) for own in means.T]
        return pd.DataFrame(
            {
                "gap_mean": self.primal[self.ranked].mean(),
                "gap_low": [low for low, _ in ends],
                "gap_high": [high for _, high in ends],
            }
        )

    def virtual_best(self) -> VirtualBest:
        """Return the portfolio of the ranked methods."""
        return means.virtual_best(self.logs[self.ranked], self.times[self.ranked], self.shift)

    def conditions(self) -> list[str]:
        """Return limits, versions and seeds; several seeds are meant to differ."""
        seeds = sorted(set(self.runs["seed"]))
        if len(seeds) == 1:
            return conditions(self.ordered)
        others = [{**row, "seed": None} for row in self.ordered]
        return [*conditions(others), f"Seeds: {', '.join(map(str, seeds))}."]
