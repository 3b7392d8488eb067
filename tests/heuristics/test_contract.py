"""What every method of the registry owes, with every rule and on every kind of objective."""

import numpy as np
import pytest
from allpairspy import AllPairs

from rsjs.core.call import Call
from rsjs.core.method import ENERGY, EXPECTATION, TARDINESS_AT
from rsjs.core.report import Report, Stop
from rsjs.heuristics.registry import METHODS
from rsjs.instances.check import check
from rsjs.instances.instance import Objective
from rsjs.methods import parse

CALLS = [f"{m.name}:{rule}" for m in METHODS.values() for rule in m.rules]
CALLS += [name for name, method in METHODS.items() if not method.rules]
KINDS = {
    "energy": sorted(ENERGY),
    "tardiness_at": sorted(TARDINESS_AT),
    "open_nodes": ["free", "jahani_eq"],
    "expectation": sorted(EXPECTATION),
}
ENDS = (Stop.ITERATIONS, Stop.TIME_LIMIT, Stop.GAP, Stop.OPTIMAL)
SHORT = {"fix_and_optimise": "?iterations=500,rounds=2"}  # options of methods that take long
RULED = {name: method for name, method in METHODS.items() if method.rules}


def _method(call):
    return METHODS[call.partition(":")[0]]


def _pairs(call):
    """Objectives with all pairs of the kinds that a method declares."""
    served = [[v for v in of if v in getattr(_method(call), kind)] for kind, of in KINDS.items()]
    return [(call, *row) for row in AllPairs(served)]


ROWS = [row for call in CALLS for row in _pairs(call)]
LONG = ("fix_and_optimise", "path_relinking", "ruin_recreate")


def _request(call):
    return parse(call + SHORT.get(call, ""))


def _objective(*kinds):
    return Objective(**dict(zip(KINDS, kinds, strict=True)), mu=0.3)


def _assert_capacity(instance, solution):
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


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize(
    ("seed", "row"),
    [
        pytest.param(n, row, id="-".join(row), marks=[pytest.mark.slow] * (row[0] in LONG))
        for n, row in enumerate(ROWS)
    ],
)
def test_solution_is_feasible_priced_and_repeatable(random_instance, seed, row):
    request, objective = _request(row[0]), _objective(*row[1:])
    instance = random_instance(seed, objective)
    assert _method(row[0]).refusal(instance) is None
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
def test_of_equivalent_solutions_the_reported_one_is_the_result(random_instance, name):
    """Here two solutions differ in the order of their nodes, so their costs in the last digit."""
    objective = _objective("first_ending", "completion", "free", "mean")
    result = parse(name)(random_instance(113, objective), Call(), Report())
    assert result.events[-1].incumbent == result.objective


@pytest.mark.parametrize("call", [call for call in CALLS if ":" in call])
def test_some_job_always_runs(random_instance, call):
    objective = _objective("next_event", "next_event", "free", "worst_case")
    for seed in range(8):
        solution = _request(call)(random_instance(seed, objective), Call(), Report()).solution
        assert solution is not None
        assert (solution.job_node >= 0).any()


@pytest.mark.parametrize("method", RULED.values(), ids=RULED)
def test_unknown_rule_is_named_in_the_error(random_instance, method):
    instance = random_instance(0, _objective("next_event", "next_event", "jahani_eq", "expected"))
    with pytest.raises(
        ValueError, match=f"found 'rule of {method.name} nonsense', expected one of"
    ):
        method.load()(instance, Call(rule="nonsense"), Report())


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_rsjs_numbers_of_nodes_are_refused_unless_declared(random_instance, method):
    objective = _objective("first_ending", "completion", "rsjs_eq", "worst_case")
    refusal = method.refusal(random_instance(0, objective))
    assert (refusal is None) == ("rsjs_eq" in method.open_nodes)
