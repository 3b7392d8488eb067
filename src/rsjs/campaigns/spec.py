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

One of simulations has workloads and policies in place of instances and methods, one of schedules on
MIG instances has mig_scheduling in place of instances, see `parts`.

What a campaign of simulations says in place of instances and methods.

    [simulation]                            # options, see `rsjs.simulation.options`
    energy = "curve"
    boot = 0.025                            # hours

    [[workloads]]
    generator = "sts"                       # or: files = ["cases/*.json.gz"]
    sizes = ["10x100"]                      # nodes x jobs
    seeds = [1, 2, 3]
    arrivals = ["exp", "low", "high"]       # laws of the generator
    options = { mix = "km" }

    [[policies]]
    run = ["queue:edf", "sts:fallback", "references?bucket_hours=2"]
    on = ["sts-km-*"]                       # names of workloads; all by default
    seeds = [1, 2, 3]                       # in place of those of the campaign

`references` gives the bounds and baselines of a workload. The seed of a run is the seed of its
simulation; `permute` is for instances only, and `gap` and `threads` mean nothing here.

The kinds of campaigns, by the keys that each has of its own.

    instances, methods          methods solve instances
    workloads, policies         policies decide on workloads, see `simulation_document`
    mig_scheduling, methods     methods schedule jobs on MIG instances, see `mig_sources`
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from rsjs.campaigns import schema_files
from rsjs.campaigns.method_selection import Choice, choices, distinct, refuse_unknown_keys
from rsjs.campaigns.mig_sources import mig_sources
from rsjs.campaigns.sources import ProblemSource, sources, workload_sources
from rsjs.campaigns.toml_files import expanded, read_toml
from rsjs.core.errors import InputError, described
from rsjs.runs.kinds.base import Kind, kind


def options(document: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the simulations but their seeds."""
    from rsjs.simulation.options import Options

    try:
        found = asdict(Options(**document.get("simulation", {})))
    except InputError as error:
        raise InputError(f"/simulation{error.pointer}", error.value, error.expected) from None
    del found["seed"]
    return found


class Part(NamedTuple):
    """
    Attributes
    ----------
    kind : Kind
    instances, methods : str
        The keys that it needs.
    may : frozenset of str
        Keys that it may have, and others not.
    sources : callable
        What reads their entries.
    """

    kind: Kind
    instances: str
    methods: str
    may: frozenset[str]
    sources: Callable[[Mapping[str, Any], Path, str], Sequence[ProblemSource]]


PARTS = (
    Part(
        "workload",
        "workloads",
        "policies",
        frozenset({"simulation"}),
        workload_sources,
    ),
    Part(
        "mig_scheduling",
        "mig_scheduling",
        "methods",
        frozenset(),
        mig_sources,
    ),
    Part("instance", "instances", "methods", frozenset({"permute"}), sources),
)


def part_of(document: Mapping[str, Any]) -> Part:
    """
    The kind of a campaign.

    Raises
    ------
    InputError
        Unless it has all keys of its kind, and none of another.
    """
    *others, own = PARTS
    for part in others:
        if ({part.instances, part.methods, *part.may} - {own.methods}) & {*document}:
            own = part
            break
    for key in (own.instances, own.methods):
        if key not in document:
            raise InputError("", described(f"no key {key!r}"), "this key")
    allowed = {own.instances, own.methods, *own.may}
    for part in PARTS:
        for key in (part.instances, part.methods, *part.may):
            if key in document and key not in allowed:
                expected = f"it in a campaign without {own.instances} only"
                raise InputError(f"/{key}", described("this key"), expected)
    return own


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
    kind : Kind
        What its instances are.
    calibrated : bool
        Whether the machine is calibrated before and after exclusive runs.
    sources : tuple of ProblemSource
    choices : tuple of Choice
    environments : mapping
        Name -> interpreter.
    kind_options : mapping
        Options of its simulations, without the seed.
    file : Path
    text : str
        What it holds.
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
    kind: Kind = "instance"
    calibrated: bool = True
    sources: tuple[ProblemSource, ...]
    choices: tuple[Choice, ...]
    environments: Mapping[str, str] = field(default_factory=dict)
    kind_options: Mapping[str, Any] = field(default_factory=dict)
    file: Path
    text: str

    @contextmanager
    def named(self) -> Iterator[None]:
        """Errors within name the file of the campaign, unless they name another."""
        try:
            yield
        except InputError as error:
            raise error if error.file is not None else error.at(self.file) from None


def read(path: Path) -> Campaign:
    """
    The campaign in a TOML file.

    Raises
    ------
    InputError
        Naming the file, the entry, what was found and what was expected; for a method, solver or
        option that is not known, the nearest that are.
    """
    text, parsed = read_toml(path)
    refuse_unknown_keys(parsed, path)
    document = schema_files.checked(parsed, "campaign", path)
    try:
        return _campaign(document, text, path)
    except InputError as error:
        raise error if error.file is not None else error.at(path) from None


def _campaign(document: Mapping[str, Any], text: str, path: Path) -> Campaign:
    limits, folder = document["limits"], path.absolute().parent
    given = {"permute": document["permute"]} if "permute" in document else {}
    # an integer of a JSON Schema may be written 1.0
    given |= {key: int(document[key]) for key in ("jobs", "repetitions") if key in document}
    named = {
        "time_s": "time_limit",
        "memory_mb": "memory_limit_mb",
        "output_mb": "output_limit_mb",
        "gap": "gap",
    }
    given |= {named[key]: float(value) for key, value in limits.items() if key in named}
    part = part_of(document)
    shared = {key: document[key] for key in ("isolation",) if key in document}
    request = kind(part.kind).request
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
            for i, entry in enumerate(document[part.instances])
            for source in part.sources(entry, folder, f"/{part.instances}/{i}")
        ),
        choices=tuple(
            choice
            for i, entry in enumerate(document[part.methods])
            for choice in choices(
                {**shared, **entry}, environments, f"/{part.methods}/{i}", request
            )
        ),
        environments=environments,
        kind=part.kind,
        kind_options=options(document) if part.kind == "workload" else {},
        file=path,
        text=text,
        **given,
    )


def _interpreter(python: str, folder: Path, at: str) -> str:
    """A path relative to the campaign's folder, or a command."""
    path = folder / expanded(python, at)
    found = str(path) if path.is_file() else shutil.which(python)
    if found is None:
        raise InputError(at, python, "a Python interpreter")
    return found
