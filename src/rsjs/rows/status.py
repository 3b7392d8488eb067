"""
Status of an instance in the words of JSPLib, from rows: what was proved, with what effort.

    toy       one run proves the optimum within a minute
    easy      within ten minutes
    medium    within an hour
    hard      one run proves it, none within an hour
    closed    no single run proves it: cost and bound of several runs together do
    open      runs proved bounds, and the gap of all together is larger; `effort` says after what
    unknown   no run proved a bound, or one proved a bound above a cost that another reached

Proved: the gap of a checked cost and a valid bound is at most GAP. Seconds are those of the method
on the machine that the row names. The effort behind `open` is the CPU time of the run of most CPU
time, or its wall clock if that is less: 60 s beside other work are not 60 s of search. Without the
CPU time the wall clock counts. Rows that are wrong say nothing, nor do simulations with options
that change what a schedule costs. A bound with a proof and without a run, as of a certificate, took
no seconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rsjs.core.errors import InputError
from rsjs.rows.select import VALID, AnyRow, is_wrong, known
from rsjs.runs.gap import contradicts, gap
from rsjs.simulation.options import is_comparable

GAP = 1e-4  # at which the methods of the suite stop by default
LIMITS = {"toy": 60.0, "easy": 600.0, "medium": 3600.0, "hard": float("inf")}  # word -> s
SOLVED = (*LIMITS, "closed")
WORDS = (*SOLVED, "open", "unknown")


@dataclass(frozen=True, kw_only=True)
class Status:
    """What rows prove of an instance."""

    word: str  #: one of WORDS
    effort: float | None = None  #: [s] of the run that proves it; of `open`, see the module
    cost: float | None = None  #: [$] least of all runs
    bound: float | None = None  #: [$] greatest of all runs
    gap: float | None = None  #: of these two
    method: str = ""  #: of the run that proves it; of `open`, of the greatest bound
    version: str = ""  #: of the package and the solver that made that run
    machine: str = ""  #: its processor

    def __str__(self) -> str:
        """Return the word; that of an open instance with its evidence: `open after 60 s`."""
        return f"open after {self.effort:.0f} s" if self.word == "open" else self.word


def status(rows: Iterable[AnyRow]) -> Status:
    """Return what the rows of one instance prove of it."""
    rows = [row for row in rows if not is_wrong(row) and is_usual(row)]
    costs = [row["objective"] for row in rows if known(row, "objective") is not None]
    bounded = [row for row in rows if _bound(row) is not None]
    if not bounded:
        return Status(word="unknown")
    greatest = max(bounded, key=lambda row: row["bound"])
    cost = min(costs, default=None)
    together = gap(cost, greatest["bound"])
    reached = {"cost": cost, "bound": greatest["bound"], "gap": together}
    if contradicts(cost, greatest["bound"]):  # one of the two is wrong
        return Status(word="unknown", **reached | {"gap": None})
    # a run that was killed has no time of its own
    proofs = [row for row in bounded if _proves(row) and known(row, "total_s") is not None]
    if proofs:
        fastest = min(proofs, key=lambda row: row["total_s"])
        word = next(word for word, limit in LIMITS.items() if fastest["total_s"] <= limit)
        return _told(word, fastest, fastest["total_s"], reached)
    if together is not None and together <= GAP:
        seconds = sum(known(row, "total_s") or 0.0 for row in bounded)
        return _told("closed", greatest, seconds, reached)
    return _told("open", greatest, max(map(effort, bounded)), reached)


def refuse_more(claim: str, found: Status, place: str) -> None:
    """
    Raise InputError at a place if a claimed status says more than what rows prove.

    A claim is what `str(Status)` gives, or "" for none. One may claim less: that an instance is
    closed where a minute closes it, or open after less effort.
    """
    word, _, rest = claim.partition(" after ")
    if word not in ("", *WORDS) or (word == "open") != bool(rest):
        raise InputError(place, claim, f"one of {', '.join(SOLVED)}, open after N s, unknown")
    if word == "open":
        try:
            effort = float(rest.removesuffix(" s"))
        except ValueError:
            raise InputError(place, claim, "open after N s, N a number") from None
        fits = found.word == "open" and effort <= round(found.effort or 0.0)
    elif word in SOLVED:
        fits = found.word in SOLVED and SOLVED.index(found.word) <= SOLVED.index(word)
    else:
        fits = True
    if not fits:
        raise InputError(place, claim, f"at most `{found}`, which is what stored rows prove")


def is_usual(row: AnyRow) -> bool:
    """Return whether no option of a simulation changes what a schedule costs."""
    options = known(row, "simulation")
    return options is None or is_comparable(json.loads(options))


def _bound(row: AnyRow) -> float | None:
    """Return the bound of a row if it is valid for the instance."""
    valid = known(row, "bound_variant") in VALID
    bound: float | None = known(row, "bound") if valid else None
    return bound


def _proves(row: AnyRow) -> bool:
    own = gap(known(row, "objective"), _bound(row))
    return own is not None and own <= GAP


def effort(row: AnyRow) -> float:
    """Return the seconds [s] of a run that count: CPU time, or the wall clock if that is less."""
    seconds = [known(row, key) for key in ("total_s", "cpu_s")]
    return min((float(one) for one in seconds if one is not None), default=0.0)


def _told(word: str, row: AnyRow, effort: float, reached: Mapping[str, float | None]) -> Status:
    solver, version = str(row["method"]).partition("@")[2], known(row, "solver_version")
    versions = known(row, "rsjs_version"), version and f"{solver} {version}".lstrip()
    return Status(
        word=word,
        effort=effort,
        **reached,
        method=str(row["method"]),
        version=", ".join(str(version) for version in versions if version),
        machine=str(known(row, "cpu_model") or ""),
    )
