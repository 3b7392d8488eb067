"""What moving one job costs, against the cost of the whole decision."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rsjs.formulations.rsjs.aggregated.columns import ModeCosts, column_types_of
from rsjs.formulations.rsjs.aggregated.local_search import NodeLoads, improve, insert_postponed
from rsjs.instances.check import check
from rsjs.instances.costs import cost_tables, terms
from rsjs.instances.generators import kiros, sts
from rsjs.instances.solution import Solution
from tests.formulations.agreement import served


def loads_of(instance, decision):
    types = column_types_of(instance.cluster)
    return NodeLoads(instance, types, ModeCosts.of(instance, types)).load(decision)


def total(instance, loads):
    return terms(instance, loads.solution()).total


def insert_cheapest(loads, j):
    cost = loads.insertions(j)
    row, which = np.unravel_index(int(np.argmin(cost)), cost.shape)
    loads.insert(j, int(row), int(which))
    return float(cost[row, which])


@given(st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 2)
def test_a_move_changes_the_cost_by_what_is_said(random_document, random_decision, rng):
    instance = served(random_document, rng, open_nodes="free")
    loads = loads_of(instance, random_decision(instance, rng))
    postponement = cost_tables(instance).postponement
    cost = total(instance, loads)
    for _ in range(12):
        j = rng.randrange(len(instance.jobs))
        if loads.node[j] >= 0:
            saved, row, which = loads.remove(j)
            after = cost - saved + postponement[j]
            if rng.random() < 0.5:
                loads.insert(j, row, which)
                after = cost
        else:
            options = np.argwhere(np.isfinite(loads.insertions(j)))
            if not len(options):
                continue
            row, which = options[rng.randrange(len(options))].tolist()
            after = cost - postponement[j] + loads.insertions(j)[row, which]
            loads.insert(j, row, which)
        assert check(instance, loads.solution()).feasible
        cost = total(instance, loads)
        assert cost == pytest.approx(after, rel=1e-9, abs=1e-9 * (1 + postponement.sum()))


def cheapest_by_hand(instance, decision, j):
    """Least cost of the decision with postponed job j run somewhere, every way tried; or inf."""
    cluster, best = instance.cluster, np.inf
    busy = set(decision.job_node[decision.job_node >= 0].tolist())
    for n in range(cluster.nodes):
        allowed = np.flatnonzero(cluster.allowed[n]).tolist()
        for v in [int(decision.node_type[n])] if n in busy else allowed:
            gpu = cluster.gpu_types[cluster.gpu_of_type[v]]
            whole = [(k, -1) for k in range(1, cluster.node_types[v].gpus + 1)]
            for gpus, level in whole + [(0, level) for level in range(len(gpu.levels))]:
                arrays = {name: np.array(value) for name, value in vars(decision).items()}
                arrays["job_node"][j], arrays["node_type"][n] = n, v
                arrays["job_gpus"][j], arrays["job_level"][j] = gpus, level
                verdict = check(instance, Solution(**arrays))
                if verdict.feasible:
                    best = min(best, verdict.objective)
    return best


@given(st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 2)
def test_no_insertion_is_forgotten_and_none_invented(random_document, random_decision, rng):
    instance = served(random_document, rng, open_nodes="free")
    loads = loads_of(instance, random_decision(instance, rng))
    decision = loads.solution()
    for j in np.flatnonzero(decision.job_node < 0).tolist():
        cost = terms(instance, decision).total - cost_tables(instance).postponement[j]
        least = cost + loads.insertions(j).min()
        assert least == pytest.approx(cheapest_by_hand(instance, decision, j), rel=1e-9, abs=1e-9)


def test_gpus_that_a_node_lacks_are_never_cheap():
    """Times so short that any finite price of missing GPUs would be paid."""
    instance = sts.generate(nodes=2, jobs=12, seed=1, mix="km", samples=1)
    loads = loads_of(instance, Solution.empty(12, 2))
    loads.mode_costs.hours[loads.mode_costs.hours > 0] = 1e-200
    loads = NodeLoads(instance, loads.types, loads.mode_costs)
    placed = 0
    for j in range(12):
        if np.isfinite(loads.insertions(j)).any():
            insert_cheapest(loads, j)
            placed += 1
        assert check(instance, loads.solution()).feasible
    assert placed < 12


@pytest.mark.parametrize(
    "instance",
    [
        sts.generate(nodes=6, jobs=24, seed=1, mix="kma", sharing="paper"),
        kiros.generate(nodes=6, jobs=24, seed=1),
    ],
    ids=["sts", "kiros"],
)
def test_improving_ends_where_no_single_move_pays(instance):
    loads = loads_of(instance, Solution.empty(24, 6))
    assert insert_postponed(loads, open_nodes=True, stop=lambda: False)
    first = total(instance, loads)
    improve(loads, open_nodes=True, stop=lambda: False)
    last = total(instance, loads)
    assert last <= first
    for j in np.flatnonzero(loads.node >= 0).tolist():
        saved, row, which = loads.remove(j)
        assert loads.insertions(j).min() >= saved - 2e-9 * max(1.0, saved)
        assert cost_tables(instance).postponement[j] >= saved - 2e-9 * max(1.0, saved)
        loads.insert(j, row, which)
    assert total(instance, loads) == pytest.approx(last)


def test_without_open_nodes_the_busy_nodes_stay():
    loads = loads_of(sts.generate(nodes=8, jobs=8, seed=1, mix="km"), Solution.empty(8, 8))
    for j in range(3):
        insert_cheapest(loads, j)
    busy = set(loads.node[loads.node >= 0].tolist())
    improve(loads, open_nodes=False, stop=lambda: False)
    assert set(loads.node[loads.node >= 0].tolist()) == busy


def test_asked_to_stop_nothing_moves():
    loads = loads_of(sts.generate(nodes=4, jobs=8, seed=1), Solution.empty(8, 4))
    improve(loads, open_nodes=True, stop=lambda: True)
    assert (loads.node < 0).all()


@given(st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 2)
def test_a_loaded_decision_never_costs_more_than_it_did(random_document, random_decision, rng):
    instance = served(random_document, rng, open_nodes="jahani_eq")
    decision = random_decision(instance, rng)
    loaded = loads_of(instance, decision).solution()
    assert check(instance, loaded).feasible
    assert terms(instance, loaded).total <= terms(instance, decision).total * (1 + 1e-12)
    np.testing.assert_array_equal(loaded.job_node, decision.job_node)
