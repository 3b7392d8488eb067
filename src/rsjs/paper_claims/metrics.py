"""
Figures of rows.

    paired      workloads or instances that all methods completed
    saving      mean over them of (best of the others - target) / best of the others   Jahani (15)
    ratio       sum of a column per node over that of another method                   STS (29)
    gain        1 - ratio                                                              STS (30)
    late        share of the jobs that are late
    over_all    minimum, mean, ... of several figures
    growth      exponent of a column in the number of nodes
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import log
from statistics import fmean

from rsjs.paper_claims.claim import Row, Rows, Values

Figure = Callable[[Rows], float | None]
Key = Callable[[Row], str | None]
Value = Callable[[Rows], Values]
ENDED = ("complete", "ok")


def each_case(figure: Figure, key: Key = lambda row: str(row["case"])) -> Value:
    """A figure of the rows of each case, without cases in which it is not known."""

    def values(rows: Rows) -> Values:
        names = dict.fromkeys(name for name in map(key, rows) if name is not None)
        found = ((name, figure([row for row in rows if key(row) == name])) for name in names)
        return {name: value for name, value in found if value is not None}

    return values


def with_nodes(figure: Figure, low: int, high: int | None = None) -> Figure:
    """A figure of the rows of clusters of so many nodes."""
    return lambda rows: figure([row for row in rows if low <= row["nodes"] <= (high or low)])


def paired(rows: Rows, methods: Sequence[str]) -> list[dict[str, Row]]:
    """Method -> row, for each workload on which all of these ended well."""
    found: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows:
        if row["status"] in ENDED and row["objective"] is not None:
            found.setdefault((str(row["case"]), row["instance"]), {})[row["method"]] = row
    return [own for own in found.values() if all(method in own for method in methods)]


def saving(target: str, others: Sequence[str], name: str = "objective") -> Figure:
    """Mean saving against the best of the others."""

    def figure(rows: Rows) -> float | None:
        return mean(
            1 - own[target][name] / min(own[other][name] for other in others)
            for own in paired(rows, [target, *others])
        )

    return figure


def ratio(target: str, other: str, name: str = "objective") -> Figure:
    """Sum of a column, per node, over that of another method."""

    def figure(rows: Rows) -> float | None:
        own = paired(rows, [target, other])
        above, under = (sum(o[m][name] / o[m]["nodes"] for o in own) for m in (target, other))
        return above / under if under else None

    return figure


def gain(target: str, other: str, name: str = "objective") -> Figure:
    """Reduction of a sum against another method."""
    over = ratio(target, other, name)

    def figure(rows: Rows) -> float | None:
        found = over(rows)
        return None if found is None else 1 - found

    return figure


def over_all(how: Callable[[Sequence[float]], float], figures: Sequence[Figure]) -> Figure:
    """Return a figure that joins several ones; None if one of them is not known."""

    def figure(rows: Rows) -> float | None:
        known = [value for one in figures if (value := one(rows)) is not None]
        return how(known) if len(known) == len(figures) else None

    return figure


def late(method: str) -> Figure:
    """Share of the jobs that are late."""

    def figure(rows: Rows) -> float | None:
        own = [pair[method] for pair in paired(rows, [method])]
        jobs = sum(row["jobs"] for row in own)
        return sum(row["late"] for row in own) / jobs if jobs else None

    return figure


def column(rows: Rows, method: str, name: str) -> list[float]:
    """What is known of a column of a method, of runs that ended well."""
    own = (row for row in rows if row["method"] == method and row["status"] in ENDED)
    return [row[name] for row in own if row[name] is not None]


def most(method: str, name: str) -> Figure:
    """The largest value of a column of a method."""
    return lambda rows: max(column(rows, method, name), default=None)


def faster(method: str, other: str, name: str) -> Figure:
    """How many times the mean seconds of a method another one takes."""

    def figure(rows: Rows) -> float | None:
        own, theirs = mean(column(rows, method, name)), mean(column(rows, other, name))
        return theirs / own if own and theirs is not None else None

    return figure


def growth(method: str, name: str) -> Figure:
    """Exponent p of a column ~ nodes^p, by least squares on logarithms."""

    def figure(rows: Rows) -> float | None:
        points = [
            (log(row["nodes"]), log(row[name]))
            for row in rows
            if row["method"] == method and row["status"] in ENDED and row[name]
        ]
        if len({x for x, _ in points}) < 2:
            return None
        x0, y0 = fmean(x for x, _ in points), fmean(y for _, y in points)
        slope = sum((x - x0) * (y - y0) for x, y in points)
        return slope / sum((x - x0) ** 2 for x, _ in points)

    return figure


def mean(values: Iterable[float]) -> float | None:
    """The mean; None of nothing."""
    known = list(values)
    return fmean(known) if known else None


def ended(rows: Rows) -> list[Row]:
    """Rows of runs that ended well."""
    return [row for row in rows if row["status"] in ENDED]


def not_ended(rows: Rows) -> list[Row]:
    """Rows of runs that did not; rows of data have no status."""
    return [row for row in rows if row.get("status", ENDED[0]) not in ENDED]
