"""
Formulations side by side: what each costs to build, hand over and relax, by size.

Each formulation of a family is measured on each size in worker processes of its own, one for its
linear relaxation (size, bound, times, memory) and one for each solver that is to solve it. A row
holds one measurement and no conclusion: the root gap needs the best cost of all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.instances.generators import jahani, kiros, sts
from rsjs.instances.instance import Instance
from rsjs.methods import Request
from rsjs.runs import compare, verified_run
from rsjs.runs.compare import OnEvent, Row

RELAXATION = "relaxation"  # the backend of that name
BOUND_ONLY = frozenset({"rsjs_bound"})  # its bound stands for a relaxation's
COUNTS = ("rows", "columns", "nonzeros", "integers")
NOT_KEPT = {  # they need other rows
    "best_bound",
    "gap_to_best",
    "gap_without_postponement",
    "gap_over_energy",
}


@dataclass(frozen=True, kw_only=True)
class Family:
    """
    Instances of one kind and the formulations that are measured on them.

    Attributes
    ----------
    draw : callable
        nodes, jobs, seed -> instance.
    methods : tuple of str
        Spellings: the paper's formulation first, then its reformulations. With a solver it is
        solved too, without only relaxed.
    """

    name: str
    draw: Callable[..., Instance]
    methods: tuple[str, ...]


_RSJS = (
    "rsjs_gpu@highs",
    "rsjs_nodes@highs",
    "rsjs_classes@highs",
    "rsjs_bound@highs",
    "rsjs_sifting@highs",
)
FAMILIES = {
    family.name: family
    for family in (
        Family(
            name="jahani",
            draw=jahani.generate,
            methods=("jahani_literal@highs", "jahani_patterns@highs"),
        ),
        Family(
            name="kiros",
            draw=kiros.generate,
            methods=("first_ending_nodes@highs", "first_ending_patterns@highs"),
        ),
        Family(name="sts", draw=sts.generate, methods=_RSJS),
        Family(
            name="sts-shared",
            draw=lambda **size: sts.generate(sharing="paper", **size),
            methods=_RSJS,
        ),
    )
}


@dataclass(frozen=True, kw_only=True)
class Task:
    """One measurement: `measure` is "relaxation" or "solve"."""

    family: str
    measure: str
    instance: Instance
    request: Request

    @property
    def formulation(self) -> str:
        """The method without its solver."""
        return replace(self.request, solver=None).spelling

    def key(self, limits: Limits) -> tuple[Any, ...]:
        """What tells this measurement from others; see `key_of`."""
        memory = limits.memory_limit_mb
        asked = (limits.time_limit, limits.gap, limits.threads, limits.seed, memory)
        return (self.instance.digest, self.request.spelling, *asked)


def key_of(row: Row) -> tuple[Any, ...]:
    """The key of the task behind a row."""
    limits = ("time_limit", "gap_limit", "threads", "seed", "memory_limit_mb")
    return (row["instance_sha256"], row["method"], *(row[name] for name in limits))


def tasks(
    family: Family, instance: Instance, requests: Sequence[Request], solved: Sequence[bool]
) -> Iterator[Task]:
    """The measurements on one instance: each formulation relaxed once, solved where asked."""
    relaxed: set[str] = set()
    for request, solve in zip(requests, solved, strict=True):
        task = Task(family=family.name, measure="solve", instance=instance, request=request)
        if request.method.name in BOUND_ONLY:
            yield replace(task, measure=RELAXATION)
            continue
        if RELAXATION in request.method.solvers and task.formulation not in relaxed:
            relaxed.add(task.formulation)
            relaxation = replace(request, solver=RELAXATION)
            yield replace(task, measure=RELAXATION, request=relaxation)
        if solve:
            yield task


def measure(task: Task, limits: Limits, *, on_event: OnEvent | None = None) -> Row | None:
    """The row of a task, measured in a worker process; None if Ctrl-C ended it."""
    found = verified_run.run(task.instance, task.request, limits, on_event=on_event)
    if found.result.stop is Stop.INTERRUPTED:
        return None
    (row,) = compare.rows([found], limits)
    counts = found.result.counts
    return {
        "family": task.family,
        "formulation": task.formulation,
        "measure": task.measure,
        "solver": task.request.solver,
        **{name: value for name, value in row.items() if name not in NOT_KEPT},
        **{name: counts.get(name) for name in COUNTS},
        "search_nodes": counts.get("nodes"),
        "iterations": counts.get("iterations"),
        "memory_limit_mb": limits.memory_limit_mb,
    }
