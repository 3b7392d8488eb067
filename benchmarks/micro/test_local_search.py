"""Neighbours per second of a descent from greedy at 40 x 400, and steps per second of a path."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rsjs.heuristics.common.stopping import Stopping
from rsjs.heuristics.greedy import greedy
from rsjs.heuristics.local_search.local_search import Descent
from rsjs.heuristics.local_search.path_relinking import Relinking, modes
from rsjs.instances.check import check
from rsjs.instances.generators.jahani import generate
from rsjs.instances.instance import FAMILIES
from rsjs.instances.open_nodes import select_required_nodes

FAMILY = ("gpuscheduler", "kiros", "jahani")  # next_event, first_ending, proportional


@pytest.fixture(params=FAMILY)
def instance(request):
    """Due dates so early that many jobs run late, priced as a family does."""
    made = generate(nodes=40, jobs=400, seed=1, due="tight")
    hurried = replace(made.jobs, due=0.3 * made.jobs.due)
    return replace(made, jobs=hurried, objective=FAMILIES[request.param])


def decision(instance, rule):
    return select_required_nodes(instance, greedy.decide(instance, rule))


@pytest.mark.parametrize("jobs", ["late", "all"])
def test_descent(benchmark, instance, jobs):
    start, descent = decision(instance, "paper"), Descent(instance, only_late=jobs == "late")
    descent.improve(start, Stopping())
    moves, neighbours = descent.moves, descent.neighbours
    cost, found = benchmark(descent.improve, start, Stopping())
    if benchmark.stats:
        benchmark.extra_info["neighbours/s"] = neighbours / benchmark.stats.stats.median
    benchmark.extra_info["moves"] = moves
    assert check(instance, found, objective=cost).feasible


def test_path(benchmark, instance):
    start, guide = decision(instance, "paper"), modes(instance, decision(instance, "code"))
    relinking = Relinking(instance)
    relinking.path(start, guide, 100, Stopping())
    steps = relinking.steps
    cost, found = benchmark(relinking.path, start, guide, 100, Stopping())
    if benchmark.stats:
        benchmark.extra_info["steps/s"] = steps / benchmark.stats.stats.median
    assert check(instance, found, objective=cost).feasible
