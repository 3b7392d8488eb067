"""
Many single-job problems at once as arrays: distributions of remaining epochs, optimal profiles.

A job with w epochs done runs on while W > w, and whether it does is known at each epoch of the
support of W. So F^c(z) = P(W > z | W > w) is constant between the epochs e_1 < e_2 < ...:

    step i:  z in [max(w, e_(i-1)), e_i),   F^c = P(W > e_(i-1)) / P(W > w)

from the step `first`, in which w lies, to the last one, which ends at w_max, the last epoch of
positive probability. Atoms are long steps, flat parts several steps of one height. Integrals are
taken from w_max down, all terms positive: the differences of integrals from 0 have no digits where
P(W > w) is small or few epochs are left.

The status of a profile:

    feasible      the time left is tight
    slack         the cheapest speed alone is in time
    infeasible    the fastest speed alone is late, and is used
    inadmissible  the job has no mode
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.instances.epoch_distribution import FIXED, EpochDistribution
from rsjs.instances.instance import Instance


class SurvivalSteps(NamedTuple):
    """Steps of L distributions, padded to M, and where each of n problems stands."""

    end: Floats  # (L, M) e_i; the padding repeats w_max
    height: Floats  # (L, M) P(W > e_(i-1)); 0 in the padding
    area: Floats  # (L, M + 1) integral of P(W > z) from where step i begins to w_max
    size: Ints  # (L,) number of steps
    law: Ints  # (n,) row of each problem
    first: Ints  # (n,) step in which w lies
    done: Floats  # (n,) w


STATUSES = ("feasible", "slack", "infeasible", "inadmissible")
FEASIBLE, SLACK, INFEASIBLE, INADMISSIBLE = range(4)


class SpeedProfiles(NamedTuple):
    """The speed profiles of n problems with K modes each."""

    status: Ints  # (n,) position in STATUSES
    energy: Floats  # (n,) expected energy [$]; inf where inadmissible
    initial: Ints  # (n,) configuration to begin with; -1 where inadmissible
    change: Floats  # (n,) hours until it changes; inf = it is kept to the end
    vertex: Ints  # (n, K) configurations of the hull, the slowest first, padded with the last
    until: Floats  # (n, K) x_r, the epoch at which each of them ends; w_max from the last on


def steps_of_jobs(instance: Instance) -> SurvivalSteps:
    """Return the steps of each job of an instance."""
    laws, row = laws_of_jobs(instance)
    return steps(laws, row, instance.jobs.epochs_done)


def laws_of_jobs(instance: Instance) -> tuple[list[EpochDistribution], Ints]:
    """Return the distributions of an instance's jobs, each once, and the (J,) one of each job."""
    jobs = instance.jobs
    keys = [
        (name, most if name == FIXED else 0)
        for name, most in zip(jobs.law, jobs.epochs_max.tolist(), strict=True)
    ]
    row = {key: i for i, key in enumerate(sorted(set(keys)))}
    laws = [_law(instance, name, most) for name, most in row]
    return laws, np.array([row[key] for key in keys], dtype=np.int64)


def law_of_job(instance: Instance, job: int) -> EpochDistribution:
    """Return the distribution of a job's epochs, all mass on `epochs_max` if they are fixed."""
    return _law(instance, instance.jobs.law[job], int(instance.jobs.epochs_max[job]))


def _law(instance: Instance, name: str, epochs_max: int) -> EpochDistribution:
    return _fixed(epochs_max) if name == FIXED else instance.laws[name]


@lru_cache(maxsize=256)
def _fixed(epochs: int) -> EpochDistribution:
    return EpochDistribution.of([[epochs, 1]])


def steps(laws: Sequence[EpochDistribution], law: Ints, done: Floats) -> SurvivalSteps:
    """
    Build the steps of problems from their distributions.

    Parameters
    ----------
    law : (n,) int
        Position in `laws` of each problem.
    done : (n,) float
        Its epochs done, below the last epoch of its distribution.
    """
    end, height, area, size = _tables(tuple(laws))
    return SurvivalSteps(end, height, area, size, law, _first(end, law, done), done)


def taken(of_jobs: SurvivalSteps, rows: Ints, done: Floats) -> SurvivalSteps:
    """Return the steps of these problems with other epochs done."""
    law = of_jobs.law[rows]
    return of_jobs._replace(law=law, first=_first(of_jobs.end, law, done), done=done)


def _first(end: Floats, law: Ints, done: Floats) -> Ints:
    found: Ints = (end[law] <= done[:, None]).argmin(axis=1)  # the first one beyond w
    return found


@lru_cache(maxsize=64)  # a simulation asks for those of the same few laws again and again
def _tables(laws: tuple[EpochDistribution, ...]) -> tuple[Floats, Floats, Floats, Ints]:
    """Build `end`, `height`, `area` and `size` of `SurvivalSteps`."""
    sizes = np.array([np.flatnonzero(own.weights)[-1] + 1 for own in laws], dtype=np.int64)
    end, height = np.zeros((2, len(laws), int(sizes.max())))
    for row, (own, size) in enumerate(zip(laws, sizes.tolist(), strict=True)):
        end[row] = own.last
        end[row, :size] = own.epochs[:size]
        height[row, :size] = own.survival(np.append(0, own.epochs[: size - 1]))
    begin = np.hstack([np.zeros((len(laws), 1)), end[:, :-1]])
    area = np.zeros((len(laws), end.shape[1] + 1))
    area[:, :-1] = np.cumsum(((end - begin) * height)[:, ::-1], axis=1)[:, ::-1]
    for table in (end, height, area, sizes):
        table.setflags(write=False)
    return end, height, area, sizes


def repeated(of_jobs: SurvivalSteps, times: int) -> SurvivalSteps:
    """Return each problem so many times in a row."""
    return of_jobs._replace(
        law=np.repeat(of_jobs.law, times),
        first=np.repeat(of_jobs.first, times),
        done=np.repeat(of_jobs.done, times),
    )
