"""jahani_dual: its bound holds for any multipliers, and its decisions are those of the model."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from allpairspy import AllPairs
from hypothesis import given, settings
from hypothesis import strategies as st

from rsjs.core.call import Call, Limits
from rsjs.core.report import Report, Stop
from rsjs.formulations import enumeration
from rsjs.formulations.backends.backend import SolveTask
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.jahani import dual_search, lagrangian, patterns
from rsjs.formulations.jahani.mode_model import InstanceModes
from rsjs.formulations.jahani.node_patterns import (
    Pattern,
    assignment,
    decision,
    fitted,
    packed,
    rounded,
)
from rsjs.formulations.jahani.patterns import PatternModel
from rsjs.formulations.jahani.restricted_milp import OpenJobColumns, without_arcs
from rsjs.formulations.registry import METHODS
from rsjs.instances.catalogue.node_types import MEMBERS
from rsjs.instances.check import check
from rsjs.instances.generators.jahani import generate
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.solution import Solution
from tests.formulations.agreement import EXACT, assert_solved, matrix, optimum, with_objective

DUAL = METHODS["jahani_dual"]
CHOICES = sorted(MEMBERS.keys() - {"homogeneous"})  # catalogues with several node types
KINDS = [[(2, 8), (4, 12), (6, 5)], CHOICES, ["jahani_eq", "free"], [0.0, 0.3, 1.0]]
VARIANTS = list(product(*KINDS))
CHOSEN = [VARIANTS.index(tuple(kinds)) for kinds in AllPairs(KINDS)]


def partitions(size, largest=None):
    """Yield all partitions of a number into parts, decreasing."""
    if not size:
        yield ()
    for part in range(min(size, largest or size), 0, -1):
        for rest in partitions(size - part, part):
            yield (part, *rest)


def variant(index):
    """A small instance; every third one has overdue jobs, every fourth one nodes of its own."""
    (nodes, jobs), catalogue, open_nodes, mu = VARIANTS[index]
    due = "tight" if index % 2 else "base"
    instance = generate(nodes=nodes, jobs=jobs, seed=index, catalogue=catalogue, due=due)
    if index % 4 == 0:
        instance = of_several_classes(instance)
    instance = with_objective(instance, open_nodes=open_nodes, mu=mu)
    return replace(instance, now=5.0 if index % 3 == 0 else 0.0)


def of_several_classes(instance):
    """The first node is fixed, the last has a choice of two types."""
    (group,) = instance.cluster.groups
    groups = (
        replace(group, count=1, types=group.types[3:4]),
        replace(group, count=instance.cluster.nodes - 2) if instance.cluster.nodes > 2 else None,
        replace(group, count=1, types=group.types[:2]),
    )
    kept = tuple(group for group in groups if group is not None)
    return replace(instance, cluster=replace(instance.cluster, groups=kept))


def served(rng, random_document):
    """A random instance that the method serves."""
    document = random_document(rng, energy="proportional")
    document["objective"]["tardiness_at"] = "completion"
    document["objective"]["open_nodes"] = rng.choice(["free", "jahani_eq"])
    return to_instance(document)


def solved(instance, report=None, **options):
    """The method's result with its own report."""
    call = Call(limits=Limits(gap=options.pop("gap", 0.0)), **options)
    return dual_search.run(instance, call, report or Report(300.0))


def program(instance, solver):
    """What a backend says about the pattern model of an instance."""
    model = matrix(patterns, PatternModel.of(instance))
    return backend(solver).load()(SolveTask(model, EXACT, seconds=300))


@given(rng=st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 2)
def test_any_multipliers_give_a_bound(rng, random_document, random_decision):
    instance = served(rng, random_document)
    model = InstanceModes.of(instance).model
    scale = 10.0 ** rng.randint(-2, 3)
    multipliers = np.array([rng.choice([0.0, rng.random()]) * scale for _ in model.gain])
    bound = lagrangian.certified(model, multipliers)
    assert bound <= optimum(instance)
    assert bound <= check(instance, random_decision(instance, rng)).objective


@pytest.mark.slow
@given(rng=st.randoms(use_true_random=False))
def test_it_agrees_with_enumeration_on_random_instances(rng, random_document):
    instance = served(rng, random_document)
    result = solved(instance)
    verdict = check(instance, result.solution, objective=result.objective, bound=result.bound)
    assert verdict.feasible
    assert verdict.objective == pytest.approx(optimum(instance), rel=1e-7, abs=1e-7)
    assert result.stop is Stop.OPTIMAL


@pytest.mark.solver
@pytest.mark.parametrize("index", CHOSEN, ids=lambda i: "-".join(map(str, VARIANTS[i])))
def test_it_agrees_with_the_pattern_model(index):
    instance = variant(index)
    expected = program(instance, "highs").objective
    result = solved(instance)
    verdict = check(instance, result.solution, objective=result.objective, bound=result.bound)
    assert verdict.feasible
    assert_solved(result, expected)
    assert result.bound <= verdict.objective


@pytest.mark.solver
@pytest.mark.parametrize("index", CHOSEN[::3], ids=lambda i: "-".join(map(str, VARIANTS[i])))
def test_so_it_does_by_relaxations_without_arcs(index, monkeypatch):
    monkeypatch.setattr(dual_search, "LARGE", 0)
    instance = variant(index)
    result = solved(instance)
    verdict = check(instance, result.solution, objective=result.objective, bound=result.bound)
    assert verdict.feasible
    assert_solved(result, program(instance, "highs").objective)


@pytest.mark.solver
@given(rng=st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 4)
def test_a_relaxation_without_arcs_costs_no_more_than_the_optimum(rng, random_document):
    """Nor than it with some jobs settled as there; what it decides is packed within the nodes."""
    instance = served(rng, random_document)
    modes = InstanceModes.of(instance)
    best = enumeration.best(instance)
    choice = assignment(modes, best).choice
    kept, waits = np.isfinite(modes.model.gain), np.ones(modes.model.jobs, dtype=bool)
    for j in range(0, modes.model.jobs, 3):
        kept[:, j] = np.arange(len(kept)) == choice[j]
        waits[j] = choice[j] < 0
    columns = OpenJobColumns.of(kept, waits)
    relaxed = without_arcs(modes.model, columns)
    result = backend("highs").load()(SolveTask(relaxed, EXACT, seconds=300))
    cost = check(instance, best).objective
    assert result.bound <= cost + 1e-6 * max(1.0, abs(cost))
    x, nodes = np.split(result.x, [len(columns.job)])
    nodes = np.rint(nodes).astype(np.int64)
    cuts = packed(modes, columns.choice(x), nodes)
    assert sum(cuts.values()) == nodes.sum()
    sizes = instance.cluster.gpus_of_type
    assert all(sum(slots) <= sizes[v] for _, v, slots in cuts)
    assert check(instance, decision(modes, fitted(modes, columns.choice(x), cuts))).feasible


@pytest.mark.slow
@pytest.mark.parametrize(
    ("catalogue", "due", "open_nodes", "mu"),
    [("server2-11usd", "tight", "jahani_eq", 1.0), ("azure", "base", "free", 0.3)],
)
def test_the_best_bound_is_that_of_the_linear_program(catalogue, due, open_nodes, mu):
    instance = generate(nodes=60, jobs=300, seed=4, catalogue=catalogue, due=due)
    instance = with_objective(instance, open_nodes=open_nodes, mu=mu)
    for case in (instance, of_several_classes(instance)):
        found = lagrangian.maximise(InstanceModes.of(case).model)
        assert found.optimal
        assert found.bound == pytest.approx(program(case, "relaxation").bound, rel=1e-8)


def test_multipliers_of_one_instance_start_the_next():
    first, second = (
        InstanceModes.of(generate(nodes=60, jobs=300, seed=seed)).model for seed in (1, 2)
    )
    multipliers = lagrangian.maximise(first).multipliers
    again = lagrangian.maximise(first, start=multipliers)
    cold, warm = lagrangian.maximise(second), lagrangian.maximise(second, start=multipliers)
    assert again.bound == pytest.approx(lagrangian.certified(first, multipliers), rel=1e-12)
    assert again.optimal
    assert again.iterations <= 2
    assert warm.bound == pytest.approx(cold.bound, rel=1e-9)
    assert lagrangian.certified(second, multipliers) <= cold.bound


def test_multipliers_of_another_cluster_are_refused():
    model = InstanceModes.of(generate(nodes=2, jobs=8, seed=1)).model
    with pytest.raises(ValueError, match="3 multipliers for 27 slots"):
        lagrangian.maximise(model, start=np.ones(3))


def test_slots_that_cost_the_same_are_one():
    model = InstanceModes.of(generate(nodes=2, jobs=8, seed=1, catalogue="table2"))
    assert len(model.gpus) == 27  # of 32 pairs (v, g)


@pytest.mark.slow
def test_the_bounds_reported_rise_and_stay_below_the_incumbents():
    instance = generate(nodes=100, jobs=400, seed=3, catalogue="server2-11usd")
    report = Report(300.0)
    result = solved(instance, report, gap=1e-4)
    bounds = [event.bound for event in report.events if event.bound is not None]
    incumbents = [event.incumbent for event in report.events if event.incumbent is not None]
    slack = 1e-9 * abs(result.objective)
    assert bounds == sorted(bounds)
    assert incumbents == sorted(incumbents, reverse=True)
    assert max(bounds) <= min(incumbents) + slack
    assert result.stop in (Stop.OPTIMAL, Stop.GAP)


@pytest.mark.solver
@pytest.mark.parametrize("solver", ["highs", "scip", "cpsat"])
def test_every_solver_closes_the_gap(solver):
    instance = generate(nodes=20, jobs=80, seed=2, catalogue="server2-11usd", due="tight")
    result = solved(instance, solver=solver, gap=1e-4)
    assert result.counts["programs"] >= 1
    assert check(instance, result.solution, bound=result.bound).feasible
    assert result.objective - result.bound <= 1e-4 * abs(result.objective)


@pytest.mark.solver
def test_columns_left_out_of_the_program_do_not_count_for_its_bound(monkeypatch):
    """With almost no columns the first program's own bound is above the optimum."""
    instance = generate(nodes=20, jobs=80, seed=2, catalogue="server2-11usd", due="tight")
    expected = program(instance, "highs").objective
    monkeypatch.setattr(dual_search, "FIRST", 1)
    result = solved(instance)
    assert result.counts["programs"] > 1
    assert result.objective == pytest.approx(expected, rel=1e-7)
    assert result.bound <= result.objective


@given(rng=st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 2)
def test_a_decision_in_the_models_terms_costs_no_more(rng, random_document, random_decision):
    instance = served(rng, random_document)
    modes = InstanceModes.of(instance)
    before = random_decision(instance, rng)
    found = assignment(modes, before)
    after = check(instance, decision(modes, found))
    assert after.feasible
    assert after.objective <= check(instance, before).objective + 1e-9
    assert assignment(modes, decision(modes, found)).choice.tolist() == found.choice.tolist()


def test_jobs_that_find_no_slot_are_postponed_the_least_useful_first():
    modes = InstanceModes.of(generate(nodes=2, jobs=8, seed=1))
    v = int(modes.model.cuts.of_type[0])
    mode = int(modes.mode[v, 1])
    choice = np.where(np.isfinite(modes.model.gain[mode]), mode, -1)
    kept = fitted(modes, choice, {Pattern(0, v, (1,)): 2}).choice
    supply = 2
    best = np.sort(modes.model.gain[mode][choice >= 0])[:supply]
    assert supply < np.count_nonzero(choice >= 0)
    assert np.sort(modes.model.gain[mode][kept == mode]).tolist() == best.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("index", range(0, len(VARIANTS), 5))
def test_rounded_nodes_are_as_many_as_the_cluster_allows(index):
    modes = InstanceModes.of(variant(index))
    model, dual = modes.model, lagrangian.maximise(modes.model)
    cuts = rounded(modes, dual.flow, dual.multipliers)
    of_class = np.zeros(len(model.sizes))
    for (k, v, slots), nodes in cuts.items():
        assert nodes > 0
        assert sum(slots) <= modes.instance.cluster.gpus_of_type[v]
        of_class[k] += nodes
    assert (of_class <= model.sizes).all()
    assert of_class.sum() == model.nodes if model.exactly else of_class.sum() <= model.nodes


@pytest.mark.parametrize("seed", range(5))
def test_the_knapsack_of_a_node_is_the_best_of_its_partitions(seed):
    model = InstanceModes.of(generate(nodes=3, jobs=9, seed=seed)).model
    value = np.random.default_rng(seed).exponential(1.0, len(model.gain))
    for v, (worth, slots) in model.cuts.most_valuable(value).items():
        row = model.cuts.mode[v]
        size = int(np.count_nonzero(row >= 0))
        best = max(sum(value[row[g]] for g in parts) for parts in partitions(size))
        assert worth == pytest.approx(best)
        assert sum(value[row[g]] for g in slots) == pytest.approx(best)
        assert sum(slots) <= size


@pytest.mark.slow
def test_a_warm_start_is_kept_where_nothing_better_is_found():
    instance = generate(nodes=2, jobs=6, seed=3)
    best = enumeration.best(instance)
    report = Report()
    result = solved(instance, report, warm_start=best)
    cost = check(instance, best).objective
    assert next(e.incumbent for e in report.events if e.incumbent is not None) == cost
    assert result.objective <= cost


def test_without_time_a_warm_start_comes_back():
    instance = generate(nodes=20, jobs=80, seed=1)
    result = solved(instance, Report(time_limit=0.0), warm_start=Solution.empty(80, 20))
    assert result.stop is Stop.TIME_LIMIT
    assert check(instance, result.solution, bound=result.bound).feasible


class Stopping(Report):
    """Asks for the end after so many bounds."""

    bounds = 0

    def publish_bound(self, value):
        self.bounds += 1

    def stop_requested(self):
        return self.bounds >= 2


def test_a_stop_request_ends_the_search_with_what_is_known():
    instance = generate(nodes=100, jobs=1000, seed=1, catalogue="server2-11usd")
    result = solved(instance, Stopping(300.0))
    assert result.stop is Stop.INTERRUPTED
    assert result.bound_source == "lagrangian"
    assert check(instance, result.solution, bound=result.bound).feasible


@pytest.mark.solver
def test_the_same_call_gives_the_same_answer():
    instance = generate(nodes=20, jobs=80, seed=2, catalogue="server2-11usd", due="tight")
    first, second = solved(instance, gap=1e-4), solved(instance, gap=1e-4)
    assert first.solution.same_as(second.solution)
    assert (first.bound, first.counts) == (second.bound, second.counts)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"energy": "first_ending"}, "jahani_dual serves energy proportional, not first_ending"),
        ({"tardiness_at": "next_event"}, "jahani_dual serves tardiness_at completion"),
        ({"open_nodes": "rsjs_eq"}, "jahani_dual serves open_nodes free | jahani_eq, not rsjs_eq"),
    ],
)
def test_other_objectives_are_refused_in_one_line(change, expected):
    instance = generate(nodes=2, jobs=4, seed=1)
    other = with_objective(instance, **change)
    assert DUAL.refusal(instance) is None
    assert DUAL.refusal(other).startswith(expected)
