"""What became of a run, in two words."""

import pytest

from rsjs.core.report import SolveResult, Stop
from rsjs.rows.build import ended, quality

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
