"""No page is made from a run that failed or made a false claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def refuse_false(rows: Sequence[Mapping[str, Any]]) -> None:
    """End the program at the first such row of a comparison, and say why."""
    for row in rows:
        if row["status"] not in ("ok", "no_solution") or row["stop"] == "error":
            raise SystemExit(f"{row['method']} on {row['instance']}: {row['message']}")
