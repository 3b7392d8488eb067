"""
Claims of papers, their verdicts, and the files with both: `data/<paper>.toml`.

    source = "Jahani et al. 2019"
    settings = "..."    what the paper leaves open and is decided here; names of its methods
    [[experiments]]     the fields of `Experiment`
    [[claims]]          the fields of `Claim`

A claim publishes a value or a range; an experiment gives rows; a metric of these rows is our value,
one for each case (catalogue, load, ...) that the paper leaves open. A case agrees if

    low - tolerance <= value <= high + tolerance,

and the claim holds if all cases agree, holds with limits if some do, and does not hold if none
does. A claim that our values cannot decide has no verdict, whatever the values: they were measured
under other conditions, measure something else, or follow from how the rows are made.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any

from rsjs.core.errors import InputError

Row = dict[str, Any]
Rows = Sequence[Row]
Values = Mapping[str, float]  # case -> value

SIZES = ("quick", "paper")
PAPERS = ("jahani", "kiros", "andreas", "sts", "konopa")  # in order of publication


class Verdict(StrEnum):
    """Verdict on a claim."""

    HOLDS = "holds"
    LIMITS = "holds with limits"
    FAILS = "does not hold"
    INCOMPARABLE = "not comparable"  # measured, but under conditions that decide the outcome
    UNTESTED = "not tested"  # not measured, or something else was
    CONSTRUCTED = "by construction"  # could not have come out differently


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """Experiment: the runs that make rows."""

    name: str
    what: str  # one sentence
    run: str  # a name in `runs.RUNS`
    arguments: Mapping[str, Any] = field(default_factory=dict)  # of both sizes
    quick: Mapping[str, Any] = field(default_factory=dict)  # of some minutes
    paper: Mapping[str, Any] = field(default_factory=dict)  # of what the paper ran
    campaign: str = ""  # bundled; it ran these cases and policies whole: its rows are the evidence
    #: columns x and y, and log = true for logarithmic axes; empty = no picture
    plot: Mapping[str, Any] = field(default_factory=dict)

    def of_size(self, size: str) -> dict[str, Any]:
        """Return the arguments at a size."""
        return {**self.arguments, **(self.quick if size == "quick" else self.paper)}


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A statement of a paper."""

    id: str
    source: str  # the paper
    where: str  # figure, table or section
    statement: str
    printed: str  # the value as published
    reason: str  # why the verdict is what it is
    unit: str = "share"  # share, ratio, s or count
    low: float = 0.0  # the published value or range, shares as fractions; inf = open
    high: float = 0.0
    tolerance: float = 0.0  # added on both sides
    no_verdict: str = ""  # told in place of a verdict
    experiment: str = ""  # "" = nothing on disk can test it
    metric: Mapping[str, Sequence[Any]] = field(default_factory=dict)  # its name and arguments
    only: str = ""  # rows of which this formula is true, e.g. `nodes == 1`
    cases: Mapping[str, str] = field(default_factory=dict)  # case -> its rows; else by `case`

    def agrees(self, value: float) -> bool:
        """Return whether a value is the published one, up to the tolerance."""
        return self.low - self.tolerance <= value <= self.high + self.tolerance

    def verdict(self, values: Values) -> Verdict:
        """Return the verdict on the values of all cases, or why there is none."""
        if self.no_verdict:
            return Verdict(self.no_verdict)
        agree = [self.agrees(value) for value in values.values()]
        if not agree:
            return Verdict.UNTESTED
        return Verdict.HOLDS if all(agree) else Verdict.LIMITS if any(agree) else Verdict.FAILS


@dataclass(frozen=True, kw_only=True)
class Paper:
    """The claims of a paper and the experiments that test them."""

    name: str
    source: str
    settings: str
    claims: tuple[Claim, ...]
    experiments: tuple[Experiment, ...]


@cache
def papers() -> tuple[Paper, ...]:
    """Return all papers, in order of publication."""
    made = []
    for name in PAPERS:
        file = resources.files("rsjs.paper_claims").joinpath(f"data/{name}.toml")
        document: dict[str, Any] = tomllib.loads(file.read_text("utf-8"))
        claims = (Claim(source=document["source"], **entry) for entry in document.pop("claims"))
        tested = (Experiment(**entry) for entry in document.pop("experiments"))
        made.append(Paper(name=name, claims=tuple(claims), experiments=tuple(tested), **document))
    return tuple(made)


def claims() -> dict[str, Claim]:
    """Return every claim by its id."""
    return {claim.id: claim for paper in papers() for claim in paper.claims}


def experiments() -> dict[str, Experiment]:
    """Return every experiment by its name."""
    return {one.name: one for paper in papers() for one in paper.experiments}


def chosen(names: Sequence[str]) -> list[Claim]:
    """Return the claims of ids, of papers, or of `all`, each once; InputError for other names."""
    groups: dict[str, tuple[Claim, ...]] = {name: (claim,) for name, claim in claims().items()}
    groups |= {paper.name: paper.claims for paper in papers()}
    groups["all"] = tuple(claims().values())
    for name in names:
        if name not in groups:
            expected = f"a claim of `rsjs reproduce --list`, all, {', '.join(PAPERS)}"
            raise InputError("CLAIM", name, expected)
    return list({claim.id: claim for name in names for claim in groups[name]}.values())
