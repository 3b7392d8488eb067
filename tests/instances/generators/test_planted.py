"""Planted optima: the decision attains the bound, and the bound holds for every decision."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.core.errors import InputError
from rsjs.instances.check import check
from rsjs.instances.costs import cost_tables
from rsjs.instances.generators import andreas, jahani, planted
from rsjs.instances.instance import FAMILIES
from rsjs.instances.library.sets import library_set
from rsjs.instances.solution import Solution

KINDS = ("proportional", "first_ending")
each = pytest.mark.parametrize("kind", KINDS)


@st.composite
def sizes(draw):
    nodes = draw(st.integers(1, 12))
    return nodes, draw(st.integers(max(4, 2 * nodes), 4 * nodes))


@each
@given(size=sizes(), seed=st.integers(0, 10**6))
def test_the_planted_decision_attains_the_bound(kind, size, seed):
    nodes, jobs = size
    made = planted.optimum(nodes=nodes, jobs=jobs, seed=seed, kind=kind)
    verdict = check(made.instance, made.decision)
    assert verdict.feasible
    assert verdict.objective == pytest.approx(made.cost)
    assert planted.bound(made.instance) == pytest.approx(made.cost, rel=1e-12)
    assert verdict.terms["tardiness"] == verdict.terms["idle"] == 0
    assert verdict.counts["idle_gpus"] == 0
    assert verdict.counts["executed"] == jobs - jobs // 4
    assert verdict.counts["selected_nodes"] == nodes


@each
@given(seed=st.integers(0, 10**6))
def test_each_job_would_cost_more_the_other_way(kind, seed):
    made = planted.optimum(nodes=4, jobs=16, seed=seed, kind=kind)
    postponed = cost_tables(made.instance).postponement
    least = [_least_share(made.instance, j, kind) for j in range(16)]
    runs = made.decision.job_node >= 0
    assert np.array_equal(least < postponed, runs)
    assert np.where(runs, least, postponed).sum() == pytest.approx(made.cost)


def _least_share(instance, j, kind):
    """e_j by its definition, configuration by configuration."""
    cluster, hours = instance.cluster, instance.hours_per_epoch
    found = []
    for v, node_type in enumerate(cluster.node_types):
        i = cluster.gpu_of_type[v]
        tau = hours[:, i, 1 : node_type.gpus + 1].min()
        each = min(node_type.cost[u] / u for u in range(1, node_type.gpus + 1))
        for k in range(1, node_type.gpus + 1):
            time = hours[j, i, k]
            if time < np.inf:
                price = node_type.cost[k] / node_type.gpus * time
                found.append(k * (price if kind == "proportional" else each * tau))
    return min(found)


@each
def test_the_exact_check_agrees(kind, verdicts):
    made = planted.optimum(nodes=5, jobs=20, seed=3, kind=kind)
    _, verdict = verdicts(made.instance, made.decision)
    assert verdict.feasible
    assert float(verdict.objective) == pytest.approx(made.cost, rel=1e-12)


@pytest.mark.parametrize("generate", [jahani.generate, andreas.generate])
def test_the_bound_holds_for_other_instances_and_decisions(generate):
    instance = generate(nodes=2, jobs=5, seed=1)
    idle = check(instance, Solution.empty(5, 2))
    assert planted.bound(instance) <= idle.terms["postponement"]


@each
def test_the_optimum_is_that_of_the_library(kind):
    for member in library_set(f"planted-{kind.replace('_', '-')}").members[:6]:
        made = planted.optimum(**member.arguments)
        assert (made.instance.name, made.instance.digest) == (member.name, member.sha256)
        assert made.cost == pytest.approx(member.optimum, rel=1e-12)


@each
def test_the_objective_is_that_of_the_paper(kind):
    family = {"proportional": "jahani", "first_ending": "andreas"}[kind]
    made = planted.generate(nodes=3, jobs=12, seed=1, kind=kind)
    assert (made.objective, made.generator["name"]) == (FAMILIES[family], "planted")
    assert planted.generate(**made.generator["parameters"]).digest == made.digest


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ({"nodes": 0}, "/nodes: found 0"),
        ({"jobs": 3}, "/jobs: found 3, expected three in four to run, 1 on each node"),
        ({"jobs": 400}, "/jobs: found 400, expected .* 1 on each GPU"),
        ({"seed": -1}, "/seed: found -1"),
        ({"kind": "next_event"}, "/kind: .* one of proportional, first_ending"),
    ],
)
def test_bad_arguments_are_refused_by_name(bad, told):
    with pytest.raises(InputError, match=told):
        planted.generate(**{"nodes": 4, "jobs": 16, "seed": 1, **bad})
