"""first_ending_patterns = first_ending_nodes = enumeration, whatever nodes cost and may become."""

from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest
from allpairspy import AllPairs
from hypothesis import given
from hypothesis import strategies as st

from rsjs.core.call import Call
from rsjs.core.method import EXPECTATION, OPEN_NODES
from rsjs.core.report import Report, Stop
from rsjs.formulations import enumeration
from rsjs.formulations.backends.backend import SolveTask
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.first_ending import node_indexed as by_node
from rsjs.formulations.first_ending import patterns
from rsjs.formulations.first_ending.patterns import NodeMode
from rsjs.formulations.modes.arc_flow import Arc
from rsjs.formulations.registry import METHODS
from rsjs.instances.check import check
from rsjs.instances.cluster import Cluster, GpuType, NodeGroup, NodeType, ShareLevel
from rsjs.instances.costs import cost_tables
from rsjs.instances.epoch_distribution import EpochDistribution
from rsjs.instances.generators.jahani import generate
from rsjs.instances.instance import FAMILIES, Instance, Objective
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution
from tests.by_hand import jobs_of
from tests.formulations.agreement import EXACT, assert_solved, assert_starts, matrix, with_objective

FIRST_ENDING = [METHODS["first_ending_patterns"], METHODS["first_ending_nodes"]]

COSTS = {  # $/h of the node types one, two and four for 0, 1, ... GPUs in use
    "flat": [(0.0, 0.7), (0.0, 1.5, 1.5), (0.0, 2.2, 2.2, 2.2, 2.2)],
    "per_gpu": [(0.0, 0.7), (0.0, 1.0, 1.5), (0.0, 0.4, 0.9, 1.6, 2.2)],
    "steps": [(0.0, 0.7), (0.0, 1.5, 1.5), (0.0, 0.9, 0.9, 2.2, 2.2)],
}
NODES = {
    "fixed": [("two",), ("four",), ("one",)],
    "free": [("one", "two", "four")] * 2,
    "mixed": [("one", "two", "four"), ("four",), ("one", "two")],
}
KINDS = [list(COSTS), list(NODES), sorted(OPEN_NODES), sorted(EXPECTATION)]
VARIANTS = list(product(*KINDS))
CHOSEN = [VARIANTS.index(tuple(kinds)) for kinds in AllPairs(KINDS)]
FORMULATIONS = [
    pytest.param(patterns, patterns.data_of, id="patterns"),
    pytest.param(by_node, by_node.FirstEndingNodeModel, id="nodes"),
]


def variant(index):
    """
    Two to five jobs, some overdue, some slower on more GPUs, some not on every GPU type.

    Idle GPUs are free in every second one; waiting costs less or much more than running.
    """
    costs, nodes, open_nodes, expectation = VARIANTS[index]
    rng = np.random.default_rng(index)
    n = 2 + index % 4
    names = [("one", "M60"), ("two", "K80"), ("four", "M60")]
    priced = zip(names, COSTS[costs], strict=True)
    types = [NodeType(name=name, gpu_type=gpu, cost=cost) for (name, gpu), cost in priced]
    hours = np.full((n, 2, 5), np.inf)
    speedup = np.arange(1, 5) ** rng.uniform(-0.3, 0.9, (n, 1, 1))
    hours[:, :, 1:] = rng.uniform(0.5, 6, (n, 2, 1)) / speedup
    hours[0, :, 1] = np.inf
    hours[1, 0] = np.inf
    return Instance(
        name=f"variant {index}",
        cluster=Cluster(
            gpu_types=(GpuType(name="K80", memory_gb=12.0), GpuType(name="M60", memory_gb=8.0)),
            node_types=tuple(types),
            groups=tuple(NodeGroup(count=1, types=allowed) for allowed in NODES[nodes]),
        ),
        jobs=jobs_of(
            hours,
            due=rng.uniform(-1, 9, n),
            weight=rng.uniform(0.1, 1.0, n),
            epochs_max=np.full(n, 3),
            epochs_done=rng.choice([0.0, 0.7, 1.5], n),
            law=("fixed", *("early",) * (n - 1)),
        ),
        laws={"early": EpochDistribution.of([[1, 1], [2, 2], [3, 1]])},
        H=0.5,
        rho=float(rng.choice([0.5, 3.0, 100.0])),
        objective=Objective(
            energy="first_ending",
            tardiness_at="completion",
            open_nodes=open_nodes,
            expectation=expectation,
            mu=(index % 2) / 2,
        ),
    )


def kiros(catalogue, due, nodes, jobs):
    """Right-sizing among the node types of a catalogue, up to eight GPUs each."""
    instance = generate(nodes=nodes, jobs=jobs, seed=nodes, catalogue=catalogue, due=due)
    return replace(instance, objective=FAMILIES["kiros"])


def one_type(gpus, cost):
    """Forty nodes of one type; 60 jobs whose times fall with each GPU."""
    instance = kiros("table2", "base", 40, 60)
    hours = np.full((60, 1, gpus + 1), np.inf)
    hours[:, 0, 1:] = 8.0 / np.arange(1, gpus + 1) ** 0.8
    kind = NodeType(name="node", gpu_type="K80", cost=cost)
    cluster = Cluster(
        gpu_types=(GpuType(name="K80", memory_gb=12.0),),
        node_types=(kind,),
        groups=(NodeGroup(count=40, types=("node",)),),
    )
    jobs = replace(
        instance.jobs,
        hours_per_epoch=hours,
        inflation=np.empty((60, 1, 0)),
        epochs_max=np.ones(60, dtype=np.int64),
        memory_gb=np.zeros(60),
        due=np.full(60, 0.1),
    )
    return replace(instance, cluster=cluster, jobs=jobs)


def optimum(formulation, data, solver="highs"):
    """What a solver finds at gap 0."""
    return backend(solver).load()(SolveTask(matrix(formulation, data), EXACT, seconds=300))


def assert_all_agree(instance):
    best = enumeration.best(instance)
    for formulation, of in (
        (patterns, patterns.data_of),
        (by_node, by_node.FirstEndingNodeModel),
    ):
        data = of(instance)
        result = optimum(formulation, data)
        if best is None:
            assert result.stop is Stop.INFEASIBLE
            continue
        expected = pytest.approx(check(instance, best).objective, rel=1e-6, abs=1e-6)
        verdict = check(instance, formulation.extract(data, result.x))
        assert verdict.feasible
        assert (result.objective, result.bound) == (expected, expected)
        assert verdict.objective == expected


@pytest.mark.solver
@pytest.mark.parametrize("index", CHOSEN, ids=lambda i: "-".join(VARIANTS[i]))
def test_patterns_nodes_and_enumeration_agree(index):
    assert_all_agree(variant(index))


@pytest.mark.solver
@pytest.mark.parametrize(
    ("catalogue", "due", "nodes", "jobs"),
    [
        ("kiros", "base", 2, 4),
        ("table2", "tight", 1, 6),
        ("server2-11usd", "tight", 2, 5),
        ("no-server2", "base", 3, 4),
        ("azure", "tight", 3, 5),
    ],
)
def test_they_agree_on_right_sizing_with_up_to_eight_gpus(catalogue, due, nodes, jobs):
    assert_all_agree(kiros(catalogue, due, nodes, jobs))


@pytest.mark.solver
@given(st.randoms(use_true_random=False))
def test_patterns_and_enumeration_agree_on_random_documents(random_document, rng):
    """Zero weights, nodes that nobody can use, GPUs counts with gaps, free idle GPUs."""
    document = random_document(rng, "first_ending")
    document["objective"]["tardiness_at"] = "completion"
    for job in document["jobs"]:
        job.pop("inflation", None)
    instance = to_instance(document)
    data = patterns.data_of(instance)
    result = optimum(patterns, data)
    best = check(instance, enumeration.best(instance)).objective
    verdict = check(instance, patterns.extract(data, result.x))
    assert verdict.feasible
    assert [result.objective, result.bound, verdict.objective] == pytest.approx([best] * 3)


@pytest.mark.solver
def test_an_instance_whose_nodes_cannot_all_have_a_job_is_infeasible():
    """Only one of four jobs runs on K80, the GPUs of two nodes."""
    instance = variant(VARIANTS.index(("flat", "fixed", "rsjs_eq", "expected")))
    hours = instance.jobs.hours_per_epoch.copy()
    hours[1:, 0] = np.inf
    groups = (NodeGroup(count=2, types=("two",)), NodeGroup(count=1, types=("four",)))
    jobs = replace(instance.jobs, hours_per_epoch=hours)
    stuck = replace(instance, cluster=replace(instance.cluster, groups=groups), jobs=jobs)
    assert enumeration.best(stuck) is None
    assert_all_agree(stuck)
    free = with_objective(stuck, open_nodes="rsjs_eq_feasible")
    assert enumeration.best(free) is not None
    assert_all_agree(free)


@pytest.mark.parametrize("gpus", [8, 24, 72])
def test_integers_grow_with_the_square_of_the_gpus_and_not_with_the_patterns(gpus):
    """One node type with a flat price: a leader's arc for each slot, followers' at each place."""
    data = patterns.data_of(one_type(gpus, (0.0, *[1.0] * gpus)))
    assert matrix(patterns, data).counts["integers"] <= 1 + gpus + gpus * gpus // 2


@pytest.mark.parametrize("gpus", [8, 24, 72])
def test_options_to_lead_are_as_many_as_gpus_whatever_the_price_rises_with(gpus):
    """One arc and at most one option of a job for each number of GPUs left to followers."""
    instance = one_type(gpus, tuple(0.1 * g for g in range(gpus + 1)))
    data = patterns.data_of(instance)
    leads = data.mode < data.leader_modes
    assert sorted(arc.head for arc in data.arcs if arc.tail == 0) == list(range(1, gpus + 1))
    assert np.bincount(data.job[leads]).tolist() == [gpus] * len(instance.jobs)


def test_only_followers_are_left_out_for_a_gain_that_is_not_negative():
    """A job that may wait for nothing leads a node so that three others run."""
    data = patterns.data_of(variant(0))
    leads = data.mode < data.leader_modes
    assert (data.gain[leads] >= 0).any()
    assert (data.gain[~leads] < 0).all()


@pytest.mark.solver
def test_a_follower_takes_gpus_it_has_no_use_for_where_idle_ones_cost():
    instance = variant(VARIANTS.index(("flat", "fixed", "rsjs_eq", "worst_case")))
    hours = np.full_like(instance.jobs.hours_per_epoch, np.inf)
    hours[0, 1, 1], hours[1, 1, 1:4] = 1.0, 9.0
    groups = (NodeGroup(count=1, types=("four",)),)
    crowd = replace(
        instance,
        cluster=replace(instance.cluster, groups=groups),
        jobs=replace(instance.jobs, hours_per_epoch=hours, due=np.full(2, 100.0)),
        objective=replace(instance.objective, mu=0.5),
    )
    assert_all_agree(crowd)
    assert enumeration.best(crowd).job_gpus.tolist() == [1, 3]


@pytest.mark.parametrize(("formulation", "of"), FORMULATIONS)
@pytest.mark.parametrize("index", CHOSEN)
def test_a_warm_start_is_feasible_and_between_its_decision_and_what_it_decodes_to(
    formulation, of, index, random_decision
):
    instance = variant(index)
    data = of(instance)
    for decision in (enumeration.best(instance), random_decision(instance, Random(index))):
        cost, decoded = assert_starts(formulation, data, instance, decision)
        assert decoded.objective <= cost + 1e-9


def test_a_node_led_by_the_wrong_job_is_charged_until_its_first_job_ends():
    instance = variant(VARIANTS.index(("flat", "fixed", "free", "worst_case")))
    data = patterns.data_of(instance)
    four, hours = 2, cost_tables(instance).hours[:, 1, 1]
    leads = data.mode == data.modes.index(NodeMode(four, 1, 3))
    follows = data.mode == data.modes.index(NodeMode(four, 0, 1))
    late = max(np.flatnonzero(leads), key=lambda i: hours[data.job[i]])
    soon = min(np.flatnonzero(follows), key=lambda i: hours[data.job[i]])
    x = np.zeros(len(data.cost))
    x[
        [
            *(late, soon, data.column_of[1, four]),
            *(data.column_of_arc[Arc(four, at, 1)] for at in (0, 1)),
        ]
    ] = 1.0
    model = matrix(patterns, data)
    assert (model.A @ x <= model.row_upper).all()
    saved = 2.2 * (hours[data.job[late]] - hours[data.job[soon]])
    assert saved > 0.1
    decoded = check(instance, patterns.extract(data, x))
    assert decoded.objective == pytest.approx(model.objective(x) - saved)


@pytest.mark.parametrize("index", range(0, len(VARIANTS), 13))
def test_fractional_options_are_decoded_by_a_transportation_problem(index):
    instance = variant(index)
    data = patterns.data_of(instance)
    best = enumeration.best(instance)
    x = patterns.warm_start(data, best)
    x[: len(data.job)] = 0.3
    verdict = check(instance, patterns.extract(data, x))
    assert verdict.feasible
    assert verdict.objective == pytest.approx(check(instance, best).objective)


@pytest.mark.solver
@pytest.mark.parametrize("solver", ["highs", "scip", "cpsat"])
@pytest.mark.parametrize("method", FIRST_ENDING, ids=lambda method: method.name)
def test_every_solver_finds_the_optimum(method, solver):
    instance = variant(VARIANTS.index(("steps", "mixed", "jahani_eq", "mean")))
    best = enumeration.best(instance)
    nothing = select_required_nodes(
        instance, Solution.empty(len(instance.jobs), instance.cluster.nodes)
    )
    call = Call(solver=solver, limits=EXACT, warm_start=nothing)
    result = method.load()(instance, call, Report(300.0))
    assert check(instance, result.solution, objective=result.objective).feasible
    assert_solved(result, check(instance, best).objective)


def test_what_they_do_not_cover_is_refused_in_one_line():
    served = variant(2)
    for method in FIRST_ENDING:
        assert method.refusal(served) is None
        for change in ({"energy": "next_event"}, {"tardiness_at": "next_event"}):
            other = with_objective(served, **change)
            assert method.refusal(other).startswith(f"{method.name} serves {next(iter(change))}")
        assert "dedicated GPUs only" in method.refusal(with_shares(served))


def with_shares(instance):
    """Half a K80 is enough for every job that may run on one."""
    cluster, jobs = instance.cluster, instance.jobs
    k80, m60 = cluster.gpu_types
    k80 = replace(k80, units=2, levels=(ShareLevel(units=1, max_memory_gb=6.0),))
    jobs = replace(jobs, inflation=np.full((len(jobs), 2, 1), [[1.2], [np.inf]]))
    return replace(instance, cluster=replace(cluster, gpu_types=(k80, m60)), jobs=jobs)
