"""Controllers with their own nodes and jobs: simulations that do not know of each other."""

from dataclasses import replace

import numpy as np
import pytest

from rsjs.core.errors import InputError
from rsjs.instances.generators import jahani, sts
from rsjs.instances.solution import Solution
from rsjs.methods import parse
from rsjs.simulation.engine import simulate
from rsjs.simulation.options import Options
from rsjs.simulation.policies import registry
from rsjs.simulation.policies.registry import policy
from rsjs.simulation.policy import Choice, Policy, Status


def hierarchical(workload, method, controllers, **options):
    more = "".join(f",{key}={value}" for key, value in options.items())
    spelling = f"hierarchical?method=({method}),controllers={controllers}{more}"
    return simulate(workload, policy(spelling, workload))


def part(workload, k, controllers):
    """Every K-th job on every K-th node."""
    jobs = np.arange(k, len(workload.jobs), controllers)
    return replace(
        workload,
        cluster=workload.cluster.taken(np.arange(k, workload.cluster.nodes, controllers)),
        jobs=workload.jobs.taken(jobs),
        realised_epochs=workload.realised_epochs[jobs],
    )


STS = sts.workload(nodes=6, jobs=18, seed=3, mix="a100", law="high")
JAHANI = jahani.workload(nodes=4, jobs=20, seed=1, gap_seconds=0.1)


@pytest.mark.parametrize(
    ("workload", "method", "controllers"),
    [(STS, "queue:edf", 2), (STS, "sts:fallback", 3), (JAHANI, "greedy:paper", 4)],
)
def test_each_controller_is_a_simulation_of_its_own(workload, method, controllers):
    found = hierarchical(workload, method, controllers)
    assert found.status == Status.COMPLETE
    alone = [part(workload, k, controllers) for k in range(controllers)]
    runs = [simulate(own, policy(method, own)) for own in alone]
    for k, run in enumerate(runs):
        assert found.completed_at[k::controllers] == pytest.approx(run.completed_at)
    assert found.totals.energy == pytest.approx(sum(run.totals.energy for run in runs))
    assert found.totals.tardiness == pytest.approx(sum(run.totals.tardiness for run in runs))
    assert found.totals.moves == sum(run.totals.moves for run in runs)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["sts:literal", "greedy:paper"])
def test_one_controller_is_the_policy_itself(method):
    found, alone = hierarchical(STS, method, 1), simulate(STS, policy(method, STS))
    assert found.totals == alone.totals
    assert found.policy.startswith("hierarchical")


def waiting_cluster(make, hours, due):
    """Two nodes with a GPU, or two, of one type; all jobs come at 0."""
    largest = max(map(len, hours))
    types = {f"A{largest}": [float(k + 1) for k in range(largest)]}
    nodes = [[f"A{largest}"]] * 2
    return make(types=types, nodes=nodes, hours=[{"A": own} for own in hours], due=due)


@pytest.mark.parametrize(
    ("split", "ends"),
    [
        ("round_robin", [3.0, 1.0, 4.0, 2.0]),  # j0, j2 and j1, j3
        ("pressure", [3.0, 1.0, 2.0, 4.0]),  # j1, j2 and j0, j3: least time left j1, j0, j2, j3
    ],
)
def test_jobs_are_dealt_by_the_split(make, split, ends):
    workload = waiting_cluster(make, [[3.0], [1.0], [1.0], [1.0]], [5.0, 1.5, 6.0, 9.0])
    found = hierarchical(workload, "fifo:paper", 2, split=split)
    assert found.completed_at.tolist() == ends


def test_demand_balances_the_gpus_that_jobs_need(make):
    """j0 needs both GPUs of a node; the others, one each, go to the other controller."""
    workload = waiting_cluster(make, [[4.0, 2.0], [2.0, 2.0], [2.0, 2.0]], [2.0, 2.0, 2.0])
    found = hierarchical(workload, "queue:edf", 2, split="demand")
    assert found.completed_at.tolist() == [2.0, 2.0, 2.0]
    assert hierarchical(workload, "queue:edf", 2).totals.tardiness > 0


def test_a_job_goes_where_it_can_run(make):
    types = {"A1": [1.0], "B1": [1.0]}
    hours = [{"B": [1.0]}, {"A": [1.0]}, {"A": [1.0], "B": [1.0]}]
    workload = make(types=types, nodes=[["A1"], ["B1"]], hours=hours)
    assert hierarchical(workload, "fifo:paper", 2).completed_at.tolist() == [1.0, 1.0, 2.0]


def test_at_the_end_of_a_period_all_controllers_are_asked(make):
    workload = waiting_cluster(make, [[3.0], [3.0]], [9.0, 9.0])
    spelling = "hierarchical?method=fifo:paper,controllers=2"
    found = simulate(workload, policy(spelling, workload), Options(period=1.0))
    assert (found.status, found.totals.decisions) == (Status.COMPLETE, 3)


def test_a_controller_whose_jobs_wait_is_not_asked_alone_at_the_end_of_a_period(make, monkeypatch):
    """One controller runs a job, the other one has a job that it postpones."""
    workload = waiting_cluster(make, [[3.0], [1.0]], [9.0, 9.0])
    asked: list[tuple[float, str]] = []

    def spied(_, whole):
        def decide(state, memory):
            name = state.instance.jobs.id[0]
            asked.append((state.now, name))
            runs = name == "j0" or state.now >= 3.0
            return Choice(solution=Solution.of([0], [1], [0]) if runs else Solution.empty(1, 1))

        return Policy(spelling="spied", decide=decide)

    monkeypatch.setattr(registry, "served", spied)
    team = registry.maker("hierarchical")(parse("hierarchical?controllers=2"), workload.submitted())
    assert simulate(workload, team, Options(period=1.0)).message == ""
    assert {name for now, name in asked if now == 1.0} == {"j0", "j1"}


def test_the_first_method_that_serves_the_workload_runs():
    spelling = "hierarchical?method=(jahani_patterns@highs)|greedy:paper,controllers=2"
    found = simulate(STS, policy(spelling, STS))
    assert found.totals == hierarchical(STS, "greedy:paper", 2).totals


def test_what_cannot_be_simulated_is_refused():
    with pytest.raises(InputError, match="serves energy proportional"):
        policy("hierarchical?method=(jahani_patterns@highs)", STS)


@pytest.mark.parametrize("split", ["round_robin", "pressure", "demand"])
def test_a_controller_whose_nodes_no_job_can_use_has_nothing_to_decide(make, split):
    types = {"A1": [1.0], "B1": [9.0]}
    nodes = [["A1"], ["B1"], ["A1"]]
    times = {"release": [0, 0, 1, 1], "due": [3, 3, 9, 9]}
    workload = make(types=types, nodes=nodes, hours=[{"A": [2.0]}] * 4, **times)
    found = hierarchical(workload, "queue:edf", 3, split=split)
    assert (found.status, found.totals.energy) == (Status.COMPLETE, 8.0)


def test_a_controller_sees_its_own_decisions_only(make, monkeypatch):
    """Two nodes, a job on each; all are asked at the end of a period of 1.5 h."""
    workload = make(nodes=[["A1"]] * 2, hours=[{"A": [2.0]}, {"A": [3.5]}], release=[0, 1])
    seen: list[tuple[str, float, int, float, int]] = []

    def spied(_, whole):
        def decide(state, memory):
            name = state.instance.jobs.id[0]
            seen.append((name, state.now, state.number, state.elapsed, state.seed))
            return Choice(solution=Solution.of([0], [1], [0]))

        return Policy(spelling="spied", decide=decide)

    monkeypatch.setattr(registry, "served", spied)
    options = Options(period=1.5, seed=4)
    team = registry.maker("hierarchical")(parse("hierarchical?controllers=2"), workload.submitted())
    found = simulate(workload, team, options)
    assert (found.message, found.totals.energy) == ("", 5.5)
    seeds = [options.seed_of(n) for n in range(4)]
    assert seen == [
        ("j0", 0.0, 0, 0.0, seeds[0]),
        ("j1", 1.0, 0, 0.0, seeds[1] + 1),  # 2.0: the other one has nothing to decide
        ("j1", 3.5, 1, 2.5, seeds[3] + 1),
    ]


def test_controllers_share_the_limit_of_a_decision_and_keep_their_memory(make, monkeypatch):
    told = []

    def decide(state, memory):
        told.append((state.number, state.time_limit, memory))
        nodes, jobs = np.zeros(len(state.rows), dtype=int), np.ones(len(state.rows), dtype=int)
        return Choice(solution=Solution.of(nodes, jobs, [0]), memory=state.number)

    spied = Policy(spelling="spied", decide=decide)
    monkeypatch.setattr(registry, "served", lambda *_: spied)
    hours, release = [{"A": [1.0]}, {"A": [3.0]}, {"A": [1.0]}], [0, 0, 5]
    workload = make(nodes=[["A1"]] * 2, hours=hours, release=release)
    team = registry.maker("hierarchical")(parse("hierarchical?controllers=2"), workload.submitted())
    found = simulate(workload, team, Options(decision_limit=8.0))
    assert found.message == ""
    # both at 0; the first one again at 5, after it had no job when it was asked
    assert told == [(0, 4.0, None), (0, 4.0, None), (1, 8.0, 0)]


def test_the_load_of_a_controller_is_that_of_its_jobs_at_hand(make):
    """While j0 runs, j1 goes to the other controller; j2 comes when both are free again."""
    hours = [{"A": [4.0]}, {"A": [1.0]}, {"A": [1.0]}]
    workload = make(nodes=[["A1"]] * 2, hours=hours, release=[0, 0.5, 4.5])
    found = hierarchical(workload, "queue:edf", 2, split="demand")
    assert found.completed_at.tolist() == [4.0, 1.5, 5.5]
