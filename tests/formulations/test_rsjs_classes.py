"""Form E is a relaxation with rows, and exact with splits for dedicated GPUs and Table IV."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.formulations import enumeration, rsjs_classes
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.rsjs_bound_methods import METHODS
from rsjs.formulations.rsjs_classes_data import PACKINGS, ClassModel
from rsjs.formulations.standard_form import from_pyomo
from rsjs.instances.check import check
from rsjs.instances.cluster import Cluster, GpuType, NodeGroup, NodeType, ShareLevel
from rsjs.instances.documents import to_instance
from rsjs.instances.generators import kiros, sts
from rsjs.instances.jobs import Jobs
from rsjs.instances.method import OPEN_NODES, Call, Limits, Report
from rsjs.instances.schema import Instance, Objective
from rsjs.instances.solution import Stop

CLASSES = next(method for method in METHODS if method.name == "rsjs_classes")
TABLE_IV = (1, 4, 20)  # units of GPUs that are not shared, or as there


def served(random_document, rng: Random) -> Instance:
    document = random_document(rng, "first_ending")
    document["objective"] |= {"tardiness_at": "completion", "mu": 0}
    return to_instance(document)


def call(packing: str, solver: str = "highs", route: str = "arrays", gap: float = 0.0) -> Call:
    options = {"packing": packing, "route": route}
    return Call(solver=solver, options=options, limits=Limits(gap=gap))


def run(instance: Instance, asked: Call, seconds: float = 60.0):
    return CLASSES.load()(instance, asked, Report(seconds))


def unpackable() -> Instance:
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
            groups=(NodeGroup(count=1, types=("three",)),),
        ),
        jobs=Jobs(
            id=tuple("abcdef"),
            application=("",) * 6,
            release=np.zeros(6),
            due=np.full(6, 9.0),
            weight=np.full(6, 1.0),
            memory_gb=np.zeros(6),
            epochs_max=np.ones(6, dtype=np.int64),
            epochs_done=np.zeros(6),
            law=("fixed",) * 6,
            hours_per_epoch=hours,
            inflation=inflation,
            meta=({},) * 6,
        ),
        H=10.0,
        rho=100.0,
        objective=Objective(
            energy="first_ending",
            tardiness_at="completion",
            open_nodes="free",
            expectation="worst_case",
        ),
    )


@given(st.randoms(use_true_random=False))
def test_rows_relax_and_splits_are_exact_for_table_iv(random_document, rng):
    instance = served(random_document, rng)
    best = check(instance, enumeration.best(instance)).objective
    slack = 1e-6 * max(1.0, best)
    for packing in PACKINGS:
        result = run(instance, call(packing))
        verdict = check(instance, result.solution)
        assert verdict.feasible
        assert result.bound <= best + slack
        assert verdict.objective >= best - slack
        if result.stop is Stop.OPTIMAL:
            assert verdict.objective == pytest.approx(best, rel=1e-6, abs=1e-6)
    if all(gpu.units in TABLE_IV for gpu in instance.cluster.gpu_types):
        assert result.stop is Stop.OPTIMAL


@pytest.mark.parametrize("packing", sorted(PACKINGS))
@pytest.mark.parametrize("solver", ["highs", "scip", "cpsat"])
def test_every_solver_says_the_same(packing, solver):
    instance = sts.generate(nodes=2, jobs=5, seed=2, mix="km", sharing="paper")
    best = check(instance, enumeration.best(instance)).objective
    result = run(instance, call(packing, solver, gap=1e-9))
    assert result.bound <= best * (1 + 1e-6)
    assert check(instance, result.solution).objective == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("route", ["standard_form", "arrays", "pyomo"])
@pytest.mark.parametrize("open_nodes", sorted(OPEN_NODES))
def test_every_route_serves_every_rule_on_open_nodes(route, open_nodes):
    instance = with_rule(sts.generate(nodes=3, jobs=5, seed=1, mix="a100"), open_nodes)
    best = check(instance, enumeration.best(instance)).objective
    result = run(instance, call("splits", route=route))
    assert check(instance, result.solution).feasible
    assert result.objective == pytest.approx(best, rel=1e-6)
    assert result.bound == pytest.approx(best, rel=1e-6)
    assert result.bound_variant == "instance"


def with_rule(instance: Instance, open_nodes: str) -> Instance:
    return replace(instance, objective=replace(instance.objective, open_nodes=open_nodes))


@pytest.mark.parametrize("gap", [0.0, 0.99])
@pytest.mark.parametrize("packing", sorted(PACKINGS))
def test_shares_that_only_fit_by_weight_are_no_proof(packing, gap):
    """The model is solved to its end, the schedule is not what it says."""
    instance = unpackable()
    best = check(instance, enumeration.best(instance)).objective
    result = run(instance, call(packing, gap=gap))
    assert check(instance, result.solution).feasible
    assert result.bound < 0.9 * best <= result.objective
    assert result.stop is (Stop.GAP if gap else Stop.ITERATIONS)
    if not gap:
        assert result.message == "the relaxation is solved; not all followers fit as it says"


def test_infeasible_where_a_node_must_stay_empty():
    """Both nodes must have a job and no job runs on the second."""
    instance = with_rule(sts.generate(nodes=2, jobs=3, seed=1, mix="km"), "rsjs_eq")
    hours = instance.jobs.hours_per_epoch.copy()
    hours[:, instance.cluster.gpu_of_type[instance.cluster.allowed[1].argmax()]] = np.inf
    stuck = replace(instance, jobs=replace(instance.jobs, hours_per_epoch=hours))
    assert enumeration.best(stuck) is None
    for packing in PACKINGS:
        result = run(stuck, call(packing))
        assert result.stop is Stop.INFEASIBLE
        assert result.solution is None


def test_mu_is_refused_in_one_line():
    instance = sts.generate(nodes=2, jobs=2, seed=1)
    idle = replace(instance, objective=replace(instance.objective, mu=0.5))
    with pytest.raises(
        ValueError, match=r"^the model by node classes serves mu = 0, not mu = 0.5$"
    ):
        ClassModel.of(idle, "rows")


SHAPES = {
    "dedicated": lambda: sts.generate(nodes=3, jobs=6, seed=1, mix="km"),
    "shared": lambda: sts.generate(nodes=3, jobs=6, seed=1, mix="kma", sharing="paper"),
    "every node busy": lambda: with_rule(
        sts.generate(nodes=3, jobs=6, seed=2, mix="a100", sharing="paper"), "rsjs_eq"
    ),
    "right-sizing": lambda: kiros.generate(nodes=3, jobs=6, seed=1),
    "other shares": unpackable,
}


@pytest.mark.parametrize("packing", sorted(PACKINGS))
@pytest.mark.parametrize("shape", SHAPES)
def test_the_pyomo_model_and_the_arrays_are_the_same_matrix(packing, shape):
    data = ClassModel.of(SHAPES[shape](), packing)
    model = rsjs_classes.build(data)
    theirs, variables = from_pyomo(model)
    ours = rsjs_classes.arrays(data)
    position = {id(variable): i for i, variable in enumerate(variables)}
    order = [position.get(id(variable), -1) for variable in rsjs_classes.columns(model)]
    used = [i for i, at in enumerate(order) if at >= 0]
    assert len(used) == len(variables)
    order = [order[i] for i in used]
    assert rows_of(theirs, order) == rows_of(ours, used)
    np.testing.assert_allclose(theirs.cost[order], ours.cost[used], rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(theirs.kind[order], ours.kind[used])
    np.testing.assert_array_equal(theirs.upper[order], ours.upper[used])
    assert theirs.offset == pytest.approx(ours.offset)


def rows_of(model, order):
    """The rows that say something, as a sorted list of (entries, lower, upper)."""
    A = model.A.tocsc()[:, order].tocsr()
    A.eliminate_zeros()
    A.sort_indices()
    rows = []
    for r in range(A.shape[0]):
        part = slice(A.indptr[r], A.indptr[r + 1])
        entries = tuple(zip(A.indices[part].tolist(), A.data[part].round(9).tolist(), strict=True))
        if entries:
            rows.append((entries, float(model.row_lower[r]), float(model.row_upper[r])))
    return sorted(rows)


def assert_starts(packing: str, instance: Instance, solution) -> None:
    data = ClassModel.of(instance, packing)
    model, x = rsjs_classes.arrays(data), rsjs_classes.warm_start(data, solution)
    cost = check(instance, solution).objective
    tolerance = 1e-9 * max(1.0, model.offset)
    assert (model.A @ x <= model.row_upper + 1e-9).all()
    assert (model.A @ x >= model.row_lower - 1e-9).all()
    assert ((x >= model.lower) & (x <= model.upper)).all()
    assert model.objective(x) <= cost + tolerance
    again = check(instance, rsjs_classes.extract(data, x))
    assert again.feasible
    if all(gpu.units in TABLE_IV for gpu in instance.cluster.gpu_types) and packing == "splits":
        assert again.objective <= model.objective(x) + tolerance


@pytest.mark.parametrize("packing", sorted(PACKINGS))
@given(rng=st.randoms(use_true_random=False))
def test_a_warm_start_satisfies_the_rows_and_costs_no_more(
    packing, random_document, random_decision, rng
):
    instance = served(random_document, rng)
    assert_starts(packing, instance, random_decision(instance, rng))


@pytest.mark.parametrize("packing", sorted(PACKINGS))
@pytest.mark.parametrize("shape", ["dedicated", "right-sizing", "other shares"])
def test_so_does_the_optimum(packing, shape):
    instance = SHAPES[shape]()
    assert_starts(packing, instance, enumeration.best(instance))


@pytest.mark.parametrize("nodes", [6, 9])
def test_classes_are_full_where_every_node_has_a_job(nodes):
    """Six jobs fill the classes of six nodes; on nine nodes the row (count) is needed."""
    instance = with_rule(sts.generate(nodes=nodes, jobs=6, seed=1, mix="km"), "rsjs_eq")
    data = ClassModel.of(instance, "rows")
    exact = data.lower == data.upper
    assert data.every_node == (nodes == 6)
    assert exact.sum() == (len(data.roles.cluster.class_sizes) if data.every_node else 1)
    assert data.upper[exact].sum() == 6


def test_the_number_of_rows_does_not_grow_with_the_nodes():
    few, many = (
        ClassModel.of(sts.generate(nodes=n, jobs=30, seed=1, mix="kma", sharing="paper"), "rows")
        for n in (10, 100)
    )
    classes = len(few.roles.cluster.class_sizes)
    assert len(few.upper) == len(many.upper) == len(few.rooms.roles) + classes
    counts = rsjs_classes.arrays(many).counts
    assert counts["rows"] == 30 + len(many.upper)
    assert counts["integers"] == counts["columns"] == len(many.role)


def test_a_decision_in_hand_survives_a_limit_of_no_time():
    instance = sts.generate(nodes=2, jobs=4, seed=1)
    start = enumeration.best(instance)
    asked = replace(call("splits"), warm_start=start)
    result = run(instance, asked, seconds=0.0)
    assert result.stop is Stop.TIME_LIMIT
    assert result.solution.same_as(start)
    assert result.bound is None


def test_the_backend_s_own_objective_is_the_model_s():
    instance = sts.generate(nodes=2, jobs=5, seed=3, mix="km", sharing="paper")
    data = ClassModel.of(instance, "splits")
    raw = backend("highs").load()(rsjs_classes.arrays(data), Limits(gap=0.0), seconds=60)
    cost = check(instance, rsjs_classes.extract(data, raw.x)).objective
    assert raw.objective == pytest.approx(cost, rel=1e-6)
