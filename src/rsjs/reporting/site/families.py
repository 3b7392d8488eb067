"""The families of instances that a report has, each analysed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar, cast

import pandas as pd

from rsjs.reporting.figures import figure_style
from rsjs.reporting.site.footer import footing
from rsjs.reporting.site.plots import method_styles
from rsjs.reporting.statistics import measures
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.ranks import rank_spread
from rsjs.reporting.statistics.tables import tables
from rsjs.reporting.statistics.tidy import StoredRow
from rsjs.reporting.tables.table import Table
from rsjs.rows.select import by_family, competing

Row = dict[str, Any]
R = TypeVar("R", bound=Mapping[str, Any])


@dataclass(frozen=True, kw_only=True)
class Family:
    """
    The runs of a family of instances and their statistics.

    Attributes
    ----------
    name : str
    rows : list of Row
    order : sequence of str
        All methods of the report, so that each has one colour in all families.
    """

    name: str
    rows: list[Row]
    order: Sequence[str] = ()

    @cached_property
    def analysis(self) -> Analysis:
        """Its statistics."""
        return Analysis(rows=cast(list[StoredRow], self.rows))

    @cached_property
    def is_shared(self) -> bool:
        """Whether seconds of it were measured beside other runs, so that none is ranked."""
        return self.analysis.is_shared

    @cached_property
    def footer(self) -> str:
        """What its runs have in common, see `footer.footing`."""
        return footing(self.rows)

    @cached_property
    def tables(self) -> dict[str, Table]:
        """Its tables by name."""
        return {table.name: table for table in tables(self.analysis)}

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One line per method, from several tables; by mean primal gap, those not ranked last."""
        frames = {
            name: table.frame.set_index("method")
            for name, table in self.tables.items()
            if name in ("counts", "times", "gaps")
        }
        made = frames["times"].join(frames["gaps"]).join(frames["counts"][["runs"]])
        made["instances"] = pd.Series(
            {
                name: len({row["instance_sha256"] for row in self.rows if row["method"] == name})
                for name in made.index
            }
        )
        ranked = self.analysis.ranked
        spread = pd.DataFrame(columns=["mean", "low", "high"], dtype=float)
        if ranked:
            spread = rank_spread(self.analysis.ranks_by_cost)
        made = made.join(spread.add_prefix("rank_")).assign(
            unranked=~made.index.isin(ranked),
            verified=measures.gaps(self.analysis.runs).notna().sum(),
            cost_ratio=measures.cost_ratios(self.analysis.runs),
        )
        made["rank"] = made["primal_mean"].where(~made["unranked"]).round(9).rank(method="min")
        return made.sort_values(["unranked", "primal_mean"], kind="stable")

    @cached_property
    def styles(self) -> dict[str, dict[str, Any]]:
        """How each method is drawn on pages, see `plots.method_styles`."""
        return method_styles([*self.order, *self.methods])

    @cached_property
    def pictures(self) -> dict[str, dict[str, Any]]:
        """How each method is drawn in files, see `figure_style.styles`."""
        return figure_style.styles([*self.order, *self.methods])

    @property
    def methods(self) -> list[str]:
        """In order of first appearance."""
        return list(dict.fromkeys(row["method"] for row in self.rows))

    @property
    def compared(self) -> list[str]:
        """The same without `references`, see `select.competing`."""
        return list(dict.fromkeys(row["method"] for row in competing(self.rows)))

    @property
    def instances(self) -> dict[str, list[Row]]:
        """Name, which no other instance has -> its rows."""
        return grouped(self.rows, "instance")


def families(rows: Sequence[Row]) -> list[Family]:
    """Those that there are, in the order of the catalogue."""
    order = list(dict.fromkeys(str(row["method"]) for row in competing(rows)))
    return [Family(name=name, rows=group, order=order) for name, group in by_family(rows).items()]


def grouped(rows: Sequence[R], key: str) -> dict[str, list[R]]:
    """The rows by one of their columns, in order of first appearance."""
    made: dict[str, list[R]] = {}
    for row in rows:
        made.setdefault(str(row[key]), []).append(row)
    return made
