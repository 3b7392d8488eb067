"""STS: every decision feasible, k_0 and T_j as stated, and what each rule does by hand."""

from dataclasses import replace

import numpy as np
import pytest
from allpairspy import AllPairs
from hypothesis import given
from hypothesis import strategies as st

from rsjs.core.call import Call
from rsjs.core.errors import InputError
from rsjs.core.report import Report
from rsjs.heuristics.greedy.arrays import settled
from rsjs.heuristics.sts import sts
from rsjs.heuristics.sts.kernels_sts import DecisionArrays, QueuedJobs, set_changes, solved
from rsjs.heuristics.sts.power_model import JobData, PowerModel
from rsjs.instances.check import check
from rsjs.instances.epoch_distribution import EpochDistribution
from rsjs.instances.generators.sts import generate
from rsjs.instances.solution import Solution
from rsjs.methods import parse

MIXES = ("km", "a100", "kma")
SHARING = ("none", "paper", "contention")


ATOM = EpochDistribution.of([[10, 1], [100, 4]])
SPEEDS = [1.0, 1 / 1.8, 1 / 2.4, 1 / 2.8]  # hours per epoch
RARE = EpochDistribution.of([[10, 9], [100, 1]])


def one_job(make, due, law, hours=SPEEDS):
    """A job of up to 100 epochs on one node; an epoch on 2 GPUs may cost more than on 3."""
    price = [1.0, 2.0, 3.0, 4.0] if len(hours) == 4 else [1.0, 2.0, 2.1]
    instance = make({f"A{len(hours)}": price}, [{"A": hours}], due=[due])
    jobs = replace(instance.jobs, epochs_max=np.array([100]), law=("law",))
    return replace(instance, jobs=jobs, laws={"law": law})


def change_with(instance, gpus):
    """T_j - now of a job if it gets so many GPUs of the first type."""
    (model, steps), jobs = JobData.of(instance), instance.jobs
    none, work = np.zeros(1, dtype=np.int64), steps.end[steps.law, -1] - steps.done
    parts = model.rate, model.power, model.units, jobs.due - instance.now
    queued = settled(QueuedJobs(*parts, jobs.due, jobs.weight, none, none))
    found = solved(model.rate[0, :1].copy(), queued.power, queued.time.copy(), steps, none, none)
    made = DecisionArrays(none, none, none + gpus, none - 1, none, np.empty(1))
    set_changes(queued, settled(steps), work, found, 0.0, made)
    return float(made.change[0])


def later(instance, decision, seed):
    """The same some hours later: jobs that ran have done epochs, all have less time."""
    rng = np.random.default_rng(seed)
    jobs = instance.jobs
    last = np.array([instance.laws[law].last for law in jobs.law])
    done = jobs.epochs_done + np.where(
        decision.job_node >= 0, rng.uniform(0, 0.9, len(jobs)) * (last - jobs.epochs_done), 0.0
    )
    hours = float(rng.uniform(0, 20))
    jobs = replace(jobs, epochs_done=done)
    return replace(instance, now=instance.now + hours, jobs=jobs, current=decision)


@pytest.mark.parametrize(("mix", "sharing", "rule"), [*AllPairs([MIXES, SHARING, [*sts.RULES]])])
def test_decisions_are_feasible_one_after_another(mix, sharing, rule):
    for seed in range(2):
        instance = generate(
            nodes=5, jobs=12 + 16 * seed, seed=seed, mix=mix, sharing=sharing, speedup="p0.5"
        )
        for event in range(4):
            decision = sts.decide(instance, rule)
            verdict = check(instance, decision.solution)
            assert verdict.feasible, verdict.violations
            runs = decision.solution.job_node >= 0
            assert (decision.change[runs] >= 1 / 60).all()
            assert np.isinf(decision.change[~runs]).all()
            instance = later(instance, decision.solution, 10 * seed + event)


@pytest.mark.slow
@given(
    seed=st.integers(0, 10**6),
    mix=st.sampled_from(MIXES),
    sharing=st.sampled_from(SHARING),
    jobs=st.integers(1, 40),
)
def test_literal_never_takes_gpus_away_from_a_running_job(seed, mix, sharing, jobs):
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


def test_the_first_configuration_of_the_profile_is_taken(make):
    decision = sts.decide(one_job(make, 60.0, ATOM), "fallback", spacing=0.0)
    assert decision.solution.job_gpus.tolist() == [1]
    assert decision.change == pytest.approx([10.0])  # 10 epochs at speed 1, then 90 at 1.8


def test_the_margin_of_fallback_is_the_spacing(make):
    margin = sts.decide(one_job(make, 60.0, ATOM), "fallback", spacing=0.5)
    assert margin.change == pytest.approx(
        sts.decide(one_job(make, 59.5, ATOM), "fallback", spacing=0.0).change
    )


def test_idle_gpus_are_given_and_t_j_is_that_of_the_gpus_given(make):
    literal = sts.decide(one_job(make, 60.0, ATOM), "literal", spacing=0.0)
    assert (literal.solution.job_gpus.tolist(), literal.wanted.tolist()) == ([4], [1])
    assert literal.change.tolist() == [np.inf]  # nothing is faster


def test_a_job_alone_is_in_time_after_a_few_decisions(make):
    """Zeno's events: decisions at T_j, until all epochs are done, number at most K."""
    for rule in sts.RULES:
        for due in (36.0, 40.0, 55.0, 80.0):
            instance = one_job(make, due, EpochDistribution.of([[w, 1] for w in range(1, 101)]))
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


def test_k_0_is_one_more_gpu_where_t_j_has_come():
    decision = sts.StsDecision(
        solution=Solution.empty(3, 1),
        change=np.array([2.0, 5.0, np.inf]),
        wanted=np.array([1, 2, 3]),
    )
    assert decision.floor(2.0).tolist() == [2, 2, 3]
    assert decision.floor(1.9).tolist() == [1, 2, 3]


def test_types_on_which_the_due_date_can_be_met_come_first(make):
    types = {"A2": [1, 2], "B1": [50], "C1": [1]}
    instance = make(types, [{"A": [9, 6], "B": [4], "C": [7]}] * 3, due=[5.0] * 3)
    solution = sts.decide(instance).solution
    # B is expensive but in time; then the late types, A on 2 GPUs, the fastest, before C
    assert solution.job_node.tolist() == [1, 0, 2]
    assert solution.job_gpus.tolist() == [1, 2, 1]


@pytest.mark.parametrize(("rule", "gpus"), [("literal", [4, 0]), ("fallback", [4, 2])])
def test_a_job_that_wants_too_much_waits_or_takes_the_most_there_is(make, rule, gpus):
    instance = make({"A6": [1, 2, 3, 4, 5, 6]}, [{"A": [4, 2, 4 / 3, 1]}] * 2, due=[0.5, 1.0])
    assert sts.decide(instance, rule, spacing=0.0).solution.job_gpus.tolist() == gpus


def test_more_pressing_jobs_come_first_late_ones_by_weight(make):
    jobs = {"hours": [{"A": [4]}] * 4, "due": [9, 3, 2, 5], "weight": [9, 3, 1, 1]}
    instance = make({"A1": [1]}, groups=[(4, ["A1"])], **jobs)
    # Delta = -5, 1, 2, -1; times eta where positive: 3, 2; nodes open one after the other
    assert sts.decide(instance).solution.job_node.tolist() == [3, 0, 1, 2]


def test_idle_gpus_go_one_by_one_to_the_job_that_saves_most(make):
    hours = [{"A": [4, 3.5, 3.4, None]}, {"A": [4, 3, 2.7, 2.5]}]
    instance = make({"A5": [1, 2, 3, 4, 5]}, hours, due=[50, 50])
    solution = sts.decide(instance, "literal").solution
    # savings 0.5 and 1: j1; 0.5 and 0.3: j0; 0.1 and 0.3: j1
    assert solution.job_gpus.tolist() == [2, 3]


def test_a_late_job_gets_the_fastest_configuration(make):
    decision = sts.decide(one_job(make, -3.0, ATOM), "fallback")
    assert decision.solution.job_gpus.tolist() == [4]
    assert decision.change.tolist() == [np.inf]


@pytest.mark.solver
def test_certified_bounds_are_below_every_decision():
    for mix, sharing in (("km", "none"), ("kma", "paper")):
        instance = generate(nodes=4, jobs=12, seed=2, mix=mix, sharing=sharing)
        bound = parse("rsjs_bound")(instance, Call(), Report()).bound
        for rule in sts.RULES:
            value = check(instance, sts.decide(instance, rule).solution).objective
            assert bound is not None
            assert bound <= value


def test_types_in_time_come_by_energy_whether_the_due_date_is_tight_or_not(make):
    instance = make({"A2": [5, 10], "B1": [1]}, [{"A": [7, 4], "B": [4.5]}], due=[5.0])
    assert sts.decide(instance, "fallback", spacing=0.0).solution.job_node == [1]


def test_k_0_is_clipped_on_each_type_by_itself(make):
    hours = [{"A": [4, 3, 2.5, 2.4], "B": [4, 3]}]
    instance = make({"A4": [9, 18, 27, 36], "B2": [1, 2]}, hours, due=[99.0])
    decision = sts.decide(instance, floor=np.array([3]))
    assert (decision.solution.job_node[0], decision.wanted[0]) == (1, 2)


def test_gpus_that_are_a_vertex_have_the_t_j_of_the_model_solved_again(make):
    """On 1 GPU for 10 epochs; given 2, on these to epoch 60, then 3 to the end: 50 h."""
    instance = one_job(make, 50.0, RARE)
    assert sts.decide(instance, "fallback", spacing=0.0).wanted.tolist() == [1]
    assert change_with(instance, 1) == pytest.approx(10.0)
    assert change_with(instance, 2) == pytest.approx(60 / 1.8)


def test_a_job_late_on_gpus_that_are_no_vertex_has_no_t_j(make):
    instance = one_job(make, 49.0, EpochDistribution.of([[100, 1]]), [1.0, 0.6, 0.5])
    assert change_with(instance, 2) == np.inf  # 50 h at the fastest
    in_time = one_job(make, 54.0, EpochDistribution.of([[100, 1]]), [1.0, 0.6, 0.5])
    assert change_with(in_time, 2) == pytest.approx(24.0)


def test_of_configurations_with_fewer_gpus_none_is_waited_for(make):
    """1 GPU is the fastest: on 2, the job can go on only as long as 3 are in time."""
    instance = one_job(make, 54.0, EpochDistribution.of([[100, 1]]), [0.4, 0.6, 0.5])
    assert change_with(instance, 2) == pytest.approx(24.0)


def test_a_late_job_on_fewer_gpus_than_it_wants_has_no_t_j(make):
    instance = make({"A3": [1, 2, 2.1]}, [{"A": [1.0]}, {"A": [1.0, 0.6, 0.5]}], due=[-9.0, 0.4])
    decision = sts.decide(instance, "fallback", spacing=0.0)
    assert decision.solution.job_gpus.tolist() == [1, 2]
    assert decision.change.tolist() == [np.inf, np.inf]


@pytest.mark.parametrize(("rule", "least"), [("literal", 3), ("fallback", 1)])
def test_k_0_is_that_of_the_jobs_that_run_and_holds_in_literal_only(make, rule, least):
    instance = replace(one_job(make, 60.0, ATOM), current=Solution.of([0], [3], [0]))
    assert sts.decide(instance, rule).wanted.tolist() == [least]
    told = sts.decide(instance, rule, floor=np.array([2]))
    assert told.wanted.tolist() == [min(least, 2)]


@pytest.mark.parametrize(("spacing", "gpus"), [("30", 1), ("1500", 4)])
def test_the_option_is_in_minutes(make, spacing, gpus):
    """With half an hour less 1 GPU is right, with 25 h less all are late."""
    method = parse(f"sts:fallback?spacing={spacing}")
    found = method(one_job(make, 60.0, ATOM), Call(), Report())
    assert found.solution.job_gpus.tolist() == [gpus]


def test_decisions_must_be_some_time_apart():
    with pytest.raises(InputError, match=r"spacing.*0\.001"):
        parse("sts:fallback?spacing=0")
    assert parse("sts:fallback?spacing=0.001").options["spacing"] == 0.001


def test_t_j_has_come_but_for_rounding():
    change, wanted = np.array([2.0, 2.1]), np.array([1, 1])
    decision = sts.StsDecision(solution=Solution.empty(2, 1), change=change, wanted=wanted)
    assert decision.floor(2.0 * (1 - 1e-12)).tolist() == [2, 1]
