"""What is taken of claims on an instance, what is refused, who is credited, who confirms."""

import json
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs import rsjs_verify
from rsjs.bks.entries import BestKnown
from rsjs.bks.merge import merged
from rsjs.bks.storage import as_line
from rsjs.instances.check import check
from rsjs.instances.costs import terms
from rsjs.instances.solution import Solution


@pytest.fixture(scope="session")
def nothing(tiny):
    """No knowledge of the tiny instance."""
    made_by = {"generator": "jahani", "version": "0", "parameters": {}}
    return BestKnown(instance=tiny.name, sha256=tiny.digest, nodes=2, jobs=3, made_by=made_by)


@pytest.fixture(scope="session")
def merge(nothing, claims):
    """What is taken of claims where so much is known."""
    return lambda *told, known=nothing, **more: merged(known, claims(*told, **more))


def test_a_cost_is_taken_with_its_exact_value_and_its_solution(merge, cost, best):
    new = merge(cost(best))
    taken = new.known.cost
    assert taken.value == float(Fraction(taken.exact))
    assert sum(taken.terms.values()) == pytest.approx(taken.value, rel=1e-12)
    assert new.known.solution["job_node"] == best.job_node.tolist()
    assert new.known.solution["objective"] == taken.value
    assert not new.known.closed


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_of_equal_costs_the_earliest_run_is_credited(order, merge, cost, best, idle):
    found = [cost(best, 7, "b@scip"), cost(best, 5, "c"), cost(idle, 1)]
    taken = merge(*(found[i] for i in order)).known
    assert [step.method for step in taken.ub_data] == ["c"]
    assert [other.method for other in taken.cost.confirmed_by] == ["b@scip"]


def test_rounding_of_the_check_does_not_decide_who_is_credited(merge, cost, best, optimum):
    found = [cost(best, 7, value=optimum * (1 - 1e-12)), cost(best, 5, "b@scip")]
    assert merge(*found).known.cost.method == "b@scip"


def test_a_later_better_cost_extends_the_history(merge, cost, best, idle):
    second = merge(cost(best, 2), known=merge(cost(idle, 1)).known)
    assert [step.run_id[-1] for step in second.known.ub_data] == ["1", "2"]
    assert merge(cost(idle, 3), known=second.known).known == second.known
    assert merge(cost(best, 2), known=second.known) == second


def test_a_solution_that_fails_the_exact_check_is_refused_not_the_next(
    merge, claims, cost, best, idle
):
    wrong = Solution.of([0, 0, 0], [1, 1, 1], [-1, -1])  # on a node that is off
    new = merge(cost(wrong, 1, value=0.001), cost(idle, 2))
    assert (new.known.cost.run_id[-1], len(new.refused)) == ("2", 1)
    assert "run 0000000000000001 (a@highs)" in new.refused[0]
    assert "node_on" in new.refused[0]
    near = check(claims().instance, idle).objective
    told = [cost(wrong, 1, "b@scip", value=near * (1 - 1e-12)), cost(idle, 2)]
    assert merge(*told).known.cost.confirmed_by == ()


@pytest.mark.parametrize("share", [0.5, 1 - 1e-6])
def test_a_cost_told_too_low_is_refused_and_the_least_true_one_is_taken(
    share, merge, cost, best, idle, optimum
):
    new = merge(cost(idle, 1, value=optimum * share), cost(best, 2))
    assert new.known.cost.value == pytest.approx(optimum, rel=1e-12)
    assert [step.run_id[-1] for step in new.known.ub_data] == ["2"]
    [reason] = new.refused
    assert reason.startswith("run 0000000000000001 (a@highs) on ")
    assert reason.endswith(", the exact cost")


def test_a_cost_told_too_low_is_no_match_for_a_better_one(merge, cost, best, idle, optimum):
    known = merge(cost(best, 2)).known
    new = merge(cost(idle, 1, value=optimum / 2), known=known)
    assert (new.known, len(new.refused)) == (known, 1)


def test_a_cost_not_of_its_decision_is_refused_however_near(merge, nothing, cost, best, optimum):
    new = merge(cost(best, 1, value=optimum * (1 - 1e-6)))
    assert (new.known, len(new.refused)) == (nothing, 1)


def test_refusals_and_contradictions_are_in_order_of_time(merge, cost, bound, best, optimum):
    wrong = Solution.of([0, 0, 0], [1, 1, 1], [-1, -1])  # on a node that is off
    refused = [cost(wrong, k, value=0.5) for k in (3, 1, 2)]
    assert [line.split()[1][-1] for line in merge(*refused).refused] == ["1", "2", "3"]
    above = [bound(optimum * 2, k, "b@scip") for k in (6, 4, 5)]
    found = merge(cost(best, 1), *above).contradictions
    assert [one.bound.run_id[-1] for one in found] == ["4", "5", "6"]


def test_a_bound_beside_a_false_claim_confirms_nothing(merge, cost, bound, best, optimum):
    told = [cost(best, 1), bound(optimum, 2)]
    new = merge(*told, unsound=[bound(optimum, 3, "b@scip")])
    assert new.known.bound.confirmed_by == ()


def test_a_decision_only_the_exact_check_refuses_is_left(merge, nothing, cost, best, monkeypatch):
    violation = rsjs_verify.Violation("capacity", "node 0", 2, "1")
    monkeypatch.setattr(rsjs_verify, "verify", lambda *_: rsjs_verify.Verdict([violation]))
    new = merge(cost(best, 1))
    assert new.known == nothing
    assert "capacity" in new.refused[0]


def test_a_bound_at_the_cost_closes_and_rounding_is_cut(merge, cost, bound, best, optimum):
    above = optimum * (1 + 1e-9)
    closed = merge(cost(best), bound(above)).known
    assert closed.closed
    assert (closed.bound.value, closed.as_document()["gap"]) == (closed.cost.value, 0)


def test_a_bound_above_the_cost_contradicts_it(merge, nothing, cost, bound, best, optimum):
    new = merge(cost(best, 3), bound(optimum * 1.01, 4, "b@scip"))
    assert new.known == nothing
    [found] = new.contradictions
    assert (found.bound.run_id[-1], found.cost.run_id[-1]) == ("4", "3")
    assert "run 0000000000000004 (b@scip)" in str(found)
    assert "run 0000000000000003 (a@highs)" in str(found)


def test_a_cost_below_a_known_bound_contradicts_it(merge, claims, cost, bound, best, idle, optimum):
    dear = check(claims().instance, idle).objective
    before = merge(cost(idle, 1), bound((optimum + dear) / 2, 1)).known
    new = merge(cost(best, 2), known=before)
    assert new.known == before
    assert [found.cost.run_id[-1] for found in new.contradictions] == ["2"]


def test_infinity_is_a_contradiction_too(merge, cost, bound, best):
    """That no decision is feasible, as a run may claim."""
    infinite = bound(float("inf"), 2)
    assert len(merge(cost(best), infinite).contradictions) == 1
    assert len(merge(cost(best), unsound=[infinite]).contradictions) == 1


def test_a_bound_of_a_run_with_another_false_claim_is_not_taken(merge, nothing, bound):
    new = merge(unsound=[bound(0.1)])
    assert (new.known, new.contradictions) == (nothing, [])


def test_a_bound_without_a_cost_is_kept(merge, bound):
    known = merge(bound(0.1, 1), bound(0.2, 2), bound(0.15, 3)).known
    assert [step.value for step in known.lb_data] == [0.2]
    assert known.as_document()["status"] == "open"
    assert known.as_document()["gap"] is None


def test_a_closed_instance_takes_witnesses_not_bounds(merge, cost, bound, best, optimum):
    closed = merge(cost(best), bound(optimum * (1 - 1e-8))).known
    assert closed.closed
    more = merge(bound(optimum, 2, "b@scip"), known=closed).known
    assert [step.value for step in more.lb_data] == [closed.bound.value]
    assert [other.value for other in more.bound.confirmed_by] == [optimum]


WITNESSES = [  # method, share of the optimum, whether it confirms a@highs
    ("a@scip", 1.0, True),
    ("b@highs", 1.0, True),
    ("b", 1.0, True),
    ("a@highs", 1.0, False),
    ("a@highs?route=arrays", 1.0, False),
    ("a:rule@highs", 1.0, False),
    ("a@scip", 1 - 5e-7, True),
    ("a@scip", 1 - 5e-6, False),
]


@pytest.mark.parametrize(("method", "share", "confirms"), WITNESSES)
def test_another_method_or_solver_confirms_up_to_the_margin(
    method, share, confirms, merge, cost, bound, best, optimum
):
    solver = method.partition("@")[2].partition("?")[0] or None
    told = bound(optimum * share, 2, method, solver=solver)
    assert merge(cost(best), bound(optimum), told).known.confirmed == confirms


def test_of_runs_of_a_solver_the_earliest_is_the_witness(merge, cost, bound, best, optimum):
    told = [cost(best), bound(optimum, 1)]
    told += [bound(optimum, k, "a@scip") for k in (9, 4, 6)]
    assert [other.run_id[-1] for other in merge(*told).known.bound.confirmed_by] == ["4"]


def test_a_witness_that_a_better_cost_leaves_outside_the_margin_goes(
    merge, tiny, cost, bound, best, optimum
):
    """The margin is a share of what the best decision spends, which falls with it."""
    dear = Solution.of([0, 0, 0], [1, 1, 1], [best.node_type[best.job_node[0]]] * 2)
    spent = terms(tiny, dear)
    assert spent.total - spent.postponement > 2 * optimum
    proofs = bound(optimum / 2, 1), bound(optimum * (0.5 - 1.5e-6), 2, "a@scip")
    first = merge(cost(dear), *proofs).known
    assert first.confirmed
    assert not merge(cost(best, 3), known=first).known.confirmed


def test_a_solution_from_elsewhere_confirms_nothing(merge, cost, best):
    known = merge(cost(best), cost(best, 2, "other", run_id=None)).known
    assert known.cost.confirmed_by == ()


def test_the_margin_leaves_postponement_out(merge, tiny, cost, bound, idle):
    """1e-7 of a cost that is all postponement is far from closed."""
    priced = terms(tiny, idle)
    assert priced.postponement > 0.99 * priced.total
    assert not merge(cost(idle), bound(priced.total * (1 - 1e-7))).known.closed


@given(data=st.data())
def test_heads_are_the_best_of_all_claims_in_whatever_parts_they_come(
    data, merge, nothing, cost, bound, best, idle, optimum
):
    count = data.draw(st.integers(1, 6))
    told = []
    for k in range(1, count + 1):
        method = data.draw(st.sampled_from(["a@highs", "a@scip", "b"]))
        if data.draw(st.booleans()):
            told.append(cost(data.draw(st.sampled_from([best, idle])), k, method))
        else:
            told.append(bound(optimum * data.draw(st.sampled_from([0, 0.5, 0.9, 1])), k, method))
    known, left = nothing, data.draw(st.permutations(told))
    while left:
        size = data.draw(st.integers(1, len(left)))
        part, left = left[:size], left[size:]
        known = merge(*part, known=known).known
        assert merge(*part, known=known).known == known
    at_once = merge(*told).known
    for one in (known, at_once):
        assert all(new.value < old.value for old, new in pairwise(one.ub_data))
        assert all(new.value > old.value for old, new in pairwise(one.lb_data))
        assert BestKnown.of_document(json.loads(as_line(one))) == one
    for name in ("status", "lower_bound", "upper_bound", "gap"):
        assert known.as_document()[name] == at_once.as_document()[name]
