"""What simulations are measured on: 1 000 jobs on 100 nodes with K80 and M60, and 100 on 10."""

from __future__ import annotations

from functools import cache

from rsjs.instances.generators.sts import workload
from rsjs.instances.instance import Workload
from rsjs.simulation.engine import simulate
from rsjs.simulation.outcome import Outcome
from rsjs.simulation.policies.registry import policy

LAWS = ("exp", "high")
POLICIES = (
    *("edf:paper", "queue:edf", "queue:pedf", "queue:greedy", "greedy:paper", "dp:fastest"),
    *("sts:literal", "sts:fallback"),
)
SMALLER = ("roll", "rsjs_sifting", "hierarchical?method=(queue:greedy),controllers=5")
ROLLED = 50  # nodes of the workload on which decisions of `roll` are measured


@cache
def case(law: str, nodes: int = 100) -> Workload:
    """Ten jobs for each node, as in the paper; seed 1."""
    made = workload(nodes=nodes, jobs=10 * nodes, seed=1, law=law)
    assert made.digest  # computed once, as for a workload that was read
    return made


def prepared(spelling: str, law: str, nodes: int = 100):
    """A simulation as a function without arguments, its policy compiled where it is compiled."""
    small, whole = case(law, 2), case(law, nodes)
    simulate(small, policy(spelling, small))
    decides = policy(spelling, whole)

    def run() -> Outcome:
        return simulate(whole, decides)

    return run
