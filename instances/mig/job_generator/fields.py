"""Further fields of jobs: a distribution, labels with weights, or a plug-in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.mig.job_documents import plain
from rsjs.instances.mig.job_generator.distributions import pick, weights
from rsjs.instances.mig.job_generator.random_streams import Uniforms
from rsjs.instances.mig.job_generator.values import Value, value
from rsjs.instances.mig.node import Node

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
