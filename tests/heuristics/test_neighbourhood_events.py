"""N3 where tardiness counts at the next event, and N6 on nodes of an odd size."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from rsjs.heuristics.descent import Descent
from rsjs.heuristics.descent_tables import tables
from rsjs.heuristics.kernels import descent, moves, refreshing
from rsjs.heuristics.schedules import schedule, solution, without_empty_nodes
from rsjs.heuristics.stopping import Stopping
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.documents import to_instance
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution

Make = Callable[..., Instance]


def test_n3_saves_what_an_overdue_job_costs_until_the_next_event(make: Make) -> None:
    """Job 0 is due now, job 1 in an hour; job 2 ends in half an hour. Waiting costs 1500 $ each."""
    hours = [{"A": [2]}, {"A": [5]}, {"B": [0.5]}]
    instance = make(
        {"A1": 0.01, "B1": 0.01},
        [(1, ["A1"]), (1, ["B1"])],
        hours,
        due=[0, 1, 9],
        weight=[5, 3, 1],
        tardiness_at="next_event",
    )
    start = Solution.of([0, -1, 1], [1, 0, 1], [0, 1])
    cost, found = Descent(instance, neighbourhoods="3").improve(start, Stopping())
    assert check(instance, found, objective=cost).feasible
    assert found.job_node.tolist() == [-1, 0, 1]
    saved = costs.terms(instance, start).total - cost
    assert saved == pytest.approx(5 * 0.5 - 0.01 * (5 - 2))


def test_n3_among_overdue_jobs_costs_what_is_claimed(
    random_document: Callable[..., Any], random_decision: Callable[..., Solution]
) -> None:
    moved = 0
    for seed in range(80):
        rng = Random(seed)
        document = random_document(rng)
        document["objective"]["tardiness_at"] = "next_event"
        for job in document["jobs"]:
            job["due"] = document["now"] - rng.randint(0, 100) / 100
            job["weight"] = rng.choice([0.36, 1, 2.75])
        instance = to_instance(document)
        start = without_empty_nodes(instance, random_decision(instance, rng))
        found = tables(instance, only_late=False)
        state = schedule(instance, found, start, 10)
        before = refreshing.refresh(found, state)
        move, done = moves.no_move(len(instance.jobs)), np.zeros(2, dtype=np.int64)
        descent.descend(found, state, move, np.arange(1, 8) == 3, 1, 10**9, done)
        after = costs.terms(instance, solution(instance, found, state)).total
        assert before + move.change[0] == pytest.approx(after, rel=1e-9, abs=1e-9)
        moved += int(done[descent.MOVES])
    assert moved > 10


def test_n6_does_not_halve_a_node_of_three_gpus(make: Make) -> None:
    """One GPU would hold half of the job's two, and cost less."""
    instance = make({"A3": 4, "A1": 0.1}, [(1, ["A3", "A1"])], [{"A": [5, 4, 4]}], due=[2])
    start = Solution.of([0], [2], [position(instance, "A3")])
    searched = Descent(instance, neighbourhoods="6")
    assert searched.improve(start, Stopping())[1].same_as(start)
    assert searched.neighbours == 0


def position(instance: Instance, name: str) -> int:
    return [node_type.name for node_type in instance.cluster.node_types].index(name)
