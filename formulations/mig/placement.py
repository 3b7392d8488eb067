"""
Placement of static workloads on identical GPUs: the fewest GPUs, then the least waste on them.

An exact pattern model, whatever the number of workloads.

Sets and data
    pi in Pi the nonempty multisets of profiles that fit a GPU (78 on an A100, with the empty one
    and without the media profile), k_pi,p how often profile p is in pi
    w_pi stranded slices of the set of placements of pi that strands least
    g groups of workloads with the same admissible profiles P_g, n_g their number
    o_gp slices of p beyond the need of a workload of g

Variables
    x_pi in {0, 1, ...}    GPUs with pattern pi
    y_gp in {0, 1, ...}    workloads of g on profile p, p in P_g

    stage 1   min sum_pi x_pi                              = N*
    stage 2   min sum_pi w_pi x_pi + sum_gp o_gp y_gp
    (demand)  sum_pi k_pi,p x_pi = sum_g y_gp              for all p
    (group)   sum_p y_gp = n_g                             for all g
    (gpus)    sum_pi x_pi = N*                             stage 2 only

Equality, and all multisets rather than the 28 that no other contains, so that waste is that of
what is on the GPUs. With the number of GPUs fixed the sum of all free slices is too, but for
over-allocation: only stranded and over-allocated slices tell placements apart.

Lower bounds on the number of GPUs for static workloads.

    memory, compute  ceil(sum of the needs of the workloads / slices of a GPU)
    profiles         max over sets S of profiles: ceil(workloads whose profiles are all in S /
                     the most instances of S that fit a GPU)

`profiles` sees, for example, that a GPU holds no two of 4g and 7g, and one media profile at most.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.core.types import Floats, Ints
from rsjs.formulations.backends.backend import RawResult, SolveTask
from rsjs.formulations.backends.registry import backend
from rsjs.instances.mig.geometry import Geometry, geometry, slices
from rsjs.instances.mig.placement.problem import MigPlacement, PlacementProblem

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel


INDEX_LETTERS = {"x": "m", "y": "i", "demand": "f", "group": "k"}


@dataclass(frozen=True, eq=False)
class PlacementModel:
    """Data of the pattern model; column order is the patterns (x), then the choices (y)."""

    workloads: PlacementProblem
    geometry: Geometry
    # (patterns,) the set of placements of each multiset of profiles that strands least
    best: Ints
    group: Ints  # (W,) workloads with the same admissible profiles are of one group
    # None = stage 1, the fewest GPUs; else stage 2, the least waste on so many
    gpus: int | None = None

    @staticmethod
    def of(workloads: PlacementProblem) -> PlacementModel:
        """Build the model of stage 1."""
        found = geometry(workloads.gpu)
        wasted = found.stranded.sum(axis=1)
        order = np.lexsort((np.arange(len(wasted)), wasted))
        _, first = np.unique(found.counts[order], axis=0, return_index=True)
        best = np.sort(order[first])[1:]  # without the empty set
        asked = workloads.admissible.any(axis=0)
        best = best[~found.counts[best][:, ~asked].any(axis=1)]
        group = np.unique(workloads.admissible, axis=0, return_inverse=True)[1].ravel()
        return PlacementModel(workloads, found, best, group)

    @cached_property
    def counts(self) -> Ints:
        """(patterns, P) k_pi,p, instances of each profile."""
        return np.asarray(self.geometry.counts[self.best])

    @cached_property
    def waste(self) -> Ints:
        """(patterns,) stranded slices."""
        return np.asarray(self.geometry.stranded[self.best].sum(axis=1))

    @cached_property
    def members(self) -> Ints:
        """(groups,) n_g, workloads of each group."""
        return np.asarray(np.bincount(self.group))

    @cached_property
    def choices(self) -> Ints:
        """(choices, 2) group and profile."""
        first = np.unique(self.group, return_index=True)[1]
        return np.argwhere(self.workloads.admissible[first])

    @cached_property
    def over_allocated(self) -> Ints:
        """(choices,) slices beyond the need of a workload."""
        first = np.unique(self.group, return_index=True)[1]
        group, profile = self.choices.T
        size = slices(self.workloads.gpu)
        return np.asarray((size[profile] - self.workloads.needs[first[group]]).sum(axis=1))


def data_of(workloads: PlacementProblem) -> PlacementModel:
    """Return the model of stage 1."""
    return PlacementModel.of(workloads)


def all_bounds(data: PlacementModel) -> dict[str, int]:
    """Return each bound by its name."""
    gpu, total = data.workloads.gpu, data.workloads.needs.sum(axis=0)
    found = {
        "compute": int(-(-total[0] // gpu.compute_slices)),
        "memory": int(-(-total[1] // gpu.memory_slices)),
    }
    inside = np.arange(1, 1 << len(gpu.profiles))[:, None] >> np.arange(len(gpu.profiles)) & 1
    admitted = np.zeros((len(data.members), len(gpu.profiles)), dtype=np.int64)
    admitted[tuple(data.choices.T)] = 1
    number = (admitted @ (1 - inside.T) == 0).T @ data.members
    most = (data.counts @ inside.T).max(axis=0)
    found["profiles"] = int((-(-number[number > 0] // most[number > 0])).max())
    return found


def best(data: PlacementModel) -> int:
    """Return the largest of all bounds."""
    return max(all_bounds(data).values())


def build(data: PlacementModel) -> ConcreteModel:
    """Build the Pyomo model; its variables in order of declaration are x, then y."""
    import pyomo.core as pyo

    from rsjs.formulations.milp.from_pyomo import linear_sum

    m = pyo.ConcreteModel(name="mig_placement_patterns")
    patterns, choices = range(len(data.best)), data.choices.tolist()
    members = data.members.tolist()
    m.x = pyo.Var(patterns, domain=pyo.NonNegativeIntegers, bounds=(0, len(data.workloads)))
    m.y = pyo.Var(
        range(len(choices)),
        domain=pyo.NonNegativeIntegers,
        bounds=lambda m, i: (0, members[choices[i][0]]),
    )
    if data.gpus is None:
        m.cost = pyo.Objective(expr=pyo.quicksum(m.x.values()))
    else:
        cost = [*data.waste.tolist(), *data.over_allocated.tolist()]
        variables = [*m.x.values(), *m.y.values()]
        m.cost = pyo.Objective(expr=linear_sum(zip(cost, variables, strict=True)))
    m.demand = pyo.Constraint(
        sorted({p for _, p in choices}),
        rule=lambda m, p: (
            pyo.quicksum(int(data.counts[i, p]) * m.x[i] for i in patterns if data.counts[i, p])
            == pyo.quicksum(m.y[i] for i, (_, q) in enumerate(choices) if q == p)
        ),
    )
    m.group = pyo.Constraint(
        range(len(members)),
        rule=lambda m, g: (
            pyo.quicksum(m.y[i] for i, (h, _) in enumerate(choices) if h == g) == members[g]
        ),
    )
    if data.gpus is not None:
        m.gpus = pyo.Constraint(expr=pyo.quicksum(m.x.values()) == data.gpus)
    return m


def extract(data: PlacementModel, x: Floats) -> MigPlacement:
    """Return the placement in a column vector, workloads in their order."""
    counts, n = np.rint(x).astype(np.int64), len(data.best)
    # Workloads that wait for an instance of each profile, groups in order.
    waiting: dict[int, list[int]] = {p: [] for p in range(data.counts.shape[1])}
    of_group = [np.flatnonzero(data.group == g).tolist() for g in range(len(data.members))]
    for (g, p), number in zip(data.choices.tolist(), counts[n:].tolist(), strict=True):
        waiting[p] += of_group[g][:number]
        del of_group[g][:number]
    # Each GPU takes, per placement of its pattern, the next workload of that profile.
    rows: dict[int, tuple[int, int, int]] = {}
    gpus = np.repeat(data.best, counts[:n]).tolist()
    for gpu, own in enumerate(gpus):
        for q in np.flatnonzero(data.geometry.chosen[own]).tolist():
            p = int(data.geometry.profile[q])
            rows[waiting[p].pop(0)] = gpu, p, int(data.geometry.start[q])
    return MigPlacement.of(rows)


ROUNDING = 1e-6


@dataclass(frozen=True, kw_only=True, eq=False)
class PlacementResult:
    """Result of a placement method; a missing number is None."""

    stop: Stop  # OPTIMAL = both stages are proved
    placement: MigPlacement | None
    gpus_bound: int  # no placement uses fewer GPUs
    # no placement on the fewest GPUs wastes fewer slices; None before stage 1 is proved
    waste_bound: int | None
    seconds: float  # wall clock, imports of solvers apart


def solve(workloads: PlacementProblem, limits: Limits, *, solver: str = "highs") -> PlacementResult:
    """Solve both stages by a backend of arrays; the gap asked for is that of each stage."""
    from rsjs.formulations.milp.from_pyomo import declared_matrix

    ask = backend(solver).load()
    clock = time.monotonic()
    data = PlacementModel.of(workloads)
    gpus_bound = best(data)

    def stage(model: PlacementModel) -> RawResult:
        matrix = declared_matrix(build(model))
        seconds = max(0.0, limits.time_limit - (time.monotonic() - clock))
        return ask(SolveTask(matrix, limits, seconds=seconds))

    first = stage(data)
    placement, waste_bound, stop = None, None, first.stop
    if first.x is not None:
        placement = extract(data, first.x)
        gpus = int(placement.gpu.max()) + 1
        gpus_bound = max(gpus_bound, _rounded(first.bound))
        if gpus_bound == gpus:
            second = stage(replace(data, gpus=gpus))
            stop, waste_bound = second.stop, _rounded(second.bound)
            if second.x is not None:
                placement = extract(data, second.x)
    return PlacementResult(
        stop=stop,
        placement=placement,
        gpus_bound=gpus_bound,
        waste_bound=waste_bound,
        seconds=time.monotonic() - clock,
    )


def _rounded(bound: float | None) -> int:
    """Return the least integer objective that a bound leaves."""
    return 0 if bound is None else int(np.ceil(bound - ROUNDING))
