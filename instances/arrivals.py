"""
When jobs arrive: gaps between submissions.

Jahani 2019, section V-A: "generated according to Poisson distributions", mean 30 s or 45 s. A
Poisson process has exponential gaps (`exp`); the authors' later program draws the gaps
themselves as integer Poisson variates (`integer_poisson`, almost periodic). Both papers' runs on
real systems have a `constant` gap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from rsjs.instances import streams
from rsjs.instances.arguments import integer, one_of, positive
from rsjs.instances.streams import Floats


def _constant(u: Floats, mean: float) -> Floats:
    return np.full(u.shape, mean)


def _integer_poisson(u: Floats, mean: float) -> Floats:
    return streams.poisson(u, mean).astype(np.float64)


LAWS: Mapping[str, Callable[[Floats, float], Floats]] = MappingProxyType(
    {"exp": streams.exponential, "integer_poisson": _integer_poisson, "constant": _constant}
)
_SHORT = {"integer_poisson": "poisson"}


def release_times(family: str, seed: int, n: int, *, law: str, gap_seconds: float) -> Floats:
    """
    Submission times of n jobs, the first at 0 [h], to 6 significant decimals.

    Parameters
    ----------
    family, seed
        Name the stream; its field is "gap".
    n : int
        Jobs, >= 1.
    law : "exp" | "integer_poisson" | "constant"
    gap_seconds : float
        Mean time between submissions [s], > 0.
    """
    n, mean = integer("jobs", n, 1), positive("gap_seconds", gap_seconds)
    gaps = LAWS[one_of("law", law, LAWS)](streams.uniforms(family, seed, "gap", n - 1), mean)
    return streams.rounded(np.append(0.0, np.cumsum(gaps)) / 3600)


def label(law: str, gap_seconds: float) -> str:
    """What stands for an arrival law in a name: exp30, poisson45, constant300."""
    mean = positive("gap_seconds", gap_seconds)
    text = str(int(mean)) if mean.is_integer() else repr(mean)
    return _SHORT.get(one_of("law", law, LAWS), law) + text
