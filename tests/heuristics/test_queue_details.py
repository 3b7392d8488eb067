"""Queues, DP and `deterministic` by hand: ties, room beside running jobs, what is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from rsjs.heuristics import deterministic
from rsjs.heuristics.dynamic_programming import decide as by_dp
from rsjs.heuristics.dynamic_programming import gpus_of_jobs, pooled_costs
from rsjs.heuristics.queue_choices import Choices
from rsjs.heuristics.queue_scheduling import decide
from rsjs.heuristics.rooms import Rooms
from rsjs.instances import costs
from rsjs.instances.cluster import Cluster, GpuType, NodeGroup, NodeType, ShareLevel
from rsjs.instances.generators.sts import generate
from rsjs.instances.method import Call, Report
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution, SolveResult, Stop

Make = Callable[..., Instance]


@pytest.mark.parametrize("due", [99.0, 1.0])
def test_of_equally_fast_types_the_cheaper_one_is_taken(make: Make, due: float) -> None:
    instance = make(
        types={"A1": [5], "B1": [1]},
        groups=[(1, ["A1"]), (1, ["B1"])],
        hours=[{"A": [4], "B": [4]}],
        due=[due],
    )
    assert decide(instance, "edf").job_node.tolist() == [1]


def test_a_node_on_which_a_job_runs_keeps_its_type(make: Make) -> None:
    """It would open as the larger A4."""
    instance = make(
        types={"A2": [1, 2], "A4": [1, 2, 3, 4]},
        groups=[(1, ["A2", "A4"])],
        hours=[{"A": [4, 3]}, {"A": [4]}],
        due=[9, 9],
    )
    assert decide(instance, "edf").node_type.tolist() == [1]
    runs = replace(instance, current=Solution.of([0, -1], [1, 0], [0]))
    found = decide(runs, "edf")
    assert (found.job_node.tolist(), found.node_type.tolist()) == ([0, 0], [0])


def test_shares_packed_more_cleverly_than_first_fit_leave_no_room() -> None:
    """20 units a GPU: 14 + 3 + 3 and 12 + 4 + 4 fit on 2, first fit decreasing needs 3."""
    shares = [4, 14, 4, 12, 3, 3]
    levels = tuple(ShareLevel(units=u, max_memory_gb=8) for u in (3, 4, 12, 14))
    cluster = Cluster(
        gpu_types=(GpuType(name="A", memory_gb=16, units=20, levels=levels),),
        node_types=(NodeType(name="A2", gpu_type="A", cost=(0.0, 1.0, 2.0)),),
        groups=(NodeGroup(count=1, types=("A2",)),),
    )
    rooms = Rooms(cluster)
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
def test_what_is_proved_of_the_deterministic_instance_is_not_claimed(
    stop: Stop, told: Stop
) -> None:
    instance = generate(nodes=2, jobs=4, seed=1)
    idle = Solution.empty(4, 2)

    def prove(*given) -> SolveResult:
        return SolveResult(
            stop=stop,
            solution=idle,
            objective=1.0,
            bound=1.0,
            bound_source="solver",
            bound_variant="instance",
        )

    call = Call(options={"method": prove, "epochs": "mean"})
    found = deterministic.run(instance, call, Report())
    assert found.stop is told
    assert (found.bound, found.bound_source, found.bound_variant) == (None, None, None)
    assert found.objective == costs.terms(instance, idle).total


def test_energy_of_the_pooled_program_is_that_of_the_period(make: Make) -> None:
    instance = make(
        types={"A2": [3, 5]}, groups=[(1, ["A2"])], hours=[{"A": [4, 3]}], due=[3.5], weight=[2]
    )
    of = Choices.of(replace(instance, H=2.0), "worst_case")
    # postponed: 100 x 2 x (2 + 4 - 3.5); 2 x 0.5 + 3 x 2; 5 x 2
    assert pooled_costs(of)[0].tolist() == [500, 7, 10]


def test_the_first_job_runs_on_the_number_of_gpus_that_costs_least(make: Make) -> None:
    """All could wait for nothing; 2 GPUs of the cheap type are faster than any number of A."""
    instance = make(
        types={"A1": [9], "B2": [1, 2]},
        groups=[(1, ["A1"]), (1, ["B2"])],
        hours=[{"A": [4], "B": [5, 3]}],
        due=[99],
    )
    of = Choices.of(instance, "worst_case")
    assert pooled_costs(of)[0].tolist() == [0, 9, 2]
    assert gpus_of_jobs(of, np.array([0])).tolist() == [2]


def test_the_pooled_program_uses_no_shares(make: Make) -> None:
    """Both jobs could wait for nothing: the first one runs, and half a GPU is not for the other."""
    instance = make(
        types={"A2": [1, 2]}, groups=[(1, ["A2"])], hours=[{"A": [4, 3]}] * 2, due=[99, 99]
    )
    gpu = GpuType(name="A", memory_gb=16, units=2, levels=(ShareLevel(units=1, max_memory_gb=8),))
    shared = replace(
        instance,
        cluster=replace(instance.cluster, gpu_types=(gpu,)),
        jobs=replace(instance.jobs, inflation=np.full((2, 1, 1), 1.2)),
    )
    assert decide(shared, "edf").job_level.tolist() == [0, 0]
    found = by_dp(shared, "pooled")
    assert (found.job_gpus.tolist(), found.job_level.tolist()) == ([1, 0], [-1, -1])
