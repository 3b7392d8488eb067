"""All statistics of one comparison, each computed once; tables and pictures are made from these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from rsjs.reporting.conditions import conditions
from rsjs.reporting.rows import Row, is_shared
from rsjs.reporting.statistics import measures
from rsjs.reporting.statistics.bootstrap import Array, mean_ratio_interval, weights
from rsjs.reporting.statistics.counts import counts
from rsjs.reporting.statistics.ecdf import seconds_to_targets
from rsjs.reporting.statistics.failures import intersection, penalised
from rsjs.reporting.statistics.fairness import Finding, findings
from rsjs.reporting.statistics.gap_summary import FAILURE, gap_summary
from rsjs.reporting.statistics.integrals import mean_gaps, with_courses
from rsjs.reporting.statistics.measures import Success
from rsjs.reporting.statistics.pairs import pairs
from rsjs.reporting.statistics.par import penalised_average
from rsjs.reporting.statistics.rank_stability import rank_shares
from rsjs.reporting.statistics.runs import tidy
from rsjs.reporting.statistics.shifted_mean import logarithms, shifted_means
from rsjs.reporting.statistics.virtual_best import VirtualBest, virtual_best

SHIFT = 1.0  # s


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """
    What `rows` say together.

    Attributes
    ----------
    rows : sequence of mappings
        As for `runs.tidy`.
    success, target
        What counts as solved; see `measures.solved`.
    shift : float
        Of the shifted geometric mean, seconds.
    """

    rows: Sequence[Row]
    success: Success = "reached"
    target: float | None = None
    shift: float = SHIFT

    @cached_property
    def runs(self) -> pd.DataFrame:
        """One line per run."""
        return tidy(self.rows)

    @cached_property
    def is_shared(self) -> bool:
        """Whether seconds were measured beside other runs, so that none may be ranked."""
        return any(map(is_shared, self.rows))

    @cached_property
    def times(self) -> pd.DataFrame:
        """Seconds of the solved runs, problems x methods."""
        return measures.seconds(self.runs, self.success, self.target)

    @cached_property
    def logs(self) -> pd.DataFrame:
        """Logarithms of penalised seconds, whose mean is that of the ranking by time."""
        return logarithms(penalised(self.times, self.limits), self.shift)

    @cached_property
    def primal(self) -> pd.DataFrame:
        """Primal gaps, 1 for a failure, whose mean is that of the ranking by cost."""
        return measures.gaps(self.runs).fillna(FAILURE)

    @cached_property
    def limits(self) -> pd.Series:
        """Seconds of each problem."""
        return measures.limits(self.runs)

    @cached_property
    def drawn(self) -> Array:
        """The bootstrap's draws."""
        return weights(self.logs.index)

    def counts(self) -> pd.DataFrame:
        """See `counts.counts`."""
        return counts(self.runs, self.target)

    def means(self) -> pd.DataFrame:
        """Means of the seconds by method, with the interval of the ratio to the least mean."""
        made = shifted_means(self.times, self.limits, self.shift)
        best = made["penalised"].idxmin()
        intervals = {
            name: mean_ratio_interval(self.logs, name, best, self.shift, self.drawn)
            for name in made.index
            if not self.is_shared
        }
        return made.assign(
            solved=self.times.notna().sum(),
            problems=len(self.times),
            low=pd.Series({name: low for name, (low, _) in intervals.items()}, dtype=float),
            high=pd.Series({name: high for name, (_, high) in intervals.items()}, dtype=float),
            in_both=len(intersection(self.times)),
            par10=penalised_average(self.times, self.limits),
        )

    def gaps(self) -> pd.DataFrame:
        """See `gap_summary.gap_summary`."""
        return gap_summary(self.runs)

    def anytime(self) -> pd.DataFrame | None:
        """Mean gaps over time and the share of targets hit; None without events of all runs."""
        if not with_courses(self.runs):
            return None
        return pd.DataFrame(
            {
                "primal": mean_gaps(self.runs, "primal").fillna(FAILURE).mean(),
                "primal_dual": mean_gaps(self.runs, "primal_dual").fillna(FAILURE).mean(),
                "hit": self.hits.notna().mean(),
            }
        )

    @cached_property
    def hits(self) -> pd.DataFrame:
        """Seconds to targets, (target, problem) x methods."""
        return seconds_to_targets(self.runs)

    def pairs_by_time(self) -> pd.DataFrame:
        """See `pairs.pairs`."""
        return pairs(self.logs, self.times, self.drawn)

    def pairs_by_cost(self) -> pd.DataFrame:
        """The same on primal gaps; costs within 1 % of each other are a tie."""
        costs = measures.matrix(self.runs, self.runs["objective"])
        return pairs(self.primal, costs, self.drawn)

    @cached_property
    def ranks_by_time(self) -> pd.DataFrame:
        """See `rank_stability.rank_shares`."""
        return rank_shares(self.logs, self.drawn)

    @cached_property
    def ranks_by_cost(self) -> pd.DataFrame:
        """The same on primal gaps."""
        return rank_shares(self.primal, self.drawn)

    def virtual_best(self) -> VirtualBest:
        """See `virtual_best.virtual_best`."""
        return virtual_best(self.logs, self.times, self.shift)

    def conditions(self) -> list[str]:
        """Limits, versions and seeds; several seeds are meant to differ."""
        seeds = sorted(set(self.runs["seed"]))
        if len(seeds) == 1:
            return conditions(self.rows)
        others = [{**row, "seed": None} for row in self.rows]
        return [*conditions(others), f"Seeds: {', '.join(map(str, seeds))}."]

    def findings(self) -> list[Finding]:
        """See `fairness.findings`."""
        return findings(self.rows)
