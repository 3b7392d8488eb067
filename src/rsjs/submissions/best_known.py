"""What accepted submissions offer to the best-known values: costs, and bounds that are proved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rsjs.bks.candidates import Candidates, CostCandidate
from rsjs.bks.entries import Bound
from rsjs.submissions.check import Checked
from rsjs.submissions.claims import Claim
from rsjs.submissions.files import SUFFIXES, TOML
from rsjs.submissions.row import CheckedRow


def is_submission(path: Path) -> bool:
    """Return whether a path is a submission, an archive, or a folder of FAMILY/NAME/."""
    archive = path.name.endswith(SUFFIXES) and not path.is_dir()
    return archive or (path / TOML).is_file() or any(path.glob(f"*/*/{TOML}"))


def add(candidates: dict[str, Candidates], checked: Checked) -> None:
    """
    Add the candidates of accepted submissions, credited to whom they name, by sha256 of instances.

    A bound of a run that nobody repeated is none.
    """
    for row, claim in zip(checked.rows, checked.claims, strict=True):
        known = candidates.setdefault(
            row.sha256, Candidates(instance=claim.subject, stranger=claim.stranger)
        )
        if row.cost is not None:
            known.costs.append(_cost(row, claim))
        if row.bound is not None and row.proved:
            origin = _origin(row) | ({"method": claim.method} if claim.method else {})
            bound = Bound(**origin, value=row.bound, bound_source=row.evidence)
            known.bounds.append(bound)
            if claim.certificate is not None:
                known.certificates[bound.source] = claim.certificate


def _cost(row: CheckedRow, claim: Claim) -> CostCandidate:
    solution = claim.solution
    assert row.cost is not None, "priced"
    assert solution is not None, "priced"
    return CostCandidate(**_origin(row), value=row.cost, read_solution=lambda: solution)


def _origin(row: CheckedRow) -> dict[str, Any]:
    return {"date": row.date, "source": row.source, "method": row.method}
