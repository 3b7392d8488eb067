"""What `rsjs bks update` is given: stores of runs, or a solution from elsewhere, or both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rsjs.best_known.candidates import Claims


def claims(
    stores: Sequence[Path],
    solution: Path | None,
    instance: Path | None,
    source: str | None,
    without: Sequence[str],
) -> tuple[Mapping[str, Claims], list[str]]:
    """The claims by sha256 of the instance, and what is left out with the reason."""
    from rsjs.best_known.candidates import contributed, of_stores
    from rsjs.core.errors import InputError, described
    from rsjs.runs.provenance import utc

    given = {"--solution": solution, "--instance": instance, "--source": source}
    missing = [name for name, value in given.items() if not value]
    if not stores and len(missing) == len(given):
        raise InputError("", described("no STORE and no --solution"), "one of them")
    if 0 < len(missing) < len(given):
        together = " and ".join(name for name in given if name not in missing)
        raise InputError(missing[0], described("nothing"), f"it together with {together}")
    found, left_out = of_stores(stores, without)
    if solution is not None and instance is not None and source is not None:
        one = contributed(instance, solution, source, utc())
        known = found.setdefault(one.instance.digest, one)
        if known is not one:
            known.costs.extend(one.costs)
    return found, left_out
