"""The one error that bad input raises."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class InputError(ValueError):
    """
    Bad input, told in one line: file, JSON pointer, value found, what was expected.

    Parameters
    ----------
    pointer : str
        JSON pointer (RFC 6901) of the offending entry; "" is the whole document.
    value : object
        The value found there.
    expected : str
        What would have been accepted.
    file : path, optional
        The file the document came from; readers add it with `at`.
    """

    def __init__(
        self, pointer: str, value: Any, expected: str, file: str | Path | None = None
    ) -> None:
        self.pointer = pointer
        self.value = value
        self.expected = expected
        self.file = file
        shown = value if isinstance(value, _Bare) else _short(repr(value))
        place = f"{file}: " if file is not None else ""
        where = f"{pointer}: " if pointer else ""
        super().__init__(f"{place}{where}found {shown}, expected {expected}")

    def at(self, file: str | Path) -> InputError:
        """The same error with the file it was found in."""
        return InputError(self.pointer, self.value, self.expected, file)

    def __reduce__(self) -> tuple[Any, ...]:
        return InputError, (self.pointer, self.value, self.expected, self.file)


class _Bare(str):
    """A description shown without quotes."""


def described(text: str) -> str:
    """A value for `InputError` that is a description, not data: shown without quotes."""
    return _Bare(" ".join(text.split()))


def _short(text: str, limit: int = 80) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 3] + "..."
