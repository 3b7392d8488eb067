"""One decision of each list method: preparation, decision, cost."""

from __future__ import annotations

from rsjs.heuristics import greedy, list_scheduling
from rsjs.instances import costs
from rsjs.instances.completion import complete
from rsjs.instances.generators.jahani import generate


class Decide:
    params = (("greedy", "fifo", "edf", "priority"), ("code", "paper"), (100, 1000))
    param_names = ("method", "rule", "nodes")

    def setup(self, method, rule, nodes):
        self.instance = generate(nodes=nodes, jobs=4 * nodes, seed=1, due="tight")
        costs.tables(self.instance)
        self.module = greedy if method == "greedy" else list_scheduling
        names = (rule,) if method == "greedy" else (method, rule)
        self.prepare = lambda: self.module.prepare(self.instance, *names)
        self.prepared = self.prepare()

    def time_prepare(self, method, rule, nodes):
        self.prepare()

    def time_decide(self, method, rule, nodes):
        self.module.decide(self.prepared)

    def track_cost(self, method, rule, nodes):
        solution = complete(self.instance, self.module.decide(self.prepared))
        return costs.terms(self.instance, solution).total

    track_cost.unit = "$"
