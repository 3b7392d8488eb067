"""Named streams of uniforms and their inversions."""

import numpy as np
import pytest
from scipy import stats

from rsjs.instances.generators import random_streams

N = 5_000


@pytest.fixture(scope="module")
def u():
    return random_streams.uniforms("test", 7, "u", N)


def test_the_stream_is_the_one_it_always_was():
    assert random_streams.uniforms("jahani", 0, "base", 4).tolist() == [
        0.4853723904689271,
        0.7418624373125945,
        0.566916350965558,
        0.06208344299325219,
    ]


def test_the_beginning_of_a_longer_draw_is_the_shorter_one():
    first = random_streams.uniforms("f", 1, "a", 17)
    assert np.array_equal(random_streams.uniforms("f", 1, "a", 1000)[:17], first)
    assert random_streams.uniforms("f", 1, "a", 0).shape == (0,)


@pytest.mark.parametrize("other", [("g", 1, "a"), ("f", 2, "a"), ("f", 1, "b")])
def test_family_seed_and_field_each_make_another_stream(other):
    ours, theirs = random_streams.uniforms("f", 1, "a", N), random_streams.uniforms(*other, N)
    assert not np.isin(ours, theirs).any()
    assert abs(np.corrcoef(ours, theirs)[0, 1]) < 0.05


def test_uniforms_are_multiples_of_a_power_of_two_below_one(u):
    assert ((u >= 0) & (u < 1)).all()
    assert (u * 2.0**53 == np.floor(u * 2.0**53)).all()


@pytest.mark.parametrize(
    ("values", "law"),
    [
        (lambda u: random_streams.uniform(u, -2, 5), stats.uniform(-2, 7)),
        (lambda u: random_streams.log_uniform(u, 0.3, 20), stats.loguniform(0.3, 20)),
        (lambda u: random_streams.exponential(u, 45), stats.expon(scale=45)),
        (lambda u: random_streams.normal(u, 3, 0.5), stats.norm(3, 0.5)),
    ],
)
def test_inversions_have_the_law_they_name(u, values, law):
    assert stats.kstest(values(u), law.cdf).pvalue > 0.001
    assert values(u) == pytest.approx(law.ppf(u), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("mean", [0.01, 0.5, 30.0, 45.0, 5000.0, 1e6])
def test_integer_poisson_is_the_quantile_of_the_law(u, mean):
    drawn = random_streams.poisson(u, mean)
    cdf = stats.poisson(mean).cdf
    assert (cdf(drawn) > u).all()
    assert (cdf(drawn - 1) <= u).all()


def test_the_ends_of_the_unit_interval_give_finite_values():
    ends = np.array([0.0, 1 - 2.0**-53])
    by_mean = random_streams.exponential(ends, 30), random_streams.poisson(ends, 30)
    for values in (
        random_streams.log_uniform(ends, 0.3, 20),
        random_streams.normal(ends, 0, 1),
        *by_mean,
    ):
        assert np.isfinite(values).all()
        assert values[0] < values[1]
    for n in range(1, 200):
        assert random_streams.index(ends, n).tolist() == [0, n - 1]


def test_choices_are_equally_likely(u):
    assert stats.chisquare(np.bincount(random_streams.index(u, 5))).pvalue > 0.001
    assert random_streams.choice(u[:50], "abcde") == [
        "abcde"[i] for i in random_streams.index(u[:50], 5)
    ]
    assert sorted(set(random_streams.integer(u, 1, 12).tolist())) == list(range(1, 13))


def test_index_takes_a_number_of_choices_for_each_value():
    assert random_streams.index(np.array([0.5, 0.5, 0.99]), [2, 5, 3]).tolist() == [1, 2, 2]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.23456789, 1.23457),
        (123456789.0, 123457000.0),
        (0.000123456789, 0.000123457),
        (-2.5, -2.5),
        (0.0, 0.0),
        (np.inf, np.inf),  # "not allowed" stays so
    ],
)
def test_rounding_keeps_six_significant_decimals(value, expected):
    assert random_streams.rounded(value) == expected
    assert random_streams.rounded(np.full((2, 3), value)).tolist() == [[expected] * 3] * 2
