"""A row of what was checked: an instance of a submission, see `rsjs.submissions`."""

from __future__ import annotations

from dataclasses import dataclass

CERTIFICATE, REPEATED, RUN = "certificate", "repeated", "run"  # evidence of a bound
FIRST, EQUAL = "first", "equal"  # credit


@dataclass(frozen=True, kw_only=True)
class CheckedRow:
    """Cost and bound of an instance by a submission that passed its check."""

    submission: str
    who: tuple[str, ...]
    date: str
    method: str
    reference: str
    machine: str
    division: str
    instance: str
    sha256: str
    nodes: int
    jobs: int
    sets: tuple[str, ...]
    cost: float | None = None  # $
    exact: str | None = None
    cost_credit: str | None = None
    bound: float | None = None  # $
    evidence: str | None = None
    bound_credit: str | None = None

    @property
    def proved(self) -> bool:
        """Whether the bound is proved: by its certificate, or by a run that was repeated."""
        return self.evidence in (CERTIFICATE, REPEATED)

    @property
    def source(self) -> str:
        """Return whom a best-known value is credited to."""
        return f"submission {self.submission}: {', '.join(self.who)}"
