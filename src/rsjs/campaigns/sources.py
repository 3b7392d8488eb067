"""
Where the problems of a campaign come from: a set of the library, a generator, or files.

Each kind has its own of these, see `WAYS`. Files of `[[mig_scheduling]]` are sets of jobs, or
problems, which are taken as they are unless the entry says otherwise. Problems that are made here
are named `mig-READING-OBJECTIVE-SET`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from hashlib import sha256
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rsjs.core.errors import InputError, described
from rsjs.instances.instance import Instance
from rsjs.instances.io.bounded_files import read_bytes
from rsjs.instances.io.serialization import canonical_text
from rsjs.instances.io.strict_json import read_json
from rsjs.instances.library.sets import (
    GENERATORS,
    MIG,
    WORKLOADS,
    LibrarySet,
    draw,
    library_set,
    refuse_other,
)
from rsjs.instances.mig.job_generator.generate import read_source
from rsjs.instances.mig.jobs import JobSet
from rsjs.instances.mig.scheduling.objective import parse_objective
from rsjs.instances.mig.scheduling.problem import (
    PAPER_UNITS,
    SchedulingProblem,
    is_problem,
    named,
    paper_problem,
    read_problem_or_jobs,
)
from rsjs.runs.kinds.base import Kind, kind

MOST = 10**5  # nodes or jobs of one instance
DRAWN = ("nodes", "jobs", "seed", "law")  # arguments that have keys of their own

Entry = Mapping[str, Any]
Jobs = tuple[Entry, Callable[[], JobSet]]
Variant = tuple[str | None, str | None, tuple[int, ...] | None]  # reading, objective, units


@dataclass(frozen=True, kw_only=True)
class Source:
    """A problem, not yet made."""

    key: str  # identifies what is drawn or read; of files by their bytes
    make: Callable[[], Any]


def sources(name: Kind, entry: Entry, folder: Path, at: str) -> Sequence[Source]:
    """What an entry of a campaign in a folder names of a kind; errors point to `at`."""
    ways = WAYS.get(name, {"files": _read})
    _refuse_but_one(entry, tuple(ways), at)
    way = next(way for key, way in ways.items() if key in entry)
    return way(name, entry, folder, at)


def _read(name: Kind, entry: Entry, folder: Path, at: str) -> Sequence[Source]:
    paths, read = _files(entry["files"], folder, at), kind(name).read
    return [Source(key=_digest(path), make=partial(read, path)) for path in paths]


def _of_set(_name: Kind, entry: Entry, _folder: Path, at: str) -> Sequence[Source]:
    return [
        _drawn(member.generator, member.arguments, sha256=member.sha256)
        for member in _library_set(entry["set"], at, of_mig_jobs=False).members
    ]


def _instances(_name: Kind, entry: Entry, _folder: Path, at: str) -> Sequence[Source]:
    return _generated(entry, at, GENERATORS, _drawn)


def _workloads(_name: Kind, entry: Entry, _folder: Path, at: str) -> Sequence[Source]:
    """For each of its `arrivals` what an instance would be."""
    laws = [({"law": law}, f"/arrivals/{k}") for k, law in enumerate(entry.get("arrivals", ()))]
    return [
        source
        for law in laws or [({}, "")]
        for source in _generated(entry, at, WORKLOADS, _drawn_workload, *law)
    ]


def _scheduling(_name: Kind, entry: Entry, folder: Path, at: str) -> Sequence[Source]:
    """Sets of jobs on MIG instances with every reading and objective."""
    if "files" in entry and "seeds" in entry:
        raise InputError(f"{at}/seeds", described("this key"), "it beside a set or config only")
    for k, text in enumerate(entry.get("objectives", ())):
        parse_objective(text, f"{at}/objectives/{k}")
    units = tuple(map(int, entry["units"])) if "units" in entry else None
    pairs = product(entry.get("readings", [None]), entry.get("objectives", [None]))
    variants: list[Variant] = [(reading, objective, units) for reading, objective in pairs]
    if "files" in entry:
        paths = _files(entry["files"], folder, at)
        return [_read_mig(path, variant) for variant in variants for path in paths]
    drawn = [*(_jobs_of_set(entry, at) if "set" in entry else _jobs_of_config(entry, folder, at))]
    made = [_drawn_mig(*jobs, variant, at) for variant in variants for jobs in drawn]
    made[0].make()
    return made


# Kind -> a key of its entries -> what it names; other kinds have files only.
WAYS: Mapping[Kind, Mapping[str, Callable[[Kind, Entry, Path, str], Sequence[Source]]]] = {
    "instance": {"set": _of_set, "generator": _instances, "files": _read},
    "workload": {"files": _read, "generator": _workloads},
    "mig_scheduling": {"set": _scheduling, "config": _scheduling, "files": _scheduling},
}


def distinct(numbers: list[int]) -> tuple[int, ...]:
    """Each number once, in order; an integer of a JSON Schema may be written 1.0."""
    return tuple(dict.fromkeys(map(int, numbers)))


def expanded(path: str, at: str) -> Path:
    """Return a path of a campaign with the home that `~` or `~user` stands for."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise InputError(at, path, "a path, ~ or ~user of a known user") from None


def _refuse_but_one(entry: Entry, keys: tuple[str, ...], at: str) -> None:
    given = [key for key in keys if key in entry]
    if len(given) != 1:
        found = described(" and ".join(given) or f"neither {' nor '.join(keys)}")
        raise InputError(at, found, f"one of {', '.join(keys)}")
    extra = {"sizes", "seeds", "options", "arrivals"} & {*entry}
    if "generator" in keys and "generator" not in entry and extra:
        raise InputError(f"{at}/{min(extra)}", described("this key"), "it beside a generator only")


def _library_set(name: str, at: str, *, of_mig_jobs: bool) -> LibrarySet:
    try:
        chosen = library_set(name)
    except InputError as error:
        raise InputError(f"{at}/set", error.value, error.expected) from None
    if chosen.of_mig_jobs != of_mig_jobs:
        plain = "a set of instances, not of MIG jobs: see [[mig_scheduling]]"
        expected = "a set of MIG jobs, not of instances" if of_mig_jobs else plain
        raise InputError(f"{at}/set", name, expected)
    return chosen


def _files(patterns: list[str], folder: Path, at: str) -> list[str]:
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


def _digest(path: str | Path) -> str:
    return sha256(read_bytes(path)).hexdigest()


def _drawn(generator: str, arguments: Entry, sha256: str | None = None) -> Source:
    """An instance; one of the library is compared with its digest."""

    def make() -> Instance:
        instance = GENERATORS[generator](**arguments)
        if sha256 is not None:
            refuse_other(instance, sha256)
        return instance

    return Source(key=canonical_text({"generator": generator, **arguments}), make=make)


def _drawn_workload(generator: str, arguments: Entry) -> Source:
    key = canonical_text({"workload": generator, **arguments})
    return Source(key=key, make=partial(WORKLOADS[generator], **arguments))


def _generated(
    entry: Entry,
    at: str,
    generators: Mapping[str, Callable[..., Any]],
    source: Callable[[str, Entry], Source],
    arrivals: Entry = MappingProxyType({}),
    place: str = "",
) -> list[Source]:
    """What a generator draws; with a law of arrivals, which stands at a `place` of the entry."""
    name, options = entry["generator"], {**arrivals, **entry.get("options", {})}
    if name not in generators:
        raise InputError(f"{at}/generator", name, _near(name, [*generators]))
    free = [one for one in inspect.signature(generators[name]).parameters if one not in DRAWN]
    for option in entry.get("options", {}):
        if option not in free:
            raise InputError(f"{at}/options/{option}", option, _near(option, free))
    if "sizes" not in entry:
        raise InputError(at, described("no key 'sizes'"), 'sizes, e.g. ["2x20", "10x100"]')
    sizes = [_size(size, f"{at}/sizes/{k}") for k, size in enumerate(entry["sizes"])]
    seeds = distinct(entry.get("seeds", [1]))
    try:  # the smallest instance with these options
        source(name, {"nodes": 1, "jobs": 1, "seed": seeds[0], **options}).make()
    except InputError as error:
        where = place if error.pointer == "/law" else f"/options{error.pointer}"
        raise InputError(f"{at}{where}", error.value, error.expected) from None
    return [source(name, {**size, "seed": seed, **options}) for size in sizes for seed in seeds]


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


def _jobs_of_set(entry: Entry, at: str) -> Iterator[Jobs]:
    chosen = _library_set(entry["set"], at, of_mig_jobs=True)
    members = {member.arguments["seed"]: member for member in chosen.members}

    def jobs(seed: int) -> JobSet:
        made = draw(MIG, members[seed].arguments)
        assert isinstance(made, JobSet)
        refuse_other(made, members[seed].sha256)
        return made

    for k, seed in enumerate(distinct(entry.get("seeds", [*members]))):
        if seed not in members:
            expected = f"one of {', '.join(map(str, members))}"
            raise InputError(f"{at}/seeds/{k}", seed, expected)
        yield {"set": entry["set"], "seed": seed}, partial(jobs, seed)


def _jobs_of_config(entry: Entry, folder: Path, at: str) -> Iterator[Jobs]:
    path = folder / expanded(entry["config"], f"{at}/config")
    if not path.is_file():
        raise InputError(f"{at}/config", entry["config"], f"a file, relative to {folder}")
    source, digest = read_source(path), _digest(path)
    for seed in distinct(entry.get("seeds", [*source.seeds])):
        yield {"config": digest, "seed": seed}, partial(source.make, seed)


def _drawn_mig(key: Entry, jobs: Callable[[], JobSet], variant: Variant, at: str) -> Source:
    reading, objective, units = variant
    text, memory = objective or "makespan", units or PAPER_UNITS

    def make() -> SchedulingProblem:
        drawn = jobs()
        try:
            problem = paper_problem(drawn, reading or "A", parse_objective(text), memory)
        except InputError as error:
            found = described(f"{drawn.name} with {error.pointer} = {error.value}")
            raise InputError(at, found, error.expected) from None
        return named(problem, text)

    return Source(key=_mig_key({**key, "variant": [reading or "A", text, memory]}), make=make)


def _read_mig(path: str, variant: Variant) -> Source:
    reading, objective, units = variant

    def make() -> SchedulingProblem:
        goal = None if objective is None else parse_objective(objective)
        found = read_problem_or_jobs(path, reading=reading, objective=goal, memory=units)
        if variant == (None, None, None) and is_problem(read_json(path)):
            return found
        return named(found, objective)

    return Source(key=_mig_key({"file": _digest(path), "variant": [*variant]}), make=make)


def _mig_key(document: Entry) -> str:
    return canonical_text({"mig_scheduling": document})
