"""What runs in a store claim of their instance."""

import gzip
from math import inf

import pytest

from rsjs.bks.candidates import of_stores
from rsjs.core.errors import InputError
from rsjs.instances.check import check
from rsjs.instances.generators.jahani import generate
from rsjs.instances.io.files import write_instance


def test_a_run_claims_its_cost_and_its_bound_and_tells_where_from(store, tiny, best, optimum):
    found, left_out = of_stores([store("s", {"k": 3, "decision": best, "bound": optimum / 2})])
    [cost], [bound] = found[tiny.digest].costs, found[tiny.digest].bounds
    assert cost.value == check(tiny, best).objective == pytest.approx(optimum, rel=1e-12)
    assert (bound.value, found[tiny.digest].unsound) == (optimum / 2, [])
    assert cost.read_solution().same_as(best)
    assert (cost.date, cost.source) == ("2030-01-01T00:03:00.000Z", "campaign test")
    assert (cost.method, cost.solver, cost.solver_version) == ("a@highs", "highs", "1.2")
    assert (cost.rsjs_version, cost.commit) == ("0", "c0ffee")
    assert (cost.seconds, cost.cpu_model) == (0.5, "a processor")
    assert left_out == []


@pytest.mark.parametrize(
    ("session", "commit"),
    [({"dirty": True}, "c0ffee-dirty"), ({"commit": None, "dirty": None}, None)],
)
def test_a_dirty_tree_is_told(session, commit, store, tiny, best):
    found, _ = of_stores([store("s", {"decision": best}, **session)])
    assert found[tiny.digest].costs[0].commit == commit


def test_a_decision_for_the_instance_in_another_order_is_put_back(store, tiny, idle, best):
    found, _ = of_stores([store("s", {"decision": best, "permutation": 1})])
    [cost] = found[tiny.digest].costs
    assert cost.read_solution().same_as(best)
    assert check(tiny, cost.read_solution()).objective == pytest.approx(cost.value)


def test_only_a_bound_for_the_instance_as_given_counts(store, tiny, best):
    runs = [{"k": 1, "bound": 0.1, "bound_variant": "relaxed"}, {"k": 2, "bound": 0.05}]
    found, _ = of_stores([store("s", *runs)])
    assert [bound.value for bound in found[tiny.digest].bounds] == [0.05]


def test_a_claim_that_nothing_is_feasible_is_a_bound_of_infinity(store, tiny):
    found, _ = of_stores([store("s", {"stop": "infeasible"})])
    assert [bound.value for bound in found[tiny.digest].unsound] == [inf]
    assert found[tiny.digest].bounds == []


def test_of_a_run_with_a_false_claim_only_the_bound_is_looked_at(store, tiny, best, optimum):
    wrong = {"k": 1, "decision": best, "objective": optimum / 2, "bound": optimum / 2}
    found, left_out = of_stores([store("s", wrong, {"k": 2, "decision": best})])
    assert [cost.date for cost in found[tiny.digest].costs] == ["2030-01-01T00:02:00.000Z"]
    assert (len(found[tiny.digest].unsound), found[tiny.digest].bounds) == (1, [])
    assert len(left_out) == 1
    assert f"(a@highs) on {tiny.name}: a false claim" in left_out[0]


def test_a_run_in_two_stores_counts_once_and_a_run_can_be_left_out(store, tiny, best, idle):
    one = store("one", {"k": 1, "decision": best}, {"k": 2, "decision": idle})
    two = store("two", {"k": 1, "decision": best})
    found, _ = of_stores([one, two])
    assert len(found[tiny.digest].costs) == 2
    [run_id] = [path.name for path in two.glob("runs/*/*")]
    less, _ = of_stores([one, two], without=[run_id])
    assert [cost.date for cost in less[tiny.digest].costs] == ["2030-01-01T00:02:00.000Z"]


def test_a_record_that_does_not_fit_its_sums_is_left_out(store, tiny, best):
    folder = store("s", {"decision": best})
    [path] = folder.glob("runs/*/*/solution.json.gz")
    path.write_bytes(gzip.compress(b"{}"))
    found, left_out = of_stores([folder])
    assert found == {}
    assert len(left_out) == 1
    assert "expected sha256" in left_out[0]


def test_an_instance_that_is_another_one_is_refused(store, tiny, best):
    folder = store("s", {"decision": best})
    path = folder / "instances" / f"{tiny.digest}.json.gz"
    write_instance(generate(nodes=2, jobs=3, seed=2), path)
    with pytest.raises(InputError, match=f"expected the instance of sha256 {tiny.digest}"):
        of_stores([folder])


def test_a_folder_that_is_no_store_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"store\.json"):
        of_stores([tmp_path])
