"""
Gurobi through Pyomo's `gurobi_direct`, which hands over arrays.

Declared after the documentation of Gurobi and Pyomo. Our tests run it with a stand-in for
`gurobipy`, not with Gurobi itself. The licence that comes with the package ends at 2000 columns.
"""

from __future__ import annotations

from typing import Any

from rsjs.formulations.backends.backend import Backend, Feature
from rsjs.instances.method import Limits

LARGEST_SEED = 2_000_000_000


def options(limits: Limits) -> dict[str, Any]:
    """
    Limits in Gurobi's terms.

    Gurobi measures the gap by |p|, which is never smaller than by max(|p|, |d|). The absolute gap
    (1e-10 by default) is 0, so that it never ends the search.
    """
    return {
        "TimeLimit": float(limits.time_limit),
        "MIPGap": float(limits.gap),
        "MIPGapAbs": 0.0,
        "Threads": limits.threads,
        "Seed": limits.seed % (LARGEST_SEED + 1),
    }


GUROBI = Backend(
    name="gurobi",
    module="gurobipy",
    distribution="gurobipy",
    versions=">=11,<14",
    features=frozenset({Feature.INTEGER, Feature.CONTINUOUS, Feature.WARM_START, Feature.THREADS}),
    status={},  # Pyomo's words: pyomo_interface.STOPS
    options=options,
    pyomo_interface="gurobi_direct",
    tried=False,
)
