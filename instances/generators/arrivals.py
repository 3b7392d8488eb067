"""
Arrival processes: gaps between submissions.

Jahani 2019, section V-A: "generated according to Poisson distributions", mean 30 s or 45 s. A
Poisson process has exponential gaps (`exp`); the authors' later program draws the gaps
themselves as integer Poisson variates (`integer_poisson`, almost periodic). Both papers' runs on
real systems have a `constant` gap.

Filippini 2024 (VII-A3) also has a `high` and a `low` load, as many jobs as would keep 40 % and
10 % of all GPUs busy if each ran as fast as on its fastest GPU; ANDREAS 2021 (V-B) has a `mixed`
one. The authors' program is followed where the papers are silent: gaps are exponential, jobs come
in blocks of ten with one rate each, the mean of their own, and blocks of the mixed load alternate,
high first. A block is ten jobs in a row; theirs strides over the jobs, which are drawn alike, but
then more jobs would change the first blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from rsjs.core.errors import integer, one_of, positive
from rsjs.core.types import Floats
from rsjs.instances.generators import random_streams

PROCESSES: Mapping[str, Callable[[Floats, float], Floats]] = MappingProxyType(
    {
        "exp": random_streams.exponential,
        "integer_poisson": lambda u, mean: random_streams.poisson(u, mean).astype(np.float64),
        "constant": lambda u, mean: np.full(u.shape, mean),
    }
)
# Share of the GPUs that blocks of jobs keep busy, in turn (Filippini 2024: epsilon, epsilon / 4).
LOADS: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {"high": (0.4,), "low": (0.1,), "mixed": (0.4, 0.1)}
)
BLOCK = 10  # jobs
_SHORT = {"integer_poisson": "poisson"}


def release_times(family: str, seed: int, n: int, *, law: str, gap_seconds: float) -> Floats:
    """
    Return submission times of n jobs, the first at 0 [h], to 6 significant decimals.

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
    gaps = PROCESSES[one_of("law", law, PROCESSES)](
        random_streams.uniforms(family, seed, "gap", n - 1), mean
    )
    return random_streams.rounded(np.append(0.0, np.cumsum(gaps)) / 3600)


def block_release_times(family: str, seed: int, rate: Floats, *, load: str) -> Floats:
    """
    Return submission times of jobs with own rates, the first at 0 [h], to 6 decimals.

    Parameters
    ----------
    family, seed
        Name the stream; its field is "gap".
    rate : (n,) float
        lambda_j, submissions per hour that keep all GPUs busy: GPUs of the largest node of the
        cluster times nodes / shortest time of job j on one GPU [1/h].
    load : "high" | "low" | "mixed"
    """
    busy = LOADS[one_of("load", load, LOADS)]
    block = np.arange(len(rate)) // BLOCK
    mean = np.bincount(block, rate) / np.bincount(block)
    scaled = mean * np.resize(busy, len(mean))
    unit = random_streams.exponential(
        random_streams.uniforms(family, seed, "gap", len(rate) - 1), 1.0
    )
    return random_streams.rounded(np.append(0.0, np.cumsum(unit / scaled[block[1:]])))


def label(law: str, gap_seconds: float) -> str:
    """Return what stands for an arrival process in a name: exp30, poisson45, constant300."""
    mean = positive("gap_seconds", gap_seconds)
    text = str(int(mean)) if mean.is_integer() else repr(mean)
    return _SHORT.get(one_of("law", law, PROCESSES), law) + text
