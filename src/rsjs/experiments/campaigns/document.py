"""
A campaign as a TOML file says it, checked before anything runs.

    format = "rsjs-campaign/1"
    name = "example"
    shows = "HiGHS and SCIP on small instances of Jahani 2019"
    timing = "shared"                       # or "exclusive": one run at a time, seconds count
    jobs = 2                                # runs side by side
    seeds = [0, 1, 2]
    permute = true                          # seed s > 0 also permutes jobs and nodes

    [limits]
    time_s = 60
    memory_mb = 4096
    threads = [1, 2]                        # each run once with each

    [environments]                          # only for methods that name one
    old = "venvs/highs-1.12/bin/python"     # relative to this file

    [[instances]]
    generator = "jahani"                    # or: set = "tiny", or: files = ["cases/*.json"]
    sizes = ["2x20", "10x100"]              # nodes x jobs
    seeds = [1, 2]
    options = { catalogue = "table2" }

    [[methods]]
    run = ["jahani_patterns@highs", "jahani_patterns@scip"]
    on = ["jahani-*"]                       # names of instances; all by default
    environment = "old"
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rsjs.experiments.campaigns import formats
from rsjs.experiments.campaigns.known_keys import refuse_unknown_keys, unknown
from rsjs.experiments.campaigns.sources import Source, sources
from rsjs.instances.errors import InputError, described
from rsjs.methods import Request, parse

HERE = ""  # the environment that the command itself runs in


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A method, the environment it runs in, and patterns of the instances it is meant for."""

    request: Request
    environment: str = HERE
    on: tuple[str, ...] = ("*",)


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """
    Everything that a campaign asks for.

    Attributes
    ----------
    name, shows : str
    timing : "exclusive" | "shared"
    jobs : int
        Runs side by side.
    seeds, threads : tuple of int
    permute : bool
    repetitions : int
    time_limit : float [s]
    memory_limit_mb, output_limit_mb, gap : float
    sources : tuple of Source
    choices : tuple of Choice
    environments : mapping
        Name -> interpreter.
    text : str
        The file itself.
    """

    name: str
    shows: str
    timing: str
    jobs: int = 1
    seeds: tuple[int, ...] = (0,)
    permute: bool = False
    repetitions: int = 1
    time_limit: float = 60.0
    memory_limit_mb: float = 4096.0
    output_limit_mb: float = 256.0
    gap: float = 1e-4
    threads: tuple[int, ...] = (1,)
    sources: tuple[Source, ...]
    choices: tuple[Choice, ...]
    environments: Mapping[str, str] = field(default_factory=dict)
    text: str


def read(path: Path) -> Campaign:
    """
    The campaign in a TOML file.

    Raises
    ------
    InputError
        Naming the file, the entry, what was found and what was expected; for a method, solver or
        option that is not known, the nearest that are.
    """
    text = _text(path)
    try:
        parsed = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError("", described(str(error)), "a TOML document", path) from None
    refuse_unknown_keys(parsed, path)
    document = formats.checked(parsed, "campaign", path)
    try:
        return _campaign(document, text, path.absolute().parent)
    except InputError as error:
        raise error if error.file is not None else error.at(path) from None


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError("", described(reason), "a readable file", path) from None


def _campaign(document: Mapping[str, Any], text: str, folder: Path) -> Campaign:
    limits = document["limits"]
    given = {key: document[key] for key in ("jobs", "permute", "repetitions") if key in document}
    named = {
        "time_s": "time_limit",
        "memory_mb": "memory_limit_mb",
        "output_mb": "output_limit_mb",
        "gap": "gap",
    }
    given |= {named[key]: float(value) for key, value in limits.items() if key in named}
    environments = {
        name: _interpreter(python, folder, f"/environments/{name}")
        for name, python in document.get("environments", {}).items()
    }
    return Campaign(
        name=document["name"],
        shows=document["shows"],
        timing=document["timing"],
        seeds=_distinct(document.get("seeds", [0])),
        threads=_distinct(limits.get("threads", [1])),
        sources=tuple(
            source
            for i, entry in enumerate(document["instances"])
            for source in sources(entry, folder, f"/instances/{i}")
        ),
        choices=tuple(
            choice
            for i, entry in enumerate(document["methods"])
            for choice in _choices(entry, environments, f"/methods/{i}")
        ),
        environments=environments,
        text=text,
        **given,
    )


def _choices(entry: Mapping[str, Any], environments: Mapping[str, str], at: str) -> list[Choice]:
    environment = entry.get("environment", HERE)
    if environment != HERE and environment not in environments:
        raise unknown(f"{at}/environment", environment, [*environments])
    on = tuple(entry.get("on", ("*",)))
    return [
        Choice(request=_request(spelling, f"{at}/run/{k}"), environment=environment, on=on)
        for k, spelling in enumerate(entry["run"])
    ]


def _request(spelling: str, at: str) -> Request:
    try:
        return parse(spelling)
    except InputError as error:
        raise InputError(at, error.value, error.expected) from None


def _interpreter(python: str, folder: Path, at: str) -> str:
    """A path relative to the campaign's folder, or a command."""
    path = folder / Path(python).expanduser()
    found = str(path) if path.is_file() else shutil.which(python)
    if found is None:
        raise InputError(at, python, "a Python interpreter")
    return found


def _distinct(numbers: list[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(numbers))
