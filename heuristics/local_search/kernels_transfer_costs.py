"""
Kernel: by how much a schedule costs more [$] if one job goes elsewhere, without doing it.

Dedicated GPUs only, and the instance's own objective. The price of a node may depend on the GPUs
in use; where energy is proportional it does not, so that other jobs pay what they did.
"""

from __future__ import annotations

from math import inf

from rsjs.heuristics.common.jit import inner
from rsjs.heuristics.local_search.arrays import (
    AT_COMPLETION,
    AT_NEXT_EVENT,
    FIRST_ENDING,
    NEXT_EVENT,
    PROPORTIONAL,
    Tables,
)
from rsjs.heuristics.local_search.kernels_costs import event_without, overdue, own_cost, without
from rsjs.heuristics.local_search.kernels_refreshing import spare_gpus
from rsjs.heuristics.local_search.schedules import EVENT, OVERDUE, PRICES, RUNNING, Schedule


@inner
def transfer(tables: Tables, s: Schedule, j: int, n: int, v: int, q: int) -> float:
    """
    Job j leaves its node, if it has one, and goes to another node.

    Parameters
    ----------
    n : that node; -1 = it is postponed
    v : its type, which it keeps if it is open
    q : the code of the job there
    """
    m, first_m, first_n, prices = s.node[j], inf, inf, s.total[PRICES]
    change: float = 0.0
    opened, closed = -1, -1
    if m < 0:
        change -= tables.postponement[j]
    elif s.begin[m + 1] - s.begin[m] == 1:
        change -= s.value[m]
        prices -= s.rate[m]
        closed = tables.node_class[m]
    else:
        first_m = without(s, m, j)
        rate = tables.price[s.kind[m], s.used[m] - s.column[j]]
        change += tables.mu * s.column[j] - own_cost(tables, s, m, j, s.code[j])
        if tables.energy == FIRST_ENDING:
            change += rate * first_m - s.rate[m] * s.first[m]
        prices += rate - s.rate[m]
    if n < 0:
        change += tables.postponement[j]
    else:
        g, hours = q % tables.columns, tables.hours[j, q]
        first_n = min(s.first[n], hours)
        rate = tables.price[v, s.used[n] + g]
        if tables.tardiness == AT_COMPLETION:
            change += tables.late[j, q]
        if tables.energy == PROPORTIONAL:
            change += g / tables.size[v] * rate * hours
        if tables.energy == FIRST_ENDING:
            change += rate * first_n
        if s.kind[n] >= 0:
            change -= tables.mu * g
            if tables.energy == FIRST_ENDING:
                change -= s.rate[n] * s.first[n]
        else:
            change += tables.mu * (tables.size[v] - g)
            opened = tables.node_class[n]
        prices += rate - s.rate[n]
    if tables.mu > 0.0 and opened != closed:
        change += tables.mu * (
            spare_gpus(tables, s, opened, closed) - spare_gpus(tables, s, -1, -1)
        )
    if tables.energy == NEXT_EVENT or tables.tardiness == AT_NEXT_EVENT:
        event = min(event_without(s, m, n), first_m, first_n)
        change += _at_event(tables, s, event, prices, j, int(n >= 0) - int(m >= 0))
    return change


@inner
def _at_event(tables: Tables, s: Schedule, event: float, prices: float, j: int, sign: int) -> float:
    """By how much more is charged at the next event if job j joins (1) or leaves (-1)."""
    change = 0.0
    if s.length[RUNNING] > 0:
        if tables.energy == NEXT_EVENT:
            change -= s.total[EVENT] * s.total[PRICES]
        if tables.tardiness == AT_NEXT_EVENT:
            change -= s.total[OVERDUE]
    if event < inf:
        if tables.energy == NEXT_EVENT:
            change += event * prices
        if tables.tardiness == AT_NEXT_EVENT:
            change += overdue(s, event)
            change += sign * tables.weight[j] * max(0.0, event - tables.slack[j])
    return change
