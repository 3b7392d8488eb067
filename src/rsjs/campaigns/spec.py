"""
A campaign as a TOML file says it, checked before anything runs.

docs/campaigns.md shows one of each kind, schemas/campaign.schema.json has all keys. Which keys name
problems and methods depends on the kind of the problems, see `KEYS`.
"""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import date, time
from difflib import get_close_matches
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from rsjs.campaigns import schema_files
from rsjs.campaigns.run import Isolation
from rsjs.campaigns.sources import Source, distinct, expanded, sources
from rsjs.core.errors import InputError, described
from rsjs.instances.io.bounded_files import read_text
from rsjs.instances.io.json_schema import pointer, walk
from rsjs.methods import Request
from rsjs.runs.kinds.base import Kind, kind

HERE = ""  # the environment that the command itself runs in
LIMITS = {  # of a file -> of a campaign
    "time_s": "time_limit",
    "memory_mb": "memory_limit_mb",
    "output_mb": "output_limit_mb",
    "gap": "gap",
}


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A method, where it runs, and patterns of the instances it is meant for."""

    request: Request
    environment: str = HERE
    on: tuple[str, ...] = ("*",)
    seeds: tuple[int, ...] | None = None  # of a policy, in place of those of the campaign
    isolation: Isolation = "process"


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """Everything that a campaign asks for."""

    name: str
    shows: str
    timing: str  # exclusive or shared
    jobs: int = 1  # runs side by side
    seeds: tuple[int, ...] = (0,)
    permute: bool = False
    repetitions: int = 1
    time_limit: float = 60.0  # s
    memory_limit_mb: float = 4096.0
    output_limit_mb: float = 256.0
    gap: float = 1e-4
    threads: tuple[int, ...] = (1,)
    kind: Kind = "instance"  # of its instances
    calibrated: bool = True  # the machine, before and after exclusive runs
    sources: tuple[Source, ...]
    choices: tuple[Choice, ...]
    environments: Mapping[str, str] = field(default_factory=dict)  # name -> interpreter
    kind_options: Mapping[str, Any] = field(default_factory=dict)  # see `Run.kind_options`
    file: Path
    text: str  # what the file holds


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Errors within name the file of a campaign, unless they name another."""
    try:
        yield
    except InputError as error:
        raise error if error.file is not None else error.at(path) from None


class Keys(NamedTuple):
    """The keys of a campaign on problems of a kind."""

    instances: str
    methods: str = "methods"
    may: frozenset[str] = frozenset()  # that it may have, and others not

    @property
    def own(self) -> set[str]:
        """Those that tell a campaign on such problems from most others."""
        return {self.instances, self.methods, *self.may} - {"methods"}


KEYS: Mapping[Kind, Keys] = {
    "workload": Keys("workloads", "policies", frozenset({"simulation"})),
    "mig_scheduling": Keys("mig_scheduling"),
    "mig_placement": Keys("mig_placement"),
    "mig_reconfiguration": Keys("mig_reconfiguration"),
    "instance": Keys("instances", may=frozenset({"permute"})),
}


def kind_of(document: Mapping[str, Any]) -> Kind:
    """Return a campaign's kind; InputError unless it has its keys, and none of another."""
    present = [one for one, keys in KEYS.items() if keys.own & {*document}]
    name = present[0] if present else "instance"
    keys = KEYS[name]
    for key in (keys.instances, keys.methods):
        if key not in document:
            raise InputError("", described(f"no key {key!r}"), "this key")
    for other in KEYS.values():
        for key in sorted(({*other.own, other.methods} - {*keys.own, keys.methods}) & {*document}):
            expected = f"it in a campaign without {keys.instances} only"
            raise InputError(f"/{key}", described("this key"), expected)
    return name


def read(path: Path) -> Campaign:
    """
    Read the campaign in a TOML file.

    Raises
    ------
    InputError
        Naming the file, the entry, what was found and what was expected; for a method, solver or
        option that is not known, the nearest that are.
    """
    text, parsed = read_toml(path)
    _refuse_unknown_keys(parsed, path)
    document = schema_files.checked(parsed, "campaign", path)
    with naming(path):
        return _campaign(document, text, path)


def _campaign(document: Mapping[str, Any], text: str, path: Path) -> Campaign:
    limits, folder = document["limits"], path.absolute().parent
    given = {"permute": document["permute"]} if "permute" in document else {}
    # an integer of a JSON Schema may be written 1.0
    given |= {key: int(document[key]) for key in ("jobs", "repetitions") if key in document}
    given |= {LIMITS[key]: float(value) for key, value in limits.items() if key in LIMITS}
    of = kind_of(document)
    own = KEYS[of]
    environments = {
        name: _interpreter(python, folder, f"/environments/{name}")
        for name, python in document.get("environments", {}).items()
    }
    return Campaign(
        name=document["name"],
        shows=document["shows"],
        timing=document["timing"],
        seeds=distinct(document.get("seeds", [0])),
        threads=distinct(limits.get("threads", [1])),
        sources=tuple(
            source
            for i, entry in enumerate(document[own.instances])
            for source in sources(of, entry, folder, f"/{own.instances}/{i}")
        ),
        choices=tuple(
            choice
            for i, entry in enumerate(document[own.methods])
            for choice in _choices(
                {"isolation": document.get("isolation", "process"), **entry},
                environments,
                f"/{own.methods}/{i}",
                kind(of).request,
            )
        ),
        environments=environments,
        kind=of,
        kind_options=_options(document) if "simulation" in own.may else {},
        file=path,
        text=text,
        **given,
    )


def _choices(
    entry: Mapping[str, Any],
    environments: Mapping[str, str],
    at: str,
    parse: Callable[[str], Request],
) -> Iterator[Choice]:
    """What one `[[methods]]` or `[[policies]]` of a campaign names; errors point to `at`."""
    environment = entry.get("environment", HERE)
    if environment != HERE and environment not in environments:
        raise _unknown(f"{at}/environment", environment, [*environments])
    for k, text in enumerate(entry["run"]):
        try:
            request = parse(text)
        except InputError as error:
            raise InputError(f"{at}/run/{k}", error.value, error.expected) from None
        yield Choice(
            request=request,
            environment=environment,
            on=tuple(entry.get("on", ("*",))),
            seeds=distinct(entry["seeds"]) if "seeds" in entry else None,
            isolation=entry["isolation"],
        )


def _options(document: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the simulations but their seeds."""
    from rsjs.simulation.options import Options

    try:
        found = asdict(Options(**document.get("simulation", {})))
    except InputError as error:
        raise InputError(f"/simulation{error.pointer}", error.value, error.expected) from None
    del found["seed"]
    return found


def _interpreter(python: str, folder: Path, at: str) -> str:
    """A path relative to the campaign's folder, or a command."""
    path = folder / expanded(python, at)
    found = str(path) if path.is_file() else shutil.which(python)
    if found is None:
        raise InputError(at, python, "a Python interpreter")
    return found


def read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    """Read a TOML file: its text, and what it says. InputError names the file."""
    text = read_text(path)
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError also of an integer of any length
        deep = isinstance(error, RecursionError)
        found = described("brackets nested too deeply" if deep else str(error))
        raise InputError("", found, "a TOML document", path) from None
    for steps, value in walk(document):
        if isinstance(value, date | time) or (isinstance(value, float) and not isfinite(value)):
            raise InputError(pointer(steps), described(f"{value}"), "text or a finite number", path)
    return text, document


def _refuse_unknown_keys(document: Mapping[str, Any], path: Path) -> None:
    """The schema refuses them too, without a word on what may have been meant."""
    known = json.loads(schema_files.schema("campaign"))["properties"]
    entries: list[tuple[str, Any, Mapping[str, Any]]] = [("", document, known)]
    for key, told in known.items():
        keys = told.get("items", told).get("properties")
        found = document.get(key)
        if keys and isinstance(found, list):
            entries += [(f"/{key}/{i}", entry, keys) for i, entry in enumerate(found)]
        elif keys:
            entries.append((f"/{key}", found, keys))
    for at, entry, keys in entries:
        for key in entry if isinstance(entry, dict) else ():
            if key not in keys:
                raise _unknown(f"{at}/{key}", key, [*keys]).at(path)


def _unknown(at: str, given: str, known: list[str]) -> InputError:
    """The error for a name at a place of the campaign."""
    near = get_close_matches(given, known, n=3) or sorted(known)
    return InputError(at, given, f"e.g. {', '.join(near)}" if near else "none is declared")
