"""
Distributions of the number of epochs that a training job runs before it stops.

A distribution is a list of (epoch, integer weight): probabilities are ratios of integers. A job's
remaining epochs R = W - w are looked at given W > w, w = epochs done (a fraction is allowed;
whether a run goes on is known at each completed epoch, floor(w)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import ArrayLike

from rsjs.core.types import Floats, Ints, ReadOnly

FIXED = "fixed"  # the distribution with all mass on a job's epochs_max; never listed in a file


@dataclass(frozen=True, eq=False)
class EpochDistribution(ReadOnly):
    """Distribution of W, the number of epochs."""

    epochs: Ints  #: (m,), strictly increasing, >= 1
    weights: Ints  #: (m,), >= 0, with a positive sum

    @staticmethod
    def of(pairs: ArrayLike) -> EpochDistribution:
        """Build a distribution from rows (epoch, weight)."""
        table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        table.setflags(write=False)
        return EpochDistribution(table[:, 0], table[:, 1])

    def __repr__(self) -> str:
        return f"EpochDistribution(mean {self.mean:.6g} epochs, at most {self.last})"

    @cached_property
    def last(self) -> int:
        """The largest epoch with positive probability."""
        return int(self.epochs[self.weights > 0][-1])

    @cached_property
    def _mass(self) -> Floats:
        """(m + 1,) total weight of epochs[i:]."""
        return _suffix_sums(self.weights.tolist())

    @cached_property
    def _mass_epochs(self) -> Floats:
        """(m + 1,) sum of weight x epoch over epochs[i:]."""
        pairs = zip(self.weights.tolist(), self.epochs.tolist(), strict=True)
        return _suffix_sums([weight * epoch for weight, epoch in pairs])

    @cached_property
    def mean(self) -> float:
        """Mean E[W]."""
        return float(self._mass_epochs[0] / self._mass[0])

    @property
    def deviation(self) -> float:
        """Standard deviation of W."""
        return float(np.sqrt(self._central_moment(2)))

    @property
    def skewness(self) -> float:
        """E[((W - mean) / deviation)^3]: negative with a long tail to the left; nan if fixed."""
        deviation = self.deviation
        return self._central_moment(3) / deviation**3 if deviation else float("nan")

    def _central_moment(self, order: int) -> float:
        return float((self.epochs - self.mean) ** order @ self.pmf)

    @property
    def pmf(self) -> Floats:
        """Probabilities (m,) P(W = epochs[i])."""
        return np.asarray(self.weights / self._mass[0])

    def survival(self, done: ArrayLike) -> Floats:
        """Return P(W > w) for each w of `done`, a step at each epoch: known at floor(w)."""
        return np.asarray(self._mass[self._first_open(done)] / self._mass[0])

    def given(self, done: float) -> EpochDistribution:
        """Return the distribution of W given W > w = `done`; the job still runs."""
        first = int(self._first_open(done))
        if not self._mass[first]:
            raise ValueError(f"done = {done}, must be < {self.last}, the last epoch")
        return EpochDistribution(self.epochs[first:], self.weights[first:])

    def quantile(self, u: ArrayLike) -> Ints:
        """Return the min epoch whose distribution function exceeds u, for each u in [0, 1)."""
        below = np.cumsum(self.weights)
        index = np.searchsorted(below, np.asarray(u) * below[-1], side="right")
        return np.asarray(self.epochs[index])

    def _first_open(self, done: ArrayLike) -> Ints:
        """Return the index of the first epoch after each w of `done`."""
        return np.asarray(np.searchsorted(self.epochs, done, side="right"))

    def mean_remaining(self, done: Floats) -> Floats:
        """Return E[W - w | W > w] for each w of `done`, in epochs."""
        first = self._first_open(done)
        return self._mass_epochs[first] / self._mass[first] - done

    def mean_excess(self, done: Floats, rate: Floats, slack: Floats) -> Floats:
        """
        Return E[max(0, rate * (W - w) - slack) | W > w], by suffix sums.

        Parameters
        ----------
        done, slack : (n,) float
            Epochs done w; hours until the due date, negative when it has passed.
        rate : (n, ...) float
            Hours per epoch, positive.

        Returns
        -------
        (n, ...) float, hours
        """
        shape = (-1,) + (1,) * (rate.ndim - 1)
        w, s = done.reshape(shape), slack.reshape(shape)
        first = self._first_open(done).reshape(shape)
        late = np.maximum(first, np.searchsorted(self.epochs, s / rate + w, side="right"))
        mass = self._mass[late]
        excess = rate * (self._mass_epochs[late] - mass * w) - mass * s
        return np.maximum(excess, 0.0) / self._mass[first]


class DistributionTables:
    """Several distributions as one table, for jobs of all of them at once."""

    def __init__(self, laws: Sequence[EpochDistribution]) -> None:
        self._span = 1 + max(int(own.epochs[-1]) for own in laws)
        self._epochs = np.concatenate([own.epochs + i * self._span for i, own in enumerate(laws)])
        self._mass = np.concatenate([own._mass for own in laws])
        self._mass_epochs = np.concatenate([own._mass_epochs for own in laws])
        self.mean = np.array([own.mean for own in laws])

    def mean_remaining(self, law: Ints, done: Floats) -> Floats:
        """Return E[W - w | W > w] in epochs for each w of `done`, W of a law by its position."""
        key = law * self._span + done.astype(np.int64)
        first = np.searchsorted(self._epochs, key, side="right") + law  # sums have one entry more
        return np.asarray(self._mass_epochs[first] / self._mass[first] - done)


def _suffix_sums(values: list[int]) -> Floats:
    """Return (m + 1,) sums of values[i:], added as Python integers: the products exceed 64 bits."""
    return np.array([*accumulate(reversed(values), initial=0)][::-1], dtype=float)
