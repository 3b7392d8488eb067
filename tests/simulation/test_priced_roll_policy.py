"""PRICED_ROLL: what jobs cost at prices, what it knows, and what it chooses."""

from dataclasses import replace

import numpy as np
import pytest

from rsjs.heuristics.sts.power_model import JobData
from rsjs.instances.generators import jahani, sts
from rsjs.methods import all_methods, parse
from rsjs.simulation.bounds import capacity_free_bound
from rsjs.simulation.engine import simulate
from rsjs.simulation.policies import roll
from rsjs.simulation.policies.priced_roll import (
    AHEAD,
    BUCKETS,
    HEAVY,
    LIGHT,
    PREMIUM,
    ModeRows,
    bucket_edges,
    evaluated,
    hours_on_all,
    moved_prices,
    nodes_at_power,
    offered_load,
    premium,
    priced_jobs,
)
from rsjs.simulation.policies.registry import deciders, policy
from rsjs.simulation.policy import Status


def at_prices(workload, price, hours=0.25):
    """All jobs of a workload at time 0 at the same price of every GPU."""
    whole = workload.submitted()
    data, nodes = JobData.of(whole), nodes_at_power(whole.cluster)
    rows = ModeRows.of(data.model, nodes)
    jobs = priced_jobs(
        rows, np.arange(len(whole.jobs)), data.steps, whole.jobs.due, whole.jobs.weight
    )
    edges = bucket_edges(hours, float(whole.jobs.due.max()) + 1.0)
    prices = np.zeros((len(whole.cluster.gpu_types), len(nodes.sizes), BUCKETS))
    prices[:, 0] = price
    return evaluated(jobs, nodes, edges, np.zeros(BUCKETS), prices)


def choices(workload):
    """Results of all calls of the policy, with their times."""
    decides, made = policy("priced_roll", workload), []

    def decide(state, memory):
        made.append((state.now, decides.decide(state, memory)))
        return made[-1][1]

    found = simulate(workload, replace(decides, decide=decide))
    assert found.status == Status.COMPLETE
    return found, made


def test_without_prices_a_job_costs_what_its_optimal_profile_does(make):
    """10 or 20 epochs, 1 h and 1 $ or 0.6 h and 1.2 $: 16.4 $, but for buckets of 1/2 h."""
    job = {"due": [15.2], "weight": [100.0], "law": [[10, 1], [20, 1]], "realised": [20]}
    workload = make({"A2": [1.0, 2.0]}, hours=[{"A": [1.0, 0.6]}], **job, family="sts")
    alone = roll.values(workload.submitted(), 1.0).running[0, 0, 1]
    assert alone == pytest.approx(16.4)
    assert 16.4 - 1e-9 <= at_prices(workload, 0.0).job_cost[0] <= 16.4 * 1.03
    assert at_prices(workload, 0.5).job_cost[0] > 16.4 + 0.5 * 12.0


def test_without_prices_jobs_cost_nearly_what_roll_thinks():
    workload = sts.workload(nodes=6, jobs=30, seed=1, gap_seconds=1e-3)
    found, alone = at_prices(workload, 0.0).job_cost, roll.values(workload.submitted(), 1e-9)
    # V* knows profiles in time and single modes only; those late in part are neither
    assert (found <= alone.waiting * 1.05).all()
    assert found.sum() == pytest.approx(alone.waiting.sum(), rel=0.02)


def test_gpus_have_prices_where_jobs_compete_for_them(make):
    for due, dear in (([9.0, 9.0], False), ([1.0, 1.0], True)):
        _, made = choices(make(release=[0.0, 0.0], due=due))
        assert (made[0][1].memory.prices.sum() > 0) == dear


def test_a_single_job_pays_no_prices(make):
    _, made = choices(make())
    assert not made[0][1].memory.prices.any()


def test_gpus_go_where_they_save_most(make):
    for due in ([1.0, 5.0], [5.0, 1.0]):
        found, _ = choices(make(release=[0.0, 0.0], due=due))
        assert found.totals.tardiness == 0
        assert found.completed_at.argmin() == due.index(1.0)


def test_a_job_does_not_wait_for_others_to_share_a_node_with(make):
    """One GPU of a node costs 2 $/h, both 3: 4 $ for the job alone."""
    workload = make({"A2": [2.0, 3.0]}, hours=[{"A": [2.0]}], due=[9.0])
    assert at_prices(workload, 0.0).job_cost == pytest.approx([4.0])
    found, _ = choices(workload)
    assert found.completed_at.tolist() == [2.0]


def test_prices_move_with_time_and_keep_what_they_cost():
    old, prices = np.array([0.0, 1.0, 3.0]), np.array([[[2.0, 4.0]]])
    assert moved_prices(old, prices, old).tolist() == prices.tolist()
    new = np.array([0.5, 2.0, 3.0, 4.0])
    assert moved_prices(old, prices, new)[0, 0] == pytest.approx([10 / 3, 4.0, 0.0])


@pytest.mark.parametrize(("hours", "end"), [(0.5, 40.0), (1.0, 3.0)])
def test_the_first_bucket_is_the_step_and_the_last_one_reaches_the_end(hours, end):
    edges = bucket_edges(hours, end)
    assert edges[:2].tolist() == [0.0, hours]
    assert edges[-1] == pytest.approx(max(end, hours * BUCKETS))
    assert (np.diff(edges) > hours * (1 - 1e-9)).all()


def test_the_offered_load_is_work_by_time(make):
    """Epochs of 1 h on one of 4 GPUs at best: a quarter of an hour of all."""
    workload = make({"A4": [1.0, 2.0, 3.0, 4.0]}, hours=[{"A": [1.0, 0.6]}])
    hours = hours_on_all(JobData.of(workload.submitted()).model, workload.cluster)
    assert hours == pytest.approx([0.25])
    assert offered_load(np.array([0.0, 1.0, 4.0]), np.array([1.0, 2.0, 3.0])) == 1.0
    assert offered_load(np.array([2.0, 2.0]), np.array([1.0, 2.0])) == 0.0


def test_nodes_that_may_take_several_types_count_once(make):
    workload = make({"A1": [1.0], "B1": [1.0]}, [["A1", "B1"]], [{"A": [1.0], "B": [0.5]}])
    hours = hours_on_all(JobData.of(workload.submitted()).model, workload.cluster)
    assert hours == pytest.approx([1 / (0.5 / 1.0 + 0.5 / 0.5)])


def test_gpus_cost_more_later_only_in_overload(make):
    nodes = nodes_at_power(make({"A2": [2.0, 3.0], "B1": [5.0]}).cluster)
    edges = np.array([0.0, AHEAD / 2, AHEAD, 3 * AHEAD])
    for load, part in ((0.0, 0.0), (LIGHT, 0.0), ((LIGHT + HEAVY) / 2, 0.5), (HEAVY, 1), (9.0, 1)):
        most = PREMIUM * part * 2.0
        assert premium(edges, nodes, load) == pytest.approx([0.0, most / 2, most])


def test_extra_prices_are_prices():
    workload = sts.workload(nodes=2, jobs=10, seed=1, gap_seconds=1e-3)
    whole = workload.submitted()
    data, nodes = JobData.of(whole), nodes_at_power(whole.cluster)
    rows, jobs = ModeRows.of(data.model, nodes), whole.jobs
    priced = priced_jobs(rows, np.arange(len(jobs)), data.steps, jobs.due, jobs.weight)
    edges = bucket_edges(0.25, float(jobs.due.max()) + 1.0)
    zero = np.zeros((len(whole.cluster.gpu_types), len(nodes.sizes), BUCKETS))
    extra, prices = np.linspace(0.0, 0.3, BUCKETS), zero.copy()
    prices[:, 0] = extra
    first = evaluated(priced, nodes, edges, extra, zero)
    other = evaluated(priced, nodes, edges, np.zeros(BUCKETS), prices)
    assert first.value == other.value
    assert (zero == 0.0).all()


def test_it_does_not_know_how_long_jobs_run_nor_which_come():
    """Decisions agree until what differs has been seen."""
    workload = sts.workload(nodes=2, jobs=10, seed=3, gap_seconds=3000)
    first, made = choices(workload)
    longer = replace(workload, realised_epochs=np.full(10, 100))
    other, same = choices(longer)
    seen = min(first.completed_at.min(), other.completed_at.min())
    assert agree(made, same, seen)
    assert not agree(made, same, np.inf)
    jobs = workload.jobs
    due, weight = jobs.due.copy(), jobs.weight.copy()
    due[5:] += 50.0
    weight[5:] *= 0.1
    _, same = choices(replace(workload, jobs=replace(jobs, due=due, weight=weight)))
    assert agree(made, same, jobs.release[5])


def agree(one, two, until):
    """Whether decisions before a time are the same, and there are some."""
    first, second = ([item for item in made if item[0] < until] for made in (one, two))
    return (
        len(first) == len(second) > 0
        and all(a[0] == b[0] for a, b in zip(first, second, strict=True))
        and all(
            np.array_equal(a[1].solution.job_node, b[1].solution.job_node)
            and np.array_equal(a[1].solution.job_gpus, b[1].solution.job_gpus)
            for a, b in zip(first, second, strict=True)
        )
    )


@pytest.mark.solver
@pytest.mark.parametrize(
    "workload",
    [
        sts.workload(nodes=1, jobs=8, seed=2, gap_seconds=100, sharing="paper"),
        jahani.workload(nodes=2, jobs=16, seed=1, gap_seconds=0.1),
        sts.workload(nodes=2, jobs=10, seed=1, mix="kma", law="high"),
    ],
    ids=["shares", "jahani", "kma"],
)
def test_crowded_workloads_are_served_the_same_way_each_time(workload):
    first, second = (simulate(workload, policy("priced_roll", workload)) for _ in range(2))
    assert (first.status, first.message) == (Status.COMPLETE, "")
    assert first.totals == second.totals
    assert first.totals.longest_queue > 0


@pytest.mark.solver
@pytest.mark.parametrize(("gap", "most"), [(50_000, 1.01), (5500, 0.85)])
def test_it_costs_less_than_the_others_in_overload_and_hardly_more_elsewhere(gap, most):
    workload = sts.workload(nodes=6, jobs=50, seed=2, gap_seconds=gap)
    spellings = ("priced_roll", "roll", "queue:pedf", "sts:fallback")
    own, *rest = (simulate(workload, policy(one, workload)).totals.cost for one in spellings)
    assert capacity_free_bound(workload) <= own <= most * min(rest)


def test_a_decision_that_takes_too_long_ends_the_run(monkeypatch, make):
    def late(*_):
        raise TimeoutError("HiGHS: Time limit reached, no choice within 0.5 s")

    monkeypatch.setattr("rsjs.simulation.policies.roll.choose", late)
    found = simulate(make(), policy("priced_roll", make()))
    assert found.status == Status.ERROR
    assert "no choice within 0.5 s" in found.message


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_no_cluster_idles_while_jobs_wait(make, weight):
    """The law has steps between the points of the grid, where running on seems to cost more."""
    job = {"law": [[1, 9], [7, 2], [9, 1]], "realised": [7, 7], "weight": [weight] * 2}
    workload = make(release=[0.0, 0.0], due=[600.0, 600.0], hours=[{"A": [2.0]}] * 2, **job)
    found = simulate(workload, policy("priced_roll", workload))
    assert found.status == Status.COMPLETE
    assert found.totals.cost == pytest.approx(
        simulate(workload, policy("queue:edf", workload)).totals.cost
    )


def test_jobs_much_shorter_than_a_step_are_run(make):
    """A step is then more points of the grid than an integer holds."""
    workload = make(due=[600.0], hours=[{"A": [1e-300]}])
    assert simulate(workload, policy("priced_roll", workload)).status == Status.COMPLETE


def test_it_is_spelled_as_a_policy_only():
    assert parse("priced_roll", deciders()).spelling == "priced_roll"
    assert "priced_roll" not in all_methods()
