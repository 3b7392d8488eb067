"""
Optimal speed profiles of single jobs, exact for discrete laws (Filippini et al. 2024, V).

A job with w epochs done runs at configuration k between two switch epochs, in order of speed:

    min   sum_k Q_k integral of F^c from x_(k-1) to x_k             (P3.1)
    s.t.  sum_k a_k (x_k - x_(k-1)) <= d                            (P3.2)
          w = x_0 <= x_1 <= ... <= x_K = w_max                      (P3.3)

d is the time left, F^c as in `survival_steps`. On the hull (`speed_hull`), KKT is F^c(x_r) =
lambda / Phi_r, the printed (24) solved for all speeds at once; with steps instead of a curve

    x_r(lambda) = end of the last step i with Phi_r F^c_i > lambda
    T(lambda) = a_n (w_max - w) + sum_r S_r (x_r(lambda) - w)       decreasing in lambda

Step i left at speed r costs Phi_r F^c_i for each hour that it gives back: a fractional knapsack.
So lambda is the least of these ratios with T(lambda) <= d, and what is left of d goes to the steps
with that very ratio, of which the last one taken is divided. With A(x) = integral of F^c from x to
w_max, (P3.1) is added up as

    Q_1 A(w) + sum_r (Q_(r+1) - Q_r) A(x_r)                         no term is negative

Status:

    feasible    d is tight
    slack       the cheapest speed alone is in time
    infeasible  the fastest speed alone is late, and is used
    inadmissible  the job has no configuration
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics.speed_hull import Hull, hull
from rsjs.heuristics.survival_steps import Steps, epochs_from

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STATUSES = ("feasible", "slack", "infeasible", "inadmissible")
FEASIBLE, SLACK, INFEASIBLE, INADMISSIBLE = range(4)


class Profiles(NamedTuple):
    """The profiles of n problems with K configurations each."""

    status: Ints  # (n,) position in STATUSES
    energy: Floats  # (n,) expected energy [$]; inf where inadmissible
    initial: Ints  # (n,) configuration to begin with; -1 where inadmissible
    change: Floats  # (n,) hours until it changes; inf = it is kept to the end
    vertex: Ints  # (n, K) configurations of the hull, the slowest first, padded with the last
    until: Floats  # (n, K) x_r, the epoch at which each of them ends; w_max from the last on


def profiles(rate: Floats, power: Floats, time: Floats, steps: Steps) -> Profiles:
    """
    The optimal profiles of n problems.

    Parameters
    ----------
    rate : (n, K) float [h]
        a_k, hours per epoch, inf where not admissible.
    power : (n, K) float [$/h]
    time : (n,) float [h]
        d, until the due date; negative when it has passed.
    steps : Steps
        Of the n problems.
    """
    found = hull(rate, power)
    end = np.repeat(steps.end[steps.law, -1:], rate.shape[1], axis=1)
    saved = np.zeros_like(end)
    several = found.size > 1
    saved[several, :-1] = found.rate[several, :-1] - found.rate[several, 1:]
    fastest = np.where(found.size > 0, found.rate[:, -1], 0.0)
    base = fastest * (end[:, 0] - steps.done)
    late = base > time
    slack = _hours(steps.done, base, saved, end) <= time
    status = np.select([found.size == 0, late, slack], [INADMISSIBLE, INFEASIBLE, SLACK], FEASIBLE)
    until = np.where((status == INFEASIBLE)[:, None], steps.done[:, None], end)
    tight = np.flatnonzero(status == FEASIBLE)
    if tight.size:
        own = steps._replace(law=steps.law[tight], first=steps.first[tight], done=steps.done[tight])
        until[tight] = _spread(found.phi[tight], saved[tight], base[tight], time[tight], own)
    last = np.arange(rate.shape[1]) >= found.size[:, None] - 1
    return _told(found, status, np.where(last, end, until), steps)


def _spread(phi: Floats, saved: Floats, base: Floats, time: Floats, steps: Steps) -> Floats:
    """(n, K) x_r where d is tight: T(0) > d >= T(inf) = base."""
    done = steps.done
    low = np.zeros(len(time), dtype=np.int64)
    high = (phi.max(axis=1) * steps.height[steps.law, steps.first]).view(np.int64)
    while (high - low > 1).any():  # floats >= 0 are in the order of their bits
        middle = low + (high - low) // 2
        until = _until(phi, steps, middle.view(np.float64), strict=True)
        over = _hours(done, base, saved, until) > time
        low, high = np.where(over, middle, low), np.where(over, high, middle)
    critical = high.view(np.float64)
    until = _until(phi, steps, critical, strict=True)
    most = _until(phi, steps, critical, strict=False)
    left = time - _hours(done, base, saved, until)
    for r in range(phi.shape[1] - 2, -1, -1):
        useful = saved[:, r] > 0
        step = np.where(useful, saved[:, r], 1.0)
        before = until[:, r].copy()
        raised = np.where(useful, np.minimum(most[:, r], before + left / step), before)
        until[:, r] = np.maximum(before, raised)
        left -= saved[:, r] * (until[:, r] - before)
    return until


def _until(phi: Floats, steps: Steps, ratio: Floats, *, strict: bool) -> Floats:
    """(n, K) end of the last step with Phi_r F^c > ratio, or >= ratio; w if there is none."""
    low = np.repeat(steps.first[:, None], phi.shape[1], axis=1)
    high = np.repeat(steps.size[steps.law][:, None], phi.shape[1], axis=1)
    law = steps.law[:, None]
    for _ in range(int(steps.size.max()).bit_length()):
        middle = (low + high) // 2
        height = steps.height[law, np.minimum(middle, steps.height.shape[1] - 1)]
        value = phi * height
        taken = (value > ratio[:, None] if strict else value >= ratio[:, None]) & (middle < high)
        low, high = np.where(taken, middle + 1, low), np.where(taken, high, middle)
    some = low > steps.first[:, None]
    return np.where(some, steps.end[law, low - 1], steps.done[:, None])


def _hours(done: Floats, base: Floats, saved: Floats, until: Floats) -> Floats:
    """(n,) T: added up in the order of speeds, as the kernel does."""
    total = base.copy()
    for r in range(saved.shape[1] - 1):
        total += saved[:, r] * (until[:, r] - done)
    return total


def _told(found: Hull, status: Ints, until: Floats, steps: Steps) -> Profiles:
    runs = status != INADMISSIBLE
    own = np.where(runs[:, None], found.energy, 0.0)
    energy = own[:, 0] * epochs_from(steps, steps.done)
    for r in range(until.shape[1] - 1):
        energy += (own[:, r + 1] - own[:, r]) * epochs_from(steps, until[:, r])
    first = (until > steps.done[:, None]).argmax(axis=1)
    rows = np.arange(len(status))
    end = until[rows, first]
    kept = ~runs | (end >= steps.end[steps.law, -1])
    hours = np.where(kept, 0.0, found.rate[rows, first]) * (end - steps.done)
    return Profiles(
        status=status,
        energy=np.where(runs, energy, np.inf),
        initial=np.where(runs, found.vertex[rows, first], -1),
        change=np.where(kept, np.inf, hours),
        vertex=found.vertex,
        until=until,
    )


def solve(rate: Floats, power: Floats, time: Floats, steps: Steps, engine: str) -> Profiles:
    """`profiles` by an engine, "numba" or "numpy"; both give the same to the last bit."""
    if engine == "numpy":
        return profiles(rate, power, time, steps)
    from rsjs.heuristics.kernels import speed_profile as kernel

    problems, most = rate.shape
    found = Profiles(
        status=np.empty(problems, dtype=np.int64),
        energy=np.empty(problems),
        initial=np.empty(problems, dtype=np.int64),
        change=np.empty(problems),
        vertex=np.empty((problems, most), dtype=np.int64),
        until=np.empty((problems, most)),
    )
    own = Steps(*map(_own, steps))
    kernel.profiles(_own(rate), _own(power), _own(time), own, found)
    return found


def _own(array: Any) -> Any:
    """A writable, contiguous copy: arrays of one type, so that one kernel is compiled."""
    return np.array(array, order="C")
