"""
Every method on its families, from 10 x 40 to 100 x 400: seconds, gap and cost.

A family has two classes, one that times each method and one that tells what its schedules are
worth: cost by the checker, gap against the certified bound of the instance in expected.json, which
stays what it is while older commits are measured. All qualities of a family are computed once.
Cases on 2 x 4 are apart, since few methods have one. What is NaN is left out: a method without a
schedule, an instance without a bound.
"""

from __future__ import annotations

from math import nan

from benchmarks.cases import CASES, TINY, MethodCase, Values, grid, values_of
from benchmarks.expected import EXPECTED
from rsjs.runs.gap import gap

Qualities = dict[str, Values | str]  # values by case, or why there are none


def measurable(family: str, size: str, method: str) -> MethodCase:
    """The case, if it is one whose solver is there: else asv skips it."""
    case = CASES.get(MethodCase(family=family, size=size, method=method).name)
    if case is None or case.request.missing():
        raise NotImplementedError
    return case


def qualities_of(family: str) -> Qualities:
    """Of a family's cases; a method that fails does not take the others with it."""
    found: Qualities = {}
    for case in CASES.values():
        if case.family == family and case.size != TINY:
            try:
                found[case.name] = values_of(case, case.solve())
            except Exception as error:
                found[case.name] = f"{type(error).__name__}: {error}"
    return found


class _Seconds:
    param_names = ("method", "size")
    number, repeat, timeout = 1, (1, 6, 5.0), 120

    def setup(self, method, size):
        self.measured = measurable(self.family, size, method)
        self.measured.load()

    def time_solve(self, method, size):
        self.measured.solve()


class _Quality:
    param_names = ("method", "size")
    timeout = 600  # for all of a family

    def setup(self, qualities, method, size):
        self.measured = measurable(self.family, size, method)
        values = qualities[self.measured.name]
        if isinstance(values, str):
            raise ValueError(values)
        self.values = values

    def track_gap(self, qualities, method, size):
        found = gap(self.values["cost"], EXPECTED["bounds"][self.measured.where])
        return nan if found is None else 100 * found

    def track_cost(self, qualities, method, size):
        return nan if self.values["cost"] is None else self.values["cost"]

    track_gap.unit = "%"
    track_cost.unit = "$"


class Jahani(_Seconds):
    family, params = "jahani", grid("jahani")


class Kiros(_Seconds):
    family, params = "kiros", grid("kiros")


class Andreas(_Seconds):
    family, params = "andreas", grid("andreas")


class Sts(_Seconds):
    family, params = "sts", grid("sts")


class Gpuscheduler(_Seconds):
    family, params = "gpuscheduler", grid("gpuscheduler")


class JahaniQuality(_Quality):
    family, params = "jahani", grid("jahani")

    def setup_cache(self):
        return qualities_of(self.family)


class KirosQuality(_Quality):
    family, params = "kiros", grid("kiros")

    def setup_cache(self):
        return qualities_of(self.family)


class AndreasQuality(_Quality):
    family, params = "andreas", grid("andreas")

    def setup_cache(self):
        return qualities_of(self.family)


class StsQuality(_Quality):
    family, params = "sts", grid("sts")

    def setup_cache(self):
        return qualities_of(self.family)


class GpuschedulerQuality(_Quality):
    family, params = "gpuscheduler", grid("gpuscheduler")

    def setup_cache(self):
        return qualities_of(self.family)


class Tiny:
    params = (tuple(name for name, case in CASES.items() if case.size == TINY),)
    param_names = ("case",)
    number, repeat, timeout = 1, (1, 6, 5.0), 120

    def setup(self, name):
        self.measured = CASES[name]
        if self.measured.request.missing():
            raise NotImplementedError
        self.measured.load()

    def time_solve(self, name):
        self.measured.solve()

    def track_gap(self, name):
        cost = values_of(self.measured, self.measured.solve())["cost"]
        return 100 * gap(cost, EXPECTED["bounds"][self.measured.where])

    track_gap.unit = "%"
