"""Idle GPUs given to jobs on shares, and jobs that stay on their nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from rsjs.heuristics import sts
from rsjs.heuristics.compiled import AVAILABLE
from rsjs.heuristics.sts_postprocessing import on_their_nodes
from rsjs.instances.check import check
from rsjs.instances.cluster import GpuType, ShareLevel
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution

Make = Callable[..., Instance]
ENGINES = ["numpy", *(["numba"] if AVAILABLE else [])]
by_engine = pytest.mark.parametrize("engine", ENGINES)
HALVES = ShareLevel(units=1, max_memory_gb=8)


def sharing(
    make: Make, gpus: int, hours: list[list[float]], inflation: list[float], epochs: list[int]
) -> Instance:
    """Jobs on one node that want half a GPU each: it is the cheapest, and no due date is near."""
    price = [float(k) for k in range(1, gpus + 1)]
    instance = make(
        types={f"A{gpus}": price},
        groups=[(1, [f"A{gpus}"])],
        hours=[{"A": own} for own in hours],
        due=[10.0**4] * len(hours),
    )
    gpu = GpuType(name="A", memory_gb=16, units=2, levels=(HALVES,))
    return replace(
        instance,
        cluster=replace(instance.cluster, gpu_types=(gpu,)),
        jobs=replace(
            instance.jobs,
            epochs_max=np.array(epochs),
            inflation=np.array(inflation)[:, None, None],
        ),
    )


def given(instance: Instance, engine: str) -> tuple[list[int], list[int]]:
    """GPUs and share level of each job."""
    decision = sts.decide(instance, "literal", engine=engine)
    assert check(instance, decision.solution).feasible
    assert decision.wanted.tolist() == [0] * len(instance.jobs)
    return decision.solution.job_gpus.tolist(), decision.solution.job_level.tolist()


@by_engine
def test_two_jobs_stay_on_one_gpu_if_none_is_idle(make: Make, engine: str) -> None:
    instance = sharing(make, 1, [[4], [4]], [1.2, 1.2], [1, 1])
    assert given(instance, engine) == ([0, 0], [0, 0])


@by_engine
def test_a_job_alone_on_a_shared_gpu_has_it_before_idle_ones_are_given(
    make: Make, engine: str
) -> None:
    instance = sharing(make, 2, [[4, 3]], [1.2], [1])
    assert given(instance, engine) == ([2], [-1])


@by_engine
def test_of_two_jobs_on_a_gpu_one_gets_the_idle_one_and_the_other_all_of_it(
    make: Make, engine: str
) -> None:
    instance = sharing(make, 2, [[4, 3.9], [4, 3.9]], [1.2, 1.5], [1, 1])
    assert given(instance, engine) == ([1, 1], [-1, -1])


@by_engine
def test_a_job_left_alone_on_a_gpu_takes_part_at_once(make: Make, engine: str) -> None:
    """Half a GPU is as fast for it; once it has all of one, it saves like the other job."""
    instance = sharing(make, 4, [[4, 3, 2.5, 2.4]] * 2, [1.0, 1.5], [1, 1])
    # j1 saves 2 h and leaves; then 1 h each
    assert given(instance, engine) == ([2, 2], [-1, -1])


@by_engine
def test_hours_saved_are_those_of_all_epochs_left(make: Make, engine: str) -> None:
    """1.2 h and 0.9 h for each epoch, but 3 and 10 of them."""
    instance = sharing(make, 3, [[4, 2.8], [3, 2.1]], [1.0, 1.0], [3, 10])
    instance = replace(instance, jobs=replace(instance.jobs, memory_gb=np.array([9.0, 9.0])))
    solution = sts.decide(instance, "literal", engine=engine).solution
    assert solution.job_gpus.tolist() == [1, 2]


def two_nodes(make: Make) -> Instance:
    """One job; each node may be of either type."""
    instance = make(
        types={"A2": [1, 2], "B2": [3, 6]},
        groups=[(2, ["A2", "B2"])],
        hours=[{"A": [4, 3], "B": [4, 3]}],
        due=[99],
    )
    levels = HALVES, ShareLevel(units=2, max_memory_gb=16)
    gpus = tuple(GpuType(name=name, memory_gb=16, units=4, levels=levels) for name in "AB")
    return replace(
        instance,
        cluster=replace(instance.cluster, gpu_types=gpus),
        jobs=replace(instance.jobs, inflation=np.full((1, 2, 2), 1.5)),
    )


@pytest.mark.parametrize(
    ("before", "node"),
    [
        (Solution.of([1], [1], [-1, 0]), 1),
        (Solution.of([1], [1], [-1, 1]), 0),  # the other GPU type
        (Solution.of([1], [2], [-1, 0]), 0),
        (Solution.of([1], [0], [-1, 0], [0]), 0),
    ],
)
def test_only_a_job_with_the_same_gpus_is_kept_on_its_node(
    make: Make, before: Solution, node: int
) -> None:
    instance = replace(two_nodes(make), current=before)
    assert on_their_nodes(instance, Solution.of([0], [1], [0, -1])).job_node.tolist() == [node]


@pytest.mark.parametrize(("level", "node"), [(0, 1), (1, 0)])
def test_a_share_of_another_size_is_not_the_same(make: Make, level: int, node: int) -> None:
    before = Solution.of([1], [0], [-1, 0], [0])
    instance = replace(two_nodes(make), current=before)
    now = Solution.of([0], [0], [0, -1], [level])
    assert on_their_nodes(instance, now).job_node.tolist() == [node]
