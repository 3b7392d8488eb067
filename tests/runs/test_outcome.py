"""One run in one worker: its limits hold, what it had survives, what it claims is checked."""

import tempfile
import time

import psutil
import pytest

import rsjs
from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.formulations import enumeration
from rsjs.instances.generators.jahani import generate
from rsjs.instances.io.files import read_solution
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution
from rsjs.methods import parse
from rsjs.reporting.statistics.fairness import findings
from rsjs.rows import build
from rsjs.runs import verified_run
from rsjs.runs.task_files import decision_digest

pytestmark = pytest.mark.process

HOURS = 36000.0  # seconds; only what hangs lasts so long
SOLVERS = ("highs", "scip", "cpsat")


@pytest.fixture
def strays(tmp_path, monkeypatch):
    """Processes that a run of this test left behind: their words name the test's folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def living():
        found = psutil.process_iter(["cmdline", "status"])
        return [one for one in found if any(str(tmp_path) in w for w in one.info["cmdline"] or [])]

    return living


def test_a_run_that_never_ends_is_ended_and_its_incumbent_and_bound_survive(hostile, tiny):
    found = verified_run.run(tiny, hostile("spin"), Limits(time_limit=2.0))
    assert found.result.stop is Stop.TIME_LIMIT
    assert found.verified
    assert found.result.bound == pytest.approx(found.objective / 2)
    assert [event.incumbent for event in found.result.events] == [found.objective] * 2


def test_a_run_past_its_limit_is_asked_before_it_is_ended(hostile, tiny):
    found = verified_run.run(tiny, hostile("polite"), Limits(time_limit=0.2))
    assert found.result.message == "asked"
    assert found.result.stop is Stop.TIME_LIMIT
    assert found.verified


def test_a_method_prepares_before_its_clock_starts_and_without_the_instance(hostile, tiny):
    events = []
    found = verified_run.run(tiny, hostile("load"), Limits(), on_event=events.append)
    assert found.result.counts == {"ready": 3}
    told = [line.get("name", line["event"]) for line in events]
    assert told == ["import", "read", "import", "started"]


def test_a_method_cannot_reset_its_clock(hostile, tiny):
    found = verified_run.run(tiny, hostile("reset"), Limits(time_limit=0.2))
    assert found.result.message == "ended 2 s after its time limit"


def test_a_build_that_takes_too_long_ends_at_the_limit(hostile, tiny):
    found = verified_run.run(tiny, hostile("build"), Limits(time_limit=0.3))
    assert found.result.stop is Stop.TIME_LIMIT
    assert found.result.message == "limit reached while the model was built"
    assert found.result.solution is None
    assert found.result.bound is None


def test_a_run_that_takes_too_much_memory_is_ended(hostile, tiny):
    found = verified_run.run(tiny, hostile("eat"), Limits(time_limit=HOURS, memory_limit_mb=400))
    assert found.result.stop is Stop.MEMORY_LIMIT
    assert found.verified
    assert found.result.peak_memory_mb > 400


def test_no_process_of_a_run_survives_it(hostile, tiny, strays):
    def wait_for_the_sleeper(line):
        while line["event"] == "started" and not any("-c" in p.info["cmdline"] for p in strays()):
            time.sleep(0.02)

    verified_run.run(tiny, hostile("fork"), Limits(time_limit=0.1), on_event=wait_for_the_sleeper)
    assert strays() == []


@pytest.mark.parametrize(
    ("name", "constraint"), [("lie", "claimed_objective"), ("boast", "claimed_bound")]
)
def test_false_claims_and_infeasible_decisions_are_not_verified(hostile, tiny, name, constraint):
    found = verified_run.run(tiny, hostile(name), Limits())
    assert not found.verified
    assert constraint in {violation.constraint for violation in found.verdict.violations}
    assert found.as_dict()["feasible"] is False
    assert found.as_dict()["gap"] is None


def test_a_worker_that_dies_is_an_error_with_its_last_words(hostile, tiny):
    found = verified_run.run(tiny, hostile("vanish"), Limits())
    assert found.result.stop is Stop.ERROR
    assert found.result.message == "worker ended with code 3: last words"


def test_the_log_is_let_through_only_when_asked_for(hostile, tiny, capfd):
    verified_run.run(tiny, hostile("talk"), Limits())
    assert "from the solver" not in capfd.readouterr().err
    verified_run.run(tiny, hostile("talk"), Limits(), log=True)
    captured = capfd.readouterr()
    assert "from the solver" in captured.err
    assert captured.out == ""


def test_an_interrupt_keeps_the_incumbent(hostile, tiny):
    def interrupt(line):
        if line["event"] == "incumbent":
            raise KeyboardInterrupt

    found = verified_run.run(tiny, hostile("spin"), Limits(time_limit=HOURS), on_event=interrupt)
    assert found.result.stop is Stop.INTERRUPTED
    assert found.verified


@pytest.mark.slow
@pytest.mark.solver
def test_the_literal_model_at_20_x_200_stops_at_its_limit(strays):
    instance = generate(nodes=20, jobs=200, seed=1)
    found = verified_run.run(instance, parse("jahani_literal@highs"), Limits(time_limit=5.0))
    assert found.result.stop is Stop.TIME_LIMIT
    bound = found.result.bound
    assert bound is None or abs(bound) < 1e20
    assert strays() == []


@pytest.fixture(scope="module")
def solved(tiny):
    """A run of each solver."""
    methods = [f"jahani_patterns@{name}" for name in SOLVERS]
    return [
        verified_run.run(tiny, parse(one), Limits(time_limit=HOURS, gap=0.0)) for one in methods
    ]


@pytest.mark.solver
def test_every_solver_gives_the_same_cost(tiny, solved):
    best = rsjs.check(tiny, enumeration.best(tiny)).objective
    for found in solved:
        assert found.objective == pytest.approx(best, rel=1e-9)
        assert found.result.bound <= found.objective + 1e-6
        assert found.result.bound == pytest.approx(best, rel=1e-5)
        assert {"import", "read", "build", "solve", "extract", "check", "total"} <= set(
            found.result.seconds
        )


@pytest.mark.solver
def test_a_row_has_the_tolerances_of_its_solver_and_no_start_that_was_not_given(solved):
    rows = build.rows(solved, Limits())
    found = [(row["feasibility_tolerance"], row["integrality_tolerance"]) for row in rows]
    assert found == [(1e-6, 1e-6), (1e-6, 1e-6), (None, None)]
    assert {row["warm_start_sha256"] for row in rows} == {None}
    assert not {one.aspect for one in findings(rows)} & {"tolerance", "warm start"}


@pytest.mark.solver
def test_a_warm_start_is_the_first_incumbent_and_never_lost(tiny):
    start = select_required_nodes(tiny, Solution.empty(3, 2))
    limits = Limits(time_limit=HOURS)
    found = verified_run.run(tiny, parse("jahani_patterns@highs"), limits, warm_start=start)
    assert found.result.events[0].incumbent == rsjs.check(tiny, start).objective
    assert found.objective < rsjs.check(tiny, start).objective
    [row] = build.rows([found], limits)
    assert row["warm_start_sha256"] == decision_digest(start)


def test_the_library_solves_and_checks_in_three_calls(tiny, tmp_path):
    rsjs.save(tiny, tmp_path / "tiny.json")
    instance = rsjs.load(tmp_path / "tiny.json")
    result = rsjs.solve(instance, "greedy:code")
    verdict = rsjs.check(instance, result.solution)
    assert verdict.feasible
    assert verdict.objective == result.objective
    rsjs.save(result.solution, tmp_path / "s.json", instance=instance)
    assert rsjs.check(instance, read_solution(tmp_path / "s.json").solution) == verdict


def test_what_left_by_the_back_door_is_ended_and_seconds_as_text_are_refused(hostile, tiny, strays):
    found = verified_run.run(tiny, hostile("escape"), Limits())
    assert strays() == []
    assert found.result.stop is Stop.ERROR
    assert found.result.message == "the result cannot be read: TypeError: seconds['build'] = 'long'"


@pytest.mark.parametrize(
    ("method", "told"), [("overfill", "capacity"), ("fail", "ValueError: two lines")]
)
def test_a_method_that_fails_raises_an_error_with_what_is_known(hostile, tiny, method, told):
    with pytest.raises(rsjs.MethodError, match=f"{method}: .*{told}") as caught:
        rsjs.solve(tiny, method)
    assert caught.value.result.stop is Stop.ERROR
