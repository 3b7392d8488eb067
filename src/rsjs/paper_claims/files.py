"""
The claims files: `data/<paper>.toml`, what is claimed and which experiments tell.

    source = "Jahani et al. 2019"
    settings = "..."    what the paper leaves open and is decided here; names of its methods
    [[experiments]]     the fields of `Experiment`
    [[claims]]          the fields of `Claim`
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from rsjs.core.errors import InputError
from rsjs.paper_claims.claim import Claim, Experiment

PAPERS = ("jahani", "kiros", "andreas", "sts", "konopa")  # in order of publication


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
    return tuple(map(_paper, PAPERS))


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


def _paper(name: str) -> Paper:
    text = resources.files("rsjs.paper_claims").joinpath(f"data/{name}.toml").read_text("utf-8")
    document: dict[str, Any] = tomllib.loads(text)
    source = document["source"]
    return Paper(
        name=name,
        source=source,
        settings=document["settings"],
        claims=tuple(Claim(source=source, **entry) for entry in document["claims"]),
        experiments=tuple(Experiment(**entry) for entry in document["experiments"]),
    )
