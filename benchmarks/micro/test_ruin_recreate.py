"""Prices, the first schedule, and 1000 moves of ruin and recreate at 100 x 400."""

from __future__ import annotations

import pytest

from rsjs.heuristics.ruin_recreate import dual_prices
from rsjs.heuristics.ruin_recreate.arrays import mode_tables
from rsjs.heuristics.ruin_recreate.construction import construct
from rsjs.heuristics.ruin_recreate.ruin_recreate import COLD, NODES, NODES_LED, Annealer
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.generators import jahani, kiros, sts

MOVES = 1000
INSTANCES = [
    jahani.generate(nodes=100, jobs=400, seed=1),
    kiros.generate(nodes=100, jobs=400, seed=1),
    sts.generate(nodes=100, jobs=400, seed=1),
    sts.generate(nodes=100, jobs=400, seed=1, sharing="paper"),
]


@pytest.fixture(params=INSTANCES, ids=lambda instance: instance.name)
def instance(request):
    costs.cost_tables(request.param)
    return request.param


def test_prices(benchmark, instance):
    found = benchmark(dual_prices.find, instance)
    benchmark.extra_info["bound"] = found.bound
    assert found.bound > 0


def test_first_schedule(benchmark, instance):
    found = dual_prices.find(instance)
    state = benchmark(lambda: construct(instance, mode_tables(instance), found))
    assert state.load.sum() > 0


def test_moves(benchmark, instance):
    found, problem = dual_prices.find(instance), mode_tables(instance)
    search = Annealer(instance, problem, found, construct(instance, problem, found), 0)
    nodes = NODES_LED if search.guide.leads[0] else NODES
    search.moves(3 * MOVES, 0.0, nodes, 8)
    benchmark(search.moves, MOVES, COLD * found.scale, nodes, 3)
    benchmark.extra_info["moves"] = MOVES
    assert check(instance, search.solution()).feasible
