"""The events that a worker reports as lines of a file while it runs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import IO, Any

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

    It is read on after somebody has removed it; one that was not there has no lines.
    """

    def __init__(self, path: Path) -> None:
        self._file: IO[bytes] = BytesIO()
        with suppress(FileNotFoundError):
            self._file = path.open("rb")
        self._offset = 0

    def lines(self) -> list[str]:
        """The complete lines that are new."""
        self._file.seek(self._offset)
        data = self._file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        return whole.decode("utf-8", errors="replace").splitlines()


def _is_event(line: Any) -> bool:
    fields = NUMBERS.get(str(line.get("event"))) if isinstance(line, dict) else None
    return fields is not None and all(isinstance(line.get(name), int | float) for name in fields)


class Events:
    """The event lines of a run's folder; what a method may have written between them is dropped."""

    def __init__(self, folder: Path) -> None:
        self._tail = Tail(folder / EVENTS)

    def new(self) -> Iterator[Line]:
        """The events since the last look."""
        for text in self._tail.lines():
            with suppress(ValueError, RecursionError):
                line = json.loads(text)
                if _is_event(line):
                    yield line
