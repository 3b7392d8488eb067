"""
The simulator as a Gymnasium environment: an agent decides after every event (extra `rl`).

    observation  jobs, hours, nodes: arrays of fixed shape, and the mask of actions
    action       (S,) for each slot of a job the number of a mode, 0 = the job waits
    reward       - (cost since the last decision) [$], so that their sum is - the cost of the run

A mode is a node, its type, and a number of dedicated GPUs or a share level; `modes` has them in
order. Slots hold the jobs at hand: those that run first, then by submission. Where there are more
jobs than slots, the others stay as they are. Jobs are placed in the order of the slots; one whose
mode does not fit on what is left of the node, or asks for another type of it, waits, and `info`
counts these as `refused`. So every action is a decision.

Importing this module registers it: `gymnasium.make("rsjs/Scheduling-v0", workload=...)`.

An episode is one workload. It is terminated when all jobs are complete, or when it cannot go on:
no job runs and none will come (`info["status"]`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from rsjs.core.errors import InputError, described, integer
from rsjs.core.types import Ints
from rsjs.instances import costs
from rsjs.instances.bin_packing import gpus_for_shares
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.instances.solution import Solution
from rsjs.simulation.engine import Simulation, Steps, sent
from rsjs.simulation.options import Options
from rsjs.simulation.policy import Choice, Policy, Status, Stopped
from rsjs.simulation.state import State

Observation = dict[str, NDArray[Any]]
ENVIRONMENT_ID = "rsjs/Scheduling-v0"  # of `gymnasium.make`, once this module is imported
SLOTS = 32
JOB_FEATURES = (
    "there",  # 1 if the slot has a job
    "runs",
    "hours since submission",
    "hours to the due date",  # below 0 if it has passed
    "weight",  # $/h
    "memory",  # GB
    "epochs left",  # expected
    "mode",  # as in an action
)
NODE_FEATURES = ("type", "GPUs in use", "GPUs", "cost")  # type -1 = off; cost [$/h] of now
LARGEST = 1e9  # of an observation


class SchedulingEnv(gymnasium.Env):  # type: ignore[misc]
    """
    Decide on the jobs of a workload, event by event.

    Parameters
    ----------
    workload : Workload or callable
        The workload of every episode, or a function that draws one from a seed; all of one
        function must have the same cluster.
    options : Options, optional
        Of the simulation.
    slots : int
        S, the jobs that one action decides on.

    Attributes
    ----------
    modes : (M, 4) int
        Node, node type, dedicated GPUs, share level (-1 = none) of mode 1, 2, ... of an action.
    state : State or None
        What a policy would see; None when the episode has ended.

    Examples
    --------
    >>> import rsjs
    >>> from rsjs.simulation.environment import SchedulingEnv
    >>> env = SchedulingEnv(rsjs.generate("andreas", arrivals="exp", nodes=2, jobs=6))
    >>> observation, info = env.reset(seed=1)
    >>> observation["mask"].shape == (env.slots, len(env.modes) + 1)
    True
    """

    def __init__(
        self,
        workload: Workload | Callable[[int], Workload],
        options: Options | None = None,
        slots: int = SLOTS,
    ) -> None:
        self._source, self._options = workload, options or Options()
        self.slots = integer("slots", slots, 1)
        self._workload = self._drawn(0)
        cluster = self._workload.cluster
        self.modes = _modes(self._workload)
        self._mode_of = {tuple(mode): i + 1 for i, mode in enumerate(self.modes.tolist())}
        number = len(self.modes) + 1
        types, gpus = len(cluster.gpu_types), cluster.largest
        self.action_space = spaces.MultiDiscrete(np.full(slots, number))
        self.observation_space = spaces.Dict(
            {
                "jobs": _box(slots, len(JOB_FEATURES)),
                "hours": _box(slots, types, gpus),  # left, by GPU type and GPUs; -1 = not allowed
                "nodes": _box(cluster.nodes, len(NODE_FEATURES)),
                "mask": spaces.MultiBinary((slots, number)),
            }
        )
        self.state: State | None = None
        self._simulation: Simulation
        self._steps: Steps

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; a workload that is drawn is drawn from the seed, or the next number."""
        super().reset(seed=seed)
        drawn = self._drawn(int(self.np_random.integers(2**31)) if seed is None else seed)
        here, before = drawn.cluster, self._workload.cluster
        alike = (len(here.gpu_types), here.largest) == (len(before.gpu_types), before.largest)
        if not alike or not np.array_equal(_modes(drawn), self.modes):
            raise InputError("/workload", drawn, f"one with the nodes of {self._workload.name}")
        self._workload = drawn
        self._simulation = Simulation(self._workload, AGENT, self._options)
        self._steps = self._simulation.steps()
        self._cost = 0.0
        self.state = next(self._steps)
        return self._observation(), self._info(Status.COMPLETE, 0)

    def step(self, action: NDArray[Any]) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Apply a solution and advance the clock to the next event."""
        solution, refused = self.solution_of(action)
        return self.decide(Choice(solution=solution), refused)

    def decide(
        self, choice: Choice, refused: int = 0
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Apply the solution of a policy, which `step` makes of an action."""
        if self.state is None:
            raise gymnasium.error.ResetNeeded("no episode is running: call reset")
        status = Status.COMPLETE
        try:
            self.state = sent(self._steps, (choice, 0.0))
        except Stopped as stop:
            self.state, status = None, stop.status
        cluster = self._simulation.cluster
        before, self._cost = self._cost, cluster.nodes.energy + cluster.tardiness
        info = self._info(status, refused)
        return self._observation(), before - self._cost, self.state is None, False, info

    def action_masks(self) -> NDArray[np.int8]:
        """Return (S, M + 1) 1 where a job may run in a mode on an empty node, or wait."""
        mask: NDArray[np.int8] = self._observation()["mask"]
        return mask

    def solution_of(self, action: NDArray[Any]) -> tuple[Solution, int]:
        """
        Return the solution that an action stands for, and how many jobs wait against its will.

        Parameters
        ----------
        action : (S,) int

        Raises
        ------
        InputError
            For what is no action of `action_space`.
        """
        if self.state is None:
            raise gymnasium.error.ResetNeeded("no episode is running: call reset")
        action = np.asarray(action)
        if not self.action_space.contains(action):
            most = len(self.modes)
            raise InputError("/action", action.tolist(), f"{self.slots} integers from 0 to {most}")
        state = self.state
        node, gpus = state.current.job_node.copy(), state.current.job_gpus.copy()
        level = state.current.job_level.copy()
        decided = self._slots()
        node[decided], gpus[decided], level[decided] = -1, 0, -1
        room = _Room(state.instance, state.current, node, gpus, level)
        allowed, refused = self._allowed(state.instance, decided), 0
        for slot, row in enumerate(decided.tolist()):
            mode = int(action[slot])
            if mode == 0:
                continue
            n, v, k, share = self.modes[mode - 1].tolist()
            if allowed[slot, mode - 1] and room.take(n, v, k, share):
                node[row], gpus[row], level[row] = n, k, share
            else:
                refused += 1
        solution = Solution(job_node=node, job_gpus=gpus, job_level=level, node_type=room.kind)
        return select_required_nodes(state.instance, solution), refused

    def action_of(self, solution: Solution) -> Ints:
        """Return the action that is equivalent to a solution, as far as its jobs have slots."""
        action = np.zeros(self.slots, dtype=np.int64)
        for slot, row in enumerate(self._slots().tolist()):
            n = int(solution.job_node[row])
            if n >= 0:
                mode = (n, solution.node_type[n], solution.job_gpus[row], solution.job_level[row])
                action[slot] = self._mode_of[tuple(map(int, mode))]
        return action

    def _drawn(self, seed: int) -> Workload:
        """Return the workload of an episode."""
        drawn = self._source(seed) if callable(self._source) else self._source
        if not isinstance(drawn, Workload):
            found = described(f"an object of type {type(drawn).__name__}")
            raise InputError("/workload", found, "a workload, as `rsjs.load` returns it")
        if (rule := drawn.objective.open_nodes) not in ("free", "jahani_eq"):
            expected = "free or jahani_eq: others ask for solutions that an action may not be"
            raise InputError("/objective/open_nodes", rule, expected)
        return drawn

    def _slots(self) -> Ints:
        """Return the jobs at hand that have a slot: those that run first, then by submission."""
        assert self.state is not None
        waits = self.state.current.job_node < 0
        return np.argsort(waits, kind="stable")[: self.slots]

    def _allowed(self, instance: Instance, rows: Ints) -> NDArray[np.bool_]:
        """Return (n, M) whether jobs may run in a mode on an empty node."""
        _, v, k, share = self.modes.T
        gpu = instance.cluster.gpu_of_type[v]
        hours = instance.hours_per_epoch[rows[:, None], gpu, k]
        if instance.shared_hours_per_epoch.shape[2]:
            shared = instance.shared_hours_per_epoch[rows[:, None], gpu, share]
            hours = np.where(share >= 0, shared, hours)
        return np.asarray(np.isfinite(hours))

    def _info(self, status: Status, refused: int) -> dict[str, Any]:
        cluster = self._simulation.cluster
        return {
            "now": cluster.now,
            "energy": cluster.nodes.energy,
            "tardiness": cluster.tardiness,
            "refused": refused,
            "status": str(status) if self.state is None else "running",
        }

    def _observation(self) -> Observation:
        """Return the arrays of the moment; zeros when the episode has ended."""
        space = self.observation_space
        seen = {name: np.zeros(part.shape, part.dtype) for name, part in space.spaces.items()}
        seen["mask"][:, 0] = 1
        if self.state is None:
            return seen
        state, instance, rows = self.state, self.state.instance, self._slots()
        left, jobs, n = costs.epochs_left(instance)[rows], instance.jobs, len(rows)
        node = state.current.job_node[rows]
        seen["jobs"][:n] = np.column_stack(
            [
                np.ones(n),
                node >= 0,
                state.now - jobs.release[rows],
                jobs.due[rows] - state.now,
                jobs.weight[rows],
                jobs.memory_gb[rows],
                left,
                self.action_of(state.current)[:n],
            ]
        ).clip(-LARGEST, LARGEST)
        hours = instance.hours_per_epoch[rows, :, 1:] * left[:, None, None]
        seen["hours"][:n] = np.where(np.isfinite(hours), hours.clip(0, LARGEST), -1.0)
        # type, GPUs in use, GPUs and cost of each node as it is now
        kind, used, cluster = state.current.node_type, state.used, instance.cluster
        on = kind >= 0
        seen["nodes"][:, 0], seen["nodes"][:, 1] = kind, used
        seen["nodes"][on, 2] = cluster.gpus_of_type[kind[on]]
        seen["nodes"][on, 3] = cluster.cost_of_type[kind[on], used[on]]
        seen["mask"][:n, 1:] = self._allowed(instance, rows)
        return seen


class _Room:
    """What is left of the nodes while jobs are placed one by one."""

    def __init__(
        self, instance: Instance, current: Solution, node: Ints, gpus: Ints, level: Ints
    ) -> None:
        """Take the room of the jobs that stay as they are."""
        cluster = instance.cluster
        self._cluster, self.kind = cluster, np.full(cluster.nodes, -1, dtype=np.int64)
        self._gpus = np.zeros(cluster.nodes, dtype=np.int64)
        self._shares: dict[int, list[int]] = {}
        for row in np.flatnonzero(node >= 0).tolist():
            n = int(node[row])
            self.take(n, int(current.node_type[n]), int(gpus[row]), int(level[row]))

    def take(self, n: int, v: int, k: int, share: int) -> bool:
        """Take the room of a mode; False if there is none."""
        if self.kind[n] not in (-1, v):
            return False
        gpu = self._cluster.gpu_types[self._cluster.gpu_of_type[v]]
        shares = [*self._shares.get(n, []), *([gpu.levels[share].units] if share >= 0 else [])]
        packed = gpus_for_shares(tuple(sorted(shares)), gpu.units) if shares else 0
        if self._gpus[n] + k + packed > self._cluster.gpus_of_type[v]:
            return False
        self._gpus[n] += k
        self._shares[n], self.kind[n] = shares, v
        return True


def _no_policy(state: State, memory: Any) -> Choice:
    raise NotImplementedError("the agent decides")


AGENT = Policy(spelling="agent", decide=_no_policy)


def _box(*shape: int) -> spaces.Box:
    return spaces.Box(-LARGEST, LARGEST, shape, dtype=np.float64)


def _modes(workload: Workload) -> Ints:
    """Return (M, 4) node, node type, dedicated GPUs, share level of all modes."""
    cluster = workload.cluster
    modes = []
    for n in range(cluster.nodes):
        for v in np.flatnonzero(cluster.allowed[n]).tolist():
            levels = len(cluster.gpu_types[cluster.gpu_of_type[v]].levels)
            modes += [(n, v, k, -1) for k in range(1, int(cluster.gpus_of_type[v]) + 1)]
            modes += [(n, v, 0, share) for share in range(levels)]
    return np.array(modes, dtype=np.int64)


gymnasium.register(ENVIRONMENT_ID, entry_point=SchedulingEnv)
