"""The stochastic scheduler: laws, 1 200 speed profiles, whole decisions of it and its baselines."""

from __future__ import annotations

from benchmarks import sts_cases
from rsjs.heuristics.sts.power_model import PowerModel
from rsjs.heuristics.sts.single_job import FEASIBLE, steps_of_jobs
from rsjs.heuristics.sts.speed_profile import profiles
from rsjs.instances.check import check


class Laws:
    """Survival functions and power models of 400 jobs."""

    def setup(self):
        self.instance = sts_cases.instance(400)

    def time_survival_steps(self):
        steps_of_jobs(self.instance)

    def time_power_model(self):
        PowerModel.of(self.instance)


class Profiles:
    def setup(self):
        self.arguments = sts_cases.single_jobs()
        self.found = profiles(*self.arguments)

    def time_1200_profiles(self):
        profiles(*self.arguments)

    def track_feasible(self):
        return int((self.found.status == FEASIBLE).sum())

    track_feasible.unit = "profiles"


class Decide:
    params = ((*sts_cases.DECISIONS,), (*sts_cases.MIXES,), sts_cases.LOADS)
    param_names = ("method", "mix", "jobs")

    def setup(self, method, mix, jobs):
        self.instance = sts_cases.instance(jobs, mix)
        self.run = sts_cases.decision(method, self.instance)

    def time_decide(self, method, mix, jobs):
        self.run()

    def track_cost(self, method, mix, jobs):
        return check(self.instance, self.run()).objective

    track_cost.unit = "$"
