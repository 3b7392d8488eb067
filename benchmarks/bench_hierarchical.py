"""Hierarchical decomposition: its own work, and time and loss of divided exact solves."""

from __future__ import annotations

from rsjs.core.call import Call, Limits
from rsjs.core.report import Report
from rsjs.heuristics.decomposition.hierarchical import run
from rsjs.heuristics.decomposition.partition import SPLITS, divide, parts
from rsjs.instances.generators.kiros import generate
from rsjs.methods import parse


def solved(instance, spelling):
    """What a method finds in this process."""
    request = parse(spelling)
    call = Call(options=request.options, limits=Limits(gap=1e-4))
    if request.method.runs:
        return run(instance, call, Report(60.0))
    return request(instance, call, Report(60.0))


class Divide:
    """1000 jobs among 16 controllers; greedy shows what is left besides the solves."""

    params = (tuple(SPLITS),)
    param_names = ("split",)

    def setup(self, split):
        self.instance = generate(nodes=100, jobs=1000, seed=1)
        self.spelling = f"hierarchical?controllers=16,split={split}"
        solved(self.instance, self.spelling)

    def time_divide(self, split):
        parts(self.instance, divide(self.instance, 16, split))

    def time_greedy_parts(self, split):
        solved(self.instance, self.spelling)


class Solve:
    """The pattern model with leaders on 40 x 400, undivided and divided."""

    params = (tuple(SPLITS), (1, 4, 16))
    param_names = ("split", "controllers")
    timeout = 120.0

    def setup(self, split, controllers):
        method = "first_ending_patterns@highs"
        self.instance = generate(nodes=40, jobs=400, seed=1)
        self.whole = method
        self.spelling = f"hierarchical?controllers={controllers},method={method},split={split}"

    def time_solve(self, split, controllers):
        solved(self.instance, self.spelling)

    def track_loss(self, split, controllers):
        whole = solved(self.instance, self.whole).objective
        return 100 * (solved(self.instance, self.spelling).objective - whole) / whole

    track_loss.unit = "%"
