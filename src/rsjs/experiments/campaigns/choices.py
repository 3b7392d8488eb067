"""The methods or policies that a campaign names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rsjs.core.errors import InputError
from rsjs.experiments.campaigns.known_keys import unknown
from rsjs.methods import Request

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
