"""
Kernels: the arrays derived from a solution, its cost, and the cost changes of its neighbours [$].

Jobs and nodes that a move does not touch keep their cost, but for the time of the next event:
that is the min of the first endings, of the untouched nodes from the three earliest ones. What
all jobs are overdue then follows from sums of weights over the due dates in order.
"""

from __future__ import annotations

from math import inf

from rsjs.core.types import Floats, Ints
from rsjs.heuristics.common.jit import compiled, inner
from rsjs.heuristics.local_search.arrays import (
    AT_COMPLETION,
    AT_NEXT_EVENT,
    COST,
    EVENT,
    EXPENSIVE,
    FIRST_ENDING,
    LATE,
    NEXT_EVENT,
    OVERDUE,
    PRICES,
    PROPORTIONAL,
    RUNNING,
    WAITING,
    SolutionArrays,
    Tables,
)


@inner
def overdue(s: SolutionArrays, hours: float) -> float:
    """Return sum over running jobs of eta_j max(0, hours - slack_j) [$]."""
    # bisection: how many running jobs are due before
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
def without(s: SolutionArrays, n: int, j: int) -> float:
    """Return the min hours on a node but for one of its jobs."""
    hours: float = s.second[n] if s.leader[n] == j else s.first[n]
    return hours


@inner
def event_without(s: SolutionArrays, n: int, m: int) -> float:
    """Return the min hours on all nodes but two."""
    for i in range(3):
        e = s.earliest[i]
        if e < 0:
            break
        if e not in (n, m):
            hours: float = s.first[e]
            return hours
    return inf


@inner
def change_cost(tables: Tables, j: int, n: int, v: int, column: int) -> float:
    """Return what job j pays for being started on node n, or moved there from another place [$]."""
    stays = tables.home[j] == n and tables.home_kind[j] == v and tables.home_column[j] == column
    charge: float = 0.0 if stays else tables.charge[j]
    return charge


@inner
def own_cost(tables: Tables, s: SolutionArrays, n: int, j: int, q: int) -> float:
    """Return what job j adds to a node by itself in mode q, the GPUs in use given [$]."""
    cost = change_cost(tables, j, n, s.kind[n], q % tables.columns)
    if tables.tardiness == AT_COMPLETION:
        cost += tables.late[j, q]
    if tables.energy == PROPORTIONAL:
        part = tables.amount[q] / tables.size[s.kind[n]]
        cost += part * s.rate[n] * tables.hours[j, q]
    return cost


@inner
def node_value(
    tables: Tables, s: SolutionArrays, n: int, v: int, used: int, column: Ints
) -> tuple[float, float]:
    """
    Return what depends on a node alone if it is of type v and its jobs have `column` [$].

    Returns
    -------
    The value, inf if some job is not admissible, and the min hours of its jobs.
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
        value += change_cost(tables, j, n, v, column[j])
        if tables.tardiness == AT_COMPLETION:
            value += tables.late[j, q]
        if tables.energy == PROPORTIONAL:
            value += tables.amount[q] / tables.size[v] * rate * time
    if tables.energy == FIRST_ENDING:
        value += rate * first
    return value, first


@inner
def exchange(tables: Tables, s: SolutionArrays, j: int, i: int) -> float:
    """Return the change of cost if two running jobs on different nodes swap node and mode."""
    n, m, q, p = s.node[j], s.node[i], s.mode[j], s.mode[i]
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
def event_change(tables: Tables, s: SolutionArrays, event: float, prices: float) -> float:
    """Return the change of what is charged at the next event, now in `event` hours."""
    change = 0.0
    if tables.energy == NEXT_EVENT:
        change = event * prices - s.total[EVENT] * s.total[PRICES]
    if tables.tardiness == AT_NEXT_EVENT and event != s.total[EVENT]:
        change += overdue(s, event) - s.total[OVERDUE]
    return change


@inner
def replacement(tables: Tables, s: SolutionArrays, j: int, i: int) -> float:
    """Return the change of cost if job j, postponed, replaces job i."""
    n, q = s.node[i], s.mode[i]
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
def reshaping(tables: Tables, s: SolutionArrays, n: int, v: int, used: int, column: Ints) -> float:
    """Return the change of cost if a node becomes of type v, its jobs get `column`, `used` GPUs."""
    value, first = node_value(tables, s, n, v, used, column)
    if value == inf:
        return inf
    change: float = value - s.value[n]
    if tables.energy == NEXT_EVENT or tables.tardiness == AT_NEXT_EVENT:
        prices = s.total[PRICES] - s.rate[n] + tables.price[v, used]
        change += event_change(tables, s, min(event_without(s, n, n), first), prices)
    return change


@compiled
def refresh(tables: Tables, s: SolutionArrays) -> float:
    """Recompute the derived arrays; nodes without a job are off. Return the cost [$]."""
    _members(tables, s)
    cost = _nodes(tables, s) + tables.mu * spare_gpus(tables, s, -1, -1)
    # running and postponed jobs by pressure
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
    # what is charged at the next event
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
def _members(tables: Tables, s: SolutionArrays) -> None:
    """List the jobs node by node, each node's by index."""
    # counting sort by node: number of jobs, running sums, then places from the end
    s.begin[:] = 0
    for n in range(s.kind.shape[0]):
        s.used[n] = s.bins[n]
    for j in range(s.node.shape[0]):
        n = s.node[j]
        if n >= 0:
            s.mode[j] = tables.gpu[s.kind[n]] * tables.columns + s.column[j]
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
def _nodes(tables: Tables, s: SolutionArrays) -> float:
    """Compute values, prices and first endings of the nodes; return the sum of their values."""
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
        # the two first endings on the node
        for i in range(s.begin[n], s.begin[n + 1]):
            j = s.member[i]
            time = tables.hours[j, s.mode[j]]
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
def _enter(s: SolutionArrays, n: int) -> None:
    """Insert a node into the three with the earliest ending, if it is one."""
    at = 3
    while at > 0 and (s.earliest[at - 1] < 0 or s.first[n] < s.first[s.earliest[at - 1]]):
        at -= 1
    for i in range(2, at, -1):
        s.earliest[i] = s.earliest[i - 1]
    if at < 3:
        s.earliest[at] = n


@inner
def _due(tables: Tables, s: SolutionArrays) -> None:
    """Sort the slacks of running jobs, and sum the weights up to each."""
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
def _lists(tables: Tables, s: SolutionArrays) -> None:
    """List the k most tardy jobs and the k most expensive on-time ones, see N1."""
    late, expensive = 0, 0
    for j in range(s.node.shape[0]):
        n = s.node[j]
        if n < 0:
            continue
        q = s.mode[j]
        if tables.late[j, q] > 0.0:
            late = _insert(s.late, s.late_key, late, j, tables.late[j, q])
        else:
            part = tables.amount[q] / s.used[n] * s.rate[n] * tables.hours[j, q]
            expensive = _insert(s.expensive, s.expensive_key, expensive, j, part)
    # beyond the thesis: tardy jobs filled up with expensive ones
    if not tables.only_late:
        for a in range(expensive):
            if late < s.late.shape[0]:
                s.late[late] = s.expensive[a]
                late += 1
    s.length[LATE], s.length[EXPENSIVE] = late, expensive


@inner
def _insert(jobs: Ints, keys: Floats, count: int, j: int, key: float) -> int:
    """Insert into a list of limited length, the largest key first; return the new length."""
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
def spare_gpus(tables: Tables, s: SolutionArrays, opened: int, closed: int) -> int:
    """
    Return the GPUs of the nodes without a job that are selected.

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
