"""
RG on nodes of fixed types, with shares (Filippini et al. 2024, VII-A1, after Kiros 2020, 3.1.4).

Iteration 1 is `queue:greedy`. In all others a job of the queue is passed by the next one with
chance 0.45 if it is the heavier one of both, else 0.55, in one pass from the front; and its first
configuration is drawn from the first three in time (if there is none, of the late ones), with
chances inverse to what sorts them. One that is drawn and finds no room gives way to the first one
that does. The cheapest schedule counts, by the objective of the instance with the numbers of epochs
that the method assumes. `randomized_greedy` is the fast program for dedicated GPUs.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics import candidates
from rsjs.heuristics.first_fit import as_solution, first_fit, rows_without
from rsjs.heuristics.outcome import finished
from rsjs.heuristics.queue_choices import EPOCHS, Choices
from rsjs.heuristics.rooms import Rooms
from rsjs.heuristics.stopping import Iterations, Reported, Stopping
from rsjs.instances import costs, streams
from rsjs.instances.completion import complete
from rsjs.instances.method import Call, Report
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution, SolveResult, Stop

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ITERATIONS = 1000
PASSED_IF_HEAVIER, PASSED = 0.45, 0.55
LISTED = 3


def decide(
    instance: Instance, stop: Stopping, *, seed: int = 0, epochs: str = "worst_case"
) -> tuple[Solution, int]:
    """
    One decision, and the number of schedules made.

    Parameters
    ----------
    stop : Stopping
        Asked after each schedule.
    seed : int
    epochs : one of queue_choices.EPOCHS
        What a job is taken to have left.
    """
    of = Choices.of(instance, epochs)
    codes, keys = of.ranked(cheapest=True)
    rows, order = rows_without(codes), candidates.by_pressure(of.instance)
    chance = _chances(of, codes, keys)
    weight = instance.jobs.weight.tolist()
    best, found, made = inf, Solution.empty(len(rows), instance.cluster.nodes), 0
    while True:
        made += 1
        queue, own = order.tolist(), rows
        if made > 1:
            drawn = streams.uniforms("randomized_queue", seed, str(made), 2 * len(rows))
            queue = _swapped(queue, weight, drawn[: len(rows)].tolist())
            first = (drawn[len(rows) :, None] >= chance).sum(axis=1).tolist()
            own = [[row[k], *row] for row, k in zip(rows, first, strict=True)]
        rooms = Rooms(instance.cluster)
        placed = first_fit(queue, own, of.units, rooms, of.stride)
        schedule = complete(instance, as_solution(placed, of.level, rooms))
        cost = costs.terms(of.instance, schedule).total
        if cost < best:
            best, found = cost, schedule
        if stop(best):
            return found, made


def _swapped(queue: list[int], weight: list[float], drawn: list[float]) -> list[int]:
    """The queue after one pass of swaps: a job may be passed by several."""
    carried, after = queue[0], []
    for other, number in zip(queue[1:], drawn, strict=False):
        limit = PASSED_IF_HEAVIER if weight[carried] > weight[other] else PASSED
        if number < limit:
            after.append(other)
        else:
            after.append(carried)
            carried = other
    return [*after, carried]


def _chances(of: Choices, codes: Ints, keys: Floats) -> Floats:
    """(J, LISTED - 1) cumulated chances of the first candidates of one kind, in time or late."""
    first, key = codes[:, :LISTED], keys[:, :LISTED]
    hours = np.take_along_axis(of.hours.reshape(len(codes), -1), np.maximum(first, 0), axis=1)
    in_time = of.instance.now + hours <= of.instance.jobs.due[:, None]
    listed = (first >= 0) & (in_time == in_time[:, :1])
    least = np.where(listed, key, np.inf).min(axis=1, keepdims=True)
    free = listed & (key <= 0)
    ratio = np.where(listed & (key > 0), least / np.where(key > 0, key, 1.0), 0.0)
    weight = np.where(free.any(axis=1, keepdims=True), free, ratio)
    total = np.cumsum(weight, axis=1)
    found: Floats = (total / total[:, -1:])[:, :-1]
    return found


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """RG as a method."""
    if call.rule is not None:
        raise ValueError(f"unknown rule {call.rule!r} of randomized_queue; it has none")
    most = call.options.get("iterations", ITERATIONS)
    stop = Iterations(most or inf) | Reported(report)
    with report.phase("solve"):
        solution, made = decide(
            instance,
            stop,
            seed=call.limits.seed,
            epochs=call.options.get("epochs", EPOCHS[0]),
        )
    ended = Stop.ITERATIONS if made == most else Stop.TIME_LIMIT
    result = finished(instance, solution, report)
    return replace(result, stop=ended, counts={"iterations": made})
