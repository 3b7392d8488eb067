"""
What the sets are made of: `data/*.toml`, a table per set.

    [name]
    summary = "..."
    source = "paper and section"
    instances = [                                 # or: mig = "file in data/mig"
        { generator = "jahani", sizes = ["1-40x10N", "100x400"], seeds = [1, 2], options = {} },
    ]

A size is nodes x jobs; `1-40x10N` stands for 1x10, 2x20, ..., 40x400. Members come in the order in
which they are written, seeds last. A set that changes gets a new name.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

MIG = "mig"
_SIZE = re.compile(r"(\d+)(?:-(\d+))?x(\d+)(N?)")


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """
    How a set is made.

    Attributes
    ----------
    name, summary, source : str
    calls : tuple of (str, mapping)
        Generator and arguments of each member; the generator `mig` takes a configuration and a
        seed.
    """

    name: str
    summary: str
    source: str
    calls: tuple[tuple[str, Mapping[str, Any]], ...]


def data() -> Traversable:
    """The folder of the data files."""
    return files("rsjs.instances.library") / "data"


@cache
def recipes() -> Mapping[str, Recipe]:
    """All sets by name, in the order of the files."""
    tables: dict[str, Any] = {}
    for file in sorted(data().iterdir(), key=lambda file: file.name):
        if file.name.endswith(".toml"):
            tables |= tomllib.loads(file.read_text("utf-8"))
    return {
        name: Recipe(
            name=name,
            summary=entry["summary"],
            source=entry["source"],
            calls=tuple(_mig(entry[MIG]) if MIG in entry else _calls(entry["instances"])),
        )
        for name, entry in tables.items()
    }


def _calls(entries: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for entry in entries:
        for text in entry["sizes"]:
            for nodes, jobs in sizes(text):
                for seed in entry.get("seeds", [1]):
                    size = {"nodes": nodes, "jobs": jobs, "seed": seed}
                    yield entry["generator"], {**size, **entry.get("options", {})}


def _mig(config: str) -> Iterator[tuple[str, dict[str, Any]]]:
    from rsjs.instances.library.drawing import mig_config

    for seed in mig_config(config).seeds:
        yield MIG, {"config": config, "seed": seed}


def sizes(text: str) -> list[tuple[int, int]]:
    """
    Numbers of nodes and jobs.

    >>> sizes("1-3x10N")
    [(1, 10), (2, 20), (3, 30)]
    """
    found = _SIZE.fullmatch(text)
    assert found is not None, text
    first, last, jobs = int(found[1]), int(found[2] or found[1]), int(found[3])
    return [(n, jobs * n if found[4] else jobs) for n in range(first, last + 1)]
