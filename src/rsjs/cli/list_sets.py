"""The sets of the instance library as data, and as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rsjs.best_known.coverage import optima
from rsjs.best_known.storage import read_all, shipped
from rsjs.instances.library.sets import LICENCE, LibrarySet, library_set, names


def sets() -> list[dict[str, Any]]:
    """Every set: how many members of which sizes, and where they are from."""
    closed = optima(read_all(shipped()))
    return [_described(library_set(name), closed) for name in names()]


def print_sets(found: list[dict[str, Any]]) -> None:
    """A line per set, never broken: for eyes and for grep."""
    rows = [("set", "members", "nodes x jobs", "tier", "summary")]
    for entry in found:
        sizes = " to ".join(dict.fromkeys(entry["sizes"]))
        rows.append((entry["set"], str(entry["members"]), sizes, entry["tier"], entry["summary"]))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    for *cells, summary in rows:
        padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        print(*padded, summary, sep="  ")
    print(f"\nLicence of the data: {LICENCE}. rsjs fetch-set NAME -o DIR writes a set.")


def _described(chosen: LibrarySet, optima: Mapping[str, float]) -> dict[str, Any]:
    return {
        "set": chosen.name,
        "kind": "MIG jobs" if chosen.of_mig_jobs else "instances",
        "members": len(chosen.members),
        "sizes": chosen.sizes,
        "tier": chosen.tier,
        "optima_known": sum(
            member.optimum is not None or member.sha256 in optima for member in chosen.members
        ),
        "summary": chosen.summary,
        "source": chosen.source,
        "licence": LICENCE,
    }
