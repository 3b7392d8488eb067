"""
When jobs arrive; a clock starts at 0, and the first job comes one gap later.

    fixed    gaps of one interval
    poisson  exponential gaps of mean 1 / rate
    renewal  independent gaps of any distribution
    nhpp     a Poisson process whose rate varies, with a period if there is one
    batch    several jobs at each arrival of another process
    trace    the times in a column of a file, times a scale

A varying rate is integrated and inverted exactly: with R(t) = int_0^t rate, arrivals are
R^-1(E_1), R^-1(E_1 + E_2), ... for E_i exponential of mean 1. The rate is piecewise constant or
linear, hence R piecewise linear or quadratic: in a piece that begins at t_i with rate a and slope
b, R - R_i = a x + b x^2 / 2, and

    x = 2 r / (a + sqrt(a^2 + 2 b r)),  r = R - R_i
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np

from rsjs.core.errors import described
from rsjs.core.types import Floats
from rsjs.instances.generators.random_streams import exponential
from rsjs.instances.mig.job_generator.context import Node, numbers
from rsjs.instances.mig.job_generator.distributions import Value, value
from rsjs.instances.mig.job_generator.random_streams import Uniforms


@dataclass(frozen=True, eq=False)
class Rates:
    """A rate that varies in pieces, constant or linear."""

    at: Floats  # (n,) where pieces begin, the first at 0
    rate: Floats  # (n,) jobs per time unit at these times
    linear: bool  # between these times, and back to the first at the end of a period
    period: float  # after which the rate is the same again; inf = the last piece has no end

    @cached_property
    def slope(self) -> Floats:
        """(n,) change of the rate per time unit, in each piece."""
        if not self.linear:
            return np.zeros(len(self.at))
        ends = np.append(self.at[1:], self.period)
        last = self.rate[0] if np.isfinite(self.period) else self.rate[-1]
        return (np.append(self.rate[1:], last) - self.rate) / (ends - self.at)

    @cached_property
    def begun(self) -> Floats:
        """(n,) R at the begin of each piece."""
        width = np.diff(self.at)
        added = width * (self.rate[:-1] + self.slope[:-1] * width / 2)
        return np.append(0.0, np.cumsum(added))

    @cached_property
    def whole(self) -> float:
        """R of a period."""
        if self.period == inf:
            return inf
        x = self.period - self.at[-1]
        return float(self.begun[-1] + x * (self.rate[-1] + self.slope[-1] * x / 2))

    def integral(self, t: Floats) -> Floats:
        """Return R(t): how many jobs are expected up to t."""
        turns, t = self._turns(t, self.period)
        piece = np.searchsorted(self.at, t, side="right") - 1
        x = t - self.at[piece]
        own = self.begun[piece] + x * (self.rate[piece] + self.slope[piece] * x / 2)
        return own + turns * self.whole if np.isfinite(self.period) else own

    def inverse(self, expected: Floats) -> Floats:
        """Return R^-1: when so many are expected; inf = never."""
        begun = self.begun
        turns, left = self._turns(expected, self.whole)
        piece = np.searchsorted(begun, left, side="right") - 1
        left = left - begun[piece]
        rate, slope = self.rate[piece], self.slope[piece]
        # x = 2 r / (a + sqrt(a^2 + 2 b r))
        divisor = rate + np.sqrt(np.maximum(rate**2 + 2 * slope * left, 0))
        with np.errstate(divide="ignore", invalid="ignore"):
            x = np.where(left == 0, 0.0, 2 * left / divisor)
        whole = self.period if np.isfinite(self.period) else 0.0
        return turns * whole + self.at[piece] + x

    @staticmethod
    def _turns(values: Floats, whole: float) -> tuple[Floats, Floats]:
        if whole == inf:
            return np.zeros(len(values)), values
        turns = np.floor(values / whole)
        return turns, np.clip(values - turns * whole, 0, np.nextafter(whole, 0))


FIELD = "arrival"  # the stream
MOST_JOBS = 2**23


@dataclass(frozen=True, kw_only=True, eq=False)
class Arrivals:
    """An arrival process."""

    node: Node
    times: Callable[[int, int], Floats]  # seed and n to the first n times, or all if fewer
    gap: Value | None = None  # the distribution of independent gaps
    rates: Rates | None = None  # of a Poisson process whose rate varies


def arrivals(node: Node) -> Arrivals:
    """Return the arrival process at a node."""
    return PROCESSES[node["process"]](node)


def first_times(process: Arrivals, seed: int, count: int | None, horizon: float) -> Floats:
    """
    Return the times of the first `count` jobs; without `count`, of those up to the horizon.

    Raises
    ------
    InputError
        If fewer than `count` jobs ever arrive, or more than 2^23 up to the horizon.
    """
    if count is not None:
        found = process.times(seed, count)
        if len(found) < count:
            shown = described(f"a process of {len(found)} jobs")
            raise process.node.error(f"one of at least {count}, the count", value=shown)
        return found
    n = 1024
    while n < MOST_JOBS:
        found = process.times(seed, n)
        if len(found) < n or found[-1] > horizon:
            return found[found <= horizon]
        n *= 4
    shown = described(f"more than {MOST_JOBS} jobs up to the horizon {horizon:g}")
    raise process.node.error("fewer", value=shown)


def _fixed(node: Node) -> Arrivals:
    return Arrivals(
        node=node,
        times=lambda seed, n: np.arange(1.0, n + 1) * node["interval"],
        gap=value(node.at("interval")),
    )


def _poisson(node: Node) -> Arrivals:
    mean = 1 / node["rate"]
    return _renewal_of(node, Value(node, lambda source: exponential(source.u, mean)))


def _renewal(node: Node) -> Arrivals:
    return _renewal_of(node, value(node.at("gap")))


def _renewal_of(node: Node, gap: Value) -> Arrivals:
    def times(seed: int, n: int) -> Floats:
        gaps = gap.draw(Uniforms.of(seed, FIELD, n))
        if (bad := np.flatnonzero(~(gaps >= 0))).size:
            raise gap.node.error("gaps >= 0, e.g. by clip", value=float(gaps[bad[0]]))
        return np.cumsum(gaps)

    return Arrivals(node=node, times=times, gap=gap)


def _nhpp(node: Node) -> Arrivals:
    at, rate = np.array(node["points"], dtype=np.float64).T
    period = float(node.value.get("period", inf))
    if at[0] != 0:
        raise node.at("points", 0, 0).error("0, the time of the first point")
    for i in np.flatnonzero(np.diff(at) <= 0).tolist():
        raise node.at("points", i + 1, 0).error("a time after that of the point before")
    if at[-1] >= period:
        raise node.at("points", len(at) - 1, 0).error(f"a time before the period, {period:g}")
    if not rate.any():
        raise node.at("points").error("a positive rate among them", value=rate.tolist())
    linear = node.value.get("interpolation", "step") == "linear"
    rates = Rates(at, rate, linear, period)

    def times(seed: int, n: int) -> Floats:
        expected = np.cumsum(exponential(Uniforms.of(seed, FIELD, n).u, 1.0))
        found = rates.inverse(expected)
        return found[np.isfinite(found)]

    return Arrivals(node=node, times=times, rates=rates)


def _batch(node: Node) -> Arrivals:
    base, size = arrivals(node.at("base")), value(node.at("size"), "nearest")

    def times(seed: int, n: int) -> Floats:
        begun = base.times(seed, n)
        sizes = size.draw(Uniforms.of(seed, "batch size", len(begun)))
        if (bad := np.flatnonzero((sizes < 1) | (sizes != np.rint(sizes)))).size:
            raise node.at("size").error("integers >= 1", value=float(sizes[bad[0]]))
        return np.repeat(begun, np.minimum(sizes, n).astype(np.int64))[:n]

    return Arrivals(node=node, times=times)


def _trace(node: Node) -> Arrivals:
    known = numbers(node)
    if (bad := np.flatnonzero(np.diff(known, prepend=0.0) < 0)).size:
        expected = "times >= 0 that never decrease"
        raise node.at("column").error(expected, value=float(known[bad[0]]))
    times = known * float(node.value.get("scale", 1))
    return Arrivals(node=node, times=lambda seed, n: times[:n])


PROCESSES: Mapping[str, Callable[[Node], Arrivals]] = {
    "fixed": _fixed,
    "poisson": _poisson,
    "renewal": _renewal,
    "nhpp": _nhpp,
    "batch": _batch,
    "trace": _trace,
}
