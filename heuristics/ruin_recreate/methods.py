"""The methods guided by dual prices, declared."""

from __future__ import annotations

from rsjs.core.call import Option
from rsjs.core.method import Method

ENERGY = frozenset({"proportional", "first_ending"})  # energies with a dual by nodes

DECIDERS = "|".join(  # exact by energy and sharing; the last one for what they all refuse
    (
        "jahani_patterns@highs",
        "first_ending_patterns@highs",
        "rsjs_sifting@highs",
        "(ruin_recreate?iterations=2000)",
    )
)

PRICED = (
    Method(
        name="priced_greedy",
        summary="one pass of insertion at prices of a Lagrangian dual; with a lower bound",
        kind="heuristic",
        run="rsjs.heuristics.ruin_recreate.construction:run",
        prepare="rsjs.heuristics.ruin_recreate.construction:prepare",
        energy=ENERGY,
        tardiness_at=frozenset({"completion"}),
    ),
    Method(
        name="ruin_recreate",
        summary="ruin and recreate guided by those prices; near-optimal, with a lower bound",
        kind="heuristic",
        run="rsjs.heuristics.ruin_recreate.ruin_recreate:run",
        prepare="rsjs.heuristics.ruin_recreate.ruin_recreate:prepare",
        energy=ENERGY,
        tardiness_at=frozenset({"completion"}),
        options={
            "iterations": Option(
                default=100_000,
                minimum=0,
                help="moves, unless the time is up before; 0 = until the time is up",
            ),
        },
        warm_start=True,
    ),
    Method(
        name="fix_and_optimise",
        summary="ruin_recreate, then an exact method on a few nodes at a time; its bound",
        kind="heuristic",
        run="rsjs.heuristics.ruin_recreate.fix_and_optimise:run",
        prepare="rsjs.heuristics.ruin_recreate.fix_and_optimise:prepare",
        energy=ENERGY,
        tardiness_at=frozenset({"completion"}),
        options={
            "method": Option(
                default=DECIDERS,
                kind="method",
                help="what decides a part; of several, the first that serves the instance",
            ),
            "rounds": Option(
                default=100,
                minimum=0,
                help="parts to decide; 0 = until the time is up",
            ),
            "nodes": Option(default=8, minimum=1, help="nodes of a part at first"),
            "iterations": Option(default=20_000, minimum=1, help="moves of ruin_recreate before"),
        },
        warm_start=True,
    ),
)
