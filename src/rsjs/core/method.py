"""
What a method declares.

A method is a function `run(instance, call, report) -> SolveResult` and a `Method` that says,
as data, which problems it serves. Formulations and heuristics fill registries with them;
other packages join by the entry point `rsjs.methods`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from rsjs.core.call import Call, Option
from rsjs.core.errors import InputError
from rsjs.core.report import Report, SolveResult

if TYPE_CHECKING:
    from rsjs.instances.instance import Instance


ENERGY = frozenset({"proportional", "first_ending", "next_event"})
TARDINESS_AT = frozenset({"completion", "next_event"})
OPEN_NODES = frozenset({"free", "jahani_eq", "rsjs_eq", "rsjs_eq_feasible"})
EXPECTATION = frozenset({"worst_case", "mean", "expected"})
OBJECTIVES = {  # attribute of a method and of an objective: every kind of it
    "energy": ENERGY,
    "tardiness_at": TARDINESS_AT,
    "open_nodes": OPEN_NODES,
    "expectation": EXPECTATION,
}


class MethodFunction(Protocol):
    """Function of a method."""

    def __call__(self, instance: Instance, call: Call, report: Report) -> SolveResult: ...


@runtime_checkable
class InnerMethod(MethodFunction, Protocol):
    """A method as the value of another method's option, which runs it on parts of an instance."""

    def declared(self, instance: Instance) -> Method:
        """Return the method for parts of an instance, with the largest part that it accepts."""

    def prepare(self, call: Call, jobs: int) -> Any:
        """Run the method's `prepare`, see `Method`."""

    def refusal(self, instance: Instance, *, in_parts: bool = False) -> str | None:
        """Return why it does not serve an instance, see `Method`."""


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method and the problems it serves, declared as data."""

    name: str  #: as in `name[@solver][:rule][?key=value,...]`
    summary: str  #: one line for lists
    kind: Literal["exact", "heuristic"]  #: exact methods return bounds
    run: (
        str | MethodFunction
    )  #: the function, or "module:function", imported when the method first runs
    #: as `run`, called with method, call and number of jobs before the clock starts, to import,
    #: compile and start what the method needs; whatever else it imports or compiles counts as its
    #: time
    prepare: str | Callable[[Method, Call, int], Any] = ""
    energy: frozenset[str] = ENERGY  #: the objective kinds it serves
    tardiness_at: frozenset[str] = TARDINESS_AT  #: the objective kinds it serves
    open_nodes: frozenset[str] = OPEN_NODES  #: the objective kinds it serves
    expectation: frozenset[str] = EXPECTATION  #: the objective kinds it serves
    sharing: bool = True  #: whether it serves instances with share levels
    idle_cost: bool = True  #: whether it serves mu > 0
    right_sizing: bool = True  #: whether it serves nodes that may take several types
    migration: bool = True  #: whether it serves objectives that charge migrations
    start: bool = True  #: whether it serves objectives that charge starts
    solvers: tuple[str, ...] = ()  #: the first one is the default
    rules: tuple[str, ...] = ()  #: the first one is the default
    needs: str | None = None  #: the solver that it runs, where there is none to choose
    #: what each rule does, where the summary does not tell
    rule_help: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Option] = field(default_factory=dict)  #: name -> what the option is
    warm_start: bool = False  #: whether a start solution is used
    max_jobs: int | None = None  #: the largest instance it accepts
    max_nodes: int | None = None  #: the largest instance it accepts
    decides: bool = True  #: whether there are decisions among its results, not bounds only
    #: whether the module of `run` is a linear formulation, see `rsjs.formulations.milp.solve`
    linear: bool = False
    #: the option that asks for it -> another method that it runs
    runs: Mapping[str, InnerMethod] = field(default_factory=dict)

    def refusal(self, instance: Instance, *, in_parts: bool = False) -> str | None:
        """
        Return why this method does not serve an instance, in one line; None if it does.

        In parts, an instance may be larger than the method accepts.
        """
        objective = instance.objective
        for kind in OBJECTIVES:
            served, asked = getattr(self, kind), getattr(objective, kind)
            if asked not in served:
                return f"{self.name} serves {kind} {' | '.join(sorted(served))}, not {asked}"
        if instance.has_sharing and not self.sharing:
            return f"{self.name} serves dedicated GPUs only; {instance.name} has share levels"
        if objective.mu > 0 and not self.idle_cost:
            return f"{self.name} serves mu = 0, not mu = {objective.mu:g}"
        for kind in ("migration", "start"):
            cost = getattr(objective, kind)
            if cost > 0 and not getattr(self, kind):
                return f"{self.name} serves {kind} = 0, not {kind} = {cost:g}"
        several = instance.cluster.allowed_in_class.sum(axis=1)[instance.cluster.class_of_node]
        if several.max() > 1 and not self.right_sizing:
            n = int(several.argmax())
            node = instance.cluster.node_names[n]
            return f"{self.name} serves nodes of one type; {node} may take {several[n]}"
        for what, most, size in (
            ("jobs", self.max_jobs, len(instance.jobs)),
            ("nodes", self.max_nodes, instance.cluster.nodes),
        ):
            if most is not None and size > most and not in_parts:
                return f"{self.name} serves up to {most} {what}, not {size}"
        refusals = (
            inner.refusal(instance, in_parts=in_parts or not self.options[key].on_whole)
            for key, inner in self.runs.items()
        )
        return next(filter(None, refusals), None)

    def load(self) -> MethodFunction:
        """Import the function of the method; it takes completed calls."""
        run = self.function()
        return lambda instance, call, report: run(instance, self.completed(call), report)

    def completed(self, call: Call) -> Call:
        """
        Return a call with the default solver, rule and options where none are given.

        Options whose value is a method are left out: `rsjs.methods.parse` gives them. An InputError
        names a rule or an option that the method does not have.
        """
        given = [("rule", call.rule, self.rules)] if call.rule is not None else []
        given += [("option", name, tuple(self.options)) for name in call.options]
        for what, name, known in given:
            if name not in known:
                found = f"{what} of {self.name} {name}"
                raise InputError("", found, f"one of {', '.join(known)}")
        defaults = {
            name: option.default for name, option in self.options.items() if option.kind == "value"
        }
        return replace(
            call,
            solver=call.solver or next(iter(self.solvers), None),
            rule=call.rule or next(iter(self.rules), None),
            options={**defaults, **call.options},
        )

    def function(self) -> Any:
        """Import and return the function that `run` names."""
        return _named(self.run)

    def prepared(self, call: Call, jobs: int) -> Any:
        """Import the method and return what its `prepare` returns."""
        self.function()
        return _named(self.prepare)(self, call, jobs) if self.prepare else None


def prepare_inner(_method: Method, call: Call, jobs: int) -> None:
    """Prepare each method among the options of a call."""
    for value in call.options.values():
        if isinstance(value, InnerMethod):
            value.prepare(call, jobs)


def _named(function: Any) -> Any:
    """Return a function, imported if it is given as "module:function"."""
    if not isinstance(function, str):
        return function
    module, _, name = function.partition(":")
    return getattr(import_module(module), name)


def with_names(specification: str) -> str:
    """
    Return a method specification with names in place of tables of solvers.

    >>> with_names('rsjs_classes@{"command":"s {mps} {solution}","name":"s"}?packing=splits')
    'rsjs_classes@s?packing=splits'
    """
    text, at = specification, 0
    while (at := text.find("@{", at) + 1) > 0:
        table, end = json.JSONDecoder().raw_decode(text, at)
        text = f"{text[:at]}{table['name']}{text[end:]}"
    return text
