"""Values: truncated, absolute, clipped, rounded, mixed."""

import numpy as np
import pytest
from scipy import stats

from rsjs.core.errors import InputError
from rsjs.instances.mig.job_generator.distributions import value
from rsjs.instances.mig.job_generator.random_streams import Uniforms

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
    with pytest.raises(InputError, match="/here: found an object, expected a law that is from 40"):
        draw(STANDARD | {"truncate": [40, 41]}, 3)


def test_many_that_are_refused_in_vain_are_given_up_at_once(draw, monkeypatch):
    drawn = []
    again = Uniforms.again
    monkeypatch.setattr(Uniforms, "again", lambda *at: drawn.append(1) or again(*at))
    with pytest.raises(InputError, match="expected a law that is from 40 to 41"):
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
