"""
Kernels: by how much a neighbour costs more than the schedule [$], without making it.

Jobs and nodes that a move does not touch keep their cost, but for the time of the next event:
that is the least of the first endings, of the untouched nodes from the three earliest ones. What
all jobs are overdue then follows from sums of weights over the due dates in order.
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
    Ints,
    Tables,
)
from rsjs.heuristics.local_search.schedules import EVENT, OVERDUE, PRICES, RUNNING, Schedule


@inner
def overdue(s: Schedule, hours: float) -> float:
    """sum over running jobs of eta_j max(0, hours - slack_j)."""
    low, high = 0, s.length[RUNNING]
    while low < high:
        middle = (low + high) // 2
        if s.due[middle] < hours:
            low = middle + 1
        else:
            high = middle
    if low == 0:
        return 0.0
    late: float = hours * s.weights[low] - s.weighted[low]
    return max(0.0, late)


@inner
def without(s: Schedule, n: int, j: int) -> float:
    """Least hours on a node but for one of its jobs."""
    hours: float = s.second[n] if s.leader[n] == j else s.first[n]
    return hours


@inner
def event_without(s: Schedule, n: int, m: int) -> float:
    """Least hours on all nodes but two."""
    for i in range(3):
        e = s.earliest[i]
        if e < 0:
            break
        if e not in (n, m):
            hours: float = s.first[e]
            return hours
    return inf


@inner
def own_cost(tables: Tables, s: Schedule, n: int, j: int, q: int) -> float:
    """What job j adds to a node by itself with code q, the GPUs in use given [$]."""
    cost = 0.0
    if tables.tardiness == AT_COMPLETION:
        cost = tables.late[j, q]
    if tables.energy == PROPORTIONAL:
        part = tables.amount[q] / tables.size[s.kind[n]]
        cost += part * s.rate[n] * tables.hours[j, q]
    return cost


@inner
def node_value(
    tables: Tables, s: Schedule, n: int, v: int, used: int, column: Ints
) -> tuple[float, float]:
    """
    What depends on a node alone if it is of type v and its jobs have the columns `column` [$].

    Returns
    -------
    The value, inf if some job is not admissible, and the least hours of its jobs.
    """
    base, rate, first = tables.gpu[v] * tables.columns, tables.price[v, used], inf
    value = tables.mu * (tables.size[v] - used)
    for i in range(s.begin[n], s.begin[n + 1]):
        j = s.member[i]
        q = base + column[j]
        time = tables.hours[j, q]
        if time == inf:
            return inf, inf
        first = min(first, time)
        if tables.tardiness == AT_COMPLETION:
            value += tables.late[j, q]
        if tables.energy == PROPORTIONAL:
            value += tables.amount[q] / tables.size[v] * rate * time
    if tables.energy == FIRST_ENDING:
        value += rate * first
    return value, first


@inner
def exchange(tables: Tables, s: Schedule, j: int, i: int) -> float:
    """Two running jobs on different nodes take each other's node and column."""
    n, m, q, p = s.node[j], s.node[i], s.code[j], s.code[i]
    on_m, on_n = tables.hours[j, p], tables.hours[i, q]
    if on_m == inf or on_n == inf:
        return inf
    change = own_cost(tables, s, m, j, p) - own_cost(tables, s, n, j, q)
    change += own_cost(tables, s, n, i, q) - own_cost(tables, s, m, i, p)
    first_n, first_m = min(without(s, n, j), on_n), min(without(s, m, i), on_m)
    if tables.energy == FIRST_ENDING:
        change += s.rate[n] * (first_n - s.first[n]) + s.rate[m] * (first_m - s.first[m])
    if tables.energy == NEXT_EVENT or tables.tardiness == AT_NEXT_EVENT:
        event = min(event_without(s, n, m), first_n, first_m)
        change += event_change(tables, s, event, s.total[PRICES])
    return change


@inner
def event_change(tables: Tables, s: Schedule, event: float, prices: float) -> float:
    """Energy and tardiness at the next event, if it is in `event` hours; the same jobs run."""
    change = 0.0
    if tables.energy == NEXT_EVENT:
        change = event * prices - s.total[EVENT] * s.total[PRICES]
    if tables.tardiness == AT_NEXT_EVENT and event != s.total[EVENT]:
        change += overdue(s, event) - s.total[OVERDUE]
    return change


@inner
def replacement(tables: Tables, s: Schedule, j: int, i: int) -> float:
    """Job j, postponed, takes node and column of job i, which is postponed."""
    n, q = s.node[i], s.code[i]
    hours = tables.hours[j, q]
    if hours == inf:
        return inf
    change: float = tables.postponement[i] - tables.postponement[j]
    change += own_cost(tables, s, n, j, q) - own_cost(tables, s, n, i, q)
    first = min(without(s, n, i), hours)
    if tables.energy == FIRST_ENDING:
        change += s.rate[n] * (first - s.first[n])
    if tables.energy == NEXT_EVENT or tables.tardiness == AT_NEXT_EVENT:
        event = min(event_without(s, n, n), first)
        change += event_change(tables, s, event, s.total[PRICES])
        if tables.tardiness == AT_NEXT_EVENT:
            change += tables.weight[j] * max(0.0, event - tables.slack[j])
            change -= tables.weight[i] * max(0.0, event - tables.slack[i])
    return change


@inner
def reshaping(tables: Tables, s: Schedule, n: int, v: int, used: int, column: Ints) -> float:
    """A node becomes of type v, its jobs get the columns `column`; `used` GPUs in all."""
    value, first = node_value(tables, s, n, v, used, column)
    if value == inf:
        return inf
    change: float = value - s.value[n]
    if tables.energy == NEXT_EVENT or tables.tardiness == AT_NEXT_EVENT:
        prices = s.total[PRICES] - s.rate[n] + tables.price[v, used]
        change += event_change(tables, s, min(event_without(s, n, n), first), prices)
    return change
