"""Names that are not known, refused with the nearest that are."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError
from rsjs.experiments.campaigns import formats


def refuse_unknown_keys(document: Mapping[str, Any], path: Path) -> None:
    """The schema refuses them too, without a word on what may have been meant."""
    known = formats.schema("campaign")["properties"]
    _refuse_others(document, known, "", path)
    parts = ("limits", "instances", "methods", "simulation", "workloads", "policies")
    for part in (*parts, "mig_scheduling"):
        found, described_by = document.get(part, {}), known[part]
        several = isinstance(found, list)
        keys = described_by.get("items", described_by)["properties"]
        for i, entry in enumerate(found if several else [found]):
            if isinstance(entry, dict):
                _refuse_others(entry, keys, f"/{part}/{i}" if several else f"/{part}", path)


def _refuse_others(entry: Mapping[str, Any], known: Mapping[str, Any], at: str, path: Path) -> None:
    for key in entry:
        if key not in known:
            raise unknown(f"{at}/{key}", key, [*known]).at(path)


def unknown(at: str, given: str, known: list[str]) -> InputError:
    """The error for a name at a place of the campaign."""
    near = get_close_matches(given, known, n=3) or sorted(known)
    return InputError(at, given, f"e.g. {', '.join(near)}" if near else "none is declared")
