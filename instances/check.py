"""
Independent checker of solutions: whether one is feasible, and what it costs.

Imports no solver and no model; every cost in a table comes from here. Whether an instance makes
sense, its due dates for one, is another question: see `validation`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rsjs.core.display import Displayed
from rsjs.instances import costs
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import required_nodes
from rsjs.instances.solution import Solution
from rsjs.instances.validation import ranges_of_entries

TOLERANCE = 1e-6  # relative, on claimed numbers only: solutions are integers
ROUNDING = 1e-9  # [$] of a cost that is 0 but for the rounding of its sums


@dataclass(frozen=True)
class Violation:
    """A constraint that does not hold: its name, the place, what was found and expected."""

    constraint: str
    where: str
    found: Any
    expected: str

    def __str__(self) -> str:
        return f"{self.constraint}: {self.where}: found {self.found}, expected {self.expected}"


@dataclass(frozen=True, kw_only=True)
class Verdict(Displayed):
    """Result of the checker."""

    feasible: bool  #: no violation at all, wrong claims included
    violations: tuple[Violation, ...]
    #: tardiness, postponement, energy, idle, and changes where the objective charges them [$];
    #: None if the solution cannot be priced
    terms: dict[str, float] | None = None
    objective: float | None = None  #: their sum [$]
    #: executed, postponed and late jobs; selected_nodes and used_nodes; used_gpus and idle_gpus
    counts: dict[str, int] = field(default_factory=dict)
    #: under "expected" and "first_ending": node prices times E[min t] instead of min E[t]
    wait_and_see_energy: float | None = None

    def __repr__(self) -> str:
        cost = "" if self.objective is None else f", {self.objective:.6g} $"
        if self.feasible:
            return f"Verdict(feasible{cost})"
        first, more = self.violations[0], len(self.violations) - 1
        return f"Verdict(not feasible{cost}: {first}{f', and {more} more' if more else ''})"


def check(
    instance: Instance,
    solution: Solution,
    *,
    objective: float | None = None,
    bound: float | None = None,
    instance_digest: str | None = None,
) -> Verdict:
    """
    Check a solution and, where given, what is claimed about it.

    Parameters
    ----------
    instance, solution
    objective, bound : float, optional
        Claimed cost and lower bound [$]; wrong ones are violations.
    instance_digest : str, optional
        sha256 of the instance that the solution was made for.
    """
    if unpriced := _unpriced(instance, solution, instance_digest):
        return Verdict(feasible=False, violations=tuple(unpriced))
    execution = costs.execution(instance, solution)
    broken = [*_open_nodes(instance, solution)]
    terms = costs.terms(instance, solution, execution)
    broken += claims(terms.total, objective, bound)
    selected = solution.node_type >= 0
    used = int(execution.used.sum())
    return Verdict(
        feasible=not broken,
        violations=tuple(broken),
        terms=terms.as_dict(),
        objective=terms.total,
        counts={
            "executed": len(execution.running),
            "postponed": len(instance.jobs) - len(execution.running),
            "late": int((execution.tardiness > 0).sum()),
            "selected_nodes": int(selected.sum()),
            "used_nodes": int(np.count_nonzero(execution.used)),
            "used_gpus": used,
            "idle_gpus": int(instance.cluster.gpus_of_type[solution.node_type[selected]].sum())
            - used,
        },
        wait_and_see_energy=costs.wait_and_see_energy(instance, solution, execution),
    )


def violations(instance: Instance, solution: Solution) -> list[Violation]:
    """Return the constraints that a solution violates, as `check` does, without pricing it."""
    return _unpriced(instance, solution) or [*_open_nodes(instance, solution)]


def _unpriced(
    instance: Instance, solution: Solution, instance_digest: str | None = None
) -> list[Violation]:
    """Return violations with which a solution has no cost."""
    shape = [*_shape(instance, solution, instance_digest)]
    return shape or [*_modes(instance, solution)] or [*_capacity(instance, solution)]


def _shape(
    instance: Instance, solution: Solution, instance_digest: str | None
) -> Iterator[Violation]:
    if instance_digest is not None and instance_digest != instance.digest:
        yield _violation("instance", "/instance", instance_digest, f"sha256 {instance.digest}")
    for name, (size, low, high) in ranges_of_entries(instance).items():
        values = getattr(solution, name)
        if values.shape != (size,):
            found = f"{values.size} entries" if values.ndim == 1 else f"shape {values.shape}"
            yield _violation("shape", f"/{name}", found, f"{size} entries")
            continue
        for i in np.flatnonzero((values < low) | (values > high)).tolist():
            yield _violation("range", f"/{name}/{i}", int(values[i]), f"{low} to {high}")


def _modes(instance: Instance, solution: Solution) -> Iterator[Violation]:
    cluster = instance.cluster
    for n in np.flatnonzero(solution.node_type >= 0).tolist():
        v = int(solution.node_type[n])
        if not cluster.allowed[n, v]:
            names = [cluster.node_types[u].name for u in np.flatnonzero(cluster.allowed[n])]
            yield _violation(
                "allowed_type", f"/node_type/{n}", cluster.node_types[v].name, " or ".join(names)
            )
    placed = (solution.job_node >= 0) | (solution.job_gpus != 0) | (solution.job_level != -1)
    for j in np.flatnonzero(placed).tolist():
        yield from _job(instance, solution, j)


def _job(instance: Instance, solution: Solution, j: int) -> Iterator[Violation]:
    cluster = instance.cluster
    node, gpus, level = (
        int(values[j]) for values in (solution.job_node, solution.job_gpus, solution.job_level)
    )
    if node < 0:
        if gpus != 0 or level != -1:
            where, left = (f"/job_gpus/{j}", gpus) if gpus else (f"/job_level/{j}", level)
            yield _violation("postponed", where, left, "nothing for a postponed job")
        return
    if (gpus > 0) == (level >= 0):
        found = f"{gpus} GPUs and level {level}"
        yield _violation("one_configuration", f"/job_gpus/{j}", found, "GPUs or a share level")
        return
    v = int(solution.node_type[node])
    if v < 0:
        yield _violation("node_on", f"/job_node/{j}", f"node {node}, which is off", "a node on")
        return
    gpu = int(cluster.gpu_of_type[v])
    name = cluster.node_types[v].name
    if gpus > cluster.node_types[v].gpus:
        yield _violation(
            "node_size", f"/job_gpus/{j}", gpus, f"<= {cluster.node_types[v].gpus} GPUs of {name}"
        )
        return
    if level >= 0:
        known = len(cluster.gpu_types[gpu].levels)
        admissible = level < known and np.isfinite(instance.shared_hours_per_epoch[j, gpu, level])
        where, found = f"/job_level/{j}", f"level {level} on {name}"
    else:
        admissible = np.isfinite(instance.hours_per_epoch[j, gpu, gpus])
        where, found = f"/job_gpus/{j}", f"{gpus} GPUs on {name}"
    if not admissible:
        memory = _limit(instance, j, gpu, level)
        if memory is not None:
            needed = f"{instance.jobs.memory_gb[j]:g} GB"
            yield _violation("memory", where, needed, f"<= {memory:g} GB for {found}")
        else:
            yield _violation("admissible", where, found, f"a time for job {instance.jobs.id[j]}")


def _limit(instance: Instance, j: int, gpu: int, level: int) -> float | None:
    """Return the memory limit that job j breaks in this mode, if it is memory."""
    kind = instance.cluster.gpu_types[gpu]
    limits = [kind.memory_gb]
    if 0 <= level < len(kind.levels):
        limits.append(kind.levels[level].max_memory_gb)
    return min(limits) if instance.jobs.memory_gb[j] > min(limits) else None


def _capacity(instance: Instance, solution: Solution) -> Iterator[Violation]:
    used = costs.gpus_in_use(instance, solution)
    for n in np.flatnonzero(used).tolist():
        size = int(instance.cluster.gpus_of_type[solution.node_type[n]])
        if used[n] > size:
            found = f"{used[n]} GPUs in use"
            yield _violation("capacity", f"/node_type/{n}", found, f"<= {size} GPUs")


def _open_nodes(instance: Instance, solution: Solution) -> Iterator[Violation]:
    kind = instance.objective.open_nodes
    if kind == "free":
        return
    required = required_nodes(instance)
    if kind == "jahani_eq":
        found, what = int((solution.node_type >= 0).sum()), "selected nodes"
    else:
        nodes = solution.job_node[solution.job_node >= 0]
        found, what = len(np.unique(nodes)), "nodes with a job"
    if found != required:
        yield _violation("open_nodes", "/node_type", f"{found} {what}", f"{required} ({kind})")


def claims(total: float, objective: float | None, bound: float | None) -> Iterator[Violation]:
    """Yield violations of what is claimed about a solution that costs `total`."""
    margin = TOLERANCE * max(1.0, abs(total))
    if objective is not None and not abs(objective - total) <= margin:
        yield _violation("claimed_objective", "/objective", objective, f"{total!r}")
    if bound is not None and not bound <= total + TOLERANCE * abs(total) + ROUNDING:
        yield _violation("claimed_bound", "/bound", bound, f"<= the cost {total!r}")


def _violation(constraint: str, where: str, found: Any, expected: str) -> Violation:
    return Violation(constraint=constraint, where=where, found=found, expected=expected)
