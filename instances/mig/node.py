"""A place in a configuration: its value, its JSON pointer, and what it may refer to."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsjs.instances.errors import InputError, described, escaped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rsjs.instances.mig.job_generator.plugins import Plugins


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """
    What a configuration may refer to.

    Attributes
    ----------
    folder : Path
        Where relative names of data files begin.
    plugins : Plugins
    files : dict
        Filled while reading: name of each data file and its sha256.
    """

    folder: Path
    plugins: Plugins
    files: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a configuration that fits the schema."""

    value: Any
    pointer: str
    around: Surroundings

    def __getitem__(self, key: str | int) -> Any:
        return self.value[key]

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, dict) and key in self.value

    def at(self, *keys: str | int) -> Node:
        """The place below."""
        value, pointer = self.value, self.pointer
        for key in keys:
            value, pointer = value[key], f"{pointer}/{escaped(str(key))}"
        return Node(value, pointer, self.around)

    def parts(self, key: str) -> list[Node]:
        """The entries of the array under a key."""
        return [self.at(key, i) for i in range(len(self.value[key]))]

    def error(self, expected: str, *, value: Any = None) -> InputError:
        """What is wrong here; `value` if it is not what stands here."""
        found = self.value if value is None else value
        if isinstance(found, dict):
            found = described("an object")
        return InputError(self.pointer, found, expected)


def nearest_first(word: str, known: Iterable[str]) -> str:
    """The known words, the one most like `word` first, for an error."""

    def likeness(name: str) -> float:
        return -SequenceMatcher(None, word.lower(), name).ratio()

    return ", ".join(sorted(known, key=likeness))
