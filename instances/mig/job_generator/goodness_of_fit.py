"""
Goodness of fit: whether sets of jobs look like the distributions they were drawn from.

Each field that is drawn on its own stands beside its distribution: mean, standard deviation and
Pearson's chi-square test. Arrivals of Poisson processes are tested after the change of time by the
integrated rate, under which their gaps are exponential of mean 1. A small p-value among many says
nothing; none is a failure.

A distribution maps uniforms to values, so its values on a fine grid of [0, 1], finer still at both
ends, with the widths of the cells as probabilities, are the distribution but for the grid's
resolution. This serves all alike, clipped, rounded and mixed ones too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.core.types import Floats
from rsjs.instances.generators.random_streams import exponential
from rsjs.instances.mig.job_generator.config import JobClass, MigConfig
from rsjs.instances.mig.job_generator.distributions import DECIMALS, Value, outside
from rsjs.instances.mig.job_generator.random_streams import Uniforms
from rsjs.instances.mig.jobs import JobSet

_CELLS, _OCTAVES = 2**16, 36  # the last cell begins at 1 - 2^-52
_RESOLVED = 0.01  # most of a moment that the cell at an end may hold
_BINS, _FEWEST = 20, 5.0


@dataclass(frozen=True, eq=False)
class Reference:
    """A distribution on a finite number of values."""

    values: Floats  # (cells,) in the order of the uniforms
    weight: Floats  # (cells,) > 0, adds to 1

    @classmethod
    @np.errstate(over="ignore", invalid="ignore")  # a distribution without moments
    def of(cls, value: Value) -> Reference:
        """Build the distribution of a value."""
        u, weight = _grid()
        values = value.distribution(Uniforms(0, "reference", len(u), np.arange(len(u)), u))
        if value.truncate is not None:
            kept = ~outside(values, value.truncate)
            values, weight = values[kept], weight[kept]
        values = np.round(value.finish(values), DECIMALS)
        return cls(values, weight / weight.sum())

    def moments(self) -> tuple[float | None, float | None]:
        """Return mean and standard deviation; None where the cells at the ends hold much of it."""
        if not _resolved(self.weight * np.abs(self.values)):
            return None, None
        mean = float(self.values[0] + self.weight @ (self.values - self.values[0]))
        parts = self.weight * (self.values - mean) ** 2
        return mean, sqrt(parts.sum()) if _resolved(parts) else None

    def p_value(self, sample: Floats) -> float | None:
        """
        Return the p-value of Pearson's chi-square test; None if it has fewer than two bins.

        Up to 20 bins, equally likely as far as possible, each expected 5 times at least.
        """
        from scipy.stats import chisquare

        n = len(sample)
        bins = int(min(_BINS, n // _FEWEST))
        # Cuts at equal shares of the distribution; bins of few values are joined below.
        order = np.argsort(self.values, kind="stable")
        reached = np.cumsum(self.weight[order])
        places = np.searchsorted(reached, np.arange(1, bins) / bins)
        cuts = np.unique(self.values[order][np.minimum(places, len(order) - 1)])
        expected = n * np.bincount(np.searchsorted(cuts, self.values), self.weight, len(cuts) + 1)
        seen = np.bincount(np.searchsorted(cuts, sample), minlength=len(cuts) + 1)
        begin = _begins(expected.tolist())
        if len(begin) < 2:
            return None
        observed, expected = np.add.reduceat(seen, begin), np.add.reduceat(expected, begin)
        return float(chisquare(observed, expected).pvalue)


def _grid() -> tuple[Floats, Floats]:
    """Return midpoints and widths of cells of [0, 1]."""
    # Cells of one width, the first and the last one halved again and again.
    ends = 0.5 ** np.arange(1, _OCTAVES + 1) / _CELLS
    inner = np.arange(1, _CELLS) / _CELLS
    edges = np.concatenate([[0.0], ends[::-1], inner, 1 - ends, [1.0]])
    return (edges[1:] + edges[:-1]) / 2, np.diff(edges)


def _resolved(parts: Floats) -> bool:
    few = len(parts) < _CELLS / 2  # a coin, or what a narrow truncation leaves
    return bool(few or max(parts[0], parts[-1]) <= _RESOLVED * parts.sum())


def _begins(expected: list[float]) -> list[int]:
    """Return where bins begin, bins of few joined with the ones after, the last with before."""
    begin, total = [0], 0.0
    for i, count in enumerate(expected):
        if total >= _FEWEST and sum(expected[i:]) >= _FEWEST:
            begin.append(i)
            total = 0.0
        total += count
    return begin


QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)
INTEGERS, COINS = ("priority", "run_length", "cuda_cores"), ("interruptible", "migratable")
FIRST = "memory, first"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldStatistics:
    """Statistics of one field of the jobs of one class; a missing number is None."""

    field: str
    job_class: str
    n: int  # values seen
    mean: float
    deviation: float
    quantiles: tuple[float, ...]  # at QUANTILES
    law_mean: float | None = None  # of the distribution, unless it is not finite, as is the next
    law_deviation: float | None = None
    p_value: float | None = None  # of the chi-square test
    at_clip: float | None = None  # share of the values at an end of their distribution's clip


def statistics(sets: Sequence[JobSet], config: MigConfig | None = None) -> list[FieldStatistics]:
    """Return every field of every class over all sets, beside its distribution."""
    names = dict.fromkeys(name for jobs in sets for name in jobs.classes)
    classes = {known.name: known for known in config.classes} if config else {}
    rows = [_of_gaps(sets, config)]
    for name in names:
        rows += _of_class(sets, name, classes.get(name))
    return [row for row in rows if row is not None]


def _of_gaps(sets: Sequence[JobSet], config: MigConfig | None) -> FieldStatistics | None:
    gaps = np.concatenate([np.diff(jobs.arrival, prepend=0.0) for jobs in sets])
    process = config.arrivals if config else None
    if process is None or process.rates is None:
        gap = process.gap if process else None
        return _row("gap", "", np.round(gaps, DECIMALS), Reference.of(gap) if gap else None)
    integral = [np.append(0.0, process.rates.integral(jobs.arrival)) for jobs in sets]
    u, weight = _grid()
    unit = Reference(exponential(u, 1.0), weight)
    row = _row("gap", "", gaps)
    return row and replace(row, p_value=unit.p_value(np.concatenate([*map(np.diff, integral)])))


def _of_class(
    sets: Sequence[JobSet], name: str, drawn: JobClass | None
) -> Iterator[FieldStatistics | None]:
    columns: dict[str, list[NDArray[Any]]] = defaultdict(list)
    extra: dict[str, list[float]] = defaultdict(list)
    # Columns of the jobs of the class in each set; of further fields, the numbers.
    for jobs in sets:
        if name not in jobs.classes:
            continue
        of_class = jobs.job_class == jobs.classes.index(name)
        for field in (*INTEGERS, *COINS):
            columns[field].append(getattr(jobs, field)[of_class])
        columns[FIRST].append(jobs.memory[jobs.start[:-1][of_class]])
        columns["memory"].append(jobs.memory[np.repeat(of_class, jobs.run_length)])
        columns["deadline"].append(jobs.deadline[of_class & (jobs.deadline < inf)])
        for field, entries in jobs.extra.items():
            numbers = (entries[j] for j in np.flatnonzero(of_class).tolist())
            extra[field] += [entry for entry in numbers if type(entry) in (int, float)]
    # The distributions that are known.
    values: dict[str, Value] = {}
    if drawn:
        values |= drawn.values
        values |= {FIRST: drawn.memory.first} if drawn.memory.first else {}
        values |= {"deadline": drawn.deadline[1]} if drawn.deadline[0] == "absolute" else {}
    for field, parts in columns.items():
        sample = np.concatenate(parts).astype(np.float64)
        if drawn and field in COINS:
            chance = getattr(drawn, field)
            coin = Reference(np.array([0.0, 1.0]), np.array([1 - chance, chance]))
            yield _row(field, name, sample, coin)
        else:
            yield _of_value(field, name, sample, values.get(field))
    for field in sorted(extra):
        known = drawn.extra.get(field) if drawn else None
        yield _of_value(
            field, name, np.array(extra[field], dtype=np.float64), known.value if known else None
        )


def _of_value(
    field: str, job_class: str, sample: Floats, value: Value | None
) -> FieldStatistics | None:
    if value is None or not len(sample):
        return _row(field, job_class, sample)
    return _row(field, job_class, sample, Reference.of(value), value.clip)


def _row(
    field: str,
    job_class: str,
    sample: Floats,
    reference: Reference | None = None,
    clip: tuple[float, float] | None = None,
) -> FieldStatistics | None:
    """Describe a sample beside a distribution; None without a value."""
    if not len(sample):
        return None
    mean, deviation = reference.moments() if reference else (None, None)
    return FieldStatistics(
        field=field,
        job_class=job_class,
        n=len(sample),
        mean=float(sample.mean()),
        deviation=float(sample.std()),
        quantiles=tuple(np.quantile(sample, QUANTILES).tolist()),
        law_mean=mean,
        law_deviation=deviation,
        p_value=reference.p_value(sample) if reference else None,
        at_clip=float(np.isin(sample, clip).mean()) if clip else None,
    )
