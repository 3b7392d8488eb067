"""Policies that look at waiting jobs only take the decisions of the methods of their name."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rsjs.core.call import Call
from rsjs.core.errors import InputError
from rsjs.core.method import Method
from rsjs.heuristics.common.stopping import Iterations
from rsjs.heuristics.greedy import randomized_shared
from rsjs.heuristics.greedy.randomized_shared import search_schedules
from rsjs.heuristics.sts import single_job
from rsjs.instances.generators import jahani, sts
from rsjs.methods import parse
from rsjs.simulation.bounds import capacity_free_bound
from rsjs.simulation.engine import simulate
from rsjs.simulation.options import Options
from rsjs.simulation.policies.registry import MAKERS, deciders, maker, method_policy, policy
from rsjs.simulation.policy import Policy, Status
from rsjs.simulation.state import WorkloadData

SPELLINGS = [
    *(f"{name}:{rule}" for name in ("fifo", "edf", "priority") for rule in ("code", "paper")),
    *(f"queue:{rule}" for rule in ("edf", "edf_alone", "fifo", "priority")),
    "queue:edf?epochs=mean",
    "queue:edf?fit=all",
]
JAHANI = jahani.workload(nodes=3, jobs=12, seed=1, gap_seconds=3000)
STS = sts.workload(nodes=3, jobs=12, seed=1, law="high")
PREEMPTIVE = [
    *("queue:pedf", "queue:greedy", "queue:pedf?epochs=mean"),
    *("dp:fastest", "dp:fastest?epochs=mean"),
]


def _as_method(spelling, workload, options):
    return simulate(workload, method_policy(parse(spelling), workload.submitted()), options)


def _steps(outcome):
    return [r._replace(kinds=(), switch=None, nodes={}) for r in outcome.records]


@given(rng=st.randoms(use_true_random=False), spelling=st.sampled_from(SPELLINGS + PREEMPTIVE))
@settings(max_examples=settings().max_examples // 2)
def test_decisions_are_those_of_the_method(rng, spelling, random_workload):
    workload = random_workload(rng, open_nodes=rng.choice(["free", "jahani_eq"]))
    own = simulate(workload, policy(spelling, workload))
    other = _as_method(spelling, workload, Options())
    assert (own.status, own.message) == (other.status, other.message)
    assert _steps(own) == _steps(other)


@pytest.mark.slow
@pytest.mark.parametrize("spelling", SPELLINGS + PREEMPTIVE)
def test_decisions_are_those_of_the_method_on_a_crowded_cluster(spelling):
    for workload in (
        jahani.workload(nodes=2, jobs=20, seed=1, gap_seconds=0.1),
        sts.workload(nodes=2, jobs=16, seed=2, gap_seconds=1000, sharing="paper"),
    ):
        own = simulate(workload, policy(spelling, workload))
        assert own.totals.longest_queue >= (spelling in SPELLINGS) * 2
        changed = own.totals.preemptions + own.totals.moves
        assert (changed > 0) == (spelling in PREEMPTIVE)
        assert _steps(own) == _steps(_as_method(spelling, workload, Options()))


@pytest.mark.slow
@pytest.mark.parametrize(
    "spelling", ["greedy:code", "greedy:paper", "queue:pedf", "queue:greedy", "local_search"]
)
def test_methods_are_policies(spelling):
    workload = sts.workload(nodes=3, jobs=12, seed=1)
    found = simulate(workload, policy(spelling, workload), Options(period=1.0))
    assert (found.status, found.totals.completed) == (Status.COMPLETE, 12)


@pytest.mark.solver
@pytest.mark.parametrize(
    ("spelling", "workload"),
    [
        ("jahani_patterns@highs", JAHANI),
        ("jahani_dual", JAHANI),
        ("rsjs_sifting", STS),
        ("first_ending_patterns@highs", STS),
        ("hierarchical?controllers=2,method=(jahani_literal@highs?printed=overdue)", JAHANI),
    ],
)
def test_exact_methods_decide_again_and_again(spelling, workload):
    found = simulate(workload, policy(spelling, workload), Options(period=1.0))
    assert (found.status, found.message) == (Status.COMPLETE, "")
    assert found.totals.cost >= capacity_free_bound(workload) * (1 - 1e-9)


@pytest.mark.parametrize(
    ("spelling", "begins"), [("jahani_patterns@highs", True), ("local_search", False)]
)
def test_exact_methods_begin_from_the_placement_until_now(spelling, begins, monkeypatch):
    calls = []

    def run(instance, call, report):
        calls.append((instance, call.warm_start))
        return greedy(instance, Call(rule="paper"), report)

    greedy = parse("greedy:paper").method.load()
    monkeypatch.setattr(Method, "load", lambda own: run)
    simulate(JAHANI, policy(spelling, JAHANI))
    assert [start is not None for _, start in calls] == [begins] * len(calls)
    for instance, start in calls if begins else []:
        assert np.array_equal(start.job_node, instance.current.job_node)


@pytest.mark.slow
def test_random_methods_draw_other_numbers_at_each_decision_and_the_same_in_each_run():
    workload = sts.workload(nodes=4, jobs=20, seed=2, law="high")
    spelling = "randomized_greedy:paper?iterations=20"
    found = (simulate(workload, policy(spelling, workload), Options(seed=k)) for k in (1, 1, 2))
    runs = [_steps(one) for one in found]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


@pytest.mark.parametrize(
    ("spelling", "told"),
    [
        ("greedily", "method 'greedily'"),
        ("greedy:quick", "rule of greedy 'quick'"),
        ("jahani_patterns@highs", "serves energy proportional"),
        ("rsjs_bound", "solutions, not bounds only"),
    ],
)
def test_what_cannot_decide_is_refused_before_the_start(spelling, told):
    with pytest.raises(InputError, match=told):
        policy(spelling, sts.workload(nodes=2, jobs=3, seed=1))


def test_a_method_for_few_jobs_serves_as_long_as_there_are_no_more():
    workload = sts.workload(nodes=2, jobs=12, seed=1, gap_seconds=2000)
    request = parse("greedy:code")
    few = replace(request, method=replace(request.method, max_jobs=3))
    found = simulate(workload, method_policy(few, workload.submitted()))
    assert found.status == Status.ERROR
    assert "serves up to 3 jobs, not 4" in found.message
    assert [record.decided for record in found.records] == [True] * 3 + [False]


def test_every_policy_of_a_file_is_a_method():
    assert [parse(name, deciders()).method.name for name in MAKERS] == [*MAKERS]
    assert all(callable(maker(name)) for name in MAKERS)


@pytest.mark.parametrize(("spelling", "ends"), [("edf:paper", 1.25), ("edf:code", 2.0)])
def test_a_job_joins_a_busy_node_unless_nodes_are_for_one(make, spelling, ends):
    workload = make(types={"A2": [1.0, 2.0]}, release=[0, 0.25], due=[9, 9])
    assert simulate(workload, policy(spelling, workload)).completed_at.tolist() == [1.0, ends]


def test_rg_draws_by_the_seed_of_the_decision_and_makes_as_many_schedules_as_asked(monkeypatch):
    workload, asked = sts.workload(nodes=2, jobs=4, seed=1), []

    def spied(of, stop, seed):
        asked.append((stop.iterations_left, seed))
        return search_schedules(of, Iterations(1), seed)

    monkeypatch.setattr(randomized_shared, "search_schedules", spied)
    options = Options(seed=3)
    for most, told in ((7, 7.0), (0, inf)):
        asked.clear()
        spelling = f"randomized_queue?iterations={most}"
        found = simulate(workload, policy(spelling, workload), options)
        decisions = found.totals.decisions
        assert asked == [(told, options.seed_of(n)) for n in range(decisions)]


@pytest.mark.parametrize(("rule", "law"), [("code", "exp"), ("paper", "high")])
def test_greedy_without_prices_decides_as_the_method_does(rule, law):
    workload = sts.workload(nodes=5, jobs=30, seed=3, mix="kma", law=law)
    as_method = method_policy(parse(f"greedy:{rule}"), workload.submitted())
    as_method.prepare()
    one, other = (
        simulate(workload, decides) for decides in (policy(f"greedy:{rule}", workload), as_method)
    )
    assert one.totals == other.totals
    assert np.array_equal(one.completed_at, other.completed_at)
    assert one.totals.completed == 30


def test_steps_of_a_part_are_those_of_its_own_laws():
    workload = sts.workload(nodes=5, jobs=30, seed=4)
    known, looked_at = WorkloadData(workload.submitted()), 0
    inner = policy("queue:greedy", workload)

    def decide(state, memory):
        nonlocal looked_at
        laws = [state.instance.laws[law] for law in state.instance.jobs.law]
        of = known.jobs(state).steps
        own = single_job.steps(laws, np.arange(len(laws)), state.epochs_done)
        assert np.array_equal(of.first, own.first)
        assert np.array_equal(of.done, own.done)
        assert np.array_equal(of.end[of.law, -1], own.end[own.law, -1])
        assert np.array_equal(of.height[of.law, of.first], own.height[own.law, own.first])
        looked_at += len(laws)
        return inner.decide(state, memory)

    simulate(workload, Policy(spelling="watched", decide=decide))
    assert looked_at > 30
