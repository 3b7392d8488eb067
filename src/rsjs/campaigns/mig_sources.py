"""
Where the scheduling problems of a campaign on MIG instances come from.

    [[mig_scheduling]]
    set = "mig-section4"            # of the library; or config = "day.json", or files = ["*.json"]
    seeds = [2, 3, 5]               # those of the set or configuration by default
    readings = ["A", "C"]           # these and the next two are the defaults of
    objectives = ["makespan"]       # `rsjs mig schedule`; every combination is a problem
    units = [2000, 1000, 1000]      # MB

    [[methods]]
    run = ["fcfs", "cpsat:fcfs"]    # see `mig_methods`

Files are sets of jobs or problems, relative to the campaign; a problem is taken as it is unless the
entry says otherwise. Problems that are made here are named `mig-READING-OBJECTIVE-SET`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

from rsjs.campaigns.method_selection import distinct
from rsjs.campaigns.sources import found_files
from rsjs.campaigns.toml_files import expanded
from rsjs.core.errors import InputError, described
from rsjs.instances.io.bounded_files import read_bytes
from rsjs.instances.io.serialization import canonical_text
from rsjs.instances.io.strict_json import read_json
from rsjs.instances.library.sets import MIG, draw, library_set, refuse_other
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

KINDS = ("set", "config", "files")
Variant = tuple[str | None, str | None, tuple[int, ...] | None]


@dataclass(frozen=True, kw_only=True)
class MigSource:
    """
    One problem, not yet made.

    Attributes
    ----------
    key : str
        Identifies what is drawn or read; of files by their bytes.
    make : callable
    """

    key: str
    make: Callable[[], SchedulingProblem]


def mig_sources(entry: Mapping[str, Any], folder: Path, at: str) -> list[MigSource]:
    """What one `[[mig_scheduling]]` of a campaign in a folder names; errors point to `at`."""
    given = [kind for kind in KINDS if kind in entry]
    if len(given) != 1:
        found = described(" and ".join(given) or "neither set nor config nor files")
        raise InputError(at, found, f"one of {', '.join(KINDS)}")
    if "files" in entry and "seeds" in entry:
        raise InputError(f"{at}/seeds", described("this key"), "it beside a set or config only")
    for k, text in enumerate(entry.get("objectives", ())):
        parse_objective(text, f"{at}/objectives/{k}")
    units = tuple(map(int, entry["units"])) if "units" in entry else None
    variants: list[Variant] = [
        (reading, objective, units)
        for reading, objective in product(
            entry.get("readings", [None]), entry.get("objectives", [None])
        )
    ]
    if "files" in entry:
        paths = found_files(entry["files"], folder, at)
        return [_read(path, variant) for variant in variants for path in paths]
    drawn = _of_set(entry, at) if "set" in entry else _of_config(entry, folder, at)
    made = [_drawn(*one, variant, at) for variant in variants for one in drawn]
    made[0].make()
    return made


Jobs = tuple[Mapping[str, Any], Callable[[], JobSet]]


def _of_set(entry: Mapping[str, Any], at: str) -> list[Jobs]:
    try:
        chosen = library_set(entry["set"])
    except InputError as error:
        raise InputError(f"{at}/set", error.value, error.expected) from None
    if not chosen.of_mig_jobs:
        raise InputError(f"{at}/set", entry["set"], "a set of MIG jobs, not of instances")
    members = {member.arguments["seed"]: member for member in chosen.members}

    def jobs(seed: int) -> JobSet:
        made = draw(MIG, members[seed].arguments)
        assert isinstance(made, JobSet)
        refuse_other(made, members[seed].sha256)
        return made

    wanted = distinct(entry.get("seeds", [*members]))
    for k, seed in enumerate(wanted):
        if seed not in members:
            expected = f"one of {', '.join(map(str, members))}"
            raise InputError(f"{at}/seeds/{k}", seed, expected)
    return [({"set": entry["set"], "seed": seed}, partial(jobs, seed)) for seed in wanted]


def _of_config(entry: Mapping[str, Any], folder: Path, at: str) -> list[Jobs]:
    path = folder / expanded(entry["config"], f"{at}/config")
    if not path.is_file():
        raise InputError(f"{at}/config", entry["config"], f"a file, relative to {folder}")
    source, digest = read_source(path), sha256(read_bytes(path)).hexdigest()
    return [
        ({"config": digest, "seed": seed}, partial(source.make, seed))
        for seed in distinct(entry.get("seeds", [*source.seeds]))
    ]


def _drawn(
    key: Mapping[str, Any], jobs: Callable[[], JobSet], variant: Variant, at: str
) -> MigSource:
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

    return MigSource(key=_key({**key, "variant": [reading or "A", text, memory]}), make=make)


def _read(path: str, variant: Variant) -> MigSource:
    reading, objective, units = variant

    def make() -> SchedulingProblem:
        goal = None if objective is None else parse_objective(objective)
        found = read_problem_or_jobs(path, reading=reading, objective=goal, memory=units)
        if variant == (None, None, None) and is_problem(read_json(path)):
            return found
        return named(found, objective)

    digest = sha256(read_bytes(path)).hexdigest()
    return MigSource(key=_key({"file": digest, "variant": [*variant]}), make=make)


def _key(document: Mapping[str, Any]) -> str:
    return canonical_text({"mig_scheduling": document})
