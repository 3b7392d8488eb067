"""The sets of the library, each member with its size and its digest."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any

from rsjs.instances.errors import InputError, described
from rsjs.instances.library.recipes import MIG, Recipe, data, recipes

LICENCE = "CC-BY-4.0"
# Tier -> the most nodes and jobs of an instance in it.
TIERS = {
    "tiny": (10, 10),
    "small": (50, 200),
    "medium": (100, 1000),
    "large": (1000, 10_000),
    "huge": (1_000_000, 1_000_000),
}
COLUMNS = ("name", "nodes", "jobs", "sha256", "optimum")


@dataclass(frozen=True, kw_only=True)
class Member:
    """
    One instance, or one set of MIG jobs.

    Attributes
    ----------
    generator : str
    arguments : mapping
    name : str
    nodes : int or None
        None for MIG jobs.
    jobs : int
    sha256 : str
    optimum : float or None [$]
        If it is known by construction or by enumeration; best-known values have more.
    """

    generator: str
    arguments: Mapping[str, Any]
    name: str
    nodes: int | None
    jobs: int
    sha256: str
    optimum: float | None

    @property
    def tier(self) -> str:
        """The first of `TIERS` that it fits in."""
        return next(
            tier
            for tier, (nodes, jobs) in TIERS.items()
            if (self.nodes or 0) <= nodes and self.jobs <= jobs
        )


@dataclass(frozen=True, kw_only=True)
class LibrarySet:
    """
    A named set.

    Attributes
    ----------
    recipe : Recipe
    members : tuple of Member
    """

    recipe: Recipe
    members: tuple[Member, ...]

    @property
    def name(self) -> str:
        """By which it is asked for."""
        return self.recipe.name

    @property
    def of_mig_jobs(self) -> bool:
        """Whether its members are sets of MIG jobs, not instances."""
        return self.members[0].generator == MIG

    @property
    def tier(self) -> str:
        """That of its largest member."""
        order = [*TIERS]
        return max((member.tier for member in self.members), key=order.index)

    @property
    def sizes(self) -> tuple[str, str]:
        """The smallest and the largest member, as nodes x jobs."""
        by_jobs = sorted(self.members, key=lambda member: (member.jobs, member.nodes or 0))
        return _size(by_jobs[0]), _size(by_jobs[-1])


def names() -> list[str]:
    """All sets."""
    return [*recipes()]


@cache
def library_set(name: str) -> LibrarySet:
    """
    A set by its name.

    Raises
    ------
    InputError
        With the nearest names, if there is none of this name.
    """
    if name not in recipes():
        near = ", ".join(get_close_matches(name, names(), n=3, cutoff=0.4) or names()[:3])
        raise InputError("", name, f"e.g. {near} (rsjs list sets)")
    recipe = recipes()[name]
    rows = golden(name)
    if len(rows) != len(recipe.calls):
        found = described(f"{len(rows)} digests of {name}")
        raise InputError("", found, f"{len(recipe.calls)}, one per member")
    calls = zip(recipe.calls, rows, strict=True)
    return LibrarySet(recipe=recipe, members=tuple(_member(call, row) for call, row in calls))


def golden(name: str) -> list[dict[str, str]]:
    """The rows of a set in `data/golden`, column -> text."""
    text = (data() / "golden" / f"{name}.csv").read_text("utf-8")
    return [*csv.DictReader(text.splitlines())]


def _member(call: tuple[str, Mapping[str, Any]], row: Mapping[str, str]) -> Member:
    generator, arguments = call
    return Member(
        generator=generator,
        arguments=arguments,
        name=row["name"],
        nodes=int(row["nodes"]) if row["nodes"] else None,
        jobs=int(row["jobs"]),
        sha256=row["sha256"],
        optimum=float(row["optimum"]) if row["optimum"] else None,
    )


def _size(member: Member) -> str:
    return f"{member.jobs} jobs" if member.nodes is None else f"{member.nodes} x {member.jobs}"
