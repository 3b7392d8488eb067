"""EDF, FIFO, priority, preemptive EDF and greedy on shared nodes and GPUs."""

from dataclasses import replace

import numpy as np
import pytest
from allpairspy import AllPairs

from rsjs.core.call import Call
from rsjs.core.errors import InputError
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.heuristics.dispatching import deterministic, queues
from rsjs.heuristics.dispatching.placement import FITS, FreeCapacity, kinds_by_gpu_type
from rsjs.heuristics.dispatching.pooled_dp import decide as by_dp
from rsjs.heuristics.dispatching.pooled_dp import gpus_of_jobs, pooled_costs
from rsjs.heuristics.dispatching.queues import RULES, JobModes, decide
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.cluster import Cluster, GpuType, NodeGroup, NodeType, ShareLevel
from rsjs.instances.epoch_distribution import EpochDistribution
from rsjs.instances.generators.sts import MIXES, SHARING, generate
from rsjs.instances.solution import Solution
from rsjs.methods import parse
from tests.heuristics.builders import with_shares

NEVER = 1000.0  # a due date no job misses


@pytest.mark.parametrize(
    ("mix", "sharing", "fit", "rule"), [*AllPairs([[*MIXES], [*SHARING], [*FITS], [*RULES]])]
)
def test_decisions_are_feasible_and_running_jobs_stay(mix, sharing, fit, rule):
    for seed in range(2):
        instance = generate(nodes=6, jobs=40, seed=seed, mix=mix, sharing=sharing)
        first = decide(instance, rule, fit=fit)
        assert check(instance, first).feasible
        keep = np.random.default_rng(seed).random(40) < 0.5
        current = Solution.of(
            np.where(keep, first.job_node, -1),
            np.where(keep, first.job_gpus, 0),
            first.node_type,
            np.where(keep, first.job_level, -1),
        )
        then = replace(instance, current=current)
        second = decide(then, rule, fit=fit)
        assert check(then, second).feasible
        if not RULES[rule].preemptive:
            kept = current.job_node >= 0
            for name in ("job_node", "job_gpus", "job_level"):
                assert np.array_equal(getattr(second, name)[kept], getattr(current, name)[kept])
        if RULES[rule].alone:
            assert np.bincount(second.job_node[second.job_node >= 0]).max() == 1


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("edf", [1, 0, 2, 3]),
        ("fifo", [2, 3, 0, 1]),
        ("priority", [3, 1, 2, 0]),
        ("greedy", [2, 1, 0, 3]),
    ],
)
def test_orders(make, rule, expected):
    hours = [{"A": [1]}, {"A": [2]}, {"A": [9]}, {"A": [1]}]
    keys = {"release": [-1, 0, -3, -2], "due": [6, 5, 8, 9], "weight": [1, 3, 2, 4]}
    instance = make({"A1": [1]}, hours, groups=[(4, ["A1"])], **keys)
    node = decide(instance, rule).job_node.tolist()
    assert [node.index(n) for n in range(4)] == expected


def test_the_cheapest_configuration_in_time_then_the_fastest_late_one(make):
    hours = [{"A": [6, 4, 3.5, 3]}] * 2
    instance = make({"A4": [1, 2, 3, 4]}, hours, groups=[(2, ["A4"])], due=[4, 2.5])
    # j1 is late anyhow: the fastest; j0: 4 h x 2 $/h < 3.5 h x 3 $/h
    assert decide(instance, "edf").job_gpus.tolist() == [2, 4]


def test_a_job_takes_what_is_left_rather_than_wait(make):
    instance = make({"A2": [1, 2], "B1": [9]}, [{"A": [4], "B": [4]}] * 4, due=[NEVER] * 4)
    assert decide(instance, "fifo").job_node.tolist() == [0, 0, 1, -1]
    assert decide(instance, "edf_alone").job_node.tolist() == [0, 1, -1, -1]


def test_preemption_takes_the_node_from_a_later_job(make):
    instance = make({"A1": [1]}, [{"A": [4]}] * 2, due=[9, 5])
    instance = replace(instance, current=Solution.of([0, -1], [1, 0], [0]))
    assert decide(instance, "edf").job_node.tolist() == [0, -1]
    assert decide(instance, "pedf").job_node.tolist() == [-1, 0]


def test_a_placement_that_cannot_be_is_named(make):
    instance = make({"A1": [1]}, [{"A": [4]}] * 2, due=[9, 5])
    with pytest.raises(InputError, match=r"/current/node_type/0.*2 GPUs in use"):
        decide(replace(instance, current=Solution.of([0, 0], [1, 1], [0])), "edf")


@pytest.mark.parametrize(("done", "gpus"), [(0.0, 1), (3.0, 1), (6.0, 2)])
def test_mean_epochs_until_they_are_passed_then_the_worst_case(make, done, gpus):
    """E[W] = 5, w_max = 10: with 1 GPU in time for 5 - w epochs, not for 10 - w."""
    instance = make({"A2": [1, 2]}, [{"A": [2, 1.5]}], due=[8.5])
    jobs = replace(
        instance.jobs, epochs_max=np.array([10]), epochs_done=np.array([done]), law=("law",)
    )
    due = {0.0: 10.0, 3.0: 5.0, 6.0: 7.0}[done]
    law = EpochDistribution.of([[2, 5], [8, 5], [10, 0]])
    instance = replace(instance, jobs=replace(jobs, due=np.array([due])), laws={"law": law})
    assert decide(instance, "edf", "mean").job_gpus.tolist() == [gpus]
    assert decide(instance, "edf", "worst_case").job_gpus.tolist() == [2]


def test_deterministic_runs_a_method_as_if_epochs_were_known():
    instance = generate(nodes=10, jobs=40, seed=2)
    for epochs in ("worst_case", "mean"):
        spelling = f"deterministic?epochs={epochs},method=greedy:paper"
        found = parse(spelling)(instance, Call(), Report())
        objective = replace(instance.objective, expectation=epochs)
        inner = parse("greedy:paper")(replace(instance, objective=objective), Call(), Report())
        assert found.solution.same_as(inner.solution)
        assert found.objective == check(instance, found.solution).objective
        assert found.objective != inner.objective
        assert found.events[-1].incumbent == found.objective


def test_a_method_that_refuses_the_instance_is_an_error_in_its_words():
    instance = generate(nodes=6, jobs=20, seed=1)
    told = "enumeration serves up to 10 jobs, not 20"
    assert parse("deterministic?method=enumeration").method.refusal(instance) == told

    def refuse(*given):
        raise InputError("/jobs", 20, "fewer")

    call = Call(options={"method": refuse, "epochs": "worst_case"})
    found = deterministic.run(instance, call, Report())
    assert (found.stop, found.message) == (Stop.ERROR, "/jobs: found 20, expected fewer")


def test_greedy_is_that_of_the_other_module_but_for_idle_gpus():
    """On dedicated GPUs of fixed nodes; `greedy:paper` also gives idle GPUs away."""
    instance = generate(nodes=40, jobs=160, seed=1)
    mine = queues.decide(instance, "greedy")
    other = parse("deterministic?method=greedy:paper")(instance, Call(), Report()).solution
    assert (mine.job_node >= 0).sum() == (other.job_node >= 0).sum()


@pytest.mark.parametrize("due", [99.0, 1.0])
def test_of_equally_fast_types_the_cheaper_one_is_taken(make, due):
    instance = make({"A1": [5], "B1": [1]}, [{"A": [4], "B": [4]}], due=[due])
    assert decide(instance, "edf").job_node.tolist() == [1]


def test_a_node_on_which_a_job_runs_keeps_its_type(make):
    """It would open as the larger A4."""
    types = {"A2": [1, 2], "A4": [1, 2, 3, 4]}
    instance = make(types, [{"A": [4, 3]}, {"A": [4]}], groups=[(1, [*types])], due=[9, 9])
    assert decide(instance, "edf").node_type.tolist() == [1]
    found = decide(replace(instance, current=Solution.of([0, -1], [1, 0], [0])), "edf")
    assert (found.job_node.tolist(), found.node_type.tolist()) == ([0, 0], [0])


def test_shares_packed_more_cleverly_than_first_fit_leave_no_room():
    """20 units a GPU: 14 + 3 + 3 and 12 + 4 + 4 fit on 2, first fit decreasing needs 3."""
    shares = [4, 14, 4, 12, 3, 3]
    levels = tuple(ShareLevel(units=u, max_memory_gb=8) for u in (3, 4, 12, 14))
    cluster = Cluster(
        gpu_types=(GpuType(name="A", memory_gb=16, units=20, levels=levels),),
        node_types=(NodeType(name="A2", gpu_type="A", cost=(0.0, 1.0, 2.0)),),
        groups=(NodeGroup(count=1, types=("A2",)),),
    )
    rooms = FreeCapacity(kinds_by_gpu_type(cluster))
    rooms.occupy(0, 0, 2, shares)
    assert rooms.idle == [0]
    assert rooms.full
    assert [rooms.place(0, *job)[0] for job in ((1, 0), (0, 3))] == [-1, -1]


@pytest.mark.parametrize(
    ("stop", "told"),
    [
        (Stop.OPTIMAL, Stop.ITERATIONS),
        (Stop.GAP, Stop.ITERATIONS),
        (Stop.TIME_LIMIT, Stop.TIME_LIMIT),
    ],
)
def test_what_is_proved_of_the_deterministic_instance_is_not_claimed(stop, told):
    instance = generate(nodes=2, jobs=4, seed=1)
    idle = Solution.empty(4, 2)

    def prove(*given):
        proof = {"bound": 1.0, "bound_source": "solver", "bound_variant": "instance"}
        return SolveResult(stop=stop, solution=idle, objective=1.0, **proof)

    call = Call(options={"method": prove, "epochs": "mean"})
    found = deterministic.run(instance, call, Report())
    assert found.stop is told
    assert (found.bound, found.bound_source, found.bound_variant) == (None, None, None)
    assert found.objective == costs.terms(instance, idle).total


def test_the_first_job_runs_on_the_number_of_gpus_that_costs_least(make):
    """All could wait for nothing; 2 GPUs of the cheap type are faster than any number of A."""
    instance = make({"A1": [9], "B2": [1, 2]}, [{"A": [4], "B": [5, 3]}], due=[99])
    of = JobModes.of(instance, "worst_case")
    assert pooled_costs(of)[0].tolist() == [0, 9, 2]
    assert gpus_of_jobs(of, np.array([0])).tolist() == [2]


def test_the_pooled_program_uses_no_shares(make):
    """Both jobs could wait for nothing: the first one runs, and half a GPU is not for the other."""
    instance = make({"A2": [1, 2]}, [{"A": [4, 3]}] * 2, due=[99, 99])
    shared = with_shares(instance, 2, [(1, 8)], 1.2)
    assert decide(shared, "edf").job_level.tolist() == [0, 0]
    found = by_dp(shared, "pooled")
    assert (found.job_gpus.tolist(), found.job_level.tolist()) == ([1, 0], [-1, -1])
