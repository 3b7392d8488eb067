"""
Optimal speed profiles of single jobs, exact for discrete distributions (Filippini et al. 2024, V).

A job with w epochs done runs in mode k between two switch epochs, in order of speed:

    min   sum_k Q_k integral of F^c from x_(k-1) to x_k             (P3.1)
    s.t.  sum_k a_k (x_k - x_(k-1)) <= d                            (P3.2)
          w = x_0 <= x_1 <= ... <= x_K = w_max                      (P3.3)

d is the time left, F^c as in `sts.single_job`. On the hull (`sts.kernels_speed`), KKT is
F^c(x_r) = lambda / Phi_r, the printed (24) solved for all speeds at once; with steps instead of a
curve

    x_r(lambda) = end of the last step i with Phi_r F^c_i > lambda
    T(lambda) = a_n (w_max - w) + sum_r S_r (x_r(lambda) - w)       decreasing in lambda

Step i left at speed r costs Phi_r F^c_i for each hour that it gives back: a fractional knapsack.
So lambda is the least of these ratios with T(lambda) <= d, and what is left of d goes to the steps
with that very ratio, of which the last one taken is divided. With A(x) = integral of F^c from x to
w_max, (P3.1) is added up as

    Q_1 A(w) + sum_r (Q_(r+1) - Q_r) A(x_r)                         no term is negative
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.sts.single_job import SpeedProfiles, SurvivalSteps


class SpeedHull(NamedTuple):
    """The speeds worth using of one problem, the slowest first; see `sts.kernels_speed`."""

    vertex: Ints  # (n,) configurations
    rate: Floats  # (n,) a_r [h]
    phi: Floats  # (n,) Phi_r [$/h]; 0 at the last one


def hull(rate: Floats, power: Floats) -> SpeedHull:
    """
    Return the hull of one problem.

    Parameters
    ----------
    rate : (K,) float [h]
        a_k, inf where not admissible.
    power : (K,) float [$/h]
    """
    from rsjs.heuristics.sts.kernels_speed import find_hull

    vertex, (own, energy, phi) = np.empty(len(rate), dtype=np.int64), np.empty((3, len(rate)))
    size = find_hull(_own(rate), _own(power), vertex, own, energy, phi)
    return SpeedHull(vertex[:size], own[:size], phi[:size])


def profiles(rate: Floats, power: Floats, time: Floats, steps: SurvivalSteps) -> SpeedProfiles:
    """
    Return the optimal profiles of n problems.

    Parameters
    ----------
    rate : (n, K) float [h]
        a_k, hours per epoch, inf where not admissible.
    power : (n, K) float [$/h]
    time : (n,) float [h]
        d, until the due date; negative when it has passed.
    steps : SurvivalSteps
        Of the n problems.
    """
    from rsjs.heuristics.sts import kernels_speed as kernel

    problems, most = rate.shape
    found = SpeedProfiles(
        status=np.empty(problems, dtype=np.int64),
        energy=np.empty(problems),
        initial=np.empty(problems, dtype=np.int64),
        change=np.empty(problems),
        vertex=np.empty((problems, most), dtype=np.int64),
        until=np.empty((problems, most)),
    )
    own = SurvivalSteps(*map(_own, steps))
    kernel.profiles(_own(rate), _own(power), _own(time), own, found)
    return found


def _own(array: Any) -> Any:
    """Return a writable, contiguous copy: arrays of one type, so that one kernel is compiled."""
    return np.array(array, order="C")
