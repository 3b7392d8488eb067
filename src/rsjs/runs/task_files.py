"""
What a worker process and its launcher leave for each other in the run's folder.

    task.json       what to run, written by the launcher
    warm_start.npz  the decision to begin from, if there is one
    events.jsonl    one line per event, appended by the worker: started, incumbent, ...
    incumbent.npz   the best decision so far, replaced whole
    incumbents.npy  every decision reported, one array after the other, where the task asks for it
    result.json     the result, written last
    solution.npz    its decision
    stderr.txt      what the worker and the solver wrote to standard error

The events that a worker reports as lines of a file while it runs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from io import BytesIO
from math import isfinite
from pathlib import Path
from types import NoneType
from typing import IO, Any

import numpy as np

from rsjs.core.call import Limits
from rsjs.core.errors import InputError, printable
from rsjs.core.report import Event, SolveResult, Stop
from rsjs.instances.io.bounded_files import opened, read_bytes
from rsjs.runs.solution_arrays import read_decision, write_decision

LOOK, MOST = 2**18, 2**23  # bytes: a method cannot report more than a few MB, see `Report`

Line = dict[str, Any]

EVENTS = "events.jsonl"
NEXT, LAST = b"\n", b"."  # what the worker of a batch says when a task has ended: another, or none
NUMBERS = {  # that an event of each kind has
    "started": (),
    "phase": ("seconds",),
    "incumbent": ("seconds", "value"),
    "bound": ("seconds", "value"),
}


class EventLog:
    """Appends events line by line; a reader drops an incomplete last line."""

    def __init__(self, folder: Path) -> None:
        flags = os.O_CREAT | os.O_WRONLY | os.O_APPEND
        self.descriptor = os.open(folder / EVENTS, flags, 0o644)

    def append(self, line: Line) -> None:
        """Write one event."""
        os.write(self.descriptor, (json.dumps(line) + "\n").encode())


class Tail:
    """
    Reads what was appended to a file since the last look, up to the last whole line.

    It is read on after somebody has removed it; one that was not there, or is no regular file, has
    no lines. A look takes `LOOK` bytes at most, of which a line that is longer is left out, and
    nothing after the first `MOST` bytes is read: a run cannot keep its watch busy.
    """

    def __init__(self, path: Path) -> None:
        self._file: IO[bytes] = BytesIO()
        with suppress(OSError, InputError):
            self._file = opened(path)
        self._offset = 0

    def lines(self) -> list[str]:
        """The complete lines that are new, or the first of them."""
        self._file.seek(self._offset)
        data = self._file.read(min(LOOK, MOST - self._offset))
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole) if whole or len(data) < LOOK else len(data)
        return whole.decode("utf-8", errors="replace").splitlines()

    def rest(self) -> Iterator[str]:
        """All complete lines that are left, when nothing more is appended."""
        before = -1
        while before != self._offset:
            before = self._offset
            yield from self.lines()


def _is_event(line: Any) -> bool:
    fields = NUMBERS.get(str(line.get("event"))) if isinstance(line, dict) else None
    return fields is not None and all(_is_number(line.get(name)) for name in fields)


def _is_number(value: Any) -> bool:
    """A finite one that a double holds: JSON of Python knows NaN, and integers of any length."""
    with suppress(OverflowError):
        return isinstance(value, int | float) and isfinite(float(value))
    return False


class Events:
    """The event lines of a run's folder; what a method may have written between them is dropped."""

    def __init__(self, folder: Path) -> None:
        self._tail = Tail(folder / EVENTS)

    def new(self) -> Iterator[Line]:
        """The events since the last look, or the first of them."""
        return _events(self._tail.lines())

    def rest(self) -> Iterator[Line]:
        """All events that are left, when the run has ended."""
        return _events(self._tail.rest())


def _events(texts: Iterable[str]) -> Iterator[Line]:
    for text in texts:
        with suppress(ValueError, RecursionError):
            line = json.loads(text)
            if _is_event(line):
                yield line


WARM_START, INCUMBENTS = "warm_start.npz", "incumbents.npy"
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


@dataclass(frozen=True, kw_only=True)
class Task:
    """
    One method run: paths are absolute, `method` in its spelling.

    Attributes
    ----------
    every_incumbent : bool
        Keep each decision that is reported, not only the best.
    output_limit_mb : float or None
        The largest file that the run may write, and the most that its folder may hold.
    kind : str
        What the instance is, see `rsjs.runs.kinds`.
    options : mapping
        Of the kind: those of a simulation, the seed included.
    plugins : mapping or None
        What the source of methods of other packages must be, see `rsjs.methods.sources`.
    launcher : int
        The process that started the worker, which does not outlive it.
    """

    instance: str
    method: str
    limits: Limits
    warm_start: bool = False
    log: bool = False
    every_incumbent: bool = False
    output_limit_mb: float | None = None
    kind: str = "instance"
    options: Mapping[str, Any] = field(default_factory=dict)
    plugins: Mapping[str, Mapping[str, str]] | None = None
    launcher: int = field(default_factory=os.getpid)

    def write(self, folder: Path) -> None:
        """Leave the task in a run's folder."""
        (folder / "task.json").write_text(json.dumps(asdict(self)), "utf-8")

    @staticmethod
    def read(folder: Path) -> Task:
        """The task in a run's folder."""
        document = json.loads((folder / "task.json").read_text("utf-8"))
        return Task(**{**document, "limits": Limits(**document["limits"])})


def write_result(result: SolveResult, folder: Path) -> None:
    """Leave the result; `result.json` appears last and whole."""
    if result.solution is not None:
        write_decision(result.solution, folder / "solution.npz")
    document = {
        "stop": result.stop.value,
        "objective": result.objective,
        "bound": result.bound,
        "bound_source": result.bound_source,
        "bound_variant": result.bound_variant,
        "seconds": dict(result.seconds),
        "events": [asdict(event) for event in result.events],
        "counts": dict(result.counts),
        "options": dict(result.options),
        "message": result.message,
        "peak_memory_mb": result.peak_memory_mb,
    }
    scratch = folder / "result.tmp"
    scratch.write_text(json.dumps(document, default=_plain), "utf-8")
    scratch.replace(folder / "result.json")


def _plain(value: Any) -> Any:
    """Return a scalar of numpy as the number that it is; of anything else, what it prints."""
    return value.item() if isinstance(value, np.generic) else str(value)


def read_result(folder: Path) -> SolveResult | None:
    """The result, if the worker came to its end."""
    path = folder / "result.json"
    if not path.exists():
        return None
    document = json.loads(read_bytes(path, MOST_RESULT))
    for name, kinds in TYPES.items():
        if not isinstance(document[name], kinds):
            raise TypeError(f"{name} = {document[name]!r:.80}")
    document["stop"] = Stop(document["stop"])
    for name in ("objective", "bound"):
        document[name] = _finite(document[name])
    document["events"] = tuple(_event(event) for event in document["events"])
    for name in ("seconds", "counts"):
        _refuse_no_numbers(name, document[name])
    document["message"] = printable(" ".join(document["message"].split()))
    return SolveResult(solution=read_decision(folder / "solution.npz"), **document)


def has_failed(result: SolveResult, folder: Path) -> bool:
    """Whether a method came to its end with an error: what it had reported before is no result."""
    return result.stop is Stop.ERROR and (folder / "result.json").exists()


def _refuse_no_numbers(name: str, found: Mapping[str, Any]) -> None:
    for key, value in found.items():
        if not isinstance(value, int | float) or not isfinite(value):
            raise TypeError(f"{name}[{key!r:.40}] = {value!r:.80}")


def _event(document: Mapping[str, Any]) -> Event:
    seconds, incumbent, bound = (document[key] for key in ("seconds", "incumbent", "bound"))
    return Event(seconds=float(seconds), incumbent=_finite(incumbent), bound=_finite(bound))


def _finite(value: float | None) -> float | None:
    """A number as a method claims it; infinities and the like are none."""
    return float(value) if value is not None and isfinite(value) else None


def salvaged(folder: Path, stop: Stop, message: str) -> SolveResult:
    """What a worker had made known before it was ended."""
    events: list[Event] = []
    seconds: dict[str, float] = {}
    best: float | None = None
    bound: float | None = None
    for line in Events(folder).rest():
        kind = line["event"]
        if kind == "phase":
            seconds[str(line.get("name"))] = line["seconds"]
        elif kind in ("incumbent", "bound"):
            best = line["value"] if kind == "incumbent" else best
            bound = line["value"] if kind == "bound" else bound
            events.append(Event(seconds=line["seconds"], incumbent=best, bound=bound))
    solution = read_decision(folder / "incumbent.npz")
    return SolveResult(
        stop=stop,
        solution=solution,
        objective=best if solution is not None else None,
        bound=bound,
        bound_source=None if bound is None else "solver",
        bound_variant=None if bound is None else "instance",
        seconds=seconds,
        events=tuple(events),
        message=message,
    )
