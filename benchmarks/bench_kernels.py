"""Each kernel on one instance: seconds, the cost that it leads to, and what it has looked at."""

from __future__ import annotations

from math import nan

from benchmarks.kernel_cases import KERNELS


class Kernel:
    params = (tuple(KERNELS),)
    param_names = ("kernel",)
    number, repeat = 1, (1, 10, 5.0)

    def setup(self, kernel):
        self.work = KERNELS[kernel]()

    def time_run(self, kernel):
        self.work.run()

    def track_cost(self, kernel):
        return self.work.values(self.work.run())["cost"]

    def track_count(self, kernel):
        """Neighbours, steps, iterations or jobs: the last of the values, if any."""
        *_, (name, value) = self.work.values(self.work.run()).items()
        return nan if name == "cost" else value

    track_cost.unit = "$"
