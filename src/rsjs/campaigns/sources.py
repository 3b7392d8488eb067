"""
Where the instances of a campaign come from: a set of the library, a generator, or files.

The workloads of a campaign of simulations come from a generator or files.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from rsjs.campaigns.method_selection import distinct
from rsjs.campaigns.toml_files import expanded
from rsjs.core.errors import InputError, described
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io.bounded_files import read_bytes
from rsjs.instances.io.files import read_instance, read_workload
from rsjs.instances.io.serialization import canonical_text
from rsjs.instances.library.sets import GENERATORS, WORKLOADS, library_set, refuse_other

KINDS = ("set", "generator", "files")
MOST = 10**5  # nodes or jobs of one instance
DRAWN = ("nodes", "jobs", "seed", "law")  # arguments that have keys of their own


class ProblemSource(Protocol):
    """A problem of a campaign, not yet made."""

    @property
    def key(self) -> str:
        """Identifies what is made."""

    def make(self) -> Any:
        """Draw or read the problem."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """
    One instance or workload, not yet made.

    Attributes
    ----------
    generator : str or None
    arguments : mapping
        Of the generator.
    file : str or None
    sha256 : str or None
        Of an instance of the library.
    workload : bool
    """

    generator: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    file: str | None = None
    sha256: str | None = None
    workload: bool = False

    @property
    def key(self) -> str:
        """Identifies what is drawn or read; of a file by its bytes."""
        if self.file is not None:
            return sha256(read_bytes(self.file)).hexdigest()
        kind = "workload" if self.workload else "generator"
        return canonical_text({kind: self.generator, **self.arguments})

    def make(self) -> Instance | Workload:
        """Draw or read it; an instance of the library is compared with its digest."""
        if self.file is not None:
            return read_workload(self.file) if self.workload else read_instance(self.file)
        if self.workload:
            return WORKLOADS[str(self.generator)](**self.arguments)
        instance = GENERATORS[str(self.generator)](**self.arguments)
        if self.sha256 is not None:
            refuse_other(instance, self.sha256)
        return instance


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
        return _of_set(entry["set"], f"{at}/set")
    return _found(entry["files"], folder, at) if "files" in entry else _drawn(entry, at)


def workload_sources(entry: Mapping[str, Any], folder: Path, at: str) -> list[Source]:
    """What one `[[workloads]]` names: for each of its `arrivals` what an instance would be."""
    if ("files" in entry) == ("generator" in entry):
        given = "files and generator" if "files" in entry else "neither files nor generator"
        raise InputError(at, described(given), "one of generator, files")
    extra = {"sizes", "seeds", "options", "arrivals"} & {*entry}
    if "files" in entry and extra:
        raise InputError(f"{at}/{min(extra)}", described("this key"), "it beside a generator only")
    if "files" in entry:
        return [replace(one, workload=True) for one in _found(entry["files"], folder, at)]
    made = []
    if "arrivals" not in entry:
        return _drawn(entry, at, workload=True)
    for k, law in enumerate(entry["arrivals"]):
        made += _drawn(entry, at, {"law": law}, f"/arrivals/{k}", workload=True)
    return made


def _of_set(name: str, at: str) -> list[Source]:
    try:
        chosen = library_set(name)
    except InputError as error:
        raise InputError(at, error.value, error.expected) from None
    if chosen.of_mig_jobs:
        raise InputError(at, name, "a set of instances, not of MIG jobs: see [[mig_scheduling]]")
    return [
        Source(generator=member.generator, arguments=member.arguments, sha256=member.sha256)
        for member in chosen.members
    ]


def _found(patterns: list[str], folder: Path, at: str) -> list[Source]:
    return [Source(file=path) for path in found_files(patterns, folder, at)]


def found_files(patterns: list[str], folder: Path, at: str) -> list[str]:
    """The files that patterns stand for, relative to a folder; errors point to `at`/files."""
    found = []
    for k, pattern in enumerate(patterns):
        place = expanded(pattern, f"{at}/files/{k}")
        base = Path(place.anchor) if place.is_absolute() else folder
        paths = []
        with suppress(ValueError, IndexError):  # "" and "**x" are no patterns
            paths = sorted(base.glob(str(place.relative_to(place.anchor))))
        paths = [path for path in paths if path.is_file()]
        if not paths:
            raise InputError(f"{at}/files/{k}", pattern, f"instance files below {folder}")
        found += [str(path) for path in paths]
    return found


def _drawn(
    entry: Mapping[str, Any],
    at: str,
    arrivals: Mapping[str, str] = MappingProxyType({}),
    place: str = "",
    *,
    workload: bool = False,
) -> list[Source]:
    name, options = entry["generator"], entry.get("options", {})
    generators: Mapping[str, Callable[..., Any]] = WORKLOADS if workload else GENERATORS
    if name not in generators:
        raise InputError(f"{at}/generator", name, _near(name, [*generators]))
    free = [one for one in inspect.signature(generators[name]).parameters if one not in DRAWN]
    for option in options:
        if option not in free:
            raise InputError(f"{at}/options/{option}", option, _near(option, free))
    if "sizes" not in entry:
        raise InputError(at, described("no key 'sizes'"), 'sizes, e.g. ["2x20", "10x100"]')
    drawn = [
        Source(
            generator=name,
            arguments={**_size(size, f"{at}/sizes/{k}"), "seed": s, **arrivals, **options},
            workload=workload,
        )
        for k, size in enumerate(entry["sizes"])
        for s in distinct(entry.get("seeds", [1]))
    ]
    _refuse_bad_options(drawn[0], at, place)
    return drawn


def _refuse_bad_options(source: Source, at: str, arrivals: str) -> None:
    """Draw the smallest instance with these options, and with the law of arrivals found there."""
    try:
        replace(source, arguments={**source.arguments, "nodes": 1, "jobs": 1}, sha256=None).make()
    except InputError as error:
        place = arrivals if error.pointer == "/law" else f"/options{error.pointer}"
        raise InputError(f"{at}{place}", error.value, error.expected) from None


def _size(text: str, at: str) -> dict[str, int]:
    found = re.fullmatch(r"([1-9]\d{0,17})x([1-9]\d{0,17})", text)
    if not found:
        raise InputError(at, text, "nodes x jobs, e.g. 10x100")
    nodes, jobs = int(found[1]), int(found[2])
    if max(nodes, jobs) > MOST:
        raise InputError(at, text, f"at most {MOST} nodes and {MOST} jobs")
    return {"nodes": nodes, "jobs": jobs}


def _near(given: str, known: list[str]) -> str:
    return f"e.g. {', '.join(get_close_matches(given, known, n=3) or sorted(known))}"
