"""When jobs arrive."""

from math import inf
from re import escape

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rsjs.core.errors import InputError
from rsjs.instances.mig.job_generator.arrivals import PROCESSES, Rates, arrivals, first_times

RATES = [[0, 2], [8, 20], [17, 0], [22, 2]]
DAY = {"process": "nhpp", "period": 24, "interpolation": "step", "points": RATES}
PER_DAY = 2 * 8 + 20 * 9 + 0 * 5 + 2 * 2


@pytest.fixture
def times(node):
    """Times of a process; by count or up to a horizon."""

    def draw(config, count=None, horizon=inf, seed=1):
        return first_times(arrivals(node(config)), seed, count, horizon)

    return draw


ALL = [
    {"process": "fixed", "interval": 2.5},
    {"process": "poisson", "rate": 3},
    {"process": "renewal", "gap": {"dist": "uniform", "low": 0, "high": 1}},
    DAY,
    {"process": "batch", "base": DAY, "size": {"dist": "geometric", "p": 0.4}},
]


@pytest.mark.parametrize("config", ALL, ids=lambda config: config["process"])
def test_times_never_run_back_and_counts_and_horizons_nest(times, config):
    many = times(config, 500)
    assert len(many) == 500
    assert (np.diff(many, prepend=0.0) >= 0).all()
    assert np.array_equal(times(config, 20), many[:20])
    assert np.array_equal(times(config, horizon=many[99]), many[many <= many[99]])


def test_every_process_is_tried():
    assert {config["process"] for config in ALL} | {"trace"} == {*PROCESSES}


def test_gaps_have_their_law(times):
    assert times(ALL[0], 4).tolist() == [2.5, 5, 7.5, 10]
    gaps = np.diff(times(ALL[1], 3000), prepend=0)
    assert stats.kstest(gaps, stats.expon(scale=1 / 3).cdf).pvalue > 0.001
    gaps = np.diff(times(ALL[2], 3000), prepend=0)
    assert stats.kstest(gaps, stats.uniform(0, 1).cdf).pvalue > 0.001


def test_a_rate_that_repeats_is_busy_and_idle_at_its_hours(times):
    found = times(DAY, horizon=24 * 200)
    assert len(found) == pytest.approx(200 * PER_DAY, rel=0.02)
    hour = found % 24
    assert not ((hour > 17.001) & (hour < 21.999)).any()
    assert ((hour >= 8) & (hour < 17)).mean() == pytest.approx(180 / PER_DAY, abs=0.01)


def test_a_linear_rate_goes_back_to_its_begin_at_the_end_of_a_period(times):
    day = {"process": "nhpp", "period": 4, "interpolation": "linear", "points": [[0, 0], [1, 30]]}
    found = times(day, horizon=4 * 500)
    assert len(found) == pytest.approx(500 * 60, rel=0.02)
    first = (found % 4)[(found % 4) < 1]
    assert stats.kstest(first, lambda t: np.asarray(t) ** 2).pvalue > 0.001


@st.composite
def some_rates(draw):
    """Pieces of length 1/2 to 4, rates 0 to 5, not all 0."""
    n = draw(st.integers(1, 5))
    widths = draw(st.lists(st.integers(1, 8), min_size=n, max_size=n))
    rate = draw(st.lists(st.integers(0, 5), min_size=n, max_size=n).filter(any))
    ends = np.cumsum(widths) / 2
    period = float(ends[-1]) if draw(st.booleans()) else inf
    at = np.append(0.0, ends[:-1])
    linear = draw(st.booleans())
    return Rates(at, np.array(rate, dtype=np.float64), linear, period)


@given(some_rates(), st.lists(st.floats(0, 200), min_size=1, max_size=20))
def test_times_are_where_the_integrated_rate_is_what_was_asked(rates, asked):
    times = rates.inverse(np.array(asked))
    reached = np.isfinite(times)
    again = rates.integral(times[reached])
    assert again == pytest.approx(np.array(asked)[reached], rel=1e-9, abs=1e-6)
    if rates.period < inf or rates.rate[-1] > 0:
        assert reached.all()


def test_batches_arrive_together(times):
    base = {"process": "fixed", "interval": 3}
    assert times({"process": "batch", "base": base, "size": 2}, 5).tolist() == [3, 3, 6, 6, 9]


def test_a_trace_is_scaled_and_the_same_for_all_seeds(times, tmp_path):
    (tmp_path / "t.csv").write_text("id,submitted\na,0\nb,60\nc,60\nd,90\n")
    config = {"process": "trace", "file": "t.csv", "column": "submitted", "scale": 1 / 60}
    assert times(config, 3, seed=1).tolist() == [0, 1, 1]
    assert times(config, horizon=1.2, seed=2).tolist() == [0, 1, 1]
    with pytest.raises(InputError, match="a process of 4 jobs, expected one of at least 5"):
        times(config, 5)
    (tmp_path / "t.csv").write_text("id,submitted\na,5\nb,4\n")
    with pytest.raises(InputError, match=r"/here/column: found 4\.0"):
        times(config, 1)


BAD = [
    (DAY | {"points": [[1, 2]]}, "/here/points/0/0: found 1, expected 0"),
    (DAY | {"points": [[0, 2], [0, 3]]}, "/here/points/1/0: found 0"),
    (DAY | {"points": [[0, 2], [24, 3]]}, "/here/points/1/0: found 24"),
    (DAY | {"points": [[0, 0], [3, 0]]}, "a positive rate"),
    ({"process": "renewal", "gap": {"dist": "const", "value": -1}}, "/here/gap: found -1.0"),
    ({"process": "batch", "base": ALL[0], "size": 0.4}, "/here/size: found 0.4"),
    # a rate that ends before enough jobs have come
    ({"process": "nhpp", "points": [[0, 5], [1, 0]]}, "a process of"),
]


@pytest.mark.parametrize(("config", "message"), BAD)
def test_a_process_that_makes_no_sense_is_refused_where_it_stands(times, config, message):
    with pytest.raises(InputError, match=escape(message)):
        times(config, 100)


def test_jobs_without_end_up_to_the_horizon_are_an_error(times):
    with pytest.raises(InputError, match="more than 8388608 jobs up to the horizon 10"):
        times({"process": "fixed", "interval": 1e-9}, horizon=10)
