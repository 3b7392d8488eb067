"""
Distributions: a law maps uniforms to values, entry by entry.

Continuous laws with a closed inverse F^-1(u) are inverted; discrete ones take the least value
whose distribution function exceeds u. So one uniform makes one value, on every machine.

A random value of a configuration: a number, which stands for itself, or a law.

What becomes of the values of a law, in this order:

    truncate   what is outside a range is drawn again, up to 1000 times
    abs        the absolute value is taken
    clip       what is outside a range is moved to its end
    round      integers are made: floor, ceil, nearest (a half to the even one), trunc

Further fields of jobs: a distribution, labels with weights, or a plug-in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log, log1p, sqrt
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.core.types import Bools, Floats, Ints
from rsjs.instances.generators import random_streams
from rsjs.instances.mig.io import Node, numbers
from rsjs.instances.mig.job_generator.plugins import PREFIX
from rsjs.instances.mig.job_generator.random_streams import Uniforms
from rsjs.instances.mig.jobs import plain

Law = Callable[[Uniforms], Floats]


def _const(node: Node) -> Law:
    return lambda source: np.full(len(source.u), float(node["value"]))


def _uniform(node: Node) -> Law:
    low, high = ordered(node, "low", "high")
    return lambda source: random_streams.uniform(source.u, low, high)


def _uniform_int(node: Node) -> Law:
    low, high = ordered(node, "low", "high")
    return lambda source: random_streams.integer(source.u, int(low), int(high)).astype(np.float64)


def _normal(node: Node) -> Law:
    return lambda source: random_streams.normal(source.u, node["mean"], node["sd"])


def _lognormal(node: Node) -> Law:
    if {"mu", "sigma"} <= node.value.keys() and not {"mean", "cv"} & node.value.keys():
        mu, sigma = node["mu"], node["sigma"]
    elif {"mean", "cv"} <= node.value.keys() and not {"mu", "sigma"} & node.value.keys():
        cv = float(node["cv"])
        variance = log1p(cv * cv)
        mu, sigma = log(node["mean"]) - variance / 2, sqrt(variance)
    else:
        raise node.error("either mu and sigma, or mean and cv")
    return lambda source: np.exp(random_streams.normal(source.u, mu, sigma))


def _exponential(node: Node) -> Law:
    return lambda source: random_streams.exponential(source.u, 1 / node["rate"])


def _gamma(node: Node) -> Law:
    from scipy.special import gammaincinv

    return lambda source: node["scale"] * gammaincinv(node["shape"], source.u)


def _weibull(node: Node) -> Law:
    return lambda source: node["scale"] * (-np.log1p(-source.u)) ** (1 / node["shape"])


def _triangular(node: Node) -> Law:
    low, high = ordered(node, "low", "high")
    mode, width = float(node["mode"]), high - low
    if not low <= mode <= high:
        raise node.at("mode").error(f"a mode from {low:g} to {high:g}")
    rising, falling = width * (mode - low), width * (high - mode)

    def law(source: Uniforms) -> Floats:
        left = low + np.sqrt(source.u * rising)
        right = high - np.sqrt((1 - source.u) * falling)
        return np.where(source.u * width < mode - low, left, right)

    return law


def _poisson(node: Node) -> Law:
    return lambda source: random_streams.poisson(source.u, node["lambda"]).astype(np.float64)


def _geometric(node: Node) -> Law:
    """Trials up to the first success: 1, 2, ..."""
    p = node["p"]
    if p == 1:
        return lambda source: np.ones(len(source.u))
    return lambda source: 1 + np.floor(np.log1p(-source.u) / log1p(-p))


def _pareto(node: Node) -> Law:
    return lambda source: node["xm"] * (1 - source.u) ** (-1 / node["alpha"])


def _zipf(node: Node) -> Law:
    ranks = np.arange(1.0, node["n"] + 1)
    return _discrete(ranks, ranks ** -float(node["s"]))


def _bernoulli(node: Node) -> Law:
    return lambda source: (source.u < node["p"]).astype(np.float64)


def _choice(node: Node) -> Law:
    values = np.array(node["values"], dtype=np.float64)
    return _discrete(values, weights(node, "weights", len(values)))


def _histogram(node: Node) -> Law:
    edges = np.array(node["edges"], dtype=np.float64)
    if (back := np.flatnonzero(np.diff(edges) <= 0)).size:
        raise node.at("edges", int(back[0]) + 1).error(f"an edge above {edges[back[0]]:g}")
    counts = weights(node, "counts", len(edges) - 1)
    within = node.value.get("within", "uniform")
    if within != "uniform":
        values = edges[:-1] if within == "left" else (edges[:-1] + edges[1:]) / 2
        return _discrete(values, counts)
    below = shares(counts)
    filled = np.append(True, counts > 0)  # an empty bin is a jump of the inverse

    def law(source: Uniforms) -> Floats:
        bin_ = np.searchsorted(below[filled][1:-1], source.u, side="right")
        right = np.flatnonzero(filled)[bin_ + 1]
        share = (source.u - below[right - 1]) / (below[right] - below[right - 1])
        return edges[right - 1] + share * (edges[right] - edges[right - 1])

    return law


def _empirical(node: Node) -> Law:
    """Values of a column, each line equally likely."""
    values = numbers(node)
    return lambda source: values[random_streams.index(source.u, len(values))]


LAWS: Mapping[str, Callable[[Node], Law]] = MappingProxyType(
    {
        "const": _const,
        "uniform": _uniform,
        "uniform_int": _uniform_int,
        "normal": _normal,
        "lognormal": _lognormal,
        "exponential": _exponential,
        "gamma": _gamma,
        "weibull": _weibull,
        "triangular": _triangular,
        "poisson": _poisson,
        "geometric": _geometric,
        "pareto": _pareto,
        "zipf": _zipf,
        "bernoulli": _bernoulli,
        "choice": _choice,
        "histogram": _histogram,
        "empirical": _empirical,
    }
)


def ordered(node: Node, low: str | int, high: str | int) -> tuple[float, float]:
    """Two numbers, the first not above the second."""
    least, most = float(node[low]), float(node[high])
    if least > most:
        raise node.at(high).error(f"a number >= {least:g}")
    return least, most


def weights(node: Node, key: str, n: int) -> Floats:
    """n weights under a key, equal ones without the key; not all are 0."""
    found = np.array(node.value.get(key, [1] * n), dtype=np.float64)
    if len(found) != n:
        raise node.at(key).error(f"as many weights as values, {n}", value=node[key])
    if not found.any():
        raise node.at(key).error("a positive weight among them", value=node[key])
    return found


def shares(weight: Floats) -> Floats:
    """Share of all weight before each entry and, last, of all: 0, ..., 1."""
    below: Floats = np.append(0.0, np.cumsum(weight))
    return np.asarray(below / below[-1])


def pick(u: Floats, weight: Floats) -> tuple[Ints, Floats]:
    """Index drawn by weight, and what is left of each uniform: again uniform on [0, 1)."""
    below = shares(weight)
    index = np.searchsorted(below[1:-1], u, side="right")
    width = below[index + 1] - below[index]
    return index, np.minimum((u - below[index]) / width, 1 - 2.0**-53)


def _discrete(values: Floats, weight: Floats) -> Law:
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


@dataclass(frozen=True, kw_only=True, eq=False)
class Value:
    """
    Attributes
    ----------
    node : Node
        Where the value stands.
    law : Law
    truncate, clip : (least, greatest) or None
    absolute : bool
    rounding : name of a rounding
    """

    node: Node
    law: Law
    truncate: tuple[float, float] | None = None
    absolute: bool = False
    clip: tuple[float, float] | None = None
    rounding: str = "none"

    def draw(self, source: Uniforms) -> Floats:
        """A value for each entry of the source."""
        values = self.law(source)
        if self.truncate is None:
            return self.finish(values)
        values, attempt = np.array(values), 0
        while (refused := outside(values, self.truncate)).any():
            attempt += 1
            if hopeless(attempt, refused):
                low, high = self.truncate
                expected = f"a law that is from {low:g} to {high:g} within {MOST_TRIES} draws"
                raise self.node.error(expected)
            values[refused] = self.law(source.again(attempt, refused))
        return self.finish(values)

    def finish(self, values: Floats) -> Floats:
        """What becomes of values after truncation."""
        if self.absolute:
            values = np.abs(values)
        if self.clip is not None:
            values = np.clip(values, *self.clip)
        return ROUND[self.rounding](values)


def value(node: Node, rounding: str = "none") -> Value:
    """The value at a node; `rounding` unless it says otherwise."""
    if not isinstance(node.value, dict):
        number = float(node.value)
        return Value(node=node, law=lambda source: np.full(len(source.u), number))
    return Value(
        node=node,
        law=_law(node),
        truncate=_range(node, "truncate"),
        absolute=node.value.get("abs", False),
        clip=_range(node, "clip"),
        rounding=node.value.get("round", rounding),
    )


def hopeless(attempt: int, refused: Bools) -> bool:
    """Whether to give up before entries are drawn once more."""
    return attempt > MOST_TRIES or bool(refused.all() and attempt * len(refused) > IN_VAIN)


def outside(values: Floats, range_: tuple[float, float]) -> Bools:
    """Which values are outside a range."""
    return ~((values >= range_[0]) & (values <= range_[1]))


def _range(node: Node, key: str) -> tuple[float, float] | None:
    return ordered(node.at(key), 0, 1) if key in node else None


def _law(node: Node) -> Law:
    name: str = node["dist"]
    if name.startswith(PREFIX):
        return node.around.plugins.law(node, name)
    return _mixture(node) if name == "mixture" else LAWS[name](node)


def _mixture(node: Node) -> Law:
    parts = node.parts("components")
    weight = np.array([part["weight"] for part in parts], dtype=np.float64)
    if not weight.any():
        raise node.at("components").error("a positive weight among them", value=weight.tolist())
    values = [value(part.at("dist")) for part in parts]

    def law(source: Uniforms) -> Floats:
        index, left = pick(source.u, weight)
        drawn = np.empty(len(index))
        for i, part in enumerate(values):
            rows = index == i
            drawn[rows] = part.draw(source.within(f"part {i}", rows, left[rows]))
        return drawn

    return law


DECIMALS = 6  # of numbers that are not rounded to integers
Columns = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Field:
    """
    Attributes
    ----------
    draw : callable
        Columns of the jobs so far, and a uniform per job, to a JSON value per job.
    value : Value or None
        The law, if it is one of numbers.
    """

    draw: Callable[[Columns, Uniforms], list[Any]]
    value: Value | None = None


def field_law(node: Node) -> Field:
    """The law of the field at a node."""
    if "labels" in node:
        labels, weight = node["labels"], weights(node, "weights", len(node["labels"]))
        return Field(draw=lambda jobs, source: [labels[i] for i in pick(source.u, weight)[0]])
    if "plugin" in node:
        call = node.around.plugins.field(node)
        return Field(draw=lambda jobs, source: call(dict(jobs), source.u))
    law = value(node)
    return Field(draw=lambda jobs, source: plain(np.round(law.draw(source), DECIMALS)), value=law)
