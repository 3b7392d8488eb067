"""Building, handing over and solving exact models, and certified bounds by themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from benchmarks.cases import CASES, LARGE, STEERED, Work, instance_of
from benchmarks.work.heuristics import of_method
from rsjs.formulations.jahani.lagrangian import maximise
from rsjs.formulations.jahani.mode_model import InstanceModes
from rsjs.formulations.milp import from_pyomo
from rsjs.formulations.milp.solve import formulation_of
from rsjs.formulations.rsjs import minlp, minlp_scip
from rsjs.formulations.rsjs.aggregated.column_generation import lower_bound
from rsjs.formulations.rsjs.minlp import MinlpModel
from rsjs.heuristics.ruin_recreate import dual_prices
from rsjs.instances.instance import Instance
from rsjs.methods import parse

DEDICATED = {"sharing": "none"}
BUILT = {  # formulation: family, size; the largest case, or one larger than can be solved
    **{
        case.request.method.name: (case.family, case.size)
        for case in sorted(CASES.values(), key=lambda case: case.counts)
        if case.request.method.linear
    },
    "jahani_literal": ("jahani", "10 x 100"),
    "first_ending_nodes": ("kiros", "10 x 100"),
    "rsjs_nodes": ("sts", "20 x 40"),
    "rsjs_gpu": ("sts", "4 x 16"),
    "rsjs_classes": ("sts", LARGE),
}
SOLVED = {  # what the cases of methods have not: method: family, size, gap
    "jahani_patterns@scip": ("jahani", LARGE, 1e-4),
    "jahani_patterns@cpsat": ("jahani", LARGE, 1e-2),
    "jahani_dual@highs": ("jahani", "1000 x 4000", 1e-4),
    "rsjs_sifting@highs": ("sts", LARGE, 1e-3),
}


def _of_modes(instance: Instance) -> float:
    """Jahani's Lagrangian dual, maximised by HiGHS."""
    return maximise(InstanceModes.of(instance).model).bound


def _of_classes(instance: Instance) -> float:
    """The linear program of the model by node classes, by column generation."""
    return lower_bound(instance).bound


def _of_prices(instance: Instance) -> float:
    """The dual that guides ruin_recreate and priced_greedy, without any solver."""
    return dual_prices.find(instance).bound


BOUNDS = {
    "jahani modes": ("jahani", _of_modes),
    "jahani prices": ("jahani", _of_prices),
    "kiros classes": ("kiros", _of_classes),
    "kiros prices": ("kiros", _of_prices),
    "sts classes": ("sts", _of_classes),
    "sts prices": ("sts", _of_prices),
}


def _build(name: str) -> Work:
    request, instance = parse(name), instance_of(*BUILT[name])
    formulation = formulation_of(request.method)

    def run() -> dict[str, int]:
        model = formulation.build(formulation.data_of(instance, **request.options))
        return from_pyomo.from_pyomo(model)[0].counts

    return Work(run=run, values=dict)


def _nonlinear(*, translated: bool) -> Work:
    """The MINLP, which is no matrix: its Pyomo model, or what SCIP is given."""
    data = MinlpModel.of(instance_of("sts", "4 x 16", **DEDICATED))
    model = minlp.build(data)
    return Work(
        run=lambda: minlp_scip.translated(model) if translated else minlp.build(data),
        values=lambda _: {"columns": len(from_pyomo.variables_of(model))},
    )


def _solve(method: str) -> Work:
    family, size, gap = SOLVED[method]
    return of_method(instance_of(family, size), method, gap, gap)


def _bound(name: str) -> Work:
    family, find = BOUNDS[name]
    instance = instance_of(family, LARGE)
    return Work(
        run=lambda: find(instance),
        values=lambda bound: {"bound": bound},
        tolerance=STEERED if find is _of_prices else 1e-4,
    )


WORK: Mapping[str, Callable[[], Work]] = {
    **{f"build {name}": partial(_build, name) for name in BUILT},
    "build rsjs_minlp": partial(_nonlinear, translated=False),
    "translate rsjs_minlp": partial(_nonlinear, translated=True),
    **{f"solve {method}": partial(_solve, method) for method in SOLVED},
    **{f"bound {name}": partial(_bound, name) for name in BOUNDS},
}
