"""
What a worker process and its supervisor leave for each other in the run's folder.

    task.json       what to run, written by the supervisor
    warm_start.npy  the decision to begin from, if there is one
    events.jsonl    one line per event, appended by the worker: started, incumbent, ...
    incumbent.npy   the best decision so far, then its cost as reported, replaced whole
    incumbents.npy  every decision reported, one array after the other, where the task asks for it
    result.json     the result, written last
    solution.npy    its decision
    stderr.txt      what the worker and the solver wrote to standard error

A decision is one array of integers: the number of jobs, then the arrays of a solution. All files
are read as a stranger's: within bounds, and refused if they make no sense.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from math import inf, isfinite, prod
from pathlib import Path
from tokenize import TokenError
from types import NoneType
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from rsjs.core.call import Limits
from rsjs.core.errors import InputError, printable, told
from rsjs.core.report import Event, SolveResult, Stop
from rsjs.instances.io.bounded_files import opened, read_bytes
from rsjs.instances.io.serialization import canonical_text
from rsjs.instances.solution import DECISION_ARRAYS, Solution

LOOK, MOST = 2**18, 2**23  # bytes: a method cannot report more than a few MB, see `Report`

Line = dict[str, Any]

EVENTS, RESULT, WARM_START = "events.jsonl", "result.json", "warm_start.npy"
INCUMBENT, INCUMBENTS, SOLUTION = "incumbent.npy", "incumbents.npy", "solution.npy"
NEXT, LAST = b"\n", b"."  # what the worker of a batch says when a task has ended: another, or none
NUMBERS = {  # that an event of each kind has
    "started": (),
    "phase": ("seconds",),
    "incumbent": ("seconds", "value"),
    "bound": ("seconds", "value"),
}
MOST_RESULT = 2**25  # bytes of result.json: 10 000 events are 1 MB
TYPES: dict[str, tuple[type, ...]] = {  # of what a method may say in a result
    "objective": (int, float, NoneType),
    "bound": (int, float, NoneType),
    "bound_source": (str, NoneType),
    "bound_variant": (str, NoneType),
    "seconds": (dict,),
    "events": (list,),
    "counts": (dict,),
    "options": (dict,),
    "message": (str,),
}


class Tail:
    """
    Reader of the lines appended to a file since the last read.

    It is read on after somebody has removed it; one that was not there, or is no regular file, has
    no lines. A look takes `LOOK` bytes at most, of which a line that is longer is left out, and
    nothing after the first `MOST` bytes is read: a run cannot keep its watch busy.
    """

    def __init__(self, path: Path) -> None:
        self._file: IO[bytes] = io.BytesIO()
        with suppress(OSError, InputError):
            self._file = opened(path)
        self._offset = 0

    def lines(self) -> list[str]:
        """Return the complete lines that are new, or the first of them."""
        self._file.seek(self._offset)
        data = self._file.read(min(LOOK, MOST - self._offset))
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole) if whole or len(data) < LOOK else len(data)
        return whole.decode("utf-8", errors="replace").splitlines()

    def rest(self) -> Iterator[str]:
        """Return all complete lines that are left, when nothing more is appended."""
        before = -1
        while before != self._offset:
            before = self._offset
            yield from self.lines()


def events(lines: Iterable[str]) -> Iterator[Line]:
    """Return the events among lines; what a method may have written between them is dropped."""
    for text in lines:
        with suppress(ValueError, RecursionError):
            line = json.loads(text)
            numbers = NUMBERS.get(str(line.get("event"))) if isinstance(line, dict) else None
            if numbers is not None and all(_is_number(line.get(name)) for name in numbers):
                yield line


def all_events(folder: Path) -> Iterator[Line]:
    """Return the events of a run that has ended."""
    return events(Tail(folder / EVENTS).rest())


def _number(name: str, value: Any) -> float:
    if not _is_number(value):
        raise TypeError(f"{name} = {value!r:.80}")
    return float(value)


def _is_number(value: Any) -> bool:
    """Whether a double holds it: JSON of Python knows NaN, and integers of any length."""
    with suppress(OverflowError):
        return isinstance(value, int | float) and isfinite(float(value))
    return False


@dataclass(frozen=True, kw_only=True)
class Task:
    """One run of a method."""

    instance: str  # path, absolute
    method: str  # specification
    limits: Limits
    warm_start: bool = False
    log: bool = False
    every_incumbent: bool = False  # keep each decision that is reported, not only the best
    output_limit_mb: float | None = None  # of the largest file, and of all in the run's folder
    kind: str = "instance"  # of the problem, see `rsjs.runs.kinds`
    options: Mapping[str, Any] = field(default_factory=dict)  # of the kind, e.g. of a simulation
    plugins: Mapping[str, Mapping[str, str]] | None = None  # sources, see `rsjs.methods.sources`
    shipped: Mapping[str, str] = field(default_factory=dict)  # method -> its file, see `own_code`
    launcher: int = field(default_factory=os.getpid)  # process that the worker does not outlive

    def write(self, folder: Path) -> None:
        """Leave the task in a run's folder."""
        (folder / "task.json").write_text(json.dumps(asdict(self)), "utf-8")

    @staticmethod
    def read(folder: Path) -> Task:
        """Read the task in a run's folder."""
        document = json.loads((folder / "task.json").read_text("utf-8"))
        return Task(**{**document, "limits": Limits(**document["limits"])})


def write_result(result: SolveResult, folder: Path) -> None:
    """Leave the result; its file appears last and whole."""
    if result.solution is not None:
        write_array(packed(result.solution), folder / SOLUTION)
    document = {name: getattr(result, name) for name in (*TYPES, "peak_memory_mb")}
    document["stop"] = result.stop.value
    document["events"] = [asdict(event) for event in result.events]
    document |= {name: dict(document[name]) for name in ("seconds", "counts", "options")}
    _replace(folder / RESULT, json.dumps(document, default=plain).encode())


def plain(value: Any) -> Any:
    """Return a scalar of numpy as the number that it is; of anything else, what it prints."""
    return value.item() if isinstance(value, np.generic) else str(value)


def _replace(path: Path, data: bytes | memoryview) -> None:
    """Write a file whole or not at all."""
    scratch = path.with_suffix(".tmp")
    scratch.write_bytes(data)
    scratch.replace(path)


def read_result(folder: Path) -> SolveResult | None:
    """Read the result, if the worker came to its end."""
    path = folder / RESULT
    if not path.exists():
        return None
    document = json.loads(read_bytes(path, MOST_RESULT))
    for name, kinds in TYPES.items():
        if not isinstance(document[name], kinds):
            raise TypeError(f"{name} = {document[name]!r:.80}")
    document["stop"] = Stop(document["stop"])
    for name in ("objective", "bound"):
        value = document[name]
        if value is None or isfinite(value) or (name == "bound" and value == -inf):
            continue  # -inf is no bound
        if value == inf and document["stop"] is Stop.INFEASIBLE:
            continue
        raise ValueError(f"{name} = {value}, which claims nothing: none is null")
    document |= {name: _finite(document[name]) for name in ("objective", "bound")}
    document["events"] = tuple(
        Event(
            seconds=_number("seconds", event["seconds"]),
            incumbent=_finite(event["incumbent"]),
            bound=_finite(event["bound"]),
        )
        for event in document["events"]
    )
    for name in ("seconds", "counts"):
        for key, value in document[name].items():
            if _number(f"{name}[{key!r:.40}]", value) < 0 and key == "total":
                raise TypeError(f"{name}[{key!r:.40}] = {value!r:.80}")
    if document.get("peak_memory_mb") is not None:
        _number("peak_memory_mb", document["peak_memory_mb"])
    document["message"] = printable(" ".join(document["message"].split()))
    return SolveResult(solution=read_decision(folder / SOLUTION), **document)


def has_failed(result: SolveResult, folder: Path) -> bool:
    """Return whether a method ended with an error: its earlier reports are then no result."""
    return result.stop is Stop.ERROR and (folder / RESULT).exists()


def _finite(value: float | None) -> float | None:
    """Return a number as a method claims it; infinities and the like are none."""
    return float(value) if value is not None and isfinite(value) else None


def salvaged(folder: Path, stop: Stop, message: str) -> SolveResult:
    """Return what a worker had made known before it was ended."""
    found: list[Event] = []
    seconds: dict[str, float] = {}
    known: dict[str, float] = {}  # incumbent and bound
    for line in all_events(folder):
        if line["event"] == "phase":
            seconds[str(line.get("name"))] = line["seconds"]
        elif line["event"] in ("incumbent", "bound"):
            known[line["event"]] = line["value"]
            found.append(Event(seconds=line["seconds"], **known))
    solution, objective = read_incumbent(folder)  # whose event may not have been written any more
    bound = known.get("bound")
    return SolveResult(
        stop=stop,
        solution=solution,
        objective=objective,
        bound=bound,
        bound_source=None,  # the events do not tell
        bound_variant=None if bound is None else "instance",
        seconds=seconds,
        events=tuple(found),
        message=message,
    )


def packed(solution: Solution) -> NDArray[Any]:
    """Return a solution as one array."""
    return np.concatenate([[len(solution.job_node)], *_parts(solution).values()])


def _parts(solution: Solution) -> dict[str, NDArray[Any]]:
    return {name: getattr(solution, name) for name in DECISION_ARRAYS}


def unpacked(array: NDArray[Any]) -> Solution:
    """Return the solution in an array; ValueError, TypeError or IndexError where there is none."""
    jobs = int(array[0])
    if not 0 <= 3 * jobs < len(array):
        raise ValueError(f"a decision on {jobs} jobs in {len(array)} numbers")
    parts = np.split(array[1:], [jobs, 2 * jobs, 3 * jobs])
    return Solution(**dict(zip(DECISION_ARRAYS, parts, strict=True)))


def decision_digest(solution: Solution) -> str:
    """Return the sha256 of the solution arrays."""
    arrays = {name: array.tolist() for name, array in _parts(solution).items()}
    return sha256(canonical_text(arrays).encode()).hexdigest()


def read_decision(path: Path) -> Solution | None:
    """Read a solution, if it was written."""
    array = read_array(path)
    return None if array is None else unpacked(array)


def write_incumbent(solution: Solution, objective: float, folder: Path) -> None:
    """Leave the best solution so far with its cost as reported, both or neither."""
    data = b"".join(map(_bytes, (packed(solution), np.array([objective], dtype=float))))
    _replace(folder / INCUMBENT, data)


def read_incumbent(folder: Path) -> tuple[Solution | None, float | None]:
    """Read the best solution and its cost as reported, if they were written."""
    path = folder / INCUMBENT
    if not path.exists():
        return None, None
    decision, cost = arrays(path)
    return unpacked(decision), _number("cost of the incumbent", cost.item())


def decisions(path: Path) -> Iterator[Solution]:
    """Return the solutions that were appended, as far as they are whole."""
    with suppress(IndexError, TypeError, ValueError, OverflowError):  # somebody else's are none
        yield from map(unpacked, arrays(path))


def _bytes(array: NDArray[Any]) -> memoryview:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getbuffer()


def write_array(array: NDArray[Any], path: Path) -> None:
    """Write an array, whole or not at all."""
    _replace(path, _bytes(array))


def append_array(array: NDArray[Any], path: Path) -> None:
    """Append an array to those before."""
    with path.open("ab") as file:
        file.write(_bytes(array))


def read_array(path: Path) -> NDArray[Any] | None:
    """Read the first array of a file that anybody may have written; None without a file."""
    if not path.exists():
        return None
    data = read_bytes(path)
    return _array(io.BytesIO(data), len(data))


def arrays(path: Path) -> Iterator[NDArray[Any]]:
    """Return the arrays that were appended, as far as they are whole."""
    with suppress(InputError, OSError), opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        with suppress(EOFError, ValueError):  # the end, or an array broken off
            while True:
                yield _array(file, size)


def _array(file: IO[bytes], size: int) -> NDArray[Any]:
    """Read the next array of a file of a size; a head that promises more is refused."""
    begin = file.tell()
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("an array of another format than 1.0")
    try:
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    except (SyntaxError, TypeError, TokenError, RecursionError, MemoryError) as error:
        raise ValueError(told(error)) from None
    if not 0 <= prod(shape) * max(1, dtype.itemsize) <= size - file.tell() or dtype.hasobject:
        raise ValueError(f"an array of shape {shape} of {dtype} in {size} bytes")
    file.seek(begin)
    found: NDArray[Any] = np.lib.format.read_array(file)
    return found
