"""Optimal speed profiles: equal to a linear program, and what they say of odd inputs."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rsjs.heuristics.compiled import AVAILABLE
from rsjs.heuristics.speed_profile import STATUSES, Profiles, profiles, solve
from rsjs.heuristics.speed_programs import linear_program
from rsjs.heuristics.survival_steps import Steps, steps
from rsjs.instances.epochs import Law

Floats = NDArray[np.float64]
Case = tuple[Floats, Floats, float, Law, float]  # hours per epoch, $/h, d, law, epochs done

SHAPES = ("concave", "power law", "Amdahl", "not concave", "linear")
IDLE_POWER = (0.0, 0.1, 0.3)
CASES = 300


def random_case(number: int) -> Case:
    """Case by case another shape of speed-up and idle power; laws with atoms and flat parts."""
    rng = np.random.default_rng(number)
    gpus = int(rng.integers(1, 9))
    k = np.arange(1, gpus + 1)
    shape = SHAPES[number % len(SHAPES)]
    if shape == "concave":
        speed = np.cumsum(np.sort(rng.uniform(0.1, 1, gpus))[::-1])
    elif shape == "power law":
        speed = k ** rng.uniform(0.3, 1)
    elif shape == "Amdahl":
        speed = 1 / (0.1 + rng.uniform(0.2, 0.9) / k)
    elif shape == "linear":
        speed = k.astype(float)
    else:
        speed = 0.5 + np.cumsum(rng.uniform(-0.05, 1, gpus))
    idle = IDLE_POWER[number // len(SHAPES) % len(IDLE_POWER)]
    power = k + (gpus - k) * idle
    size = int(rng.integers(1, 60))
    epochs = np.sort(rng.choice(np.arange(1, 101), size, replace=False))
    weights = rng.integers(0, 4, size)  # 0: a flat part
    weights[rng.integers(size)] += rng.choice([0, 30])  # an atom
    weights[-1] += 1
    law = Law.of(np.column_stack([epochs, weights]))
    done = float(rng.choice([0.0, int(0.5 * law.last), rng.uniform(0, 0.9 * law.last)]))
    rate = 1 / speed
    time = rng.uniform(0.8 * rate.min(), rate.max()) * (law.last - done)
    return rate, power, float(time), law, done


def profile_of(case: Case) -> tuple[Profiles, Steps]:
    rate, power, time, law, done = case
    of = steps([law], np.zeros(1, dtype=np.int64), np.array([done]))
    return profiles(rate[None], power[None], np.array([time]), of), of


def hours_of(case: Case, found: Profiles) -> float:
    """The time that a profile takes in the worst case."""
    ends = np.concatenate([[case[4]], found.until[0]])
    return float(case[0][found.vertex[0]] @ np.diff(ends))


def test_profiles_equal_the_linear_program() -> None:
    seen = []
    for number in range(CASES):
        case = random_case(number)
        found, of = profile_of(case)
        least = linear_program(case[0], case[1], case[2], of)
        status = STATUSES[found.status[0]]
        assert (least is None) == (status == "infeasible"), number
        if least is not None:
            assert found.energy[0] == pytest.approx(least, rel=1e-7), number
        seen.append(status)
    assert {name: seen.count(name) for name in STATUSES} == {
        "feasible": 104,
        "slack": 127,
        "infeasible": 69,
        "inadmissible": 0,
    }


@given(number=st.integers(0, 2**32 - 1))
def test_a_profile_is_in_time_in_order_and_worth_its_energy(number: int) -> None:
    case = random_case(number)
    rate, power, time, law, done = case
    found, _ = profile_of(case)
    ends = np.concatenate([[done], found.until[0]])
    assert (np.diff(ends) >= 0).all()
    assert ends[-1] == law.last
    assert (np.diff(rate[found.vertex[0]]) <= 0).all()
    hours, status = hours_of(case, found), STATUSES[found.status[0]]
    if status == "feasible":
        assert hours == pytest.approx(time, rel=1e-12)
    elif status == "slack":
        assert hours <= time * (1 + 1e-12)
    else:
        assert hours > time
        assert rate[found.vertex[0, -1]] == rate.min()
    points = np.arange(0, law.last + 1)
    cuts = np.unique(np.concatenate([ends, points[points > done]]))
    middle = (cuts[:-1] + cuts[1:]) / 2
    used = found.vertex[0][np.searchsorted(found.until[0], middle, side="right")]
    survival = law.survival(middle) / law.survival([done])
    energy = (rate * power)[used] @ (survival * np.diff(cuts))
    assert found.energy[0] == pytest.approx(energy, rel=1e-9)
    first = int(np.flatnonzero(ends[1:] > done)[0])
    assert found.initial[0] == found.vertex[0, first]
    if ends[first + 1] == law.last:
        assert found.change[0] == np.inf
    else:
        hours_of_first = rate[found.initial[0]] * (ends[first + 1] - done)
        assert found.change[0] == pytest.approx(hours_of_first, rel=1e-12)


def test_an_atom_at_the_end_leaves_fast_speeds_unused() -> None:
    """Proposition 2 has it that the fastest speed is always used: not with this atom."""
    law = Law.of([[10, 1], [100, 4]])
    rate, power = 1 / np.array([1.0, 1.8, 2.4, 2.8]), np.array([1.0, 2.0, 3.0, 4.0])
    found, _ = profile_of((rate, power, 60.0, law, 0.0))
    # 10 epochs at speed 1, the others at speed 1.8: 10 + 90 / 1.8 = 60
    assert found.until[0] == pytest.approx([10, 100, 100, 100])
    assert found.energy[0] == pytest.approx(10 * 1 + 0.8 * 90 * 2 / 1.8)
    assert found.change[0] == pytest.approx(10.0)


def test_a_fixed_number_of_epochs_mixes_two_neighbouring_speeds() -> None:
    rate, power = 1 / np.array([1.0, 1.8, 2.4]), np.array([1.0, 2.0, 3.0])
    found, _ = profile_of((rate, power, 50.0, Law.of([[100, 1]]), 0.0))
    # x / 1.8 + (100 - x) / 2.4 = 50
    assert found.until[0] == pytest.approx([0, 60, 100])
    assert found.change[0] == pytest.approx(60 / 1.8)


def test_idle_power_makes_slow_speeds_dear() -> None:
    """rsjs 6.1: with half of the power when idle only 4 GPUs are ever useful."""
    rate, power = 1 / np.array([1.0, 1.8, 2.4, 2.8]), np.array([2.5, 3.0, 3.5, 4.0])
    found, _ = profile_of((rate, power, 1000.0, Law.of([[100, 1]]), 0.0))
    assert STATUSES[found.status[0]] == "slack"
    assert found.initial[0] == 3


def test_power_that_falls_with_speed_asks_for_the_fastest() -> None:
    """Idle GPUs that take more power than busy ones."""
    found, _ = profile_of((np.array([1.0, 0.6]), np.array([4.0, 2.0]), 99.0, Law.of([[9, 1]]), 0.0))
    assert (found.initial[0], found.energy[0]) == (1, pytest.approx(0.6 * 2 * 9))


def test_speeds_that_fall_with_gpus_are_never_used() -> None:
    rate, power = np.array([1.0, 1.2, 0.5]), np.array([1.0, 2.0, 3.0])
    found, _ = profile_of((rate, power, 7.5, Law.of([[10, 1]]), 0.0))
    assert found.vertex[0].tolist() == [0, 2, 2]
    assert found.until[0] == pytest.approx([5, 10, 10])


@pytest.mark.parametrize("time", [-3.0, 0.0, 19.9])
def test_a_job_that_is_late_in_any_case_takes_the_fastest(time: float) -> None:
    rate, power = np.array([0.5, 0.3, 0.2]), np.array([1.0, 2.0, 3.5])
    found, _ = profile_of((rate, power, time, Law.of([[40, 1], [100, 1]]), 0.0))
    assert STATUSES[found.status[0]] == "infeasible"
    assert (found.initial[0], found.change[0]) == (2, np.inf)
    assert found.energy[0] == pytest.approx(0.2 * 3.5 * 70)


def test_a_due_date_that_the_fastest_just_meets_is_feasible() -> None:
    found, _ = profile_of((np.array([0.5, 0.25]), np.ones(2), 25.0, Law.of([[100, 1]]), 0.0))
    assert STATUSES[found.status[0]] in ("feasible", "slack")
    assert found.initial[0] == 1


def test_without_a_configuration_there_is_no_profile() -> None:
    of = steps([Law.of([[5, 1]])], np.zeros(2, dtype=np.int64), np.zeros(2))
    rate = np.array([[np.inf, np.inf], [np.inf, 1.0]])
    found = profiles(rate, np.ones((2, 2)), np.array([5.0, 5.0]), of)
    assert [STATUSES[status] for status in found.status] == ["inadmissible", "slack"]
    assert found.initial.tolist() == [-1, 1]
    assert found.energy.tolist() == [np.inf, 5.0]


@pytest.mark.skipif(not AVAILABLE, reason="numba is not installed")
def test_both_engines_give_the_same_to_the_last_bit() -> None:
    rng = Random(1)
    cases = [random_case(rng.randrange(2**32)) for _ in range(400)]
    rate = np.full((len(cases), 9), np.inf)
    power = np.zeros((len(cases), 9))
    for row, case in enumerate(cases):
        rate[row, 1 : len(case[0]) + 1] = case[0]
        power[row, 1 : len(case[0]) + 1] = case[1]
    rate[rng.sample(range(len(cases)), 20)] = np.inf
    of = steps(
        [case[3] for case in cases], np.arange(len(cases)), np.array([case[4] for case in cases])
    )
    time = np.array([case[2] for case in cases])
    found = [solve(rate, power, time, of, engine) for engine in ("numpy", "numba")]
    for name, one, other in zip(Profiles._fields, *found, strict=True):
        assert np.array_equal(one, other), name
    assert set(found[0].status.tolist()) == {0, 1, 2, 3}


def test_kernels_are_the_python_they_are_written_in(plain_kernels: None) -> None:
    for number in range(40):
        rate, power, time, law, done = random_case(number)
        of = steps([law], np.zeros(1, dtype=np.int64), np.array([done]))
        arguments = rate[None], power[None], np.array([time]), of
        for one, other in zip(solve(*arguments, "numpy"), solve(*arguments, "numba"), strict=True):
            assert np.array_equal(one, other)
