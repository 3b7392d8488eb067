"""
Sets of the library: what they are made of, and each member with its size and its digest.

`data/*.toml` has a table per set, `data/golden/*.csv` a row per member:

    [name]
    summary = "..."
    source = "paper and section"
    instances = [                                 # or: mig = "file in data/mig"
        { generator = "jahani", sizes = ["1-40x10N", "100x400"], seeds = [1, 2], options = {} },
    ]

A size is nodes x jobs; `1-40x10N` stands for 1x10, 2x20, ..., 40x400. Members come in the order in
which they are written, seeds last. An entry `{ set = "points-sts", numbers = [0, 7] }` takes
members of another set. A set of decision points has `points` (see `benchmarks/library.py`), or,
with what changes cost [$], `charged = { set = "points-sts", migration = 10.0, start = 2.0 }`.
With `workloads` in place of `instances` the members are workloads; an entry may have
`offered_load`, which sets their gap. Members of other sets may be of several kinds. A set that
changes gets a new name.

`sealed` draws the members of a set with seeds that follow from a phrase. An organiser publishes the
SHA-256 of the phrase before a contest and the phrase after it: nobody can tune methods on instances
of the same distribution that cannot be drawn yet, and everybody can draw them again afterwards.
"""

from __future__ import annotations

import csv
import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from hashlib import sha256
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from typing import Any, Literal

from rsjs.core.errors import InputError, described, nearest
from rsjs.instances import decision_points
from rsjs.instances.generators import andreas, heterogeneous, jahani, kiros, planted, sts
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.io.serialization import canonical_text
from rsjs.instances.io.strict_json import read_json
from rsjs.instances.mig.job_generator import generate
from rsjs.instances.mig.job_generator.config import MigConfig, to_config
from rsjs.instances.mig.jobs import JobSet
from rsjs.instances.mig.problems import MigProblem
from rsjs.instances.offered_load import offered_load as load_of
from rsjs.instances.transform import in_steps, rigid, with_change_costs

MIG = "mig"
POINTS, CHARGED = "points", "charged"
WORKLOAD = "workload"  # in place of a generator: one of `WORKLOADS` is among the arguments
Kind = Literal["instances", "workloads", "MIG jobs"]
_KINDS: Mapping[str, Kind] = {MIG: "MIG jobs", WORKLOAD: "workloads"}  # all others draw instances
_SIZE = re.compile(r"(\d+)(?:-(\d+))?x(\d+)(N?)")
LICENCE = "CC-BY-4.0"
# Tier -> the max nodes and jobs of an instance in it.
TIERS = {
    "tiny": (10, 10),
    "small": (50, 200),
    "medium": (100, 1000),
    "large": (1000, 10_000),
    "huge": (1_000_000, 1_000_000),
}
COLUMNS = ("name", "nodes", "jobs", "sha256", "optimum")
GENERATORS: Mapping[str, Callable[..., Instance]] = {
    "jahani": jahani.generate,
    "kiros": kiros.generate,
    "andreas": andreas.generate,
    "sts": sts.generate,
    "planted": planted.generate,
    "heterogeneous": heterogeneous.generate,
}
WORKLOADS: Mapping[str, Callable[..., Workload]] = {
    "jahani": jahani.workload,
    "kiros": kiros.workload,
    "andreas": andreas.workload,
    "sts": sts.workload,
    "heterogeneous": heterogeneous.workload,
}


Subject = Instance | Workload | JobSet


def draw(name: str, arguments: Mapping[str, Any]) -> Subject:
    """
    Return what a generator makes of its arguments: an instance, a workload or a set of MIG jobs.

    `mig` takes a file and a seed, a decision point its set and its number there, from 0, and what
    migrations and starts cost [$], if anything; `workload` what `draw_workload` takes.
    """
    if name == WORKLOAD:
        return draw_workload(**arguments)
    if name == MIG:
        return generate.generate(mig_config(arguments["config"]), arguments["seed"])
    if name == decision_points.NAME:
        return _decision_point(**arguments)
    return GENERATORS[name](**arguments)


def _decision_point(
    *, set: str, number: int, migration: float = 0.0, start: float = 0.0
) -> Instance:
    record = point_records(set)[number]
    workload = drawn_workload(canonical_text(record["workload"]))
    instance = decision_points.of_record(record).instance(workload)
    return with_change_costs(instance, migration=migration, start=start)


def draw_workload(
    generator: str,
    *,
    offered_load: float | None = None,
    steps: float | None = None,
    **arguments: Any,
) -> Workload:
    """
    Return the workload of a generator; `offered_load` takes the place of its gap.

    The gap of an arrival process is then such, to 4 digits, that the workload has this load. With
    `steps`, times are multiples of so many hours (`in_steps`).
    """
    if steps is not None:
        return in_steps(draw_workload(generator, offered_load=offered_load, **arguments), steps)
    made = WORKLOADS[generator](**arguments)
    if offered_load is None:
        return made
    gap, load = made.generator["parameters"]["gap_seconds"], load_of(made)
    assert load is not None, "jobs come one by one"
    return WORKLOADS[generator](**arguments, gap_seconds=float(f"{gap * load / offered_load:.4g}"))


def refuse_other(subject: Subject | MigProblem, sha256: str) -> None:
    """Raise InputError if the digest is not that of the library."""
    if subject.digest != sha256:
        expected = f"{sha256}, the digest of {subject.name} in the library"
        raise InputError("/sha256", subject.digest, expected)


@lru_cache(maxsize=2)  # members of one workload follow each other
def drawn_workload(text: str) -> Workload:
    """Return the workload of a canonical text: generator, arguments, and whether jobs are rigid."""
    recipe = json.loads(text)
    workload = WORKLOADS[recipe["generator"]](**recipe["arguments"])
    return rigid(workload) if recipe["rigid"] else workload


@cache
def point_records(name: str) -> list[dict[str, Any]]:
    """Read the states of the decision points of a set in `data/points`."""
    text = (data() / POINTS / f"{name}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


@cache
def mig_config(name: str) -> MigConfig:
    """Read a configuration of the MIG generator in `data/mig`."""
    with as_file(data() / "mig" / name) as path:
        return to_config(read_json(path), path)


def data() -> Traversable:
    """Return the folder of the data files."""
    return files("rsjs.instances.library") / "data"


@cache
def recipes() -> Mapping[str, Mapping[str, Any]]:
    """Read the tables of all sets, in the order of the files."""
    tables: dict[str, Any] = {}
    for file in sorted(data().iterdir(), key=lambda file: file.name):
        if file.name.endswith(".toml"):
            tables |= tomllib.loads(file.read_text("utf-8"))
    return tables


def calls(name: str) -> list[tuple[str, dict[str, Any]]]:
    """Return generator and arguments of each member of a set, see `draw`."""
    if config := recipes()[name].get(MIG):
        return [(MIG, {"config": config, "seed": seed}) for seed in mig_config(config).seeds]
    if POINTS in recipes()[name]:
        numbers = range(len(point_records(name)))
        return [(decision_points.NAME, {"set": name, "number": k}) for k in numbers]
    if charged := recipes()[name].get(CHARGED):
        costs = {key: value for key, value in charged.items() if key != "set"}
        return [(point, arguments | costs) for point, arguments in calls(charged["set"])]
    if "workloads" in recipes()[name]:
        return [
            (WORKLOAD, {**{key: entry[key] for key in _OF_WORKLOADS if key in entry}, **arguments})
            for entry in recipes()[name]["workloads"]
            for arguments in drawings(entry)
        ]
    drawn = []
    for entry in recipes()[name]["instances"]:
        if other := entry.get("set"):
            members = calls(other)
            drawn += [members[number] for number in entry["numbers"]]
        else:
            drawn += [(entry["generator"], arguments) for arguments in drawings(entry)]
    return drawn


_OF_WORKLOADS = ("generator", "offered_load")  # arguments beside those of the generator


def drawings(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the arguments of a generator for each size and seed of an entry."""
    return [
        {"nodes": nodes, "jobs": jobs, "seed": seed, **entry.get("options", {})}
        for text in entry["sizes"]
        for nodes, jobs in sizes(text)
        for seed in entry.get("seeds", [1])
    ]


def sizes(text: str) -> list[tuple[int, int]]:
    """
    Return numbers of nodes and jobs.

    >>> sizes("1-3x10N")
    [(1, 10), (2, 20), (3, 30)]
    """
    size = _SIZE.fullmatch(text)
    assert size is not None, text
    first, last, jobs = int(size[1]), int(size[2] or size[1]), int(size[3])
    return [(n, jobs * n if size[4] else jobs) for n in range(first, last + 1)]


@dataclass(frozen=True, kw_only=True)
class Member:
    """One instance, one workload, or one set of MIG jobs."""

    generator: str
    arguments: Mapping[str, Any]
    name: str
    nodes: int | None  #: None for MIG jobs
    jobs: int
    sha256: str
    #: [$], if it is known by construction or by enumeration; best-known values have more
    optimum: float | None
    #: as stated when the set was made, e.g. `toy` or `open after 60 s`; "" if nothing is stated
    status: str = ""

    def draw(self) -> Subject:
        """Return the member; InputError if what is drawn has another digest."""
        subject = draw(self.generator, self.arguments)
        refuse_other(subject, self.sha256)
        return subject

    @property
    def kind(self) -> Kind:
        """Kind of what it is."""
        return _KINDS.get(self.generator, "instances")

    @property
    def tier(self) -> str:
        """First of `TIERS` that it fits in."""
        return next(
            tier
            for tier, (nodes, jobs) in TIERS.items()
            if (self.nodes or 0) <= nodes and self.jobs <= jobs
        )


@dataclass(frozen=True, kw_only=True)
class LibrarySet:
    """A named set."""

    name: str
    summary: str
    source: str
    members: tuple[Member, ...]
    phrase_sha256: str | None = None  #: of the phrase that its seeds follow from, see `sealed`

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Kinds of its members, each once, in their order."""
        return tuple(dict.fromkeys(member.kind for member in self.members))

    @property
    def tier(self) -> str:
        """Tier of its largest member."""
        order = [*TIERS]
        return max((member.tier for member in self.members), key=order.index)

    @property
    def sizes(self) -> tuple[str, str]:
        """Fewest nodes and jobs of a member, and most, as nodes x jobs."""
        jobs = [member.jobs for member in self.members]
        nodes = [member.nodes for member in self.members if member.nodes is not None]
        if not nodes:
            return f"{min(jobs)} jobs", f"{max(jobs)} jobs"
        return f"{min(nodes)} x {min(jobs)}", f"{max(nodes)} x {max(jobs)}"


def names() -> list[str]:
    """Return the names of all sets."""
    return [*recipes()]


@cache
def library_set(name: str) -> LibrarySet:
    """
    Return a set by its name.

    Raises
    ------
    InputError
        With the nearest names, if there is none of this name.
    """
    if name not in recipes():
        raise InputError("", name, f"e.g. {nearest(name, names())} (rsjs list sets)")
    drawn, rows = calls(name), golden(name)
    if len(rows) != len(drawn):
        found = described(f"{len(rows)} digests of {name}")
        raise InputError("", found, f"{len(drawn)}, one per member")
    return LibrarySet(
        name=name,
        summary=recipes()[name]["summary"],
        source=recipes()[name]["source"],
        members=tuple(_member(*call, row) for call, row in zip(drawn, rows, strict=True)),
    )


ESCAPED = "surrogateescape"  # bytes of a command line that are no text stay as they are
SHORTEST = 16  # characters of a phrase: a short one is found from its hash by trying


def sealed(name: str, phrase: str) -> LibrarySet:
    """
    Return a set drawn anew, each seed s replaced by 48 bits of SHA-256("phrase|name|s").

    Members that shared a seed share one again, as the generators pair what has the same seed. They
    are drawn here for their names and digests; no optimum or status is known.

    Raises
    ------
    InputError
        For a set that is not drawn from seeds, a phrase that is easily found, and one whose seeds
        cannot be drawn.
    """
    chosen = library_set(name)
    if (length := len(phrase.strip())) < SHORTEST:
        expected = f"a phrase of at least {SHORTEST} characters, which cannot be guessed"
        raise InputError("/seed_phrase", described(f"{length} characters"), expected)
    members = []
    for member in chosen.members:
        if "seed" not in member.arguments:
            expected = "a set that is drawn from seeds, not decision points"
            raise InputError("", name, expected)
        key = f"{phrase}|{name}|{member.arguments['seed']}"
        seed = int.from_bytes(sha256(key.encode(errors=ESCAPED)).digest()[:6], "big")
        arguments = {**member.arguments, "seed": seed}
        try:
            subject = draw(member.generator, arguments)
        except InputError as error:  # some distributions cannot be drawn with every seed
            found = described(f"a phrase of which seed {seed} follows: {error}")
            raise InputError("/seed_phrase", found, "another phrase") from None
        members.append(
            replace(
                member,
                arguments=arguments,
                name=subject.name,
                sha256=subject.digest,
                optimum=None,
                status="",
            )
        )
    commitment = sha256(phrase.encode(errors=ESCAPED)).hexdigest()
    return replace(
        chosen,
        name=f"{name}-{commitment[:12]}",
        members=tuple(members),
        phrase_sha256=commitment,
    )


def golden(name: str) -> list[dict[str, str]]:
    """Read the rows of a set in `data/golden`, column -> text."""
    text = (data() / "golden" / f"{name}.csv").read_text("utf-8")
    return [*csv.DictReader(text.splitlines())]


def _member(generator: str, arguments: Mapping[str, Any], row: Mapping[str, str]) -> Member:
    return Member(
        generator=generator,
        arguments=arguments,
        name=row["name"],
        nodes=int(row["nodes"]) if row["nodes"] else None,
        jobs=int(row["jobs"]),
        sha256=row["sha256"],
        optimum=float(row["optimum"]) if row["optimum"] else None,
        status=row.get("status", ""),
    )
