"""New claims against a folder of best-known values: everything is taken, or nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rsjs.core.errors import InputError
from rsjs.experiments.best_known import folder as files
from rsjs.experiments.best_known.claims import Claims
from rsjs.experiments.best_known.construction import constructed
from rsjs.experiments.best_known.entries import BestKnown
from rsjs.experiments.best_known.making import made_by
from rsjs.experiments.best_known.merging import Contradiction, Merged, merged

NAME = "[A-Za-z0-9][A-Za-z0-9._-]*"


@dataclass(frozen=True, kw_only=True)
class Updated:
    """
    What became of claims.

    Attributes
    ----------
    before, after : mapping
        What is known of the instances with claims, by sha256; `before` lacks the new ones.
    contradictions : list of Contradiction
        If there are any, nothing was written.
    refused : list of str
        Solutions that failed the exact check.
    """

    before: Mapping[str, BestKnown]
    after: Mapping[str, BestKnown]
    contradictions: list[Contradiction] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def update(folder: Path, claims: Mapping[str, Claims]) -> Updated:
    """
    Take what is better, and what confirms; write it unless there is a contradiction.

    Parameters
    ----------
    folder : path
        Made if it is not there.
    claims : mapping
        By sha256 of the instance.

    Raises
    ------
    InputError
        For files that cannot be read or written, and for an instance whose name another one has.
    """
    with files.locked(folder):
        known = files.read(folder)
        before = {sha256: known[sha256] for sha256 in claims if sha256 in known}
        _refuse_names(known.values(), claims)
        news = {
            digest: merged(known[digest], found) if digest in known else _begun(found)
            for digest, found in claims.items()
        }
        contradictions = [found for new in news.values() for found in new.contradictions]
        after = {sha256: new.known for sha256, new in news.items() if _says(new)}
        if not contradictions:
            solutions = {
                new.known.instance: new.solution
                for new in news.values()
                if new.solution is not None
            }
            kept = [claims[sha256].instance for sha256, one in after.items() if one.made_by is None]
            files.write(folder, {**known, **after}.values(), solutions, kept)
    return Updated(
        before=before,
        after=after,
        contradictions=contradictions,
        refused=[reason for new in news.values() for reason in new.refused],
    )


def _begun(claims: Claims) -> Merged:
    """The first claims on an instance, those by construction before all others."""
    instance = claims.instance
    nothing = BestKnown(
        instance=instance.name,
        sha256=instance.digest,
        nodes=instance.cluster.nodes,
        jobs=len(instance.jobs),
        made_by=made_by(instance),
    )
    built = merged(nothing, constructed(nothing, instance))
    new = merged(built.known, claims)
    return Merged(
        known=new.known,
        solution=new.solution or built.solution,
        contradictions=[*built.contradictions, *new.contradictions],
        refused=[*built.refused, *new.refused],
    )


def _says(new: Merged) -> bool:
    """Whether there is a cost or a bound; runs without either leave no entry."""
    return bool(new.known.ub_data or new.known.lb_data)


def _refuse_names(known: Collection[BestKnown], claims: Mapping[str, Claims]) -> None:
    names = {entry.instance: entry.sha256 for entry in known}
    for digest, found in claims.items():
        name = found.instance.name
        if not re.fullmatch(NAME, name):
            raise InputError("/name", name, f"text like {NAME}: it names files")
        if names.setdefault(name, digest) != digest:
            raise InputError("/name", name, f"another name: that is of {names[name]}")
