"""
A law as a discrete distribution, and a sample put beside it.

A law maps uniforms to values, so its values on a fine grid of [0, 1], finer still at both ends,
with the widths of the cells as probabilities, are the law but for the grid's resolution. This
serves every law alike, clipped, rounded and mixed ones too.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from rsjs.instances.generators.random_streams import Floats, exponential
from rsjs.instances.mig.job_generator.fields import DECIMALS
from rsjs.instances.mig.job_generator.random_streams import Uniforms
from rsjs.instances.mig.job_generator.values import Value, outside

_CELLS, _OCTAVES = 2**16, 36  # the last cell begins at 1 - 2^-52
_RESOLVED = 0.01  # most of a moment that the cell at an end may hold
_BINS, _FEWEST = 20, 5.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Reference:
    """
    Attributes
    ----------
    values : (cells,) float, in the order of the uniforms
    weight : (cells,) float > 0, adds to 1
    """

    values: Floats
    weight: Floats

    @classmethod
    @np.errstate(over="ignore", invalid="ignore")  # a law without moments
    def of(cls, value: Value) -> Reference:
        """The law of a value."""
        u, weight = _grid()
        values = value.law(Uniforms(0, "reference", len(u), np.arange(len(u)), u))
        if value.truncate is not None:
            kept = ~outside(values, value.truncate)
            values, weight = values[kept], weight[kept]
        values = np.round(value.finish(values), DECIMALS)
        return cls(values=values, weight=weight / weight.sum())

    @classmethod
    def of_exponential(cls) -> Reference:
        """The exponential law of mean 1."""
        u, weight = _grid()
        return cls(values=exponential(u, 1.0), weight=weight)

    @classmethod
    def of_coin(cls, chance: float) -> Reference:
        """1 with this probability, else 0."""
        return cls(values=np.array([0.0, 1.0]), weight=np.array([1 - chance, chance]))

    def moments(self) -> tuple[float | None, float | None]:
        """Mean and standard deviation; None where the cells at the ends hold much of it."""
        if not _resolved(self.weight * np.abs(self.values)):
            return None, None
        mean = float(self.values[0] + self.weight @ (self.values - self.values[0]))
        parts = self.weight * (self.values - mean) ** 2
        return mean, sqrt(parts.sum()) if _resolved(parts) else None

    def p_value(self, sample: Floats) -> float | None:
        """
        Of Pearson's chi-square test; None if the sample or the law allows fewer than two bins.

        Up to 20 bins, equally likely as far as the law allows, each expected 5 times at least.
        """
        from scipy.special import chdtrc

        n = len(sample)
        bins = int(min(_BINS, n // _FEWEST))
        order = np.argsort(self.values, kind="stable")
        reached = np.cumsum(self.weight[order])
        places = np.searchsorted(reached, np.arange(1, bins) / bins)
        cuts = np.unique(self.values[order][np.minimum(places, len(order) - 1)])
        expected = n * np.bincount(np.searchsorted(cuts, self.values), self.weight, len(cuts) + 1)
        seen = np.bincount(np.searchsorted(cuts, sample), minlength=len(cuts) + 1)
        begin = _begins(expected.tolist())
        if len(begin) < 2:
            return None
        expected = np.add.reduceat(expected, begin)
        distance = ((np.add.reduceat(seen, begin) - expected) ** 2 / expected).sum()
        return float(chdtrc(len(begin) - 1, distance))


def _grid() -> tuple[Floats, Floats]:
    """Midpoints and widths of cells of [0, 1]."""
    ends = 0.5 ** np.arange(1, _OCTAVES + 1) / _CELLS
    inner = np.arange(1, _CELLS) / _CELLS
    edges = np.concatenate([[0.0], ends[::-1], inner, 1 - ends, [1.0]])
    return (edges[1:] + edges[:-1]) / 2, np.diff(edges)


def _resolved(parts: Floats) -> bool:
    few = len(parts) < _CELLS / 2  # a coin, or what a narrow truncation leaves
    return bool(few or max(parts[0], parts[-1]) <= _RESOLVED * parts.sum())


def _begins(expected: list[float]) -> list[int]:
    """Where bins begin after bins of few are joined with the ones after, the last with before."""
    begin, total = [0], 0.0
    for i, count in enumerate(expected):
        if total >= _FEWEST and sum(expected[i:]) >= _FEWEST:
            begin.append(i)
            total = 0.0
        total += count
    return begin
