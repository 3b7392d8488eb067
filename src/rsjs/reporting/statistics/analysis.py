"""
All statistics of one comparison, each computed once; tables and pictures are made from these.

Two partitions of the runs are counted, for a run may hit its limit and still have a solution:

    what it has      proved | certified | valid | says infeasible | nothing | wrong
    why it stopped   by itself | time limit | memory limit | error | interrupted
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from rsjs.core.types import Floats
from rsjs.reporting.statistics import measures
from rsjs.reporting.statistics.gaps import (
    FAILURE,
    TARGETS,
    mean_gaps,
    seconds_to_targets,
    with_trajectories,
)
from rsjs.reporting.statistics.means import (
    VirtualBest,
    geometric_means,
    intersection,
    logarithms,
    penalised,
    penalised_average,
    shifted_means,
    virtual_best,
)
from rsjs.reporting.statistics.measures import Success, solved
from rsjs.reporting.statistics.pairwise import pairs
from rsjs.reporting.statistics.ranks import mean_ratio_interval, rank_shares, weights
from rsjs.reporting.statistics.tidy import PROBLEM, StoredRow, methods, tidy
from rsjs.reporting.tables.comparison import conditions
from rsjs.rows.select import are_shared, ordered

QUALITIES = ("proved", "certified", "valid", "says infeasible", "nothing", "wrong")
CAUSES = ("by itself", "time limit", "memory limit", "error", "interrupted")


def counts(runs: pd.DataFrame, target: float | None = None) -> pd.DataFrame:
    """
    Return runs of each method by what they have and by why they stopped.

    runs; one column for each of QUALITIES and CAUSES; not_run, the problems that other methods were
    run on and this one was not. `target` as in `measures.solved`.
    """
    names = methods(runs)
    made: dict[str, pd.Series] = {}
    marked = ((QUALITIES, _quality(runs, target)), (CAUSES, runs["stop"].map(_cause)))
    for words, found in marked:
        table = pd.crosstab(runs["method"], found).reindex(index=names, fill_value=0)
        made |= {word: table.get(word, pd.Series(0, index=names)) for word in words}
    own = runs["method"].value_counts()[names]
    return pd.DataFrame({"runs": own, **made, "not_run": len(runs.groupby(PROBLEM)) - own})


def _quality(runs: pd.DataFrame, target: float | None) -> pd.Series:
    quality = pd.Series("nothing", index=runs.index)
    quality[runs["stop"] == "infeasible"] = "says infeasible"
    quality[runs["status"].isin(["wrong", "infeasible"])] = "wrong"
    quality[runs["valid"]] = "valid"
    quality[solved(runs, "reached", target)] = "certified"
    quality[solved(runs, "proved", target)] = "proved"
    return quality


def _cause(stop: str) -> str:
    words = stop.replace("_", " ")
    return words if words in CAUSES else CAUSES[0]


SHIFT = 1.0  # s


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """What rows, as for `tidy.tidy`, say together."""

    rows: Sequence[StoredRow]
    success: Success = "reached"  # with `target` what counts as solved, see `measures.solved`
    target: float | None = None
    shift: float = SHIFT  # s, of the shifted geometric mean

    @cached_property
    def runs(self) -> pd.DataFrame:
        """One line per run."""
        return tidy(self.rows)

    @cached_property
    def ordered(self) -> list[StoredRow]:
        """The rows in the order of `rsjs.rows.select.ordered`."""
        return ordered(self.rows)

    @cached_property
    def ran(self) -> pd.DataFrame:
        """Whether each method was run on each problem."""
        return measures.ran(self.runs)

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
    def times(self) -> pd.DataFrame:
        """Seconds of the solved runs, problems x methods."""
        return measures.seconds(self.runs, self.success, self.target)

    @cached_property
    def logs(self) -> pd.DataFrame:
        """Logarithms of penalised seconds, NaN = not run, whose mean is ranked by time."""
        return logarithms(penalised(self.times, self.limits, ran=self.ran), self.shift)

    @cached_property
    def primal(self) -> pd.DataFrame:
        """Primal gaps, 1 for a failure, NaN = not run, whose mean is ranked by cost."""
        return measures.gaps(self.runs).fillna(FAILURE).where(self.ran)

    @cached_property
    def limits(self) -> pd.Series:
        """Time limit [s] of each problem."""
        return measures.limits(self.runs)

    @cached_property
    def drawn(self) -> Floats:
        """The bootstrap's draws."""
        return weights(self.logs.index)

    def means(self) -> pd.DataFrame:
        """Return `shifted_means`, the interval of the ratio, and `ran`, of all running times."""
        made = shifted_means(self.times, self.limits, self.shift, self.ran)
        compared = made.index[made["ratio"].notna()] if not self.is_shared else []
        best = made["ratio"].idxmin() if len(compared) else ""
        intervals = {
            name: mean_ratio_interval(self.logs, name, best, self.shift, self.drawn)
            for name in compared
        }
        return made.assign(
            solved=self.times.notna().sum(),
            problems=self.ran.sum(),
            ran=geometric_means(measures.running_times(self.runs), self.shift),
            low=pd.Series({name: low for name, (low, _) in intervals.items()}, dtype=float),
            high=pd.Series({name: high for name, (_, high) in intervals.items()}, dtype=float),
            in_both=len(intersection(self.times[self.ranked])) if self.ranked else 0,
            par10=penalised_average(self.times, self.limits, ran=self.ran),
        )

    def anytime(self) -> pd.DataFrame | None:
        """Mean gaps over time and the share of targets hit; None without events of all runs."""
        if not with_trajectories(self.runs):
            return None
        return pd.DataFrame(
            {
                "primal": mean_gaps(self.runs, "primal").mean(),
                "primal_dual": mean_gaps(self.runs, "primal_dual").mean(),
                "hit": self.hits.notna().sum() / (len(TARGETS) * self.ran.sum()),
            }
        )

    @cached_property
    def hits(self) -> pd.DataFrame:
        """Seconds to targets, (target, problem) x methods."""
        return seconds_to_targets(self.runs)

    def pairs_by_time(self) -> pd.DataFrame:
        """Return the pairs of methods by time, see `pairwise.pairs`."""
        return pairs(self.logs, self.times, self.drawn)

    def pairs_by_cost(self) -> pd.DataFrame:
        """Return the pairs of methods by primal gap; costs within 1 % of each other are a tie."""
        costs = measures.matrix(self.runs, self.runs["objective"])
        return pairs(self.primal, costs, self.drawn)

    @cached_property
    def ranks_by_time(self) -> pd.DataFrame:
        """Shares of ranks by time."""
        return rank_shares(self.logs[self.ranked], self.drawn)

    @cached_property
    def ranks_by_cost(self) -> pd.DataFrame:
        """Shares of ranks by primal gap."""
        return rank_shares(self.primal[self.ranked], self.drawn)

    def virtual_best(self) -> VirtualBest:
        """Return the portfolio of all methods."""
        filled = logarithms(penalised(self.times, self.limits), self.shift)
        return virtual_best(filled, self.times, self.shift, self.ranked)

    def conditions(self) -> list[str]:
        """Return limits, versions and seeds; several seeds are meant to differ."""
        seeds = sorted(set(self.runs["seed"]))
        if len(seeds) == 1:
            return conditions(self.ordered)
        others = [{**row, "seed": None} for row in self.ordered]
        return [*conditions(others), f"Seeds: {', '.join(map(str, seeds))}."]
