"""The variables, costs and rows that models of crews have in common, in Pyomo."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyomo.core as pyo
from pyomo.core.expr import LinearExpression

from rsjs.formulations.crews import Crews


def start(name: str, crews: Crews) -> pyo.ConcreteModel:
    """A model with f, l, y, their costs, (cover), (shares) and (gpus)."""
    followers, leaders, fills = crews.sizes
    m = pyo.ConcreteModel(name=name)
    m.f = pyo.Var(range(followers), domain=pyo.Binary)
    m.l = pyo.Var(range(leaders), domain=pyo.Binary)
    m.y = pyo.Var(range(fills), domain=pyo.NonNegativeIntegers)
    for column, p in zip(m.y.values(), crews.fill_place.tolist(), strict=True):
        column.setub(int(crews.capacity[p]))
    members = [*m.f.values(), *m.l.values()]
    q, shares = crews.configurations, crews.shares
    m.cost = pyo.Objective(
        expr=weighted(zip(crews.cost.tolist(), members, strict=False), crews.offset)
    )
    cover: list[list[tuple[int, Any]]] = [[] for _ in crews.instance.jobs.id]
    gpus: dict[int, list[tuple[int, Any]]] = {p: [] for p in crews.divided.tolist()}
    share: dict[tuple[int, int], list[tuple[int, Any]]] = {row: [] for row in crews.share_rows}
    rows = zip(
        members,
        crews.place.tolist(),
        crews.member.tolist(),
        crews.gpus.tolist(),
        strict=True,
    )
    job, units, gpu_type = q.job.tolist(), q.units.tolist(), crews.gpu_type.tolist()
    for variable, p, config, taken in rows:
        cover[job[config]].append((1, variable))
        if taken:
            gpus[p].append((taken, variable))
        if units[config]:
            for r in range(int(shares.rows[gpu_type[p]])):
                weight = int(shares.weight[gpu_type[p], r, units[config]])
                share[p, r].append((weight, variable))
    fills_at = zip(m.y.values(), crews.fill_place.tolist(), crews.fill.tolist(), strict=True)
    for variable, p, pattern in fills_at:
        gpus[p].append((1, variable))
        for r in range(int(shares.rows[gpu_type[p]])):
            share[p, r].append((-int(shares.room[gpu_type[p], r, pattern]), variable))
    m.cover = pyo.Constraint(range(len(cover)), rule=lambda m, j: weighted(cover[j]) <= 1)
    m.shares = pyo.Constraint(crews.share_rows, rule=lambda m, p, r: weighted(share[p, r]) <= 0)
    m.gpus = pyo.Constraint(list(gpus), rule=lambda m, p: weighted(gpus[p]) <= 0)
    return m


def weighted(terms: Iterable[tuple[float, Any]], constant: float = 0.0) -> LinearExpression:
    """sum of coefficient times variable, without the zeros: quicker than adding up products."""
    pairs = [pair for pair in terms if pair[0]]
    coefficients, variables = zip(*pairs, strict=True) if pairs else ((), ())
    return LinearExpression(constant=constant, linear_coefs=coefficients, linear_vars=variables)
