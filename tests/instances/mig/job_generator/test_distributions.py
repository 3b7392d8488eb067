"""Distributions against scipy's; values truncated, absolute, clipped, rounded, mixed."""

from re import escape

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rsjs.core.errors import InputError
from rsjs.instances.mig.job_generator.distributions import NAMED, pick, value
from rsjs.instances.mig.job_generator.random_streams import Uniforms

GRID = np.linspace(0.0013, 0.9987, 488)  # none where a discrete law jumps
TWO_BINS = {"dist": "histogram", "edges": [0, 2, 4], "counts": [1, 1]}
SIGMA = np.sqrt(np.log1p(0.25))
KNOWN = [
    ({"dist": "uniform", "low": -2, "high": 5}, stats.uniform(-2, 7)),
    ({"dist": "uniform_int", "low": 2, "high": 5}, stats.randint(2, 6)),
    ({"dist": "normal", "mean": 3, "sd": 2}, stats.norm(3, 2)),
    ({"dist": "lognormal", "mu": 1, "sigma": 0.5}, stats.lognorm(0.5, scale=np.e)),
    (
        {"dist": "lognormal", "mean": 8, "cv": 0.5},
        stats.lognorm(SIGMA, scale=8 * np.exp(-(SIGMA**2) / 2)),
    ),
    ({"dist": "exponential", "rate": 4}, stats.expon(scale=0.25)),
    ({"dist": "gamma", "shape": 2.5, "scale": 3}, stats.gamma(2.5, scale=3)),
    ({"dist": "weibull", "shape": 0.7, "scale": 3}, stats.weibull_min(0.7, scale=3)),
    ({"dist": "triangular", "low": 1, "mode": 2, "high": 5}, stats.triang(0.25, 1, 4)),
    ({"dist": "triangular", "low": 1, "mode": 5, "high": 5}, stats.triang(1, 1, 4)),
    ({"dist": "poisson", "lambda": 3.5}, stats.poisson(3.5)),
    ({"dist": "geometric", "p": 0.3}, stats.geom(0.3)),
    ({"dist": "pareto", "alpha": 2.5, "xm": 3}, stats.pareto(2.5, scale=3)),
    ({"dist": "zipf", "s": 1.2, "n": 50}, stats.zipfian(1.2, 50)),
    (
        {"dist": "histogram", "edges": [0, 1, 4, 5], "counts": [1, 0, 3]},
        stats.rv_histogram((np.array([1, 0, 3]), np.array([0, 1, 4, 5])), density=False),
    ),
]


def drawn(law, u):
    numbers = np.asarray(u, dtype=np.float64)
    return law.draw(Uniforms(1, "test", len(u), np.arange(len(u)), numbers))


@pytest.mark.parametrize(("config", "known"), KNOWN, ids=[config["dist"] for config, _ in KNOWN])
def test_a_law_is_the_inverse_of_its_distribution_function(node, config, known):
    assert drawn(value(node(config)), GRID) == pytest.approx(known.ppf(GRID), rel=1e-8)


@pytest.mark.parametrize(
    ("config", "u", "expected"),
    [
        (7.5, [0, 0.9], [7.5, 7.5]),
        ({"dist": "const", "value": 3}, [0, 0.9], [3, 3]),
        ({"dist": "geometric", "p": 1}, [0, 0.9], [1, 1]),
        ({"dist": "bernoulli", "p": 0.25}, [0, 0.24, 0.25, 0.9], [1, 1, 0, 0]),
        ({"dist": "choice", "values": [5, 1, 3]}, [0, 0.33, 0.34, 0.67], [5, 5, 1, 3]),
        ({"dist": "choice", "values": [5, 1, 3], "weights": [0, 1, 0]}, [0, 0.999], [1, 1]),
        (TWO_BINS | {"within": "left"}, [0, 0.49, 0.5, 0.99], [0, 0, 2, 2]),
        (TWO_BINS | {"within": "mid"}, [0, 0.49, 0.5, 0.99], [1, 1, 3, 3]),
    ],
)
def test_what_discrete_laws_draw(node, config, u, expected):
    assert drawn(value(node(config)), u).tolist() == expected


def test_a_column_of_a_file_is_drawn_from_with_equal_chances(node, tmp_path):
    (tmp_path / "d.csv").write_text("\N{BYTE ORDER MARK}hours, job\n3,a\n1,b\n2.5,c\n1,d\n")
    place = node({"dist": "empirical", "file": "d.csv", "column": "hours"})
    assert drawn(value(place), [0, 0.3, 0.6, 0.9]).tolist() == [3, 1, 2.5, 1]
    assert [*place.context.files] == ["d.csv"]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6).filter(any), st.data())
def test_what_a_pick_leaves_of_a_uniform_is_the_place_within_its_share(weight, data):
    u = data.draw(st.floats(0, 1, exclude_max=True))
    (index,), (left,) = pick(np.array([u]), np.array(weight, dtype=np.float64))
    assert weight[index] > 0
    assert 0 <= left < 1
    begin, share = sum(weight[:index]) / sum(weight), weight[index] / sum(weight)
    assert begin + left * share == pytest.approx(u, abs=1e-12)


BAD = [
    ({"dist": "uniform", "low": 3, "high": 2}, "/here/high: found 2, expected a number >= 3"),
    ({"dist": "triangular", "low": 1, "mode": 7, "high": 5}, "/here/mode: found 7"),
    ({"dist": "lognormal", "mu": 1}, "either mu and sigma, or mean and cv"),
    ({"dist": "lognormal", "mu": 1, "sigma": 1, "cv": 1}, "either mu and sigma, or mean and cv"),
    ({"dist": "choice", "values": [1, 2], "weights": [1]}, "/here/weights: found [1]"),
    ({"dist": "choice", "values": [1, 2], "weights": [0, 0]}, "a positive weight"),
    ({"dist": "histogram", "edges": [0, 2, 2], "counts": [1, 1]}, "/here/edges/2: found 2"),
    ({"dist": "histogram", "edges": [0, 2], "counts": [1, 1]}, "/here/counts: found [1, 1]"),
    (
        {"dist": "empirical", "file": "no.csv", "column": "x"},
        "/here/file: found 'no.csv', expected a readable file: No such file",
    ),
    ({"dist": "empirical", "file": "\0", "column": "x"}, "/here/file: found"),
    (
        {"dist": "mixture", "components": [{"weight": 0, "dist": 1}]},
        "/here/components: found [0.0]",
    ),
    ({"dist": "normal", "mean": 0, "sd": 1, "clip": [2, 1]}, "/here/clip/1: found 1"),
    ({"dist": "normal", "mean": 0, "sd": 1, "truncate": [2, 1]}, "/here/truncate/1: found 1"),
]


@pytest.mark.parametrize(("config", "message"), BAD)
def test_a_law_that_makes_no_sense_is_refused_where_it_stands(node, config, message):
    with pytest.raises(InputError, match=escape(message)):
        value(node(config))


def test_a_column_that_is_missing_is_told_with_those_that_are_there(node, tmp_path):
    (tmp_path / "d.csv").write_text("job,hours\na,3\n")
    (tmp_path / "twice.csv").write_text("hours,hours\n2,3\n")
    (tmp_path / "empty.csv").write_text("")
    for name, told in (("twice", "hours, hours"), ("empty", "it has none")):
        with pytest.raises(InputError, match=rf"expected a column of {name}\.csv: {told}"):
            value(node({"dist": "empirical", "file": f"{name}.csv", "column": "hours"}))
    with pytest.raises(InputError, match=r"found 'hour', expected a column of d\.csv: hours, job"):
        value(node({"dist": "empirical", "file": "d.csv", "column": "hour"}))


def test_every_law_is_tried_here():
    tried = {config["dist"] for config, _ in KNOWN}
    assert tried | {"const", "bernoulli", "choice", "empirical"} == {*NAMED}


STANDARD = {"dist": "normal", "mean": 0, "sd": 1}


@pytest.fixture
def draw(node):
    """n values of a configuration."""
    return lambda config, n=4000, seed=1: value(node(config)).draw(Uniforms.of(seed, "x", n))


def test_a_truncated_law_is_the_law_within_its_range(draw):
    found = draw(STANDARD | {"truncate": [0.5, 3]})
    assert stats.kstest(found, stats.truncnorm(0.5, 3).cdf).pvalue > 0.001


def test_entries_that_are_not_refused_keep_their_values(draw):
    free, bounded = draw(STANDARD), draw(STANDARD | {"truncate": [-1, 1]})
    kept = np.abs(free) <= 1
    assert np.array_equal(free[kept], bounded[kept])


def test_more_entries_do_not_change_the_first(draw):
    config = {
        "dist": "mixture",
        "components": [
            {"weight": 1, "dist": STANDARD | {"truncate": [1, 2]}},
            {"weight": 2, "dist": STANDARD | {"truncate": [-9, 0]}},
        ],
        "truncate": [-1, 1.5],
    }
    assert np.array_equal(draw(config, 50), draw(config, 3000)[:50])


def test_a_range_that_is_never_hit_is_an_error(draw):
    with pytest.raises(
        InputError, match="/here: found an object, expected a distribution that is from 40"
    ):
        draw(STANDARD | {"truncate": [40, 41]}, 3)


def test_many_that_are_refused_in_vain_are_given_up_at_once(draw, monkeypatch):
    drawn = []
    again = Uniforms.again
    monkeypatch.setattr(Uniforms, "again", lambda *at: drawn.append(1) or again(*at))
    with pytest.raises(InputError, match="expected a distribution that is from 40 to 41"):
        draw(STANDARD | {"truncate": [40, 41]}, 500_000)
    assert len(drawn) == 2


def test_absolute_values_come_before_clipping_and_rounding_last(draw):
    found = draw(STANDARD | {"abs": True, "clip": [0.6, 2.4], "round": "nearest"})
    assert {*found} == {1, 2}
    assert {*draw(STANDARD | {"abs": True, "clip": [0.6, 2.4], "round": "ceil"})} == {1, 2, 3}
    assert {*draw(STANDARD | {"clip": [-1.5, 0.9], "round": "trunc"})} == {-1, 0}
    assert {*draw(STANDARD | {"clip": [-1.5, 0.9], "round": "floor"})} == {-2, -1, 0}


def test_a_mixture_has_its_components_by_weight(draw):
    low, high = {"dist": "uniform", "low": 0, "high": 1}, {"dist": "uniform", "low": 5, "high": 9}
    parts = [{"weight": 1, "dist": low}, {"weight": 3, "dist": high}]
    found = draw({"dist": "mixture", "components": parts})
    assert (found > 4).mean() == pytest.approx(0.75, abs=0.02)
    assert stats.kstest(found[found < 4], stats.uniform(0, 1).cdf).pvalue > 0.001
    assert stats.kstest(found[found > 4], stats.uniform(5, 4).cdf).pvalue > 0.001


def test_a_truncated_mixture_of_truncated_laws_is_the_conditional_law(draw):
    """Components refuse, and the mixture what they drew: no number serves both."""
    part = {"dist": "uniform", "low": 0, "high": 4, "truncate": [0, 2]}
    other = {"dist": "uniform", "low": 0, "high": 4, "truncate": [1, 4]}
    config = {
        "dist": "mixture",
        "components": [{"weight": 1, "dist": part}, {"weight": 1, "dist": other}],
        "truncate": [1.5, 4],
    }
    found = draw(config, 20_000)
    # Densities 1/2 on [0, 2] and 1/3 on [1, 4], halved: 5/12 on [1.5, 2], 1/6 on [2, 4].
    share = (0.5 * 5 / 12) / (0.5 * 5 / 12 + 2 / 6)
    assert (found < 2).mean() == pytest.approx(share, abs=0.012)
    assert stats.kstest(found[found < 2], stats.uniform(1.5, 0.5).cdf).pvalue > 0.001
    assert stats.kstest(found[found > 2], stats.uniform(2, 2).cdf).pvalue > 0.001
