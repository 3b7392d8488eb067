"""Loads: blocks of jobs whose rate is their own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rsjs.instances import arrivals
from rsjs.instances.errors import InputError


def release(rate, load="high", seed=3):
    return arrivals.block_release_times("test", seed, np.asarray(rate, float), load=load)


@pytest.mark.parametrize(("load", "share"), [("high", 0.4), ("low", 0.1)])
def test_equal_jobs_arrive_exponentially_at_a_share_of_their_rate(load, share):
    gaps = np.diff(release(np.full(1001, 2.0), load))
    assert stats.kstest(gaps, stats.expon(scale=1 / (2 * share)).cdf).pvalue > 0.001


def test_a_block_of_ten_has_the_mean_rate_of_its_jobs():
    even = release([2.0] * 30)
    mixed = release([*[2.0] * 10, *[1.0, 3.0] * 5, *[8.0] * 10])
    slow, fast = np.diff(even), np.diff(mixed)
    assert slow[:19] == pytest.approx(fast[:19], rel=1e-4)
    assert slow[19:] == pytest.approx(4 * fast[19:], rel=1e-3)


def test_blocks_of_the_mixed_load_alternate_between_high_and_low():
    gaps = {load: np.diff(release([2.0] * 40, load)) for load in arrivals.LOADS}
    high = np.arange(1, 40) // 10 % 2 == 0
    assert gaps["mixed"][high] == pytest.approx(gaps["high"][high], rel=1e-2)
    assert gaps["mixed"][~high] == pytest.approx(gaps["low"][~high], rel=1e-2)


def test_more_jobs_do_not_move_the_first_blocks():
    rate = np.linspace(1, 5, 95)
    assert np.array_equal(release(rate[:40]), release(rate)[:40])


@pytest.mark.parametrize("n", [1, 2, 10, 11])
def test_the_first_job_is_at_zero_and_time_never_runs_back(n):
    times = release([2.0] * n)
    assert times[0] == 0
    assert len(times) == n
    assert (np.diff(times) > 0).all()


def test_an_unknown_load_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="one of high, low, mixed"):
        release([1.0], "full")
