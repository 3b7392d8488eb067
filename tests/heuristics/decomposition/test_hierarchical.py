"""Controllers solve their parts by any method; the union of their decisions."""

from dataclasses import replace

import numpy as np
import pytest
from allpairspy import AllPairs
from hypothesis import given, settings
from hypothesis import strategies as st

from rsjs.core.call import Call
from rsjs.core.report import Report, Stop
from rsjs.formulations import enumeration
from rsjs.heuristics.decomposition.hierarchical import cover
from rsjs.heuristics.decomposition.partition import SPLITS, Division, divide, parts
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.cluster import NodeGroup
from rsjs.instances.generators import jahani, kiros
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.solution import Solution
from rsjs.methods import parse
from tests.formulations.agreement import optimum, with_objective
from tests.heuristics.decomposition.hierarchy import GENERATED, INNER, SMALL, assert_checked, solved


@pytest.mark.solver
@pytest.mark.parametrize("name", INNER)
def test_every_method_on_a_family_it_serves(name):
    request = parse(f"hierarchical?method=({name}),controllers=2")
    families = [SMALL[family]() for family in ("andreas", "sts", "kiros", "jahani")]
    instance = next((one for one in families if request.method.refusal(one) is None), None)
    if request.missing() or instance is None:
        pytest.skip("not served")
    result = solved(instance, name)
    assert result.counts | {"jobs_without_node": 0} == {
        "controllers": 2,
        "fewest_jobs": 2,
        "most_jobs": 3,
        "fewest_nodes": 1,
        "most_nodes": 2,
        "jobs_without_node": 0,
    }
    assert result.bound is None
    assert_checked(instance, result)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("family", "split", "method"),
    list(AllPairs([list(SMALL), list(SPLITS), ["greedy:paper", "edf:code", "enumeration"]])),
)
def test_one_controller_decides_what_its_method_decides(method, split, family):
    instance, request = SMALL[family](), parse(method)
    alone = request(instance, Call(), Report())
    result = solved(instance, method, 1, split)
    assert result.solution.same_as(alone.solution)
    assert result.objective == alone.objective
    assert_checked(instance, result)


@pytest.mark.slow
@given(
    st.randoms(use_true_random=False),
    st.integers(1, 8),
    st.sampled_from(sorted(SPLITS)),
    st.sampled_from(["enumeration", "greedy:paper", "fifo:code"]),
)
@settings(max_examples=settings().max_examples // 2)
def test_unions_are_feasible_for_every_objective_and_never_beat_the_optimum(
    random_document, rng, controllers, split, method
):
    instance = to_instance({**random_document(rng), "current": None})
    if parse(method).method.refusal(instance):
        method = "enumeration"
    result = solved(instance, method, controllers, split)
    assert result.stop is Stop.ITERATIONS
    assert_checked(instance, result)
    best = optimum(instance)
    assert result.objective >= best - 1e-9 * abs(best)
    if controllers == 1 and method == "enumeration":
        assert result.objective == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize(
    ("family", "controllers"), [("jahani", 2), ("kiros", 5), ("jahani", 9), ("kiros", 20)]
)
def test_more_controllers_than_nodes_or_jobs_leave_jobs_and_nodes_alone(family, controllers):
    instance = GENERATED[family]()
    result = solved(instance, "enumeration", controllers)
    assert_checked(instance, result)
    running = int((result.solution.job_node >= 0).sum())
    assert running <= sum(len(range(k, 9, controllers)) for k in range(min(controllers, 5)))
    selected = int((result.solution.node_type >= 0).sum())
    assert selected == 5 if family == "jahani" else selected <= 5


def test_the_cost_is_the_whole_instances_where_a_part_sees_a_smaller_postponement():
    instance = kiros.generate(nodes=2, jobs=6, seed=4, catalogue="azure", due="tight")
    slow, fast = (instance.cluster.node_types[v].name for v in (0, -1))
    groups = tuple(NodeGroup(count=1, types=(name,)) for name in (slow, fast))
    instance = replace(instance, cluster=replace(instance.cluster, groups=groups))
    dealt = parts(instance, divide(instance, 2, "round_robin"))
    whole = costs.cost_tables(instance).postponement
    used = [part for part in dealt if part is not None]
    gaps = [whole[part.jobs] - costs.cost_tables(part.instance).postponement for part in used]
    assert max(gap.max() for gap in gaps) > 0
    assert_checked(instance, solved(instance, "enumeration"))


@given(st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 2)
def test_a_decision_is_changed_to_as_many_used_nodes_as_told(random_document, random_decision, rng):
    instance = to_instance({**random_document(rng), "current": None})
    kind = rng.choice(["rsjs_eq", "rsjs_eq_feasible"])
    free, asked = (with_objective(instance, open_nodes=name) for name in ("free", kind))
    before = random_decision(free, rng)
    node_type = np.where(
        np.isin(np.arange(len(before.node_type)), before.job_node), before.node_type, -1
    )
    before = Solution.of(before.job_node, before.job_gpus, node_type, before.job_level)
    after = cover(asked, before)
    if after is None:
        assert kind == "rsjs_eq"
        assert enumeration.best(asked) is None
    else:
        verdict = check(asked, after)
        assert verdict.feasible, [str(violation) for violation in verdict.violations]


def test_an_instance_without_a_feasible_decision_is_told(without_a_decision):
    result = solved(without_a_decision, "enumeration")
    assert (result.stop, result.solution) == (Stop.INFEASIBLE, None)


def test_decisions_of_some_parts_postpone_the_jobs_of_the_others():
    instance = jahani.generate(nodes=4, jobs=8, seed=1)
    dealt = parts(instance, Division(2, np.arange(8) % 2, np.arange(4) % 2))
    decisions = [enumeration.best(part.instance) for part in dealt]
    first = dealt[0].restored(decisions[0])
    both = dealt[1].merged(first, decisions[1])
    assert (first.job_node[1::2] == -1).all()
    assert (first.node_type[1::2] == -1).all()
    np.testing.assert_array_equal(first.job_node[::2], both.job_node[::2])
    np.testing.assert_array_equal(both.job_node[1::2], 2 * decisions[1].job_node + 1)
