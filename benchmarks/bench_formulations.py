"""Building, handing over and solving the exact models: speed and quality in pairs."""

from __future__ import annotations

from benchmarks.method_cases import CASES
from rsjs.core.call import Call, Limits
from rsjs.core.report import Report
from rsjs.formulations.milp import from_pyomo
from rsjs.formulations.milp.solve import formulation_of
from rsjs.formulations.rsjs import minlp, minlp_scip
from rsjs.formulations.rsjs.minlp import MinlpModel
from rsjs.instances import costs
from rsjs.instances.check import check
from rsjs.instances.generators import andreas, jahani, kiros, sts
from rsjs.methods import parse

MAKE = {
    "jahani": jahani.generate,
    "kiros": kiros.generate,
    "andreas": andreas.generate,
    "sts": lambda **size: sts.generate(mix="kma", **size),
    "sts shared": lambda **size: sts.generate(mix="kma", sharing="paper", **size),
}
BUILT = {  # formulation: family, nodes, jobs; the largest case, or one larger than can be solved
    **{
        case.request.method.name: (case.family.replace("sts", "sts shared"), *case.counts)
        for case in sorted(CASES.values(), key=lambda case: case.counts)
        if case.request.method.linear
    },
    "jahani_literal": ("jahani", 10, 100),
    "first_ending_nodes": ("kiros", 10, 100),
    "rsjs_nodes": ("sts shared", 20, 40),
    "rsjs_gpu": ("sts shared", 4, 16),
    "rsjs_classes": ("sts shared", 100, 400),
}
SOLVED = {  # what bench_methods has not: method: family, nodes, jobs, gap
    "jahani_patterns@scip": ("jahani", 100, 400, 1e-4),
    "jahani_patterns@cpsat": ("jahani", 100, 400, 1e-2),
    "jahani_dual@highs": ("jahani", 1000, 4000, 1e-4),
    "rsjs_sifting@highs": ("sts shared", 100, 400, 1e-3),
}


def instance_of(family, nodes, jobs):
    """The instance of a family and size with seed 1, its costs tabled."""
    instance = MAKE[family](nodes=nodes, jobs=jobs, seed=1)
    costs.cost_tables(instance)
    return instance


class Build:
    """Each formulation that is a matrix, at one size."""

    params = (tuple(BUILT),)
    param_names = ("formulation",)

    def setup(self, formulation):
        self.instance = instance_of(*BUILT[formulation])
        request = parse(formulation)
        self.options, self.formulation = request.options, formulation_of(request.method)

    def built(self):
        model = self.formulation.build(self.formulation.data_of(self.instance, **self.options))
        return from_pyomo.from_pyomo(model)[0]

    def time_standard_form(self, formulation):
        self.built()

    def peakmem_standard_form(self, formulation):
        self.built()

    def track_rows(self, formulation):
        return self.built().counts["rows"]

    def track_columns(self, formulation):
        return self.built().counts["columns"]

    def track_nonzeros(self, formulation):
        return self.built().counts["nonzeros"]


class BuildNonlinear:
    """The MINLP, which is no matrix: its Pyomo model and what SCIP is given."""

    def setup(self):
        self.data = MinlpModel.of(instance_of("sts", 4, 16))
        self.model = minlp.build(self.data)

    def time_pyomo(self):
        minlp.build(self.data)

    def time_translate(self):
        minlp_scip.translated(self.model)

    def track_columns(self):
        return len(from_pyomo.variables_of(self.model))


class Solve:
    """Larger instances and smaller gaps: seconds, bound and gap of checked cost."""

    params = (tuple(SOLVED),)
    param_names = ("method",)
    number, repeat, warmup_time, timeout = 1, 3, 0.0, 300

    def setup(self, method):
        *where, gap = SOLVED[method]
        self.request = parse(method)
        if self.request.missing():
            raise NotImplementedError
        self.limits = Limits(gap=gap, time_limit=60.0)
        self.instance = instance_of(*where)
        self.request.prepare(Call(), len(self.instance.jobs))

    def solved(self):
        return self.request(self.instance, Call(limits=self.limits), Report(60.0))

    def time_solve(self, method):
        self.solved()

    def track_bound(self, method):
        return self.solved().bound

    def track_gap(self, method):
        result = self.solved()
        if result.solution is None:
            return float("nan")
        cost = check(self.instance, result.solution).objective
        return (cost - result.bound) / abs(cost)
