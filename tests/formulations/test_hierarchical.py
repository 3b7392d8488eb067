"""Hierarchical decomposition: jobs and nodes dealt, parts solved by any method, and their union."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.formulations import enumeration
from rsjs.formulations.controllers import share
from rsjs.formulations.hierarchical import run
from rsjs.formulations.node_cover import cover
from rsjs.formulations.parts import parts, union
from rsjs.formulations.splitting import SPLITS, Division, demand, divide
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.cluster import NodeGroup
from rsjs.instances.documents import to_instance
from rsjs.instances.generators import andreas, jahani, kiros, sts
from rsjs.instances.method import Call, Limits, Report
from rsjs.instances.schema import FAMILIES, Instance
from rsjs.instances.solution import Solution, SolveResult, Stop
from rsjs.methods import all_methods, parse

FAMILY = {
    "jahani": jahani.generate,
    "kiros": kiros.generate,
    "andreas": andreas.generate,
    "sts": sts.generate,
}
GENERATED = {name: partial(make, nodes=5, jobs=9, seed=3) for name, make in FAMILY.items()}
SMALL = {name: partial(make, nodes=3, jobs=5, seed=1) for name, make in FAMILY.items()}
INNER = [  # methods that decide, and by themselves
    name
    for name, method in all_methods().items()
    if method.decides and all(option.kind != "method" for option in method.options.values())
]


def solved(
    instance: Instance,
    method,
    controllers: int = 2,
    split: str = "round_robin",
    report: Report | None = None,
    **limits,
) -> SolveResult:
    """What K controllers find with a method, spelled or a callable."""
    solve = parse(method) if isinstance(method, str) else method
    options = {"method": solve, "controllers": controllers, "split": split}
    call = Call(options=options, limits=Limits(gap=0.0, **limits))
    return run(instance, call, report or Report(60.0))


def assert_checked(instance: Instance, result: SolveResult) -> None:
    """Its decision is feasible and costs what it claims; it claims no bound."""
    verdict = check(instance, result.solution, objective=result.objective)
    assert verdict.feasible, [str(violation) for violation in verdict.violations]
    assert (result.bound, result.bound_source) == (None, None)


def with_due(instance: Instance, due) -> Instance:
    return replace(instance, jobs=replace(instance.jobs, due=np.array(due, dtype=float)))


# how jobs and nodes are dealt


def test_round_robin_deals_in_circular_order():
    division = divide(jahani.generate(nodes=4, jobs=7, seed=1), 3, "round_robin")
    assert division.job.tolist() == [0, 1, 2, 0, 1, 2, 0]
    assert division.node.tolist() == [0, 1, 2, 0]


def test_pressure_deals_the_most_pressing_jobs_first():
    instance = jahani.generate(nodes=2, jobs=5, seed=1)
    fastest = costs.tables(instance).hours.min(axis=(1, 2))
    instance = with_due(instance, fastest - [3, 9, 1, 7, 5])  # pressures 3, 9, 1, 7, 5
    assert divide(instance, 2, "pressure").job.tolist() == [1, 0, 0, 1, 0]


def demanding(gpus: list[int], nodes: int = 2) -> Instance:
    """Jobs that end by their due date on so many GPUs, not on fewer; nodes of up to 4 GPUs."""
    instance = kiros.generate(nodes=nodes, jobs=len(gpus), seed=1, catalogue="azure")
    hours = np.full(instance.jobs.hours_per_epoch.shape, np.inf)
    hours[:, :, 1:5] = 12.0 / np.arange(1, 5)
    due = [12.0 / k for k in gpus]
    jobs = replace(instance.jobs, hours_per_epoch=hours, epochs_max=np.ones(len(gpus), int))
    return with_due(replace(instance, jobs=jobs), due)


def test_demand_balances_the_gpus_that_jobs_need_to_be_in_time():
    instance = demanding([1, 4, 1, 2, 1, 1])
    assert demand(instance).tolist() == [1, 4, 1, 2, 1, 1]
    assert divide(instance, 2, "demand").job.tolist() == [1, 0, 1, 1, 0, 1]
    late = with_due(instance, np.full(6, -1.0))
    assert demand(late).tolist() == [4] * 6  # soonest


def test_demand_gives_a_job_to_a_controller_whose_nodes_run_it():
    instance = jahani.generate(nodes=3, jobs=6, seed=2, catalogue="azure")
    types = {v.gpu_type: v.name for v in instance.cluster.node_types}
    ours, theirs = sorted(types)[:2]
    groups = tuple(NodeGroup(count=1, types=(types[g],)) for g in (ours, theirs, ours))
    gpu = [g.name for g in instance.cluster.gpu_types].index(theirs)
    hours = instance.jobs.hours_per_epoch.copy()
    hours[:, [i for i in range(hours.shape[1]) if i != gpu]] = np.inf
    instance = replace(
        instance,
        cluster=replace(instance.cluster, groups=groups),
        jobs=replace(instance.jobs, hours_per_epoch=hours),
    )
    assert divide(instance, 3, "demand").job.tolist() == [1] * 6
    dealt = parts(instance, divide(instance, 3, "round_robin"))
    assert [part.able.tolist() for part in dealt] == [[], [1, 4], []]
    assert solved(instance, "greedy:paper", 3).counts["jobs_without_node"] == 4


@pytest.mark.parametrize("split", SPLITS)
def test_a_job_that_runs_stays_with_the_controller_of_its_node(split):
    instance = jahani.generate(nodes=3, jobs=6, seed=1)
    current = Solution.of([-1, 2, -1, 0, -1, -1], [0, 1, 0, 1, 0, 0], [0, -1, 0])
    instance = replace(instance, current=current)
    division = divide(instance, 3, split)
    assert division.job[[1, 3]].tolist() == [2, 0]
    if split == "round_robin":
        assert division.job[[0, 2, 4, 5]].tolist() == [0, 1, 2, 0]
    part = parts(instance, division)[2]
    assert part.instance.current.job_node[part.jobs.tolist().index(1)] == 0
    result = solved(instance, "fifo:paper", 3, split)
    assert result.solution.job_node[[1, 3]].tolist() == [2, 0]


@given(st.randoms(use_true_random=False), st.integers(1, 8), st.sampled_from(sorted(SPLITS)))
def test_parts_have_every_job_and_node_once_with_its_times_and_costs(
    random_document, rng, controllers, split
):
    instance = to_instance({**random_document(rng), "current": None})
    dealt = parts(instance, divide(instance, controllers, split))
    for name, size in (("jobs", len(instance.jobs)), ("nodes", instance.cluster.nodes)):
        members = np.concatenate([getattr(part, name) for part in dealt])
        assert sorted(members) == list(range(size))
    whole = costs.tables(instance)
    for part in dealt:
        if part.instance is None:
            continue
        own, cluster = costs.tables(part.instance), part.instance.cluster
        names = np.array(instance.cluster.node_names)
        assert cluster.node_names == tuple(names[part.nodes])
        np.testing.assert_array_equal(cluster.allowed, instance.cluster.allowed[part.nodes])
        for name in ("hours", "tardiness", "shared_hours", "shared_tardiness"):
            theirs = getattr(whole, name)[part.able]
            present = np.isfinite(getattr(own, name))
            np.testing.assert_array_equal(getattr(own, name)[present], theirs[present])
        assert (own.postponement <= whole.postponement[part.able]).all()
        if (cluster.largest_of_gpu == instance.cluster.largest_of_gpu).all():
            np.testing.assert_array_equal(own.postponement, whole.postponement[part.able])


# the union


@pytest.mark.parametrize("family", SMALL)
@pytest.mark.parametrize("name", INNER)
def test_every_method_on_every_family_it_serves(name, family):
    instance = SMALL[family]()
    request = parse(f"hierarchical?method=({name}),controllers=2")
    if request.missing() or request.method.refusal(instance):
        pytest.skip("not served")
    result = solved(instance, name, report=Report(4.0))
    assert result.counts | {"jobs_without_node": 0} == {
        "controllers": 2,
        "fewest_jobs": 2,
        "most_jobs": 3,
        "fewest_nodes": 1,
        "most_nodes": 2,
        "jobs_without_node": 0,
    }
    assert result.bound is None
    assert_checked(instance, result)


@pytest.mark.parametrize("family", SMALL)
@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("method", ["greedy:paper", "edf:code", "enumeration"])
def test_one_controller_decides_what_its_method_decides(method, split, family):
    instance, request = SMALL[family](), parse(method)
    alone = request(instance, Call(), Report())
    result = solved(instance, method, 1, split)
    assert result.solution.same_as(alone.solution)
    assert result.objective == alone.objective
    assert_checked(instance, result)


@given(
    st.randoms(use_true_random=False),
    st.integers(1, 8),
    st.sampled_from(sorted(SPLITS)),
    st.sampled_from(["enumeration", "greedy:paper", "fifo:code"]),
)
def test_unions_are_feasible_for_every_objective_and_never_beat_the_optimum(
    random_document, rng, controllers, split, method
):
    instance = to_instance({**random_document(rng), "current": None})
    if parse(method).method.refusal(instance):
        method = "enumeration"
    result = solved(instance, method, controllers, split)
    assert result.stop is Stop.ITERATIONS
    assert_checked(instance, result)
    best = check(instance, enumeration.best(instance)).objective
    assert result.objective >= best - 1e-9 * abs(best)
    if controllers == 1 and method == "enumeration":
        assert result.objective == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("controllers", [2, 5, 9, 20])
@pytest.mark.parametrize("family", ["jahani", "kiros"])
def test_more_controllers_than_nodes_or_jobs_leave_jobs_and_nodes_alone(family, controllers):
    instance = GENERATED[family]()
    result = solved(instance, "enumeration", controllers)
    assert_checked(instance, result)
    running = int((result.solution.job_node >= 0).sum())
    assert running <= sum(len(range(k, 9, controllers)) for k in range(min(controllers, 5)))
    selected = int((result.solution.node_type >= 0).sum())
    assert selected == 5 if family == "jahani" else selected <= 5


def test_the_cost_is_the_whole_instances_where_a_part_sees_a_smaller_postponement():
    instance = kiros.generate(nodes=2, jobs=6, seed=4, catalogue="azure", due="tight")
    slow, fast = (instance.cluster.node_types[v].name for v in (0, -1))
    groups = tuple(NodeGroup(count=1, types=(name,)) for name in (slow, fast))
    instance = replace(instance, cluster=replace(instance.cluster, groups=groups))
    dealt = parts(instance, divide(instance, 2, "round_robin"))
    whole = costs.tables(instance).postponement
    gaps = [
        whole[part.able] - costs.tables(part.instance).postponement
        for part in dealt
        if part.instance is not None
    ]
    assert max(gap.max() for gap in gaps) > 0
    assert_checked(instance, solved(instance, "enumeration"))


@given(st.randoms(use_true_random=False))
def test_a_decision_is_changed_to_as_many_nodes_with_a_job_as_asked(
    random_document, random_decision, rng
):
    instance = to_instance({**random_document(rng), "current": None})
    kind = rng.choice(["rsjs_eq", "rsjs_eq_feasible"])
    free, asked = (
        replace(instance, objective=replace(instance.objective, open_nodes=name))
        for name in ("free", kind)
    )
    before = random_decision(free, rng)
    node_type = np.where(
        np.isin(np.arange(len(before.node_type)), before.job_node), before.node_type, -1
    )
    before = Solution.of(before.job_node, before.job_gpus, node_type, before.job_level)
    after = cover(asked, before)
    if after is None:
        assert kind == "rsjs_eq"
        assert enumeration.best(asked) is None
    else:
        verdict = check(asked, after)
        assert verdict.feasible, [str(violation) for violation in verdict.violations]


def impossible() -> Instance:
    """Two jobs and two nodes, but no job runs on the second: RS-JS (16) cannot hold."""
    instance = kiros.generate(nodes=2, jobs=2, seed=1, catalogue="azure")
    types = {v.gpu_type: v.name for v in instance.cluster.node_types}
    names = sorted(types)[:2]
    groups = tuple(NodeGroup(count=1, types=(types[gpu],)) for gpu in names)
    hours = instance.jobs.hours_per_epoch.copy()
    hours[:, [g.name for g in instance.cluster.gpu_types].index(names[1])] = np.inf
    return replace(
        instance,
        cluster=replace(instance.cluster, groups=groups),
        jobs=replace(instance.jobs, hours_per_epoch=hours),
        objective=replace(FAMILIES["kiros"], open_nodes="rsjs_eq"),
    )


def test_an_instance_without_a_feasible_decision_is_told():
    result = solved(impossible(), "enumeration")
    assert (result.stop, result.solution) == (Stop.INFEASIBLE, None)


def test_decisions_of_some_parts_postpone_the_jobs_of_the_others():
    instance = jahani.generate(nodes=4, jobs=8, seed=1)
    dealt = parts(instance, Division(2, np.arange(8) % 2, np.arange(4) % 2))
    decisions = [enumeration.best(part.instance) for part in dealt]
    both = union(instance, dealt, decisions)
    first = union(instance, dealt, [decisions[0], None])
    assert (first.job_node[1::2] == -1).all()
    assert (first.node_type[1::2] == -1).all()
    np.testing.assert_array_equal(first.job_node[::2], both.job_node[::2])
    np.testing.assert_array_equal(both.job_node[1::2], 2 * decisions[1].job_node + 1)


# controllers that fail, stop or are stopped


class Scripted:
    """A method that does something else at some calls, counted from 0."""

    def __init__(self, script):
        self.script, self.calls = script, []

    def __call__(self, instance, call, report):
        self.calls.append(call)
        act = self.script.get(len(self.calls) - 1)
        if act is not None:
            return act(instance)
        return parse("greedy:paper")(instance, call, report)


def fail(instance):
    raise ValueError("two\nlines")


def overfill(instance):
    jobs = len(instance.jobs)
    solution = Solution.of([0] * jobs, [1] * jobs, [0] * instance.cluster.nodes)
    return SolveResult(stop=Stop.OPTIMAL, solution=solution, objective=0.0, bound=0.0)


def nothing(instance):
    return SolveResult(stop=Stop.INFEASIBLE)


def late(instance):
    return SolveResult(stop=Stop.TIME_LIMIT)


@pytest.mark.parametrize(
    ("act", "stop", "told"),
    [
        (fail, Stop.ERROR, "controller 2 of 3: ValueError: two lines"),
        (overfill, Stop.ERROR, "controller 2 of 3: its decision fails the check: capacity: "),
        (nothing, Stop.ITERATIONS, "controller 2 of 3: infeasible without a decision"),
        (late, Stop.TIME_LIMIT, "controller 2 of 3: time limit without a decision"),
    ],
)
def test_a_controller_without_a_decision_is_named_and_its_jobs_are_postponed(act, stop, told):
    instance = jahani.generate(nodes=3, jobs=30, seed=1)
    result = solved(instance, Scripted({1: act}), 3)
    assert result.stop is stop
    assert result.message.startswith(told)
    assert "\n" not in result.message
    assert (result.solution.job_node[1::3] == -1).all()
    assert (result.solution.job_node[0::3] >= 0).any()
    assert_checked(instance, result)


def test_nothing_is_claimed_when_every_controller_fails():
    result = solved(jahani.generate(nodes=3, jobs=9, seed=1), Scripted(dict.fromkeys([0, 1], fail)))
    assert (result.stop, result.solution, result.objective) == (Stop.ERROR, None, None)
    assert result.message == "controller 1 of 2: ValueError: two lines (and 1 more)"


class Stopped(Report):
    """Asked to stop once there are some incumbents."""

    def __init__(self, incumbents):
        super().__init__(60.0)
        self.incumbents = incumbents

    def stop_requested(self):
        return len(self.events) >= self.incumbents


def test_an_interrupt_returns_the_union_so_far():
    instance = kiros.generate(nodes=4, jobs=12, seed=1)
    result = solved(instance, "greedy:paper", 4, report=Stopped(2))
    assert result.stop is Stop.INTERRUPTED
    assert_checked(instance, result)
    running = result.solution.job_node >= 0
    assert running[0::4].any()
    assert running[1::4].any()
    assert not running[2::4].any()
    assert not running[3::4].any()


def test_controllers_are_not_begun_when_the_time_is_up():
    method = Scripted({})
    result = solved(kiros.generate(nodes=4, jobs=8, seed=1), method, 4, report=Report(0.0))
    assert (result.stop, result.solution, method.calls) == (Stop.TIME_LIMIT, None, [])


def test_incumbents_are_unions_that_improve_and_the_last_is_the_decision():
    instance = jahani.generate(nodes=8, jobs=40, seed=1)
    report = Report(60.0)
    result = solved(instance, "greedy:paper", 8, report=report)
    incumbents = [event.incumbent for event in report.events]
    assert len(incumbents) == 8
    assert incumbents == sorted(incumbents, reverse=True)
    assert incumbents[-1] == result.objective


def test_each_controller_is_asked_with_its_share_of_the_limits():
    method = Scripted({})
    instance = kiros.generate(nodes=4, jobs=8, seed=1)
    solved(instance, method, 4, seed=7, time_limit=60.0)
    assert [call.limits.seed for call in method.calls] == [7] * 4
    assert method.calls[0].limits.time_limit == pytest.approx(15.0, abs=1.0)
    assert 15.0 < method.calls[1].limits.time_limit < 21.0
    assert method.calls[3].limits.time_limit > 30.0
    assert all(call.warm_start is None for call in method.calls)


@pytest.mark.parametrize(
    ("left", "processes", "seconds"),
    [(4, 1, 15.0), (4, 2, 30.0), (5, 2, 20.0), (1, 2, 60.0), (1000, 1, 1.0)],
)
def test_a_share_counts_the_rounds_that_are_left(left, processes, seconds):
    report = Report(60.0)
    report.remaining = lambda: 60.0
    assert share(Call(), report, left, processes).limits.time_limit == seconds


def test_one_controller_has_all_threads_several_have_one_each():
    instance = kiros.generate(nodes=2, jobs=4, seed=1)
    alone = Scripted({})
    solved(instance, alone, 1, threads=3)
    assert alone.calls[0].limits.threads == 3
    several = Scripted({})
    solved(instance, several, 2, threads=1)
    assert [call.limits.threads for call in several.calls] == [1, 1]


@pytest.mark.parametrize("controllers", [1, 3])
def test_the_loss_against_the_undivided_instance_is_told_with_its_bound(controllers):
    instance = kiros.generate(nodes=6, jobs=30, seed=2, due="tight")
    exact = "first_ending_patterns@highs"
    report, call = Report(60.0), Call(limits=Limits(gap=0.0))
    spelling = f"hierarchical?method={exact},controllers={controllers},undivided={exact}"
    result = parse(spelling)(instance, call, report)
    best = parse(exact)(instance, call, Report(60.0))
    assert result.bound == pytest.approx(best.objective, rel=1e-6)
    assert result.bound_variant == "instance"
    assert result.objective >= best.objective - 1e-9
    assert f"against {best.objective:.6g} $ undivided" in result.message
    assert report.events[-1].bound == result.bound
    assert all(e.incumbent is None or e.incumbent >= result.objective for e in report.events)
    if controllers == 1:
        assert result.objective == pytest.approx(best.objective)
