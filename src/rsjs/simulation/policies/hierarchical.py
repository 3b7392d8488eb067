"""
Kiros' hierarchical controllers over time: K controllers with their own nodes and jobs.

A job is dealt to a controller when it is submitted, for good; node n belongs to controller n mod K.
Each controller runs a policy of its own, and is asked only when something happens to it: one of its
jobs comes or goes, asks for a change, or none of them runs. So the controllers are simulations
independent of each other. At the end of a period all are asked.

Jobs are dealt by the rules of `heuristics.decomposition.partition` (Kiros 2020, 3.1.2), over time:
the circular order goes on from one submission to the next, and the load of a controller is the
demand of its jobs at hand. A job goes to a controller one of whose nodes can run it: the next such
one in circular order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Any, NamedTuple

import numpy as np

from rsjs.core.types import Ints
from rsjs.heuristics.decomposition.partition import demand, runs_on
from rsjs.heuristics.dispatching.candidates import by_pressure
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution
from rsjs.methods import Request
from rsjs.simulation.events import TIE
from rsjs.simulation.policy import Choice, Policy
from rsjs.simulation.state import State


class Dealer:
    """Who decides on which job."""

    def __init__(self, whole: Instance, node: Ints, controllers: int, split: str) -> None:
        #: (J, K) whether some node of a controller can run a job of the workload
        self.runs = runs_on(whole, node, controllers)
        size = whole.cluster.largest_of_class[whole.cluster.class_of_node]
        self._gpus = np.bincount(node, size, controllers)
        self._split = split

    def deal(self, state: State, owner: Ints) -> Ints:
        """Return (J,) controllers with those of jobs that have just been submitted."""
        waits = owner[state.rows] < 0
        new, old = np.flatnonzero(waits), np.flatnonzero(~waits)
        if not new.size:
            return owner
        part, controllers = state.of(new), self.runs.shape[1]
        load, wanted = np.zeros(controllers), np.zeros(len(new))
        order = by_pressure(part) if self._split == "pressure" else np.arange(len(new))
        if self._split == "demand":
            if old.size:  # the demand of each controller's jobs at hand
                np.add.at(load, owner[state.rows[old]], demand(state.of(old)))
            wanted = demand(part)
            order = np.argsort(-wanted, kind="stable")
        dealt, before = owner.copy(), int((owner >= 0).sum())
        for i, j in enumerate(order.tolist()):
            row = state.rows[new[j]]
            able = np.flatnonzero(self.runs[row])
            if self._split == "demand":
                best = ((load[able] + wanted[j]) / self._gpus[able]).argmin()
                load[able[best]] += wanted[j]
            else:  # in circular order
                best = ((able - before - i) % controllers).argmin()
            dealt[row] = able[best]
        return dealt


class Last(NamedTuple):
    """A controller's last decision: its jobs, when, when it wants to be asked, what it kept."""

    rows: Ints = np.empty(0, dtype=np.int64)
    at: float = inf
    due: float = inf
    number: int = 0
    memory: Any = None


class Memory(NamedTuple):
    """Controller of each job of the workload, -1 = not submitted yet, and the last decisions."""

    owner: Ints
    last: tuple[Last, ...]


@dataclass(frozen=True, eq=False)
class Controller:
    """One controller."""

    nodes: Ints  # (N_k,)
    whole: Instance  # the jobs that its nodes can run
    row: Ints  # (J,) position in `whole` of each job of the workload
    policy: Policy

    def state(self, state: State, own: Ints, last: Last) -> State:
        """Return what it sees: `own` are positions of its jobs in `state.rows`."""
        return replace(
            state,
            workload=self.whole,
            rows=self.row[state.rows[own]],
            epochs_done=state.epochs_done[own],
            current=state.kept.taken(own, self.nodes),
            elapsed=state.now - last.at if last.number else 0.0,
            number=last.number,
        )


def policy(request: Request, whole: Instance) -> Policy:
    """Build the policy `hierarchical`, with any policy for its controllers."""
    count = min(request.options["controllers"], whole.cluster.nodes)
    node = np.arange(whole.cluster.nodes) % count
    dealer = Dealer(whole, node, count, request.options["split"])
    useful = np.flatnonzero(dealer.runs.any(axis=0)).tolist()  # others have no job to decide on
    team = {k: _controller(request, whole, dealer, node, k) for k in useful}

    def decide(state: State, memory: Memory | None) -> Choice:
        memory = memory or Memory(np.full(len(whole.jobs), -1), (Last(),) * count)
        owner = dealer.deal(state, memory.owner)
        own = [np.flatnonzero(owner[state.rows] == k) for k in range(count)]
        running = state.current.job_node >= 0
        asked = [
            not np.array_equal(state.rows[jobs], last.rows)
            or last.due <= state.now + TIE
            or (len(jobs) > 0 and not running[jobs].any())
            for jobs, last in zip(own, memory.last, strict=True)
        ]
        asked = asked if any(asked) else [True] * count
        decision, lasts = state.kept, list(memory.last)
        change = np.full(len(state.rows), inf)
        for k, controller in team.items():
            jobs, last = own[k], lasts[k]
            if asked[k]:
                due, choice = inf, Choice(solution=Solution.empty(0, len(controller.nodes)))
                if jobs.size:
                    part = replace(controller.state(state, jobs, last), seed=state.seed + k)
                    choice = controller.policy.decide(part, last.memory)
                    if choice.change is not None:
                        due = state.now + float(choice.change.min())
                decision = _with(decision, jobs, controller.nodes, choice.solution)
                number = last.number + int(jobs.size > 0)
                lasts[k] = Last(state.rows[jobs], state.now, due, number, choice.memory)
            change[jobs] = lasts[k].due - state.now
        solution = select_required_nodes(state.instance, decision)
        return Choice(solution=solution, change=change, memory=Memory(owner, tuple(lasts)))

    def prepare() -> None:
        for controller in team.values():
            controller.policy.prepare()

    keeps = all(controller.policy.keeps_running for controller in team.values())
    return Policy(spelling=request.spelling, decide=decide, keeps_running=keeps, prepare=prepare)


def _controller(
    request: Request, whole: Instance, dealer: Dealer, node: Ints, k: int
) -> Controller:
    from rsjs.simulation.policies.registry import served  # which imports this module

    nodes, able = np.flatnonzero(node == k), np.flatnonzero(dealer.runs[:, k])
    row = np.full(len(whole.jobs), -1)
    row[able] = np.arange(len(able))
    part = replace(
        whole,
        name=f"{whole.name}, controller {k + 1} of {dealer.runs.shape[1]}",
        cluster=whole.cluster.taken(nodes),
        jobs=whole.jobs.taken(able),
    )
    return Controller(nodes, part, row, served(request.options["method"], part))


def _with(decision: Solution, jobs: Ints, nodes: Ints, part: Solution) -> Solution:
    """Return a decision with some jobs and nodes decided anew."""
    node, gpus = decision.job_node.copy(), decision.job_gpus.copy()
    level, kind = decision.job_level.copy(), decision.node_type.copy()
    node[jobs] = np.where(part.job_node >= 0, nodes[part.job_node], -1)
    gpus[jobs], level[jobs], kind[nodes] = part.job_gpus, part.job_level, part.node_type
    return Solution.of(node, gpus, kind, level)
