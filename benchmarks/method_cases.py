"""
Which methods are measured on which instances, within which budgets.

Shared by asv (`bench_methods`), its pytest-benchmark twin (`micro/test_methods.py`) and the values
they are held to (`expected`). A budget is iterations or a gap, never seconds, so that the same
work is done on every machine. It is part of the spelling: another budget is another series.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

from rsjs.core.call import Call, Limits
from rsjs.core.report import Report, SolveResult
from rsjs.heuristics.registry import PRICED
from rsjs.instances import costs
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
_SIZES: Mapping[str, Mapping[str, tuple[str, ...]]] = {  # family: spelling: sizes
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


@cache
def instance_of(family: str, size: str) -> Instance:
    """The instance of a family with seed 1, its costs tabled."""
    nodes, jobs = map(int, size.split(" x "))
    match family:
        case "jahani":
            made = jahani.generate(nodes=nodes, jobs=jobs, seed=1)
        case "kiros":
            made = kiros.generate(nodes=nodes, jobs=jobs, seed=1)
        case "andreas":
            made = andreas.generate(nodes=nodes, jobs=jobs, seed=1)
        case "sts":
            made = sts.generate(nodes=nodes, jobs=jobs, seed=1, mix="kma", sharing="paper")
        case _:
            made = kiros.generate(nodes=nodes, jobs=jobs, seed=1, due="tight")
            made = replace(made, objective=OBJECTIVES[family])
    costs.cost_tables(made)
    return made


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
