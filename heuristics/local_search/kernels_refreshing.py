"""Kernel: all that follows from a decision, and what it costs."""

from __future__ import annotations

from math import inf

from rsjs.heuristics.common.jit import compiled, inner
from rsjs.heuristics.local_search.arrays import AT_NEXT_EVENT, NEXT_EVENT, Floats, Ints, Tables
from rsjs.heuristics.local_search.kernels_costs import node_value, overdue
from rsjs.heuristics.local_search.schedules import (
    COST,
    DEAR,
    EVENT,
    LATE,
    OVERDUE,
    PRICES,
    RUNNING,
    WAITING,
    Schedule,
)


@compiled
def refresh(tables: Tables, s: Schedule) -> float:
    """Fill the derived arrays; nodes without a job are switched off. Returns the cost [$]."""
    _members(tables, s)
    cost = _nodes(tables, s) + tables.mu * spare_gpus(tables, s, -1, -1)
    running, waiting = 0, 0
    for i in range(s.node.shape[0]):
        j = tables.by_pressure[i]
        if s.node[j] >= 0:
            s.running[running] = j
            running += 1
        else:
            s.waiting[waiting] = j
            waiting += 1
            cost += tables.postponement[j]
    s.length[RUNNING], s.length[WAITING] = running, waiting
    _due(tables, s)
    _lists(tables, s)
    s.total[EVENT], s.total[OVERDUE] = inf, 0.0
    if running > 0:
        s.total[EVENT] = s.first[s.earliest[0]]
        s.total[OVERDUE] = overdue(s, s.total[EVENT])
        if tables.energy == NEXT_EVENT:
            cost += s.total[EVENT] * s.total[PRICES]
        if tables.tardiness == AT_NEXT_EVENT:
            cost += s.total[OVERDUE]
    s.total[COST] = cost
    return cost


@inner
def _members(tables: Tables, s: Schedule) -> None:
    """Jobs node by node, each node's by index."""
    s.begin[:] = 0
    for n in range(s.kind.shape[0]):
        s.used[n] = s.bins[n]
    for j in range(s.node.shape[0]):
        n = s.node[j]
        if n >= 0:
            s.code[j] = tables.gpu[s.kind[n]] * tables.columns + s.column[j]
            s.begin[n + 1] += 1
            if s.column[j] <= tables.largest:
                s.used[n] += s.column[j]
    for n in range(s.kind.shape[0]):
        s.begin[n + 1] += s.begin[n]
    running = s.begin[-1]
    for j in range(s.node.shape[0] - 1, -1, -1):
        n = s.node[j]
        if n >= 0:  # the end of a node's part moves down to its beginning
            s.begin[n + 1] -= 1
            s.member[s.begin[n + 1]] = j
    for n in range(s.kind.shape[0]):
        s.begin[n] = s.begin[n + 1]
    s.begin[-1] = running


@inner
def _nodes(tables: Tables, s: Schedule) -> float:
    """Values, prices and first endings of the nodes; the sum of their values."""
    cost, s.total[PRICES] = 0.0, 0.0
    s.earliest[:] = -1
    s.off[:], s.closed[:] = 0, -1
    for n in range(s.kind.shape[0]):
        s.first[n], s.second[n], s.leader[n] = inf, inf, -1
        s.value[n], s.rate[n] = 0.0, 0.0
        if s.begin[n] == s.begin[n + 1]:
            s.kind[n] = -1
            d = tables.node_class[n]
            s.off[d] += 1
            if s.closed[d] < 0:
                s.closed[d] = n
            continue
        for i in range(s.begin[n], s.begin[n + 1]):
            j = s.member[i]
            time = tables.hours[j, s.code[j]]
            if time < s.first[n]:
                s.first[n], s.second[n], s.leader[n] = time, s.first[n], j
            elif time < s.second[n]:
                s.second[n] = time
        s.rate[n] = tables.price[s.kind[n], s.used[n]]
        s.value[n] = node_value(tables, s, n, s.kind[n], s.used[n], s.column)[0]
        cost += s.value[n]
        s.total[PRICES] += s.rate[n]
        _enter(s, n)
    return cost


@inner
def _enter(s: Schedule, n: int) -> None:
    """Take a node among the three with the earliest ending, if it is one."""
    at = 3
    while at > 0 and (s.earliest[at - 1] < 0 or s.first[n] < s.first[s.earliest[at - 1]]):
        at -= 1
    for i in range(2, at, -1):
        s.earliest[i] = s.earliest[i - 1]
    if at < 3:
        s.earliest[at] = n


@inner
def _due(tables: Tables, s: Schedule) -> None:
    """Slacks of running jobs in order, and sums of weights up to each."""
    at, weights, weighted = 0, 0.0, 0.0
    for i in range(s.node.shape[0]):
        j = tables.by_due[i]
        if s.node[j] >= 0:
            s.due[at] = tables.slack[j]
            weights += tables.weight[j]
            weighted += tables.weight[j] * tables.slack[j]
            at += 1
            s.weights[at], s.weighted[at] = weights, weighted


@inner
def _lists(tables: Tables, s: Schedule) -> None:
    """The k jobs with the largest cost of tardiness, and the k dearest ones in time, see N1."""
    late, dear = 0, 0
    for j in range(s.node.shape[0]):
        n = s.node[j]
        if n < 0:
            continue
        q = s.code[j]
        if tables.late[j, q] > 0.0:
            late = _insert(s.late, s.late_key, late, j, tables.late[j, q])
        else:
            part = tables.amount[q] / s.used[n] * s.rate[n] * tables.hours[j, q]
            dear = _insert(s.dear, s.dear_key, dear, j, part)
    if not tables.only_late:
        for a in range(dear):
            if late < s.late.shape[0]:
                s.late[late] = s.dear[a]
                late += 1
    s.length[LATE], s.length[DEAR] = late, dear


@inner
def _insert(jobs: Ints, keys: Floats, count: int, j: int, key: float) -> int:
    """Into a list of limited length, the largest key first; the new length."""
    most = jobs.shape[0]
    if count == most and key <= keys[most - 1]:
        return count
    count = min(count + 1, most)
    at = count - 1
    while at > 0 and keys[at - 1] < key:
        jobs[at], keys[at] = jobs[at - 1], keys[at - 1]
        at -= 1
    jobs[at], keys[at] = j, key
    return count


@inner
def spare_gpus(tables: Tables, s: Schedule, opened: int, closed: int) -> int:
    """
    GPUs of the nodes without a job that are selected.

    Parameters
    ----------
    opened, closed : classes of a node that gets its first job, and of one that loses its last;
        -1 = there is none
    """
    missing, gpus = tables.selected, 0
    if missing == 0:
        return 0
    missing -= s.kind.shape[0] + int(opened >= 0) - int(closed >= 0)
    for d in range(s.off.shape[0]):
        missing += s.off[d]
    for i in range(tables.spares.shape[0]):
        d = tables.spares[i]
        count = min(missing, s.off[d] - int(d == opened) + int(d == closed))
        gpus += count * tables.fewest[d]
        missing -= count
    return gpus
