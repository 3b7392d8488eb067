"""RS-JS: MINLP = by GPU = by node = enumeration."""

from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest
from allpairspy import AllPairs
from hypothesis import given, settings
from hypothesis import strategies as st

from rsjs.core.call import Call, Limits
from rsjs.core.method import EXPECTATION, OPEN_NODES
from rsjs.core.report import Report, Stop
from rsjs.formulations import enumeration
from rsjs.formulations.backends.backend import SolveTask
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.registry import METHODS
from rsjs.formulations.rsjs import gpu_indexed, node_indexed
from rsjs.formulations.rsjs.gpu_indexed import GpuModel
from rsjs.formulations.rsjs.node_indexed import NodeIndexedModel
from rsjs.instances.check import check
from rsjs.instances.cluster import Cluster, GpuType, NodeGroup, NodeType, ShareLevel
from rsjs.instances.epoch_distribution import EpochDistribution
from rsjs.instances.generators.sts import generate
from rsjs.instances.instance import Instance, Objective
from rsjs.instances.solution import Solution
from tests.by_hand import jobs_of
from tests.formulations.agreement import (
    EXACT,
    assert_solved,
    assert_starts,
    matrix,
    optimum,
    served,
    with_objective,
)

FORMS = {
    "rsjs_gpu": (gpu_indexed, GpuModel.of),
    "rsjs_nodes": (node_indexed, NodeIndexedModel.of),
}
SHARING, RULES, MEANS = [False, True], sorted(OPEN_NODES), sorted(EXPECTATION)
TINY = [tuple(kinds) for kinds in AllPairs([SHARING, ["free", "rsjs_eq"], MEANS, [0, 1]])]
OTHER = [tuple(k) for k in AllPairs([SHARING, ["jahani_eq", "rsjs_eq_feasible"], MEANS])]


def tiny(sharing, open_nodes, expectation, seed=0, jobs=3):
    """A node of one K80 or A100 and one of two M60, all shareable on demand."""
    rng = np.random.default_rng([seed, jobs, sharing, sorted(OPEN_NODES).index(open_nodes)])
    first = (
        GpuType(name="K80", memory_gb=24.0, units=4, levels=_levels((1, 6.0), (2, 12.0))),
        GpuType(name="A100", memory_gb=80.0, units=20, levels=_levels((2, 8.0), (3, 12.0))),
    )[seed % 2]
    second = GpuType(name="M60", memory_gb=16.0, units=4, levels=_levels((1, 4.0), (2, 8.0)))
    gpus = (first, second) if sharing else (replace(first, levels=()), replace(second, levels=()))
    nodes = (
        NodeType(name="one", gpu_type=first.name, cost=(0.0, 0.9)),
        NodeType(name="two", gpu_type="M60", cost=(0.0, 1.14, 2.28)),
    )
    hours = np.full((jobs, 2, 3), np.inf)
    hours[:, :, 1:] = rng.uniform(0.1, 0.6, (jobs, 2, 1)) / np.array([1.0, 1.8])
    inflation = np.full((jobs, 2, 2 if sharing else 0), np.inf)
    inflation[:] = rng.uniform(1.01, 1.2, inflation.shape)
    return Instance(
        name="tiny",
        cluster=Cluster(
            gpu_types=gpus,
            node_types=nodes,
            groups=tuple(NodeGroup(count=1, types=(node.name,)) for node in nodes),
        ),
        jobs=jobs_of(
            hours,
            due=rng.uniform(0.0, 4.0, jobs),
            weight=rng.uniform(0.5, 3.0, jobs),
            memory_gb=rng.choice([0.0, 3.5, 7.0, 11.0], jobs),
            epochs_max=np.full(jobs, 8),
            epochs_done=rng.choice([0.0, 1.5], jobs),
            law=("early",) * jobs,
            inflation=inflation,
        ),
        laws={"early": EpochDistribution.of([[2, 1], [5, 2], [8, 1]])},
        H=0.5,
        rho=2.0,
        objective=Objective(
            energy="first_ending",
            tardiness_at="completion",
            open_nodes=open_nodes,
            expectation=expectation,
        ),
    )


def _levels(*levels):
    return tuple(ShareLevel(units=units, max_memory_gb=memory) for units, memory in levels)


def right_sizing(open_nodes="free", sharing=True):
    """Two nodes that may take either type, and one that may not."""
    instance = tiny(sharing, open_nodes, "worst_case", jobs=4)
    groups = (NodeGroup(count=2, types=("one", "two")), NodeGroup(count=1, types=("one",)))
    return replace(instance, cluster=replace(instance.cluster, groups=groups))


def odd_shares():
    """Shares of 7, 11 and 13 of 30 units: no closed form, maximal fillings instead."""
    instance = tiny(True, "free", "expected", jobs=4)
    levels = _levels((7, 24.0), (11, 24.0), (13, 24.0))
    first = replace(instance.cluster.gpu_types[0], units=30, levels=levels)
    inflation = np.full((4, 2, 3), np.inf)
    inflation[:, :, :2] = instance.jobs.inflation
    inflation[:, 0] = [1.3, 1.2, 1.0]
    cluster = replace(instance.cluster, gpu_types=(first, instance.cluster.gpu_types[1]))
    return replace(instance, cluster=cluster, jobs=replace(instance.jobs, inflation=inflation))


def assert_agrees(instance, best, form, solver, rel):
    """Objective, decoded decision and bound of a form against the optimum (None: infeasible)."""
    formulation, of = FORMS[form]
    data = of(instance)
    result = backend(solver).load()(SolveTask(matrix(formulation, data), EXACT, seconds=300))
    if best is None:
        assert result.stop is Stop.INFEASIBLE
        return
    expected = pytest.approx(best, rel=rel, abs=1e-6)
    verdict = check(instance, formulation.extract(data, result.x))
    assert result.objective == expected
    assert verdict.feasible
    assert verdict.objective == expected
    assert result.bound <= best + 1e-6 * max(1.0, abs(best))


@pytest.mark.solver
@pytest.mark.parametrize("kinds", TINY, ids=lambda kinds: "-".join(map(str, kinds)))
def test_minlp_gpu_nodes_and_enumeration_agree(kinds):
    instance = tiny(*kinds)
    best = optimum(instance)
    for form, solver in product(FORMS, ["highs", "cpsat"]):
        assert_agrees(instance, best, form, solver, 1e-4)
    options = {"printed": "corrected"}
    call = Call(options=options, limits=Limits(gap=1e-6))
    minlp = METHODS["rsjs_minlp"].load()(instance, call, Report(300.0))
    assert check(instance, minlp.solution, objective=minlp.objective, bound=minlp.bound).feasible
    assert_solved(minlp, best, 1e-4)


@pytest.mark.solver
@pytest.mark.parametrize("kinds", OTHER, ids=lambda kinds: "-".join(map(str, kinds)))
def test_the_linear_forms_agree_for_every_rule_on_open_nodes(kinds):
    instance = tiny(*kinds, seed=3, jobs=5)
    best = optimum(instance)
    for form, solver in product(FORMS, ["cpsat", "highs", "scip"]):
        assert_agrees(instance, best, form, solver, 1e-6)


@pytest.mark.solver
@pytest.mark.parametrize(("sharing", "open_nodes"), list(product(SHARING, RULES)))
def test_nodes_that_may_take_several_types_are_right_sized(sharing, open_nodes):
    instance = right_sizing(open_nodes, sharing)
    assert_agrees(instance, optimum(instance), "rsjs_nodes", "highs", 1e-6)


@pytest.mark.solver
def test_shares_outside_table_iv_are_exact():
    instance = odd_shares()
    for form in FORMS:
        assert_agrees(instance, optimum(instance), form, "highs", 1e-6)


@pytest.mark.solver
@given(st.randoms(use_true_random=False))
def test_no_two_forms_disagree_on_random_instances(random_document, rng):
    instance = served(random_document, rng)
    decision = enumeration.best(instance)
    best = None if decision is None else check(instance, decision).objective
    assert_agrees(instance, best, "rsjs_nodes", "highs", 1e-6)
    assert_agrees(instance, best, "rsjs_nodes", "cpsat", 1e-6)
    if instance.cluster.allowed_in_class.sum(axis=1).max() == 1:
        assert_agrees(instance, best, "rsjs_gpu", "highs", 1e-6)


EVERY_SHAPE = {
    "dedicated": lambda: tiny(False, "free", "expected"),
    "shared": lambda: tiny(True, "rsjs_eq", "mean", seed=1),
    "right-sizing": right_sizing,
    "odd shares": odd_shares,
    "sts": lambda: generate(nodes=3, jobs=6, seed=1, mix="kma", sharing="paper"),
}


COVERED = [pair for pair in product(FORMS, EVERY_SHAPE) if pair != ("rsjs_gpu", "right-sizing")]


def assert_starts_exactly(form, instance, solution):
    formulation, of = FORMS[form]
    cost, decoded = assert_starts(formulation, of(instance), instance, solution)
    assert decoded.objective == pytest.approx(cost, rel=1e-8, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("form", "shape"), COVERED)
def test_a_warm_start_is_feasible_and_costs_no_more_than_its_decision(form, shape, random_decision):
    instance = EVERY_SHAPE[shape]()
    for seed in range(2):
        assert_starts_exactly(form, instance, random_decision(instance, Random(seed)))


@pytest.mark.slow
@given(st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 2)
def test_so_is_one_of_the_form_by_nodes_on_any_cluster(random_document, random_decision, rng):
    instance = served(random_document, rng)
    for solution in (random_decision(instance, rng), enumeration.best(instance)):
        assert_starts_exactly("rsjs_nodes", instance, solution)


@pytest.mark.solver
@pytest.mark.parametrize("form", FORMS)
def test_every_form_finds_the_optimum_with_a_bound(form):
    instance = tiny(True, "free", "expected", jobs=4)
    call = Call(solver="highs", limits=EXACT)
    result = METHODS[form].load()(instance, call, Report(300.0))
    assert check(instance, result.solution, objective=result.objective).feasible
    assert_solved(result, optimum(instance))
    assert result.bound_variant == "instance"


def test_the_model_by_nodes_has_no_row_per_job_node_and_configuration():
    data = NodeIndexedModel.of(generate(nodes=10, jobs=40, seed=1, mix="kma", sharing="paper"))
    counts = matrix(node_indexed, data).counts
    nodes, jobs, a100 = 10, 40, 3
    links = len(set(zip(data.modes.job[data.mode].tolist(), data.place.tolist(), strict=True)))
    assert counts["rows"] == jobs + nodes + (nodes + a100) + nodes + links
    assert links <= jobs * nodes
    assert counts["integers"] == counts["columns"] == sum(data.sizes) + len(data.node)


REFUSED = [
    # form, instance, message
    ("rsjs_gpu", right_sizing, "rsjs_gpu serves nodes of one type; n1 may take 2"),
    *(
        (
            form,
            lambda: with_objective(tiny(False, "free", "mean"), mu=0.5),
            f"{form} serves mu = 0, not mu = 0.5",
        )
        for form in FORMS
    ),
]


@pytest.mark.parametrize(("form", "make", "message"), REFUSED)
def test_what_a_form_does_not_cover_is_refused_in_one_line(form, make, message):
    assert METHODS[form].refusal(make()) == message


@pytest.mark.solver
def test_no_decision_is_infeasible_where_a_node_must_stay_empty(without_a_decision):
    for form in FORMS:
        assert_agrees(without_a_decision, None, form, "highs", 0.0)
    options = {"printed": "corrected"}
    minlp = METHODS["rsjs_minlp"].load()(without_a_decision, Call(options=options), Report(300.0))
    assert minlp.stop is Stop.INFEASIBLE


def test_nothing_to_run_on_is_everything_postponed():
    instance = tiny(False, "free", "worst_case")
    nothing = Solution.empty(len(instance.jobs), instance.cluster.nodes)
    for formulation, of in FORMS.values():
        data = of(instance)
        x = formulation.warm_start(data, nothing)
        assert not x.any()
        assert formulation.extract(data, x).same_as(nothing)
