"""One decision of each list method, and its cost."""

from __future__ import annotations

from rsjs.heuristics.dispatching import list_scheduling
from rsjs.instances import costs
from rsjs.instances.generators.jahani import generate
from rsjs.instances.open_nodes import select_required_nodes


class Decide:
    params = (("fifo", "edf", "priority"), ("code", "paper"), (100, 1000))
    param_names = ("method", "rule", "nodes")

    def setup(self, method, rule, nodes):
        self.instance = generate(nodes=nodes, jobs=4 * nodes, seed=1, due="tight")
        costs.cost_tables(self.instance)

    def time_decide(self, method, rule, nodes):
        list_scheduling.decide(self.instance, method, rule)

    def track_cost(self, method, rule, nodes):
        solution = select_required_nodes(
            self.instance, list_scheduling.decide(self.instance, method, rule)
        )
        return costs.terms(self.instance, solution).total

    track_cost.unit = "$"
