"""Form E is a relaxation with rows, and exact with splits."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rsjs.core.call import Call, Limits
from rsjs.core.report import Report, Stop
from rsjs.formulations import enumeration
from rsjs.formulations.registry import METHODS
from rsjs.formulations.rsjs.aggregated import model
from rsjs.formulations.rsjs.aggregated.model import PACKINGS, AggregatedModel
from rsjs.instances.check import check
from rsjs.instances.cluster import Cluster, GpuType, NodeType, ShareLevel
from rsjs.instances.generators import kiros, sts
from rsjs.instances.instance import Instance, Objective
from tests.by_hand import jobs_of, nodes_of
from tests.formulations.agreement import (
    assert_solved,
    assert_starts,
    optimum,
    served,
    with_objective,
)

CLASSES = METHODS["rsjs_classes"]


def call(packing, solver="highs", gap=0.0):
    return Call(solver=solver, options={"packing": packing}, limits=Limits(gap=gap))


def run(instance, asked, seconds=300.0):
    return CLASSES.load()(instance, asked, Report(seconds))


def unpackable():
    """
    Four shares of 4 and one of 3 units for two GPUs of 10 beside a long job that owns a third.

    19 of 20 units, by weight they fit; but two of 4 leave 2 on each GPU.
    """
    levels = (ShareLevel(units=3, max_memory_gb=8.0), ShareLevel(units=4, max_memory_gb=8.0))
    hours = np.full((6, 1, 4), np.inf)
    hours[:, 0, 1] = [1.0, 8.0, 8.0, 8.0, 8.0, 8.0]
    inflation = np.full((6, 1, 2), np.inf)
    inflation[1:5, 0, 1] = inflation[5, 0, 0] = 1.0
    gpu = GpuType(name="ten", memory_gb=8.0, units=10, levels=levels)
    return Instance(
        name="unpackable",
        cluster=Cluster(
            gpu_types=(gpu,),
            node_types=(NodeType(name="three", gpu_type="ten", cost=(0.0, 1.0, 2.0, 3.0)),),
            groups=nodes_of(["three"]),
        ),
        jobs=jobs_of(hours, due=np.full(6, 9.0), inflation=inflation),
        H=10.0,
        rho=100.0,
        objective=Objective(
            energy="first_ending",
            tardiness_at="completion",
            open_nodes="free",
            expectation="worst_case",
        ),
    )


@pytest.mark.solver
@given(st.randoms(use_true_random=False))
def test_rows_relax_and_splits_are_exact(random_document, rng):
    instance = served(random_document, rng)
    best = optimum(instance)
    slack = 1e-6 * max(1.0, best)
    for packing in PACKINGS:
        result = run(instance, call(packing))
        verdict = check(instance, result.solution)
        assert verdict.feasible
        assert result.bound <= best + slack
        assert verdict.objective >= best - slack
        if result.stop is Stop.OPTIMAL:
            assert verdict.objective == pytest.approx(best, rel=1e-6, abs=1e-6)
    assert result.stop is Stop.OPTIMAL  # the last packing is "splits"


@pytest.mark.solver
@pytest.mark.parametrize("packing", sorted(PACKINGS))
@pytest.mark.parametrize("solver", ["highs", "scip", "cpsat"])
def test_every_solver_says_the_same(packing, solver):
    instance = sts.generate(nodes=2, jobs=4, seed=2, mix="km", sharing="paper")
    best = optimum(instance)
    result = run(instance, call(packing, solver, gap=1e-9))
    assert result.bound <= best * (1 + 1e-6)
    assert check(instance, result.solution).objective == pytest.approx(best, rel=1e-6)


@pytest.mark.solver
@pytest.mark.parametrize("open_nodes", ["free", "rsjs_eq", "jahani_eq", "rsjs_eq_feasible"])
def test_every_rule_on_open_nodes_is_served(open_nodes):
    instance = with_rule(sts.generate(nodes=3, jobs=5, seed=1, mix="a100"), open_nodes)
    result = run(instance, call("splits"))
    assert check(instance, result.solution).feasible
    assert_solved(result, optimum(instance))
    assert result.bound_variant == "instance"


def with_rule(instance, open_nodes):
    return with_objective(instance, open_nodes=open_nodes)


@pytest.mark.solver
@pytest.mark.parametrize("gap", [0.0, 0.99])
def test_shares_that_only_fit_by_weight_are_no_proof(gap):
    """The model is solved to its end, the schedule is not what it says."""
    instance = unpackable()
    best = optimum(instance)
    result = run(instance, call("rows", gap=gap))
    assert check(instance, result.solution).feasible
    assert result.bound < 0.9 * best <= result.objective
    assert result.stop is (Stop.GAP if gap else Stop.ITERATIONS)
    if not gap:
        assert result.message == "the relaxation is solved; not all followers fit as it says"
    assert_solved(run(instance, call("splits")), best)


@pytest.mark.solver
def test_infeasible_where_a_node_must_stay_empty(without_a_decision):
    assert enumeration.best(without_a_decision) is None
    for packing in PACKINGS:
        result = run(without_a_decision, call(packing))
        assert (result.stop, result.solution) == (Stop.INFEASIBLE, None)


def test_mu_is_refused_in_one_line():
    idle = with_objective(sts.generate(nodes=2, jobs=2, seed=1), mu=0.5)
    assert CLASSES.refusal(idle) == "rsjs_classes serves mu = 0, not mu = 0.5"


SHAPES = {
    "dedicated": lambda: sts.generate(nodes=3, jobs=6, seed=1, mix="km"),
    "shared": lambda: sts.generate(nodes=3, jobs=6, seed=1, mix="kma", sharing="paper"),
    "every node busy": lambda: with_rule(
        sts.generate(nodes=3, jobs=6, seed=2, mix="a100", sharing="paper"), "rsjs_eq"
    ),
    "right-sizing": lambda: kiros.generate(nodes=3, jobs=6, seed=1),
    "other shares": unpackable,
}


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "packing"), list(product(SHAPES, sorted(PACKINGS))))
def test_the_pyomo_model_and_the_arrays_are_the_same_matrix(assert_same_matrix, packing, shape):
    assert_same_matrix(model, AggregatedModel.of(SHAPES[shape](), packing))


def assert_packing_starts(packing, instance, solution):
    data = AggregatedModel.of(instance, packing)
    cost, decoded = assert_starts(model, data, instance, solution)
    if packing == "splits":
        assert decoded.objective <= cost + 1e-9 * max(1.0, abs(cost))


@pytest.mark.slow
@pytest.mark.parametrize("packing", sorted(PACKINGS))
@given(rng=st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 2)
def test_a_warm_start_is_feasible_and_costs_no_more(packing, random_document, random_decision, rng):
    instance = served(random_document, rng)
    assert_packing_starts(packing, instance, random_decision(instance, rng))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "packing"),
    [("dedicated", "rows"), ("right-sizing", "splits"), ("other shares", "splits")],
)
def test_so_does_the_optimum(packing, shape):
    instance = SHAPES[shape]()
    assert_packing_starts(packing, instance, enumeration.best(instance))


@pytest.mark.parametrize("nodes", [6, 9])
def test_classes_are_full_where_every_node_has_a_job(nodes):
    """Six jobs fill the classes of six nodes; on nine nodes the row (count) is needed."""
    instance = with_rule(sts.generate(nodes=nodes, jobs=6, seed=1, mix="km"), "rsjs_eq")
    data = AggregatedModel.of(instance, "rows")
    exact = data.lower == data.upper
    assert data.every_node == (nodes == 6)
    assert exact.sum() == (len(data.types.cluster.class_sizes) if data.every_node else 1)
    assert data.upper[exact].sum() == 6


def test_the_number_of_rows_does_not_grow_with_the_nodes():
    few, many = (
        AggregatedModel.of(
            sts.generate(nodes=n, jobs=30, seed=1, mix="kma", sharing="paper"), "rows"
        )
        for n in (10, 100)
    )
    classes = len(few.types.cluster.class_sizes)
    assert len(few.upper) == len(many.upper) == len(few.capacity.by_type) + classes
    counts = model.arrays(many).counts
    assert counts["rows"] == 30 + len(many.upper)
    assert counts["integers"] == counts["columns"] == len(many.column_type)


@pytest.mark.solver
def test_a_decision_in_hand_survives_a_limit_of_no_time():
    instance = sts.generate(nodes=2, jobs=4, seed=1)
    start = enumeration.best(instance)
    result = run(instance, replace(call("splits"), warm_start=start), seconds=0.0)
    assert result.stop is Stop.TIME_LIMIT
    assert result.solution.same_as(start)
    assert result.bound is None
