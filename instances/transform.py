"""
Some jobs and nodes of an instance as an instance of its own; an instance in another order.

A part costs what it says by itself (`taken`) or what the whole pays for it (`subinstance`): P_j and
M_j are costs of the configurations on node types that are *present* in a cluster. With those of the
whole (`Jobs.slowest_hours_per_epoch`), what a solution of the part saves, the whole saves: node
costs and tardiness add up over nodes and jobs. Only the number of nodes that `open_nodes` asks for
does not.

All jobs and nodes in another order (`permuted`) are a part, too. Costs do not change, what solvers
make of it does: ties, presolve, branching. One optimum seen under several orders shows how much of
a time is luck. With pi a permutation of the jobs and sigma one of the nodes, job j of the permuted
instance is job pi(j), node n is node sigma(n).

`with_change_costs` makes an instance charge migrations and starts.

Times of a workload in whole steps (`in_steps`): then schedules are found by integers.

A rigid workload (`rigid`) is one of jobs that admit a single number of GPUs, as users ask for it;
one that is redrawn (`redrawn`) has other numbers of epochs, of the same distributions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rsjs.core.errors import InputError, integer
from rsjs.core.types import Ints
from rsjs.instances import costs
from rsjs.instances.generators import random_streams
from rsjs.instances.generators.random_streams import rounded
from rsjs.instances.instance import Instance, Workload
from rsjs.instances.jobs import drawn_epochs
from rsjs.instances.solution import Solution

NEAR = 1e-9  # steps: so little above a whole number is rounding


@dataclass(frozen=True, eq=False)
class SubInstance:
    """A part of an instance."""

    whole: Instance
    instance: Instance
    jobs: Ints  # (J',) job of the whole for each job of the part
    nodes: Ints  # (N',) node of the whole for each node of the part

    def restricted(self, solution: Solution) -> Solution:
        """Return what a solution of the whole says of the part; jobs on other nodes wait."""
        return solution.taken(self.jobs, self.nodes)

    def merged(self, solution: Solution, part: Solution) -> Solution:
        """Return a solution of the whole with the part replaced."""
        node, gpus = solution.job_node.copy(), solution.job_gpus.copy()
        level, kind = solution.job_level.copy(), solution.node_type.copy()
        runs = part.job_node >= 0
        node[self.jobs] = np.where(runs, self.nodes[part.job_node], -1)
        gpus[self.jobs], level[self.jobs] = part.job_gpus, part.job_level
        kind[self.nodes] = part.node_type
        return Solution.of(node, gpus, kind, level)

    def restored(self, part: Solution) -> Solution:
        """Return a solution of the whole with nothing but the part."""
        empty = Solution.empty(len(self.whole.jobs), self.whole.cluster.nodes)
        return self.merged(empty, part)


def taken(instance: Instance, jobs: Ints, nodes: Ints, name: str, /, **changes: Any) -> SubInstance:
    """
    Return the part with these jobs and nodes in this order, priced as an instance of its own.

    Parameters
    ----------
    changes : further fields of the part's instance
    """
    current = instance.current
    fields: dict[str, Any] = {
        "cluster": instance.cluster.taken(nodes),
        "jobs": instance.jobs.taken(jobs),
        "current": None if current is None else current.taken(jobs, nodes),
        "generator": {},
    }
    return SubInstance(instance, replace(instance, name=name, **fields | changes), jobs, nodes)


def subinstance(
    instance: Instance, jobs: Sequence[int], nodes: Sequence[int], open_nodes: str
) -> SubInstance:
    """
    Return the part with the given jobs and nodes in ascending order, at the prices of the whole.

    Each job is admissible on some of the nodes.

    Parameters
    ----------
    open_nodes : str
        The part's rule for the number of nodes, see `Objective`.
    """
    rows = np.unique(jobs)
    slowest = costs.slowest_rates(instance)[rows]
    return taken(
        instance,
        rows,
        np.unique(nodes),
        f"part of {instance.name}",
        jobs=replace(instance.jobs.taken(rows), slowest_hours_per_epoch=slowest),
        objective=replace(instance.objective, open_nodes=open_nodes),
        current=None,
    )


def permuted(instance: Instance, seed: int) -> SubInstance:
    """
    Return the instance under the permutation that a seed stands for.

    Parameters
    ----------
    seed : int
        >= 1; the order depends on it and on the numbers of jobs and nodes alone.

    Returns
    -------
    SubInstance
        Its instance is named <name>-p<seed>; jobs and nodes keep their names.
    """
    jobs = _order(seed, "jobs", len(instance.jobs))
    nodes = _order(seed, "nodes", instance.cluster.nodes)
    return taken(instance, jobs, nodes, f"{instance.name}-p{seed}")


def with_change_costs(instance: Instance, *, migration: float, start: float) -> Instance:
    """
    Return the instance with what migrations and starts cost, see `Objective`.

    Parameters
    ----------
    migration, start : float [$]
        >= 0; an InputError names one that is not.

    Returns
    -------
    Instance
        Named <name>-m<migration>-s<start>; the same if both costs are what they were.
    """
    objective = replace(instance.objective, migration=migration, start=start)
    if objective == instance.objective:
        return instance
    return replace(instance, name=f"{instance.name}-m{migration:g}-s{start:g}", objective=objective)


def _order(seed: int, field: str, n: int) -> Ints:
    return np.argsort(random_streams.uniforms("permutation", seed, field, n), kind="stable")


def rigid(workload: Workload) -> Workload:
    """
    Return the workload with jobs that run on one number of GPUs, and on no share.

    The number is a power of two that the job admits on some GPU type, each equally likely, drawn by
    the name of the workload. The due date keeps its distance from the submission in units of the
    time that the fastest mode takes: what was tight stays so.
    """
    whole, jobs = workload.submitted(), workload.jobs
    hours = whole.hours_per_epoch  # (J, T, G + 1)
    largest = hours.shape[2] - 1
    asked = [2**k for k in range(largest.bit_length())]
    admitted = np.any(hours[:, :, asked] < np.inf, axis=1)  # (J, powers of two)
    for j in np.flatnonzero(~admitted.any(axis=1))[:1]:
        raise InputError(f"/jobs/{j}", jobs.id[j], "a job that runs on 1, 2, 4, ... GPUs")
    u = random_streams.uniforms("rigid", 1, workload.name, len(jobs))
    pick = random_streams.index(u, admitted.sum(axis=1))
    place = (admitted.cumsum(axis=1) > pick[:, None]).argmax(axis=1)
    gpus = np.array(asked)[place]  # (J,)
    kept = np.arange(largest + 1) == gpus[:, None, None]
    table = np.where(kept, hours, np.inf)
    slower = table.min(axis=(1, 2)) / hours.min(axis=(1, 2))
    origin = workload.generator
    return replace(
        workload,
        name=f"{workload.name}-rigid",
        jobs=replace(
            jobs,
            due=rounded(jobs.release + (jobs.due - jobs.release) * slower),
            hours_per_epoch=table,
            inflation=np.full_like(jobs.inflation, np.inf),
        ),
        generator={**origin, "parameters": {**origin.get("parameters", {}), "rigid": True}},
    )


def redrawn(workload: Workload, number: int) -> Workload:
    """
    Return the workload with the epochs that its jobs run drawn again, for numbers 1, 2, ...

    They are drawn by the name of the workload and the number, independent of those that it has:
    what a policy that does not know them pays on average over numbers estimates its expected cost.
    """
    integer("number", number, 1)
    u = random_streams.uniforms("redrawn", number, workload.name, len(workload.jobs))
    origin = workload.generator
    return replace(
        workload,
        name=f"{workload.name}-w{number}",
        realised_epochs=drawn_epochs(workload.jobs, workload.laws, u),
        generator={**origin, "parameters": {**origin.get("parameters", {}), "redrawn": number}},
    )


def in_steps(workload: Workload, hours: float) -> Workload:
    """
    Return the workload with releases, due dates and running times W_j a_jq in steps of `hours`.

    Times are rounded up, due dates to the nearest step, at least one after the release.
    """
    jobs = workload.jobs
    if not 0 < hours < np.inf:
        raise InputError("/steps", hours, "steps of > 0 hours")
    epochs = workload.realised_epochs[:, None, None]
    release = np.ceil(jobs.release / hours - NEAR) * hours
    due = np.maximum(np.rint(jobs.due / hours) * hours, release + hours)
    table = np.ceil(epochs * workload.submitted().hours_per_epoch / hours - NEAR) * hours / epochs
    origin = workload.generator
    return replace(
        workload,
        name=f"{workload.name}-steps{hours:g}",
        jobs=replace(jobs, release=release, due=due, hours_per_epoch=table),
        generator={**origin, "parameters": {**origin.get("parameters", {}), "steps": hours}},
    )
