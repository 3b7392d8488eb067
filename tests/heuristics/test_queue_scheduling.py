"""EDF, FIFO, priority, preemptive EDF and greedy on shared nodes and GPUs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from rsjs.heuristics import deterministic, queue_scheduling
from rsjs.heuristics.queue_scheduling import RULES, decide
from rsjs.heuristics.rooms import FITS
from rsjs.instances.check import check
from rsjs.instances.epochs import Law
from rsjs.instances.errors import InputError
from rsjs.instances.generators.sts import SHARING, generate
from rsjs.instances.generators.sts_nodes import MIXES
from rsjs.instances.method import Call, Report
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution, SolveResult, Stop
from rsjs.methods import parse

Make = Callable[..., Instance]
NEVER = 1000.0  # a due date no job misses


PAIRWISE = [  # rule, GPU types, sharing, fit
    (rule, mix, SHARING[(r + m) % 3], FITS[(r // 3 + m) % 2])
    for r, rule in enumerate(RULES)
    for m, mix in enumerate(MIXES)
]


@pytest.mark.parametrize(("rule", "mix", "sharing", "fit"), PAIRWISE)
def test_decisions_are_feasible_and_running_jobs_stay(
    rule: str, mix: str, sharing: str, fit: str
) -> None:
    for seed in range(3):
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
def test_orders(make: Make, rule: str, expected: list[int]) -> None:
    instance = make(
        types={"A1": [1]},
        groups=[(4, ["A1"])],
        hours=[{"A": [1]}, {"A": [2]}, {"A": [9]}, {"A": [1]}],
        release=[-1, 0, -3, -2],
        due=[6, 5, 8, 9],
        weight=[1, 3, 2, 4],
    )
    node = decide(instance, rule).job_node.tolist()
    assert [node.index(n) for n in range(4)] == expected


def test_the_cheapest_configuration_in_time_then_the_fastest_late_one(make: Make) -> None:
    instance = make(
        types={"A4": [1, 2, 3, 4]},
        groups=[(2, ["A4"])],
        hours=[{"A": [6, 4, 3.5, 3]}] * 2,
        due=[4, 2.5],
    )
    # j1 is late anyhow: the fastest; j0: 4 h x 2 $/h < 3.5 h x 3 $/h
    assert decide(instance, "edf").job_gpus.tolist() == [2, 4]


def test_a_job_takes_what_is_left_rather_than_wait(make: Make) -> None:
    instance = make(
        types={"A2": [1, 2], "B1": [9]},
        groups=[(1, ["A2"]), (1, ["B1"])],
        hours=[{"A": [4], "B": [4]}] * 4,
        due=[NEVER] * 4,
    )
    assert decide(instance, "fifo").job_node.tolist() == [0, 0, 1, -1]
    assert decide(instance, "edf_alone").job_node.tolist() == [0, 1, -1, -1]


def test_preemption_takes_the_node_from_a_later_job(make: Make) -> None:
    instance = make(
        types={"A1": [1]},
        groups=[(1, ["A1"])],
        hours=[{"A": [4]}] * 2,
        due=[9, 5],
    )
    instance = replace(instance, current=Solution.of([0, -1], [1, 0], [0]))
    assert decide(instance, "edf").job_node.tolist() == [0, -1]
    assert decide(instance, "pedf").job_node.tolist() == [-1, 0]


def test_a_placement_that_cannot_be_is_named(make: Make) -> None:
    instance = make(types={"A1": [1]}, groups=[(1, ["A1"])], hours=[{"A": [4]}] * 2, due=[9, 5])
    with pytest.raises(InputError, match=r"/current/node_type/0.*2 GPUs in use"):
        decide(replace(instance, current=Solution.of([0, 0], [1, 1], [0])), "edf")


@pytest.mark.parametrize(("done", "gpus"), [(0.0, 1), (3.0, 1), (6.0, 2)])
def test_mean_epochs_until_they_are_passed_then_the_worst_case(
    make: Make, done: float, gpus: int
) -> None:
    """E[W] = 5, w_max = 10: with 1 GPU in time for 5 - w epochs, not for 10 - w."""
    instance = make(types={"A2": [1, 2]}, groups=[(1, ["A2"])], hours=[{"A": [2, 1.5]}], due=[8.5])
    jobs = replace(
        instance.jobs,
        epochs_max=np.array([10]),
        epochs_done=np.array([done]),
        law=("law",),
    )
    due = {0.0: 10.0, 3.0: 5.0, 6.0: 7.0}[done]
    law = Law.of([[2, 5], [8, 5], [10, 0]])
    instance = replace(instance, jobs=replace(jobs, due=np.array([due])), laws={"law": law})
    assert decide(instance, "edf", "mean").job_gpus.tolist() == [gpus]
    assert decide(instance, "edf", "worst_case").job_gpus.tolist() == [2]


def test_deterministic_runs_a_method_as_if_epochs_were_known() -> None:
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


def test_deterministic_claims_nothing_about_the_instance_as_given() -> None:
    instance = generate(nodes=2, jobs=4, seed=1)
    found = parse("deterministic?method=enumeration")(instance, Call(), Report())
    exact = parse("enumeration")(instance, Call(), Report())
    assert found.bound is None
    assert found.stop is Stop.ITERATIONS
    assert found.objective >= exact.objective


def test_a_method_that_refuses_the_instance_is_an_error_in_its_words() -> None:
    instance = generate(nodes=6, jobs=20, seed=1)
    told = "enumeration serves up to 10 jobs, not 20"
    assert parse("deterministic?method=enumeration").method.refusal(instance) == told

    def refuse(*given) -> SolveResult:
        raise InputError("/jobs", 20, "fewer")

    call = Call(options={"method": refuse, "epochs": "worst_case"})
    found = deterministic.run(instance, call, Report())
    assert (found.stop, found.message) == (Stop.ERROR, "/jobs: found 20, expected fewer")


def test_greedy_is_that_of_the_other_module_but_for_idle_gpus() -> None:
    """On dedicated GPUs of fixed nodes; `greedy:paper` also gives idle GPUs away."""
    instance = generate(nodes=100, jobs=400, seed=1)
    mine = queue_scheduling.decide(instance, "greedy")
    other = parse("deterministic?method=greedy:paper")(instance, Call(), Report()).solution
    assert (mine.job_node >= 0).sum() == (other.job_node >= 0).sum()
