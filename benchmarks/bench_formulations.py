"""Building, handing over and solving the exact models: speed and quality in pairs."""

from __future__ import annotations

from rsjs.formulations import jahani_literal, jahani_patterns, standard_form
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.jahani_literal_data import LiteralModel
from rsjs.formulations.jahani_patterns_data import PatternModel
from rsjs.instances.generators.jahani import generate
from rsjs.instances.method import Limits

PREPARED = {
    "jahani_patterns": (jahani_patterns, PatternModel.of, 100),
    "jahani_literal": (jahani_literal, LiteralModel, 10),
}


def solved(solver, model, gap, seconds=60.0):
    """What a backend answers, without streaming."""
    return backend(solver).load()(
        model,
        Limits(gap=gap),
        seconds=seconds,
        start=None,
        on_incumbent=lambda x: None,
        on_bound=lambda b: None,
        stop=lambda: False,
        log=False,
    )


class Build:
    """jahani_patterns at 100 x 400, jahani_literal at 10 x 100."""

    params = (tuple(PREPARED),)
    param_names = ("formulation",)

    def setup(self, formulation):
        self.module, self.data, nodes = PREPARED[formulation]
        self.instance = generate(nodes=nodes, jobs=min(400, 10 * nodes), seed=1)

    def time_arrays(self, formulation):
        self.module.arrays(self.data(self.instance))

    def time_standard_form(self, formulation):
        standard_form.from_pyomo(self.module.build(self.data(self.instance)))

    def peakmem_standard_form(self, formulation):
        standard_form.from_pyomo(self.module.build(self.data(self.instance)))

    def track_rows(self, formulation):
        return self.module.arrays(self.data(self.instance)).counts["rows"]

    def track_columns(self, formulation):
        return self.module.arrays(self.data(self.instance)).counts["columns"]

    def track_nonzeros(self, formulation):
        return self.module.arrays(self.data(self.instance)).counts["nonzeros"]


class Solve:
    """jahani_patterns at 100 x 400: HiGHS and SCIP to 0.01 %, CP-SAT to 1 %."""

    params = (("highs", "scip", "cpsat"), ("table2", "server2-11usd"), ("base", "tight"))
    param_names = ("solver", "catalogue", "due")
    number, repeat, warmup_time = 1, 3, 0.0

    def setup(self, solver, catalogue, due):
        if not backend(solver).available():
            raise NotImplementedError
        instance = generate(nodes=100, jobs=400, seed=1, catalogue=catalogue, due=due)
        self.model = jahani_patterns.arrays(PatternModel.of(instance))
        self.gap = 1e-2 if solver == "cpsat" else 1e-4
        backend(solver).load()

    def time_solve(self, solver, catalogue, due):
        solved(solver, self.model, self.gap)

    def track_gap(self, solver, catalogue, due):
        result = solved(solver, self.model, self.gap)
        return (result.objective - result.bound) / abs(result.objective)
