"""Prices, one pass of priced insertion, and ruin and recreate by iterations, at 100 x 400."""

from __future__ import annotations

from rsjs.core.call import Call, Limits
from rsjs.core.report import Report
from rsjs.heuristics.ruin_recreate import construction, dual_prices, ruin_recreate
from rsjs.instances import costs
from rsjs.instances.generators import jahani, kiros, sts
from rsjs.methods import parse

FAMILIES = {
    "jahani": lambda: jahani.generate(nodes=100, jobs=400, seed=1),
    "jahani-server2-11usd": lambda: jahani.generate(
        nodes=100, jobs=400, seed=1, catalogue="server2-11usd"
    ),
    "kiros": lambda: kiros.generate(nodes=100, jobs=400, seed=1),
    "sts": lambda: sts.generate(nodes=100, jobs=400, seed=1),
    "sts-paper": lambda: sts.generate(nodes=100, jobs=400, seed=1, sharing="paper"),
}


class Priced:
    params = (tuple(FAMILIES),)
    param_names = ("family",)

    def setup(self, family):
        self.instance = FAMILIES[family]()
        costs.cost_tables(self.instance)
        parse("priced_greedy").prepare(Call(), len(self.instance.jobs))

    def time_prices(self, family):
        dual_prices.find(self.instance)

    def time_greedy(self, family):
        construction.run(self.instance, Call(), Report())

    def track_gap(self, family):
        """Of one pass, against its own bound."""
        result = construction.run(self.instance, Call(), Report())
        return 100 * (1 - result.bound / result.objective)

    track_gap.unit = "%"


class RuinRecreate:
    params = (tuple(FAMILIES), (10_000, 50_000))
    param_names = ("family", "iterations")
    timeout = 120

    def setup(self, family, iterations):
        self.instance = FAMILIES[family]()
        costs.cost_tables(self.instance)
        parse("ruin_recreate").prepare(Call(), len(self.instance.jobs))
        self.call = Call(options={"iterations": iterations}, limits=Limits(gap=-1.0))

    def time_search(self, family, iterations):
        ruin_recreate.run(self.instance, self.call, Report())

    def track_gap(self, family, iterations):
        """Against its own bound, which is loose for kiros and for shares."""
        result = ruin_recreate.run(self.instance, self.call, Report())
        return 100 * (1 - result.bound / result.objective)

    track_gap.unit = "%"
