"""
Every method by name, and method specifications: `name[@solver][:rule][?key=value,...]`.

A name is that of a method of the suite or of another package, or `path.py:function`, a function
(instance, call, report) or a `Method` in a file, relative to the working directory,
in a campaign to its folder.
An option may take a method; put it in parentheses if it has options itself:
`hierarchical?controllers=8,method=(rsjs_classes@highs?packing=splits)`.
Of several between "|" the first that serves the instance runs: `method=edf|(sts?spacing=5)`.

A program is a solver, too: everything after @ is its command, `rsjs_nodes@mysolver {mps}
{solution} --time {seconds}`; rule and options then stand in front. `Request.solver` is its table as
JSON, which may stand where the name of a solver does, see `rsjs.formulations.backends.external`.
"""

from __future__ import annotations

import json
import re
import sys
from collections import UserDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsjs.core.call import Call, Option
from rsjs.core.entry_points import Offer, offers, source_of, source_text
from rsjs.core.errors import InputError, described, nearest
from rsjs.core.method import Method, with_names
from rsjs.core.own_code import IN_FILE, NAME, InFile, Pickled, importable, in_file
from rsjs.core.report import Report
from rsjs.formulations.backends.backend import Feature
from rsjs.formulations.backends.external import from_table, table_of
from rsjs.formulations.backends.registry import BACKENDS, backend, is_program
from rsjs.formulations.registry import METHODS as EXACT
from rsjs.heuristics.common.result import solved
from rsjs.heuristics.registry import METHODS as HEURISTICS
from rsjs.instances.io.serialization import canonical_text

if TYPE_CHECKING:
    from rsjs.core.report import SolveResult
    from rsjs.instances.instance import Instance

SPECIFICATION = "name[@solver][:rule][?key=value,...]"
COMMAND = "mysolver {mps} {solution}"
_TAIL = r"(?:@([^:?]+))?(?::([^?]+))?(?:\?(.*))?"
_PARTS = re.compile(rf"({IN_FILE.pattern}|[^@:?]*){_TAIL}", re.DOTALL)
LARGEST = 10**12  # of whole numbers among options
NAMED = 4  # methods in an error
BUILT_IN: Mapping[str, Method] = {**EXACT, **HEURISTICS}
# names that simulations have besides those of methods
POLICIES = ("offline", "priced_roll", "references", "roll")


@dataclass(frozen=True, kw_only=True)
class Request:
    """
    A method with solver, rule and options: a completed method specification.

    As the value of another method's option it is called as a `MethodFunction`; there, `otherwise`
    are the methods to take, the first that serves, on an instance that this one does not serve.
    """

    method: Method
    solver: str | None = None
    rule: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    otherwise: tuple[Request, ...] = ()

    @property
    def spelling(self) -> str:
        """Canonical specification: solver and rule named, options that differ from the default."""
        text = self.method.name
        text += f"@{self.solver}" if self.solver else ""
        text += f":{self.rule}" if self.rule else ""
        changed = [
            f"{name}={_as_text(value)}"
            for name, value in sorted(self.options.items())
            if _as_text(value) != _as_text(self.method.options[name].default)
        ]
        return text + (f"?{','.join(changed)}" if changed else "")

    @property
    def label(self) -> str:
        """Specification for people: programs by their names."""
        return with_names(self.spelling)

    @property
    def _others(self) -> list[Request]:
        """The methods to take otherwise, and those among the options."""
        inner = [value for value in self.options.values() if isinstance(value, Request)]
        return [*self.otherwise, *inner]

    @property
    def decides(self) -> bool:
        """Whether there are solutions among the results: not with a solver of relaxations."""
        integer = self.solver is None or Feature.INTEGER in backend(self.solver).features
        return self.method.decides and integer

    @property
    def names(self) -> frozenset[str]:
        """Names of the method, of its alternatives, and of the methods among its options."""
        return frozenset({self.method.name}).union(*(other.names for other in self._others))

    @property
    def programs(self) -> frozenset[str]:
        """Solvers that are programs, see `Request.solver`: its own, and those of the others."""
        own = {self.solver} if self.solver and is_program(self.solver) else set()
        return frozenset(own).union(*(other.programs for other in self._others))

    def missing(self) -> str | None:
        """Return why the method cannot run here, and a remedy; None if it can."""
        name = self.solver or self.method.needs
        solver = None if name is None else backend(name)
        if solver and not solver.available():
            return f"solver {solver.name} is not installed: {solver.install_command}"
        return next(filter(None, (other.missing() for other in self._others)), None)

    def refusal(self, instance: Instance, *, in_parts: bool = False) -> str | None:
        """Return why none of the methods serves an instance, or parts of it, in one line."""
        every = (self, *self.otherwise)
        reasons = [one.method.refusal(instance, in_parts=in_parts) for one in every]
        return None if None in reasons else "; ".join(filter(None, reasons))

    def declared(self, instance: Instance) -> Method:
        """Return the method that serves an instance in parts; the first if none does."""
        return self.serving(instance, in_parts=True).method

    def serving(self, instance: Instance, *, in_parts: bool = False) -> Request:
        """
        Return the first of the methods that serves an instance, also in its options.

        In parts, an instance may be larger than the method accepts. If none serves, the first.
        """
        every = (self, *self.otherwise)
        serving = (one for one in every if not one.method.refusal(instance, in_parts=in_parts))
        chosen = next(serving, self)
        options = dict(chosen.options)
        for key, value in options.items():
            if isinstance(value, Request):
                parts = in_parts or not chosen.method.options[key].on_whole
                options[key] = value.serving(instance, in_parts=parts)
        return replace(chosen, options=options, otherwise=())

    def prepare(self, call: Call, jobs: int) -> Any:
        """Return `ready` of the run: imports, compiles and starts what the method needs."""
        return self.method.prepared(self.of(call), jobs)

    def of(self, call: Call) -> Call:
        """Return a call, as of another method, with this one's solver, rule and options."""
        return replace(call, solver=self.solver, rule=self.rule, options=self.options, ready=None)

    def __call__(self, instance: Instance, call: Call, report: Report) -> SolveResult:
        """Run the method within the limits of another method's call."""
        for one in (self, *self.otherwise):
            if one.method.refusal(instance) is None:
                return one.method.load()(instance, one.of(call), report)
        expected = f"another method or instance: {self.refusal(instance)}"
        raise InputError("", _as_text(self), expected)


PICKLED: dict[str, Pickled] = {}  # functions that `request_of` was given, by their names


class Methods(UserDict[str, Method]):
    """
    Methods by name: the suite's and those of other packages' entry points `rsjs.methods`.

    Not listed, but found, are functions in files and those in `PICKLED`. The code of a package or a
    file is imported when its method is asked for, so names are listed and other methods run
    whatever these hold. A method that cannot be had raises InputError.
    """

    data: dict[str, Any]

    def __contains__(self, name: object) -> bool:
        is_listed = name in self.data or name in PICKLED
        return is_listed or (isinstance(name, str) and bool(IN_FILE.fullmatch(name)))

    def _found(self, name: str) -> Method | Offer | InFile | Pickled:
        return self.data.get(name) or PICKLED.get(name) or InFile(name)

    def __getitem__(self, name: str) -> Method:
        found = self._found(name)
        if isinstance(found, InFile | Pickled):
            return _own(found, found.load())
        return found if isinstance(found, Method) else _loaded(found)

    @property
    def offers(self) -> dict[str, Offer]:
        """Entry points of other packages, by name."""
        return {name: one for name, one in self.data.items() if not isinstance(one, Method)}

    def source(self, name: str) -> Mapping[str, str] | None:
        """Identify the code of a method, see `source_of`; None of the suite's, and if unknown."""
        if name not in self:
            return None
        found = self._found(name)
        if isinstance(found, Method):
            return None
        if isinstance(found, InFile | Pickled):
            return found.source()
        run = self[name].run
        return source_of(found, run.partition(":")[0] if isinstance(run, str) else run.__module__)


@cache
def all_methods() -> Methods:
    """Return all methods that are installed here; no package has a name of the suite."""
    found: dict[str, Any] = offers("rsjs.methods")
    others = {name: found[name] for name in found if name not in {*BUILT_IN, *POLICIES}}
    return Methods({**BUILT_IN, **others})


def _loaded(offer: Offer) -> Method:
    offered = offer.load()
    [point] = offer.points
    place = f"{point.value} of {offer.package}"
    method = _method(offered, place)
    if method.name != offer.name:
        found = described(f"a method of the name {method.name} at {place}")
        raise InputError("", found, f"the name {offer.name}")
    return method


def _method(value: Any, place: str) -> Method:
    """Return a method, unless it is none or names a solver that there is not."""
    if not isinstance(value, Method):
        found, expected = f"{type(value).__name__} object", "rsjs.core.method.Method"
    elif unknown := {*value.solvers, *filter(None, [value.needs])} - {*BACKENDS}:
        found, expected = f"solver {min(unknown)}", f"one of {', '.join(BACKENDS)}"
    else:
        return value
    raise InputError("", described(f"{found} at {place}"), expected)


def _own(code: InFile | Pickled, value: Any) -> Method:
    """Return the method that a function or a `Method` is, with the name of its code."""
    if not isinstance(value, Method):
        if not callable(value):
            found = described(f"{type(value).__name__} object at {code.name}")
            raise InputError("", found, "a function (instance, call, report), or a Method")
        lines = (getattr(value, "__doc__", None) or "").strip().splitlines()
        summary = lines[0] if lines else "a function of your own"
        value = Method(name=code.name, summary=summary, kind="heuristic", run=value)
    method, folder = _method(value, code.name), code.folder
    if method.linear:
        found = described(f"linear=True at {code.name}")
        raise InputError("", found, "a linear formulation in a package, offered as rsjs.methods")
    with importable(folder):
        function = method.function()

    def run(instance: Instance, call: Call, report: Report) -> SolveResult:
        with importable(folder):
            return solved(instance, function(instance, call, report), report)

    return replace(method, name=code.name, run=run)


def request_of(given: Any, *, here: bool = False) -> Request:
    """
    Return the request of a specification, or of a function (instance, call, report) or `Method`.

    A function in a file is `path.py:name` from then on; any other, as of a notebook, is known by
    its name, and pickled for its worker unless it runs `here`. InputError for what is none of
    these, for a function that cannot be pickled, and for one by the name of another method.
    """
    if isinstance(given, str):
        return parse(given)
    if isinstance(given, Method):
        name, run = given.name, given.run
        if BUILT_IN.get(name) is given:
            return parse(name)
        # in the file of its function, as a package's is
        module = run.partition(":")[0] if isinstance(run, str) else getattr(run, "__module__", "")
        home = vars(sys.modules[module]) if module in sys.modules else {}
        attribute = next((key for key, value in home.items() if value is given), name)
    elif callable(given):
        name = attribute = getattr(given, "__name__", type(given).__name__).strip("<>")
        module = getattr(given, "__module__", None) or ""
    else:
        raise InputError("", given, f"{SPECIFICATION}, a function or a Method")
    if (specification := in_file(given, module, attribute)) is not None:
        return parse(specification)
    if not NAME.fullmatch(name) or name in {*all_methods(), *POLICIES}:
        found = described(f"the function {name}")
        raise InputError("", found, "one whose name is an identifier and no other method's")
    if here:
        return Request(method=_own(Pickled(name, b""), given))
    PICKLED[name] = Pickled.of(name, given)
    return parse(name)


def several_methods(argument: str, given: Any) -> tuple[Sequence[Any], bool]:
    """Return methods as `request_of` takes them, and whether a single one was given."""
    if isinstance(given, str | Method) or callable(given):
        return [given], True
    if not isinstance(given, Sequence) or not given:
        found = described("none" if given in ([], ()) else type(given).__name__)
        raise InputError(f"/{argument}", found, "a method or a sequence of them")
    return given, False


def ship(names: Iterable[str], folder: Path) -> dict[str, str]:
    """Write the pickled ones of some methods into a folder; return their files by name."""
    return {name: str(PICKLED[name].write(folder)) for name in sorted({*names} & {*PICKLED})}


def receive(files: Mapping[str, str]) -> None:
    """Register the methods in pickled files; each is unpickled when it is requested."""
    for name, file in files.items():
        PICKLED[name] = Pickled(name, Path(file).read_bytes())


def sources(names: Iterable[str]) -> dict[str, Mapping[str, str]]:
    """Identify the code of those of some methods that are not the suite's, see `source_of`."""
    known = all_methods()
    found = {name: known.source(name) for name in sorted({*names})}
    return {name: source for name, source in found.items() if source is not None}


def refuse_other_sources(expected: Mapping[str, Mapping[str, str]]) -> None:
    """Raise InputError unless the code of these methods is the expected one."""
    found = sources(expected)
    for name, source in expected.items():
        if found.get(name) != source:
            had = source_text(found[name]) if name in found else "none"
            told = f"{source_text(source)}, with which the run was planned"
            raise InputError("", described(f"source of method {name}: {had}"), told)


def parse(specification: str, known: Mapping[str, Method] | None = None) -> Request:
    """
    Return the request of a method specification.

    `known` has the methods by name; `all_methods()` if not given. An InputError names the part that
    is unknown, with the nearest known names.
    """
    if not isinstance(specification, str):
        raise InputError("", specification, SPECIFICATION)
    text, table = _divided(specification.strip())
    match = _PARTS.fullmatch(text)
    if match is None:
        expected = "a solver after @, a rule after :, or neither sign"
        raise InputError("", specification.strip(), expected)
    name, solver, rule, tail = match.groups(default="")
    methods = all_methods() if known is None else known
    if name not in methods:
        if name.endswith(".py"):
            raise InputError("", specification.strip(), f"a function in the file, {name}:FUNCTION")
        solvers = [one.solvers[0] for one in methods.values() if one.solvers]
        alone = len(methods) == len(solvers) == 1  # of models: without a solver it is none
        more = f"@{solvers[0]}, one of rsjs list solvers" if alone else ""
        raise _unknown("method", name, methods, more)
    method = methods[name]
    options = _options(method, tail)
    runs = {key: value for key, value in options.items() if isinstance(value, Request)}
    return Request(
        method=replace(method, runs=runs),
        solver=_program(method, table) or _chosen("solver", solver, method.solvers, name),
        rule=_chosen("rule", rule, method.rules, name),
        options=options,
    )


def _divided(text: str) -> tuple[str, str]:
    """Return a specification without its solver, if that is a program, and the solver's table."""
    head, _, tail = text.partition("@")
    if head.count("(") != head.count(")") or (tail.startswith("{") and "?" in head):
        return text, ""  # the solver is that of a method among the options
    try:
        if tail.startswith("{"):
            table, end = json.JSONDecoder().raw_decode(tail)
            if from_table(table).name in BACKENDS:
                raise InputError("/name", table["name"], "a name that no other solver has")
            return head + tail[end:], canonical_text(table)
        if "{" in tail and not re.match(r"\w+\s*[:?]", tail):
            return head, table_of(tail, BACKENDS)
    except json.JSONDecodeError as error:
        found, expected = described(tail), f"the table of a solver as JSON ({error})"
        raise InputError("", found, expected) from None
    except InputError as error:
        key = f" (key {error.pointer[1:]})" if tail.startswith("{") else ""
        raise InputError("", error.value, f"{error.expected}{key}") from None
    return text, ""


def _program(method: Method, table: str) -> str | None:
    """Return a program as a method's solver; InputError for a method that takes no other one."""
    if table and len(method.solvers) < 2:
        used = next(iter(method.solvers), method.needs)
        why = (
            f"{used} alone, whose own features it uses" if used else f"no solver for {method.name}"
        )
        raise InputError("", f"{method.name} with solver {backend(table).name}", why)
    return table or None


def _chosen(what: str, given: str, known: tuple[str, ...], name: str) -> str | None:
    """Return the solver or rule given, or the first that is known."""
    if not given:
        return known[0] if known else None
    if given in known:
        return given
    if not known:
        raise InputError("", f"{name} with {what} {given}", f"no {what} for {name}")
    more = f"; or a program, {COMMAND}" if what == "solver" and len(known) > 1 else ""
    raise _unknown(f"{what} of {name}", given, known, more)


def _options(method: Method, text: str) -> dict[str, Any]:
    """Return the options given, and the defaults of the others."""
    values = {
        name: _inner(name, option.default)
        if option.kind == "method" and option.default
        else option.default
        for name, option in method.options.items()
    }
    given = set()
    for part in filter(None, pieces(text, ",")):
        name, equals, value = part.partition("=")
        if name in given:
            raise InputError("", part, f"{name} once")
        given.add(name)
        if not method.options:
            found = f"{method.name} with option {name}"
            raise InputError("", found, f"no option for {method.name}")
        if name not in method.options:
            raise _unknown(f"option of {method.name}", name, method.options)
        if not equals:
            raise InputError("", part, f"{name}=value in {SPECIFICATION}")
        values[name] = _value(name, method.options[name], value)
    return values


def pieces(text: str, separator: str) -> list[str]:
    """Split a list at the separators outside parentheses, braces and quotation marks."""
    pieces, depth, quote, escaped = [""], 0, "", False
    for character in text:
        if quote:
            quote = "" if character == quote and not escaped else quote
            escaped = character == "\\" and not escaped
        elif character in "\"'":
            quote = character
        else:
            depth += (character in "({") - (character in ")}")
        if depth < 0:
            break
        if character == separator and depth == 0 and not quote:
            pieces.append("")
        else:
            pieces[-1] += character
    if depth != 0 or quote:
        expected = "as many closing as opening parentheses, braces and quotation marks"
        raise InputError("", text, expected)
    return pieces


def _inner(name: str, text: str) -> Request:
    """Return the method that an option names, with the others between "|" as `otherwise`."""
    requests = []
    for piece in pieces(text, "|"):
        bare = piece[1:-1] if piece.startswith("(") and piece.endswith(")") else piece
        if bare == piece and "?" in piece:
            raise InputError("", f"{name}={piece}", f"{name}=({piece})")
        request = parse(bare)
        if request.method.runs:
            raise InputError("", f"{name}={bare}", "a method that runs no other method")
        if not request.decides:
            raise InputError(
                "", f"{name}={bare}", "a method that returns solutions, not bounds only"
            )
        requests.append(request)
    return replace(requests[0], otherwise=tuple(requests[1:]))


def instead(serving: Sequence[str], reason: str) -> str:
    """Return the expectation for errors on a method that does not serve: some of those that do."""
    return f"a method that serves it, e.g. {', '.join(serving[:NAMED])}: {reason}"


def _as_text(value: Any) -> str:
    """Return a value as it stands after `key=`."""
    if not isinstance(value, Request):
        return str(value)
    specifications = (one.spelling for one in (value, *value.otherwise))
    return "|".join(f"({text})" if "?" in text or "{" in text else text for text in specifications)


def _value(name: str, option: Option, text: str) -> Any:
    """Return the value of an option, of its kind and within its range."""
    if option.kind == "method":
        return _inner(name, text)
    if option.choices:
        if text not in option.choices:
            raise _unknown(name, text, option.choices)
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


def _unknown(what: str, given: str, known: Iterable[str], more: str = "") -> InputError:
    found = described(f"{what} {given!r}" if given else f"no {what}")
    return InputError("", found, f"e.g. {nearest(given, known)}{more}; see rsjs list methods")
