"""
Random numbers by name: one stream of uniforms per (family, seed, field), inverted value by value.

Job j takes the j-th uniform of each field, so the first jobs of a larger instance are those of a
smaller one, and variants that draw a field from the same stream are paired.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from statistics import NormalDist
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from rsjs.core.types import Floats, Ints

T = TypeVar("T")


def uniforms(family: str, seed: int, field: str, n: int) -> Floats:
    """
    Return the first n numbers in [0, 1) of the stream "family|seed|field".

    Multiples of 2**-53 from the raw output of PCG64, whose stream numpy guarantees; that of its
    distributions may change.
    """
    key = sha256(f"{family}|{seed}|{field}".encode()).digest()
    raw = np.random.PCG64(int.from_bytes(key, "big")).random_raw(n)
    return (raw >> np.uint64(11)).astype(np.float64) * 2.0**-53


def uniform(u: Floats, low: ArrayLike, high: ArrayLike) -> Floats:
    """Return numbers uniform on [low, high)."""
    start = np.asarray(low, dtype=np.float64)
    return np.asarray(start + (np.asarray(high) - start) * u)


def log_uniform(u: Floats, low: float, high: float) -> Floats:
    """Return numbers whose logarithms are uniform on [log low, log high)."""
    return np.exp(uniform(u, np.log(low), np.log(high)))


def exponential(u: Floats, mean: float) -> Floats:
    """Return exponential variates with the given mean."""
    return -mean * np.log1p(-u)


def normal(u: Floats, mean: float, deviation: float) -> Floats:
    """Return normal variates with the given mean and standard deviation."""
    # Not scipy's ndtri: importing it takes longer than making a large instance.
    quantile = NormalDist().inv_cdf
    standard = [quantile(max(value, 2.0**-54)) for value in u.tolist()]  # 0 is minus infinity
    return mean + deviation * np.array(standard)


def index(u: Floats, n: ArrayLike) -> Ints:
    """Return one of 0, ..., n - 1, each equally likely."""
    return np.asarray(np.floor(u * np.asarray(n)), dtype=np.int64)


def choice(u: Floats, options: Sequence[T]) -> list[T]:
    """Return one of the options, each equally likely."""
    return [options[i] for i in index(u, len(options)).tolist()]


def integer(u: Floats, low: int, high: int) -> Ints:
    """Return one of low, ..., high, each equally likely."""
    return low + index(u, high - low + 1)


def poisson(u: Floats, mean: float) -> Ints:
    """Return Poisson variates: the min k whose distribution function exceeds u."""
    from scipy.special import pdtr

    reach = 40 * (np.sqrt(mean) + 1)  # beyond it less than 2**-53 is left on either side
    first = max(0, int(mean - reach))
    below = pdtr(np.arange(first, int(mean + reach) + 1), mean)
    return first + np.searchsorted(below, u, side="right").astype(np.int64)


def rounded(values: ArrayLike) -> Floats:
    """Return values to 6 significant decimals, the last step: short in print, equal anywhere."""
    array = np.asarray(values, dtype=np.float64)
    digits = [float(f"{value:.6g}") for value in array.ravel().tolist()]
    return np.array(digits, dtype=np.float64).reshape(array.shape)
