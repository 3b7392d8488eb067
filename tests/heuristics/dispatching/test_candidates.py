"""Prices, orders and queues, by hand."""

import numpy as np
import pytest

from rsjs.heuristics.dispatching import candidates

INF = np.inf


@pytest.fixture
def instance(make):
    """A2 for 2 $/h, A4 for 3.6 $/h, B2 by GPUs in use; A3 is in the catalogue only."""
    types = {"A2": 2, "A4": 3.6, "B2": [1, 5], "A3": 0.1}
    hours = [{"A": [8, 5, None, 3], "B": [4, 3]}, {"B": [None, 2]}]
    return make(types, hours, groups=[(1, ["A2", "A4"]), (1, ["B2"])], due=[5, 1])


def test_price_of_the_smallest_vm_that_fits(instance):
    price = candidates.full_price_by_gpu_type(instance.cluster)
    assert price.tolist() == [[0, 2, 2, 3.6, 3.6], [0, 1, 5, INF, INF]]


def test_price_of_a_share(instance):
    price = candidates.share_price_by_node_type(instance.cluster)
    assert price[0].tolist() == [0, 1, 2, INF, INF]
    assert price[1].tolist() == pytest.approx([0, 0.9, 1.8, 2.7, 3.6])
    assert price[2].tolist() == [0, 1, 5, INF, INF]  # by GPUs in use: the price as it is
    assert price[3, 1:].tolist() == [INF] * 4


def test_configurations_in_time_by_cost_then_late_by_time(instance):
    hours = instance.hours_per_epoch
    price = candidates.full_price_by_gpu_type(instance.cluster)
    a, b = 0, 5  # kind x (G + 1)
    order = candidates.ranked(instance, hours, price, strict=False)
    assert order[0] == [b + 1, a + 2, a + 4, b + 2, a + 1]  # 4, 10, 10.8, 15 $; 8 h is late
    assert order[1] == [b + 2]
    order = candidates.ranked(instance, hours, price, strict=True)
    assert order[0] == [b + 1, a + 4, b + 2, a + 2, a + 1]  # 5 h is late too


def test_ties_go_to_the_cheaper_then_to_the_first_kind_then_to_fewer_gpus(make):
    instance = make({"A2": [1, 2], "B2": [1, 1]}, [{"A": [4, 2], "B": [4, 4]}] * 2, due=[9, 1])
    hours = instance.hours_per_epoch
    price = candidates.full_price_by_gpu_type(instance.cluster)
    in_time, late = candidates.ranked(instance, hours, price, strict=False)
    assert in_time == [1, 2, 4, 5]  # 4 $ each
    assert late == [2, 1, 4, 5]  # 2 h, then 4 h for 4 $ each


def test_pressure_counts_the_fastest_configuration(instance):
    assert candidates.pressure(instance).tolist() == [-2, 1]
    assert candidates.by_pressure(instance).tolist() == [1, 0]


def test_queues_keep_the_order_of_equals(make):
    keys = {"due": [3, 2, 3, 2], "weight": [1, 2, 2, 1], "release": [-1, -2, -1, -2]}
    instance = make({"A1": 1}, [{"A": [1]}] * 4, **keys)
    assert candidates.by_release(instance).tolist() == [1, 3, 0, 2]
    assert candidates.by_due_date(instance).tolist() == [1, 3, 0, 2]
    assert candidates.by_weight(instance).tolist() == [1, 2, 0, 3]
    assert candidates.by_pressure(instance).tolist() == [1, 3, 0, 2]
