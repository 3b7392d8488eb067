"""
Kiros' hierarchical controllers over time: K controllers with their own nodes and jobs.

A job is dealt to a controller when it is submitted, for good; node n belongs to controller n mod K.
Each controller runs a method of its own, and is asked only when something happens to it: one of its
jobs comes or goes, asks for a change, or none of them runs. So the controllers are simulations
independent of each other. At the end of a period all are asked.

Jobs are dealt by the rules of `heuristics.decomposition.partition` (Kiros 2020, 3.1.2), over time:
the circular order goes on from one submission to the next, and the load of a controller is the
demand of its jobs at hand. A job goes to a controller one of whose nodes can run it: the next such
one in circular order.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any, NamedTuple

import numpy as np

from rsjs.core.types import Bools, Ints
from rsjs.heuristics.decomposition.partition import demand, runs_on
from rsjs.heuristics.dispatching.candidates import by_pressure
from rsjs.instances.instance import Instance
from rsjs.instances.solution import Solution
from rsjs.instances.transform import SubInstance, taken
from rsjs.methods import Request
from rsjs.simulation.policy import TIE, Choice, Policy
from rsjs.simulation.state import ALL, State


class Last(NamedTuple):
    """A controller's last solution: its jobs, its time, the time of its next call, its memory."""

    rows: Ints = np.empty(0, dtype=np.int64)
    at: float = inf
    due: float = inf
    number: int = 0
    memory: Any = None


def policy(request: Request, whole: Instance) -> Policy:
    """Build the policy `hierarchical`, with a method for its controllers."""
    from rsjs.simulation.policies.registry import served  # which imports this module

    cluster, split = whole.cluster, request.options["split"]
    count = min(request.options["controllers"], cluster.nodes)
    node = np.arange(cluster.nodes) % count
    runs = runs_on(whole, node, count)  # (J, K)
    gpus = np.bincount(node, cluster.largest_of_class[cluster.class_of_node], count)
    team: dict[int, tuple[SubInstance, Policy]] = {}
    for k in np.flatnonzero(runs.any(axis=0)).tolist():  # others have no job to decide on
        name = f"{whole.name}, controller {k + 1} of {count}"
        part = taken(whole, np.flatnonzero(runs[:, k]), np.flatnonzero(node == k), name)
        team[k] = part, served(request.options["method"], part.instance)

    def decide(state: State, memory: Any) -> Choice:
        owner, lasts = memory or (np.full(len(whole.jobs), -1), dict.fromkeys(team, Last()))
        owner, lasts = _dealt(state, owner, runs, gpus, split), {**lasts}
        own = {k: np.flatnonzero(owner[state.rows] == k) for k in team}
        running = state.current.job_node >= 0
        happened = {
            k
            for k, jobs in own.items()
            if not np.array_equal(state.rows[jobs], lasts[k].rows)
            or lasts[k].due <= state.now + TIE
        }
        idle = {k for k, jobs in own.items() if len(jobs) and not running[jobs].any()}
        # where nothing happened to any of them, a period ends
        asked = [k for k in team if k in happened | idle] if happened else [*team]
        deciding = sum(own[k].size > 0 for k in asked)  # one after the other
        decision, change = state.kept, np.full(len(state.rows), inf)
        for k in asked:
            (part, method), jobs, last = team[k], own[k], lasts[k]
            nothing = Solution.empty(0, len(part.nodes))
            due, choice = inf, Choice(solution=nothing, memory=last.memory)
            if jobs.size:
                seen = replace(
                    state,
                    workload=part.instance,
                    rows=np.searchsorted(part.jobs, state.rows[jobs]),
                    epochs_done=state.epochs_done[jobs],
                    current=state.kept.taken(jobs, part.nodes),
                    elapsed=state.now - last.at if last.number else 0.0,
                    number=last.number,
                    seed=state.seed + k,
                    time_limit=state.time_limit / deciding,
                )
                choice = method.decide(seen, last.memory)
                if choice.change is not None:
                    due = state.now + float(choice.change.min())
            decision = replace(part, jobs=jobs).merged(decision, choice.solution)
            number = last.number + int(jobs.size > 0)
            lasts[k] = Last(state.rows[jobs], state.now, due, number, choice.memory)
        for k, jobs in own.items():
            change[jobs] = lasts[k].due - state.now
        return Choice(solution=decision, change=change, memory=(owner, lasts))

    def prepare() -> None:
        for _, method in team.values():
            method.prepare()

    keeps = all(method.keeps_running for _, method in team.values())
    return Policy(spelling=request.spelling, decide=decide, keeps_running=keeps, prepare=prepare)


def _dealt(state: State, owner: Ints, runs: Bools, gpus: Ints, split: str) -> Ints:
    """Return the controller of each job of the workload, -1 = not submitted yet."""
    new, count = np.flatnonzero(owner[state.rows] < 0), runs.shape[1]
    if not new.size:
        return owner
    dealt, before = owner.copy(), int((owner >= 0).sum())
    order = by_pressure(state.of(new)) if split == "pressure" else np.arange(len(new))
    if split == "demand":
        wanted, old = demand(state.of(ALL)), np.flatnonzero(owner[state.rows] >= 0)
        load = np.bincount(owner[state.rows[old]], wanted[old], count)
        order = np.argsort(-wanted[new], kind="stable")
    for i, at in enumerate(new[order].tolist()):
        able = np.flatnonzero(runs[state.rows[at]])
        if split == "demand":
            k = able[((load[able] + wanted[at]) / gpus[able]).argmin()]
            load[k] += wanted[at]
        else:  # in circular order
            k = able[((able - before - i) % count).argmin()]
        dealt[state.rows[at]] = k
    return dealt
