"""MIG geometry: sets of placements, rules and exact stages of placement, repartitioning."""

from __future__ import annotations

from rsjs.core.call import Limits
from rsjs.formulations.mig import placement, reconfiguration_assignment, reconfiguration_bounds
from rsjs.formulations.mig.reconfiguration_bounds import find_candidates
from rsjs.heuristics.mig.placement import RULES, place
from rsjs.heuristics.mig.reconfiguration import best_greedy
from rsjs.instances.mig.geometry import geometry
from rsjs.instances.mig.gpus import gpu_named
from rsjs.instances.mig.placement import check
from rsjs.instances.mig.placement import problem as placement_mixes
from rsjs.instances.mig.reconfiguration.problem import generate, makespan

A100 = gpu_named("A100-40")
WORKLOADS, JOBS = 500, 50


def workloads():
    """The set of the target."""
    return placement_mixes.generate(A100, "mixed", WORKLOADS, 1)


def jobs():
    """Jobs released together, moldable."""
    return generate(A100, JOBS, 1)


class Sets:
    """All sets of placements of a GPU, the media profile included."""

    def time_enumerate(self):
        geometry.__wrapped__(A100)


class Placing:
    """500 workloads by each rule and to optimality."""

    params = (("ilp", *RULES),)
    param_names = ("method",)

    def setup(self, method):
        self.workloads = workloads()
        self.placed(method)

    def placed(self, method):
        """The placement of a method."""
        if method == "ilp":
            return placement.solve(self.workloads, Limits(gap=0.0)).placement
        return place(self.workloads, method)

    def time_place(self, method):
        self.placed(method)

    def track_gpus(self, method):
        return check.check(self.workloads, self.placed(method)).gpus

    def track_waste(self, method):
        return check.check(self.workloads, self.placed(method)).waste


class Repartitioning:
    """50 jobs on one GPU: greedy, bounds, and the exact model built."""

    def setup(self):
        self.jobs = jobs()

    def time_greedy(self):
        best_greedy(self.jobs)

    def time_bounds(self):
        reconfiguration_bounds.best(find_candidates(self.jobs))

    def time_build(self):
        data = reconfiguration_assignment.AssignmentModel.of(find_candidates(self.jobs))
        reconfiguration_assignment.build(data)

    def track_greedy_above_bound(self):
        bound = reconfiguration_bounds.best(find_candidates(self.jobs))
        return 100 * (makespan(self.jobs, best_greedy(self.jobs)[1]) / bound - 1)

    track_greedy_above_bound.unit = "%"
