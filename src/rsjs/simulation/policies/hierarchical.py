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

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import Any, NamedTuple

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.decomposition.partition import demand, runs_on
from rsjs.instances import costs
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
        cluster = whole.cluster
        size = np.where(cluster.allowed_in_class, cluster.gpus_of_type, 0).max(axis=1)
        self._gpus = np.bincount(node, size[cluster.class_of_node], controllers)
        self.split = split

    def deal(self, new: Ints, part: Instance, dealt: int, load: Floats) -> Ints:
        """
        Return controllers of (n,) jobs that have just been submitted, of which `part` consists.

        `dealt` jobs were dealt before; `load` (K,) is the demand of each controller's jobs at hand,
        only of the split "demand".
        """
        owner = np.empty(len(new), dtype=np.int64)
        controllers, load = self.runs.shape[1], load.copy()
        order, wanted = ORDERS[self.split](part)
        for i, row in enumerate(order.tolist()):
            able = np.flatnonzero(self.runs[new[row]])
            if wanted is None:
                best = ((able - dealt - i) % controllers).argmin()
            else:
                best = ((load[able] + wanted[row]) / self._gpus[able]).argmin()
                load[able[best]] += wanted[row]
            owner[row] = able[best]
        return owner


def _as_submitted(part: Instance) -> tuple[Ints, None]:
    return np.arange(len(part.jobs)), None


def _by_pressure(part: Instance) -> tuple[Ints, None]:
    table = costs.cost_tables(part)
    shared = table.shared_hours.min(axis=(1, 2), initial=np.inf)
    fastest = np.minimum(table.hours.min(axis=(1, 2)), shared)
    return np.argsort(part.jobs.due - part.now - fastest, kind="stable"), None


def _by_demand(part: Instance) -> tuple[Ints, Floats]:
    wanted = demand(part)
    return np.argsort(-wanted, kind="stable"), wanted


ORDERS: dict[str, Callable[[Instance], tuple[Ints, Floats | None]]] = {
    "round_robin": _as_submitted,
    "pressure": _by_pressure,
    "demand": _by_demand,
}


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
        owner = _dealt(dealer, state, memory.owner)
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


def _dealt(dealer: Dealer, state: State, owner: Ints) -> Ints:
    """Return (J,) controllers with those of jobs that have just been submitted."""
    waits = owner[state.rows] < 0
    new = np.flatnonzero(waits)
    if not new.size:
        return owner
    old, load = np.flatnonzero(~waits), np.zeros(dealer.runs.shape[1])
    if dealer.split == "demand" and old.size:
        np.add.at(load, owner[state.rows[old]], demand(state.of(old)))
    dealt = owner.copy()
    before = int((owner >= 0).sum())
    dealt[state.rows[new]] = dealer.deal(state.rows[new], state.of(new), before, load)
    return dealt


def _with(decision: Solution, jobs: Ints, nodes: Ints, part: Solution) -> Solution:
    """Return a decision with some jobs and nodes decided anew."""
    node, gpus = decision.job_node.copy(), decision.job_gpus.copy()
    level, kind = decision.job_level.copy(), decision.node_type.copy()
    node[jobs] = np.where(part.job_node >= 0, nodes[part.job_node], -1)
    gpus[jobs], level[jobs], kind[nodes] = part.job_gpus, part.job_level, part.node_type
    return Solution.of(node, gpus, kind, level)
