"""STS over time: jobs change their speed at T_j, k_0 never falls, and the paper's ratios."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from rsjs.heuristics.sts import sts as heuristic
from rsjs.instances.generators import jahani, sts
from rsjs.simulation.bounds import capacity_free_bound
from rsjs.simulation.engine import simulate
from rsjs.simulation.outcome import Kind
from rsjs.simulation.policies.registry import policy
from rsjs.simulation.policies.sts import Memory
from rsjs.simulation.policy import Policy, Status

MINUTE = 1 / 60


def two_speeds(make, realised):
    """An hour and 1 $ for an epoch, or 0.6 h and 1.2 $; 10 or 20 epochs, 15.2 h: 8 of them slow."""
    job = {"due": [15.2], "law": [[10, 1], [20, 1]], "realised": [realised]}
    return make({"A2": [1.0, 2.0]}, hours=[{"A": [1.0, 0.6]}], **job, family="sts")


@pytest.mark.parametrize(("realised", "end", "energy"), [(20, 15.2, 22.4), (10, 9.2, 10.4)])
def test_a_job_changes_its_speed_when_the_profile_does(monkeypatch, make, realised, end, energy):
    rule = replace(heuristic.RULES["fallback"], margin=False)
    monkeypatch.setitem(heuristic.RULES, "fallback", rule)
    workload = two_speeds(make, realised)
    found = simulate(workload, policy("sts:fallback", workload))
    switch = found.records[1]
    assert switch.time == pytest.approx(8.0)
    assert (switch.kinds, switch.switch) == ((Kind.SWITCH,), "j0")
    assert found.records[-2].in_use == [2]
    # by rounding it may go on slowly for the least time between decisions
    assert end - 1e-9 <= found.completed_at[0] <= end + 0.4 * MINUTE + 1e-9
    assert found.totals.energy == pytest.approx(energy, abs=0.2 * MINUTE)


@pytest.mark.parametrize("spacing", [1, 30])
def test_with_the_margin_jobs_are_in_time(make, spacing):
    workload = two_speeds(make, 20)
    found = simulate(workload, policy(f"sts:fallback?spacing={spacing}", workload))
    end = found.completed_at[0]
    assert 15.2 - spacing * MINUTE - 1e-9 <= end <= 15.2 - 0.6 * spacing * MINUTE + 1e-9


def test_literal_gives_the_idle_gpu_away_and_needs_no_change(make):
    workload = two_speeds(make, 20)
    found = simulate(workload, policy("sts", workload))
    assert found.completed_at == pytest.approx([12.0])
    assert found.totals.energy == pytest.approx(24.0)
    assert len(found.records) == 2


def watched(spelling, workload):
    """GPUs that the model chose for each job, by decision; how often k_0 made them more."""
    own, chosen, more = policy(spelling, workload), [], 0

    def decide(state, memory):
        nonlocal more
        choice = own.decide(state, memory)
        wanted = choice.memory.wanted[state.rows]
        chosen.append(dict(zip(state.rows.tolist(), wanted.tolist(), strict=True)))
        free = heuristic.decide(state.instance, floor=np.zeros_like(wanted)).wanted
        more += int((free < wanted).any())
        return choice

    found = simulate(workload, Policy(spelling="watched", decide=decide))
    assert found.status == Status.COMPLETE
    return chosen, more


@pytest.mark.slow
def test_gpus_of_a_job_never_fall_with_literal():
    workload = sts.workload(nodes=2, jobs=20, seed=1, mix="a100", law="exp", gap_seconds=5000)
    chosen, more = watched("sts:literal", workload)
    pairs = [
        (before[row], after[row])
        for before, after in pairwise(chosen)
        for row in before.keys() & after.keys()
    ]
    assert all(before <= after for before, after in pairs)
    assert any(before < after for before, after in pairs)
    assert more > 0


def test_completions_do_not_mix_up_whose_gpus_may_not_fall(make):
    """j1 waits with k_0 = 0 for j0 to end; had it j0's k_0, it could not go slowly."""
    hours = [{"A": [np.inf, 1.0]}, {"A": [1.0, 0.6]}]
    times = {"release": [0.0, 0.5], "due": [1.5, 10.0]}
    workload = make(types={"A2": [1.0, 2.0]}, hours=hours, **times, family="sts")
    chosen, _ = watched("sts:literal", workload)
    assert chosen == [{0: 2}, {0: 2, 1: 0}, {1: 1}]


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["literal", "fallback"])
@pytest.mark.parametrize(
    "workload",
    [
        sts.workload(nodes=4, jobs=25, seed=2, gap_seconds=4000, sharing="paper"),
        jahani.workload(nodes=3, jobs=25, seed=1, gap_seconds=0.1),
    ],
    ids=["shares", "jahani"],
)
def test_crowded_workloads_are_served(rule, workload):
    found = simulate(workload, policy(f"sts:{rule}", workload))
    assert (found.status, found.message) == (Status.COMPLETE, "")
    assert found.totals.longest_queue > 0


@pytest.mark.slow
@pytest.mark.parametrize("law", ["exp", "high"])
def test_the_ratios_of_the_reference_prototype(law):
    """sts-km, N = 10: energy over greedy's .955-.975, cost over the bound up to 1.08."""
    workload = sts.workload(nodes=10, jobs=100, seed=2, law=law)
    bound = capacity_free_bound(workload)
    spellings = ("queue:greedy", "sts:literal", "sts:fallback")
    found = [simulate(workload, policy(spelling, workload)).totals for spelling in spellings]
    greedy, literal, fallback = found
    assert 0.95 <= literal.energy / greedy.energy <= 0.985
    assert 0.95 <= fallback.energy / greedy.energy <= 0.975
    assert bound <= fallback.cost <= 1.08 * bound
    assert fallback.late <= 4


def test_k_0_is_the_model_s_and_one_more_where_t_j_has_come():
    memory = Memory.of(4)
    memory.wanted[:3], memory.change[:3] = [2, 3, 4], [0.5, 0.75, np.inf]
    rows = np.arange(1, 4)  # the first job has ended, the fourth one has just come
    assert memory.floor(rows, 0.75).tolist() == [4, 4, 0]
