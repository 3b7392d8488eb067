"""Random problems of MIG by the names of their kinds, from arguments that a file can hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from rsjs.instances.mig.gpus import gpu_named
from rsjs.instances.mig.job_generator.config import MigConfig
from rsjs.instances.mig.job_generator.generate import generate
from rsjs.instances.mig.placement import problem as placement
from rsjs.instances.mig.placement.problem import PlacementProblem
from rsjs.instances.mig.reconfiguration import problem as reconfiguration
from rsjs.instances.mig.reconfiguration.problem import ReconfigurationProblem
from rsjs.instances.mig.scheduling.objective import parse_objective
from rsjs.instances.mig.scheduling.problem import SchedulingProblem, named, paper_problem

MigProblem = PlacementProblem | ReconfigurationProblem | SchedulingProblem


def draw(kind: str, arguments: Mapping[str, Any], config: Callable[[str], MigConfig]) -> MigProblem:
    """
    Return a problem.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    arguments : mapping
        Of `placement.generate` or `reconfiguration.generate`, `gpu` by its name; of scheduling the
        name of a configuration, numbers `jobs` and `seed`, `reading` and `objective`.
    config : callable
        Reads the configuration of that name.
    """
    if kind == "mig_scheduling":
        return _scheduling(config(arguments["config"]), **_without(arguments, "config"))
    return KINDS[kind](gpu_named(arguments["gpu"]), **_without(arguments, "gpu"))


def _scheduling(
    config: MigConfig, *, jobs: int, seed: int, reading: str, objective: str
) -> SchedulingProblem:
    """Return the first jobs of the set of a seed on the units of the paper."""
    fewer = replace(config, count=jobs, document={**config.document, "count": jobs})
    drawn = generate(replace(fewer, name=f"{config.name}-J{jobs}"), seed)
    return named(paper_problem(drawn, reading, parse_objective(objective)), objective)


def _without(arguments: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in arguments.items() if key != name}


KINDS: Mapping[str, Callable[..., MigProblem]] = {
    "mig_placement": placement.generate,
    "mig_reconfiguration": reconfiguration.generate,
    "mig_scheduling": _scheduling,
}
