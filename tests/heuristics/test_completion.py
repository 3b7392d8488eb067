"""Selected nodes made up to min(J, N) under Jahani's (9)."""

import pytest

from rsjs.instances.check import check
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution


def _instance(make, jobs, open_nodes="jahani_eq"):
    """Nodes 0 and 1: A4 or A2; node 2: A4; node 3: A1 or A2."""
    groups = [(2, ["A4", "A2"]), (1, ["A4"]), (1, ["A1", "A2"])]
    given = {"due": [9] * jobs, "family": "jahani", "open_nodes": open_nodes}
    return make({"A4": 4, "A2": 2, "A1": 1}, [{"A": [1]}] * jobs, groups=groups, **given)


@pytest.mark.parametrize(
    ("jobs", "before", "after"),
    [
        (2, [-1, 0, -1, -1], [-1, 0, -1, 2]),  # the node that can be smallest
        (3, [-1, 0, -1, -1], [1, 0, -1, 2]),  # then the next smallest, lowest node first
        (9, [-1, 0, -1, -1], [1, 0, 0, 2]),  # min(J, N) = 4
        (2, [0, 0, -1, -1], [0, 0, -1, -1]),  # selected without a job: counts
        (2, [0, 0, 0, 1], [0, 0, -1, -1]),  # too many: switched off, the last ones
        (1, [0, 0, -1, 1], [-1, 0, -1, -1]),
    ],
)
def test_exactly_min_jobs_nodes(make, jobs, before, after):
    instance = _instance(make, jobs)
    waiting = [-1] * (jobs - 1)
    solution = Solution.of([1, *waiting], [1] + [0] * (jobs - 1), before)
    completed = select_required_nodes(instance, solution)
    assert completed.node_type.tolist() == after
    assert check(instance, completed).feasible
    assert select_required_nodes(instance, completed).same_as(completed)


def test_free_number_of_nodes_is_left_alone(make):
    instance = _instance(make, 3, open_nodes="free")
    solution = Solution.of([1, -1, -1], [1, 0, 0], [-1, 0, -1, -1])
    assert select_required_nodes(instance, solution) is solution
