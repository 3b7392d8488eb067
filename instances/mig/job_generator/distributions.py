"""
Random values of a configuration: a number, which stands for itself, or a distribution.

A distribution maps uniforms to values, entry by entry: continuous ones with a closed inverse
F^-1(u) are inverted; discrete ones take the least value whose distribution function exceeds u. So
one uniform makes one value, on every machine. gamma, pareto, triangular and weibull are those of
`scipy.stats`. Its other inverses have other last digits (normal, lognormal, exponential), give a
value that is not possible for u = 0 (uniform_int, poisson, geometric) or are not needed: importing
`scipy.stats` takes longer than making a set of jobs.

What becomes of the values of a distribution, in this order:

    truncate   what is outside a range is drawn again, up to 1000 times
    abs        the absolute value is taken
    clip       what is outside a range is moved to its end
    round      integers are made: floor, ceil, nearest (a half to the even one), trunc

A further field of jobs is a value, labels with weights, or a plug-in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log, log1p, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.core.types import Bools, Floats, Ints
from rsjs.instances.generators import random_streams
from rsjs.instances.mig.job_generator.context import (
    DISTRIBUTIONS,
    PREFIX,
    Node,
    numbers,
    plugin_field,
    plugin_numbers,
)
from rsjs.instances.mig.job_generator.random_streams import Uniforms
from rsjs.instances.mig.jobs import plain

Distribution = Callable[[Uniforms], Floats]


def _uniform(node: Node) -> Distribution:
    low, high = ordered(node, "low", "high")
    return lambda source: random_streams.uniform(source.u, low, high)


def _uniform_int(node: Node) -> Distribution:
    low, high = ordered(node, "low", "high")
    return lambda source: random_streams.integer(source.u, int(low), int(high)).astype(np.float64)


def _lognormal(node: Node) -> Distribution:
    if {"mu", "sigma"} <= node.value.keys() and not {"mean", "cv"} & node.value.keys():
        mu, sigma = node["mu"], node["sigma"]
    elif {"mean", "cv"} <= node.value.keys() and not {"mu", "sigma"} & node.value.keys():
        cv = float(node["cv"])
        variance = log1p(cv * cv)
        mu, sigma = log(node["mean"]) - variance / 2, sqrt(variance)
    else:
        raise node.error("either mu and sigma, or mean and cv")
    return lambda source: np.exp(random_streams.normal(source.u, mu, sigma))


def _triangular(node: Node) -> Distribution:
    low, high = ordered(node, "low", "high")
    mode, width = float(node["mode"]), high - low
    if not low <= mode <= high:
        raise node.at("mode").error(f"a mode from {low:g} to {high:g}")
    if width == 0:
        return lambda source: np.full(len(source.u), low)
    return lambda source: _inverse("triang", source.u, (mode - low) / width, low, width)


def _geometric(node: Node) -> Distribution:
    """Return the number of trials up to the first success: 1, 2, ..."""
    p = node["p"]
    if p == 1:
        return lambda source: np.ones(len(source.u))
    return lambda source: 1 + np.floor(np.log1p(-source.u) / log1p(-p))


def _zipf(node: Node) -> Distribution:
    ranks = np.arange(1.0, node["n"] + 1)
    return _discrete(ranks, ranks ** -float(node["s"]))


def _choice(node: Node) -> Distribution:
    values = np.array(node["values"], dtype=np.float64)
    return _discrete(values, weights(node, "weights", len(values)))


def _histogram(node: Node) -> Distribution:
    edges = np.array(node["edges"], dtype=np.float64)
    if (back := np.flatnonzero(np.diff(edges) <= 0)).size:
        raise node.at("edges", int(back[0]) + 1).error(f"an edge above {edges[back[0]]:g}")
    counts = weights(node, "counts", len(edges) - 1)
    within = node.value.get("within", "uniform")
    if within != "uniform":
        values = edges[:-1] if within == "left" else (edges[:-1] + edges[1:]) / 2
        return _discrete(values, counts)
    below = shares(counts)
    # Edges that end a bin which is not empty.
    filled = np.append(True, counts > 0)  # an empty bin is a jump of the inverse

    def draw(source: Uniforms) -> Floats:
        bin_ = np.searchsorted(below[filled][1:-1], source.u, side="right")
        right = np.flatnonzero(filled)[bin_ + 1]
        share = (source.u - below[right - 1]) / (below[right] - below[right - 1])
        return edges[right - 1] + share * (edges[right] - edges[right - 1])

    return draw


def _empirical(node: Node) -> Distribution:
    """Return values of a column, each line equally likely."""
    values = numbers(node)
    return lambda source: values[random_streams.index(source.u, len(values))]


def _inverse(name: str, u: Floats, *parameters: float, **scale: float) -> Floats:
    """Return values of a distribution of `scipy.stats` by its inverse."""
    from scipy import stats

    return np.asarray(getattr(stats, name).ppf(u, *parameters, **scale))


# Distributions of parameters that need no check: values from uniforms and the node.
_PLAIN: dict[str, Callable[[Floats, Node], Floats]] = {
    "const": lambda u, node: np.full(len(u), float(node["value"])),
    "normal": lambda u, node: random_streams.normal(u, node["mean"], node["sd"]),
    "exponential": lambda u, node: random_streams.exponential(u, 1 / node["rate"]),
    "gamma": lambda u, node: _inverse("gamma", u, node["shape"], scale=node["scale"]),
    "weibull": lambda u, node: _inverse("weibull_min", u, node["shape"], scale=node["scale"]),
    "pareto": lambda u, node: _inverse("pareto", u, node["alpha"], scale=node["xm"]),
    "poisson": lambda u, node: random_streams.poisson(u, node["lambda"]).astype(np.float64),
    "bernoulli": lambda u, node: (u < node["p"]).astype(np.float64),
}
_CHECKED: dict[str, Callable[[Node], Distribution]] = {
    "uniform": _uniform,
    "uniform_int": _uniform_int,
    "lognormal": _lognormal,
    "triangular": _triangular,
    "geometric": _geometric,
    "zipf": _zipf,
    "choice": _choice,
    "histogram": _histogram,
    "empirical": _empirical,
}
NAMED = (*_PLAIN, *_CHECKED)


def ordered(node: Node, low: str | int, high: str | int) -> tuple[float, float]:
    """Return two numbers, the first not above the second."""
    least, most = float(node[low]), float(node[high])
    if least > most:
        raise node.at(high).error(f"a number >= {least:g}")
    return least, most


def weights(node: Node, key: str, n: int) -> Floats:
    """Return n weights under a key, equal ones without the key; not all are 0."""
    found = np.array(node.value.get(key, [1] * n), dtype=np.float64)
    if len(found) != n:
        raise node.at(key).error(f"as many weights as values, {n}", value=node[key])
    if not found.any():
        raise node.at(key).error("a positive weight among them", value=node[key])
    return found


def shares(weight: Floats) -> Floats:
    """Return the share of all weight before each entry and, last, of all: 0, ..., 1."""
    below: Floats = np.append(0.0, np.cumsum(weight))
    return np.asarray(below / below[-1])


def pick(u: Floats, weight: Floats) -> tuple[Ints, Floats]:
    """Return indices drawn by weight, and the rest of each uniform: again uniform on [0, 1)."""
    below = shares(weight)
    index = np.searchsorted(below[1:-1], u, side="right")
    width = below[index + 1] - below[index]
    return index, np.minimum((u - below[index]) / width, 1 - 2.0**-53)


def _discrete(values: Floats, weight: Floats) -> Distribution:
    below = shares(weight)[1:-1]
    return lambda source: values[np.searchsorted(below, source.u, side="right")]


MOST_TRIES = 1000
IN_VAIN = 10**6  # draws without one that is accepted
ROUND: dict[str, Callable[[Floats], Floats]] = {
    "none": np.asarray,
    "floor": np.floor,
    "ceil": np.ceil,
    "nearest": np.rint,
    "trunc": np.trunc,
}


@dataclass(frozen=True, eq=False)
class Value:
    """A value as the configuration describes it at a node."""

    node: Node
    distribution: Distribution
    truncate: tuple[float, float] | None = None  # least and greatest value
    absolute: bool = False
    clip: tuple[float, float] | None = None
    rounding: str = "none"  # one of ROUND

    def draw(self, source: Uniforms) -> Floats:
        """Draw a value for each entry of the source."""
        values = self.distribution(source)
        if self.truncate is None:
            return self.finish(values)
        # Draw again what is outside, each entry from its own place in the stream.
        values, attempt = np.array(values), 0
        while (refused := outside(values, self.truncate)).any():
            attempt += 1
            if hopeless(attempt, refused):
                low, high = self.truncate
                expected = (
                    f"a distribution that is from {low:g} to {high:g} within {MOST_TRIES} draws"
                )
                raise self.node.error(expected)
            values[refused] = self.distribution(source.again(attempt, refused))
        return self.finish(values)

    def finish(self, values: Floats) -> Floats:
        """Return what becomes of values after truncation."""
        if self.absolute:
            values = np.abs(values)
        if self.clip is not None:
            values = np.clip(values, *self.clip)
        return ROUND[self.rounding](values)


def value(node: Node, rounding: str = "none") -> Value:
    """Return the value at a node; `rounding` unless it says otherwise."""
    if not isinstance(node.value, dict):
        number = float(node.value)
        return Value(node, lambda source: np.full(len(source.u), number))
    return Value(
        node=node,
        distribution=_distribution(node),
        truncate=_range(node, "truncate"),
        absolute=node.value.get("abs", False),
        clip=_range(node, "clip"),
        rounding=node.value.get("round", rounding),
    )


def hopeless(attempt: int, refused: Bools) -> bool:
    """Return whether to give up before entries are drawn once more."""
    return attempt > MOST_TRIES or bool(refused.all() and attempt * len(refused) > IN_VAIN)


def outside(values: Floats, range_: tuple[float, float]) -> Bools:
    """Return which values are outside a range."""
    return ~((values >= range_[0]) & (values <= range_[1]))


def _range(node: Node, key: str) -> tuple[float, float] | None:
    return ordered(node.at(key), 0, 1) if key in node else None


def _distribution(node: Node) -> Distribution:
    name: str = node["dist"]
    if name.startswith(PREFIX):
        call = plugin_numbers(DISTRIBUTIONS, node, "dist")
        return lambda source: call(source.u)
    if name in _PLAIN:
        return lambda source: _PLAIN[name](source.u, node)
    return _mixture(node) if name == "mixture" else _CHECKED[name](node)


def _mixture(node: Node) -> Distribution:
    parts = node.parts("components")
    weight = np.array([part["weight"] for part in parts], dtype=np.float64)
    if not weight.any():
        raise node.at("components").error("a positive weight among them", value=weight.tolist())
    values = [value(part.at("dist")) for part in parts]

    def draw(source: Uniforms) -> Floats:
        index, left = pick(source.u, weight)
        drawn = np.empty(len(index))
        for i, part in enumerate(values):
            rows = index == i
            drawn[rows] = part.draw(source.within(f"part {i}", rows, left[rows]))
        return drawn

    return draw


DECIMALS = 6  # of numbers that are not rounded to integers
Columns = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Field:
    """A further field of the jobs of a class."""

    # from columns of the jobs so far and a uniform per job to a JSON value per job
    draw: Callable[[Columns, Uniforms], list[Any]]
    value: Value | None = None  # the distribution, if it is one of numbers


def job_field(node: Node) -> Field:
    """Return the field at a node."""
    if "labels" in node:
        labels, weight = node["labels"], weights(node, "weights", len(node["labels"]))
        return Field(draw=lambda jobs, source: [labels[i] for i in pick(source.u, weight)[0]])
    if "plugin" in node:
        call = plugin_field(node)
        return Field(draw=lambda jobs, source: call(dict(jobs), source.u))
    drawn = value(node)
    return Field(
        draw=lambda jobs, source: plain(np.round(drawn.draw(source), DECIMALS)), value=drawn
    )
