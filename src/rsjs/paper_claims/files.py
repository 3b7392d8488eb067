"""
The claims files: `data/<paper>.toml`, what is claimed and which experiments tell.

    source = "Jahani et al. 2019"
    settings = "..."    what the paper leaves open and is decided here; names of its methods
    [[experiments]]     the fields of `Experiment`
    [[claims]]          the fields of `Claim`
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from rsjs.core.errors import InputError
from rsjs.paper_claims.claim import Claim, Experiment

PAPERS = ("jahani", "kiros", "andreas", "sts", "konopa")


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
    """All papers, in order of publication."""
    return tuple(_paper(name) for name in PAPERS)


def claims() -> dict[str, Claim]:
    """Every claim by its id."""
    return {claim.id: claim for paper in papers() for claim in paper.claims}


def experiments() -> dict[str, Experiment]:
    """Every experiment by its name."""
    return {one.name: one for paper in papers() for one in paper.experiments}


def chosen(names: list[str]) -> list[Claim]:
    """
    The claims of ids, of papers, or of `all`, each once.

    Raises
    ------
    InputError
        For a name that is none of these.
    """
    groups = {paper.name: paper.claims for paper in papers()}
    groups["all"] = tuple(claims().values())
    found: dict[str, Claim] = {}
    for name in names:
        known = groups.get(name) or tuple(one for one in groups["all"] if one.id == name)
        if not known:
            expected = f"a claim of `rsjs reproduce --list`, all, {', '.join(PAPERS)}"
            raise InputError("CLAIM", name, expected)
        found.update((claim.id, claim) for claim in known)
    return list(found.values())


def _paper(name: str) -> Paper:
    text = resources.files("rsjs.paper_claims").joinpath(f"data/{name}.toml").read_text()
    document: dict[str, Any] = tomllib.loads(text)
    source = document["source"]
    return Paper(
        name=name,
        source=source,
        settings=document["settings"],
        claims=tuple(Claim(source=source, **entry) for entry in document["claims"]),
        experiments=tuple(Experiment(**entry) for entry in document["experiments"]),
    )
