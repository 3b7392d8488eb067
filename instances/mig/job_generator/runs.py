"""Runs of jobs, and a memory model as what fills them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.generators.random_streams import Floats
from rsjs.instances.mig.job_generator.random_streams import Uniforms
from rsjs.instances.mig.job_generator.values import Value

Integers = NDArray[np.int64]
JOB, UNIT = "memory job", "memory"  # streams: a number per job, a number per time unit


@dataclass(frozen=True, kw_only=True, eq=False)
class Runs:
    """
    The runs of the jobs of one class.

    Attributes
    ----------
    run_length : (n,) int
    jobs : Uniforms, one number per job
    units : Uniforms, one number per time unit, job after job
    """

    run_length: Integers
    jobs: Uniforms
    units: Uniforms


@dataclass(frozen=True, kw_only=True, eq=False)
class Model:
    """
    Attributes
    ----------
    draw : callable
        Runs to memory, one entry per time unit.
    first : Value or None
        The law of the first time unit, if it is one of the configuration.
    """

    draw: Callable[[Runs], Floats]
    first: Value | None = None
