"""STS: every decision feasible, k_0 and T_j as stated, and what each rule does by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.heuristics import sts, sts_choices
from rsjs.heuristics.compiled import AVAILABLE
from rsjs.heuristics.power_model import PowerModel
from rsjs.heuristics.sts_postprocessing import on_their_nodes
from rsjs.instances.check import check
from rsjs.instances.epochs import Law
from rsjs.instances.generators.sts import generate
from rsjs.instances.method import Call, Report
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution
from rsjs.methods import parse

Make = Callable[..., Instance]
MIXES = ("km", "a100", "kma")
SHARING = ("none", "paper", "contention")


def later(instance: Instance, decision: Solution, seed: int) -> Instance:
    """The same some hours later: jobs that ran have done epochs, all have less time."""
    rng = np.random.default_rng(seed)
    jobs = instance.jobs
    last = np.array([instance.laws[law].last for law in jobs.law])
    done = jobs.epochs_done + np.where(
        decision.job_node >= 0, rng.uniform(0, 0.9, len(jobs)) * (last - jobs.epochs_done), 0.0
    )
    hours = float(rng.uniform(0, 20))
    return replace(
        instance,
        now=instance.now + hours,
        jobs=replace(jobs, epochs_done=done),
        current=decision,
    )


@pytest.mark.parametrize("rule", sts.RULES)
@pytest.mark.parametrize("sharing", SHARING)
@pytest.mark.parametrize("mix", MIXES)
def test_decisions_are_feasible_one_after_another(mix: str, sharing: str, rule: str) -> None:
    for seed in range(4):
        instance = generate(
            nodes=5, jobs=12 + 8 * seed, seed=seed, mix=mix, sharing=sharing, speedup="p0.5"
        )
        for event in range(4):
            decision = sts.decide(instance, rule)
            verdict = check(instance, decision.solution)
            assert verdict.feasible, verdict.violations
            runs = decision.solution.job_node >= 0
            assert (decision.change[runs] >= 1 / 60).all()
            assert np.isinf(decision.change[~runs]).all()
            instance = later(instance, decision.solution, 10 * seed + event)


@given(
    seed=st.integers(0, 10**6),
    mix=st.sampled_from(MIXES),
    sharing=st.sampled_from(SHARING),
    jobs=st.integers(1, 40),
)
def test_literal_never_takes_gpus_away_from_a_running_job(
    seed: int, mix: str, sharing: str, jobs: int
) -> None:
    instance = generate(nodes=6, jobs=jobs, seed=seed, mix=mix, sharing=sharing)
    floor = np.random.default_rng(seed).integers(0, 9, jobs)
    decision = sts.decide(instance, "literal", floor=floor)
    model, solution = PowerModel.of(instance), decision.solution
    for j in np.flatnonzero(solution.job_node >= 0).tolist():
        gpu = instance.cluster.gpu_of_type[solution.node_type[solution.job_node[j]]]
        most = int(np.flatnonzero(np.isfinite(model.rate[j, gpu]))[-1])
        assert decision.wanted[j] >= min(floor[j], most)
        assert solution.job_gpus[j] >= decision.wanted[j]
    waits = solution.job_node < 0
    assert (decision.wanted[waits] == floor[waits]).all()


def one_job(make: Make, due: float, law: Law, **changes: object) -> Instance:
    """s = 1, 1.8, 2.4, 2.8 epochs/h on one node of 4 GPUs at 1 $/h each."""
    hours = [1.0, 1 / 1.8, 1 / 2.4, 1 / 2.8]
    instance = make(
        types={"A4": [1, 2, 3, 4]}, groups=[(1, ["A4"])], hours=[{"A": hours}], due=[due]
    )
    jobs = replace(instance.jobs, epochs_max=np.array([100]), law=("law",), **changes)
    return replace(instance, jobs=jobs, laws={"law": law})


ATOM = Law.of([[10, 1], [100, 4]])


def test_the_first_configuration_of_the_profile_is_taken(make: Make) -> None:
    decision = sts.decide(one_job(make, 60.0, ATOM), "fallback", spacing=0.0)
    assert decision.solution.job_gpus.tolist() == [1]
    assert decision.change == pytest.approx([10.0])  # 10 epochs at speed 1, then 90 at 1.8


def test_the_margin_of_fallback_is_the_spacing(make: Make) -> None:
    margin = sts.decide(one_job(make, 60.0, ATOM), "fallback", spacing=0.5)
    assert margin.change == pytest.approx(
        sts.decide(one_job(make, 59.5, ATOM), "fallback", spacing=0.0).change
    )


def test_idle_gpus_are_given_and_t_j_is_that_of_the_gpus_given(make: Make) -> None:
    literal = sts.decide(one_job(make, 60.0, ATOM), "literal", spacing=0.0)
    assert literal.solution.job_gpus.tolist() == [4]
    assert literal.wanted.tolist() == [1]
    assert literal.change.tolist() == [np.inf]  # nothing is faster


def test_t_j_of_gpus_that_are_no_vertex_is_the_last_moment(make: Make) -> None:
    """On 2 GPUs, dearer per epoch than 3: the hull from k_0 = 2 on begins at 3."""
    instance = make(
        types={"A3": [1, 2, 2.1]},
        groups=[(1, ["A3"])],
        hours=[{"A": [1.0, 0.6, 0.5]}],
        due=[54.0],
    )
    jobs = replace(instance.jobs, epochs_max=np.array([100]))
    of = sts_choices.choices(replace(instance, jobs=jobs), np.array([0]), margin=0.0)
    from rsjs.heuristics.first_fit import Placed
    from rsjs.heuristics.sts_changes import hours_until_change

    change = hours_until_change(of, Placed([0], [0], [2], [-1]), 0.0)
    # t hours at 1 / 0.6, then the fastest: t / 0.6 + (54 - t) / 0.5 = 100, so 24 h and 30 h
    assert change == pytest.approx([24.0])


def test_a_job_alone_is_in_time_after_a_few_decisions(make: Make) -> None:
    """Zeno's events: decisions at T_j, until all epochs are done, number at most K."""
    for rule in sts.RULES:
        for due in (36.0, 40.0, 55.0, 80.0):
            instance = one_job(make, due, Law.of([[w, 1] for w in range(1, 101)]))
            floor, decisions = np.zeros(1, dtype=np.int64), 0
            done = 0.0
            while done < 100 - 1e-9:
                decision = sts.decide(instance, rule, floor=floor, spacing=0.01)
                decisions += 1
                rate = instance.jobs.hours_per_epoch[0, 0, decision.solution.job_gpus[0]]
                hours = min(float(decision.change[0]), (100 - done) * rate)
                done += hours / rate
                floor = decision.floor(hours)
                instance = replace(
                    instance,
                    now=instance.now + hours,
                    jobs=replace(instance.jobs, epochs_done=np.array([min(done, 99.999999)])),
                )
            assert instance.now <= due + 1e-6, (rule, due)
            assert decisions <= 4 + (rule == "fallback"), (rule, due)


def test_k_0_is_one_more_gpu_where_t_j_has_come() -> None:
    decision = sts.Decision(
        solution=Solution.empty(3, 1),
        change=np.array([2.0, 5.0, np.inf]),
        wanted=np.array([1, 2, 3]),
    )
    assert decision.floor(2.0).tolist() == [2, 2, 3]
    assert decision.floor(1.9).tolist() == [1, 2, 3]


def test_types_on_which_the_due_date_can_be_met_come_first(make: Make) -> None:
    instance = make(
        types={"A2": [1, 2], "B1": [50], "C1": [1]},
        groups=[(1, ["A2"]), (1, ["B1"]), (1, ["C1"])],
        hours=[{"A": [9, 6], "B": [4], "C": [7]}],
        due=[5.0],
    )
    of = sts_choices.choices(instance, np.array([0]), margin=0.0)
    stride = of.model.rate.shape[2]
    # B is dear but in time; then the late types, A on 2 GPUs, the fastest, before C
    assert sts_choices.wanted(of)[0].tolist() == [1 * stride + 1, 0 * stride + 2, 2 * stride + 1]


@pytest.mark.parametrize(("rule", "gpus"), [("literal", [4, 0]), ("fallback", [4, 2])])
def test_a_job_that_wants_too_much_waits_or_takes_the_most_there_is(
    make: Make, rule: str, gpus: list[int]
) -> None:
    instance = make(
        types={"A6": [1, 2, 3, 4, 5, 6]},
        groups=[(1, ["A6"])],
        hours=[{"A": [4, 2, 4 / 3, 1]}] * 2,
        due=[0.5, 1.0],
    )
    solution = sts.decide(instance, rule, spacing=0.0).solution
    assert solution.job_gpus.tolist() == gpus


def test_more_pressing_jobs_come_first_late_ones_by_weight(make: Make) -> None:
    instance = make(
        types={"A1": [1]},
        groups=[(1, ["A1"])],
        hours=[{"A": [4]}] * 4,
        due=[9, 3, 2, 5],
        weight=[9, 3, 1, 1],
    )
    of = sts_choices.choices(instance, np.zeros(4, dtype=int), margin=0.0)
    # Delta = -5, 1, 2, -1; times eta where positive: 3, 2
    assert sts_choices.queue(instance, of) == [1, 2, 3, 0]


def test_idle_gpus_go_one_by_one_to_the_job_that_saves_most(make: Make) -> None:
    instance = make(
        types={"A5": [1, 2, 3, 4, 5]},
        groups=[(1, ["A5"])],
        hours=[{"A": [4, 3.5, 3.4, None]}, {"A": [4, 3, 2.7, 2.5]}],
        due=[50, 50],
    )
    solution = sts.decide(instance, "literal").solution
    # savings 0.5 and 1: j1; 0.5 and 0.3: j0; 0.1 and 0.3: j1
    assert solution.job_gpus.tolist() == [2, 3]


def test_jobs_with_the_same_gpus_stay_on_their_nodes() -> None:
    instance = generate(nodes=36, jobs=90, seed=3, mix="kma", sharing="paper")
    decision = sts.decide(instance, "fallback").solution
    cluster, rng = instance.cluster, np.random.default_rng(0)
    target = np.arange(cluster.nodes)
    for c in range(len(cluster.allowed_in_class)):
        nodes = np.flatnonzero(cluster.class_of_node == c)
        target[nodes] = rng.permutation(nodes)
    node_type = np.empty_like(decision.node_type)
    node_type[target] = decision.node_type
    before = Solution.of(
        np.where(decision.job_node >= 0, target[decision.job_node], -1),
        decision.job_gpus,
        node_type,
        decision.job_level,
    )
    assert not before.same_as(decision)
    assert on_their_nodes(replace(instance, current=before), decision).same_as(before)


def test_a_late_job_gets_the_fastest_configuration(make: Make) -> None:
    decision = sts.decide(one_job(make, -3.0, ATOM), "fallback")
    assert decision.solution.job_gpus.tolist() == [4]
    assert decision.change.tolist() == [np.inf]


def test_certified_bounds_are_below_every_decision() -> None:
    for mix, sharing in (("km", "none"), ("kma", "paper")):
        instance = generate(nodes=8, jobs=24, seed=2, mix=mix, sharing=sharing)
        bound = parse("rsjs_bound")(instance, Call(), Report(30.0)).bound
        for rule in sts.RULES:
            value = check(instance, sts.decide(instance, rule).solution).objective
            assert bound is not None
            assert bound <= value


@pytest.mark.skipif(not AVAILABLE, reason="numba is not installed")
@pytest.mark.parametrize("rule", sts.RULES)
def test_both_engines_decide_alike(rule: str) -> None:
    instance = generate(nodes=20, jobs=80, seed=1, mix="kma", sharing="paper")
    one, other = (sts.decide(instance, rule, engine=engine) for engine in ("numpy", "numba"))
    assert one.solution.same_as(other.solution)
    assert np.array_equal(one.change, other.change)
    assert np.array_equal(one.wanted, other.wanted)
