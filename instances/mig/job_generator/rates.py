"""
Arrivals of a Poisson process whose rate varies: exact inversion of the integrated rate.

With R(t) = int_0^t rate, arrivals are R^-1(E_1), R^-1(E_1 + E_2), ... for E_i exponential of
mean 1. The rate is piecewise constant or linear, hence R piecewise linear or quadratic: in a
piece that begins at t_i with rate a and slope b, R - R_i = a x + b x^2 / 2, and

    x = 2 r / (a + sqrt(a^2 + 2 b r)),  r = R - R_i
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from rsjs.instances.generators.random_streams import Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class Rates:
    """
    Attributes
    ----------
    at : (n,) float
        Where pieces begin, the first at 0.
    rate : (n,) float
        Jobs per time unit at these times.
    slope : (n,) float
        Change of the rate per time unit, in each piece.
    period : float
        After which the rate is the same again; inf = the last piece has no end.
    """

    at: Floats
    rate: Floats
    slope: Floats
    period: float

    @classmethod
    def of(cls, at: Floats, rate: Floats, *, linear: bool, period: float) -> Rates:
        """Between the points as they say; back to the first at the end of a period."""
        slope = np.zeros(len(at))
        if linear:
            ends = np.append(at[1:], period)
            following = np.append(rate[1:], rate[0] if np.isfinite(period) else rate[-1])
            slope = (following - rate) / (ends - at)
        return cls(at=at, rate=rate, slope=slope, period=period)

    def integral(self, t: Floats) -> Floats:
        """R(t): how many jobs are expected up to t."""
        turns, t = self._turns(t, self.period)
        piece = np.searchsorted(self.at, t, side="right") - 1
        x = t - self.at[piece]
        own = self._begun()[piece] + x * (self.rate[piece] + self.slope[piece] * x / 2)
        return own + turns * self._whole() if np.isfinite(self.period) else own

    def inverse(self, expected: Floats) -> Floats:
        """R^-1: when so many are expected; inf = never."""
        begun = self._begun()
        turns, left = self._turns(expected, self._whole())
        piece = np.searchsorted(begun, left, side="right") - 1
        left = left - begun[piece]
        rate, slope = self.rate[piece], self.slope[piece]
        divisor = rate + np.sqrt(np.maximum(rate**2 + 2 * slope * left, 0))
        with np.errstate(divide="ignore", invalid="ignore"):
            x = np.where(left == 0, 0.0, 2 * left / divisor)
        whole = self.period if np.isfinite(self.period) else 0.0
        return turns * whole + self.at[piece] + x

    def _begun(self) -> Floats:
        """R at the begin of each piece."""
        width = np.diff(self.at)
        added = width * (self.rate[:-1] + self.slope[:-1] * width / 2)
        return np.append(0.0, np.cumsum(added))

    def _whole(self) -> float:
        """R of a period."""
        if self.period == inf:
            return inf
        x = self.period - self.at[-1]
        return float(self._begun()[-1] + x * (self.rate[-1] + self.slope[-1] * x / 2))

    @staticmethod
    def _turns(values: Floats, whole: float) -> tuple[Floats, Floats]:
        if whole == inf:
            return np.zeros(len(values)), values
        turns = np.floor(values / whole)
        return turns, np.clip(values - turns * whole, 0, np.nextafter(whole, 0))
