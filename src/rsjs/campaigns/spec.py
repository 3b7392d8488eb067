"""
A campaign as a TOML file says it, checked before anything runs.

docs/reference/campaign-file.md shows one of each kind, data/campaign.schema.json has all keys.
Which keys name problems and methods depends on the kind of the problems, see `ProblemKind.keys`.
"""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, time
from fnmatch import fnmatchcase
from itertools import product
from math import isfinite
from pathlib import Path
from typing import Any

from rsjs.campaigns import schema_files, solver_versions
from rsjs.campaigns.run import Isolation
from rsjs.campaigns.sources import Source, distinct, expanded, pointed, sources, unknown
from rsjs.core.call import Limits
from rsjs.core.errors import InputError, described
from rsjs.core.own_code import relative_to
from rsjs.formulations.backends.external import checked_table
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.instances.io.bounded_files import read_text
from rsjs.instances.io.json_schema import pointer, walk
from rsjs.methods import Request
from rsjs.runs.kinds.base import KINDS, Kind, ProblemKind, kind

HERE = ""  # the environment that the command itself runs in
MEMORY_MB, OUTPUT_MB = 4096.0, 256.0  # limits of a run unless the campaign has its own


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A method, where it runs, and patterns of the instances it is meant for."""

    request: Request
    environment: str = HERE
    on: tuple[str, ...] = ("*",)
    seeds: tuple[int, ...] | None = None  # of a policy, in place of those of the campaign
    isolation: Isolation = "process"

    def is_for(self, instance: str) -> bool:
        """Return whether the method is meant for the instance of that name."""
        return any(fnmatchcase(instance, pattern) for pattern in self.on)


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
    limits: Limits  # of runs, but for seed and threads
    output_limit_mb: float = OUTPUT_MB
    threads: tuple[int, ...] = (1,)
    kind: Kind = "instance"  # of its instances
    calibrated: bool = True  # the machine, before and after exclusive runs
    sources: tuple[Source, ...]
    choices: tuple[Choice, ...]
    environments: Mapping[str, str] = field(default_factory=dict)  # name -> interpreter
    kind_options: Mapping[str, Any] = field(default_factory=dict)  # see `Run.kind_options`
    file: Path
    text: str  # what the file holds


def kind_of(document: Mapping[str, Any]) -> ProblemKind:
    """Return the kind of a campaign's problems; InputError unless it has the keys of one kind."""
    *others, instance = sorted(map(kind, KINDS), key=lambda one: one.name == "instance")
    given = {*document} - {"methods"}
    found = next((one for one in others if given & {*one.keys}), instance)
    for key in found.keys[:2]:
        if key not in document:
            raise InputError("", described(f"no key {key!r}"), "this key")
    foreign = {key for one in (*others, instance) for key in one.keys} - {*found.keys}
    for key in sorted(foreign & {*document}):
        expected = f"it in a campaign without {found.keys[0]} only"
        raise InputError(f"/{key}", described("this key"), expected)
    return found


def read(path: Path) -> Campaign:
    """
    Read the campaign in a TOML file.

    InputError names the file, the entry, what was found and what was expected; for a method, solver
    or option that is not known, the nearest that are.
    """
    text, parsed = read_toml(path)
    with pointed(file=path), relative_to(path.parent):
        _refuse_unknown_keys(parsed, json.loads(schema_files.schema("campaign")))
        return _campaign(schema_files.checked(parsed, "campaign", path), text, path)


def with_methods(campaign: Campaign, requests: Iterable[Request]) -> Campaign:
    """
    Return a campaign with other methods on all its instances.

    What finds no solution stays, as bounds are what methods are compared with.
    """
    first, bounds = campaign.choices[0], [c for c in campaign.choices if not c.request.decides]
    asked = (Choice(request=request, isolation=first.isolation) for request in requests)
    return replace(campaign, choices=(*asked, *bounds))


def _campaign(document: Mapping[str, Any], text: str, path: Path) -> Campaign:
    limits, folder = document.get("limits", {}), path.absolute().parent
    of = kind_of(document)
    problems, methods, *_ = of.keys
    programs = _programs(document.get("solvers", ()), folder)
    environments = _interpreters(document.get("environments", {}), folder)
    return Campaign(
        name=document["name"],
        shows=document["shows"],
        timing=document["timing"],
        jobs=int(document.get("jobs", 1)),  # an integer of a JSON Schema may be written 1.0
        repetitions=int(document.get("repetitions", 1)),
        permute=document.get("permute", False),
        limits=Limits(
            time_limit=float(limits.get("time_s", Limits.time_limit)),
            gap=float(limits.get("gap", Limits.gap)),
            memory_limit_mb=float(limits.get("memory_mb", MEMORY_MB)),
        ),
        output_limit_mb=float(limits.get("output_mb", OUTPUT_MB)),
        seeds=distinct(document.get("seeds", [0])),
        threads=distinct(limits.get("threads", [1])),
        sources=tuple(
            source
            for i, entry in enumerate(document[problems])
            for source in sources(of.name, entry, folder, f"/{problems}/{i}")
        ),
        choices=tuple(
            choice
            for i, entry in enumerate(document[methods])
            for choice in _choices(of, document, entry, programs, f"/{methods}/{i}")
        ),
        environments=environments,
        kind=of.name,
        kind_options=_options(document) if "simulation" in of.keys else {},
        file=path,
        text=text,
    )


def _programs(entries: Iterable[Mapping[str, Any]], folder: Path) -> dict[str, str]:
    """Return the tables of the programs in `[[solvers]]`, as JSON, by name."""
    found: dict[str, str] = {}
    for i, entry in enumerate(entries):
        with pointed(f"/solvers/{i}"):
            table = checked_table(entry, folder)
            name = entry["name"]
            if name in BACKENDS or name in found:
                expected = "a name that no other solver has"
                raise InputError("/name", name, expected)
        found[name] = table
    return found


def _with_tables(specification: str, programs: Mapping[str, str]) -> str:
    """Return a specification with the tables of the programs that it names."""

    def table(found: re.Match[str]) -> str:
        return "@" + programs.get(found[1], found[1])

    return re.sub(r"@([A-Za-z][\w.+-]*)(?=$|[:?)|,])", table, specification)


def _choices(
    of: ProblemKind,
    document: Mapping[str, Any],
    entry: Mapping[str, Any],
    programs: Mapping[str, str],
    at: str,
) -> Iterator[Choice]:
    """What one `[[methods]]` or `[[policies]]` of a campaign names; errors point to `at`."""
    known, named = document.get("environments", {}), entry.get("environment", HERE)
    environments = [named] if isinstance(named, str) else named
    for environment in environments:
        if environment != HERE and environment not in known:
            raise unknown(f"{at}/environment", environment, known)
    for (k, text), environment in product(enumerate(entry["run"]), environments):
        with pointed(f"{at}/run/{k}"):
            request = of.request(_with_tables(text, programs))
        yield Choice(
            request=request,
            environment=environment,
            on=tuple(entry.get("on", ("*",))),
            seeds=distinct(entry["seeds"]) if "seeds" in entry else None,
            isolation=entry.get("isolation", document.get("isolation", "process")),
        )


def _options(document: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the simulations but their seeds."""
    from rsjs.simulation.options import Options

    with pointed("/simulation"):
        return Options(**document.get("simulation", {})).of_campaign()


def _interpreters(declared: Mapping[str, str] | list[str], folder: Path) -> dict[str, str]:
    """Return the interpreters of own environments, or of those that `rsjs environments` makes."""
    if isinstance(declared, Mapping):
        at = "/environments/"
        return {name: _interpreter(one, folder, at + name) for name, one in declared.items()}
    for i, name in enumerate(declared):
        if name not in solver_versions.locks():
            raise unknown(f"/environments/{i}", name, solver_versions.locks())
    return {name: solver_versions.interpreter(name) for name in declared}


def _interpreter(python: str, folder: Path, at: str) -> str:
    """A path relative to the campaign's folder, or a command."""
    path = folder / expanded(python, at)
    found = str(path) if path.is_file() else shutil.which(python)
    if found is None:
        raise InputError(at, python, "a Python interpreter")
    return found


def read_toml(path: Path, data: bytes | None = None) -> tuple[str, dict[str, Any]]:
    """Read a TOML file, or its `data`: text, and what it says. InputError names the file."""
    text = read_text(path, data)
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


def _refuse_unknown_keys(value: Any, schema: Mapping[str, Any], at: str = "") -> None:
    """The schema refuses them too, without a word on what may have been meant."""
    if isinstance(value, list) and "items" in schema:
        for i, entry in enumerate(value):
            _refuse_unknown_keys(entry, schema["items"], f"{at}/{i}")
    elif isinstance(value, dict) and (known := schema.get("properties")):
        for key, entry in value.items():
            if key not in known:
                raise unknown(f"{at}/{key}", key, known)
            _refuse_unknown_keys(entry, known[key], f"{at}/{key}")
