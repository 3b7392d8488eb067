"""What the kernels steered by prices are measured by: RS-JS with shares at 100 x 400."""

from __future__ import annotations

from typing import Any

from benchmarks.kernel_work import Work
from benchmarks.method_cases import LARGE, instance_of

MOVES, TIMES = 1000, 100


def _priced() -> tuple[Any, Any, Any]:
    from rsjs.heuristics.ruin_recreate import dual_prices
    from rsjs.heuristics.ruin_recreate.arrays import mode_tables

    instance = instance_of("sts", LARGE)
    return instance, mode_tables(instance), dual_prices.find(instance)


def annealing() -> Work:
    from rsjs.heuristics.ruin_recreate.construction import construct
    from rsjs.heuristics.ruin_recreate.ruin_recreate import COLD, FEW, NODES_LED, Annealer

    instance, problem, found = _priced()
    search = Annealer(instance, problem, found, construct(instance, problem, found), 0)
    return Work(
        run=lambda: search.moves(MOVES, COLD * found.scale, NODES_LED, FEW),
        values=lambda _: {"cost": search.cost},
    )


def recreate() -> Work:
    from rsjs.heuristics.ruin_recreate.construction import construct
    from rsjs.heuristics.ruin_recreate.kernels_node import total_cost

    instance, problem, found = _priced()
    return Work(
        run=lambda: construct(instance, problem, found),
        values=lambda state: {"cost": total_cost(problem, state)},
    )


def node_moves() -> Work:
    from rsjs.heuristics.ruin_recreate.construction import construct
    from rsjs.heuristics.ruin_recreate.kernels_node import total_cost

    instance, problem, found = _priced()
    state = construct(instance, problem, found)
    return Work(
        run=lambda: [total_cost(problem, state) for _ in range(TIMES)],
        values=lambda found: {"cost": found[-1]},
    )
