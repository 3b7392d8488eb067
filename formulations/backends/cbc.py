"""
CBC: the program `cbc` through Pyomo, which writes an LP file and reads solution and log.

Declared after CBC's user guide and Pyomo's source. Our tests run it with a stand-in for the
program, not with CBC itself.
"""

from __future__ import annotations

from typing import Any

from rsjs.formulations.backends.backend import Backend, Feature, small_seed
from rsjs.formulations.backends.program import Program
from rsjs.instances.method import Limits
from rsjs.instances.solution import Stop

DIGITS = 1e-5  # relative: the log has bounds with six digits


def options(limits: Limits) -> dict[str, Any]:
    """
    Limits in CBC's terms.

    One thread is CBC's default and not asked for: a CBC built without threads does not know the
    option. The absolute gap is 0, so that it never ends the search.
    """
    asked: dict[str, Any] = {
        "sec": float(limits.time_limit),
        "timeMode": "elapsed",
        "ratioGap": float(limits.gap),
        "allowableGap": 0.0,
        "randomCbcSeed": small_seed(limits),
    }
    return asked if limits.threads == 1 else {**asked, "threads": limits.threads}


def bound(told: float | None, cost: float | None, stop: Stop, gap: float) -> float | None:
    """
    What CBC has proven.

    At its end CBC says "optimal" and no bound, whether the gap limit g ended the search or not.
    Then z - b <= g max(|z|, |b|), and so b >= z - g |z| / (1 - g). Before, the bound in the log
    is lowered by what its digits leave open.
    """
    if stop is Stop.OPTIMAL and cost is not None:
        return cost if gap == 0 else cost - gap * abs(cost) / (1 - gap) if gap < 1 else None
    return None if told is None else told - DIGITS * abs(told)


CBC = Backend(
    name="cbc",
    module="pyomo.opt",
    distribution="cbc",
    versions=">=2.10",
    features=frozenset({Feature.INTEGER, Feature.CONTINUOUS, Feature.WARM_START, Feature.THREADS}),
    status={
        "optimal": Stop.OPTIMAL,
        "infeasible": Stop.INFEASIBLE,
        "maxTimeLimit": Stop.TIME_LIMIT,
        "intermediateNonInteger": Stop.TIME_LIMIT,  # no integer solution within the limit
        "maxIterations": Stop.ITERATIONS,
        "maxEvaluations": Stop.ITERATIONS,
        "userInterrupt": Stop.INTERRUPTED,
    },
    options=options,
    pyomo_interface="cbc",
    program=Program(
        executable="cbc",
        asked_version=("-stop",),
        install="apt-get install coinor-cbc",
        bound=bound,
    ),
    tried=False,
)
