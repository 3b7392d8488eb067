"""STS by hand: order of types, k_0 by type, T_j of GPUs that the model did not choose, options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from rsjs.heuristics import sts, sts_choices
from rsjs.heuristics.compiled import AVAILABLE
from rsjs.heuristics.first_fit import Placed
from rsjs.heuristics.speed_profile import FEASIBLE, SLACK
from rsjs.heuristics.sts_changes import hours_until_change
from rsjs.instances.epochs import Law
from rsjs.instances.errors import InputError
from rsjs.instances.method import Call, Report
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution
from rsjs.methods import parse

Make = Callable[..., Instance]
ENGINES = ["numpy", *(["numba"] if AVAILABLE else [])]
SPEEDS = [1.0, 1 / 1.8, 1 / 2.4, 1 / 2.8]  # hours per epoch
RARE = Law.of([[10, 9], [100, 1]])
ATOM = Law.of([[10, 1], [100, 4]])


def one_job(make: Make, due: float, law: Law, hours: list[float] = SPEEDS) -> Instance:
    """A job of up to 100 epochs on one node; an epoch on 2 GPUs may cost more than on 3."""
    price = [1.0, 2.0, 3.0, 4.0] if len(hours) == 4 else [1.0, 2.0, 2.1]
    instance = make(
        types={f"A{len(hours)}": price},
        groups=[(1, [f"A{len(hours)}"])],
        hours=[{"A": hours}],
        due=[due],
    )
    jobs = replace(instance.jobs, epochs_max=np.array([100]), law=("law",))
    return replace(instance, jobs=jobs, laws={"law": law})


def choices(instance: Instance, floor: int = 0) -> sts_choices.Choices:
    floors = np.full(len(instance.jobs), floor)
    return sts_choices.choices(instance, floors, margin=0.0)


def change_with(instance: Instance, gpus: int) -> float:
    """T_j - now of the first job if it gets so many GPUs."""
    placed = Placed([0], [0], [gpus], [-1])
    return float(hours_until_change(choices(instance), placed, 0.0)[0])


@pytest.mark.parametrize("engine", ENGINES)
def test_types_in_time_come_by_energy_whether_the_due_date_is_tight_or_not(
    make: Make, engine: str
) -> None:
    instance = make(
        types={"A2": [5, 10], "B1": [1]},
        groups=[(1, ["A2"]), (1, ["B1"])],
        hours=[{"A": [7, 4], "B": [4.5]}],
        due=[5.0],
    )
    of = choices(instance)
    assert of.status[0].tolist() == [FEASIBLE, SLACK]
    assert of.order[0].tolist() == [1, 0]
    assert sts.decide(instance, "fallback", spacing=0.0, engine=engine).solution.job_node == [1]


@pytest.mark.parametrize("engine", ENGINES)
def test_k_0_is_clipped_on_each_type_by_itself(make: Make, engine: str) -> None:
    instance = make(
        types={"A4": [9, 18, 27, 36], "B2": [1, 2]},
        groups=[(1, ["A4"]), (1, ["B2"])],
        hours=[{"A": [4, 3, 2.5, 2.4], "B": [4, 3]}],
        due=[99.0],
    )
    assert choices(instance, floor=3).initial[0].tolist() == [3, 2]
    decision = sts.decide(instance, floor=np.array([3]), engine=engine)
    assert (decision.solution.job_node[0], decision.wanted[0]) == (1, 2)


def test_gpus_that_are_a_vertex_have_the_t_j_of_the_model_solved_again(make: Make) -> None:
    """On 1 GPU for 10 epochs; given 2, on these to epoch 60, then 3 to the end: 50 h."""
    instance = one_job(make, 50.0, RARE)
    assert choices(instance).initial[0, 0] == 1
    assert change_with(instance, 1) == pytest.approx(10.0)
    assert change_with(instance, 2) == pytest.approx(60 / 1.8)


def test_a_job_late_on_gpus_that_are_no_vertex_has_no_t_j(make: Make) -> None:
    instance = one_job(make, 49.0, Law.of([[100, 1]]), [1.0, 0.6, 0.5])
    assert change_with(instance, 2) == np.inf  # 50 h at the fastest
    in_time = one_job(make, 54.0, Law.of([[100, 1]]), [1.0, 0.6, 0.5])
    assert change_with(in_time, 2) == pytest.approx(24.0)


def test_of_configurations_with_fewer_gpus_none_is_waited_for(make: Make) -> None:
    """1 GPU is the fastest: on 2, the job can go on only as long as 3 are in time."""
    instance = one_job(make, 54.0, Law.of([[100, 1]]), [0.4, 0.6, 0.5])
    assert change_with(instance, 2) == pytest.approx(24.0)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_late_job_on_fewer_gpus_than_it_wants_has_no_t_j(make: Make, engine: str) -> None:
    instance = make(
        types={"A3": [1, 2, 2.1]},
        groups=[(1, ["A3"])],
        hours=[{"A": [1.0]}, {"A": [1.0, 0.6, 0.5]}],
        due=[-9.0, 0.4],
    )
    decision = sts.decide(instance, "fallback", spacing=0.0, engine=engine)
    assert decision.solution.job_gpus.tolist() == [1, 2]
    assert decision.change.tolist() == [np.inf, np.inf]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("rule", "least"), [("literal", 3), ("fallback", 1)])
def test_k_0_is_that_of_the_jobs_that_run_and_holds_in_literal_only(
    make: Make, rule: str, least: int, engine: str
) -> None:
    instance = replace(one_job(make, 60.0, ATOM), current=Solution.of([0], [3], [0]))
    assert sts.decide(instance, rule, engine=engine).wanted.tolist() == [least]
    told = sts.decide(instance, rule, floor=np.array([2]), engine=engine)
    assert told.wanted.tolist() == [min(least, 2)]


@pytest.mark.parametrize(("spacing", "gpus"), [("30", 1), ("1500", 4)])
def test_the_option_is_in_minutes(make: Make, spacing: str, gpus: int) -> None:
    """With half an hour less 1 GPU is right, with 25 h less all are late."""
    method = parse(f"sts:fallback?spacing={spacing},engine=numpy")
    found = method(one_job(make, 60.0, ATOM), Call(), Report())
    assert found.solution.job_gpus.tolist() == [gpus]


def test_decisions_must_be_some_time_apart() -> None:
    with pytest.raises(InputError, match=r"spacing.*0\.001"):
        parse("sts:fallback?spacing=0")
    assert parse("sts:fallback?spacing=0.001").options["spacing"] == 0.001


def test_t_j_has_come_but_for_rounding() -> None:
    decision = sts.Decision(
        solution=Solution.empty(2, 1), change=np.array([2.0, 2.1]), wanted=np.array([1, 1])
    )
    assert decision.floor(2.0 * (1 - 1e-12)).tolist() == [2, 1]
