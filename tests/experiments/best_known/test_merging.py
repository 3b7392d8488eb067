"""What is taken of claims on an instance, what is refused, who is credited, who confirms."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.experiments.best_known import pricing
from rsjs.experiments.best_known.entries import BestKnown
from rsjs.experiments.best_known.merging import merged
from rsjs.instances.check import Violation, check
from rsjs.instances.costs import terms
from rsjs.instances.exact import check_exact
from rsjs.instances.solution import Solution


@pytest.fixture(scope="session")
def nothing(tiny):
    """No knowledge of the tiny instance."""
    made_by = {"generator": "jahani", "version": "0", "parameters": {}}
    return BestKnown(instance=tiny.name, sha256=tiny.digest, nodes=2, jobs=3, made_by=made_by)


def test_a_cost_is_taken_with_its_exact_value_and_its_solution(nothing, claims, cost, best):
    new = merged(nothing, claims(cost(best)))
    taken = new.known.cost
    assert taken.value == float(Fraction(taken.exact))
    assert sum(taken.terms.values()) == pytest.approx(taken.value, rel=1e-12)
    assert new.solution["job_node"] == best.job_node.tolist()
    assert new.solution["objective"] == taken.value
    assert not new.known.closed


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_of_equal_costs_the_earliest_run_is_credited(order, nothing, claims, cost, best, idle):
    found = [cost(best, 7, "b@scip"), cost(best, 5, "c"), cost(idle, 1)]
    taken = merged(nothing, claims(*(found[i] for i in order))).known
    assert [step.method for step in taken.ub_data] == ["c"]
    assert [other.method for other in taken.cost.confirmed_by] == ["b@scip"]


def test_rounding_of_the_check_in_floats_does_not_decide_who_is_credited(
    nothing, claims, cost, best, optimum
):
    found = [cost(best, 7, value=optimum * (1 - 1e-12)), cost(best, 5, "b@scip")]
    assert merged(nothing, claims(*found)).known.cost.method == "b@scip"


def test_a_later_better_cost_extends_the_history(nothing, claims, cost, best, idle):
    first = merged(nothing, claims(cost(idle, 1))).known
    second = merged(first, claims(cost(best, 2)))
    assert [step.run_id[-1] for step in second.known.ub_data] == ["1", "2"]
    assert merged(second.known, claims(cost(idle, 3))).known == second.known
    assert merged(second.known, claims(cost(best, 2))) == replace(second, solution=None)


def test_a_solution_that_fails_the_exact_check_is_refused_and_the_next_is_taken(
    nothing, claims, cost, best, idle
):
    wrong = Solution.of([0, 0, 0], [1, 1, 1], [-1, -1])  # on a node that is off
    new = merged(nothing, claims(cost(wrong, 1, value=0.001), cost(idle, 2)))
    assert new.known.cost.run_id[-1] == "2"
    assert len(new.refused) == 1
    assert "run 0000000000000001 (a@highs)" in new.refused[0]
    assert "node_on" in new.refused[0]
    near = check(claims().instance, idle).objective
    told = claims(cost(wrong, 1, "b@scip", value=near * (1 - 1e-12)), cost(idle, 2))
    assert merged(nothing, told).known.cost.confirmed_by == ()


@pytest.mark.parametrize("share", [0.5, 1 - 1e-6])
def test_a_cost_told_too_low_is_refused_and_the_least_true_one_is_taken(
    share, nothing, claims, cost, best, idle, optimum
):
    new = merged(nothing, claims(cost(idle, 1, value=optimum * share), cost(best, 2)))
    assert new.known.cost.value == pytest.approx(optimum, rel=1e-12)
    assert [step.run_id[-1] for step in new.known.ub_data] == ["2"]
    [reason] = new.refused
    assert reason.startswith("run 0000000000000001 (a@highs) on ")
    assert reason.endswith(", the exact cost")


def test_a_cost_told_too_low_is_refused_where_a_better_one_is_known(
    nothing, claims, cost, best, idle, optimum
):
    known = merged(nothing, claims(cost(best, 2))).known
    new = merged(known, claims(cost(idle, 1, value=optimum / 2)))
    assert (new.known, len(new.refused)) == (known, 1)


def test_a_cost_that_is_not_that_of_its_decision_is_refused_however_near(
    nothing, claims, cost, best, optimum
):
    new = merged(nothing, claims(cost(best, 1, value=optimum * (1 - 1e-6))))
    assert (new.known, len(new.refused)) == (nothing, 1)


def test_refusals_and_contradictions_are_told_in_the_order_of_time(
    nothing, claims, cost, bound, best, optimum
):
    wrong = Solution.of([0, 0, 0], [1, 1, 1], [-1, -1])  # on a node that is off
    refused = [cost(wrong, k, value=0.5) for k in (3, 1, 2)]
    told = merged(nothing, claims(*refused)).refused
    assert [line.split()[1][-1] for line in told] == ["1", "2", "3"]
    above = [bound(optimum * 2, k, "b@scip") for k in (6, 4, 5)]
    found = merged(nothing, claims(cost(best, 1), *above)).contradictions
    assert [one.bound.run_id[-1] for one in found] == ["4", "5", "6"]


def test_a_bound_of_a_run_with_a_false_claim_confirms_nothing(
    nothing, claims, cost, bound, best, optimum
):
    found = [bound(optimum, 2), bound(optimum, 3, "b@scip", sound=False)]
    known = merged(nothing, claims(cost(best, 1), *found)).known
    assert known.bound.confirmed_by == ()


def test_a_decision_that_only_the_exact_check_refuses_is_not_taken(
    nothing, claims, cost, best, monkeypatch
):
    def refusing(*given):
        found = check_exact(*given)
        violation = Violation(constraint="capacity", where="node 0", found=2, expected="1")
        return replace(found, violations=(violation,))

    monkeypatch.setattr(pricing, "check_exact", refusing)
    new = merged(nothing, claims(cost(best, 1)))
    assert new.known == nothing
    assert "capacity" in new.refused[0]


def test_a_bound_at_the_cost_closes_and_rounding_above_it_is_cut(
    nothing, claims, cost, bound, best, optimum
):
    above = optimum * (1 + 1e-9)
    closed = merged(nothing, claims(cost(best), bound(above))).known
    assert closed.closed
    assert closed.bound.value == closed.cost.value
    assert closed.as_document()["gap"] == 0


def test_a_bound_above_the_cost_is_a_contradiction_and_nothing_is_taken(
    nothing, claims, cost, bound, best, optimum
):
    new = merged(nothing, claims(cost(best, 3), bound(optimum * 1.01, 4, "b@scip")))
    assert new.known == nothing
    assert new.solution is None
    [found] = new.contradictions
    assert (found.bound.run_id[-1], found.cost.run_id[-1]) == ("4", "3")
    assert "run 0000000000000004 (b@scip)" in str(found)
    assert "run 0000000000000003 (a@highs)" in str(found)


def test_a_cost_below_a_bound_known_before_is_a_contradiction(
    nothing, claims, cost, bound, best, idle, optimum
):
    dear = check(claims().instance, idle).objective
    before = merged(nothing, claims(cost(idle, 1), bound((optimum + dear) / 2, 1))).known
    new = merged(before, claims(cost(best, 2)))
    assert new.known == before
    assert [found.cost.run_id[-1] for found in new.contradictions] == ["2"]


@pytest.mark.parametrize("sound", [True, False])
def test_infinity_is_a_contradiction_too(sound, nothing, claims, cost, bound, best):
    """That no decision is feasible, as a run may claim."""
    told = claims(cost(best), bound(float("inf"), 2, sound=sound))
    assert len(merged(nothing, told).contradictions) == 1


def test_a_bound_of_a_run_with_another_false_claim_is_not_taken(nothing, claims, bound):
    new = merged(nothing, claims(bound(0.1, sound=False)))
    assert new.known == nothing
    assert new.contradictions == []


def test_a_bound_without_a_cost_is_kept(nothing, claims, bound):
    known = merged(nothing, claims(bound(0.1, 1), bound(0.2, 2), bound(0.15, 3))).known
    assert [step.value for step in known.lb_data] == [0.2]
    assert known.as_document()["status"] == "open"
    assert known.as_document()["gap"] is None


def test_a_closed_instance_takes_no_more_bounds_but_witnesses(
    nothing, claims, cost, bound, best, optimum
):
    closed = merged(nothing, claims(cost(best), bound(optimum * (1 - 1e-8)))).known
    assert closed.closed
    more = merged(closed, claims(bound(optimum, 2, "b@scip"))).known
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
    method, share, confirms, nothing, claims, cost, bound, best, optimum
):
    solver = method.partition("@")[2].partition("?")[0] or None
    told = claims(cost(best), bound(optimum), bound(optimum * share, 2, method, solver=solver))
    known = merged(nothing, told).known
    assert known.confirmed == confirms


def test_of_several_runs_of_a_solver_the_earliest_is_the_witness(
    nothing, claims, cost, bound, best, optimum
):
    told = [cost(best), bound(optimum, 1)]
    told += [bound(optimum, k, "a@scip") for k in (9, 4, 6)]
    known = merged(nothing, claims(*told)).known
    assert [other.run_id[-1] for other in known.bound.confirmed_by] == ["4"]


def test_a_witness_that_a_better_cost_leaves_outside_the_margin_goes(
    nothing, tiny, claims, cost, bound, best, optimum
):
    """The margin is a share of what the best decision spends, which falls with it."""
    dear = Solution.of([0, 0, 0], [1, 1, 1], [best.node_type[best.job_node[0]]] * 2)
    spent = terms(tiny, dear)
    assert spent.total - spent.postponement > 2 * optimum
    proofs = bound(optimum / 2, 1), bound(optimum * (0.5 - 1.5e-6), 2, "a@scip")
    first = merged(nothing, claims(cost(dear), *proofs)).known
    assert first.confirmed
    assert not merged(first, claims(cost(best, 3))).known.confirmed


def test_a_solution_from_elsewhere_confirms_nothing(nothing, claims, cost, best):
    known = merged(nothing, claims(cost(best), cost(best, 2, "other", run_id=None))).known
    assert known.cost.confirmed_by == ()


def test_the_margin_leaves_postponement_out(nothing, tiny, claims, cost, bound, idle):
    """1e-7 of a cost that is all postponement is far from closed."""
    priced = terms(tiny, idle)
    assert priced.postponement > 0.99 * priced.total
    told = claims(cost(idle), bound(priced.total * (1 - 1e-7)))
    assert not merged(nothing, told).known.closed


@given(data=st.data())
def test_heads_are_the_best_of_all_claims_in_whatever_parts_they_come(
    data, nothing, claims, cost, bound, best, idle, optimum
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
        known = merged(known, claims(*part)).known
        assert merged(known, claims(*part)).known == known
    at_once = merged(nothing, claims(*told)).known
    for one in (known, at_once):
        assert all(new.value < old.value for old, new in pairwise(one.ub_data))
        assert all(new.value > old.value for old, new in pairwise(one.lb_data))
        assert BestKnown.of_document(one.as_document()) == one
    for name in ("status", "lower_bound", "upper_bound", "gap"):
        assert known.as_document()[name] == at_once.as_document()[name]
