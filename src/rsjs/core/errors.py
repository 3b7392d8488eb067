"""The errors that bad input and failing methods raise, and checks of arguments."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from difflib import get_close_matches
from math import inf
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rsjs.core.report import SolveResult


# Signs that steer a terminal or turn the direction of text instead of being shown.
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


FEW = 10  # names that a message lists
STANDARD = "-"  # as a file's name: standard input, or standard output


class InputError(ValueError):
    """
    Bad input, reported in one line: file, JSON pointer, value found, what was expected.

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
        shown = _short(value, 160) if isinstance(value, _Bare) else _short(repr(value))
        name = "standard input" if str(file) == STANDARD else file
        place = f"{name}: " if file is not None else ""
        where = f"{_short(pointer, 200)}: " if pointer else ""
        message = f"{place}{where}found {shown}, expected {_short(expected, 300)}"
        super().__init__(printable(message))

    def at(self, file: str | Path) -> InputError:
        """Return this error with the name of its file."""
        return type(self)(self.pointer, self.value, self.expected, file)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.pointer, self.value, self.expected, self.file)


class NewerFormat(InputError):
    """A file in a newer format than this version of the package reads; it is not damaged."""


class MethodError(RuntimeError):
    """
    A method that failed: it raised an exception, its process died, or its solution is wrong.

    Parameters
    ----------
    method : str
        Its specification.
    result : SolveResult
        Result of the run; its message is the reason.
    """

    def __init__(self, method: str, result: SolveResult) -> None:
        self.method, self.result = method, result
        super().__init__(f"{method}: {result.message}")

    def __reduce__(self) -> tuple[Any, ...]:
        return MethodError, (self.method, self.result)


class _Bare(str):
    """A description shown without quotes."""


def described(text: str) -> str:
    """Return a value for `InputError` that is a description: shown without quotes."""
    return _Bare(" ".join(text.split()))


def reason(error: OSError | ValueError | RuntimeError) -> str:
    """Return the system's message on a file that cannot be read or written, as a description."""
    return described(getattr(error, "strerror", None) or str(error))


def escaped(key: str) -> str:
    """Return a key as one step of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def refuse_control(pointer: str, *names: str) -> None:
    """Raise InputError for a name with control characters, as names reach terminals and tables."""
    for name in names:
        if CONTROL.search(name):
            raise InputError(pointer, name, "a name without control characters")


def told(error: BaseException) -> str:
    """Return an exception of foreign code in one line: its type, and its message if it has one."""
    try:
        words = str(error)
    except Exception:
        words = "no message, as its __str__ fails"
    return printable(" ".join(f"{type(error).__name__}: {words}".split()))


def printable(text: str) -> str:
    """Return a text with escapes for line breaks and unprintable characters."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _short(text: str, limit: int = 80) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."


def nearest(given: str, known: Iterable[str]) -> str:
    """Return the three names that are most like a given one; of few, all if none is like it."""
    names = sorted({*known})
    few = names if len(names) <= FEW else get_close_matches(given, names, cutoff=0.0)
    return ", ".join(get_close_matches(given, names) or few)


def one_of(argument: str, value: Any, known: Iterable[str]) -> str:
    """Return `value` if it is one of the known names."""
    names = list(known)
    if value not in names:
        near = get_close_matches(str(value), names) if len(names) > FEW else []
        expected = f"e.g. {', '.join(near)}" if near else f"one of {', '.join(names)}"
        raise InputError(f"/{argument}", value, expected)
    return str(value)


def integer(argument: str, value: Any, least: int, most: float = inf) -> int:
    """Return `value` as an int from `least` to `most`."""
    with suppress(TypeError):
        number = int(index(value))
        if least <= number <= most:
            return number
    limit = "" if most == inf else f" and <= {most}"
    raise InputError(f"/{argument}", value, f"an integer >= {least}{limit}")


def positive(argument: str, value: Any) -> float:
    """Return `value` as a float in (0, 1e9]."""
    if not isinstance(value, int | float) or not 0 < value <= 1e9:
        raise InputError(f"/{argument}", value, "a number > 0 and <= 1e+09")
    return float(value)
