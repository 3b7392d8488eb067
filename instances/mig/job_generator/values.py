"""
A random value of a configuration: a number, which stands for itself, or a law.

What becomes of the values of a law, in this order:

    truncate   what is outside a range is drawn again, up to 1000 times
    abs        the absolute value is taken
    clip       what is outside a range is moved to its end
    round      integers are made: floor, ceil, nearest (a half to the even one), trunc
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.generators.random_streams import Floats
from rsjs.instances.mig.job_generator.distributions import LAWS, Law, ordered, pick
from rsjs.instances.mig.job_generator.plugins import PREFIX
from rsjs.instances.mig.job_generator.random_streams import Uniforms
from rsjs.instances.mig.node import Node

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


def hopeless(attempt: int, refused: NDArray[np.bool_]) -> bool:
    """Whether to give up before entries are drawn once more."""
    return attempt > MOST_TRIES or bool(refused.all() and attempt * len(refused) > IN_VAIN)


def outside(values: Floats, range_: tuple[float, float]) -> NDArray[np.bool_]:
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
