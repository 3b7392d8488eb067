"""Local search as a method: where it begins, what it promises, when it ends."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.core.call import Call, Limits
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.heuristics.common.initial_solutions import gathered, sample
from rsjs.heuristics.common.stopping import Iterations, Stopping
from rsjs.heuristics.greedy import greedy
from rsjs.heuristics.local_search.arrays import without_empty_nodes
from rsjs.heuristics.local_search.local_search import Descent
from rsjs.heuristics.registry import METHODS
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.generators.kiros import generate
from rsjs.instances.instance import FAMILIES
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.solution import Solution
from rsjs.methods import parse

run = METHODS["local_search"].load()


def solve(instance, spelling, report=None, **limits):
    return parse(spelling)(instance, Call(limits=Limits(**limits)), report or Report())


@pytest.fixture(scope="module")
def crowded():
    """40 jobs on 4 nodes: most of them wait, and some run late."""
    return generate(nodes=4, jobs=40, seed=3)


@pytest.mark.slow
@given(st.randoms(use_true_random=False), st.sampled_from(["late", "all"]))
def test_a_warm_start_is_never_made_worse(random_document, random_decision, rng, jobs):
    instance = to_instance(random_document(rng))
    start = random_decision(instance, rng)
    result = run(instance, Call(options={"jobs": jobs}, warm_start=start), Report())
    assert result.solution is not None
    verdict = check(instance, result.solution, objective=result.objective)
    assert verdict.feasible, [str(violation) for violation in verdict.violations]
    assert verdict.objective <= costs.terms(instance, start).total * (1 + 1e-12)


@pytest.mark.parametrize(
    ("method", "start"),
    [
        ("local_search", "edf:code"),
        ("local_search", "randomized_greedy:paper"),
        ("path_relinking", "greedy:paper"),
    ],
)
def test_the_schedules_of_the_start_are_never_made_worse(crowded, method, start):
    before = solve(crowded, start).objective
    assert solve(crowded, f"{method}?start={start}").objective <= before


def test_more_is_found_by_looking_at_all_jobs(crowded):
    late = solve(crowded, "local_search").objective
    assert solve(crowded, "local_search?jobs=all").objective < late


def test_elite_is_the_number_of_schedules_that_are_improved(crowded):
    def found(elite):
        return solve(crowded, f"local_search?elite={elite},jobs=all")

    several = [found(elite) for elite in (1, 4, 10)]
    assert [result.counts["starts"] for result in several] == [1, 4, 10]
    assert several[0].objective >= several[1].objective >= several[2].objective
    assert several[0].counts["iterations"] < several[1].counts["iterations"]


def test_k_is_the_length_of_the_lists(crowded):
    start, seen = without_empty_nodes(crowded, greedy.decide(crowded, "paper")), []
    for k in (1, 3, 1000):
        descent = Descent(crowded, k=k, neighbourhoods="12", only_late=False)
        descent.improve(start, Iterations(1))
        seen.append(descent.neighbours)
    assert seen == sorted(set(seen))


def test_iterations_limit_the_moves_from_each_schedule(crowded):
    call = "local_search?jobs=all,elite=3,iterations="
    assert solve(crowded, f"{call}2").counts["iterations"] == 6
    assert solve(crowded, f"{call}2").objective >= solve(crowded, f"{call}0").objective


@pytest.mark.slow
@pytest.mark.parametrize("method", ["local_search?jobs=all", "path_relinking"])
def test_the_answer_depends_on_the_seed_alone(crowded, method):
    results = [solve(crowded, method, seed=5, threads=threads) for threads in (1, 1, 3)]
    assert results[0].solution.same_as(results[1].solution)
    assert results[0].solution.same_as(results[2].solution)
    assert results[0].counts == results[1].counts == results[2].counts


@pytest.mark.parametrize("method", ["local_search?jobs=all", "path_relinking"])
def test_incumbents_fall_and_the_last_one_is_the_result(crowded, method):
    report = Report()
    result = solve(crowded, method, report)
    values = [event.incumbent for event in report.events]
    assert values == sorted(values, reverse=True)
    assert len(values) > 1
    assert values[-1] == result.objective
    assert result.bound is None


class Impatient(Report):
    """Asks for the end after the first schedule."""

    def stop_requested(self):
        return len(self.events) >= 1


class Late(Report):
    def remaining(self):
        return 0.0


@pytest.mark.parametrize("method", ["local_search?jobs=all", "path_relinking"])
@pytest.mark.parametrize(
    ("report", "stop"),
    [(Impatient, Stop.INTERRUPTED), (Late, Stop.TIME_LIMIT), (Report, Stop.ITERATIONS)],
)
def test_when_time_is_up_or_somebody_asks_it_returns_what_it_has(crowded, method, report, stop):
    result = solve(crowded, method, report())
    assert result.stop is stop
    assert check(crowded, result.solution, objective=result.objective).feasible


def test_the_start_has_half_of_the_time(crowded):
    class Still(Report):
        def elapsed(self):
            return 0.0

    asked = []

    def start(instance, call, report):
        asked.append((report.time_limit, call.limits.time_limit, call.options))
        solution = greedy.decide(instance, "paper")
        return SolveResult(stop=Stop.OPTIMAL, solution=solution)

    options = {"start": start, "elite": 1}
    assert run(crowded, Call(options=options), Still(1000.0)).solution is not None
    assert asked == [(500, 500, {})]


@pytest.mark.parametrize("name", ["local_search", "path_relinking"])
def test_a_start_without_a_solution_is_told(crowded, name):
    nothing = SolveResult(stop=Stop.ERROR, message="no memory")
    options = {"start": lambda instance, call, report: nothing}
    result = METHODS[name].load()(crowded, Call(options=options), Report())
    assert result.message == "no memory"


def test_every_rule_for_open_nodes_that_holds_at_the_start_holds_at_the_end():
    instance = generate(nodes=3, jobs=8, seed=1)
    asked = replace(FAMILIES["sts"], open_nodes="rsjs_eq", expectation="worst_case")
    strict = replace(instance, objective=asked)
    assert parse("local_search?start=enumeration,jobs=all").method.refusal(strict) is None
    assert parse("local_search").method.refusal(strict) is not None
    assert parse("path_relinking").method.refusal(strict) is not None
    start = Solution.of([0, 1, 2, -1, -1, -1, -1, -1], [1, 1, 1, 0, 0, 0, 0, 0], [0, 0, 0])
    assert check(strict, start).feasible
    result = run(strict, Call(options={"jobs": "all"}, warm_start=start), Report())
    assert result.objective < costs.terms(strict, start).total
    assert check(strict, result.solution, objective=result.objective).feasible


def price(instance, solution):
    return costs.terms(instance, solution).total


def test_the_best_schedules_of_the_randomized_greedy_differ(crowded):
    seed = 7
    found = sample(crowded, seed, 8, Stopping())
    values = [price(crowded, solution) for solution in found]
    assert (len(values), values) == (8, sorted(set(values)))
    call = Call(limits=Limits(seed=seed))
    assert parse("randomized_greedy:paper")(crowded, call, Report()).objective == values[0]
    assert sample(crowded, seed, 3, Stopping())[2].same_as(found[2])
    assert sample(crowded, seed, 3, Iterations(0)) == []


def test_incumbents_come_first_and_others_fill_up(crowded):
    found = [parse(name)(crowded, Call(), Report()) for name in ("greedy:paper", "edf:paper")]
    greedy, edf = (result.solution for result in found)
    assert greedy is not None
    assert edf is not None

    def start(instance, call, report):
        for solution in (edf, greedy, greedy):
            report.incumbent(solution, price(instance, solution))
        return SolveResult(stop=Stop.OPTIMAL, solution=greedy)

    call = Call(options={"start": start})
    report = Report()
    alone, result = gathered(crowded, call, report, 10, fill=False)
    worse, better = sorted((price(crowded, edf), price(crowded, greedy)), reverse=True)
    assert {cost for cost, _ in alone} <= {worse, better}
    assert alone[0][0] == better
    assert result is not None
    assert result.stop is Stop.OPTIMAL
    assert report.events[-1].incumbent == better
    filled, _ = gathered(crowded, call, Report(), 10, fill=True)
    assert [cost for cost, _ in filled] == sorted(cost for cost, _ in filled)
    assert len(filled) == 10
    assert better in [cost for cost, _ in filled]


def test_a_warm_start_stands_alone_without_its_empty_nodes(crowded):
    start = Solution.of([0, *[-1] * 39], [1, *[0] * 39], [0, 1, 2, -1])
    assert check(crowded, start).feasible
    ((cost, found),), result = gathered(crowded, Call(warm_start=start), Report(), 10, fill=False)
    assert result is None
    assert found.node_type.tolist() == [0, -1, -1, -1]
    assert cost <= price(crowded, start)
