"""
The configuration of the job generator, format `rsjs-mig-config/1`.

It is validated against its JSON Schema (`data/mig-config.schema.json`), then for sense; every
error names the JSON pointer and the value. docs/reference/mig-files.md describes the keys. Seeds
are a list, a range with both ends, or the first primes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from math import inf, isqrt
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError, described
from rsjs.instances.io.json_schema import TextLike
from rsjs.instances.io.serialization import Document
from rsjs.instances.mig.io import built, checked, nearest_first
from rsjs.instances.mig.job_generator.arrivals import PROCESSES, Arrivals, arrivals
from rsjs.instances.mig.job_generator.context import ConfigContext, Node
from rsjs.instances.mig.job_generator.distributions import NAMED, Field, Value, job_field, value
from rsjs.instances.mig.job_generator.memory import MODELS, Model, memory_model

MOST = 1_000_000


def seeds(node: Node) -> tuple[int, ...]:
    """Return the seeds at a node, each once."""
    if isinstance(node.value, list):
        for i, seed in enumerate(node.value):
            if seed in node.value[:i]:
                raise node.at(i).error("a seed that does not stand before")
        return tuple(map(int, node.value))
    if "range" in node:
        first, last = map(int, node["range"])
        if last < first:
            raise node.at("range", 1).error(f"a seed >= {first}")
        if last - first >= MOST:
            raise node.at("range").error(
                f"at most {MOST} seeds", value=described(str([first, last]))
            )
        return tuple(range(first, last + 1))
    return first_primes(int(node["first_primes"]))


def first_primes(n: int) -> tuple[int, ...]:
    """Return the n smallest primes."""
    primes: list[int] = []
    for number in count(2):
        if len(primes) == n:
            break
        if all(number % prime for prime in primes[: bisect_right(primes, isqrt(number))]):
            primes.append(number)
    return tuple(primes)


MIG_CONFIG = "rsjs-mig-config/1"
_KNOWN: Mapping[str, tuple[str, ...]] = {
    "dist": (*NAMED, "mixture"),
    "model": (*MODELS,),
    "process": (*PROCESSES,),
    "kind": ("none", "absolute", "after_arrival", "slack_factor"),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class JobClass:
    """The distributions of the jobs of one class."""

    name: str
    weight: float
    values: Mapping[str, Value]  #: of "priority", "run_length", "cuda_cores"
    memory: Model
    interruptible: float  #: a probability, as is the next
    migratable: float
    deadline: tuple[str, Value]  #: kind, and the value (0 for the kind "none")
    extra: Mapping[str, Field]


@dataclass(frozen=True, kw_only=True, eq=False)
class MigConfig:
    """A configuration, checked."""

    document: Document  #: as it was read
    name: str  #: with which names of sets begin
    time_unit: str
    count: int | None  #: jobs of a set; None = those that arrive up to the horizon
    horizon: float
    seeds: tuple[int, ...]
    arrivals: Arrivals
    classes: tuple[JobClass, ...]
    files: Mapping[str, str] = field(default_factory=dict)  #: data files and their sha256
    plugins: Mapping[str, str] = field(default_factory=dict)  #: entry points and their packages


def to_config(document: Any, path: str | Path, *, allow_plugins: bool = False) -> MigConfig:
    """
    Build the configuration of a document from a file, beside which its data files are.

    Raises
    ------
    InputError
        Naming the file, the JSON pointer, the value found and what was expected.
    """
    _fit(document, path)
    context = ConfigContext(folder=Path(path).parent, allow_plugins=allow_plugins)
    return built(Node(document, "", context), _config, path)


def _fit(document: Any, path: str | Path) -> None:
    try:
        checked(document, MIG_CONFIG, "mig-config", path)
    except InputError as error:
        known = _KNOWN.get(error.pointer.rpartition("/")[2])
        if known is None or not isinstance(error.expected, TextLike):
            raise
        expected = f"one of {nearest_first(error.value, known)}"
        raise InputError(error.pointer, error.value, expected, path) from None


def _config(root: Node) -> MigConfig:
    if ("count" in root) == ("horizon" in root):
        both = "both" if "count" in root else "neither"
        raise InputError("", described(f"{both} of the keys count and horizon"), "one of them")
    classes = tuple(_job_class(node) for node in root.parts("classes"))
    names = [known.name for known in classes]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise root.at("classes", i, "name").error("a name that no class before has")
    if not any(known.weight for known in classes):
        raise root.at("classes").error("a positive weight among them", value=[0] * len(names))
    return MigConfig(
        document=root.value,
        name=root["name"],
        time_unit=root.value.get("time_unit", "minute"),
        count=int(root["count"]) if "count" in root else None,
        horizon=float(root.value.get("horizon", inf)),
        seeds=seeds(root.at("seeds")),
        arrivals=arrivals(root.at("arrivals")),
        classes=classes,
        files=root.context.files,
        plugins=root.context.plugins,
    )


def _job_class(node: Node) -> JobClass:
    return JobClass(
        name=node["name"],
        weight=float(node.value.get("weight", 1)),
        values={
            "priority": _or(node, "priority", 1, "nearest"),
            "run_length": value(node.at("run_length"), "nearest"),
            "cuda_cores": _or(node, "cuda_cores", 1, "nearest"),
        },
        memory=memory_model(node.at("memory")),
        interruptible=float(node.value.get("interruptible", {"prob": 1})["prob"]),
        migratable=float(node.value.get("migratable", {"prob": 1})["prob"]),
        deadline=_deadline(node),
        extra={
            name: job_field(node.at("extra_fields", name))
            for name in node.value.get("extra_fields", {})
        },
    )


def _or(node: Node, key: str, default: float, rounding: str = "none") -> Value:
    """Return the value under a key, or the default."""
    place = Node(node.value.get(key, default), f"{node.pointer}/{key}", node.context)
    return value(place, rounding)


def _deadline(node: Node) -> tuple[str, Value]:
    kind = node.value.get("deadline", {"kind": "none"})["kind"]
    place = node.at("deadline") if kind != "none" else Node({}, node.pointer, node.context)
    return kind, _or(place, "value", 0)
