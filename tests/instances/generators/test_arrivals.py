"""Release times by a law of gaps, and by a load: blocks of jobs whose rate is their own."""

import numpy as np
import pytest
from scipy import stats

from rsjs.core.errors import InputError
from rsjs.instances.generators import arrivals


def release(n=4000, law="exp", gap_seconds=30.0, seed=3):
    return arrivals.release_times("test", seed, n, law=law, gap_seconds=gap_seconds)


@pytest.mark.parametrize("law", arrivals.PROCESSES)
def test_the_first_job_is_at_zero_and_time_never_runs_back(law):
    times = release(law=law)
    assert times[0] == 0
    assert (np.diff(times) >= 0).all()
    assert release(n=1, law=law).tolist() == [0]


@pytest.mark.parametrize("law", arrivals.PROCESSES)
def test_more_jobs_do_not_move_the_first_ones(law):
    assert np.array_equal(release(n=50, law=law), release(n=4000, law=law)[:50])


@pytest.mark.parametrize(
    ("law", "deviation"), [("exp", 45.0), ("integer_poisson", 45.0**0.5), ("constant", 0.0)]
)
def test_gaps_have_the_mean_and_the_deviation_of_their_law(law, deviation):
    gaps = np.diff(release(law=law, gap_seconds=45)) * 3600
    assert gaps.mean() == pytest.approx(45, rel=0.05)
    # Times of up to 50 h are rounded to 1e-4 h, 0.36 s.
    assert gaps.std() == pytest.approx(deviation, rel=0.05, abs=0.3)


def test_gaps_are_exponential_whole_seconds_or_constant():
    gaps = np.diff(release(n=1000, gap_seconds=30)) * 3600
    assert stats.kstest(gaps, stats.expon(scale=30).cdf).pvalue > 0.001
    gaps = np.diff(release(n=10, law="integer_poisson")) * 3600
    assert gaps == pytest.approx(np.round(gaps), abs=0.01)  # below 0.1 h: rounded to 1e-7 h
    times = release(n=4, law="constant", gap_seconds=300)
    assert times == pytest.approx(np.arange(4) / 12, rel=1e-5)


def test_means_are_paired():
    slow, fast = release(n=30, gap_seconds=60), release(n=30, gap_seconds=30)
    assert slow == pytest.approx(2 * fast, rel=2e-5)


@pytest.mark.parametrize(
    ("law", "gap", "expected"),
    [
        ("exp", 30, "exp30"),
        ("exp", 45.0, "exp45"),
        ("integer_poisson", 30, "poisson30"),
        ("constant", 300, "constant300"),
        ("exp", 0.1, "exp0.1"),
        ("exp", 30.0000001, "exp30.0000001"),  # another stream, so another name
    ],
)
def test_labels_tell_law_and_mean(law, gap, expected):
    assert arrivals.label(law, gap) == expected


@pytest.mark.parametrize(
    ("bad", "pointer"),
    [
        ({"n": 0}, "/jobs"),  # no job
        ({"n": 2.5}, "/jobs"),  # not a number of jobs
        ({"law": "uniform"}, "/law"),  # unknown
        ({"gap_seconds": 0}, "/gap_seconds"),  # all at once is an instance, not a stream
        ({"gap_seconds": -30.0}, "/gap_seconds"),
        ({"gap_seconds": float("nan")}, "/gap_seconds"),
        ({"gap_seconds": float("inf")}, "/gap_seconds"),
        ({"gap_seconds": 1e12}, "/gap_seconds"),  # thirty thousand years
        ({"gap_seconds": "30"}, "/gap_seconds"),  # text
    ],
)
def test_bad_arguments_are_refused_by_name(bad, pointer):
    with pytest.raises(InputError) as error:
        release(**bad)
    assert error.value.pointer == pointer


def blocks(rate, load="high", seed=3):
    return arrivals.block_release_times("test", seed, np.asarray(rate, float), load=load)


@pytest.mark.parametrize(("load", "share"), [("high", 0.4), ("low", 0.1)])
def test_equal_jobs_arrive_exponentially_at_a_share_of_their_rate(load, share):
    gaps = np.diff(blocks(np.full(1001, 2.0), load))
    assert stats.kstest(gaps, stats.expon(scale=1 / (2 * share)).cdf).pvalue > 0.001


def test_a_block_of_ten_has_the_mean_rate_of_its_jobs():
    even = blocks([2.0] * 30)
    mixed = blocks([*[2.0] * 10, *[1.0, 3.0] * 5, *[8.0] * 10])
    slow, fast = np.diff(even), np.diff(mixed)
    assert slow[:19] == pytest.approx(fast[:19], rel=1e-4)
    assert slow[19:] == pytest.approx(4 * fast[19:], rel=1e-3)


def test_blocks_of_the_mixed_load_alternate_between_high_and_low():
    gaps = {load: np.diff(blocks([2.0] * 40, load)) for load in arrivals.LOADS}
    high = np.arange(1, 40) // 10 % 2 == 0
    assert gaps["mixed"][high] == pytest.approx(gaps["high"][high], rel=1e-2)
    assert gaps["mixed"][~high] == pytest.approx(gaps["low"][~high], rel=1e-2)


def test_more_jobs_do_not_move_the_first_blocks():
    rate = np.linspace(1, 5, 95)
    assert np.array_equal(blocks(rate[:40]), blocks(rate)[:40])


@pytest.mark.parametrize("n", [1, 2, 10, 11])
def test_blocks_begin_at_zero_and_never_run_back(n):
    times = blocks([2.0] * n)
    assert (times[0], len(times)) == (0, n)
    assert (np.diff(times) > 0).all()


def test_an_unknown_load_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="one of high, low, mixed"):
        blocks([1.0], "full")
