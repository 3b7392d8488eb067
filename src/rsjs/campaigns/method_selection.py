"""
The methods or policies that a campaign names.

Names that are not known, refused with the nearest that are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from rsjs.campaigns import schema_files
from rsjs.campaigns.run import Isolation
from rsjs.core.errors import InputError
from rsjs.methods import Request


def refuse_unknown_keys(document: Mapping[str, Any], path: Path) -> None:
    """The schema refuses them too, without a word on what may have been meant."""
    known = schema_files.schema("campaign")["properties"]
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


HERE = ""  # the environment that the command itself runs in


@dataclass(frozen=True, kw_only=True)
class Choice:
    """
    A method, the environment it runs in, and patterns of the instances it is meant for.

    A policy may have seeds of its own.
    """

    request: Request
    environment: str = HERE
    on: tuple[str, ...] = ("*",)
    seeds: tuple[int, ...] | None = None
    isolation: Isolation = "process"


def choices(
    entry: Mapping[str, Any],
    environments: Mapping[str, str],
    at: str,
    parse: Callable[[str], Request],
) -> list[Choice]:
    """What one `[[methods]]` or `[[policies]]` of a campaign names; errors point to `at`."""
    environment = entry.get("environment", HERE)
    if environment != HERE and environment not in environments:
        raise unknown(f"{at}/environment", environment, [*environments])
    return [
        Choice(
            request=_request(spelling, f"{at}/run/{k}", parse),
            environment=environment,
            on=tuple(entry.get("on", ("*",))),
            seeds=distinct(entry["seeds"]) if "seeds" in entry else None,
            isolation=entry.get("isolation", "process"),
        )
        for k, spelling in enumerate(entry["run"])
    ]


def _request(spelling: str, at: str, parse: Callable[[str], Request]) -> Request:
    try:
        return parse(spelling)
    except InputError as error:
        raise InputError(at, error.value, error.expected) from None


def distinct(numbers: list[int]) -> tuple[int, ...]:
    """Each number once, in order; an integer of a JSON Schema may be written 1.0."""
    return tuple(dict.fromkeys(map(int, numbers)))
