"""Jobs on MIG instances: rules, local search, bounds, and CP-SAT from FCFS."""

from __future__ import annotations

from benchmarks.mig_schedule_kernels import first_problem
from rsjs.core.call import Limits
from rsjs.formulations.mig.scheduling_bounds import lagrangian_bound, makespan_bound
from rsjs.heuristics.mig.scheduling_local_search import local_search
from rsjs.heuristics.mig.scheduling_rules import RULES, best_fit
from rsjs.instances.mig.scheduling.check import check_schedule
from rsjs.instances.mig.scheduling.schedule import terms

MAKESPAN, COMPLETION = "makespan", "completion"
ITERATIONS = 300


class Rules:
    """Best fit, every rule, and the checker."""

    params = (tuple(RULES),)
    param_names = ("rule",)

    def setup(self, rule):
        self.problem = first_problem(COMPLETION)
        self.schedule = best_fit(self.problem, rule)

    def time_rule(self, rule):
        best_fit(self.problem, rule)

    def time_check(self, rule):
        check_schedule(self.problem, self.schedule)

    def track_completion(self, rule):
        return terms(self.problem, self.schedule)["completion"]


class Search:
    """Local search for the sum of completion times, and its bound."""

    def setup(self):
        self.problem = first_problem(COMPLETION)
        self.start = best_fit(self.problem, "bigfirst_srpt")
        self.reached = terms(self.problem, self.start)

    def time_search(self):
        local_search(self.problem, [self.start], iterations=5000)

    def time_bound(self):
        self.bound()

    def bound(self):
        return lagrangian_bound(
            self.problem,
            {"completion": 1},
            target=self.reached["completion"],
            horizon=int(self.reached["makespan"]),
            iterations=ITERATIONS,
        )

    def track_bound(self):
        return self.bound()

    def track_completion(self):
        found, _ = local_search(self.problem, [self.start], iterations=5000)
        return terms(self.problem, found)["completion"]


class Makespan:
    """CP-SAT from the schedule of FCFS to a proof."""

    def setup(self):
        from rsjs.formulations.mig import scheduling_cpsat

        self.problem = first_problem(MAKESPAN)
        self.start = best_fit(self.problem)
        self.solve = scheduling_cpsat.solve

    def proof(self):
        bound = [makespan_bound(self.problem)]
        return self.solve(self.problem, self.start, bound, Limits(time_limit=30))

    def time_proof(self):
        self.proof()

    def track_branches(self):
        return self.proof().counts["branches"]
