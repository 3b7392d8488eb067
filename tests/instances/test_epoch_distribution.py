"""What a law of the number of epochs knows: probabilities, survival, conditions, quantiles."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rsjs.instances.catalogue import epoch_models
from rsjs.instances.epoch_distribution import EpochDistribution
from rsjs.instances.generators import random_streams

SHORT = EpochDistribution.of([[2, 1], [4, 1], [6, 0], [8, 2]])
LAWS = st.dictionaries(st.integers(1, 60), st.integers(0, 10**12), min_size=1).filter(
    lambda weights: any(weights.values())
)


def probability(weights, holds):
    """Exact P(holds(W))."""
    mass = sum(weight for epoch, weight in weights.items() if holds(epoch))
    return Fraction(mass, sum(weights.values()))


@given(weights=LAWS, done=st.floats(0, 61))
def test_survival_is_the_probability_of_more_epochs(weights, done):
    law = EpochDistribution.of(sorted(weights.items()))
    exact = probability(weights, lambda epoch: epoch > done)
    assert law.survival(done) == pytest.approx(float(exact), rel=1e-12)
    assert law.survival(done) == law.survival(np.floor(done))  # known at each completed epoch


@given(weights=LAWS, done=st.floats(0, 61))
def test_the_law_after_some_epochs_is_the_conditional_one(weights, done):
    law = EpochDistribution.of(sorted(weights.items()))
    left = {epoch: weight for epoch, weight in weights.items() if epoch > done}
    if not any(left.values()):
        with pytest.raises(ValueError, match=f"must be < {law.last}"):
            law.given(done)
        return
    later = law.given(done)
    assert dict(zip(later.epochs.tolist(), later.weights.tolist(), strict=True)) == left
    assert later.mean - done == pytest.approx(law.mean_remaining(np.array([done]))[0])
    assert np.array_equal(later.given(done).epochs, later.epochs)


@given(weights=LAWS)
def test_moments_are_those_of_the_enumerated_law(weights):
    law = EpochDistribution.of(sorted(weights.items()))
    values, p = np.array([*weights]), np.array([*weights.values()]) / sum(weights.values())
    mean = values @ p
    variance = (values - mean) ** 2 @ p
    assert law.mean == pytest.approx(mean)
    assert law.deviation == pytest.approx(variance**0.5, abs=1e-6)
    if variance > 1e-3:
        assert law.skewness == pytest.approx((values - mean) ** 3 @ p / variance**1.5, abs=1e-6)


@given(weights=LAWS, u=st.integers(0, 2**53 - 1))
def test_a_quantile_is_the_least_epoch_whose_distribution_function_exceeds_u(weights, u):
    law, u = EpochDistribution.of(sorted(weights.items())), u * 2.0**-53
    epoch = int(law.quantile(u))
    assert weights[epoch] > 0
    near = Fraction(1, 2**51)  # u times the sum of weights is rounded to a double
    assert probability(weights, lambda other: other <= epoch) > Fraction(u) - near
    assert probability(weights, lambda other: other < epoch) <= Fraction(u) + near


def test_a_law_by_hand():
    assert SHORT.pmf.tolist() == [0.25, 0.25, 0, 0.5]
    found = SHORT.survival([0, 1.5, 2, 3.99, 4, 7, 8, 90])
    assert found.tolist() == [1, 1, 0.75, 0.75, 0.5, 0.5, 0, 0]
    assert SHORT.quantile([0, 0.249, 0.25, 0.5, 0.999]).tolist() == [2, 2, 4, 8, 8]
    assert SHORT.deviation == pytest.approx(((3.5**2 + 1.5**2) / 4 + 2.5**2 / 2) ** 0.5)


def test_draws_have_the_law_and_are_paired_by_their_uniforms():
    u = random_streams.uniforms("test", 1, "realised", 40_000)
    drawn = SHORT.quantile(u)
    counts = [int((drawn == epoch).sum()) for epoch in (2, 4, 8)]
    assert sum(counts) == 40_000
    assert stats.chisquare(counts, np.array([0.25, 0.25, 0.5]) * 40_000).pvalue > 0.001
    mild, base = (
        epoch_models.epoch_distribution("VGG16", variant).quantile(u)
        for variant in ("mild", "base")
    )
    assert (mild >= base).all()  # the mild law has more epochs at every quantile


def test_a_fixed_number_of_epochs_has_no_spread():
    law = EpochDistribution.of([[100, 1]])
    assert (law.mean, law.deviation, law.last) == (100, 0, 100)
    assert np.isnan(law.skewness)
    assert law.survival([99.9, 100]).tolist() == [1, 0]
    assert law.quantile([0, 0.999]).tolist() == [100, 100]
