"""Simulations of whole workloads: seconds, what they cost, and the bound."""

from __future__ import annotations

from benchmarks import simulation_cases as cases
from rsjs.simulation import event_log
from rsjs.simulation.bounds import bucket_bound, capacity_free_bound
from rsjs.simulation.references import infinite_cluster


class Simulate:
    """2 000 events; the engine, its checks and the decisions, without compilation."""

    params = (cases.POLICIES, cases.LAWS)
    param_names = ("policy", "law")

    def setup(self, policy, law):
        self.run = cases.prepared(policy, law)

    def time_simulate(self, policy, law):
        self.run()


class Roll:
    """A decision of the roll-out policy, the median of 500 jobs on 50 nodes."""

    params = (cases.LAWS,)
    param_names = ("law",)
    timeout = 300

    def setup(self, law):
        self.run = cases.prepared("roll", law, cases.ROLLED)

    def track_median_decision(self, law):
        return self.run().seconds_as_dict()["median"]

    track_median_decision.unit = "seconds"


class Quality:
    """Cost over the capacity-free bound, ten nodes."""

    params = (cases.POLICIES + cases.SMALLER, cases.LAWS)
    param_names = ("policy", "law")

    def setup(self, policy, law):
        self.run = cases.prepared(policy, law, 10)
        self.bound = capacity_free_bound(cases.case(law, 10))

    def track_cost_over_bound(self, policy, law):
        return self.run().totals.cost / self.bound

    track_cost_over_bound.unit = "1"


class Around:
    """The log, the bounds, and a yardstick."""

    def setup(self):
        self.outcome = cases.prepared("queue:edf", "exp")()

    def time_log(self):
        event_log.text(self.outcome)

    def time_capacity_free_bound_of_100_jobs(self):
        capacity_free_bound(cases.case("exp", 10))

    def time_bucket_bound_of_100_jobs(self):
        bucket_bound(cases.case("exp", 10), hours=4.0)

    def time_infinite_cluster_of_100_jobs(self):
        infinite_cluster(cases.case("exp", 10))
