"""
The check of submissions: what they claim, against each other and against what is known.

First-source credit: a value that stands among the best-known values has its credit there, whatever
date a submission states. Of submissions that are not there yet, the earlier date comes first, then
the name. A submission is accepted whole or not at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isclose
from pathlib import Path

from rsjs.bks import storage
from rsjs.bks.entries import Origin
from rsjs.bks.exact_cost import AGREEMENT
from rsjs.core.errors import InputError
from rsjs.runs.gap import contradicts
from rsjs.submissions import document
from rsjs.submissions.claims import Claim, FalseClaim, claims
from rsjs.submissions.files import Files, submissions
from rsjs.submissions.row import EQUAL, FIRST, RUN, CheckedRow
from rsjs.submissions.subjects import Known, sets_of

HERE = Path("submissions")  # of a checkout, in the working folder
TREE = storage.PACKAGE.parents[1] / HERE  # of the source tree that is imported


@dataclass(frozen=True, kw_only=True)
class Refused:
    """A submission that is refused, and every reason."""

    place: Path
    errors: tuple[InputError, ...]

    @property
    def unreadable(self) -> bool:
        """Whether something in it cannot be read, apart from claims that are false."""
        return not all(isinstance(error, FalseClaim) for error in self.errors)


@dataclass(frozen=True, kw_only=True)
class Checked:
    """Result of a check."""

    rows: list[CheckedRow]  # of submissions that are accepted, by submission and instance
    refused: list[Refused]
    claims: list[Claim] = field(repr=False)  # in the order of the rows

    @property
    def accepted(self) -> list[str]:
        """Names of the submissions that are accepted."""
        return list(dict.fromkeys(row.submission for row in self.rows))

    @property
    def exit_code(self) -> int:
        """Return 2 if something cannot be read, 1 if a claim is false, 0 if all is well."""
        return max((2 if one.unreadable else 1 for one in self.refused), default=0)

    @property
    def errors(self) -> list[InputError]:
        """All reasons for which submissions are refused."""
        return [error for one in self.refused for error in one.errors]


def accepted(folder: Path | None = None, *, best_known: Path | None = None) -> list[CheckedRow]:
    """Return the rows of all submissions in a folder that pass; by default those of the sources."""
    place = folder or (TREE if TREE.is_dir() and not HERE.is_dir() else HERE)
    return check([place], best_known=best_known).rows if place.is_dir() else []


def check(paths: Iterable[Path], *, best_known: Path | None = None, rerun: bool = False) -> Checked:
    """
    Check submissions: folders, folders of FAMILY/NAME/, or archives.

    Parameters
    ----------
    best_known : Path, optional
        Folder of the best-known values; results/best_known by default, here or of the sources.
    rerun : bool
        Repeat the runs that bounds come from, each within the limits that it names.
    """
    known = Known.of(best_known)
    settled: dict[Path, list[Claim]] = {}
    errors: dict[Path, list[InputError]] = defaultdict(list)
    seen: dict[str, Path] = {}
    for path in paths:
        for files in submissions(path):
            if isinstance(files, InputError):
                errors[Path(files.file or path)].append(files)
                continue
            found = [*_claims_of(files, known, seen, rerun=rerun)]
            errors[files.place] += [one for one in found if isinstance(one, InputError)]
            settled[files.place] = [one for one in found if isinstance(one, Claim)]
    for claim, error in _contradictions(settled, known):
        errors[claim.place].append(error)
    refused = [Refused(place=p, errors=tuple(found)) for p, found in errors.items() if found]
    sound = [c for place, found in settled.items() if not errors[place] for c in found]
    sound.sort(key=lambda c: (c.submission.id, c.subject.name, c.subject.digest))
    return Checked(rows=_rows(sound, known), refused=refused, claims=sound)


def _claims_of(
    files: Files, known: Known, seen: dict[str, Path], *, rerun: bool
) -> Iterable[Claim | InputError]:
    try:
        submission = document.read(files)
        if (other := seen.setdefault(submission.id, files.place)) != files.place:
            expected = f"a name of its own: {other} has it"
            path = files.path("submission.toml")
            raise InputError("/name", submission.id, expected, path)
    except InputError as error:
        return [error]
    return claims(files, submission, known, rerun=rerun)


# ------------------------------------------------------------------------------------------------
# Contradictions


def _contradictions(
    settled: Mapping[Path, Sequence[Claim]], known: Known
) -> Iterable[tuple[Claim, InputError]]:
    """
    Yield each claim that cannot be true beside another value, with an error that names both.

    A cost is that of a solution which anybody can price; so where a bound lies above it, it is the
    bound that is refused. Where it is a known bound, one of both programs is wrong: somebody looks.
    """
    by_instance: dict[str, list[Claim]] = defaultdict(list)
    for found in settled.values():
        for claim in found:
            by_instance[claim.subject.digest].append(claim)
    for sha256, group in by_instance.items():
        costs = [(c.cost, f"submission {c.submission.id}") for c in group if c.cost is not None]
        least = min([*costs, *filter(None, [known.cost(sha256)])], default=None)
        greatest = known.bound(sha256)
        for claim in group:
            if least is not None and contradicts(least[0], claim.bound):
                expected = (
                    f"at most {least[0]!r}, the cost by {least[1]}, on {claim.subject.name}:"
                    " correct the bound"
                )
                path = claim.place / (claim.bound_file or "")
                yield claim, FalseClaim("/bound", claim.bound, expected, path)
            if greatest is not None and contradicts(claim.cost, greatest[0]):
                expected = (
                    f"at least {greatest[0]!r}, the bound by {greatest[1]}, on"
                    f" {claim.subject.name}: one of both is wrong, report it as a defect"
                )
                path = claim.place / (claim.solution_file or "")
                yield claim, FalseClaim("/objective", claim.cost, expected, path)


# ------------------------------------------------------------------------------------------------
# Rows


def _rows(sound: Sequence[Claim], known: Known) -> list[CheckedRow]:
    rows = [_row(claim) for claim in sound]
    order = sorted(range(len(rows)), key=lambda k: (rows[k].date, rows[k].submission))
    best: dict[str, tuple[float | None, float | None]] = {}  # cost and bound known so far
    for k in order:
        row, entry = rows[k], known.entries.get(rows[k].sha256)
        if row.sha256 not in best:
            heads = known.cost(row.sha256), known.bound(row.sha256)
            best[row.sha256] = heads[0] and heads[0][0], heads[1] and heads[1][0]
        cost, bound = best[row.sha256]
        new = row.bound if row.evidence != RUN else None
        if known.closed(row.sha256) and new is not None and bound is not None:
            new = min(new, bound)  # a closed instance takes no more bounds
        rows[k] = replace(
            row,
            cost_credit=_credit(row, row.cost, cost, entry.ub_data if entry else (), sign=-1),
            bound_credit=_credit(row, new, bound, entry.lb_data if entry else (), sign=1),
        )
        costs = [value for value in (cost, row.cost) if value is not None]
        bounds = [value for value in (bound, new) if value is not None]
        best[row.sha256] = min(costs, default=None), max(bounds, default=None)
    return rows


def _credit(
    row: CheckedRow, value: float | None, best: float | None, steps: Iterable[Origin], sign: int
) -> str | None:
    """Return the credit for a value: the best before it is `best`, `steps` are its history."""
    if value is None:
        return None
    if any(step.source == row.source and step.value == value for step in steps):
        return FIRST
    near = best is not None and isclose(value, best, rel_tol=AGREEMENT)
    if best is None or (sign * value > sign * best and not near):
        return FIRST
    return EQUAL if near else None


def _row(claim: Claim) -> CheckedRow:
    subject, submission = claim.subject, claim.submission
    about = {key: getattr(submission, key) for key in ("who", "date", "method", "reference")}
    return CheckedRow(
        **about,
        submission=submission.id,
        machine=submission.machine,
        division=submission.division,
        instance=subject.name,
        sha256=subject.digest,
        nodes=subject.cluster.nodes,
        jobs=len(subject.jobs),
        sets=sets_of(subject.digest),
        cost=claim.cost,
        exact=None if claim.price is None else claim.price["exact"],
        bound=claim.bound,
        evidence=claim.evidence,
    )
