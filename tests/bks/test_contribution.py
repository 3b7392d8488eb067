"""A solution from elsewhere, in a file."""

import pytest

from rsjs.bks.candidates import contributed
from rsjs.bks.merge import update
from rsjs.bks.verify import verify
from rsjs.core.errors import InputError
from rsjs.instances.check import check
from rsjs.instances.io.files import write_instance, write_solution
from rsjs.instances.solution import Solution

DATE = "2030-02-03T00:00:00.000Z"


@pytest.fixture
def told(tmp_path, tiny):
    """The claim of a decision that is written with a bound."""

    def make(decision, digest=tiny.digest):
        write_instance(tiny, tmp_path / "i.json")
        claimed = {"method": "by hand", "objective": 1e-3, "bound": 1e-3}
        write_solution(decision, digest, tmp_path / "s.json", **claimed)
        return contributed(tmp_path / "i.json", tmp_path / "s.json", "a paper, 2030", DATE)

    return make


def test_its_cost_is_taken_with_the_credit_and_its_bound_is_not(told, tiny, best, tmp_path):
    [known] = update(tmp_path / "known", {tiny.digest: told(best)}).after.values()
    assert known.cost.value == pytest.approx(check(tiny, best).objective)
    assert (known.cost.source, known.cost.date) == ("a paper, 2030", DATE)
    assert (known.cost.run_id, known.cost.method, known.cost.solver) == (None, "by hand", None)
    assert known.lb_data == ()
    assert verify(tmp_path / "known").findings == []


def test_one_that_is_no_better_changes_nothing(told, tiny, best, idle, tmp_path):
    update(tmp_path / "known", {tiny.digest: told(best)})
    done = update(tmp_path / "known", {tiny.digest: told(idle)})
    assert done.before == done.after


def test_one_of_another_instance_is_refused(told, best):
    with pytest.raises(InputError, match=r"s\.json: /instance: found '0000"):
        told(best, "0" * 64)


def test_one_that_is_not_feasible_is_refused(told):
    with pytest.raises(InputError, match=r"s\.json: found node_on"):
        told(Solution.of([0, 0, 0], [1, 1, 1], [-1, -1]))
