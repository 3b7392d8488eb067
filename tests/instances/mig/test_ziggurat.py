"""The tables of the ziggurat, against what they must add up to."""

import math

import pytest

from rsjs.instances.mig.konopa import java_random

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
