"""One instance by hand for each neighbourhood, and one where its printed rule breaks capacity."""

from random import Random

import numpy as np
import pytest

from rsjs.heuristics.common.stopping import Stopping
from rsjs.heuristics.local_search import kernels_costs, kernels_neighbourhoods, kernels_search
from rsjs.heuristics.local_search.arrays import (
    solution_arrays,
    tables,
    to_solution,
    without_empty_nodes,
)
from rsjs.heuristics.local_search.local_search import Descent
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.solution import Solution
from tests.heuristics.builders import with_shares


def improved(instance, digits, *start):
    """The end of a descent in some neighbourhoods, and what it saved [$]."""
    begin = Solution.of(*start)
    assert check(instance, begin).feasible
    cost, found = Descent(instance, neighbourhoods=digits).improve(begin, Stopping())
    verdict = check(instance, found, objective=cost)
    assert verdict.feasible, [str(violation) for violation in verdict.violations]
    return found, costs.terms(instance, begin).total - cost


def decision(found):
    return found.job_node.tolist(), found.job_gpus.tolist(), found.node_type.tolist()


FAST_AND_SLOW = {"A1": 1, "B1": 1}  # node types by name, with the price of the node


@pytest.mark.parametrize("digit", ["1", "2"])
def test_n1_and_n2_give_a_late_job_the_fast_node_of_one_in_time(make, digit):
    hours = [{"A": [2], "B": [5]}, {"A": [2], "B": [5]}]
    instance = make(FAST_AND_SLOW, hours, due=[3, 9])
    found, saved = improved(instance, digit, [1, 0], [1, 1], [0, 1])
    assert decision(found) == ([0, 1], [1, 1], [0, 1])
    assert saved == pytest.approx(2)  # hours late at 1 $/h


def test_n2_exchanges_two_late_jobs_and_n1_does_not(make):
    hours = [{"A": [2], "B": [5]}, {"A": [2], "B": [5]}]
    instance = make(FAST_AND_SLOW, hours, due=[1, 1], weight=[3, 1])
    start = [1, 0], [1, 1], [0, 1]
    assert improved(instance, "1", *start)[1] == 0
    assert improved(instance, "2", *start)[1] == pytest.approx((3 - 1) * (4 - 1))


@pytest.mark.parametrize("digits", ["1", "2", "12"])
def test_a_job_does_not_go_where_it_is_not_admissible(make, digits):
    """The pair of the printed rule: job 1 has no time on two GPUs, which it would get."""
    hours = [{"A": [9, 2]}, {"A": [3, None]}]
    instance = make({"A2": 1}, hours, groups=[(2, ["A2"])], due=[3, 9])
    found, saved = improved(instance, digits, [0, 1], [1, 1], [0, 0])
    assert saved == 0
    two_on_one = make({"A2": 1, "A1": 1}, hours, due=[3, 9])
    assert improved(two_on_one, digits, [1, 0], [1, 1], [0, 1])[1] == 0
    assert found.job_gpus.tolist() == [1, 1]


def test_n3_runs_a_postponed_job_in_the_place_of_a_less_pressing_one(make):
    hours = [{"A": [2]}, {"A": [2]}]
    instance = make({"A1": 1}, hours, due=[9, 2])
    found, saved = improved(instance, "3", [0, -1], [1, 0], [0])
    assert decision(found) == ([-1, 0], [0, 1], [0])
    assert saved == pytest.approx(100 * (1 + 2 - 2))  # rho = 100, H = 1
    assert improved(instance, "3", [-1, 0], [0, 1], [0])[1] == 0
    as_pressing = make({"A1": 1}, hours, due=[2, 2], weight=[1, 2])
    assert improved(as_pressing, "3", [0, -1], [1, 0], [0])[1] == 0


def test_of_jobs_that_are_equally_late_the_first_ones_are_listed(make):
    """Two are: job 2, which cannot run elsewhere, and job 0."""
    hours = [{"A": [2], "B": [5]}, {"A": [2], "B": [5]}, {"B": [5]}, {"A": [2], "B": [5]}]
    instance = make(FAST_AND_SLOW, hours, groups=[(1, ["A1"]), (3, ["B1"])], due=[3, 3, 1, 9])
    start = Solution.of([1, 2, 3, 0], [1, 1, 1, 1], [0, 1, 1, 1])
    found = Descent(instance, neighbourhoods="1", k=2).improve(start, Stopping())[1]
    assert found.job_node.tolist() == [0, 2, 3, 1]


def test_n3_leaves_the_gpus_of_the_running_job(make):
    """With its own best configuration, two GPUs, the postponed job would not fit."""
    hours = [{"A": [2, None]}, {"A": [4, None]}, {"A": [3, 1]}]
    instance = make({"A2": 1}, hours, due=[9, 8, 0])
    found, saved = improved(instance, "3", [0, 0, -1], [1, 1, 0], [0])
    assert saved > 0
    assert sorted(found.job_gpus.tolist()) == [0, 1, 1]


def test_n4_changes_the_gpu_type_of_a_late_node(make):
    hours = [{"A": [5, 5], "B": [2, 2]}, {"A": [4, 4], "B": [6, 6]}]
    types = {"A2": 1, "B2": 1, "B1": 0.1}
    instance = make(types, hours, groups=[(1, list(types))], due=[1, 9])
    found, saved = improved(instance, "4", [0, 0], [1, 1], [0])
    assert decision(found) == ([0, 0], [1, 1], [1])
    assert saved == pytest.approx((5 - 2) * 1 + (4 - 2) * 1)


def test_n4_asks_for_as_many_gpus_and_for_times_that_fall(make):
    """B1 is faster and cheaper but too small for two jobs; on C2 the times rise in sum."""
    hours = [{"A": [5, 5], "B": [2, 2], "C": [4, 4]}, {"A": [4, 4], "B": [1, 1], "C": [6, 6]}]
    types = {"A2": 1, "B1": 0.1, "C2": 1}
    instance = make(types, hours, groups=[(1, list(types))], due=[1, 9])
    assert improved(instance, "4", [0, 0], [1, 1], [0])[1] == 0


def test_n5_doubles_a_late_node(make):
    hours = [{"A": [8, 4, 3, 2]}, {"A": [4, 3, 2, 2]}]
    types = {"A2": 1, "A4": 1.5}
    instance = make(types, hours, groups=[(1, list(types))], due=[2, 9])
    found, saved = improved(instance, "5", [0, 0], [1, 1], [0])
    assert decision(found) == ([0, 0], [2, 2], [1])
    assert saved == pytest.approx((8 - 4) + (4 * 1 - 3 * 1.5))


@pytest.mark.parametrize("types", [["A2"], ["A2", "A3"], ["A2", "B4"]])
def test_n5_needs_a_type_of_twice_the_size_that_the_node_may_take(make, types):
    """Twice the GPUs for each job on the node as it is would be 4 of 2."""
    known = {"A2": 1, "A3": 1, "A4": 1, "B4": 1}
    hours = [{"A": [8, 4, 3, 2], "B": [8, 1, 1, 1]}, {"A": [4, 3, 2, 2], "B": [8, 1, 1, 1]}]
    instance = make(known, hours, groups=[(1, types), (1, ["A4"])], due=[2, 9])
    assert improved(instance, "5", [0, 0], [1, 1], [0, -1])[1] == 0


def test_n6_halves_a_node(make):
    hours = [{"A": [5, 4, 4, 4]}, {"A": [3, 3, 3, 3]}]
    types = {"A4": 4, "A2": 1}
    instance = make(types, hours, groups=[(1, list(types))], due=[2, 9])
    found, saved = improved(instance, "6", [0, 0], [2, 2], [0])
    assert decision(found) == ([0, 0], [1, 1], [1])
    assert saved == pytest.approx(3 * (4 - 1) - (5 - 4))


@pytest.mark.parametrize(("gpus", "types"), [([1, 2], ["A4", "A2"]), ([2, 2], ["A4", "A1"])])
def test_n6_needs_even_numbers_and_a_type_of_half_the_size(make, gpus, types):
    """Half of 1 GPU rounded up, or halves on a node of one GPU, would not fit."""
    hours = [{"A": [5, 4, 4, 4]}, {"A": [3, 3, 3, 3]}]
    instance = make({"A4": 4, "A2": 1, "A1": 0.1}, hours, groups=[(1, types)], due=[2, 9])
    assert improved(instance, "6", [0, 0], gpus, [0])[1] == 0


def test_n7_moves_gpus_from_job_to_job(make):
    hours = [{"A": [9, 5, 3, 3]}, {"A": [4, 4, 4, 4]}]
    instance = make({"A4": 1}, hours, due=[3, 9])
    found, saved = improved(instance, "7", [0, 0], [1, 3], [0])
    assert decision(found) == ([0, 0], [3, 1], [0])
    assert saved == pytest.approx((9 - 3) + (4 - 3) * 1)


def test_n7_deals_out_what_the_node_has_and_no_more(make):
    """The authors' rule gives each job its other number, two GPUs: four of three."""
    hours = [{"A": [9, 2, None]}, {"A": [9, 2, None]}]
    instance = make({"A3": 1}, hours, due=[1, 1], weight=[1, 5])
    found, saved = improved(instance, "7", [0, 0], [1, 1], [0])
    assert found.job_gpus.tolist() == [1, 2]
    assert saved == pytest.approx(5 * (9 - 2) + (9 - 2))


def test_jobs_on_shares_keep_them_or_exchange_them(make):
    """Two quarters of K80 GPU take one GPU: one of the three is left for N7 to deal out."""
    plain = make({"A3": 1}, [{"A": [9, 2, 1]}] * 3, due=[1, 9, 9])
    instance = with_quarters(plain)
    start = [0, 0, 0], [1, 0, 0], [0], [-1, 0, 0]
    found, _ = improved(instance, "14567", *start)
    assert found.job_gpus.tolist() == [2, 0, 0]
    assert found.job_level.tolist() == [-1, 0, 0]


@pytest.mark.parametrize(("digit", "before", "gpus"), [("5", "A3", 1), ("6", "A6", 2)])
def test_n5_and_n6_pass_over_nodes_with_shares(make, digit, before, gpus):
    """Share level 0 stands behind 7 GPUs, as number 8: half of that would be four GPUs."""
    types = {"A6": 2, "A3": 2, "A7": 9} | {"A6" if before == "A3" else "A3": 0.1}
    plain = make(types, [{"A": [9] * 7}] * 2, groups=[(1, ["A6", "A3"])], due=[1, 90])
    instance = with_quarters(plain)
    start = Solution.of([0, 0], [gpus, 0], [position(instance, before)], [-1, 0])
    assert check(instance, start).feasible
    descent = Descent(instance, neighbourhoods=digit)
    assert descent.improve(start, Stopping())[1].same_as(start)
    assert descent.neighbours == 0


def position(instance, name):
    return [node_type.name for node_type in instance.cluster.node_types].index(name)


def with_quarters(instance):
    """The same instance, where two jobs may share a GPU in quarters."""
    return with_shares(instance, 4, [(1, 0)], 2.0)


def test_n3_saves_what_an_overdue_job_costs_until_the_next_event(make):
    """Job 0 is due now, job 1 in an hour; job 2 ends in half an hour. Waiting costs 1500 $ each."""
    hours = [{"A": [2]}, {"A": [5]}, {"B": [0.5]}]
    instance = make(
        {"A1": 0.01, "B1": 0.01}, hours, due=[0, 1, 9], weight=[5, 3, 1], tardiness_at="next_event"
    )
    start = Solution.of([0, -1, 1], [1, 0, 1], [0, 1])
    cost, found = Descent(instance, neighbourhoods="3").improve(start, Stopping())
    assert check(instance, found, objective=cost).feasible
    assert found.job_node.tolist() == [-1, 0, 1]
    saved = costs.terms(instance, start).total - cost
    assert saved == pytest.approx(5 * 0.5 - 0.01 * (5 - 2))


def test_n3_among_overdue_jobs_costs_what_is_claimed(random_document, random_decision):
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
        state = solution_arrays(instance, found, start, 10)
        before = kernels_costs.refresh(found, state)
        move, done = kernels_neighbourhoods.no_move(len(instance.jobs)), np.zeros(2, dtype=np.int64)
        kernels_search.descend(found, state, move, np.arange(1, 8) == 3, 1, 10**9, done)
        after = costs.terms(instance, to_solution(instance, found, state)).total
        assert before + move.change[0] == pytest.approx(after, rel=1e-9, abs=1e-9)
        moved += int(done[kernels_search.MOVES])
    assert moved > 10


def test_n6_does_not_halve_a_node_of_three_gpus(make):
    """One GPU would hold half of the job's two, and cost less."""
    instance = make({"A3": 4, "A1": 0.1}, [{"A": [5, 4, 4]}], groups=[(1, ["A3", "A1"])], due=[2])
    start = Solution.of([0], [2], [position(instance, "A3")])
    searched = Descent(instance, neighbourhoods="6")
    assert searched.improve(start, Stopping())[1].same_as(start)
    assert searched.neighbours == 0
