"""Simulations of whole workloads: seconds, what they cost, and the bound."""

from __future__ import annotations

from benchmarks import simulation_cases as cases
from rsjs.simulation import event_log
from rsjs.simulation.offline import capacity_free_bound


class Simulate:
    """2 000 events; the engine, its checks and the decisions, without compilation."""

    params = (cases.POLICIES, cases.LAWS)
    param_names = ("policy", "law")

    def setup(self, policy, law):
        self.run = cases.prepared(policy, law)

    def time_simulate(self, policy, law):
        self.run()


class Quality:
    """Cost over the capacity-free bound, ten nodes."""

    params = (cases.POLICIES, cases.LAWS)
    param_names = ("policy", "law")

    def setup(self, policy, law):
        self.run = cases.prepared(policy, law, 10)
        self.bound = capacity_free_bound(cases.case(law, 10))

    def track_cost_over_bound(self, policy, law):
        return self.run().totals.cost / self.bound

    track_cost_over_bound.unit = "1"


class Around:
    """The log and the bound."""

    def setup(self):
        self.outcome = cases.prepared("queue:edf", "exp")()

    def time_log(self):
        event_log.text(self.outcome)

    def time_capacity_free_bound_of_100_jobs(self):
        capacity_free_bound(cases.case("exp", 10))
