"""
What is measured: methods on instances, and in `work` single calls of parts of them.

Shared by asv (`suites/`), pytest-benchmark (`micro/`) and the values that both are held to
(`expected`). A budget is iterations or a gap, never seconds, so that the same work is done on every
machine. It is part of a method's specification: another budget is another series.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any, TypedDict

from rsjs.core.call import Call, Limits
from rsjs.core.report import Report, SolveResult, Stop
from rsjs.heuristics.registry import PRICED
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.generators import andreas, jahani, kiros, sts
from rsjs.instances.instance import FAMILIES as OBJECTIVES
from rsjs.instances.instance import Instance
from rsjs.methods import Request, parse
from rsjs.runs.verified_run import solver_of

TINY, SMALL, MIDDLE, LARGE = SIZES = ("2 x 4", "10 x 40", "40 x 160", "100 x 400")
UP_TO_LARGE, UP_TO_MIDDLE = (SMALL, MIDDLE, LARGE), (SMALL, MIDDLE)
SECONDS = 120.0  # no budget comes near it
GAP = {"rsjs_nodes": 1e-2, "rsjs_classes": 1e-2, "rsjs_sifting": 1e-2}
EXACT_GAP, NEVER = 1e-4, -1.0
STEERED = 0.05  # relative; see MethodCase.tolerance
MODEL_SIZE = ("rows", "columns", "nonzeros", "integers")
WITHIN_BUDGET = (Stop.OPTIMAL, Stop.GAP, Stop.ITERATIONS)

_RANDOMIZED = "randomized_greedy:paper?iterations=200"
_ANYWHERE = (
    "fifo:paper",
    "edf:paper",
    "priority:paper",
    "greedy:paper",
    _RANDOMIZED,
    f"local_search?elite=3,start=({_RANDOMIZED})",
    f"path_relinking?elite=5,iterations=4,start=({_RANDOMIZED})",
    "hierarchical",
)
_STOCHASTIC = (
    "sts",
    "queue:greedy",
    "randomized_queue?iterations=200",
    "dp",
    "deterministic?method=greedy:paper",
)
_PRICED = ("priced_greedy", "ruin_recreate?iterations=2000")
_PARTS = "fix_and_optimise?iterations=500,method={},nodes=4,rounds=4"
_SIZES: Mapping[str, Mapping[str, tuple[str, ...]]] = {  # family: specification: sizes
    "jahani": {
        "jahani_patterns@highs": UP_TO_LARGE,
        "jahani_patterns@scip": UP_TO_MIDDLE,
        "jahani_patterns@cpsat": UP_TO_MIDDLE,
        "jahani_literal@scip": (TINY,),
        "jahani_dual@highs": UP_TO_LARGE,
        "enumeration": (TINY,),
        _PARTS.format("jahani_patterns@highs"): UP_TO_LARGE,
        **dict.fromkeys(_PRICED + _ANYWHERE, UP_TO_LARGE),
        "greedy:code": UP_TO_LARGE,
    },
    "kiros": {
        "first_ending_patterns@highs": UP_TO_LARGE,
        "first_ending_patterns@scip": (SMALL,),
        "first_ending_patterns@cpsat": (SMALL,),
        "first_ending_nodes@highs": (TINY,),
        "rsjs_bound@highs": UP_TO_LARGE,
        "enumeration": (TINY,),
        _PARTS.format("first_ending_patterns@highs"): UP_TO_LARGE,
        **dict.fromkeys(_PRICED + _ANYWHERE, UP_TO_LARGE),
    },
    "andreas": {
        "first_ending_patterns@highs": UP_TO_MIDDLE,
        "rsjs_nodes@highs": (SMALL,),
        "rsjs_minlp@scip": (TINY,),
        "rsjs_sifting@highs": UP_TO_MIDDLE,
        "enumeration": (TINY,),
        **dict.fromkeys(_PRICED + _ANYWHERE, UP_TO_MIDDLE),
    },
    "sts": {
        "rsjs_gpu@highs": (TINY,),
        "rsjs_classes@highs": (SMALL,),
        "rsjs_bound@highs": UP_TO_LARGE,
        "rsjs_sifting@highs": UP_TO_LARGE,
        "enumeration": (TINY,),
        _PARTS.format("rsjs_sifting@highs"): UP_TO_MIDDLE,
        **dict.fromkeys(_PRICED + _ANYWHERE + _STOCHASTIC, UP_TO_LARGE),
    },
    "gpuscheduler": {
        "enumeration": (TINY,),
        **dict.fromkeys(_ANYWHERE, (TINY, *UP_TO_MIDDLE)),
    },
}
FAMILIES = tuple(_SIZES)
GENERATORS: Mapping[str, Callable[..., Instance]] = {
    "jahani": jahani.generate,
    "kiros": kiros.generate,
    "andreas": andreas.generate,
    "sts": sts.generate,
    "gpuscheduler": kiros.generate,
}
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "sts": {"mix": "kma", "sharing": "paper"},
    "gpuscheduler": {"due": "tight"},
}


@cache
def instance_of(family: str, size: str, **options: Any) -> Instance:
    """Return the instance of a family with seed 1, its costs tabled; options of its generator."""
    nodes, jobs = map(int, size.split(" x "))
    given = {**OPTIONS.get(family, {}), **options}
    instance = GENERATORS[family](nodes=nodes, jobs=jobs, seed=1, **given)
    instance = replace(instance, objective=OBJECTIVES[family])
    costs.cost_tables(instance)
    return instance


@dataclass(frozen=True, kw_only=True)
class MethodCase:
    """A method, with its budget, on an instance."""

    family: str
    size: str
    method: str

    @property
    def where(self) -> str:
        """Family and size."""
        return f"{self.family} {self.size}"

    @property
    def name(self) -> str:
        """Key of the expected values."""
        return f"{self.where} {self.method}"

    @property
    def counts(self) -> tuple[int, int]:
        """Numbers of nodes and jobs."""
        nodes, jobs = self.size.split(" x ")
        return int(nodes), int(jobs)

    @property
    def instance(self) -> Instance:
        return instance_of(self.family, self.size)

    @property
    def request(self) -> Request:
        return parse(self.method)

    @property
    def gap(self) -> float:
        """At which an exact method stops; a heuristic does all its iterations."""
        method = self.request.method
        return GAP.get(method.name, EXACT_GAP) if method.kind == "exact" else NEVER

    @property
    def tolerance(self) -> float | None:
        """
        By how much a cost may differ between machines and versions, relative; None = by rounding.

        A solver may stop anywhere within its gap. Methods steered by prices compare sums of
        exponentials, whose last digits depend on the vector instructions of the processor.
        """
        if self.request.method.name in PRICED:
            return STEERED
        return None if solver_of(self.request) is None else self.gap

    def load(self) -> None:
        """Import solvers, compile kernels, make the instance."""
        self.request.prepare(Call(), len(self.instance.jobs))

    def solve(self) -> SolveResult:
        """Run the method in this process."""
        limits = Limits(gap=self.gap, time_limit=SECONDS)
        return self.request(self.instance, Call(limits=limits), Report(SECONDS))


@dataclass(frozen=True, kw_only=True)
class Work:
    """One call, made anew for each measurement since kernels change their arguments."""

    run: Callable[[], Any]  # what is timed
    values: Callable[[Any], dict[str, float]]  # costs [$], bounds and counts of its result
    tolerance: float | None = None  # relative, of floats; None = rounding

    def measured(self) -> dict[str, float]:
        """Run once and return the values."""
        return self.values(self.run())


class Values(TypedDict):
    """Cost and bound [$], None where a method has none, and counts by name."""

    cost: float | None
    bound: float | None
    counts: dict[str, int]


def values_of(case: MethodCase, result: SolveResult) -> Values:
    """
    The values of a run, its cost by the checker.

    Raises
    ------
    ValueError
        If the run did not end by its budget, or its solution or a claim about it is wrong.
    """
    if result.stop not in WITHIN_BUDGET:
        ends = ", ".join(WITHIN_BUDGET)
        raise ValueError(f"{case.name}: ended by {result.stop}, expected {ends}")
    cost = None
    if result.solution is not None:
        claims = {"objective": result.objective, "bound": result.bound}
        verdict = check(case.instance, result.solution, **claims)
        if not verdict.feasible:
            raise ValueError(f"{case.name}: {verdict.violations[0]}")
        cost = verdict.objective
    return Values(cost=cost, bound=result.bound, counts=_repeatable(case, result))


def _repeatable(case: MethodCase, result: SolveResult) -> dict[str, int]:
    """Counts that depend on no solver's version: all without one, else the size of the model."""
    if solver_of(case.request) is None:
        return dict(result.counts)
    if not case.request.method.linear:
        return {}
    return {name: result.counts[name] for name in MODEL_SIZE}


CASES: Mapping[str, MethodCase] = {
    case.name: case
    for family, sizes in _SIZES.items()
    for method, size in product(sizes, SIZES)
    if size in sizes[method]
    for case in [MethodCase(family=family, size=size, method=method)]
}


def grid(family: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Methods and sizes that a family is measured with, tiny ones left out."""
    cases = [case for case in CASES.values() if case.family == family and case.size != TINY]
    methods = dict.fromkeys(case.method for case in cases)
    return tuple(methods), tuple(dict.fromkeys(case.size for case in cases))
