"""What became of a run, in two words."""

import pytest

from rsjs.core.report import SolveResult, Stop
from rsjs.instances.check import Verdict
from rsjs.rows.build import _reported, ended, quality, share_bounds

ENDED = [  # end, exit code, stop, message, what it is called
    ("by itself", 0, "optimal", "", "FINISHED"),
    ("by itself", 0, "infeasible", "", "FINISHED"),
    ("by itself", 0, "time_limit", "", "TIMEOUT"),
    ("time", -9, "time_limit", "", "TIMEOUT"),
    ("time", -9, "optimal", "", "TIMEOUT"),  # it returned, and did not end
    ("memory", -9, "memory_limit", "", "MEMOUT"),
    ("by itself", 0, "memory_limit", "", "MEMOUT"),
    ("output", -9, "output_limit", "", "OUTPUT_LIMIT"),
    ("by itself", 0, "output_limit", "", "OUTPUT_LIMIT"),
    ("by itself", 0, "error", "MemoryError: its words", "SOLVER_ERROR"),
    ("by itself", 1, "error", "", "CRASH(1)"),
    ("by itself", -11, "error", "", "CRASH(SIGSEGV)"),
    ("by itself", -40, "error", "", "CRASH(SIG40)"),  # of real time, without a name
    ("by itself", -9, "error", "", "CRASH(SIGKILL)"),  # by the kernel, for want of memory
    ("lost", None, "error", "", "CRASH(watcher)"),
]


@pytest.mark.parametrize(("end", "code", "stop", "message", "expected"), ENDED)
def test_how_a_run_ended(end, code, stop, message, expected):
    result = SolveResult(stop=Stop(stop), message=message)
    assert ended(result, {"end": end, "returncode": code}) == expected


QUALITY = [  # status, stop, own gap, what it is called
    ("ok", "optimal", 0.0, "OPTIMAL_VERIFIED"),
    ("ok", "time_limit", 1e-4, "OPTIMAL_VERIFIED"),
    ("ok", "optimal", 1.1e-4, "FEASIBLE_VERIFIED"),  # the solver's word is not enough
    ("ok", "optimal", None, "FEASIBLE_VERIFIED"),
    ("no_solution", "infeasible", None, "INFEASIBLE_CLAIMED"),
    ("no_solution", "time_limit", None, "NO_SOLUTION"),
    ("wrong", "optimal", 0.0, "WRONG"),
    ("infeasible", "iterations", None, "WRONG"),
]


@pytest.mark.parametrize(("status", "stop", "gap", "expected"), QUALITY)
def test_what_a_run_has(status, stop, gap, expected):
    row = {"status": status, "stop": stop, "own_gap": gap, "gap_limit": 1e-4, "bound": None}
    assert quality(row) == expected


@pytest.mark.parametrize(
    ("stop", "expected"),
    [("optimal", "BOUND_ONLY"), ("time_limit", "NO_SOLUTION"), ("error", "NO_SOLUTION")],
)
def test_a_run_that_completed_with_a_bound_alone_says_so(stop, expected):
    row = {"status": "no_solution", "stop": stop, "own_gap": None, "gap_limit": 1e-4, "bound": 9.0}
    assert quality(row) == expected


def test_only_bounds_of_the_instance_as_given_count():
    verdict = Verdict(feasible=True, violations=(), terms={}, objective=10.0)
    claimed = {"solution": None, "objective": 10.0, "bound": 10.0, "stop": Stop.OPTIMAL}
    relaxed = _reported(SolveResult(**claimed, bound_variant="relaxed"), verdict)
    assert (relaxed["bound"], relaxed["own_gap"]) == (None, None)
    given = _reported(SolveResult(**claimed, bound_variant="instance"), verdict)
    assert (given["bound"], given["own_gap"]) == (10.0, 0.0)


def test_a_bound_of_a_run_whose_solution_fails_the_check_is_shared_with_nobody():
    known = {"instance_sha256": "0" * 64, "postponement": None, "energy": None, "message": ""}
    rows = [
        {**known, "status": "ok", "objective": 10.0, "bound": 5.0},
        {**known, "status": "infeasible", "objective": None, "bound": 9.0},
    ]
    share_bounds(rows)
    assert [row["best_bound"] for row in rows] == [5.0, 5.0]
