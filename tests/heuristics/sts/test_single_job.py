"""Laws as steps, and expected energies that keep their digits where few runs or epochs are left."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.heuristics.sts.single_job import steps
from rsjs.heuristics.sts.speed_profile import profiles
from rsjs.instances.epoch_distribution import EpochDistribution


def of_one(law, done):
    return steps([law], np.zeros(1, dtype=np.int64), np.array([done]))


def exact_epochs(law, done, begin, end):
    """Integral of P(W > z | W > done) from `begin` to `end`."""
    runs = [
        (e, w) for e, w in zip(law.epochs.tolist(), law.weights.tolist(), strict=True) if e > done
    ]
    low, high = Fraction(begin), Fraction(end)
    # each run that is left counts from `begin` until its last epoch
    epochs = sum(w * max(Fraction(0), min(Fraction(e), high) - low) for e, w in runs)
    return Fraction(epochs) / sum(w for _, w in runs)


def exact_energy(rate, power, law, done, of):
    """The expected energy of the switch epochs of a profile."""
    begin, total = done, Fraction(0)
    for k, end in zip(of.vertex[0].tolist(), of.until[0].tolist(), strict=True):
        total += exact_epochs(law, done, begin, end) * Fraction(rate[k] * power[k])
        begin = end
    return float(total)


def test_epochs_that_no_run_reaches_are_no_steps():
    of = of_one(EpochDistribution.of([[2, 1], [5, 3], [9, 0], [12, 0]]), 0.0)
    assert (of.end[0].tolist(), of.height[0].tolist()) == ([2, 5], [1, 0.75])
    assert (of.area[0].tolist(), of.size.tolist()) == ([2 + 0.75 * 3, 0.75 * 3, 0], [2])


@pytest.mark.parametrize(
    ("pairs", "done"),
    [
        ([[10, 10**12], [100, 1]], 50.0),  # one run in 10^12
        ([[10, 10**9], [90, 10**9], [100, 1]], 99.99),
        ([[w, 1] for w in range(1, 101)], 99.9999999),
        ([[100, 1]], 99.9999999),
    ],
)
def test_rare_runs_and_last_epochs_have_all_digits(pairs, done):
    rate, power, law = [1.0, 0.6, 0.5], [1.0, 2.0, 3.0], EpochDistribution.of(pairs)
    time = 0.55 * (100 - done)
    of = of_one(law, done)
    found = profiles(np.array([rate]), np.array([power]), np.array([time]), of)
    assert found.energy[0] == pytest.approx(exact_energy(rate, power, law, done, found), rel=1e-13)


@given(
    epochs=st.lists(st.integers(1, 200), min_size=1, max_size=12, unique=True),
    weight=st.lists(st.sampled_from([0, 1, 3, 10**6, 10**12]), min_size=12, max_size=12),
    share=st.floats(0, 1 - 1e-9),
    wish=st.floats(0, 1),
)
def test_energies_equal_exact_fractions(epochs, weight, share, wish):
    own = sorted(epochs)
    law = EpochDistribution.of(np.column_stack([own, [*weight[: len(own) - 1], 1]]))
    done = min(share * own[-1], np.nextafter(own[-1], 0))
    rate, power = [1.0, 0.55, 0.4], [1.0, 2.0, 3.0]
    time = (0.4 + 0.6 * wish) * (own[-1] - done)
    of = of_one(law, done)
    found = profiles(np.array([rate]), np.array([power]), np.array([time]), of)
    assert found.energy[0] == pytest.approx(exact_energy(rate, power, law, done, found), rel=1e-13)
