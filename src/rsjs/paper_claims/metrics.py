"""
Metrics of the rows of an experiment, by the names that claims give them in their files.

    saving      mean over instances of (best of the others - target) / best of the others
                Jahani (15)
    ratio       sum of a column per node over that of another method                   STS (29)
    gain        mean, or smallest, of 1 - ratio to each of the others                  STS (30)
    mean        mean of a formula of columns, e.g. `own_gap <= 0.05`, over chosen rows
    largest     its largest value
    growth      exponent of a column in the number of nodes

A metric is a function of the rows of one case as a data frame; nan where it is not known. Formulas
and the choice of rows are those of `pandas.DataFrame.eval` and `query`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import numpy as np
import pandas as pd

from rsjs.paper_claims.claim import Claim, Row, Rows, Values

ENDED = ("complete", "ok")
FIG4 = [1, 2, 4, 4, 2, 2, 1]  # Jahani 2019: GPUs of NV6, NV12, NV24, NV24, NV12, NV12, NV6


def values(claim: Claim, rows: Rows) -> Values:
    """
    Return our values of a claim from the rows of its experiment; none if nothing tests it.

    A case is a value of the column `case`, or what the claim calls so. Where an argument of the
    metric is a mapping, there is a value for each of its entries.
    """
    every = pd.DataFrame([*rows]).replace({None: np.nan}).infer_objects()
    every = every.query(claim.only) if claim.only else every
    own = {name: every.query(chosen) for name, chosen in claim.cases.items()}
    cases = own or {str(name): group for name, group in every.groupby("case", sort=False)}
    found = {}
    for metric, arguments in claim.metric.items():
        several = next((one for one in arguments if isinstance(one, dict)), {"": None})
        for variant in several:
            chosen = [one[variant] if one is several else one for one in arguments]
            for case, group in cases.items():
                parts = (case if len(cases) > 1 or not variant else "", variant)
                found[", ".join(filter(None, parts))] = float(globals()[metric](group, *chosen))
    return {name: value for name, value in found.items() if value == value}


def not_ended(rows: Rows) -> list[Row]:
    """Return the rows of runs that did not end well; rows of data have no status."""
    return [row for row in rows if row.get("status", ENDED[0]) not in ENDED]


def _ended(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["status"].isin(ENDED)] if "status" in rows else rows


def _paired(rows: pd.DataFrame, methods: Sequence[str], name: str) -> pd.DataFrame:
    """Return a column of methods side by side, for each instance on which all of them ended."""
    ended = _ended(rows).dropna(subset=["objective"])
    values = ended.assign(value=ended[name])
    index = ["case", "instance", "nodes"]
    table = values.pivot_table(values="value", index=index, columns="method", aggfunc="last")
    return table.reindex(columns=[*methods]).dropna()


def saving(rows: pd.DataFrame, target: str, others: Sequence[str]) -> float:
    """Return the mean saving against the best of the others."""
    costs = _paired(rows, [target, *others], "objective")
    return float((1 - costs[target] / costs[[*others]].min(axis=1)).mean())


def smallest_saving(rows: pd.DataFrame, target: str, others: Sequence[str]) -> float:
    """Return the smallest of the savings against each of the others."""
    return min(saving(rows, target, [other]) for other in others)


def ratio(rows: pd.DataFrame, target: str, other: str, name: str = "objective") -> float:
    """Return the sum of a column, per node, over that of another method."""
    table = _paired(rows, [target, other], name)
    sums = table.div(table.index.get_level_values("nodes"), axis=0).sum()
    return float(sums[target] / sums[other]) if sums[other] else nan


def gain(
    rows: pd.DataFrame,
    target: str,
    others: Sequence[str],
    name: str = "objective",
    how: str = "mean",
) -> float:
    """Return the mean, or the min, of the reductions of a sum against each of the others."""
    found = [1 - ratio(rows, target, other, name) for other in others]
    return float(np.min(found) if how == "min" else np.mean(found))


def gain_of_cases(rows: pd.DataFrame, target: str, others: Sequence[str]) -> float:
    """Return the mean gain over other methods and then cases."""
    found = [gain(own, target, others) for _, own in rows.groupby("case")]
    return float(np.mean(found)) if found else nan


def late(rows: pd.DataFrame, method: str) -> float:
    """Return the share of the jobs that are late."""
    own = _ended(rows).query("method == @method").dropna(subset=["objective"])
    return float(own["late"].sum() / own["jobs"].sum()) if len(own) else nan


def mean(rows: pd.DataFrame, formula: str, chosen: str = "") -> float:
    """Return the mean of a formula over chosen rows."""
    own = rows.query(chosen) if chosen else rows
    return float(own.eval(formula).mean()) if len(own) else nan


def largest(rows: pd.DataFrame, formula: str, chosen: str = "") -> float:
    """Return the largest value of a formula over chosen rows of runs that ended well."""
    own = _ended(rows).query(chosen) if chosen else _ended(rows)
    return float(own.eval(formula).max()) if len(own) else nan


def faster(rows: pd.DataFrame, method: str, other: str, name: str, by: str = "method") -> float:
    """Return how many times the mean seconds of a method another one takes."""
    means = _ended(rows).groupby(by)[name].mean()
    return float(means.get(other, nan) / means.get(method, nan))


def growth(rows: pd.DataFrame, method: str, name: str) -> float:
    """Return the exponent p of a column ~ nodes^p, by least squares on logarithms."""
    own = _ended(rows).query(f"method == @method and {name} > 0")
    if own["nodes"].nunique() < 2:
        return nan
    return float(np.polyfit(np.log(own["nodes"]), np.log(own[name]), 1)[0])


def slots_as_published(rows: pd.DataFrame) -> float:
    """Return the share of the slots of Fig. 4 (Jahani 2019) with as many GPUs as published."""
    slots = [[int(gpus) for gpus in str(text).split()] for text in _ended(rows)["slots"]]
    equal = (a == b for own in slots for a, b in zip(FIG4, own, strict=False))
    return sum(equal) / (len(FIG4) * len(slots)) if slots else nan


def deviation(rows: pd.DataFrame, below: str) -> float:
    """Return |predicted - real| over one of them, of rows of both costs."""
    cost = rows.set_index("method")["objective"]
    return float(abs(cost["predicted"] - cost["real"]) / cost[below])


def drift(rows: pd.DataFrame, target: str, other: str) -> float:
    """Return the largest over the least total cost ratio among the numbers of nodes."""
    found = [ratio(own, target, other) for _, own in rows.groupby("nodes")]
    known = [value for value in found if value == value]
    return max(known) / min(known) if len(known) > 1 else nan


def gain_by_sharing(rows: pd.DataFrame, method: str, name: str) -> float:
    """Return the reduction of a sum by sharing GPUs, the mean over the arrival processes."""
    own = _ended(rows).query("method == @method")
    sums = (own[name] / own["nodes"]).groupby(own["case"]).sum()
    dedicated = sums.reindex(sums.index.str.removesuffix(", shared")).to_numpy()
    return float((1 - sums / dedicated)[sums.index.str.endswith(", shared")].mean())


def distance_from_uniform(rows: pd.DataFrame, name: str, count: int) -> float:
    """Return the largest distance of the share of a value 1, ..., `count` from 1 / count."""
    shares = rows[name].value_counts(normalize=True).reindex(range(1, count + 1), fill_value=0.0)
    return float((shares - 1 / count).abs().max())


def above_best(rows: pd.DataFrame, method: str) -> float:
    """Return the mean share by which a method is above the best value known."""
    costs = _ended(rows).pivot_table(values="objective", index="instance", columns="method")
    return float((costs[method] / costs.min(axis=1) - 1).mean())
