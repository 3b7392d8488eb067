"""Stores found on the disk."""

from __future__ import annotations

from pathlib import Path

from rsjs.core.errors import InputError, described


def last_store(folder: Path) -> Path:
    """
    Of the stores in a folder the one that was worked on last.

    Raises
    ------
    InputError
        If there is none.
    """
    stores = [path.parent for path in folder.glob("*/store.json")]
    if not stores:
        expected = "a store of `rsjs run`: give its folder, or run a campaign first"
        raise InputError("", described("no store"), expected, folder)
    return max(stores, key=lambda store: (_touched(store), store.name))


def _touched(store: Path) -> float:
    """When a run, a session or the plan was last written."""
    places = [store / "plan.json", *store.glob("sessions/*.json"), *store.glob("runs/??")]
    return max((path.stat().st_mtime for path in places if path.exists()), default=0.0)
