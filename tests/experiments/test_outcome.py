"""One run in one worker: its limits hold, what it had survives, what it claims is checked."""

from __future__ import annotations

import tempfile

import psutil
import pytest

import rsjs
from rsjs.experiments import comparison, outcome
from rsjs.experiments.decision_files import decision_digest
from rsjs.instances.errors import InputError
from rsjs.instances.files import read_solution
from rsjs.instances.generators.jahani import generate
from rsjs.instances.method import Limits
from rsjs.instances.solution import Solution, Stop
from rsjs.methods import parse
from rsjs.reporting.statistics.fairness import findings

SOLVERS = ("highs", "scip", "cpsat")


@pytest.fixture
def strays(tmp_path, monkeypatch):
    """Processes that a run of this test left behind: their words name the test's folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def living() -> list[psutil.Process]:
        return [
            process
            for process in psutil.process_iter(["cmdline", "status"])
            if any(str(tmp_path) in word for word in process.info["cmdline"] or [])
        ]

    return living


def test_a_run_that_never_ends_is_ended_and_its_incumbent_and_bound_survive(hostile, tiny):
    found = outcome.run(tiny, hostile("spin"), Limits(time_limit=0.5))
    assert found.result.stop is Stop.TIME_LIMIT
    assert found.verified
    assert found.result.bound == pytest.approx(found.objective / 2)
    assert [event.incumbent for event in found.result.events] == [found.objective] * 2


def test_a_run_past_its_limit_is_asked_before_it_is_ended(hostile, tiny):
    found = outcome.run(tiny, hostile("polite"), Limits(time_limit=0.2))
    assert found.result.message == "asked"
    assert found.result.stop is Stop.TIME_LIMIT
    assert found.verified


def test_a_method_prepares_before_its_clock_starts_and_without_the_instance(hostile, tiny):
    events = []
    found = outcome.run(tiny, hostile("load"), Limits(), on_event=events.append)
    assert found.result.counts == {"ready": 3}
    told = [line.get("name", line["event"]) for line in events]
    assert told == ["import", "read", "import", "started"]


def test_a_method_cannot_reset_its_clock(hostile, tiny):
    found = outcome.run(tiny, hostile("reset"), Limits(time_limit=0.2))
    assert found.result.message == "ended 2 s after its time limit"


def test_a_build_that_takes_too_long_ends_at_the_limit(hostile, tiny):
    found = outcome.run(tiny, hostile("build"), Limits(time_limit=0.3))
    assert found.result.stop is Stop.TIME_LIMIT
    assert found.result.message == "limit reached while the model was built"
    assert found.result.solution is None
    assert found.result.bound is None


def test_a_run_that_takes_too_much_memory_is_ended(hostile, tiny):
    found = outcome.run(tiny, hostile("eat"), Limits(time_limit=60, memory_limit_mb=400))
    assert found.result.stop is Stop.MEMORY_LIMIT
    assert found.verified
    assert found.result.peak_memory_mb > 400


def test_no_process_of_a_run_survives_it(hostile, tiny, strays):
    seen = []
    outcome.run(
        tiny,
        hostile("fork"),
        Limits(time_limit=1.0),
        on_event=lambda line: seen.extend(strays()),
    )
    assert seen
    assert strays() == []


@pytest.mark.parametrize(
    ("name", "constraint"),
    [("lie", "claimed_objective"), ("boast", "claimed_bound"), ("overfill", "capacity")],
)
def test_false_claims_and_infeasible_decisions_are_no_verified_solution(
    hostile, tiny, name, constraint
):
    found = outcome.run(tiny, hostile(name), Limits())
    assert not found.verified
    assert constraint in {violation.constraint for violation in found.verdict.violations}
    assert found.as_dict()["feasible"] is False
    assert found.as_dict()["gap"] is None


def test_a_method_that_raises_is_an_error_in_one_line(hostile, tiny):
    found = outcome.run(tiny, hostile("fail"), Limits())
    assert found.result.stop is Stop.ERROR
    assert found.result.message == "ValueError: two lines"


def test_a_worker_that_dies_is_an_error_with_its_last_words(hostile, tiny):
    found = outcome.run(tiny, hostile("vanish"), Limits())
    assert found.result.stop is Stop.ERROR
    assert found.result.message == "worker ended with code 3: last words"


def test_the_log_is_let_through_only_when_asked_for(hostile, tiny, capfd):
    outcome.run(tiny, hostile("talk"), Limits())
    assert "from the solver" not in capfd.readouterr().err
    outcome.run(tiny, hostile("talk"), Limits(), log=True)
    captured = capfd.readouterr()
    assert "from the solver" in captured.err
    assert captured.out == ""


def test_an_interrupt_keeps_the_incumbent(hostile, tiny):
    def interrupt(line):
        if line["event"] == "incumbent":
            raise KeyboardInterrupt

    found = outcome.run(tiny, hostile("spin"), Limits(time_limit=60), on_event=interrupt)
    assert found.result.stop is Stop.INTERRUPTED
    assert found.verified


def test_the_literal_model_at_20_x_200_stops_at_its_limit(strays):
    instance = generate(nodes=20, jobs=200, seed=1)
    found = outcome.run(
        instance, parse("jahani_literal@highs?route=arrays"), Limits(time_limit=5.0)
    )
    assert found.result.stop is Stop.TIME_LIMIT
    bound = found.result.bound
    assert bound is None or abs(bound) < 1e20
    assert strays() == []


@pytest.mark.parametrize("solver", ["highs", "scip", "cpsat"])
def test_every_route_and_solver_gives_the_same_cost(tiny, solver):
    routes = ["standard_form", "arrays"] + ([] if solver == "cpsat" else ["pyomo"])
    results = [
        outcome.run(tiny, parse(f"jahani_patterns@{solver}?route={route}"), Limits(gap=0.0))
        for route in routes
    ]
    best = outcome.run(tiny, parse("enumeration"), Limits())
    for found in results:
        assert found.objective == pytest.approx(best.objective, rel=1e-9)
        assert found.result.bound <= found.objective + 1e-6
        assert found.result.bound == pytest.approx(best.objective, rel=1e-5)
        assert {"import", "read", "build", "solve", "extract", "check", "total"} <= set(
            found.result.seconds
        )


def test_a_warm_start_is_the_first_incumbent_and_never_lost():
    instance = generate(nodes=4, jobs=30, seed=2)
    start = rsjs.solve(instance, "greedy:code")
    found = outcome.run(
        instance,
        parse("jahani_patterns@highs"),
        Limits(time_limit=30),
        warm_start=start.solution,
    )
    assert found.result.events[0].incumbent == start.objective
    assert found.objective <= start.objective
    [row] = comparison.rows([found], Limits(time_limit=30))
    assert row["warm_start_sha256"] == decision_digest(start.solution)


def test_a_row_has_the_tolerances_of_its_solver_and_no_start_that_was_not_given(tiny):
    rows = comparison.rows(
        [outcome.run(tiny, parse(f"jahani_patterns@{name}"), Limits()) for name in SOLVERS],
        Limits(),
    )
    found = [(row["feasibility_tolerance"], row["integrality_tolerance"]) for row in rows]
    assert found == [(1e-6, 1e-6), (1e-6, 1e-6), (None, None)]
    assert {row["warm_start_sha256"] for row in rows} == {None}
    assert [one.message for one in findings(rows) if one.aspect == "tolerance"] == []
    assert [one.message for one in findings(rows) if one.aspect == "warm start"] == []


def test_what_cannot_be_meant_is_refused_before_anything_runs(tiny):
    nobody = Solution.of([0, 0, 0], [4, 4, 4], [0, 0])
    with pytest.raises(InputError, match="feasible decision"):
        outcome.refuse(tiny, parse("jahani_patterns"), nobody)
    with pytest.raises(InputError, match="uses a warm start"):
        outcome.refuse(tiny, parse("greedy"), Solution.empty(3, 2))
    with pytest.raises(InputError, match="serves up to 10 jobs"):
        outcome.refuse(generate(nodes=2, jobs=11, seed=1), parse("enumeration"))


def test_the_library_solves_and_checks_in_three_calls(tiny, tmp_path):
    rsjs.save(tiny, tmp_path / "tiny.json")
    instance = rsjs.load(tmp_path / "tiny.json")
    result = rsjs.solve(instance, "jahani_patterns@highs", time_limit=60)
    verdict = rsjs.check(instance, result.solution)
    assert verdict.feasible
    assert verdict.objective == result.objective
    rsjs.save(result.solution, tmp_path / "s.json", instance=instance)
    assert rsjs.check(instance, read_solution(tmp_path / "s.json").solution) == verdict


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda tiny: rsjs.solve(tiny, "greedy", time_limit=-1), "/time_limit: found -1, expected"),
        (lambda tiny: rsjs.solve(tiny, "greedy", time_limit="60"), "/time_limit: found '60'"),
        (lambda tiny: rsjs.solve(tiny, "greedy", gap=2), "/gap: found 2, expected"),
        (lambda tiny: rsjs.solve(tiny, "greedy", threads=True), "/threads: found True"),
        (
            lambda tiny: rsjs.solve(tiny, "greedy", timelimit=9),
            "/timelimit: found 9, .* time_limit",
        ),
        (lambda _: rsjs.solve("tiny.json", "greedy"), "type str, expected an instance"),
        (lambda tiny: rsjs.check(tiny, None), "type NoneType, expected a solution"),
        (lambda tiny: rsjs.save(None, "s.json", instance=tiny), "type NoneType, expected an inst"),
        (lambda _: rsjs.save(Solution.empty(3, 2), "s.json"), "expected instance=INSTANCE"),
        (lambda tiny: rsjs.save(tiny, "mistyped/tiny.json"), "no folder .*mistyped"),
        (lambda tiny: rsjs.export_model(tiny, "mistyped/m.mps"), "no folder .*mistyped"),
    ],
)
def test_the_library_refuses_what_makes_no_sense(call, told, tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(outcome.launcher, "run", lambda *_, **__: pytest.fail("it ran"))
    with pytest.raises(InputError, match=told):
        call(tiny)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(("method", "told"), [("overfill", "capacity"), ("fail", "two")])
def test_a_method_that_fails_raises_an_error_with_what_is_known(hostile, tiny, method, told):
    with pytest.raises(rsjs.MethodError, match=f"{method}: .*{told}") as caught:
        rsjs.solve(tiny, method)
    assert caught.value.result.stop is Stop.ERROR
