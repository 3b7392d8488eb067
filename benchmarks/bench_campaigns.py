"""What a run in a process of its own costs besides its method: greedy on two nodes, 1 ms."""

from __future__ import annotations

import os

from benchmarks.method_cases import TINY, instance_of
from rsjs.core.call import Limits
from rsjs.methods import parse
from rsjs.runs import verified_run


class TrivialRun:
    number, repeat, warmup_time = 1, 5, 0.0

    def setup(self):
        self.instance = instance_of("jahani", TINY)

    def run(self):
        return verified_run.run(self.instance, parse("greedy:paper"), Limits())

    def time_run(self):
        self.run()

    def track_cpu_seconds(self):
        """Of the worker, its start included."""
        before = os.times()
        self.run()
        after = os.times()
        return sum(after[2:4]) - sum(before[2:4])

    def track_peak_memory(self):
        return self.run().peak_memory_mb

    track_cpu_seconds.unit = "s"
    track_peak_memory.unit = "MB"
