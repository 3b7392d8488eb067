"""
The single-job problem (P3) as a linear and as a convex program, to check the algorithms against.

Discrete laws (`survival_steps`): each step i of length L_i is split over the configurations,

    min   sum_ik Q_k F^c_i l_ik
    s.t.  sum_k l_ik = L_i  for all i,   sum_ik a_k l_ik <= d,   l >= 0

Continuous laws: (P3) itself, in the lengths u_k = x_k - x_(k-1) >= 0 with sum_k u_k = w_max.
"""

from __future__ import annotations

import numpy as np

from rsjs.core.types import Floats
from rsjs.heuristics.sts.single_job import SurvivalSteps
from tests.heuristics.sts.continuous_distributions import ContinuousDistribution, expected_energy


def linear_program(
    rate: Floats, power: Floats, time: float, steps: SurvivalSteps, problem: int = 0
) -> float | None:
    """
    The least expected energy [$] of one problem of `steps`; None if none is in time.

    Parameters
    ----------
    rate, power : (K,) float
        Hours per epoch, all finite, and $/h.
    time : float [h]
        d.
    """
    from scipy.optimize import linprog

    law, first = steps.law[problem], steps.first[problem]
    rows = slice(first, steps.size[law])
    begin = np.append(steps.done[problem], steps.end[law, first : steps.size[law] - 1])
    length = steps.end[law, rows] - begin
    height = steps.height[law, rows] / steps.height[law, first]
    found = linprog(
        np.outer(height, rate * power).ravel(),
        A_ub=np.tile(rate, len(length))[None],
        b_ub=[time],
        A_eq=np.kron(np.eye(len(length)), np.ones(len(rate))),
        b_eq=length,
        method="highs",
    )
    return float(found.fun) if found.status == 0 else None


def convex_program(rate: Floats, power: Floats, time: float, law: ContinuousDistribution) -> float:
    """
    The least expected energy [$] of a new job whose fastest configuration is in time.

    Parameters
    ----------
    rate : (K,) float [h]
        Hours per epoch, decreasing.
    power : (K,) float [$/h]
    time : float [h]
        d.
    """
    from scipy.optimize import minimize

    energy = rate * power
    scale = float(energy.max()) * law.last

    def cost(share: Floats) -> float:
        ends = np.minimum(np.cumsum(share) * law.last, law.last)
        return expected_energy(rate, power, ends, law) / scale

    def slope(share: Floats) -> Floats:
        ends = np.minimum(np.cumsum(share) * law.last, law.last)
        own = np.array([law.survival(float(end)) for end in ends[:-1]])
        by_end = np.append(-np.diff(energy) * own, energy[-1] * law.survival(float(ends[-1])))
        found: Floats = np.cumsum(by_end[::-1])[::-1] * law.last / scale
        return found

    start = np.zeros(len(rate))
    start[-1] = 1.0
    found = minimize(
        cost,
        start,
        jac=slope,
        bounds=[(0.0, 1.0)] * len(rate),
        constraints=[
            {"type": "eq", "fun": lambda share: share.sum() - 1.0},
            {"type": "ineq", "fun": lambda share: time / law.last - rate @ share},
        ],
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return float(found.fun) * scale
