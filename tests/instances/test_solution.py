"""Decisions hold integers, and nobody changes them afterwards."""

import numpy as np
import pytest

from rsjs.instances.solution import DECISION_ARRAYS, Solution


def test_the_empty_decision_postpones_all_and_switches_all_off():
    solution = Solution.empty(2, 3)
    assert solution.job_node.tolist() == [-1, -1]
    assert solution.job_gpus.tolist() == [0, 0]
    assert solution.job_level.tolist() == [-1, -1]
    assert solution.node_type.tolist() == [-1, -1, -1]
    assert Solution.of([0, -1], [2, 0], [1]).job_level.tolist() == [-1, -1]  # dedicated


@pytest.mark.parametrize("name", DECISION_ARRAYS)
def test_arrays_are_copied_and_frozen(name):
    given = {other: np.array([0, 1]) for other in DECISION_ARRAYS}
    solution = Solution(**given)
    given[name][0] = 7
    assert getattr(solution, name).tolist() == [0, 1]
    with pytest.raises(ValueError, match="read-only"):
        getattr(solution, name)[0] = 7


@pytest.mark.parametrize("name", DECISION_ARRAYS)
@pytest.mark.parametrize("value", [0.9999999, np.nan, np.inf, -1.5])
def test_a_fraction_of_a_node_or_gpu_is_refused_not_cut(name, value):
    given = {other: [0, 1] for other in DECISION_ARRAYS} | {name: [0, value]}
    with pytest.raises(ValueError, match=rf"{name}\[1\] = {value}, must be an integer"):
        Solution(**given)
    if name != "job_level":
        with pytest.raises(ValueError, match="must be an integer"):
            Solution.of(**{other: given[other] for other in ("job_node", "job_gpus", "node_type")})


def test_decisions_are_the_same_when_all_arrays_are():
    base = Solution.of([0, -1], [2, 0], [1, -1])
    assert base.same_as(Solution.of([0.0, -1], [2.0, 0], [1, -1], [-1, -1]))
    assert not base.same_as(Solution.of([0, -1], [1, 0], [1, -1]))
    assert not base.same_as(Solution.of([0, -1], [2, 0], [1, 0]))
    assert not base.same_as(Solution.of([0], [2], [1, -1]))
