"""The families of instances that a report has, each analysed once, and the footer of tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, TypeVar

import pandas as pd

from rsjs.reporting.figures import figure_style
from rsjs.reporting.site.report_data import ReportRow
from rsjs.reporting.statistics import measures
from rsjs.reporting.statistics.analysis import Analysis
from rsjs.reporting.statistics.ranks import rank_spread
from rsjs.reporting.statistics.tables import tables
from rsjs.reporting.tables.comparison import LIMITS
from rsjs.reporting.tables.formats import DASH, counted
from rsjs.reporting.tables.table import Table
from rsjs.rows.select import by_family, competing, known

DIGITS = 12  # of a hash
SHOWN = {key: show for key, show in LIMITS.items() if key != "seed"}
SHOWN["memory_limit_mb"] = "{:g} MB".format

R = TypeVar("R", bound=Mapping[str, Any])


@dataclass(frozen=True, kw_only=True)
class Family:
    """The runs of a family of instances and their statistics."""

    name: str
    rows: list[ReportRow]
    order: Sequence[str] = ()  # all methods of the report: each has one colour in all families

    @cached_property
    def analysis(self) -> Analysis:
        """Its statistics."""
        return Analysis(rows=self.rows)

    @cached_property
    def footer(self) -> str:
        """What its runs have in common, see `footer`."""
        return footer(self.rows)

    @cached_property
    def tables(self) -> dict[str, Table]:
        """Its tables by name."""
        return {table.name: table for table in tables(self.analysis)}

    @property
    def unfair(self) -> list[Mapping[str, Any]]:
        """The findings of the fairness audit that favour a method."""
        return [row for row in self.tables["fairness"].rows if row["weight"] == "UNFAIR"]

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One line per method, from several tables; by mean primal gap, those not ranked last."""
        frames = {
            name: self.tables[name].frame.set_index("method")
            for name in ("counts", "times", "gaps")
        }
        made = frames["times"].join(frames["gaps"]).join(frames["counts"][["runs"]])
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
        """How each method is drawn, see `figure_style.styles`."""
        return figure_style.styles([*self.order, *self.methods])

    @property
    def methods(self) -> list[str]:
        """Its methods, in order of first appearance."""
        return list(dict.fromkeys(row["method"] for row in self.rows))

    @property
    def compared(self) -> list[str]:
        """Its methods without `references`, see `select.competing`."""
        return list(dict.fromkeys(row["method"] for row in competing(self.rows)))

    @property
    def instances(self) -> dict[str, list[ReportRow]]:
        """Name, which no other instance has -> its rows."""
        return grouped(self.rows, "instance")


def families(rows: Sequence[ReportRow]) -> list[Family]:
    """Return the families that there are, in the order of the catalogue."""
    order = list(dict.fromkeys(str(row["method"]) for row in competing(rows)))
    return [Family(name=name, rows=group, order=order) for name, group in by_family(rows).items()]


def grouped(rows: Sequence[R], key: str) -> dict[str, list[R]]:
    """Return the rows by one of their columns, in order of first appearance."""
    made: dict[str, list[R]] = {}
    for row in rows:
        made.setdefault(str(row[key]), []).append(row)
    return made


def run_set(rows: Sequence[Mapping[str, Any]]) -> str:
    """
    Return a name for a set of runs: sha256 of their sorted ids, one per line.

    Rows without run ids count by instance, method and seed.
    """
    names = sorted(
        str(
            known(row, "run_id")
            or f"{row['instance_sha256']} {row['method']} {row['seed']} {known(row, 'repetition')}"
        )
        for row in rows
    )
    return sha256("\n".join(names).encode()).hexdigest()[:DIGITS]


def footer(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return run set, commit, dates, processors, limits and timing, as far as they are recorded."""

    def values(key: str) -> list[Any]:
        return list(dict.fromkeys(row[key] for row in rows if known(row, key) is not None))

    commits = dict.fromkeys(
        str(row["commit"])[:DIGITS] + (" with changes" if str(row["dirty"]) == "True" else "")
        for row in rows
        if known(row, "commit")
    )
    days = sorted({str(begun)[:10] for begun in values("begun")})
    parts = [
        f"Run set {run_set(rows)}, {counted(len(rows), 'run')}",
        f"commit {' or '.join(commits)}" if commits else "",
        f" {DASH} ".join(dict.fromkeys([days[0], days[-1]])) if days else "",
        " or ".join(map(str, values("cpu_model"))),
        *(" or ".join(map(show, sorted(values(key)))) for key, show in SHOWN.items()),
        f"{' and '.join(sorted(values('timing')))} timing" if values("timing") else "",
    ]
    return " · ".join(filter(None, parts))


def versions(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the versions of solver and package that runs had."""
    return {
        word: sorted({str(found) for row in rows if (found := known(row, key))})
        for word, key in (("solver", "solver_version"), ("rsjs-bench", "rsjs_version"))
    }
