"""java.util.Random against what JDK 17 prints, and its ziggurat against what it must add up to."""

import math
import struct

import pytest

from rsjs.instances.mig.konopa import java_random
from rsjs.instances.mig.konopa.java_random import JavaRandom


def test_integers_of_32_bits():
    stream = JavaRandom(41)
    assert [stream.int32() for _ in range(3)] == [-1171259281, -593728041, 824018113]


@pytest.mark.parametrize(
    ("seed", "low", "high", "expected"),
    [
        (41, 1, 6, [3, 3, 2, 5, 1, 5, 3, 4, 1, 2]),
        (41, 3, 11, [10, 10, 4, 6, 9, 9, 7, 7, 8, 5]),  # a power of two
        (7, 0, 8, [1, 0, 2, 1]),
        (7, -5, 5, [1, -1, 0, -1]),
        (7, 1, 1_000_000, [165806, 250536, 831094, 678065]),
        (7, -(2**31), 2**31 - 1, [-1156638823, -1552468968, -1077308326, 41356089]),  # by refusal
        (7, -2_000_000_000, 2_000_000_000, [-1156638823, -1552468968, -1077308326, 41356089]),
        (7, 7, 2**31 - 1, [1569164243, 1371249171, 1608829492, 20678051]),
    ],
)
def test_integers_of_a_range(seed, low, high, expected):
    stream = JavaRandom(seed)
    assert [stream.integer(low, high) for _ in expected] == expected


def test_a_range_without_integers_is_an_error():
    with pytest.raises(ValueError, match=r"no integer in \[3, 3\)"):
        JavaRandom(1).integer(3, 3)


def test_uniforms_of_both_precisions():
    double, single = JavaRandom(41), JavaRandom(41)
    assert [double.uniform() for _ in range(3)] == [
        0.7272949496174144,
        0.19185667412315388,
        0.019611703211486087,
    ]
    assert [single.uniform_single() for _ in range(3)] == [
        0.727294921875,
        0.8617618680000305,
        0.19185662269592285,
    ]


def test_normal_numbers():
    stream = JavaRandom(41)
    assert [stream.normal(0, 1) for _ in range(5)] == [
        -0.4912969773479414,
        0.49634657332389537,
        0.06479092470695391,
        -0.21942262741917437,
        -0.6539642548284373,
    ]


@pytest.mark.parametrize(
    ("seed", "expected"),
    [
        (41, 3420330958698785249),
        (-12345, -6828569519290639620),
        (189028438751160, 4629525072124516322),
    ],
)
def test_a_hundred_thousand_normal_numbers_bit_for_bit(seed, expected):
    """Some 1200 of them leave the fast path, and about 30 come from the tail."""
    stream, found = JavaRandom(seed), 0
    for _ in range(100_000):
        bits = struct.unpack("<Q", struct.pack("<d", stream.normal(2.5, 7.0)))[0]
        found = (found * 1000003 + bits) % 2**64
    assert found == expected % 2**64


CURVES = {
    "normal": (java_random.normal, lambda x: math.exp(-x * x / 2), math.sqrt(math.pi / 2)),
    "exponential": (java_random.exponential, lambda x: math.exp(-x), 1.0),
}


@pytest.fixture(params=CURVES)
def curve(request):
    make, f, under = CURVES[request.param]
    return make(), f, under / 256


def test_the_tail_begins_where_the_literature_has_it():
    assert java_random.normal().tail == pytest.approx(3.63600662550094578, rel=1e-15)
    assert java_random.exponential().tail == pytest.approx(7.56927469414806264, rel=1e-15)


def test_layers_have_the_same_area_and_corners_on_the_curve(curve):
    table, f, area = curve
    x = [value * 2.0**63 for value in table.x]
    y = [value * 2.0**63 for value in table.y]
    assert y == pytest.approx([f(value) for value in x], rel=1e-13)
    layers = [x[i] * (y[i] - (y[i - 1] if i else 0)) for i in range(table.layers)]
    assert layers == pytest.approx([area] * table.layers, rel=1e-11)
    assert (x[-1], y[-1]) == (0, 1)


def test_layers_and_overhangs_make_up_the_area_under_the_curve(curve):
    """The alias table draws overhang j with the share of its area, by the trapezoidal rule."""
    table, f, area = curve
    drawn = [0.0] * 256
    for j, (keep, alias) in enumerate(zip(table.keep, table.alias, strict=True)):
        kept = (keep + 2**63) / 2**64
        drawn[j] += kept / 256
        drawn[alias] += (1 - kept) / 256
    left = (256 - table.layers) * area
    x = [value * 2.0**63 for value in table.x]
    for j in range(1, table.layers + 1):
        points = [x[j] + (x[j - 1] - x[j]) * i / 200 for i in range(201)]
        heights = [f(point) - f(x[j - 1]) for point in points]
        overhang = (x[j - 1] - x[j]) * (sum(heights) - heights[0] / 2) / 200
        assert drawn[j] * left == pytest.approx(overhang, rel=1e-4)
    assert sum(drawn[table.layers + 1 :]) == pytest.approx(0, abs=1e-15)
