"""The hull of speeds where costs and slopes are equal but for rounding, in both engines."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from rsjs.heuristics import speed_hull

Floats = NDArray[np.float64]
Found = tuple[list[int], list[float]]  # vertices, Phi


def by_numpy(rate: Floats, power: Floats) -> Found:
    found = speed_hull.hull(rate[None], power[None])
    size = int(found.size[0])
    return found.vertex[0, :size].tolist(), found.phi[0, :size].tolist()


def by_kernel(rate: Floats, power: Floats) -> Found:
    from rsjs.heuristics.kernels.speed_hull import hull

    vertex, parts = np.empty(len(rate), dtype=np.int64), np.empty((3, len(rate)))
    size = hull(rate, power, vertex, *parts)
    return vertex[:size].tolist(), parts[2, :size].tolist()


HULLS = [by_numpy, by_kernel]
pytestmark = pytest.mark.usefixtures("plain_kernels")


@pytest.mark.parametrize("hull", HULLS)
def test_of_speeds_in_proportion_to_their_power_the_fastest_remains(
    hull: Callable[[Floats, Floats], Found],
) -> None:
    k = np.arange(1, 65)
    rate, power = 0.7 / k, 0.3 * k
    assert len(set((rate * power).tolist())) > 1  # by rounding
    assert hull(rate, power) == ([63], [0.0])


@pytest.mark.parametrize("hull", HULLS)
def test_speeds_on_a_line_leave_its_ends(hull: Callable[[Floats, Floats], Found]) -> None:
    rate = np.linspace(1.0, 0.1, 40)
    energy = 3.0 - 0.7 * rate
    vertex, phi = hull(rate, energy / rate)
    assert vertex == [0, 39]
    assert phi == pytest.approx([0.7, 0.0])


@pytest.mark.parametrize("hull", HULLS)
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
def test_phi_rises_where_slopes_are_in_the_wrong_order_by_rounding(
    hull: Callable[[Floats, Floats], Found], rate: list[float], power: list[float]
) -> None:
    """The third speed ties with the second one, the last just does not."""
    vertex, phi = hull(np.array([1.0, 0.9, *rate]), np.array([1.0, *power]))
    assert vertex == [0, 2, 3]
    assert phi == [phi[0], phi[0], 0.0]
