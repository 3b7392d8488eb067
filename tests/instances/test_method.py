"""What a method declares, and what it reports while it runs."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest

from rsjs.core.call import Call, Limits, Option
from rsjs.core.errors import InputError
from rsjs.core.method import Method
from rsjs.core.report import FINENESS, MOST_AT_ONCE, Report, Stop
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.solution import Solution
from rsjs.methods import Request

ANY = Method(name="any", summary="", kind="heuristic", run="rsjs.instances.check:check")
BOTH = ("options", "runs")  # of a method that runs others
NOTHING = Solution.empty(1, 1)


class Recorder(Report):
    """Keeps what would leave the process."""

    def __init__(self, time_limit=math.inf):
        super().__init__(time_limit)
        self.published = []

    def publish(self, solution, objective):
        self.published.append((solution, objective))

    def publish_bound(self, value):
        self.published.append(value)


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands until it is set."""
    now = [100.0]
    monkeypatch.setattr("rsjs.core.report.time.monotonic", lambda: now[0])
    return now


def test_a_method_that_declares_nothing_serves_every_objective(example):
    for energy in ("first_ending", "next_event"):
        assert ANY.refusal(to_instance(example(energy=energy, expectation="mean"))) is None


@pytest.mark.parametrize(
    ("declared", "reason"),
    [
        ({"energy": frozenset({"proportional"})}, "energy proportional, not first_ending"),
        ({"tardiness_at": frozenset({"next_event"})}, "tardiness_at next_event, not completion"),
        (
            {"open_nodes": frozenset({"rsjs_eq", "jahani_eq"})},
            "open_nodes jahani_eq | rsjs_eq, not free",
        ),
        ({"expectation": frozenset({"mean"})}, "expectation mean, not worst_case"),
        ({"sharing": False}, "dedicated GPUs only; by hand has share levels"),
        ({"idle_cost": False}, "mu = 0, not mu = 0.25"),
        ({"right_sizing": False}, "nodes of one type; n1 may take 2"),
        ({"max_jobs": 2}, "up to 2 jobs, not 3"),
        ({"max_nodes": 1}, "up to 1 nodes, not 3"),
    ],
)
def test_a_method_refuses_what_it_does_not_serve_in_one_line(example, declared, reason):
    assert replace(ANY, **declared).refusal(to_instance(example(mu=0.25))) == f"any serves {reason}"


def test_share_levels_that_no_job_may_use_are_no_sharing(example):
    document = example()
    for job in document["jobs"]:
        job.pop("inflation", None)
    assert replace(ANY, sharing=False).refusal(to_instance(document)) is None
    document["jobs"][1]["inflation"] = {"K80": [4, None]}  # b is too big for a quarter
    assert replace(ANY, sharing=False).refusal(to_instance(document)) is None
    assert replace(ANY, max_jobs=3).refusal(to_instance(document)) is None


def test_size_is_no_matter_in_parts(example):
    instance = to_instance(example())
    small = replace(ANY, max_jobs=2, max_nodes=1)
    assert small.refusal(instance) == "any serves up to 2 jobs, not 3"
    assert small.refusal(instance, in_parts=True) is None
    assert replace(small, sharing=False).refusal(instance, in_parts=True) is not None


def test_one_of_the_methods_that_solve_parts_must_serve_the_instance(example):
    instance = to_instance(example())
    first, small = replace(ANY, name="first", sharing=False), replace(ANY, max_jobs=2)
    third = replace(ANY, name="third", energy=frozenset({"proportional"}))
    told = "first serves dedicated GPUs only; by hand has share levels"
    assert running(first).refusal(instance) == told
    both = f"{told}; third serves energy proportional, not first_ending"
    assert running(first, third).refusal(instance) == both
    assert running(first, small, third).refusal(instance) is None
    told = "any serves up to 2 jobs, not 3"
    assert replace(running(ANY), max_jobs=2).refusal(instance) == told
    told = "any serves up to 2 jobs, not 3; third serves energy proportional, not first_ending"
    whole = running(small, third, on_whole=True)
    assert whole.refusal(instance) == told
    parts = running(first, ANY)
    assert parts.refusal(instance) is None
    both = {name: {**vars(parts)[name], "then": vars(whole)[name]["method"]} for name in BOTH}
    assert replace(ANY, **both).refusal(instance) == told
    assert running(small).refusal(instance) is None


def running(*methods, on_whole=False):
    """ANY, with one of these methods run by it on parts or on the whole instance."""
    first, *others = (Request(method=method) for method in methods)
    inner = Option(default="", kind="method", on_whole=on_whole, help="what runs")
    runs = {"method": replace(first, otherwise=tuple(others))}
    return replace(ANY, options={"method": inner}, runs=runs)


def test_a_method_is_imported_when_it_is_loaded():
    from rsjs.instances.check import check

    assert ANY.function() is check
    with pytest.raises(ModuleNotFoundError):
        replace(ANY, run="rsjs.nowhere:run").load()


def test_incumbents_are_kept_and_published_only_when_they_improve(clock):
    report = Recorder()
    last_digit = math.nextafter(9.5, 0)
    offered = [10.0, 10.0, 12.0, 9.5, last_digit, 9.5]
    solutions = [Solution.empty(1, 1) for _ in offered]
    for seconds, (solution, objective) in enumerate(zip(solutions, offered, strict=True)):
        clock[0] = 100.0 + seconds
        report.incumbent(solution, objective)
    assert [(e.seconds, e.incumbent, e.bound) for e in report.events] == [
        (0, 10, None),
        (3, 9.5, None),
        (4, last_digit, None),
    ]
    assert [objective for _, objective in report.published] == [10, 9.5, last_digit]
    result = report.result(Stop.ITERATIONS, message="done")
    assert result.solution is solutions[4]
    assert (result.objective, result.message) == (last_digit, "done")
    assert result.events == tuple(report.events)


def test_bounds_are_kept_and_published_only_when_they_improve(clock):
    report = Recorder()
    for seconds, value in enumerate([-5.0, -6.0, 0.0, 0.0, 3.0, 2.0]):
        clock[0] = 100.0 + seconds
        report.bound(value)
    assert [(e.seconds, e.incumbent, e.bound) for e in report.events] == [
        (0, None, -5),
        (2, None, 0),
        (4, None, 3),
    ]
    assert report.published == [-5, 0, 3]


def test_a_method_that_reports_all_the_time_is_heard_now_and_then(clock):
    report = Recorder()
    for tick in range(400_000):
        clock[0] = 100 + tick / 1e5
        report.bound(float(tick))
    assert len(report.events) == len(report.published) < MOST_AT_ONCE + 7000
    assert [event.bound for event in report.events[:9]] == [*range(9)]
    gaps = [b.seconds / a.seconds for a, b in pairwise(report.events[MOST_AT_ONCE:])]
    assert min(gaps) >= 1 + FINENESS > 0.999 * max(gaps)
    report.incumbent(NOTHING, 1.0)
    assert report.result(Stop.ITERATIONS).objective == 1.0


def test_what_is_no_number_is_no_incumbent_and_no_bound():
    report = Recorder()
    for value in (math.nan, math.inf, -math.inf):
        report.incumbent(NOTHING, value)
        report.bound(value)
    assert report.events == []
    report.incumbent(NOTHING, 5.0)
    report.bound(4.0)
    assert [(e.incumbent, e.bound) for e in report.events] == [(5, None), (5, 4)]


def test_events_carry_the_best_of_both_sides_so_far():
    report = Report()
    report.bound(1.0)
    report.incumbent(NOTHING, 9.0)
    report.bound(2.0)
    assert [(e.incumbent, e.bound) for e in report.events] == [(None, 1), (9, 1), (9, 2)]


def test_phases_add_up_even_when_they_fail(clock):
    report = Report()
    for seconds in (1, 2):
        with report.phase("build"):
            clock[0] += seconds

    def fail():
        with report.phase("solve"):
            clock[0] += 5
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert report.seconds == {"build": 3, "solve": 5}


def test_nothing_stops_the_clock(clock):
    report = Report(time_limit=10)
    with report.phase("import"):
        clock[0] += 4
    assert (report.elapsed(), report.remaining()) == (4, 6)
    with report.phase("compile"):
        clock[0] += 40
    assert (report.elapsed(), report.remaining()) == (44, 0)
    assert Report().remaining() == math.inf
    assert not report.stop_requested()


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({"seed": -1}, "seed=-1"),
        ({"seed": 1.5}, "seed=1.5"),
        ({"seed": 2**63}, f"seed={2**63}"),
        ({"threads": 0}, "threads=0"),
        ({"time_limit": float("nan")}, "time_limit=nan"),
        ({"gap": float("nan")}, "gap=nan"),
    ],
)
def test_limits_that_make_no_sense_are_refused(limits, told):
    with pytest.raises(InputError, match=f"found '{told}', expected"):
        Limits(**limits)


def test_a_call_is_completed_once():
    options = {
        "most": Option(default=3, help=""),
        "inner": Option(default="greedy", help="", kind="method"),
    }
    method = replace(ANY, rules=("first", "second"), solvers=("highs", "scip"), options=options)
    call = method.completed(Call())
    assert (call.solver, call.rule, call.options) == ("highs", "first", {"most": 3})
    asked = Call(solver="scip", rule="second", options={"most": 5})
    assert method.completed(asked) == asked
    for bad, found in (
        (Call(rule="third"), "rule of any third"),
        (Call(options={"least": 1}), "option of any least"),
    ):
        with pytest.raises(InputError, match=f"found '{found}', expected one of"):
            method.completed(bad)


def test_what_a_child_reports_stays_with_it_unless_asked_for(monkeypatch):
    asked, kept = [], []
    parent = Report(100.0, stop=lambda: bool(asked))
    solution = Solution.empty(1, 1)
    child = parent.child(1e9, on_incumbent=lambda *found: kept.append(found))
    silent = parent.child(5.0, phases=False)
    assert 99.0 < child.time_limit <= 100.0
    assert silent.time_limit == 5.0
    for report in (child, silent):
        report.incumbent(solution, 2.0)
        report.bound(1.0)
        with report.phase("solve"):
            pass
        report.add_seconds({"build": 1.0})
    assert kept == [(solution, 2.0)]
    assert parent.events == []
    assert [*parent.seconds] == ["solve", "build"]
    assert parent.seconds["build"] == silent.seconds["build"] == 1.0
    asked.append(True)
    assert child.stop_requested()
    assert silent.stop_requested()
