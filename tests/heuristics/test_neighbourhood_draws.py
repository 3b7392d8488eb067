"""Which parts of a schedule are drawn to be decided anew, and under which rule for open nodes."""

from __future__ import annotations

import numpy as np
import pytest

from rsjs.heuristics.neighbourhoods import Neighbourhoods
from rsjs.instances.check import check
from rsjs.instances.completion import complete
from rsjs.instances.solution import Solution


def test_every_other_time_the_nodes_of_a_part_are_related(make):
    """
    Two nodes each for jobs of three kinds.

    Of two nodes drawn at random 1 pair in 5 is alike: with related ones every other time, 3 in 5.
    """
    instance = make(
        {"A1": 1, "B1": 1, "C1": 1},
        [(2, ["A1"]), (2, ["B1"]), (2, ["C1"])],
        [{kind: [2]} for kind in "AABBCC"],
        due=[9] * 6,
    )
    decision = Solution.of(range(6), [1] * 6, [0, 0, 1, 1, 2, 2])
    draws, rng = Neighbourhoods.of(instance), np.random.default_rng(1)
    pairs = [draws.draw(decision, 2, 0, rng).nodes // 2 for _ in range(400)]
    alike = sum(int(one == other) for one, other in pairs)
    assert alike / len(pairs) == pytest.approx(0.6, abs=0.1)


def test_a_part_with_fewer_jobs_than_nodes_may_leave_any_of_them_off(make):
    """Every node of the whole is on; one job alone would ask for one of two nodes only."""
    instance = make(
        {"A2": 1}, [(3, ["A2"])], [{"A": [2]}] * 3, due=[9] * 3, open_nodes="jahani_eq", mu=1.0
    )
    decision = complete(instance, Solution.of([0, 1, 1], [1, 1, 1], [0, 0, -1]))
    assert check(instance, decision).feasible
    draws, rng, rules = Neighbourhoods.of(instance), np.random.default_rng(1), {}
    for _ in range(30):
        part = draws.draw(decision, 1, 0, rng)
        assert check(part.instance, part.restricted(decision)).feasible
        rules[tuple(part.jobs.tolist()), len(part.nodes)] = part.instance.objective.open_nodes
    assert rules == {((0,), 2): "free", ((1, 2), 2): "jahani_eq"}
