"""Descent by N1 to N7 from greedy at 40 x 400, and path relinking with all it needs."""

from __future__ import annotations

from dataclasses import replace

from rsjs.core.call import Call, Limits
from rsjs.core.report import Report
from rsjs.heuristics.common.stopping import Stopping
from rsjs.heuristics.greedy import greedy
from rsjs.heuristics.local_search.local_search import Descent
from rsjs.heuristics.local_search.path_relinking import Relinking, modes
from rsjs.instances.generators.jahani import generate
from rsjs.instances.instance import FAMILIES
from rsjs.instances.open_nodes import select_required_nodes
from rsjs.methods import parse

FAMILY = ("gpuscheduler", "kiros", "jahani")  # next_event, first_ending, proportional


def instance_of(family):
    """Due dates so early that many jobs run late, priced as a family does."""
    made = generate(nodes=40, jobs=400, seed=1, due="tight")
    hurried = replace(made.jobs, due=0.3 * made.jobs.due)
    return replace(made, jobs=hurried, objective=FAMILIES[family])


class Descend:
    params = (FAMILY, ("late", "all"))
    param_names = ("family", "jobs")

    def setup(self, family, jobs):
        instance = instance_of(family)
        self.start = select_required_nodes(instance, greedy.decide(instance, "paper"))
        self.descent = Descent(instance, only_late=jobs == "late")
        self.cost = self.descent.improve(self.start, Stopping())[0]

    def time_descend(self, family, jobs):
        self.descent.improve(self.start, Stopping())

    def track_neighbours(self, family, jobs):
        return self.descent.neighbours

    def track_cost(self, family, jobs):
        return self.cost

    track_cost.unit = "$"


class Path:
    params = (FAMILY,)
    param_names = ("family",)

    def setup(self, family):
        instance = instance_of(family)
        first, second = (
            select_required_nodes(instance, greedy.decide(instance, rule))
            for rule in ("paper", "code")
        )
        self.start, self.guide = first, modes(instance, second)
        self.relinking = Relinking(instance)
        self.follow()
        self.steps = self.relinking.steps

    def follow(self):
        self.relinking.path(self.start, self.guide, 100, Stopping())

    def time_path(self, family):
        self.follow()

    def track_steps(self, family):
        return self.steps


class Methods:
    params = (("local_search", "local_search?jobs=all", "path_relinking"), FAMILY)
    param_names = ("method", "family")
    timeout = 120.0

    def setup(self, method, family):
        self.instance = instance_of(family)
        self.request = parse(method)
        self.solve()

    def solve(self):
        return self.request(self.instance, Call(limits=Limits()), Report(60.0)).objective

    def time_solve(self, method, family):
        self.solve()

    def track_cost(self, method, family):
        return self.solve()

    track_cost.unit = "$"
