"""Arc flow: its paths are the patterns of a node, its bound is that of all patterns listed."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from rsjs.core.call import Call, Limits
from rsjs.core.report import Report
from rsjs.formulations import enumeration
from rsjs.formulations.backends.backend import SolveTask
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.first_ending import node_indexed
from rsjs.formulations.first_ending import patterns as first_ending
from rsjs.formulations.jahani import lagrangian, milp
from rsjs.formulations.jahani import patterns as jahani
from rsjs.formulations.jahani.mode_model import InstanceModes
from rsjs.formulations.jahani.restricted_milp import OpenJobColumns, program
from rsjs.formulations.milp.row_builder import RowBuilder
from rsjs.formulations.modes.arc_flow import Arc, arcs, paths
from rsjs.formulations.registry import METHODS
from rsjs.instances.check import check
from rsjs.instances.cluster import Cluster, GpuType, NodeGroup, NodeType
from rsjs.instances.instance import FAMILIES, Instance
from tests.by_hand import jobs_of
from tests.formulations.agreement import EXACT, assert_solved, matrix


def large_nodes(family, nodes, jobs, sizes, seed=1):
    """
    Nodes of two types, of which half may take one and half both, with tight due dates.

    Times fall by a power of the GPUs; prices are flat for Jahani and rise with the GPUs in use
    in four steps for the others.
    """
    rng = np.random.default_rng(seed)
    flat = family == "jahani"
    types = []
    for name, gpus, price in zip("ab", sizes, rng.uniform(0.5, 2.0, 2), strict=True):
        used = np.arange(gpus + 1)
        charged = np.where(used, gpus, 0) if flat else np.ceil(4 * used / gpus) * gpus / 4
        types.append(NodeType(name=name, gpu_type=name, cost=tuple((price * charged).tolist())))
    largest = max(sizes)
    hours = np.full((jobs, 2, largest + 1), np.inf)
    power = np.arange(1, largest + 1) ** -rng.uniform(0.5, 0.95, (jobs, 1, 1))
    hours[:, :, 1:] = rng.uniform(2.0, 40.0, (jobs, 2, 1)) * power
    groups = (NodeGroup(count=nodes // 2, types=("a",)),) if nodes > 1 else ()
    return Instance(
        name=f"{family} {nodes} x {jobs} of {sizes}",
        cluster=Cluster(
            gpu_types=(GpuType(name="a", memory_gb=80.0), GpuType(name="b", memory_gb=80.0)),
            node_types=tuple(types),
            groups=(*groups, NodeGroup(count=nodes - nodes // 2, types=("a", "b"))),
        ),
        jobs=jobs_of(
            hours,
            due=rng.uniform(0.2, 0.5, jobs) * hours[:, 0, 4],
            weight=rng.uniform(0.5, 5.0, jobs),
        ),
        H=1.0,
        rho=1.0,
        objective=FAMILIES[family],
    )


def partitions(size, parts):
    """Yield all multisets of parts that sum to at most a size, decreasing."""
    yield ()
    for at, part in enumerate(parts):
        if part <= size:
            for rest in partitions(size - part, parts[at:]):
                yield (part, *rest)


@pytest.mark.parametrize("parts", [(9, 8, 7, 6, 5, 4, 3, 2, 1), (7, 4), (5, 3, 2), (3,)])
def test_the_paths_from_0_are_the_patterns(parts):
    made = arcs(0, 9, parts)
    ways = [()]
    for path in ways:  # grows while it is read
        tail, last = sum(path), path[-1] if path else 9
        ways += [(*path, a.gpus) for a in made if a.tail == tail and a.gpus <= last]
    assert sorted(ways) == sorted(partitions(9, parts))
    assert {(a.tail, a.gpus) for a in made} == {(sum(path[:-1]), path[-1]) for path in ways if path}


def test_integral_flows_fall_apart_into_the_nodes_they_were_made_of():
    rng = np.random.default_rng(3)
    made = arcs(5, 24, (11, 7, 5, 2, 1))
    position = {arc: a for a, arc in enumerate(made)}
    patterns = list(partitions(24, (11, 7, 5, 2, 1)))
    flow, offered, number = np.zeros(len(made), dtype=np.int64), Counter(), 0
    for p in rng.integers(1, len(patterns), 40).tolist():
        number += 1
        for at, g in enumerate(patterns[p]):
            flow[position[Arc(5, sum(patterns[p][:at]), g)]] += 1
            offered[g] += 1
    found = paths(made, flow)[5]
    assert sum(nodes for _, nodes in found) == number
    again, total = Counter(), np.zeros_like(flow)
    for path, nodes in found:
        assert sum(made[a].gpus for a in path) <= 24
        for a in path:
            again[made[a].gpus] += nodes
            total[a] += nodes
    assert again == offered
    assert total.tolist() == flow.tolist()


def listed(instance):
    """Jahani's model with one integer for each pattern of each node class and type."""
    data = jahani.PatternModel.of(instance)
    sizes, mu = instance.cluster.gpus_of_type, instance.objective.mu
    columns = []
    for k, v in data.nodes:
        parts = sorted((g for u, g in data.modes if u == v), reverse=True)
        columns += [(k, v, Counter(p)) for p in partitions(int(sizes[v]), parts)]
    n, at = len(data.job), len(data.job) + np.arange(len(columns))
    offers = [
        (q, c, -float(cut[g]))
        for q, (u, g) in enumerate(data.modes)
        for c, (_, v, cut) in zip(at.tolist(), columns, strict=True)
        if u == v and cut[g]
    ]
    mode, column, value = (np.array(part) for part in zip(*offers, strict=True))
    rows = RowBuilder()
    rows.add(len(instance.jobs), -np.inf, 1.0, (data.job, np.arange(n), 1.0))
    rows.add(len(data.modes), -np.inf, 0.0, (data.mode, np.arange(n), 1.0), (mode, column, value))
    most = min(instance.cluster.nodes, len(instance.jobs))
    rows.add(1, float(most), float(most), (np.zeros(len(at), dtype=np.int64), at, 1.0))
    of_class = np.array([k for k, _, _ in columns])
    class_sizes = instance.cluster.class_sizes.astype(float)
    rows.add(len(class_sizes), -np.inf, class_sizes, (of_class, at, 1.0))
    arc_model = matrix(jahani, data)
    idle = np.array([mu * sizes[v] for _, v, _ in columns])
    return rows.model(
        cost=np.concatenate([data.gain, idle]),
        upper=np.concatenate([np.ones(n), np.full(len(at), float(most))]),
        kind=np.concatenate([np.repeat(arc_model.kind[:1], n), np.full(len(at), 1, np.uint8)]),
        offset=arc_model.offset,
    )


def solved_by(solver, model):
    return backend(solver).load()(SolveTask(model, EXACT, seconds=300))


@pytest.mark.solver
@pytest.mark.parametrize("seed", range(2))
def test_the_model_and_its_relaxation_are_worth_what_the_patterns_listed_are(seed):
    instance = large_nodes("jahani", 6, 20, (10, 7), seed)
    by_arcs, by_patterns = matrix(jahani, jahani.PatternModel.of(instance)), listed(instance)
    for solver in ("relaxation", "highs"):
        bounds = [solved_by(solver, model).bound for model in (by_arcs, by_patterns)]
        assert bounds[0] == pytest.approx(bounds[1], rel=1e-7)


@pytest.mark.solver
@pytest.mark.parametrize(
    ("sizes", "nodes", "jobs"), [((24, 16), 1, 3), ((24, 16), 2, 3), ((72, 8), 1, 2)]
)
def test_all_formulations_agree_with_enumeration_on_large_nodes(sizes, nodes, jobs):
    forms = {
        "jahani": [(jahani, jahani.PatternModel.of), (milp, milp.LiteralModel)],
        "kiros": [
            (first_ending, first_ending.data_of),
            (node_indexed, node_indexed.FirstEndingNodeModel),
        ],
    }
    for family, models in forms.items():
        instance = large_nodes(family, nodes, jobs, sizes, seed=nodes)
        best = check(instance, enumeration.best(instance)).objective
        for formulation, data_of in models:
            data = data_of(instance)
            result = solved_by("highs", matrix(formulation, data))
            assert_solved(result, best)
            verdict = check(instance, formulation.extract(data, result.x))
            assert verdict.feasible
            assert verdict.objective == pytest.approx(best, rel=1e-6)


@pytest.mark.solver
@pytest.mark.parametrize("solver", ["highs", "scip", "cpsat"])
@pytest.mark.parametrize(
    ("method", "family"),
    [("jahani_patterns", "jahani"), ("jahani_dual", "jahani"), ("first_ending_patterns", "kiros")],
)
def test_every_solver_solves_nodes_of_24_gpus(solver, method, family):
    instance = large_nodes(family, 4, 12, (24, 16))
    call = Call(solver=solver, limits=Limits(gap=1e-3))
    result = METHODS[method].load()(instance, call, Report(300.0))
    verdict = check(instance, result.solution, objective=result.objective, bound=result.bound)
    assert verdict.feasible
    assert result.objective - result.bound <= 1e-3 * abs(result.objective)


@pytest.mark.parametrize("seed", range(4))
def test_reduced_costs_of_arcs_are_those_of_the_best_pattern_through_them(seed):
    rng = np.random.default_rng(seed)
    model = InstanceModes.of(large_nodes("jahani", 4, 12, (11, 6), seed)).model
    cuts, multipliers = model.cuts, rng.exponential(1.0, len(model.gain))
    excess = cuts.reduced_costs(multipliers)
    worth = {}  # of an arc, and of a node type: the most of a pattern
    for v, size in ((0, 11), (1, 6)):
        for pattern in partitions(size, range(size, 0, -1)):
            value = sum(multipliers[cuts.mode[v, g]] for g in pattern)
            used = [(v, sum(pattern[:at]), g) for at, g in enumerate(pattern)]
            for key in (v, *used):
                worth[key] = max(value, worth.get(key, -np.inf))
    price = {
        (k, v): cost - worth[v]
        for k, v, cost in zip(
            cuts.of_class.tolist(), cuts.of_type.tolist(), cuts.cost, strict=False
        )
    }
    of_nodes = {
        (k, v): p - min(p for (m, _), p in price.items() if m == k) for (k, v), p in price.items()
    }
    expected = list(of_nodes.values())
    for v, tail, g in cuts.arcs:
        least = min(d for (_, u), d in of_nodes.items() if u == v)
        expected.append(least + worth[v] - worth[v, tail, g])
    assert excess == pytest.approx(expected, abs=1e-12)
    assert excess.min() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.solver
def test_a_solution_with_a_column_costs_at_least_the_bound_and_its_reduced_cost():
    model = InstanceModes.of(large_nodes("jahani", 4, 10, (8, 5))).model
    dual = lagrangian.maximise(model)
    excess = model.cuts.reduced_costs(dual.multipliers)
    columns = OpenJobColumns.of(np.isfinite(model.gain), np.ones(model.jobs, dtype=bool))
    whole = program(model, columns)
    n = len(columns.job)
    for c in range(0, len(excess), 5):
        lower = np.zeros(len(whole.cost))
        lower[n + c] = 1.0
        forced = solved_by("highs", replace(whole, lower=lower))
        assert forced.objective >= dual.bound + excess[c] - 1e-6
