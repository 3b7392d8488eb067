"""What every method of the registry owes, with every rule and on every kind of objective."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from rsjs.heuristics.registry import METHODS
from rsjs.instances.check import check
from rsjs.instances.method import Call, Method, Report
from rsjs.instances.schema import Instance, Objective
from rsjs.instances.solution import Solution, Stop
from rsjs.methods import Request, parse

CALLS = [
    pytest.param(method, rule, id=f"{name}:{rule}")
    for name, method in METHODS.items()
    for rule in method.rules or (None,)
]
OBJECTIVES = [  # pairwise: every two of the four fields in all combinations
    Objective(
        energy=("proportional", "first_ending", "next_event")[a],
        expectation=("worst_case", "mean", "expected")[b],
        tardiness_at=("completion", "next_event")[(a + b) % 3 == 1],
        open_nodes=("free", "jahani_eq")[(a + 2 * b) % 3 == 1],
        mu=0.3,
    )
    for a, b in product(range(3), repeat=2)
]
SEEDS = 3
ENDS = (Stop.ITERATIONS, Stop.TIME_LIMIT, Stop.GAP, Stop.OPTIMAL)
SHORT = {"fix_and_optimise": "?iterations=500,rounds=2"}  # options of methods that take long
RULED = {name: method for name, method in METHODS.items() if method.rules}


def _request(method: Method, rule: str | None) -> Request:
    spelling = f"{method.name}:{rule}" if rule else method.name
    return parse(spelling + SHORT.get(method.name, ""))


def _assert_capacity(instance: Instance, solution: Solution) -> None:
    cluster = instance.cluster
    used = [0] * cluster.nodes
    for j, node in enumerate(solution.job_node.tolist()):
        if node < 0:
            assert solution.job_gpus[j] == 0
            continue
        if solution.job_level[j] >= 0:
            continue  # shares are packed by the checker
        gpu_type = cluster.node_types[solution.node_type[node]].gpu_type
        gpu = [kind.name for kind in cluster.gpu_types].index(gpu_type)
        assert np.isfinite(instance.jobs.hours_per_epoch[j, gpu, solution.job_gpus[j]])
        assert instance.jobs.memory_gb[j] <= cluster.gpu_types[gpu].memory_gb
        used[node] += int(solution.job_gpus[j])
    groups = [group for group in cluster.groups for _ in range(group.count)]
    for group, v, gpus in zip(groups, solution.node_type.tolist(), used, strict=True):
        if v < 0:
            assert gpus == 0
        else:
            assert cluster.node_types[v].name in group.types
            assert gpus <= cluster.node_types[v].gpus


@pytest.mark.parametrize(
    "objective", OBJECTIVES, ids=lambda o: "-".join(map(str, vars(o).values()))
)
@pytest.mark.parametrize(("method", "rule"), CALLS)
def test_solution_is_feasible_priced_and_repeatable(
    random_instance: Callable[[int, Objective], Instance],
    method: Method,
    rule: str | None,
    objective: Objective,
) -> None:
    for seed in range(SEEDS):
        instance = random_instance(1000 * OBJECTIVES.index(objective) + seed, objective)
        if method.refusal(instance):
            continue
        request = _request(method, rule)
        assert request.method.refusal(instance) is None, "serves less than it declares"
        result = request(instance, Call(), Report())
        solution = result.solution
        assert result.stop in ENDS
        assert result.message == ""
        assert solution is not None
        assert result.bound is None or result.bound <= result.objective
        assert result.bound is None or result.bound_variant == "instance"
        assert result.events[-1].incumbent == result.objective
        _assert_capacity(instance, solution)
        verdict = check(instance, solution, objective=result.objective)
        assert verdict.feasible, [str(violation) for violation in verdict.violations]
        if objective.open_nodes == "jahani_eq":
            selected = (solution.node_type >= 0).sum()
            assert selected == min(len(instance.jobs), instance.cluster.nodes)
        again = request(instance, Call(), Report()).solution
        assert again is not None
        assert again.same_as(solution)


@pytest.mark.parametrize("name", ["local_search", "path_relinking"])
def test_of_equivalent_solutions_the_reported_one_is_the_result(
    random_instance: Callable[[int, Objective], Instance], name: str
) -> None:
    """Here two solutions differ in the order of their nodes, so their costs in the last digit."""
    result = parse(name)(random_instance(113, OBJECTIVES[4]), Call(), Report())
    assert result.events[-1].incumbent == result.objective


@pytest.mark.parametrize(("method", "rule"), [call for call in CALLS if call.values[1]])
def test_some_job_always_runs(
    random_instance: Callable[[int, Objective], Instance], method: Method, rule: str | None
) -> None:
    for seed in range(20):
        instance = random_instance(seed, OBJECTIVES[-1])
        solution = _request(method, rule)(instance, Call(), Report()).solution
        assert solution is not None
        assert (solution.job_node >= 0).any()


@pytest.mark.parametrize("method", RULED.values(), ids=RULED)
def test_unknown_rule_is_named_in_the_error(
    random_instance: Callable[[int, Objective], Instance], method: Method
) -> None:
    with pytest.raises(ValueError, match="unknown rule 'nonsense'"):
        method.load()(random_instance(0, OBJECTIVES[-1]), Call(rule="nonsense"), Report())


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_rsjs_numbers_of_nodes_are_refused_unless_declared(
    random_instance: Callable[[int, Objective], Instance], method: Method
) -> None:
    objective = Objective(
        energy="first_ending",
        tardiness_at="completion",
        open_nodes="rsjs_eq",
        expectation="worst_case",
    )
    refusal = method.refusal(random_instance(0, objective))
    assert (refusal is None) == ("rsjs_eq" in method.open_nodes)
