"""The best different schedules of the randomized greedy, to begin searches from."""

from __future__ import annotations

import numpy as np

from rsjs.heuristics.common.stopping import Stopping
from rsjs.heuristics.greedy.randomized import CELLS, Constructions
from rsjs.heuristics.greedy.randomized_arrays import prepared
from rsjs.heuristics.greedy.randomized_rules import RULES
from rsjs.instances.instance import Instance
from rsjs.instances.open_nodes import complete
from rsjs.instances.solution import Solution

ITERATIONS = 1000


def sample(instance: Instance, seed: int, count: int, stop: Stopping) -> list[Solution]:
    """
    Return the best of 1000 iterations of `randomized_greedy:paper`, `count` at most.

    Parameters
    ----------
    stop : asked from time to time; what is made until then counts
    """
    constructions = Constructions(prepared(instance, RULES["paper"], seed=seed))
    chunk = max(1, min(ITERATIONS, CELLS // (len(instance.jobs) * instance.cluster.nodes)))
    costs: list[float] = []
    while len(costs) < ITERATIONS and not stop(min(costs, default=np.inf)):
        batch = min(chunk, ITERATIONS - len(costs))
        costs.extend(constructions.costs(len(costs) + 1, batch).tolist())
    found: list[Solution] = []
    last = np.nan
    for i in np.argsort(costs, kind="stable").tolist():
        if len(found) == count:
            break
        if costs[i] == last:  # equal costs: equal schedules, or nearly so
            continue
        last = costs[i]
        found.append(complete(instance, constructions.schedule(i + 1)))
    return found
