"""
Placing workloads on identical GPUs: an exact pattern model, whatever the number of workloads.

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
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rsjs.formulations.mig.mig_placement_data import PlacementModel
from rsjs.formulations.milp.matrix import Kind, MatrixModel
from rsjs.formulations.milp.rows import Rows
from rsjs.instances.mig.placement.problem import Placement

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel, VarData


Array = NDArray[np.float64]


def build(data: PlacementModel) -> ConcreteModel:
    """The Pyomo model; its columns in the order of `PlacementModel` are `columns(model)`."""
    import pyomo.core as pyo

    m = pyo.ConcreteModel(name="mig_placement_patterns")
    patterns, choices = range(len(data.best)), data.choices.tolist()
    m.x = pyo.Var(patterns, domain=pyo.NonNegativeIntegers)
    m.y = pyo.Var(range(len(choices)), domain=pyo.NonNegativeIntegers)
    variables = columns(m)
    for variable, most in zip(variables, data.upper.tolist(), strict=True):
        variable.setub(most)
    cost = data.cost.tolist()
    m.cost = pyo.Objective(
        expr=pyo.quicksum(c * variable for c, variable in zip(cost, variables, strict=True) if c)
    )
    m.demand = pyo.Constraint(
        sorted({p for _, p in choices}),
        rule=lambda m, p: (
            pyo.quicksum(int(data.counts[i, p]) * m.x[i] for i in patterns if data.counts[i, p])
            == pyo.quicksum(m.y[i] for i, (_, q) in enumerate(choices) if q == p)
        ),
    )
    m.group = pyo.Constraint(
        range(len(data.members)),
        rule=lambda m, g: (
            pyo.quicksum(m.y[i] for i, (h, _) in enumerate(choices) if h == g)
            == int(data.members[g])
        ),
    )
    if data.gpus is not None:
        m.gpus = pyo.Constraint(expr=pyo.quicksum(m.x.values()) == data.gpus)
    return m


def columns(model: ConcreteModel) -> list[VarData]:
    """The model's variables in the order of `PlacementModel`."""
    return [*model.x.values(), *model.y.values()]


def arrays(data: PlacementModel) -> MatrixModel:
    """The same model assembled without Pyomo."""
    n, (group, profile) = len(data.best), data.choices.T
    y = n + np.arange(len(group))
    asked, demand = np.unique(profile, return_inverse=True)
    pattern, row = np.nonzero(data.counts[:, asked])
    rows = Rows()
    rows.add(
        len(asked),
        0.0,
        0.0,
        (row, pattern, data.counts[pattern, asked[row]].astype(np.float64)),
        (demand, y, -1.0),
    )
    members = data.members.astype(np.float64)
    rows.add(len(members), members, members, (group, y, 1.0))
    if data.gpus is not None:
        x = np.arange(n)
        rows.add(1, float(data.gpus), float(data.gpus), (np.zeros_like(x), x, 1.0))
    kind = np.full(n + len(y), Kind.INTEGER, np.uint8)
    return rows.model(cost=data.cost, upper=data.upper, kind=kind)


def warm_start(data: PlacementModel, placement: Placement) -> Array:
    """The column vector of a placement."""
    number = {tuple(counts): i for i, counts in enumerate(data.counts.tolist())}
    choice = {tuple(pair): i for i, pair in enumerate(data.choices.tolist())}
    x = np.zeros(len(number) + len(choice))
    for gpu in np.unique(placement.gpu).tolist():
        own = placement.profile[placement.gpu == gpu]
        x[number[tuple(np.bincount(own, minlength=data.counts.shape[1]).tolist())]] += 1
    for pair in zip(data.group.tolist(), placement.profile.tolist(), strict=True):
        x[len(number) + choice[pair]] += 1
    return x


def extract(data: PlacementModel, x: Array) -> Placement:
    """The placement in a column vector, workloads in their order."""
    counts, n = np.rint(x).astype(np.int64), len(data.best)
    waiting: dict[int, list[int]] = {p: [] for p in range(data.counts.shape[1])}
    of_group = [np.flatnonzero(data.group == g).tolist() for g in range(len(data.members))]
    for (g, p), number in zip(data.choices.tolist(), counts[n:].tolist(), strict=True):
        waiting[p] += of_group[g][:number]
        del of_group[g][:number]
    rows: dict[int, tuple[int, int, int]] = {}
    gpus = np.repeat(data.best, counts[:n]).tolist()
    for gpu, own in enumerate(gpus):
        for q in np.flatnonzero(data.geometry.chosen[own]).tolist():
            p = int(data.geometry.profile[q])
            rows[waiting[p].pop(0)] = gpu, p, int(data.geometry.start[q])
    return Placement.of(rows)
