"""Where searches begin: incumbents of a method, the randomized greedy, a warm start."""

from __future__ import annotations

import pytest

from rsjs.heuristics.greedy_sample import sample
from rsjs.heuristics.starts import gathered
from rsjs.heuristics.stopping import Iterations, Stopping
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.generators.kiros import generate
from rsjs.instances.method import Call, Limits, Report
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution, SolveResult, Stop
from rsjs.methods import parse


@pytest.fixture(scope="module")
def instance() -> Instance:
    return generate(nodes=4, jobs=40, seed=3)


def price(instance: Instance, solution: Solution) -> float:
    return costs.terms(instance, solution).total


@pytest.mark.parametrize("seed", [0, 7])
def test_the_best_schedules_of_the_randomized_greedy_differ(instance: Instance, seed: int) -> None:
    found = sample(instance, seed, 8, Stopping())
    values = [price(instance, solution) for solution in found]
    assert len(values) == 8
    assert values == sorted(set(values))
    call = Call(limits=Limits(seed=seed))
    assert parse("randomized_greedy:paper")(instance, call, Report()).objective == values[0]
    assert sample(instance, seed, 3, Stopping())[2].same_as(found[2])
    assert sample(instance, seed, 3, Iterations(0)) == []


def test_incumbents_come_first_and_others_fill_up(instance: Instance) -> None:
    greedy, edf = (
        parse(name)(instance, Call(), Report()).solution for name in ("greedy:paper", "edf:paper")
    )
    assert greedy is not None
    assert edf is not None

    def start(instance: Instance, call: Call, report: Report) -> SolveResult:
        for solution in (edf, greedy, greedy):
            report.incumbent(solution, price(instance, solution))
        return SolveResult(stop=Stop.OPTIMAL, solution=greedy)

    call = Call(options={"start": start})
    report = Report()
    alone, result = gathered(instance, call, report, 10, fill=False)
    worse, better = sorted((price(instance, edf), price(instance, greedy)), reverse=True)
    assert {cost for cost, _ in alone} <= {worse, better}
    assert alone[0][0] == better
    assert result is not None
    assert result.stop is Stop.OPTIMAL
    assert report.events[-1].incumbent == better
    filled, _ = gathered(instance, call, Report(), 10, fill=True)
    assert [cost for cost, _ in filled] == sorted(cost for cost, _ in filled)
    assert len(filled) == 10
    assert better in [cost for cost, _ in filled]


def test_a_warm_start_stands_alone_without_its_empty_nodes(instance: Instance) -> None:
    start = Solution.of([0, *[-1] * 39], [1, *[0] * 39], [0, 1, 2, -1])
    assert check(instance, start).feasible
    ((cost, found),), result = gathered(instance, Call(warm_start=start), Report(), 10, fill=False)
    assert result is None
    assert found.node_type.tolist() == [0, -1, -1, -1]
    assert cost <= price(instance, start)
