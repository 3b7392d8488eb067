"""
Kernels for jobs on MIG instances; units are in order of memory.

`simulate` is best fit minute by minute, jobs in the order of a rank that each of their steps has.
`evaluate` computes the value of every stage of the objective from when and where steps run.
`anneal` is simulated annealing of the order in which jobs choose their units: a move exchanges two
jobs or puts one up to `REACH` places away; where migrations count, now and then it changes whether
jobs stay on their units. Values are compared stage by stage: the first stage that differs by delta
decides, and a worse one is taken with probability exp(-delta / (temperature max(1, |value|))).
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import numpy as np

from rsjs.core.types import Bools, Floats, Ints
from rsjs.heuristics.common.jit import compiled, inner
from rsjs.heuristics.common.random_streams import States, below, uniform
from rsjs.instances.mig.scheduling.objective import TERMS
from rsjs.instances.mig.scheduling.problem import SchedulingProblem
from rsjs.instances.mig.scheduling.schedule import Schedule


class MigTables(NamedTuple):
    """A scheduling problem as arrays."""

    first: Ints  # (J + 1,) the first step of each job; the last is S
    release: Ints  # (J,)
    due: Ints  # (J,)
    priority: Ints  # (J,)
    need: Floats  # (S,) [MB]
    size_class: Ints  # (S,) index of the smallest size of unit that holds the step
    stops: Bools  # (J,)
    moves: Bools  # (J,)
    memory: Ints  # (I,) [MB] increasing
    weights: Ints  # (stages, terms) of the objective, terms in the order of `TERMS`
    constant: float  # memory in use over all steps [MB * minutes], which waste leaves out


def tables(problem: SchedulingProblem, poll: int = 1) -> MigTables:
    """
    Build the arrays of a problem.

    Parameters
    ----------
    poll : int
        A job is seen at the first multiple of so many minutes that is no earlier than it arrives:
        the consumer of the paper, 4.2, who empties the queue "at fixed time intervals".
    """
    return MigTables(
        first=problem.jobs.start,
        release=-(-problem.release // poll) * poll,
        due=problem.due,
        priority=problem.jobs.priority,
        need=problem.need,
        size_class=problem.size_class,
        stops=problem.stops,
        moves=problem.moves,
        memory=np.sort(problem.memory),
        weights=np.array(
            [[stage.get(term, 0) for term in TERMS] for stage in problem.objective.stages],
            dtype=np.int64,
        ),
        constant=float(problem.jobs.memory.sum()),
    )


def schedule(problem: SchedulingProblem, minute: Ints, unit: Ints) -> Schedule:
    """Build the schedule, units in the order of the problem again."""
    order = np.argsort(problem.memory, kind="stable")
    return Schedule(minute=minute.copy(), unit=order[unit])


@inner
def _before(p: MigTables, rank: Ints, step: Ints, home: Ints, a: int, b: int) -> bool:
    """Return whether job a comes before job b: one that must not stop, then the lower rank."""
    fixed_a = home[a] >= 0 and not p.stops[a]
    fixed_b = home[b] >= 0 and not p.stops[b]
    if fixed_a != fixed_b:
        return fixed_a
    return bool(rank[step[a]] < rank[step[b]])


@inner
def _unit(
    p: MigTables, busy: Ints, t: int, j: int, s: int, home: Ints, last: int, stay: bool
) -> int:
    """
    Return the job's own unit, or the smallest free one that holds the step; -1 = none.

    Among free units of one size the one of the step before comes first; with `stay`, among all.
    """
    if home[j] >= 0:
        return home[j] if busy[home[j]] != t else -1
    known = last >= 0 and busy[last] != t and p.memory[last] >= p.need[s]
    if known and stay:
        return last
    for i in range(len(p.memory)):
        if busy[i] != t and p.memory[i] >= p.need[s]:
            return last if known and p.memory[last] == p.memory[i] else i
    return -1


@compiled
def simulate(p: MigTables, rank: Ints, stay: bool, minute: Ints, unit: Ints) -> None:
    """
    Fill in when and where every step runs.

    Parameters
    ----------
    p : MigTables
        Releases never decrease.
    rank : (S,) int
        The ready job whose next step has the lowest rank chooses its unit first; no two jobs may
        have steps of the same rank.
    stay : bool
        Whether a job prefers the unit of its last step to a smaller one.
    """
    jobs = len(p.release)
    # step: next one of each job; home: unit it has to keep; busy: last minute each unit ran in
    step, home = p.first[:-1].copy(), np.full(jobs, -1)
    busy = np.full(len(p.memory), -1)
    ready = np.empty(jobs, np.int64)
    size, come, left, t = 0, 0, len(p.need), 0
    while left > 0:
        # Jobs that arrive up to now join the ready ones; an idle GPU jumps to the next arrival.
        if size == 0 and p.release[come] > t:
            t = p.release[come]
        while come < jobs and p.release[come] <= t:
            ready[size] = come
            size, come = size + 1, come + 1
        # Insertion sort by rank: the order changes little from minute to minute.
        for a in range(1, size):
            j, b = ready[a], a - 1
            while b >= 0 and _before(p, rank, step, home, j, ready[b]):
                ready[b + 1] = ready[b]
                b -= 1
            ready[b + 1] = j
        # Each ready job chooses a unit; those with steps left stay ready.
        running, kept = 0, 0
        for a in range(size):
            j = ready[a]
            s = step[j]
            last = unit[s - 1] if s > p.first[j] else -1
            i = -1
            if running < len(p.memory):
                i = _unit(p, busy, t, j, s, home, last, stay)
            if i >= 0:
                minute[s], unit[s], busy[i] = t, i, t
                running += 1
                step[j] += 1
                if not p.moves[j]:
                    home[j] = i
            if step[j] < p.first[j + 1]:
                ready[kept] = j
                kept += 1
        left -= running
        size = kept
        t += 1


@inner
def evaluate(p: MigTables, minute: Ints, unit: Ints, terms: Floats, value: Floats) -> None:
    """Fill in the terms, in the order of `TERMS`, and the stages; as `schedule.terms`."""
    # late, makespan, completion, weighted completion, waste, preemptions, migrations
    terms[:] = 0.0
    terms[4] = -p.constant
    for j in range(len(p.release)):
        first, last = p.first[j], p.first[j + 1] - 1
        end = minute[last] + 1
        terms[0] += end > p.due[j]
        terms[1] = max(terms[1], end)
        terms[2] += end
        terms[3] += p.priority[j] * end
        terms[4] += p.memory[unit[first]]
        for s in range(first + 1, last + 1):
            terms[4] += p.memory[unit[s]]
            terms[5] += minute[s] > minute[s - 1] + 1
            terms[6] += unit[s] != unit[s - 1]
    for stage in range(len(p.weights)):
        value[stage] = 0.0
        for term in range(len(terms)):
            value[stage] += p.weights[stage, term] * terms[term]


REACH = 8  # places
TOGGLE = 0.02  # share of moves
LEAST = 1e-9  # difference of values that counts


class JobOrder(NamedTuple):
    """An order of jobs and its value."""

    jobs: Ints  # (J,) the first one chooses first
    stay: Bools  # (1,) see `simulate`
    value: Floats  # (stages,)


@inner
def _worse(new: Floats, old: Floats) -> float:
    """Return by how much the first stage that differs is worse, relative to its old value."""
    for stage in range(len(new)):
        if abs(new[stage] - old[stage]) > LEAST:
            return float((new[stage] - old[stage]) / max(1.0, abs(old[stage])))
    return 0.0


@inner
def _copy(source: JobOrder, target: JobOrder) -> None:
    for j in range(len(source.jobs)):
        target.jobs[j] = source.jobs[j]
    for stage in range(len(source.value)):
        target.value[stage] = source.value[stage]
    target.stay[0] = source.stay[0]


@inner
def _move(order: JobOrder, migrations_count: bool, random: States) -> None:
    """Exchange two jobs, move one, or change whether jobs stay on their units."""
    jobs = order.jobs
    if migrations_count and uniform(random) < TOGGLE:
        order.stay[0] = not order.stay[0]
        return
    a = below(random, len(jobs))
    if uniform(random) < 0.5:
        b = below(random, len(jobs))
        jobs[a], jobs[b] = jobs[b], jobs[a]
        return
    # Put one job up to REACH places away.
    b = min(len(jobs) - 1, max(0, a + below(random, 2 * REACH + 1) - REACH))
    moved = jobs[a]
    step = 1 if a < b else -1
    while a != b:
        jobs[a] = jobs[a + step]
        a += step
    jobs[b] = moved


@compiled
def price(
    p: MigTables, order: JobOrder, rank: Ints, minute: Ints, unit: Ints, terms: Floats
) -> None:
    """Simulate an order and fill in its value."""
    for place in range(len(order.jobs)):
        j = order.jobs[place]
        for s in range(p.first[j], p.first[j + 1]):
            rank[s] = place
    simulate(p, rank, order.stay[0], minute, unit)
    evaluate(p, minute, unit, terms, order.value)


@compiled
def anneal(
    p: MigTables,
    current: JobOrder,
    best: JobOrder,
    candidate: JobOrder,
    temperatures: Floats,
    random: States,
) -> None:
    """Make a move at each of some temperatures; `candidate` is room to work in."""
    steps = len(p.need)
    rank, minute = np.empty(steps, np.int64), np.empty(steps, np.int64)
    unit = np.empty(steps, np.int64)
    terms = np.empty(p.weights.shape[1])
    migrations_count = bool(p.weights[:, 6].any())
    for temperature in temperatures:
        _copy(current, candidate)
        _move(candidate, migrations_count, random)
        price(p, candidate, rank, minute, unit, terms)
        # Metropolis rule, on the first stage that differs.
        worse = _worse(candidate.value, current.value)
        if worse <= 0.0 or uniform(random) < exp(-worse / temperature):
            _copy(candidate, current)
            if _worse(candidate.value, best.value) < 0.0:
                _copy(candidate, best)
