"""Heuristics and their parts: list methods, local search, prices, decomposition, STS."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.cases import LARGE, STEERED, Work, instance_of
from rsjs.core.call import Call, Limits
from rsjs.core.report import Report
from rsjs.heuristics.common.stopping import Stopping
from rsjs.heuristics.decomposition.partition import SPLITS, divide, parts
from rsjs.heuristics.dispatching import list_scheduling, pooled_dp, queues
from rsjs.heuristics.greedy import greedy
from rsjs.heuristics.greedy.randomized import Constructions
from rsjs.heuristics.greedy.randomized_arrays import prepared
from rsjs.heuristics.greedy.rules import RANDOMIZED_RULES
from rsjs.heuristics.local_search.local_search import Descent
from rsjs.heuristics.local_search.path_relinking import Relinking, modes
from rsjs.heuristics.ruin_recreate import dual_prices
from rsjs.heuristics.ruin_recreate.arrays import mode_tables
from rsjs.heuristics.ruin_recreate.construction import construct
from rsjs.heuristics.ruin_recreate.kernels_node import total_cost
from rsjs.heuristics.ruin_recreate.ruin_recreate import COLD, NODES, NODES_LED, Annealer
from rsjs.heuristics.sts import sts
from rsjs.heuristics.sts.power_model import PowerModel
from rsjs.heuristics.sts.single_job import repeated, steps_of_jobs
from rsjs.instances.check import check
from rsjs.instances.instance import FAMILIES, Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution
from rsjs.methods import parse

MOVES = 1000
OBJECTIVES = ("gpuscheduler", "kiros", "jahani")  # next_event, first_ending, proportional
PRICED: Mapping[str, tuple[str, dict[str, str]]] = {  # name: family, options
    "jahani": ("jahani", {}),
    "jahani server2-11usd": ("jahani", {"catalogue": "server2-11usd"}),
    "kiros": ("kiros", {}),
    "sts dedicated": ("sts", {"sharing": "none"}),
    "sts": ("sts", {}),
}
MIXES = {"dedicated": {"mix": "km", "sharing": "none"}, "shared": {}}
DECISIONS = {
    **{f"sts:{rule}": (sts, rule) for rule in sts.RULES},
    **{f"queue:{rule}": (queues, rule) for rule in queues.RULES},
    **{f"dp:{rule}": (pooled_dp, rule) for rule in pooled_dp.RULES},
}


def checked(instance: Instance, solution: Solution, **claims: float) -> dict[str, float]:
    """Return the cost of a solution with its required nodes; ValueError if it is infeasible."""
    verdict = check(instance, select_required_nodes(instance, solution), **claims)
    if not verdict.feasible:
        raise ValueError(f"{instance.name}: {verdict.violations[0]}")
    return {"cost": verdict.objective}


def _list(method: str, rule: str, size: str) -> Work:
    instance = instance_of("jahani", size, due="tight")
    return Work(
        run=lambda: list_scheduling.decide(instance, method, rule),
        values=partial(checked, instance),
    )


def _greedy(rule: str) -> Work:
    instance = instance_of("jahani", LARGE, due="tight")
    greedy.decide(instance, rule)
    return Work(run=lambda: greedy.decide(instance, rule), values=partial(checked, instance))


def _randomized(rule: str, size: str, threads: int = 1) -> Work:
    """1000 iterations, preparation included."""
    instance = instance_of("jahani", size, due="tight")

    def run(iterations: int = 1000) -> Solution:
        constructions = Constructions(prepared(instance, RANDOMIZED_RULES[rule]), threads)
        return constructions.schedule(1 + int(constructions.costs(1, iterations).argmin()))

    run(1)
    return Work(run=run, values=partial(checked, instance))


@cache
def _hurried(family: str) -> Instance:
    """Due dates so early that many jobs run late, priced as a family does."""
    instance = instance_of("jahani", "40 x 400", due="tight")
    jobs = replace(instance.jobs, due=0.3 * instance.jobs.due)
    return replace(instance, jobs=jobs, objective=FAMILIES[family])


def _descent(family: str, jobs: str) -> Work:
    instance = _hurried(family)
    start = select_required_nodes(instance, greedy.decide(instance, "paper"))
    descent = Descent(instance, only_late=jobs == "late")
    return Work(
        run=lambda: descent.improve(start, Stopping()),
        values=lambda found: {
            **checked(instance, found[1], objective=found[0]),
            "moves": descent.moves,
            "neighbours": descent.neighbours,
        },
    )


def _path(family: str) -> Work:
    instance = _hurried(family)
    start, guide = (
        select_required_nodes(instance, greedy.decide(instance, rule)) for rule in ("paper", "code")
    )
    relinking, target = Relinking(instance), modes(instance, guide)
    return Work(
        run=lambda: relinking.path(start, target, 100, Stopping()),
        values=lambda found: {
            **checked(instance, found[1], objective=found[0]),
            "steps": relinking.steps,
        },
    )


def _priced(name: str) -> Instance:
    family, options = PRICED[name]
    return instance_of(family, LARGE, **options)


def _prices(name: str) -> Work:
    """The dual that guides ruin_recreate and priced_greedy, without any solver."""
    instance = _priced(name)
    return Work(
        run=lambda: dual_prices.find(instance),
        values=lambda found: {"bound": found.bound},
        tolerance=STEERED,
    )


def _first_schedule(name: str) -> Work:
    instance = _priced(name)
    problem, prices = mode_tables(instance), dual_prices.find(instance)
    return Work(
        run=lambda: construct(instance, problem, prices),
        values=lambda state: {"cost": total_cost(problem, state)},
        tolerance=STEERED,
    )


def _moves(name: str) -> Work:
    instance = _priced(name)
    problem, prices = mode_tables(instance), dual_prices.find(instance)
    search = Annealer(instance, problem, prices, construct(instance, problem, prices), 0)
    nodes = NODES_LED if search.guide.leads[0] else NODES
    search.moves(3 * MOVES, 0.0, nodes, 8)
    return Work(
        run=lambda: search.moves(MOVES, COLD * prices.scale, nodes, 3),
        values=lambda _: checked(instance, search.solution()),
        tolerance=STEERED,
    )


def of_method(instance: Instance, method: str, tolerance: float | None, gap: float = -1.0) -> Work:
    """Return a whole method without a limit but its iterations or a gap."""
    request = parse(method)
    if request.missing():
        raise NotImplementedError(request.missing())  # asv skips it
    request.prepare(Call(), len(instance.jobs))
    call = Call(limits=Limits(gap=gap))

    def values(result: Any) -> dict[str, float]:
        claims = {"objective": result.objective, "bound": result.bound}
        bound = {} if result.bound is None else {"bound": result.bound}
        return {**checked(instance, result.solution, **claims), **bound}

    return Work(
        run=lambda: request(instance, call, Report(120.0)), values=values, tolerance=tolerance
    )


def _divide(split: str) -> Work:
    """1000 jobs among 16 controllers."""
    instance = instance_of("kiros", "100 x 1000")
    return Work(
        run=lambda: parts(instance, divide(instance, 16, split)),
        values=lambda found: {"parts": len(found)},
    )


def _survival_steps() -> Work:
    instance = instance_of("sts", LARGE)
    return Work(run=lambda: steps_of_jobs(instance), values=lambda steps: {"jobs": len(steps.done)})


def _power_model() -> Work:
    instance = instance_of("sts", LARGE)
    return Work(
        run=lambda: PowerModel.of(instance), values=lambda model: {"modes": model.rate.size}
    )


def single_jobs() -> tuple[Any, ...]:
    """
    Return 1 200 single-job problems, 8 speeds and 100 epochs, with due dates no one speed meets.

    The arguments of `speed_profile.profiles`.
    """
    instance = instance_of("sts", LARGE, sharing="none")
    model = PowerModel.of(instance)
    types, speeds = model.rate.shape[1:]
    rate, power = (part.reshape(-1, speeds) for part in (model.rate, model.power))
    slowest = np.where(np.isfinite(rate), rate, 0.0).max(axis=1)
    time = 100 * (rate.min(axis=1) + slowest) / 2
    return rate, power, time, repeated(steps_of_jobs(instance), types)


def decide(name: str, instance: Instance) -> Callable[[], Solution]:
    """Return a method's solution as a function without arguments, compiled where it is compiled."""
    module, rule = DECISIONS[name]
    if module is not sts:
        return lambda: module.decide(instance, rule)
    sts.decide(instance, rule)
    return lambda: sts.decide(instance, rule).solution


def _solution(name: str, mix: str, size: str) -> Work:
    """At the loads of Fig. 7 of the paper: 2 and 4 jobs for each of 100 nodes."""
    instance = instance_of("sts", size, **MIXES[mix])
    return Work(run=decide(name, instance), values=partial(checked, instance))


WORK: Mapping[str, Callable[[], Work]] = {
    **{
        f"{method}:{rule} {size}": partial(_list, method, rule, size)
        for method in ("fifo", "edf", "priority")
        for rule in ("code", "paper")
        for size in (LARGE, "1000 x 4000")
    },
    **{f"greedy:{rule} tight": partial(_greedy, rule) for rule in ("code", "paper")},
    **{
        f"randomized_greedy:{rule} {size}": partial(_randomized, rule, size)
        for rule in RANDOMIZED_RULES
        for size in ("10 x 40", LARGE)
    },
    "randomized_greedy:code 2 threads": partial(_randomized, "code", LARGE, 2),
    **{
        f"descent {family} {jobs}": partial(_descent, family, jobs)
        for family in OBJECTIVES
        for jobs in ("late", "all")
    },
    **{f"path {family}": partial(_path, family) for family in OBJECTIVES},
    **{f"prices {name}": partial(_prices, name) for name in PRICED},
    **{f"first schedule {name}": partial(_first_schedule, name) for name in PRICED},
    **{f"moves {name}": partial(_moves, name) for name in PRICED},
    **{f"divide {split}": partial(_divide, split) for split in SPLITS},
    "survival steps": _survival_steps,
    "power model": _power_model,
    **{
        f"{name} {mix} {size}": partial(_solution, name, mix, size)
        for name in DECISIONS
        for mix in MIXES
        for size in ("100 x 200", LARGE)
    },
}
