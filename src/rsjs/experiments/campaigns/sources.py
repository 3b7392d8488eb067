"""Where the instances of a campaign come from: a named set, a generator with seeds, or files."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from rsjs.instances.documents import canonical_text
from rsjs.instances.errors import InputError, described
from rsjs.instances.files import read_instance
from rsjs.instances.generators import andreas, jahani, kiros, sts
from rsjs.instances.schema import Instance

GENERATORS: Mapping[str, Callable[..., Instance]] = {
    "jahani": jahani.generate,
    "kiros": kiros.generate,
    "andreas": andreas.generate,
    "sts": sts.generate,
}
KINDS = ("set", "generator", "files")


@dataclass(frozen=True, kw_only=True)
class Source:
    """
    One instance, not yet made.

    Attributes
    ----------
    generator : str or None
    arguments : mapping
        Of the generator.
    file : str or None
    """

    generator: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    file: str | None = None

    @property
    def key(self) -> str:
        """Identifies what is drawn or read; of a file by its bytes."""
        if self.file is not None:
            return sha256(Path(self.file).read_bytes()).hexdigest()
        return canonical_text({"generator": self.generator, **self.arguments})

    def make(self) -> Instance:
        """Draw or read the instance."""
        if self.file is not None:
            return read_instance(self.file)
        return GENERATORS[str(self.generator)](**self.arguments)


def sources(entry: Mapping[str, Any], folder: Path, at: str) -> list[Source]:
    """What one `[[instances]]` of a campaign in a folder names; errors point to `at`."""
    given = [kind for kind in KINDS if kind in entry]
    if len(given) != 1:
        found = described(" and ".join(given) or "neither set nor generator nor files")
        raise InputError(at, found, f"one of {', '.join(KINDS)}")
    extra = {"sizes", "seeds", "options"} & {*entry} if given != ["generator"] else set()
    if extra:
        raise InputError(f"{at}/{min(extra)}", described("this key"), "it beside a generator only")
    if "set" in entry:
        members = _named(entry["set"], at)
        return [source for member in members for source in sources(member, folder, at)]
    return _found(entry["files"], folder, at) if "files" in entry else _drawn(entry, at)


@cache
def sets() -> Mapping[str, Any]:
    """The named sets: name -> summary and instances."""
    text = (files("rsjs.experiments.campaigns") / "bundled" / "sets.toml").read_text("utf-8")
    return tomllib.loads(text)


def _named(name: str, at: str) -> list[Mapping[str, Any]]:
    if name not in sets():
        raise InputError(f"{at}/set", name, _near(name, [*sets()]))
    members: list[Mapping[str, Any]] = sets()[name]["instances"]
    return members


def _found(patterns: list[str], folder: Path, at: str) -> list[Source]:
    found = []
    for k, pattern in enumerate(patterns):
        place = folder / Path(pattern).expanduser()
        paths = sorted(Path(place.anchor).glob(str(place.relative_to(place.anchor))))
        if not paths:
            raise InputError(f"{at}/files/{k}", pattern, f"instance files below {folder}")
        found += [Source(file=str(path)) for path in paths]
    return found


def _drawn(entry: Mapping[str, Any], at: str) -> list[Source]:
    name, options = entry["generator"], entry.get("options", {})
    if name not in GENERATORS:
        raise InputError(f"{at}/generator", name, _near(name, [*GENERATORS]))
    known = [*inspect.signature(GENERATORS[name]).parameters]
    for option in options:
        if option not in known or option in ("nodes", "jobs", "seed"):
            free = [one for one in known if one not in ("nodes", "jobs", "seed")]
            raise InputError(f"{at}/options/{option}", option, _near(option, free))
    if "sizes" not in entry:
        raise InputError(at, described("no key 'sizes'"), 'sizes, e.g. ["2x20", "10x100"]')
    drawn = [
        Source(generator=name, arguments={**_size(size, f"{at}/sizes/{k}"), "seed": s, **options})
        for k, size in enumerate(entry["sizes"])
        for s in entry.get("seeds", [1])
    ]
    _refuse_bad_options(drawn[0], at)
    return drawn


def _refuse_bad_options(source: Source, at: str) -> None:
    """Draw the smallest instance with these options."""
    try:
        GENERATORS[str(source.generator)](**{**source.arguments, "nodes": 1, "jobs": 1})
    except InputError as error:
        raise InputError(f"{at}/options{error.pointer}", error.value, error.expected) from None


def _size(text: str, at: str) -> dict[str, int]:
    found = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)", text)
    if not found:
        raise InputError(at, text, "nodes x jobs, e.g. 10x100")
    return {"nodes": int(found[1]), "jobs": int(found[2])}


def _near(given: str, known: list[str]) -> str:
    return f"e.g. {', '.join(get_close_matches(given, known, n=3) or sorted(known))}"
