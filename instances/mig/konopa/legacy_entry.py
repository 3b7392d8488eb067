"""A value in a configuration of the published program, read as that program reads it."""

from __future__ import annotations

from dataclasses import dataclass
from math import trunc
from typing import Any

from rsjs.instances.errors import InputError, described


@dataclass(frozen=True, slots=True)
class Entry:
    """A value of the document and where it stands."""

    value: Any
    pointer: str

    def at(self, key: str) -> Entry:
        """The value under a key, which must be there."""
        if not isinstance(self.value, dict):
            raise self.error("an object")
        if key not in self.value:
            raise InputError(self.pointer, described(f"no key {key!r}"), "this key")
        return Entry(self.value[key], f"{self.pointer}/{key}")

    def word(self, *known: str) -> str:
        """One of some words, in any case."""
        found = {word.lower(): word for word in known}.get(str(self.value).lower())
        if not isinstance(self.value, str) or found is None:
            raise self.error(f"one of {', '.join(known)}")
        return found

    def number(self, least: float, most: float) -> float:
        """A number in a range."""
        expected = f"a number >= {least:g} and <= {most:g}"
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.error(expected)
        if not least <= self.value <= most:
            raise self.error(expected)
        return float(self.value)

    def integer(self, least: int, most: int) -> int:
        """An integer in a range; a fraction is cut, as Java does."""
        expected = f"an integer >= {least} and <= {most}"
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.error(expected)
        number = trunc(self.value)
        if not least <= number <= most:
            raise self.error(expected)
        return number

    def error(self, expected: str) -> InputError:
        """What is wrong here."""
        value = described("an object") if isinstance(self.value, dict) else self.value
        return InputError(self.pointer, value, expected)
