"""Single calls by topic: seconds, what they find, and what they have looked at."""

from __future__ import annotations

from math import nan

from benchmarks.work import GROUPS, LONG


class _Measured:
    param_names = ("call",)
    number, repeat, timeout = 1, (1, 10, 5.0), 300
    works = LONG

    def setup(self, name):
        self.work = self.works[name]()

    def time_run(self, name):
        self.work.run()

    def track_value(self, name):
        """The first value, a cost or bound in $ in most cases."""
        return next(iter(self.work.measured().values()))

    def track_count(self, name):
        """Neighbours, steps, iterations or jobs: the last of several values."""
        _, *others = self.work.measured().values()
        return others[-1] if others else nan


class Kernels(_Measured):
    works = GROUPS["kernels"]
    params = (tuple(works),)


class Instances(_Measured):
    works = GROUPS["instances"]
    params = (tuple(works),)


class Heuristics(_Measured):
    works = GROUPS["heuristics"]
    params = (tuple(works),)


class Formulations(_Measured):
    works = GROUPS["formulations"]
    params = (tuple(works),)

    def peakmem_run(self, name):
        self.work.run()


class Mig(_Measured):
    works = GROUPS["mig"]
    params = (tuple(works),)


class Simulation(_Measured):
    works = GROUPS["simulation"]
    params = (tuple(works),)


class Long(_Measured):
    params = (tuple(LONG),)
