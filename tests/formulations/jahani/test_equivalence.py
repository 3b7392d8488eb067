"""jahani_patterns = jahani_literal = enumeration, with every option."""

from dataclasses import replace
from itertools import product

import pytest
from allpairspy import AllPairs

from rsjs.api import solve
from rsjs.core.report import Stop
from rsjs.formulations import enumeration
from rsjs.formulations.backends.backend import SolveTask
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.jahani import milp
from rsjs.formulations.jahani import patterns as jahani_patterns
from rsjs.formulations.jahani.milp import LiteralModel
from rsjs.formulations.jahani.patterns import PatternModel
from rsjs.instances.catalogue.node_types import MEMBERS
from rsjs.instances.check import check
from rsjs.instances.generators.jahani import generate
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution
from tests.formulations.agreement import EXACT, assert_starts, matrix, with_objective

SIZES = [(1, 6), (2, 4), (3, 2)]
CHOICES = sorted(MEMBERS.keys() - {"homogeneous"})  # catalogues with several node types
KINDS = [SIZES, CHOICES, ["jahani_eq", "free"], [0.0, 0.05, 1.0]]
VARIANTS = list(product(*KINDS))
CHOSEN = [VARIANTS.index(tuple(kinds)) for kinds in AllPairs(KINDS)]
BOTH = [(jahani_patterns, PatternModel.of), (milp, LiteralModel)]


def variant(index):
    (nodes, jobs), catalogue, open_nodes, mu = VARIANTS[index]
    due = "base" if index % 2 else "tight"
    times = "networks" if index % 5 == 0 else "synthetic"
    instance = generate(
        nodes=nodes, jobs=jobs, seed=index, catalogue=catalogue, due=due, times=times
    )
    return with_objective(instance, open_nodes=open_nodes, mu=mu)


def overdue(index):
    """The same instance five hours later: some jobs are overdue."""
    return replace(variant(index), now=5.0)


def optimum(formulation, data, solver="scip"):
    """Objective and decoded decision at gap 0."""
    result = backend(solver).load()(SolveTask(matrix(formulation, data), EXACT, seconds=300))
    assert result.x is not None
    return result.objective, formulation.extract(data, result.x)


def assert_all_agree(instance):
    best = check(instance, enumeration.best(instance))
    patterns, decision = optimum(jahani_patterns, PatternModel.of(instance), "highs")
    literal, placed = optimum(milp, LiteralModel(instance))
    expected = pytest.approx(best.objective, rel=1e-6, abs=1e-6)
    assert best.feasible
    assert patterns == expected
    assert literal == expected
    for verdict in (check(instance, decision), check(instance, placed)):
        assert verdict.feasible
        assert verdict.objective == expected


@pytest.mark.solver
@pytest.mark.parametrize("index", CHOSEN, ids=lambda i: "-".join(map(str, VARIANTS[i])))
def test_patterns_literal_and_enumeration_agree(index):
    assert_all_agree(variant(index))


@pytest.mark.solver
@pytest.mark.parametrize(("nodes", "jobs", "mu"), [(1, 6, 1.0), (3, 5, 0.0)])
def test_they_agree_where_there_is_one_node_type(nodes, jobs, mu):
    instance = generate(nodes=nodes, jobs=jobs, seed=1, catalogue="homogeneous")
    assert_all_agree(with_objective(instance, mu=mu))


@pytest.mark.solver
@pytest.mark.parametrize("index", CHOSEN[::5])
def test_they_agree_when_jobs_are_overdue(index):
    instance = overdue(index)
    assert (instance.jobs.due < instance.now).any()
    assert_all_agree(instance)


@pytest.mark.parametrize(("nodes", "jobs"), [(1, 10), (5, 50)])
def test_the_literal_model_has_the_size_that_its_formulas_give(nodes, jobs):
    counts = matrix(milp, LiteralModel(generate(nodes=nodes, jobs=jobs, seed=1))).counts
    assert counts["columns"] == 32 * jobs * nodes + nodes + 9 * nodes + 3 * jobs
    assert counts["rows"] == (
        nodes + 2 * 32 * jobs * nodes + jobs * nodes + jobs + 9 * nodes + 2 * jobs + 1
    )


def test_the_pattern_model_has_84_integers_for_table_2_whatever_the_number_of_nodes():
    for nodes in (40, 100):
        data = PatternModel.of(generate(nodes=nodes, jobs=400, seed=1))
        assert matrix(jahani_patterns, data).counts["integers"] == 84


def mixed_classes():
    """Fixed nodes beside free ones."""
    instance = generate(nodes=3, jobs=4, seed=3, catalogue="azure")
    (group,) = instance.cluster.groups
    allowed = (group.types, ("Standard NC24",), ("Standard NV6", "Standard NV12"))
    groups = tuple(replace(group, count=1, types=types) for types in allowed)
    return replace(instance, cluster=replace(instance.cluster, groups=groups))


@pytest.mark.solver
@pytest.mark.parametrize("open_nodes", ["free", "jahani_eq"])
def test_they_agree_on_nodes_of_several_classes(open_nodes):
    assert_all_agree(with_objective(mixed_classes(), open_nodes=open_nodes))


@pytest.mark.slow
@pytest.mark.parametrize(("formulation", "data"), BOTH)
@pytest.mark.parametrize("index", CHOSEN[::5])
def test_a_warm_start_is_feasible_and_costs_no_more_than_its_decision(formulation, data, index):
    instance = variant(index)
    nothing = Solution.empty(len(instance.jobs), instance.cluster.nodes)
    for solution in (enumeration.best(instance), select_required_nodes(instance, nothing)):
        cost, decoded = assert_starts(formulation, data(instance), instance, solution)
        assert decoded.objective == pytest.approx(cost)


@pytest.mark.solver
def test_a_fractional_x_is_decoded_by_an_assignment():
    instance = generate(nodes=2, jobs=4, seed=5)
    data = PatternModel.of(instance)
    best, decision = optimum(jahani_patterns, data, "highs")
    x = jahani_patterns.warm_start(data, decision)
    x[: len(data.job)] = 0.3
    verdict = check(instance, jahani_patterns.extract(data, x))
    assert verdict.feasible
    assert verdict.objective == pytest.approx(best)


@pytest.mark.solver
def test_rows_as_printed_charge_overdue_jobs_more():
    instance = overdue(0)
    corrected, _ = optimum(milp, LiteralModel(instance))
    printed, _ = optimum(milp, LiteralModel(instance, printed="overdue"))
    assert printed > corrected + 1e-3


@pytest.mark.solver
def test_the_optimum_of_the_printed_model_is_not_called_one_of_the_instance():
    instance = overdue(CHOSEN[0])
    assert (instance.jobs.due < instance.now).any()
    result = solve(instance, "jahani_literal@highs?printed=overdue", gap=0.0)
    assert (result.stop, result.bound) == (Stop.ITERATIONS, None)
