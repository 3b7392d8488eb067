"""Algorithm 1 for continuous laws: right as corrected; as printed endless, or wrong by (26)."""

import numpy as np
import pytest
from scipy.optimize import brentq

from rsjs.heuristics.sts.single_job import steps
from rsjs.heuristics.sts.speed_profile import hull, profiles
from rsjs.instances.epoch_distribution import EpochDistribution
from tests.heuristics.sts.continuous_distributions import (
    ContinuousDistribution,
    expected_energy,
    switch_epochs,
)
from tests.heuristics.sts.speed_programs import convex_program

pytestmark = pytest.mark.slow


CASES = 18


def power_law(exponent, last):
    """F^c(w) = 1 - (w / last)^exponent."""
    return ContinuousDistribution(
        last=last,
        survival=lambda w: 1 - (w / last) ** exponent,
        inverse=lambda y: last * (1 - min(1.0, y)) ** (1 / exponent),
        area=lambda w: w - last / (exponent + 1) * (w / last) ** (exponent + 1),
    )


def random_problem(number):
    rng = np.random.default_rng(number)
    gpus = int(rng.integers(2, 9))
    k = np.arange(1, gpus + 1)
    speed = (
        np.cumsum(np.sort(rng.uniform(0.1, 1, gpus))[::-1]),
        k ** rng.uniform(0.3, 0.95),
        1 / (0.1 + 0.9 / k),
    )[number % 3]
    power = k + (gpus - k) * (0.0, 0.1, 0.3)[number // 3 % 3]
    law = power_law(rng.uniform(0.3, 4), rng.uniform(10, 200))
    rate = 1 / speed
    return rate, power, rng.uniform(rate[-1], rate[0]) * law.last, law


def hours_of(rate, ends):
    return float(rate @ np.diff(ends, prepend=0.0))


def test_the_corrected_algorithm_equals_a_convex_program():
    for number in range(CASES):
        rate, power, time, law = random_problem(number)
        ends = switch_epochs(rate, power, time, law)
        least = convex_program(rate, power, time, law)
        assert expected_energy(rate, power, ends, law) == pytest.approx(least, rel=1e-6), number
        assert hours_of(rate, ends) <= time * (1 + 1e-9)


def test_it_is_the_limit_of_the_discrete_profiles():
    for number in range(3):
        rate, power, time, law = random_problem(number)
        fine = 2000
        height = np.array([law.survival(law.last * i / fine) for i in range(fine + 1)])
        weights = np.rint(-np.diff(height) * 10**12).astype(np.int64)
        discrete = EpochDistribution.of(np.column_stack([np.arange(1, fine + 1), weights]))
        of = steps([discrete], np.zeros(1, dtype=np.int64), np.zeros(1))
        scaled = rate * law.last / fine
        found = profiles(scaled[None], power[None], np.array([time]), of)
        ends = switch_epochs(rate, power, time, law)
        assert found.energy[0] == pytest.approx(expected_energy(rate, power, ends, law), rel=2e-3)


@pytest.mark.parametrize(
    ("time", "expected"), [(200.0, [100, 100, 100]), (20.0, [0, 0, 100])], ids=["slack", "late"]
)
def test_equation_25_has_no_root_where_one_speed_alone_decides(time, expected):
    rate, power = 1 / np.array([1.0, 1.8, 2.4]), np.array([1.0, 2.0, 3.0])
    assert switch_epochs(rate, power, time, power_law(1.0, 100.0)).tolist() == expected


def test_slow_speeds_that_idle_power_makes_dear_are_not_used():
    rate, power = 1 / np.array([1.0, 1.8, 2.4, 2.8]), np.array([2.5, 3.0, 3.5, 4.0])
    ends = switch_epochs(rate, power, 90.0, power_law(1.0, 100.0))
    assert ends.tolist() == [0, 0, 0, 100]


# As printed: the loop of Algorithm 1, and equation (26).


def with_whole_hull(problem):
    """What the paper assumes: P strictly convex, so that every speed is on the hull."""
    return len(hull(problem[0], problem[1]).vertex) == len(problem[0])


def excess(problem, m, weight):
    """F^c(y_m) -> the right-hand side of (26) less d, y_k being multiplied by weight[k]."""
    rate, power, time, law = problem
    phi = hull(rate, power).phi

    def of(value):
        later = [law.inverse(phi[m] / phi[k] * value) for k in range(m, len(rate) - 1)]
        return float(rate[-1] * law.last + weight[m:] @ np.array(later) - time)

    return of


def printed_loop(problem, rounds):
    """The m that lines 3 to 12 end with; None if they have not ended after so many rounds."""
    rate = problem[0]
    upper, lower = len(rate) - 1, 0
    for _ in range(rounds):
        if upper <= lower:
            return upper
        m = (upper + lower) // 2
        if excess(problem, m, rate[:-1] - rate[1:])(1.0) >= 0:  # y_m <= 0
            lower = m
        else:
            upper = m
    return None


def test_as_printed_the_loop_does_not_end():
    """L := m changes nothing where U = L + 1; 64 rounds are more than log2 K."""
    problems = [p for p in map(random_problem, range(150)) if with_whole_hull(p)]
    endless = [p for p in problems if printed_loop(p, 64) is None]
    assert (len(endless), len(problems)) == (22, 69)
    for rate, power, time, law in endless:
        assert hours_of(rate, switch_epochs(rate, power, time, law)) == pytest.approx(time)


def test_equation_26_as_printed_is_needlessly_fast():
    """y_k s_k for y_k S_k, in units with s_1 = 1: all time is not used, at more energy."""
    used = []
    for rate, power, time, law in map(random_problem, range(150)):
        problem = rate / rate[0], power, time / rate[0], law
        of = excess(problem, 0, 1 / problem[0][:-1])
        if not with_whole_hull(problem) or not of(1.0) < 0 < of(0.0):
            continue
        value, phi = brentq(of, 0.0, 1.0), hull(rate, power).phi
        later = [law.inverse(phi[0] / phi[k] * value) for k in range(len(rate) - 1)]
        ends = np.array([*later, law.last])
        used.append(hours_of(problem[0], ends) / problem[2])
        best = expected_energy(problem[0], power, switch_epochs(*problem), law)
        assert expected_energy(problem[0], power, ends, law) > best
    assert len(used) == 13
    assert max(used) < 1
    assert np.mean(used) < 0.95


def test_a_speed_off_the_hull_ends_where_the_one_before_ends():
    rate, power = np.array([1.0, 0.9, 0.5]), np.array([1.0, 3.0, 2.4])
    ends = switch_epochs(rate, power, 75.0, power_law(1.0, 100.0))
    assert ends == pytest.approx([50.0, 50.0, 100.0])  # x + (100 - x) / 2 = 75


@pytest.mark.parametrize("second", [1.0, 1.2])
def test_rates_that_do_not_fall_are_refused(second):
    with pytest.raises(ValueError, match=rf"rate\[1\] = {second}, must be < rate\[0\] = 1.0"):
        switch_epochs(np.array([1.0, second]), np.ones(2), 75.0, power_law(1.0, 100.0))
