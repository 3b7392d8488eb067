"""One job at prices over time, against the linear program of every completion time."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from rsjs.heuristics.hindsight.kernels_jobs import HindsightJobs, run_alone

MODES = 4


def _job(rng):
    """A job, edges and prices of buckets: slopes tie, and so do sums but for their rounding."""
    speeds = sorted(rng.sample([1 / 3, 0.7, 1, 1.1, 4 / 3, 2, 3], rng.randint(1, MODES)))
    base = [rng.choice([0.5, 1, 2, 3]) * speed for speed in speeds]
    edges = np.cumsum([0.0, *(rng.choice([0.1, 0.2, 0.3, 0.7]) for _ in range(rng.randint(1, 40)))])
    some = [0.0, 1.0, 10.0] if rng.random() < 0.5 else [rng.random() for _ in edges]
    extra = [rng.choice(some) for _ in edges[:-1]]
    price = np.array([[*(b * (1 + x) for b in base)] for x in (*extra, 0.0)])
    release = rng.choice([0.0, edges[1] / 4, edges[-2]])
    lengths = rng.sample(np.diff(edges).tolist(), rng.randint(1, len(edges) - 1))
    work = sum(rng.choice(speeds) * length for length in lengths)
    job = HindsightJobs(
        first=np.array([0, len(speeds)]),
        mode=np.arange(len(speeds)),
        speed=np.array(speeds, dtype=float),
        release=np.array([release]),
        due=np.array([release + rng.choice([0.0, 0.5, 1.0, 2.0, edges[-1]])]),
        weight=np.array([rng.choice([0.0, 0.5, 3, 20])]),
        work=np.array([work]),
    )
    return job, edges, price


def _cost(job, edges, price, end):
    """Least cost of one that completes at `end`: hours in each mode and bucket."""
    upper = np.append(edges[1:], np.inf)
    hours = np.clip(np.minimum(upper, end) - np.maximum(edges, job.release[0]), 0, None)
    buckets = np.eye(len(hours)).repeat(len(job.speed), axis=1)
    found = linprog(
        price.ravel(),
        A_ub=buckets,
        b_ub=hours,
        A_eq=[np.tile(job.speed, len(hours))],
        b_eq=job.work,
    )
    late = max(0.0, end - job.due[0])
    return found.fun + job.weight[0] * late if found.success else np.inf


def _ran_alone(job, edges, price):
    value, end, hours = np.empty(1), np.empty(1), np.empty_like(price)
    run_alone(job, edges, price, (price != price[-1]).any(axis=1), value, end, hours)
    return value[0], end[0], hours


@given(seed=st.integers(0, 10**6))
@settings(max_examples=settings().max_examples // 2)
def test_no_completion_costs_less_and_the_hours_cost_what_is_told(seed):
    job, edges, price = _job(Random(seed))
    value, end, hours = _ran_alone(job, edges, price)
    assert value == pytest.approx(_cost(job, edges, price, end), rel=1e-7, abs=1e-9)
    late = job.weight[0] * max(0.0, end - job.due[0])
    assert value == pytest.approx((hours * price).sum() + late, rel=1e-9, abs=1e-9)
    assert (hours @ job.speed).sum() == pytest.approx(job.work[0], rel=1e-9)
    assert hours.min() >= -1e-9
    first = max(job.due[0], job.release[0] + job.work[0] / job.speed[-1])
    last = max(first, edges[-1]) + job.work[0] / job.speed[0]
    ends = [first, *edges[edges > first], *np.linspace(first, last, 12)]
    assert value <= min(_cost(job, edges, price, one) for one in ends) * (1 + 1e-7) + 1e-9
