"""Local search as a method: where it begins, what it promises, when it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.heuristics import greedy
from rsjs.heuristics.local_search import run
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.documents import to_instance
from rsjs.instances.generators.kiros import generate
from rsjs.instances.method import Call, Limits, Report
from rsjs.instances.schema import FAMILIES, Instance
from rsjs.instances.solution import Solution, SolveResult, Stop
from rsjs.methods import parse


def solve(instance: Instance, spelling: str, report: Report | None = None, **limits: Any) -> Any:
    return parse(spelling)(instance, Call(limits=Limits(**limits)), report or Report())


@pytest.fixture(scope="module")
def crowded() -> Instance:
    """40 jobs on 4 nodes: most of them wait, and some run late."""
    return generate(nodes=4, jobs=40, seed=3)


@given(st.randoms(use_true_random=False), st.sampled_from(["late", "all"]), st.booleans())
def test_a_warm_start_is_never_made_worse_whatever_is_evaluated(
    random_document: Callable[..., Any],
    random_decision: Callable[..., Solution],
    rng: Random,
    jobs: str,
    by_gain: bool,
) -> None:
    instance = to_instance(random_document(rng))
    start = random_decision(instance, rng)
    options = {"jobs": jobs, "evaluate": "gain" if by_gain else "objective"}
    result = run(instance, Call(options=options, warm_start=start), Report())
    assert result.solution is not None
    verdict = check(instance, result.solution, objective=result.objective)
    assert verdict.feasible, [str(violation) for violation in verdict.violations]
    assert verdict.objective <= costs.terms(instance, start).total * (1 + 1e-12)


@pytest.mark.parametrize("method", ["local_search", "path_relinking"])
@pytest.mark.parametrize("start", ["greedy:paper", "edf:code", "randomized_greedy:paper"])
def test_the_schedules_of_the_start_are_never_made_worse(
    crowded: Instance, method: str, start: str
) -> None:
    before = solve(crowded, start).objective
    assert solve(crowded, f"{method}?start={start}").objective <= before


def test_more_is_found_by_looking_at_all_jobs(crowded: Instance) -> None:
    late = solve(crowded, "local_search").objective
    assert solve(crowded, "local_search?jobs=all").objective < late


def test_elite_is_the_number_of_schedules_that_are_improved(crowded: Instance) -> None:
    def found(elite: int) -> SolveResult:
        return solve(crowded, f"local_search?elite={elite},jobs=all")

    several = [found(elite) for elite in (1, 4, 10)]
    assert [result.counts["starts"] for result in several] == [1, 4, 10]
    assert several[0].objective >= several[1].objective >= several[2].objective
    assert several[0].counts["iterations"] < several[1].counts["iterations"]


def test_k_is_the_length_of_the_lists(crowded: Instance) -> None:
    seen = [
        solve(
            crowded, f"local_search?neighbourhoods=12,jobs=all,elite=1,iterations=1,k={k}"
        ).counts["neighbours"]
        for k in (1, 3, 1000)
    ]
    assert seen == sorted(set(seen))


def test_iterations_limit_the_moves_from_each_schedule(crowded: Instance) -> None:
    call = "local_search?jobs=all,elite=3,iterations="
    assert solve(crowded, f"{call}2").counts["iterations"] == 6
    assert solve(crowded, f"{call}2").objective >= solve(crowded, f"{call}0").objective


def test_no_neighbourhood_no_move(crowded: Instance) -> None:
    result = solve(crowded, "local_search?neighbourhoods=4")  # one GPU type is on each node
    assert result.counts["starts"] > 0
    with pytest.raises(ValueError, match="found 'neighbourhoods=18', expected"):
        solve(crowded, "local_search?neighbourhoods=18")


@pytest.mark.parametrize("method", ["local_search?jobs=all", "path_relinking"])
def test_the_answer_depends_on_the_seed_alone(crowded: Instance, method: str) -> None:
    results = [solve(crowded, method, seed=5, threads=threads) for threads in (1, 1, 3)]
    assert results[0].solution.same_as(results[1].solution)
    assert results[0].solution.same_as(results[2].solution)
    assert results[0].counts == results[1].counts == results[2].counts


@pytest.mark.parametrize("method", ["local_search?jobs=all", "path_relinking"])
def test_incumbents_fall_and_the_last_one_is_the_result(crowded: Instance, method: str) -> None:
    report = Report()
    result = solve(crowded, method, report)
    values = [event.incumbent for event in report.events]
    assert values == sorted(values, reverse=True)
    assert len(values) > 1
    assert values[-1] == result.objective
    assert result.bound is None


class Impatient(Report):
    """Asks for the end after so many schedules."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def stop_requested(self) -> bool:
        return len(self.events) >= self.most


@pytest.mark.parametrize("method", ["local_search?jobs=all", "path_relinking"])
def test_when_asked_to_end_it_returns_what_it_has(crowded: Instance, method: str) -> None:
    result = solve(crowded, method, Impatient(1))
    assert result.stop is Stop.INTERRUPTED
    assert check(crowded, result.solution, objective=result.objective).feasible
    assert solve(crowded, method).stop is Stop.ITERATIONS


@pytest.mark.parametrize("method", ["local_search?jobs=all", "path_relinking"])
def test_when_no_time_is_left_it_returns_the_start(crowded: Instance, method: str) -> None:
    class Late(Report):
        def remaining(self) -> float:
            return 0.0

    result = solve(crowded, method, Late())
    assert result.stop is Stop.TIME_LIMIT
    assert check(crowded, result.solution, objective=result.objective).feasible


def test_the_start_has_half_of_the_time(crowded: Instance) -> None:
    asked = []

    def start(instance: Instance, call: Call, report: Report) -> SolveResult:
        asked.append((report.time_limit, call.limits.time_limit, call.options))
        solution = greedy.decide(greedy.prepare(instance, "paper"))
        return SolveResult(stop=Stop.OPTIMAL, solution=solution)

    options = {"start": start, "elite": 1}
    result = run(crowded, Call(options=options), Report(1000.0))
    assert result.solution is not None
    assert 499 < asked[0][0] <= 500
    assert asked[0] == (asked[0][0], asked[0][0], {})


def test_a_start_without_a_solution_is_told(crowded: Instance) -> None:
    nothing = SolveResult(stop=Stop.ERROR, message="no memory")
    options = {"start": lambda instance, call, report: nothing}
    assert run(crowded, Call(options=options), Report()).message == "no memory"


def test_every_rule_for_open_nodes_that_holds_at_the_start_holds_at_the_end() -> None:
    instance = generate(nodes=3, jobs=8, seed=1)
    asked = replace(FAMILIES["sts"], open_nodes="rsjs_eq", expectation="worst_case")
    strict = replace(instance, objective=asked)
    spelling = "local_search?start=enumeration,jobs=all"
    assert parse(spelling).method.refusal(strict) is None
    assert parse("local_search").method.refusal(strict) is not None
    assert parse("path_relinking").method.refusal(strict) is not None
    start = Solution.of([0, 1, 2, -1, -1, -1, -1, -1], [1, 1, 1, 0, 0, 0, 0, 0], [0, 0, 0])
    assert check(strict, start).feasible
    options = {"jobs": "all"}
    result = run(strict, Call(options=options, warm_start=start), Report())
    assert result.objective < costs.terms(strict, start).total
    assert check(strict, result.solution, objective=result.objective).feasible


SCRIPT = """
import sys
from rsjs.heuristics import compiled
from rsjs.instances.generators.kiros import generate
from rsjs.instances.method import Call, Report
from rsjs.methods import parse
for seed, method in enumerate(sys.argv[1:]):
    result = parse(method)(generate(nodes=3, jobs=12, seed=seed), Call(), Report())
    print(method, result.objective.hex(), dict(result.counts), result.solution.job_node.tolist())
"""


def test_without_numba_the_results_are_the_same() -> None:
    methods = ("local_search", "local_search?jobs=all", "path_relinking?elite=5,iterations=6")

    def output(**environment: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", SCRIPT, *methods],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    plain = output(NUMBA_DISABLE_JIT="1")
    assert len(plain.splitlines()) == len(methods)
    assert plain == output()
