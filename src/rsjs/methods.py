"""
Every method by name, and the spelling `name[@solver][:rule][?key=value,...]`.

A value may name a method; it stands in parentheses if it has options of its own:
`hierarchical?controllers=8,method=(rsjs_classes@highs?packing=splits)`.
Of several between "|" the first that serves the instance runs: `method=edf|(sts?spacing=5)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Any

from rsjs.core.call import Call, Option
from rsjs.core.entry_points import Offer, offers, source_of, source_text
from rsjs.core.errors import InputError, described
from rsjs.core.method import Inner, Method
from rsjs.core.report import Report
from rsjs.formulations.backends.backend import Feature
from rsjs.formulations.backends.registry import BACKENDS
from rsjs.formulations.registry import METHODS as EXACT
from rsjs.heuristics.registry import METHODS as HEURISTICS

if TYPE_CHECKING:
    from rsjs.core.report import SolveResult
    from rsjs.instances.instance import Instance

SPELLING = "name[@solver][:rule][?key=value,...]"
LARGEST = 10**12  # of whole numbers among options
BUILT_IN: Mapping[str, Method] = {**EXACT, **HEURISTICS}
POLICIES = ("references", "roll")  # names that simulations have besides those of methods


@dataclass(frozen=True, kw_only=True)
class Request:
    """
    A method with its solver, rule and options, as spelled by a user and completed.

    As the value of another method's option it is called like any `Run`.

    Attributes
    ----------
    method, solver, rule, options
    otherwise : tuple of Request
        Those to take, the first that serves, on an instance that this one does not serve; only
        of a request that is an option's value.
    """

    method: Method
    solver: str | None = None
    rule: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    otherwise: tuple[Request, ...] = ()

    @property
    def spelling(self) -> str:
        """Canonical spelling: solver and rule named, options that differ from the default."""
        text = self.method.name
        text += f"@{self.solver}" if self.solver else ""
        text += f":{self.rule}" if self.rule else ""
        changed = [
            f"{name}={_spelled(value)}"
            for name, value in sorted(self.options.items())
            if _spelled(value) != _spelled(self.method.options[name].default)
        ]
        return text + (f"?{','.join(changed)}" if changed else "")

    @property
    def decides(self) -> bool:
        """Whether there are decisions among the results: not with a solver of relaxations."""
        integer = self.solver is None or Feature.INTEGER in BACKENDS[self.solver].features
        return self.method.decides and integer

    @property
    def names(self) -> frozenset[str]:
        """Of the method, of those to take otherwise, and of those among the options."""
        values = (value for value in self.options.values() if isinstance(value, Request))
        inner = (other.names for other in (*self.otherwise, *values))
        return frozenset({self.method.name}).union(*inner)

    def missing(self) -> str | None:
        """Why the method cannot run here and what would help; None if it can."""
        name = self.solver or self.method.needs
        solver = None if name is None else BACKENDS[name]
        if solver and not solver.available():
            return f"solver {solver.name} is not installed: {solver.install_command}"
        values = (value for value in self.options.values() if isinstance(value, Request))
        others = (other.missing() for other in (*self.otherwise, *values))
        return next(filter(None, others), None)

    def declared(self, instance: Instance) -> Method:
        """The method that serves an instance in parts; the first of those named if none does."""
        return self.serving(instance, in_parts=True).method

    def serving(self, instance: Instance, *, in_parts: bool = False) -> Request:
        """
        The first of the methods named that serves an instance, and so in its options.

        In parts, an instance may be larger than the method accepts. If none serves, the first.
        """
        named = (self, *self.otherwise)
        serving = (one for one in named if not one.method.refusal(instance, in_parts=in_parts))
        chosen = next(serving, self)
        declared, options = chosen.method.options, dict(chosen.options)
        for key, value in options.items():
            if isinstance(value, Request):
                parts = in_parts or not declared[key].on_whole
                options[key] = value.serving(instance, in_parts=parts)
        return replace(chosen, options=options, otherwise=())

    def prepare(self, call: Call, jobs: int) -> Any:
        """
        Import, compile and start what the method needs, before the clock of its run starts.

        What it returns is `ready` in the call of the run.
        """
        return self.method.prepared(self.of(call), jobs)

    def of(self, call: Call) -> Call:
        """Another method's call, as one of this method."""
        return replace(call, solver=self.solver, rule=self.rule, options=self.options, ready=None)

    def __call__(self, instance: Instance, call: Call, report: Report) -> SolveResult:
        """Run the method within the limits of another method's call."""
        reasons = []
        for one in (self, *self.otherwise):
            reason = one.method.refusal(instance)
            if reason is None:
                return one.method.load()(instance, one.of(call), report)
            reasons.append(reason)
        expected = f"another method or instance: {'; '.join(reasons)}"
        raise InputError("", _spelled(self), expected)


@dataclass(frozen=True, eq=False)
class Methods(Mapping[str, Method]):
    """
    Methods by name: the suite's, and those that other packages offer by `rsjs.methods`.

    The code of a package is imported when its method is asked for, so names are listed and other
    methods run whatever the packages hold. A method that cannot be had raises InputError.

    Attributes
    ----------
    own : mapping
        Name -> method of the suite.
    offers : mapping
        Name -> what offers it, of packages.
    refused : mapping
        What offers a name that the suite itself has.
    """

    own: Mapping[str, Method]
    offers: Mapping[str, Offer]
    refused: Mapping[str, Offer]

    def __getitem__(self, name: str) -> Method:
        return self.own[name] if name in self.own else _loaded(self.offers[name])

    def __contains__(self, name: object) -> bool:
        return name in self.own or name in self.offers

    def __iter__(self) -> Iterator[str]:
        return iter((*self.own, *self.offers))

    def __len__(self) -> int:
        return len(self.own) + len(self.offers)


@cache
def all_methods() -> Methods:
    """Return all methods that are installed here."""
    found, taken = offers("rsjs.methods"), {*BUILT_IN, *POLICIES}
    return Methods(
        own=BUILT_IN,
        offers={name: offer for name, offer in found.items() if name not in taken},
        refused={name: offer for name, offer in found.items() if name in taken},
    )


def _loaded(offer: Offer) -> Method:
    method = offer.load()
    if not isinstance(method, Method):
        found, expected = f"{type(method).__name__} object", "rsjs.core.method.Method"
    elif method.name != offer.name:
        found, expected = f"a method of the name {method.name}", f"the name {offer.name}"
    elif unknown := {*method.solvers, *filter(None, [method.needs])} - {*BACKENDS}:
        found, expected = f"solver {min(unknown)}", f"one of {', '.join(BACKENDS)}"
    else:
        return method
    [point] = offer.points
    raise InputError("", described(f"{found} at {point.value} of {offer.package}"), expected)


def sources(names: Iterable[str]) -> dict[str, Mapping[str, str]]:
    """
    Identify the code of those of some methods that are not the suite's, see `source_of`.

    Raises
    ------
    InputError
        For a method that cannot be had.
    """
    known = all_methods()
    return {
        name: source_of(known.offers[name], known[name].run.partition(":")[0])
        for name in sorted({*names} & {*known.offers})
    }


def refuse_other_sources(expected: Mapping[str, Mapping[str, str]]) -> None:
    """Raise InputError unless the code of these methods is what it is expected to be."""
    found = sources(expected)
    for name, source in expected.items():
        if found.get(name) != source:
            had = source_text(found[name]) if name in found else "none"
            told = f"{source_text(source)}, with which the run was planned"
            raise InputError("", described(f"source of method {name}: {had}"), told)


def parse(spelling: str, known: Mapping[str, Method] | None = None) -> Request:
    """
    The request that a spelling stands for.

    Parameters
    ----------
    known : mapping, optional
        What may be spelled, by name; `all_methods()` if not given.

    Raises
    ------
    InputError
        Naming the part that is unknown, with the nearest known names.
    """
    head, _, tail = spelling.strip().partition("?")
    head, colon, rule = head.partition(":")
    name, at, solver = head.partition("@")
    methods = all_methods() if known is None else known
    if name not in methods:
        raise _unknown("method", name, list(methods))
    method = methods[name]
    if (at and not solver) or (colon and not rule):
        raise InputError("", spelling.strip(), "a solver after @, a rule after :, or neither sign")
    options = _options(method, tail)
    runs = tuple(
        Inner(
            tuple(one.method for one in (value, *value.otherwise)),
            on_whole=method.options[key].on_whole,
        )
        for key, value in options.items()
        if isinstance(value, Request)
    )
    return Request(
        method=replace(method, runs=runs),
        solver=_chosen("solver", solver, method.solvers, name),
        rule=_chosen("rule", rule, method.rules, name),
        options=options,
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
    values = {
        name: _inner(name, option.default)
        if option.kind == "method" and option.default
        else option.default
        for name, option in method.options.items()
    }
    given = set()
    for part in filter(None, _pieces(text, ",")):
        name, equals, value = part.partition("=")
        if name in given:
            raise InputError("", part, f"{name} once")
        given.add(name)
        if not method.options:
            found = f"{method.name} with option {name}"
            raise InputError("", found, f"no option for {method.name}")
        if name not in method.options:
            raise _unknown(f"option of {method.name}", name, list(method.options))
        if not equals:
            raise InputError("", part, f"{name}=value in {SPELLING}")
        values[name] = _value(name, method.options[name], value)
    return values


def _pieces(text: str, separator: str) -> list[str]:
    """A list split at the separators outside parentheses."""
    pieces, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            break
        if character == separator and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += character
    if depth != 0:
        raise InputError("", text, "as many closing as opening parentheses")
    return pieces


def _inner(name: str, text: str) -> Request:
    """The method that an option names, or several."""
    first, *others = [_one(name, piece) for piece in _pieces(text, "|")]
    return replace(first, otherwise=tuple(others))


def _one(name: str, text: str) -> Request:
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1]
    elif "?" in text:
        raise InputError("", f"{name}={text}", f"{name}=({text})")
    request = parse(text)
    if request.method.runs:
        raise InputError("", f"{name}={text}", "a method that runs no other method")
    if not request.decides:
        raise InputError("", f"{name}={text}", "a method that makes decisions, not bounds only")
    return request


def _spelled(value: Any) -> str:
    """A value as it stands after `key=`."""
    if not isinstance(value, Request):
        return str(value)
    spellings = (one.spelling for one in (value, *value.otherwise))
    return "|".join(f"({one})" if "?" in one else one for one in spellings)


def _value(name: str, option: Option, text: str) -> Any:
    if option.kind == "method":
        return _inner(name, text)
    if option.choices:
        if text not in option.choices:
            raise _unknown(name, text, list(option.choices))
        return text
    kind = type(option.default)
    try:
        value = {"true": True, "false": False}[text] if kind is bool else kind(text)
    except (KeyError, ValueError):
        raise InputError("", f"{name}={text}", f"{name} as {kind.__name__}") from None
    if option.minimum is not None and not value >= option.minimum:
        raise InputError("", f"{name}={text}", f"{name} >= {option.minimum:g}")
    if kind is int and value > LARGEST:
        raise InputError("", f"{name}={text}", f"{name} <= {LARGEST}")
    if kind is float and not isfinite(value):
        raise InputError("", f"{name}={text}", "a finite number")
    return value


def _unknown(what: str, given: str, known: list[str]) -> InputError:
    near = get_close_matches(given, known, n=3) or sorted(known)
    return InputError("", f"{what} {given}" if given else f"no {what}", f"e.g. {', '.join(near)}")
