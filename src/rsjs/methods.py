"""Every method by name, and the spelling `name[@solver][:rule][?key=value,...]`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from rsjs.formulations.backends.registry import BACKENDS
from rsjs.formulations.registry import METHODS as EXACT
from rsjs.heuristics.registry import METHODS as HEURISTICS
from rsjs.instances.errors import InputError
from rsjs.instances.method import Method, Option

SPELLING = "name[@solver][:rule][?key=value,...]"


@dataclass(frozen=True, kw_only=True)
class Request:
    """A method with its solver, rule and options, as spelled by a user and completed."""

    method: Method
    solver: str | None = None
    rule: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def spelling(self) -> str:
        """Canonical spelling: solver and rule named, options that differ from the default."""
        text = self.method.name
        text += f"@{self.solver}" if self.solver else ""
        text += f":{self.rule}" if self.rule else ""
        changed = [
            f"{name}={value}"
            for name, value in sorted(self.options.items())
            if value != self.method.options[name].default
        ]
        return text + (f"?{','.join(changed)}" if changed else "")

    def missing(self) -> str | None:
        """Why the method cannot run here and what would help; None if it can."""
        if self.solver is None or BACKENDS[self.solver].available():
            return None
        command = BACKENDS[self.solver].install_command
        return f"solver {self.solver} is not installed: {command}"


@cache
def all_methods() -> Mapping[str, Method]:
    """Name -> method: ours and those of packages with an entry point `rsjs.methods`."""
    methods = {**EXACT, **HEURISTICS}
    for point in entry_points(group="rsjs.methods"):
        method: Method = point.load()
        methods[method.name] = method
    return methods


def parse(spelling: str) -> Request:
    """
    The request that a spelling stands for.

    Raises
    ------
    InputError
        Naming the part that is unknown, with the nearest known names.
    """
    head, _, tail = spelling.strip().partition("?")
    head, _, rule = head.partition(":")
    name, _, solver = head.partition("@")
    methods = all_methods()
    if name not in methods:
        raise _unknown("method", name, list(methods))
    method = methods[name]
    return Request(
        method=method,
        solver=_chosen("solver", solver, method.solvers, name),
        rule=_chosen("rule", rule, method.rules, name),
        options=_options(method, tail),
    )


def _chosen(what: str, given: str, known: tuple[str, ...], name: str) -> str | None:
    if not given:
        return known[0] if known else None
    if given not in known:
        if not known:
            raise InputError("", f"{name} with {what} {given}", f"no {what} for {name}")
        raise _unknown(f"{what} of {name}", given, list(known))
    return given


def _options(method: Method, text: str) -> dict[str, Any]:
    values = {name: option.default for name, option in method.options.items()}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if name not in method.options:
            raise _unknown(f"option of {method.name}", name, list(method.options))
        if not equals:
            raise InputError("", part, f"{name}=value in {SPELLING}")
        values[name] = _value(name, method.options[name], value)
    return values


def _value(name: str, option: Option, text: str) -> Any:
    if option.choices:
        if text not in option.choices:
            raise _unknown(name, text, list(option.choices))
        return text
    kind = type(option.default)
    try:
        return {"true": True, "false": False}[text] if kind is bool else kind(text)
    except (KeyError, ValueError):
        raise InputError("", f"{name}={text}", f"{name} as {kind.__name__}") from None


def _unknown(what: str, given: str, known: list[str]) -> InputError:
    near = get_close_matches(given, known, n=3) or sorted(known)
    return InputError("", f"{what} {given}" if given else f"no {what}", f"e.g. {', '.join(near)}")
