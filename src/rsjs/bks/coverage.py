"""Coverage of the instance library by best-known values, set by set, up to a number of jobs."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from rsjs.bks.entries import BestKnown
from rsjs.instances.library.sets import library_set, names

MOST_JOBS = 400  # larger members are not asked for


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """Coverage of a set: its instances of at most `MOST_JOBS` jobs, counted."""

    name: str
    members: int
    closed: int  # whose least cost is proved
    confirmed: int  # closed ones that another method or solver proves, too
    two_solvers: int  # closed ones that two solvers prove
    open: int  # with a cost or a bound, and a gap
    gap: float | None  # largest of the open ones; 1 where cost or bound is missing

    @property
    def unknown(self) -> int:
        """Members without any value."""
        return self.members - self.closed - self.open


def coverage(known: Iterable[BestKnown]) -> list[Coverage]:
    """Return a row per set that has instances of at most `MOST_JOBS` jobs, and one for all sets."""
    entries = {entry.sha256: entry for entry in known}
    sets = {
        name: {member.sha256 for member in library_set(name).members if member.jobs <= MOST_JOBS}
        for name in names()
        if not library_set(name).of_mig_jobs
    }
    rows = {name: wanted for name, wanted in sets.items() if wanted}
    rows["all"] = {sha256 for wanted in rows.values() for sha256 in wanted}
    return [_counted(name, entries, wanted) for name, wanted in rows.items()]


def of_set(known: Iterable[BestKnown], name: str) -> list[BestKnown]:
    """Return the entries of the members of a set."""
    members = {member.sha256 for member in library_set(name).members}
    return [entry for entry in known if entry.sha256 in members]


def unsettled(known: Iterable[BestKnown]) -> list[BestKnown]:
    """Return entries that are open, and those that a single method and solver closed."""
    return [entry for entry in known if not (entry.closed and entry.confirmed)]


def _counted(name: str, entries: dict[str, BestKnown], wanted: Collection[str]) -> Coverage:
    """Count the entries of the instances wanted."""
    found = [entries[sha256] for sha256 in wanted if sha256 in entries]
    left = [entry for entry in found if not entry.closed]
    gaps = (entry.heads()["gap"] for entry in left)
    return Coverage(
        name=name,
        members=len(wanted),
        closed=len(found) - len(left),
        confirmed=sum(entry.closed and entry.confirmed for entry in found),
        two_solvers=sum(entry.closed and len(entry.solvers) > 1 for entry in found),
        open=len(left),
        gap=max((1.0 if gap is None else gap for gap in gaps), default=None),
    )
