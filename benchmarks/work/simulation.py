"""Simulations of whole workloads, ten jobs for each node, their log, bounds and references."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from benchmarks.cases import LARGE, STEERED, Work, instance_of
from benchmarks.work.heuristics import PRICED, of_method
from rsjs.instances.generators.sts import workload
from rsjs.instances.instance import Workload
from rsjs.simulation import event_log
from rsjs.simulation.bounds import capacity_free_bound, workload_bound
from rsjs.simulation.engine import simulate
from rsjs.simulation.policies.registry import policy
from rsjs.simulation.references import infinite_cluster

ARRIVALS = ("exp", "high")
POLICIES = (
    *("edf:paper", "queue:edf", "queue:pedf", "queue:greedy", "greedy:paper", "dp:fastest"),
    *("sts:literal", "sts:fallback"),
)
COSTLY = ("roll", "priced_roll", "rsjs_sifting", "hierarchical?method=(queue:greedy),controllers=5")


@cache
def case(arrivals: str, nodes: int) -> Workload:
    """Return the workload of seed 1 with K80 and M60."""
    made = workload(nodes=nodes, jobs=10 * nodes, seed=1, law=arrivals)
    assert made.digest  # computed once, as for a workload that was read
    return made


def _simulate(method: str, arrivals: str, nodes: int, tolerance: float | None = None) -> Work:
    """The engine, its checks and the decisions, without compilation."""
    small, whole = case(arrivals, 2), case(arrivals, nodes)
    simulate(small, policy(method, small))
    decides = policy(method, whole)
    return Work(
        run=lambda: simulate(whole, decides),
        values=lambda outcome: {"cost": outcome.totals.cost, "events": outcome.totals.events},
        tolerance=tolerance,
    )


def _log() -> Work:
    outcome = _simulate("queue:edf", "exp", 10).run()
    return Work(
        run=lambda: event_log.text(outcome),
        values=lambda text: {"events": len(text.splitlines()) - 2},
    )


def _of_workload(call: Callable[..., Any], **options: float) -> Work:
    of = case("exp", 10)
    return Work(run=lambda: call(of, **options), values=lambda found: {"cost": _number(found)})


def _number(found: Any) -> float:
    return float(found if isinstance(found, (int, float)) else found.cost)


def _bound() -> Work:
    crowded = workload(nodes=10, jobs=100, seed=1, gap_seconds=8000)
    workload_bound(case("exp", 2))  # compiles
    return Work(
        run=lambda: workload_bound(crowded),
        values=lambda found: {"bound": found.value},
        tolerance=1e-3,
    )


WORK: Mapping[str, Callable[[], Work]] = {
    **{
        f"simulate {method} {arrivals} 10 x 100": partial(_simulate, method, arrivals, 10)
        for method in POLICIES
        for arrivals in ARRIVALS
    },
    "log": _log,
    "capacity-free bound": partial(_of_workload, capacity_free_bound),
    "workload bound": _bound,
    "infinite cluster": partial(_of_workload, infinite_cluster),
}
LONG: Mapping[str, Callable[[], Work]] = {  # for asv only: seconds to minutes each
    **{
        f"simulate {method} {arrivals} 100 x 1000": partial(_simulate, method, arrivals, 100)
        for method in POLICIES
        for arrivals in ARRIVALS
    },
    **{
        f"simulate {method} {arrivals} 10 x 100": partial(_simulate, method, arrivals, 10)
        for method in COSTLY
        for arrivals in ARRIVALS
    },
    "simulate roll exp 50 x 500": partial(_simulate, "roll", "exp", 50),
    **{
        f"ruin_recreate 50000 iterations {name}": lambda of=of: of_method(
            instance_of(of[0], LARGE, **of[1]), "ruin_recreate?iterations=50000", STEERED
        )
        for name, of in PRICED.items()
    },
    **{
        f"hierarchical {controllers} controllers": lambda k=controllers: of_method(
            instance_of("kiros", "40 x 400"),
            f"hierarchical?controllers={k},method=first_ending_patterns@highs",
            1e-4,
            1e-4,
        )
        for controllers in (1, 4, 16)
    },
}
