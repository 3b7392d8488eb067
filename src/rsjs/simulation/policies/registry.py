"""
Policies by their specification, that of a method: `name[@solver][:rule][?key=value,...]`.

Any method is a policy that decides on all jobs at hand anew at each event; some have a faster
program for that. `roll` and `priced_roll` are policies and no methods, declared as data like these;
so is `offline`, which is clairvoyant and no policy that could be run on a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from math import inf
from typing import Any

from rsjs.core.call import Call, Limits, Option
from rsjs.core.errors import InputError
from rsjs.core.method import Method, MethodFunction
from rsjs.core.report import Report
from rsjs.instances.generators import sts
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.methods import BUILT_IN, Methods, Request, all_methods, instead, parse, request_of
from rsjs.simulation.options import Options
from rsjs.simulation.policy import Choice, Policy, Status, Stopped
from rsjs.simulation.state import State

POLICIES: Mapping[str, Method] = {
    "offline": Method(
        name="offline",
        summary="clairvoyant, for comparison only: a schedule in hindsight by one who knows W_j",
        kind="heuristic",
        run="rsjs.simulation.offline:policy",
        open_nodes=frozenset({"free", "jahani_eq"}),
        options={
            "iterations": Option(
                default=10_000, minimum=0, help="of ruin and recreate on the schedule"
            ),
            "seconds": Option(
                default=0.0, minimum=0.0, help="[s] after which they end early; 0 = never"
            ),
        },
    ),
    "roll": Method(
        name="roll",
        summary="one-step roll-out: the next hours by HiGHS, then each job alone on the cluster",
        kind="heuristic",
        run="rsjs.simulation.policies.roll:policy",
        open_nodes=frozenset({"free", "jahani_eq"}),
    ),
    "priced_roll": Method(
        name="priced_roll",
        summary="one-step roll-out on dual prices of GPUs over time",
        kind="heuristic",
        run="rsjs.simulation.policies.priced_roll:policy",
        open_nodes=frozenset({"free", "jahani_eq"}),
    ),
}
MAKERS = {  # method: module here and function that build its policy; `method_policy` all others
    **dict.fromkeys(("fifo", "edf", "priority"), "rules:waiting_jobs"),
    **{name: f"rules:{name}" for name in ("dp", "greedy", "queue", "randomized_queue")},
    **{name: f"{name}:policy" for name in ("hierarchical", "priced_roll", "roll", "sts")},
    "offline": ".offline:policy",
}


def deciders() -> Methods:
    """Return all that may be specified as a policy, by name: methods, and `POLICIES`."""
    return Methods({**all_methods().data, **POLICIES})


def policy(
    given: str | Method | MethodFunction, workload: Workload, options: Options | None = None
) -> Policy:
    """
    Return the policy that a specification, a function (instance, call, report) or a `Method` is.

    It is one for simulations with these options, of which it is told no more than W_j, if known.
    All that it needs is imported and compiled, so that its first call takes no longer.

    Raises
    ------
    InputError
        If there is no such method, or it cannot decide on the workload.
    """
    request = parse(given, deciders()) if isinstance(given, str) else request_of(given, here=True)
    options = options or Options()
    made = served(request, options.shown(workload))
    made.prepare()
    _prepare_engine()
    return replace(made, epochs=options.epochs)


@cache
def _prepare_engine() -> None:
    """Simulate a small workload: what the engine needs is imported and compiled, too."""
    from rsjs.simulation.engine import simulate

    small = sts.workload(nodes=2, jobs=4, seed=0)
    made = served(parse("queue:edf", deciders()), small.submitted())
    made.prepare()
    simulate(small, made)


def served(request: Request, whole: Instance) -> Policy:
    """
    Return the policy of a request, or of the first one named that can decide on these jobs.

    Nothing is compiled before its `prepare` is run. Raises InputError if it cannot decide on all
    jobs of a workload; it need not serve so many at once.
    """
    if request.otherwise:
        request = request.serving(whole)
    method = replace(request.method, max_jobs=None)
    if reason := method.refusal(whole) or request.missing():
        raise InputError("", request.spelling, instead(serving(whole), reason))
    if not request.decides:
        raise InputError("", request.spelling, "a method that returns solutions, not bounds only")
    made = maker(request.method.name)(request, whole)
    if request.method.name not in MAKERS or whole.objective.open_nodes != "jahani_eq":
        return made

    def decide(state: State, memory: Any) -> Choice:
        choice = made.decide(state, memory)
        return replace(choice, solution=select_required_nodes(state.instance, choice.solution))

    return replace(made, decide=decide)


def serving(whole: Instance) -> list[str]:
    """Return the policies with programs of their own that can decide on these jobs."""
    known = {**BUILT_IN, **POLICIES}
    able = (name for name in MAKERS if not known[name].refusal(whole))
    return [name for name in able if name != "offline"]  # which is to compare with


def maker(name: str) -> Callable[[Request, Instance], Policy]:
    """Return what builds the policy of a method; only its module is imported."""
    module, _, function = MAKERS.get(name, "registry:method_policy").partition(":")
    made: Callable[[Request, Instance], Policy] = getattr(
        import_module(f".{module}", __package__), function
    )
    return made


def method_policy(request: Request, whole: Instance) -> Policy:
    """
    Build the policy of any method that serves the workload.

    What it says of costs and bounds is ignored: a simulation has its own. An exact method begins
    from the placement until now, with the jobs that wait postponed, if it can begin from one and
    any number of nodes may be open.
    """
    run, most = request.method.load(), request.method.max_jobs
    starts = request.method.kind == "exact" and request.method.warm_start
    starts = starts and whole.objective.open_nodes in ("free", "jahani_eq")

    def decide(state: State, memory: Any) -> Choice:
        if most is not None and len(state.rows) > most:
            raise Stopped(Status.ERROR, f"serves up to {most} jobs, not {len(state.rows)}")
        limits = Limits(time_limit=state.time_limit, seed=state.seed)
        call = Call(limits=limits, warm_start=state.kept if starts else None)
        result = run(state.instance, request.of(call), Report(state.time_limit))
        if result.solution is None:
            raise Stopped(Status.ERROR, f"no solution ({result.stop}) {result.message}".strip())
        return Choice(solution=result.solution)

    def prepare() -> None:
        limits, jobs = Limits(time_limit=inf), len(whole.jobs)
        request.serving(whole, in_parts=True).prepare(Call(limits=limits), jobs)

    return Policy(spelling=request.spelling, decide=decide, prepare=prepare)
