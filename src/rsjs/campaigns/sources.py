"""
Where the problems of a campaign come from: a set of the library, a generator, or files.

Each kind has its own of these, see `WAYS`. Files of `[[mig_scheduling]]` are sets of jobs, or
problems, which are taken as they are unless the entry says otherwise. Problems that are made here
are named `mig-READING-OBJECTIVE-SET`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError, described, nearest
from rsjs.formulations.milp import models
from rsjs.instances.instance import Workload
from rsjs.instances.io.bounded_files import read_bytes
from rsjs.instances.io.serialization import canonical_text
from rsjs.instances.io.strict_json import read_json
from rsjs.instances.library import sets
from rsjs.instances.library.sets import GENERATORS, WORKLOADS
from rsjs.instances.mig.job_generator.generate import read_source
from rsjs.instances.mig.scheduling import problem as scheduling
from rsjs.instances.mig.scheduling.objective import parse_objective
from rsjs.instances.transform import redrawn
from rsjs.runs.kinds.base import Kind, kind

MOST = 10**5  # nodes or jobs of one instance
DRAWN = ("nodes", "jobs", "seed", "law")  # arguments that have keys of their own

Entry = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Source:
    """Source of a problem, which is drawn or read later."""

    key: str  # identifies what is drawn or read; of files by their bytes
    make: Callable[[], Any]


@contextmanager
def pointed(at: str = "", file: Path | None = None) -> Iterator[None]:
    """Let errors in the block point to an entry of a campaign and name its file."""
    try:
        yield
    except InputError as error:
        if error.file is not None:
            raise
        raise type(error)(at + error.pointer, error.value, error.expected, file) from None


def sources(name: Kind, entry: Entry, folder: Path, at: str) -> Iterable[Source]:
    """Return what an entry of a campaign in a folder names of a kind; errors point to `at`."""
    ways = WAYS.get(name, {"files": _read})
    given = [way for way in ways if way in entry]
    if len(given) != 1:
        found = described(" and ".join(given) or f"neither {' nor '.join(ways)}")
        raise InputError(at, found, f"one of {', '.join(ways)}")
    drawing = ["generator"] if "generator" in ways else ["set", "config"]
    extra = {"sizes", "seeds", "options", "arrivals"} & {*entry}
    if extra and given[0] not in drawing:
        expected = f"it beside a {' or '.join(drawing)} only"
        raise InputError(f"{at}/{min(extra)}", described("this key"), expected)
    named = ways[given[0]](name, entry, folder, at)
    return _redrawn(named, int(entry["redraw"])) if "redraw" in entry else named


def _redrawn(given: Iterable[Source], draws: int) -> Iterator[Source]:
    """Yield so many workloads for each: those with W_j drawn again."""
    for source, number in product(given, range(1, draws + 1)):
        key = canonical_text({"redrawn": number, "of": source.key})
        yield Source(key=key, make=partial(_drawn_again, source.make, number))


def _drawn_again(make: Callable[[], Workload], number: int) -> Workload:
    return redrawn(make(), number)


def _read(name: Kind, entry: Entry, folder: Path, at: str) -> Iterator[Source]:
    read = kind(name).read
    for path in _files(entry["files"], folder, at):
        yield Source(key=_digest(path), make=partial(read, path))


def _of_set(name: Kind, entry: Entry, _folder: Path, at: str) -> Iterator[Source]:
    for member in _members(name, entry["set"], at):
        key = canonical_text({"generator": member.generator, **member.arguments})
        yield Source(key=key, make=member.draw)


FILE_OPTIONS = ("profiles", "laws")  # options of generators that may name a file
SETS = {"instances": "instance", "workloads": "workload", "MIG jobs": "mig_scheduling"}


def _members(of: Kind, name: str, at: str) -> tuple[sets.Member, ...]:
    """Return the members of a kind of a set of the library, which must have some."""
    with pointed(f"{at}/set"):
        chosen = sets.library_set(name)
        members = tuple(member for member in chosen.members if SETS[member.kind] == of)
        if not members:
            (wanted,) = (kinds for kinds, own in SETS.items() if own == of)
            key = kind(SETS[chosen.kinds[0]]).keys[0]
            expected = f"a set of {wanted}, not of {chosen.kinds[0]}: see [[{key}]]"
            raise InputError("", name, expected)
    return members


def _generated(name: Kind, entry: Entry, folder: Path, at: str) -> list[Source]:
    """Return what a generator draws with every arrival process, size and seed."""
    word, generators = ("workload", WORKLOADS) if name == "workload" else ("generator", GENERATORS)
    generator, options = entry["generator"], entry.get("options", {})
    if generator not in generators:
        raise unknown(f"{at}/generator", generator, generators)
    draw = generators[generator]
    free = [one for one in inspect.signature(draw).parameters if one not in DRAWN]
    for option in options:
        if option not in free:
            raise unknown(f"{at}/options/{option}", option, free)
    if "sizes" not in entry:
        raise InputError(at, described("no key 'sizes'"), 'sizes, e.g. ["2x20", "10x100"]')
    sizes = [_size(size, f"{at}/sizes/{k}") for k, size in enumerate(entry["sizes"])]
    seeds = distinct(entry.get("seeds", [1]))
    laws = [{"law": law} for law in entry.get("arrivals", ())] or [{}]
    for k, law in enumerate(laws):
        try:  # the smallest problem with these options
            draw(nodes=1, jobs=1, seed=seeds[0], **law, **options)
        except InputError as error:
            if error.file is not None:  # that an option names
                raise
            where = f"/arrivals/{k}" if error.pointer == "/law" else f"/options{error.pointer}"
            raise InputError(f"{at}{where}", error.value, error.expected) from None
    named = {name: folder / str(options[name]) for name in FILE_OPTIONS if name in options}
    read = {f"{name} file": _digest(path) for name, path in named.items() if path.is_file()}
    return [
        Source(
            key=canonical_text({word: generator, **arguments, **read}),
            make=partial(draw, **arguments),
        )
        for law, size, seed in product(laws, sizes, seeds)
        for arguments in [{**size, "seed": seed, **law, **options}]
    ]


def _scheduling(_name: Kind, entry: Entry, folder: Path, at: str) -> list[Source]:
    """Return sets of jobs on MIG instances with every reading and objective."""
    for k, text in enumerate(entry.get("objectives", ())):
        parse_objective(text, f"{at}/objectives/{k}")
    usual: tuple[Any, ...] = (None, None, None)  # as the file says
    subjects: list[tuple[Entry, Callable[..., Any]]]
    if "files" in entry:
        paths = _files(entry["files"], folder, at)
        subjects = [({"file": _digest(path)}, partial(_of_file, path)) for path in paths]
    else:
        usual = ("A", "makespan", scheduling.PAPER_UNITS)
        subjects = [(key, partial(_of_jobs, draw, at)) for key, draw in _jobs(entry, folder, at)]
    units = tuple(map(int, entry["units"])) if "units" in entry else usual[2]
    readings, objectives = entry.get("readings", usual[:1]), entry.get("objectives", usual[1:2])
    found = [
        Source(
            key=canonical_text({"mig_scheduling": {**key, "variant": [*variant]}}),
            make=partial(make, *variant),
        )
        for variant in product(readings, objectives, [units])
        for key, make in subjects
    ]
    if "files" not in entry:
        found[0].make()
    return found


def _jobs(entry: Entry, folder: Path, at: str) -> Iterator[tuple[Entry, Callable[[], Any]]]:
    """Yield what identifies each set of jobs, and what draws it."""
    if "set" in entry:
        key, members = {"set": entry["set"]}, _members("mig_scheduling", entry["set"], at)
        draws = {member.arguments["seed"]: member.draw for member in members}
    else:
        path = folder / expanded(entry["config"], f"{at}/config")
        if not path.is_file():
            raise InputError(f"{at}/config", entry["config"], f"a file, relative to {folder}")
        key, source = {"config": _digest(path)}, read_source(path)
        seeds = distinct(entry.get("seeds", source.seeds))
        draws = {seed: partial(source.make, seed) for seed in seeds}
    for k, seed in enumerate(distinct(entry.get("seeds", draws))):
        if seed not in draws:
            raise InputError(f"{at}/seeds/{k}", seed, f"one of {', '.join(map(str, draws))}")
        yield {**key, "seed": seed}, draws[seed]


def _of_jobs(
    draw: Callable[[], Any], at: str, reading: str, objective: str, units: tuple[int, ...]
) -> scheduling.SchedulingProblem:
    jobs = draw()
    try:
        made = scheduling.paper_problem(jobs, reading, parse_objective(objective), units)
    except InputError as error:
        found = described(f"{jobs.name} with {error.pointer} = {error.value}")
        raise InputError(at, found, error.expected) from None
    return scheduling.named(made, objective)


def _of_file(
    path: str, reading: str | None, objective: str | None, units: tuple[int, ...] | None
) -> scheduling.SchedulingProblem:
    goal = None if objective is None else parse_objective(objective)
    found = scheduling.read_problem_or_jobs(path, reading=reading, objective=goal, memory=units)
    if (reading, goal, units) == (None, None, None) and scheduling.is_problem(read_json(path)):
        return found
    return scheduling.named(found, objective)


def _models(_name: Kind, entry: Entry, _folder: Path, at: str) -> Iterator[Source]:
    """Yield the models of the solver track whose names patterns match."""
    for k, pattern in enumerate(entry["names"]):
        try:
            found = models.chosen([pattern])
        except InputError as error:
            raise InputError(f"{at}/names/{k}", error.value, error.expected) from None
        for model in found:
            yield Source(key=model.text_sha256, make=partial(replace, model))


# Kind -> a key of its entries -> what it names; other kinds have files only.
WAYS: Mapping[Kind, Mapping[str, Callable[[Kind, Entry, Path, str], Iterable[Source]]]] = {
    "instance": {"set": _of_set, "generator": _generated, "files": _read},
    "workload": {"set": _of_set, "generator": _generated, "files": _read},
    "mig_scheduling": {"set": _scheduling, "config": _scheduling, "files": _scheduling},
    "model": {"names": _models},
}


def distinct(numbers: Iterable[float]) -> tuple[int, ...]:
    """Return each number once, in order; an integer of a JSON Schema may be written 1.0."""
    return tuple(dict.fromkeys(map(int, numbers)))


def expanded(path: str, at: str) -> Path:
    """Return a path of a campaign with the home that `~` or `~user` stands for."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise InputError(at, path, "a path, ~ or ~user of a known user") from None


def _files(patterns: list[str], folder: Path, at: str) -> list[str]:
    """The files that patterns stand for, relative to a folder; errors point to `at`/files."""
    found = []
    for k, pattern in enumerate(patterns):
        place = expanded(pattern, f"{at}/files/{k}")
        base = Path(place.anchor) if place.is_absolute() else folder
        paths = []
        with suppress(ValueError, IndexError):  # "" and "**x" are no patterns
            matches = sorted(base.glob(str(place.relative_to(place.anchor))))
            paths = [str(path) for path in matches if path.is_file()]
        if not paths:
            raise InputError(f"{at}/files/{k}", pattern, f"instance files below {folder}")
        found += paths
    return found


def _digest(path: str | Path) -> str:
    return sha256(read_bytes(path)).hexdigest()


def _size(text: str, at: str) -> dict[str, int]:
    found = re.fullmatch(r"([1-9]\d{0,17})x([1-9]\d{0,17})", text)
    if not found:
        raise InputError(at, text, "nodes x jobs, e.g. 10x100")
    nodes, jobs = int(found[1]), int(found[2])
    if max(nodes, jobs) > MOST:
        raise InputError(at, text, f"at most {MOST} nodes and {MOST} jobs")
    return {"nodes": nodes, "jobs": jobs}


def unknown(at: str, given: str, known: Iterable[str]) -> InputError:
    """Return the error for a name at a place of a campaign, with the nearest known ones."""
    near = nearest(given, known)
    return InputError(at, given, f"e.g. {near}" if near else "none is declared")
