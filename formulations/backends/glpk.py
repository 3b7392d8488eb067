"""
GLPK: the program `glpsol` through Pyomo, which writes an LP file and reads the solution.

Declared after GLPK's manual and Pyomo's source. Our tests run it with a stand-in for the
program, not with GLPK itself.
"""

from __future__ import annotations

from typing import Any

from rsjs.formulations.backends.backend import Backend, Feature, small_seed
from rsjs.formulations.backends.program import Program
from rsjs.instances.method import Limits
from rsjs.instances.solution import Stop


def options(limits: Limits) -> dict[str, Any]:
    """Limits in glpsol's terms: whole seconds, at least 1; there is one thread."""
    return {
        "tmlim": max(1, int(min(limits.time_limit, 1e9))),
        "mipgap": min(float(limits.gap), 1.0),
        "seed": small_seed(limits),
    }


def bound(told: float | None, cost: float | None, stop: Stop, gap: float) -> float | None:
    """
    What GLPK has proven: the cost of a solution that it calls optimal.

    When the gap or the time limit ends the search it says "feasible" and writes no bound.
    """
    return cost if stop is Stop.OPTIMAL else None


GLPK = Backend(
    name="glpk",
    module="pyomo.opt",
    distribution="glpk",
    versions=">=4.58",
    features=frozenset({Feature.INTEGER, Feature.CONTINUOUS}),
    status={
        "optimal": Stop.OPTIMAL,
        "feasible": Stop.GAP,
        "infeasible": Stop.INFEASIBLE,
        "maxTimeLimit": Stop.TIME_LIMIT,
        "other": Stop.TIME_LIMIT,  # ended without a solution and without a proof
    },
    options=options,
    pyomo_interface="glpk",
    program=Program(
        executable="glpsol",
        asked_version=("--version",),
        install="apt-get install glpk-utils",
        bound=bound,
    ),
    tried=False,
)
