"""
Kernels of the two searches: descent (local search), and steps on a path (path relinking).

Descent makes the best neighbour of all neighbourhoods the next solution, until none costs less.

A step gives one job the mode that it has in the guide, or postpones it as there. It may stay on its
node, which becomes of another type if the job is alone there, go to any open node with room or to a
closed one, the first one of each class. The cheapest step is made, whether it improves or not.
Jobs on shares, now or in the guide, stay what they are: steps move dedicated GPUs only. The price
of a node may depend on the GPUs in use; where energy is proportional it does not, so that other
jobs pay what they did.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.heuristics.common.jit import compiled, inner
from rsjs.heuristics.local_search.arrays import (
    AT_COMPLETION,
    AT_NEXT_EVENT,
    COST,
    EVENT,
    FIRST_ENDING,
    NEXT_EVENT,
    OVERDUE,
    PRICES,
    PROPORTIONAL,
    RUNNING,
    SolutionArrays,
    Tables,
)
from rsjs.heuristics.local_search.kernels_costs import (
    change_cost,
    event_without,
    overdue,
    own_cost,
    refresh,
    reshaping,
    spare_gpus,
    without,
)
from rsjs.heuristics.local_search.kernels_neighbourhoods import (
    Move,
    change_type,
    clear,
    make,
    redistribute_gpus,
    replace_by_postponed,
    swap_tardy_with_expensive,
    swap_tardy_with_running,
)

MIN_GAIN = 1e-12  # relative improvement that counts
MOVES, NEIGHBOURS = range(2)  # in `done`


@compiled
def descend(
    tables: Tables,
    s: SolutionArrays,
    move: Move,
    chosen: Bools,
    moves: int,
    neighbours: int,
    done: Ints,
) -> bool:
    """
    Make improving moves, each the best one of all neighbourhoods.

    Parameters
    ----------
    chosen : (7,) which of N1 to N7
    moves, neighbours : int
        No further move begins after so many moves or neighbours.
    done : (2,) int
        Counts of both, added to.

    Returns
    -------
    Whether no neighbour costs less any more.
    """
    made, seen = 0, 0
    while made < moves and seen < neighbours:
        # the best neighbour of all neighbourhoods, by number
        clear(move)
        found = 0
        if chosen[0]:
            found += swap_tardy_with_expensive(tables, s, move)
        if chosen[1]:
            found += swap_tardy_with_running(tables, s, move)
        if chosen[2]:
            found += replace_by_postponed(tables, s, move)
        if chosen[3]:
            found += change_type(tables, s, move, 1, 1)
        if chosen[4]:
            found += change_type(tables, s, move, 2, 1)
        if chosen[5]:
            found += change_type(tables, s, move, 1, 2)
        if chosen[6]:
            found += redistribute_gpus(tables, s, move)
        seen += found
        done[NEIGHBOURS] += found
        before = s.total[COST]
        if move.change[0] >= -MIN_GAIN * abs(before):
            return True
        make(s, move)
        made += 1
        done[MOVES] += 1
        if refresh(tables, s) >= before:  # nothing but rounding
            return True
    return False


@inner
def transfer(tables: Tables, s: SolutionArrays, j: int, n: int, v: int, q: int) -> float:
    """
    Return the change of cost [$] if job j leaves its node, if any, and goes to another one.

    Parameters
    ----------
    n : that node; -1 = it is postponed
    v : its type, which it keeps if it is open
    q : the mode of the job there
    """
    m, first_m, first_n, prices = s.node[j], inf, inf, s.total[PRICES]
    change: float = 0.0
    opened, closed = -1, -1
    # what the job costs now, on node m or postponed
    if m < 0:
        change -= tables.postponement[j]
    elif s.begin[m + 1] - s.begin[m] == 1:
        change -= s.value[m]
        prices -= s.rate[m]
        closed = tables.node_class[m]
    else:
        first_m = without(s, m, j)
        rate = tables.price[s.kind[m], s.used[m] - s.column[j]]
        change += tables.mu * s.column[j] - own_cost(tables, s, m, j, s.mode[j])
        if tables.energy == FIRST_ENDING:
            change += rate * first_m - s.rate[m] * s.first[m]
        prices += rate - s.rate[m]
    # what it costs on node n or postponed
    if n < 0:
        change += tables.postponement[j]
    else:
        g, hours = q % tables.columns, tables.hours[j, q]
        first_n = min(s.first[n], hours)
        rate = tables.price[v, s.used[n] + g]
        change += change_cost(tables, j, n, v, g)
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
    # spare nodes, and what is charged at the next event
    if tables.mu > 0.0 and opened != closed:
        change += tables.mu * (
            spare_gpus(tables, s, opened, closed) - spare_gpus(tables, s, -1, -1)
        )
    if tables.energy == NEXT_EVENT or tables.tardiness == AT_NEXT_EVENT:
        event = min(event_without(s, m, n), first_m, first_n)
        change += _at_event(tables, s, event, prices, j, int(n >= 0) - int(m >= 0))
    return change


@inner
def _at_event(
    tables: Tables, s: SolutionArrays, event: float, prices: float, j: int, sign: int
) -> float:
    """Return how much more is charged at the next event if job j joins (1) or leaves (-1) [$]."""
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


class RelinkingStep(NamedTuple):
    """The cheapest step: job, node or -1, its type, column (4,); its change (1,) [$]."""

    what: Ints
    change: Floats


def no_step() -> RelinkingStep:
    """Return space for a step."""
    return RelinkingStep(np.zeros(4, dtype=np.int64), np.zeros(1))


@compiled
def make_step(tables: Tables, s: SolutionArrays, guide: Ints, step: RelinkingStep) -> bool:
    """
    Find the cheapest step and make it; what follows from it is left to `refresh`.

    Parameters
    ----------
    guide : (J,) modes, -1 = postponed

    Returns
    -------
    Whether any is possible.
    """
    step.change[0] = inf
    for j in range(guide.shape[0]):
        if is_open(tables, s, guide, j):
            _job(tables, s, guide[j], j, step)
    if step.change[0] == inf:
        return False
    j, n = step.what[0], step.what[1]
    s.node[j], s.column[j] = n, step.what[3]
    if n >= 0:
        s.kind[n] = step.what[2]
    return True


@inner
def is_open(tables: Tables, s: SolutionArrays, guide: Ints, j: int) -> bool:
    """Return whether a job differs from the guide and may be moved."""
    to_share: bool = guide[j] >= 0 and guide[j] % tables.columns > tables.largest
    if s.node[j] < 0:
        return guide[j] >= 0 and not to_share
    from_share: bool = s.column[j] > tables.largest
    return guide[j] != s.mode[j] and not from_share and not to_share


@inner
def _keep(step: RelinkingStep, j: int, n: int, v: int, column: int, change: float) -> None:
    """Keep a step if it is the cheapest one so far."""
    if change < step.change[0]:
        step.what[0], step.what[1], step.what[2], step.what[3] = j, n, v, column
        step.change[0] = change


@inner
def _job(tables: Tables, s: SolutionArrays, q: int, j: int, step: RelinkingStep) -> None:
    """Look at all nodes for one job with the mode q."""
    if q < 0:
        _keep(step, j, -1, -1, 0, transfer(tables, s, j, -1, -1, q))
        return
    gpu, g = q // tables.columns, q % tables.columns
    own = s.node[j]
    if own >= 0:
        _own_node(tables, s, gpu, g, j, own, step)
    for n in range(s.kind.shape[0]):
        v = s.kind[n]
        if v >= 0 and n != own and tables.gpu[v] == gpu and s.used[n] + g <= tables.size[v]:
            _keep(step, j, n, v, g, transfer(tables, s, j, n, v, q))
    for d in range(s.closed.shape[0]):
        if s.closed[d] >= 0:
            _closed_node(tables, s, q, j, s.closed[d], step)


@inner
def _closed_node(
    tables: Tables, s: SolutionArrays, q: int, j: int, n: int, step: RelinkingStep
) -> None:
    """Look at all types that a closed node may take."""
    gpu, g = q // tables.columns, q % tables.columns
    for v in range(tables.size.shape[0]):
        fits = tables.gpu[v] == gpu and g <= tables.size[v]
        if fits and tables.allowed[tables.node_class[n], v]:
            _keep(step, j, n, v, g, transfer(tables, s, j, n, v, q))


@inner
def _own_node(
    tables: Tables, s: SolutionArrays, gpu: int, g: int, j: int, n: int, step: RelinkingStep
) -> None:
    """Look at the node of the job: of its type, or of any if no other job is there."""
    alone = s.begin[n + 1] - s.begin[n] == 1
    used = s.used[n] - s.column[j] + g
    for i in range(s.begin[n], s.begin[n + 1]):
        s.trial[s.member[i]] = s.column[s.member[i]]
    s.trial[j] = g
    for v in range(tables.size.shape[0]):
        fits = tables.gpu[v] == gpu and used <= tables.size[v]
        if fits and (v == s.kind[n] or (alone and tables.allowed[tables.node_class[n], v])):
            _keep(step, j, n, v, g, reshaping(tables, s, n, v, used, s.trial))
