"""The events that a worker reports as lines of a file while it runs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import BytesIO
from math import isfinite
from pathlib import Path
from typing import IO, Any

from rsjs.core.errors import InputError
from rsjs.instances.io.bounded_files import opened

LOOK, MOST = 2**18, 2**23  # bytes: a method cannot report more than a few MB, see `Report`

Line = dict[str, Any]

EVENTS = "events.jsonl"
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
