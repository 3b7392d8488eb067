"""Randomized greedy on every engine, 1000 iterations, preparation included; greedy likewise."""

from __future__ import annotations

import os
import subprocess
import sys

from rsjs.heuristics import greedy
from rsjs.heuristics.compiled import AVAILABLE
from rsjs.heuristics.randomized_engines import Batched, Compiled
from rsjs.heuristics.randomized_rules import RULES
from rsjs.heuristics.randomized_tables import prepare
from rsjs.instances import costs
from rsjs.instances.completion import complete
from rsjs.instances.generators.jahani import generate

ITERATIONS = 1000
COLD = f"""
from rsjs.heuristics.randomized_greedy import run
from rsjs.instances.generators.jahani import generate
from rsjs.instances.method import Call, Report
call = Call(options={{"engine": "numpy", "iterations": {ITERATIONS}}})
run(generate(nodes=100, jobs=400, seed=1, due="tight"), call, Report())
"""


def _instance(nodes):
    made = generate(nodes=nodes, jobs=4 * nodes, seed=1, due="tight")
    costs.tables(made)
    return made


def _skip_without_numba(engine):
    if engine == "numba" and not AVAILABLE:
        raise NotImplementedError("numba is not installed")


class Randomized:
    params = (("numba", "numpy"), ("code", "paper"), (10, 100))
    param_names = ("engine", "rule", "nodes")

    def setup(self, engine, rule, nodes):
        _skip_without_numba(engine)
        self.instance = _instance(nodes)
        self.engine = Compiled if engine == "numba" else Batched
        self.engine(prepare(self.instance, RULES[rule])).costs(1, 1)  # compiles

    def decide(self, rule):
        engine = self.engine(prepare(self.instance, RULES[rule]))
        return engine.schedule(1 + int(engine.costs(1, ITERATIONS).argmin()))

    def time_prepare_and_decide(self, engine, rule, nodes):
        self.decide(rule)

    def peakmem_decide(self, engine, rule, nodes):
        self.decide(rule)

    def track_cost(self, engine, rule, nodes):
        solution = complete(self.instance, self.decide(rule))
        return costs.terms(self.instance, solution).total

    track_cost.unit = "$"


class Threads:
    params = (1, 2)
    param_names = ("threads",)

    def setup(self, threads):
        _skip_without_numba("numba")
        self.engine = Compiled(prepare(_instance(100), RULES["code"]), threads)
        self.engine.costs(1, 1)

    def time_costs(self, threads):
        self.engine.costs(1, 4 * ITERATIONS)


class Greedy:
    params = (("numba", "numpy"), ("code", "paper"))
    param_names = ("engine", "rule")

    def setup(self, engine, rule):
        _skip_without_numba(engine)
        self.instance = _instance(100)
        if engine == "numba":
            from rsjs.heuristics import greedy_compiled

            self.decide = lambda: greedy_compiled.decide(self.instance, rule)
        else:
            self.decide = lambda: greedy.decide(greedy.prepare(self.instance, rule))
        self.decide()

    def time_prepare_and_decide(self, engine, rule):
        self.decide()


class ColdProcess:
    def track_cpu_seconds(self):
        before = os.times()
        subprocess.run([sys.executable, "-c", COLD], check=True)
        after = os.times()
        return sum(after[2:4]) - sum(before[2:4])

    track_cpu_seconds.unit = "s"
