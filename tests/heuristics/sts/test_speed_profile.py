"""Optimal speed profiles: equal to a linear program, and what they say of odd inputs."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.core.types import Floats
from rsjs.heuristics.sts.job_profiles import job_profiles
from rsjs.heuristics.sts.single_job import INFEASIBLE, SLACK, STATUSES, steps
from rsjs.heuristics.sts.speed_profile import hull, profiles
from rsjs.instances.epoch_distribution import EpochDistribution
from tests.heuristics.sts.speed_programs import linear_program

Case = tuple[
    Floats, Floats, float, EpochDistribution, float
]  # hours per epoch, $/h, d, law, epochs done

SHAPES = ("concave", "power law", "Amdahl", "not concave", "linear")
IDLE_POWER = (0.0, 0.1, 0.3)
CASES = 120


def random_case(number):
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
    power = k + (gpus - k) * IDLE_POWER[number // len(SHAPES) % len(IDLE_POWER)]
    size = int(rng.integers(1, 60))
    epochs = np.sort(rng.choice(np.arange(1, 101), size, replace=False))
    weights = rng.integers(0, 4, size)  # 0: a flat part
    weights[rng.integers(size)] += rng.choice([0, 30])  # an atom
    weights[-1] += 1
    law = EpochDistribution.of(np.column_stack([epochs, weights]))
    done = float(rng.choice([0.0, int(0.5 * law.last), rng.uniform(0, 0.9 * law.last)]))
    rate = 1 / speed
    time = rng.uniform(0.8 * rate.min(), rate.max()) * (law.last - done)
    return rate, power, float(time), law, done


def profile_of(case):
    rate, power, time, law, done = case
    of = steps([law], np.zeros(1, dtype=np.int64), np.array([done]))
    return profiles(rate[None], power[None], np.array([time]), of), of


def hours_of(case, found):
    """The time that a profile takes in the worst case."""
    ends = np.concatenate([[case[4]], found.until[0]])
    return float(case[0][found.vertex[0]] @ np.diff(ends))


@pytest.mark.slow
def test_profiles_equal_the_linear_program():
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
    assert [seen.count(name) for name in ("feasible", "slack", "infeasible")] == [41, 51, 28]


@given(number=st.integers(0, 2**32 - 1))
def test_a_profile_is_in_time_in_order_and_worth_its_energy(number):
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


FOUR = [1.0, 1.8, 2.4, 2.8]  # epochs per hour
ATOM, TWO, FIXED = (
    EpochDistribution.of(w) for w in ([[10, 1], [100, 4]], [[40, 1], [100, 1]], [[100, 1]])
)
LATE = {"status": INFEASIBLE, "initial": 2, "change": np.inf, "energy": 0.2 * 3.5 * 70}


@pytest.mark.parametrize(
    ("speed", "power", "time", "law", "expected"),
    [
        # Proposition 2 has it that the fastest speed is always used: not with this atom.
        # 10 epochs at speed 1, the others at speed 1.8: 10 + 90 / 1.8 = 60
        (FOUR, [1, 2, 3, 4], 60, ATOM, {"until": [10, 100, 100, 100], "change": 10}),
        (FOUR, [1, 2, 3, 4], 60, ATOM, {"energy": 10 * 1 + 0.8 * 90 * 2 / 1.8}),
        # a fixed number of epochs mixes two neighbouring speeds: x / 1.8 + (100 - x) / 2.4 = 50
        (FOUR[:3], [1, 2, 3], 50, FIXED, {"until": [0, 60, 100], "change": 60 / 1.8}),
        # rsjs 6.1: with half of the power when idle only 4 GPUs are ever useful
        (FOUR, [2.5, 3, 3.5, 4], 1000, FIXED, {"status": SLACK, "initial": 3}),
        # idle GPUs that take more power than busy ones: the fastest
        ([1, 1 / 0.6], [4, 2], 99, FIXED, {"initial": 1, "energy": 0.6 * 2 * 100}),
        # speeds that fall with GPUs are never used
        ([1, 1 / 1.2, 2], [1, 2, 3], 75, FIXED, {"vertex": [0, 2, 2], "until": [50, 100, 100]}),
        # late in any case: the fastest
        ([2, 3, 5], [1, 2, 3.5], -3, TWO, LATE),
        ([2, 3, 5], [1, 2, 3.5], 0, TWO, LATE),
        ([2, 3, 5], [1, 2, 3.5], 19.9, TWO, LATE),
        ([2, 4], [1, 1], 25, FIXED, {"initial": 1, "energy": 25}),  # just met by the fastest
    ],
)
def test_profiles_by_hand(speed, power, time, law, expected):
    case = 1 / np.array(speed, dtype=float), np.array(power, dtype=float), float(time), law, 0.0
    found, _ = profile_of(case)
    for name, value in expected.items():
        assert getattr(found, name)[0] == pytest.approx(value), name
    assert (found.status[0] == INFEASIBLE) == (time * speed[-1] < law.last)


def test_without_a_configuration_there_is_no_profile():
    of = steps([EpochDistribution.of([[5, 1]])], np.zeros(2, dtype=np.int64), np.zeros(2))
    rate = np.array([[np.inf, np.inf], [np.inf, 1.0]])
    found = profiles(rate, np.ones((2, 2)), np.array([5.0, 5.0]), of)
    assert [STATUSES[status] for status in found.status] == ["inadmissible", "slack"]
    assert (found.initial.tolist(), found.energy.tolist()) == ([-1, 1], [np.inf, 5.0])


def test_of_speeds_in_proportion_to_their_power_the_fastest_remains():
    k = np.arange(1, 65)
    rate, power = 0.7 / k, 0.3 * k
    assert len(set((rate * power).tolist())) > 1  # by rounding
    found = hull(rate, power)
    assert (found.vertex.tolist(), found.phi.tolist()) == ([63], [0.0])


def test_speeds_on_a_line_leave_its_ends():
    rate = np.linspace(1.0, 0.1, 40)
    energy = 3.0 - 0.7 * rate
    found = hull(rate, energy / rate)
    assert found.vertex.tolist() == [0, 39]
    assert found.phi == pytest.approx([0.7, 0.0])


@pytest.mark.parametrize(
    ("rate", "power"),
    [
        (
            [0.13471187425394754, 0.13471187211904162],
            [1.1888888888888889, 11.91952600255497, 11.919526202548486],
        ),
        (
            [0.13525181883016027, 0.1351617751744567],
            [1.2222222222222223, 13.787231826525936, 13.797082957954759],
        ),
    ],
)
def test_phi_rises_where_slopes_are_in_the_wrong_order_by_rounding(rate, power):
    """The third speed ties with the second one, the last just does not."""
    found = hull(np.array([1.0, 0.9, *rate]), np.array([1.0, *power]))
    assert found.vertex.tolist() == [0, 2, 3]
    assert found.phi.tolist() == [found.phi[0], found.phi[0], 0.0]


def test_phi_is_that_of_each_speed_worth_using_against_the_next(make):
    """100 epochs in 60 h; 2 GPUs cost more for an epoch than 3 do."""
    instance = make({"A4": [1, 2, 2.1, 4]}, [{"A": [1, 0.6, 0.5, 0.4]}], due=[60])
    instance = replace(instance, jobs=replace(instance.jobs, epochs_max=np.array([100])))
    (found,) = job_profiles(instance, 0, 60.0)
    rows = {int(row.gpus): row for row in found.configurations}
    assert [row.phi for row in rows.values() if row.phi is not None] == pytest.approx([0.1, 5.5])
    assert [k for k, row in rows.items() if row.phi is not None] == [1, 3]
    assert {k: row.on_hull for k, row in rows.items()} == {1: True, 2: False, 3: True, 4: True}
    # x + (100 - x) / 2 = 60
    assert (rows[1].ends, rows[3].begins, rows[3].ends) == pytest.approx((20, 20, 100))
    assert (rows[2].ends, rows[4].ends) == (None, None)
