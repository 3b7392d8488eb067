"""
Peak memory of a job in each time unit of its run [MB], w_0, ..., w_{L-1}.

    fixed        w_k = X, drawn once per job
    iid          w_k = X_k
    random_walk  w_0 = X, w_k = w_{k-1} + step; normal with deviation sd or rel_sd w_{k-1}, or any
    ar1          w_k = m + phi (w_{k-1} - m) + sd e_k, stationary from the start; m once per job
    profile      w_k = peak s((k + 1/2) / L) + sd e_k (or rel_sd peak e_k), s piecewise linear

Then `clip`, from 0 without it, and `round`, to the nearest integer without it; a walk goes on from
the clipped and rounded value. With `out_of_range: resample` a walk draws first value and steps
again instead of clipping, each up to 1000 times. e_k are independent standard normal numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from math import inf

import numpy as np

from rsjs.core.types import Floats, Ints
from rsjs.instances.generators.random_streams import normal
from rsjs.instances.mig.job_generator.context import MEMORY_MODELS, PREFIX, Node, plugin_numbers
from rsjs.instances.mig.job_generator.distributions import (
    MOST_TRIES,
    ROUND,
    Value,
    hopeless,
    ordered,
    outside,
    value,
)
from rsjs.instances.mig.job_generator.random_streams import Uniforms
from rsjs.instances.mig.jobs import LARGEST

JOB, UNIT = "memory job", "memory"  # streams: a number per job, a number per time unit


@dataclass(frozen=True, kw_only=True, eq=False)
class JobRuns:
    """The runs of the jobs of one class."""

    run_length: Ints  # (n,)
    jobs: Uniforms  # one number per job
    units: Uniforms  # one number per time unit, job after job

    @property
    def start(self) -> Ints:
        """(n,) the first time unit of each job."""
        return np.cumsum(self.run_length) - self.run_length

    def later(self) -> Iterator[Ints]:
        """Yield time unit k of all runs that are longer than k, for k = 1, 2, ..."""
        start = self.start
        for k in range(1, int(self.run_length.max(initial=0))):
            yield start[self.run_length > k] + k


@dataclass(frozen=True, kw_only=True, eq=False)
class Model:
    """A memory model, which fills the runs of jobs."""

    draw: Callable[[JobRuns], Floats]  # one entry per time unit
    first: Value | None = None  # the distribution of the first time unit, if it is known


def memory_model(node: Node) -> Model:
    """Return the memory model at a node; an InputError if it draws what is no memory."""
    name: str = node["model"]
    model = (_plugin if name.startswith(PREFIX) else MODELS[name])(node)

    def draw(runs: JobRuns) -> Floats:
        memory = model.draw(runs)
        if (bad := outside(memory, (0.0, LARGEST))).any():
            expected = f"MB from 0 to {LARGEST:g}, e.g. by clip"
            raise node.error(expected, value=float(memory[bad.argmax()]))
        return memory

    return replace(model, draw=draw)


def _plugin(node: Node) -> Model:
    call, finish = plugin_numbers(MEMORY_MODELS, node, "model"), _finish(node)
    return Model(draw=lambda runs: finish(call(runs.run_length, runs.units.u)))


def _fixed(node: Node) -> Model:
    drawn = _memory_value(node.at("value"))
    return Model(draw=lambda r: np.repeat(drawn.draw(r.jobs), r.run_length), first=drawn)


def _iid(node: Node) -> Model:
    drawn = _memory_value(node.at("value"))
    return Model(draw=lambda runs: drawn.draw(runs.units), first=drawn)


def _random_walk(node: Node) -> Model:
    range_, resample = _range(node), node.value.get("out_of_range") == "resample"
    first, step, finish = value(node.at("first")), _step(node.at("step")), _finish(node)
    if resample:
        first = replace(first, truncate=first.truncate or range_)
    begin = Value(
        node=first.node,
        distribution=first.draw,
        clip=range_,
        rounding=node.value.get("round", "nearest"),
    )

    def draw(runs: JobRuns) -> Floats:
        memory = np.empty(len(runs.units.u))
        memory[runs.start] = begin.draw(runs.units.taken(runs.start))
        for rows in runs.later():
            before, units = memory[rows - 1], runs.units.taken(rows)
            after = before + step(before, units)
            # Steps that leave the range are drawn again, each from its own place in the stream.
            for attempt in count(1) if resample else ():
                refused = outside(after, range_)
                if not refused.any():
                    break
                if hopeless(attempt, refused):
                    low, high = range_
                    expected = f"steps that stay from {low:g} to {high:g} within {MOST_TRIES} draws"
                    raise node.at("step").error(expected)
                after[refused] = before[refused] + step(
                    before[refused], units.again(attempt, refused)
                )
            memory[rows] = finish(after)
        return memory

    return Model(draw=draw, first=begin)


def _step(node: Node) -> Callable[[Floats, Uniforms], Floats]:
    if "dist" in node:
        drawn = value(node)
        return lambda before, source: drawn.draw(source)
    deviation = _deviation(node)
    return lambda before, source: normal(source.u, 0.0, 1.0) * deviation(before)


def _ar1(node: Node) -> Model:
    mean, finish = value(node.at("mean")), _finish(node)
    phi, sd = float(node["phi"]), float(node["sd"])
    if phi == 1:
        raise node.at("phi").error("a number < 1; random_walk has no mean to return to")

    def draw(runs: JobRuns) -> Floats:
        # Deviations from the mean, time unit by time unit; the first one is stationary.
        around = sd * normal(runs.units.u, 0.0, 1.0)
        around[runs.start] /= np.sqrt(1 - phi * phi)
        for rows in runs.later():
            around[rows] += phi * around[rows - 1]
        return finish(np.repeat(mean.draw(runs.jobs), runs.run_length) + around)

    return Model(draw=draw)


def _profile(node: Node) -> Model:
    at, share = np.array(node["points"], dtype=np.float64).T
    for i in np.flatnonzero(np.diff(at, prepend=-1) <= 0).tolist():
        raise node.at("points", i, 0).error("a time after that of the point before")
    if at[-1] > 1:
        raise node.at("points", len(at) - 1, 0).error("a time from 0 to 1, a share of the run")
    peak, finish = value(node.at("peak")), _finish(node)
    deviation = _deviation(node.at("noise")) if "noise" in node else None

    def draw(runs: JobRuns) -> Floats:
        length = runs.run_length
        k = np.arange(len(runs.units.u)) - np.repeat(runs.start, length)
        high = np.repeat(peak.draw(runs.jobs), length)
        memory = high * np.interp((k + 0.5) / np.repeat(length, length), at, share)
        if deviation is not None:
            memory = memory + deviation(high) * normal(runs.units.u, 0.0, 1.0)
        return finish(memory)

    return Model(draw=draw)


MODELS: Mapping[str, Callable[[Node], Model]] = {
    "fixed": _fixed,
    "iid": _iid,
    "random_walk": _random_walk,
    "ar1": _ar1,
    "profile": _profile,
}


def _memory_value(node: Node) -> Value:
    drawn = value(node, "nearest")
    return drawn if drawn.clip else replace(drawn, clip=(0.0, inf))


def _deviation(node: Node) -> Callable[[Floats], Floats]:
    if ("sd" in node) == ("rel_sd" in node):
        raise node.error("either sd or rel_sd")
    if "sd" in node:
        sd = float(node["sd"])
        return lambda size: np.full(len(size), sd)
    share = float(node["rel_sd"])
    return lambda size: share * size


def _range(node: Node) -> tuple[float, float]:
    return ordered(node.at("clip"), 0, 1) if "clip" in node else (0.0, inf)


def _finish(node: Node) -> Callable[[Floats], Floats]:
    range_, rounded = _range(node), ROUND[node.value.get("round", "nearest")]
    return lambda memory: rounded(np.clip(memory, *range_))
