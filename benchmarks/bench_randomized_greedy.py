"""Randomized greedy, 1000 iterations, preparation included; greedy likewise."""

from __future__ import annotations

import os
import subprocess
import sys

from rsjs.heuristics.greedy import greedy
from rsjs.heuristics.greedy.randomized import Constructions
from rsjs.heuristics.greedy.randomized_arrays import prepared
from rsjs.heuristics.greedy.rules import RANDOMIZED_RULES
from rsjs.instances import costs
from rsjs.instances.generators.jahani import generate
from rsjs.instances.open_nodes import select_required_nodes

ITERATIONS = 1000
COLD = f"""
from rsjs.heuristics.registry import METHODS
from rsjs.instances.generators.jahani import generate
from rsjs.core.call import Call
from rsjs.core.report import Report
run = METHODS["randomized_greedy"].load()
call = Call(options={{"iterations": {ITERATIONS}}})
run(generate(nodes=100, jobs=400, seed=1, due="tight"), call, Report())
"""


def _instance(nodes):
    made = generate(nodes=nodes, jobs=4 * nodes, seed=1, due="tight")
    costs.cost_tables(made)
    return made


class Randomized:
    params = (("code", "paper"), (10, 100))
    param_names = ("rule", "nodes")

    def setup(self, rule, nodes):
        self.instance = _instance(nodes)
        Constructions(prepared(self.instance, RANDOMIZED_RULES[rule])).costs(1, 1)  # compiles

    def decide(self, rule):
        constructions = Constructions(prepared(self.instance, RANDOMIZED_RULES[rule]))
        return constructions.schedule(1 + int(constructions.costs(1, ITERATIONS).argmin()))

    def time_prepare_and_decide(self, rule, nodes):
        self.decide(rule)

    def peakmem_decide(self, rule, nodes):
        self.decide(rule)

    def track_cost(self, rule, nodes):
        solution = select_required_nodes(self.instance, self.decide(rule))
        return costs.terms(self.instance, solution).total

    track_cost.unit = "$"


class Threads:
    params = (1, 2)
    param_names = ("threads",)

    def setup(self, threads):
        self.constructions = Constructions(
            prepared(_instance(100), RANDOMIZED_RULES["code"]), threads
        )
        self.constructions.costs(1, 1)

    def time_costs(self, threads):
        self.constructions.costs(1, 4 * ITERATIONS)


class Greedy:
    params = ("code", "paper")
    param_names = ("rule",)

    def setup(self, rule):
        self.instance = _instance(100)
        greedy.decide(self.instance, rule)

    def time_prepare_and_decide(self, rule):
        greedy.decide(self.instance, rule)


class ColdProcess:
    def track_cpu_seconds(self):
        before = os.times()
        subprocess.run([sys.executable, "-c", COLD], check=True)
        after = os.times()
        return sum(after[2:4]) - sum(before[2:4])

    track_cpu_seconds.unit = "s"
