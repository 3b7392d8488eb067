"""What a worker leaves is read as a stranger's: within bounds, and refused if it makes no sense."""

import io
import json
import os

import numpy as np
import pytest

from rsjs.core.errors import InputError
from rsjs.core.report import Event, SolveResult, Stop
from rsjs.instances.solution import Solution
from rsjs.runs.kinds import mig_schedule
from rsjs.runs.task_files import (
    append_array,
    decisions,
    packed,
    read_decision,
    read_result,
    salvaged,
    write_array,
    write_incumbent,
    write_result,
)

DECISION = Solution.of([0, -1], [2, 0], [0])


def head(shape, dtype="<i8"):
    """The beginning of an array of the .npy format, without its numbers."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        file, {"descr": dtype, "fortran_order": False, "shape": shape}
    )
    return file.getvalue()


BROKEN = {
    "text of a head": b"\x93NUMPY\x01\x00\x05\x00{'a(\n",
    "promise": head((10**12,)),
    "nothing": head((10**12,), "|S0"),
    "objects": head((1,), "|O") + b"\x80\x04N.",
    "empty": head((0,)),
    "alone": head(()) + bytes(8),
    "text": head((3,), "<U1") + bytes(12),
    "plane": head((2, 2)) + bytes(32),
    "negative": head((3,)) + np.array([-5, 1, 2]).tobytes(),
    "large": head((3,)) + np.array([2**62, 1, 2]).tobytes(),
    "newer": b"\x93NUMPY\x03\x00" + bytes(20),
    "none": b"no array",
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_decisions_are_read_up_to_what_somebody_else_wrote(tmp_path, broken):
    path = tmp_path / "incumbents.npy"
    append_array(packed(DECISION), path)
    with path.open("ab") as file:
        file.write(broken)
    [first, *others] = decisions(path)
    assert first.same_as(DECISION)
    assert all(len(other.job_node) < 3 for other in others)
    path.write_bytes(broken)
    assert all(len(schedule.minute) <= 2 for schedule in mig_schedule.KIND.incumbents(path))


def test_arrays_of_a_file_are_no_larger_than_their_bytes(tmp_path):
    path = tmp_path / "solution.npy"
    write_array(packed(DECISION), path)
    assert read_decision(path).same_as(DECISION)
    for data in (
        BROKEN["promise"],
        BROKEN["objects"],
        BROKEN["none"],
        BROKEN["large"],
        b"\x93",
        b"",
    ):
        path.write_bytes(data)
        with pytest.raises(ValueError):
            read_decision(path)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(InputError, match="found a pipe"):
        read_decision(path)


def left(folder, **changes):
    """The result in a folder, some of it changed."""
    result = SolveResult(stop=Stop.OPTIMAL, objective=2.0, bound=1.0, counts={"nodes": 1})
    write_result(result, folder)
    document = json.loads((folder / "result.json").read_text())
    (folder / "result.json").write_text(json.dumps(document | changes))
    return read_result(folder)


@pytest.mark.parametrize(
    "changes",
    [
        {"seconds": {"solve": "soon"}},
        {"seconds": {"solve": float("nan")}},
        {"seconds": 1},
        {"counts": {"nodes": [1]}},
        {"events": {}},
        {"events": [{"seconds": 1}]},
        {"events": [{"seconds": "a", "incumbent": None, "bound": None}]},
        {"options": []},
        {"bound": "1"},
        {"bound": float("nan")},
        {"objective": float("nan")},
        {"objective": float("-inf")},
        {"bound": float("inf")},
        {"stop": "never"},
    ],
)
def test_a_result_that_makes_no_sense_is_refused(tmp_path, changes):
    with pytest.raises((TypeError, ValueError, KeyError)):
        left(tmp_path, **changes)


def test_a_message_is_one_line_that_any_terminal_prints(tmp_path):
    assert left(tmp_path, message="a\n\x1b[31m \ud800").message == "a \\x1b[31m \\ud800"


def test_a_number_of_numpy_is_a_number(tmp_path):
    counts = {"nodes": np.int32(3)}
    result = SolveResult(stop=Stop.OPTIMAL, bound=np.float32(0.5), counts=counts)
    write_result(result, tmp_path)
    found = read_result(tmp_path)
    assert (found.bound, found.counts) == (0.5, {"nodes": 3})


def test_a_result_without_end_is_refused(tmp_path):
    (tmp_path / "result.json").symlink_to("/dev/zero")
    with pytest.raises(InputError, match="expected a regular file"):
        read_result(tmp_path)


@pytest.mark.parametrize("last", ['{"event": "incumbent", "seconds": 2.0, "value": 5.0}\n', ""])
def test_a_worker_killed_before_it_tells_of_a_solution_claims_the_cost_of_that_one(tmp_path, last):
    known = '{"event": "incumbent", "seconds": 1.0, "value": 6.0}\n'
    (tmp_path / "events.jsonl").write_text(known + last, "utf-8")
    write_incumbent(DECISION, 5.0, tmp_path)
    found = salvaged(tmp_path, Stop.TIME_LIMIT, "killed")
    assert found.objective == 5.0
    assert packed(found.solution).tolist() == packed(DECISION).tolist()


@pytest.mark.parametrize("cost", [[], ["5"], [float("nan")], [5.0, 6.0]], ids=repr)
def test_an_incumbent_whose_cost_makes_no_sense_is_refused(tmp_path, cost):
    path = tmp_path / "incumbent.npy"
    append_array(packed(DECISION), path)
    append_array(np.array(cost), path)
    with pytest.raises((TypeError, ValueError)):
        salvaged(tmp_path, Stop.TIME_LIMIT, "killed")


def test_the_highest_bound_on_the_way_is_claimed_too():
    events = (Event(seconds=0.0, bound=7.0), Event(seconds=1.0, incumbent=5.0))
    assert SolveResult(stop=Stop.OPTIMAL, bound=3.0, events=events).claimed_bound == 7.0
    assert SolveResult(stop=Stop.OPTIMAL).claimed_bound is None
