"""Certified bounds at 100 x 400 by themselves: seconds, and how far below the best one known."""

from __future__ import annotations

from benchmarks.expected import EXPECTED
from benchmarks.method_cases import LARGE, instance_of

BEST = EXPECTED.get("bounds", {})


def of_modes(instance):
    """Jahani's Lagrangian dual, maximised by HiGHS."""
    from rsjs.formulations.jahani.lagrangian import maximise
    from rsjs.formulations.jahani.mode_model import InstanceModes

    return maximise(InstanceModes.of(instance).model).bound


def of_classes(instance):
    """Form E's linear program by sifting."""
    from rsjs.formulations.rsjs.aggregated.column_generation import lower_bound

    return lower_bound(instance).bound


def of_prices(instance):
    """The dual that guides ruin_recreate and priced_greedy, without any solver."""
    from rsjs.heuristics.ruin_recreate.dual_prices import find

    return find(instance).bound


BOUNDS = {
    "jahani slots": ("jahani", of_modes),
    "jahani prices": ("jahani", of_prices),
    "kiros classes": ("kiros", of_classes),
    "kiros prices": ("kiros", of_prices),
    "sts classes": ("sts", of_classes),
    "sts prices": ("sts", of_prices),
}


class Bound:
    params = (tuple(BOUNDS),)
    param_names = ("bound",)
    number, repeat = 1, (1, 10, 5.0)

    def setup(self, bound):
        self.family, self.find = BOUNDS[bound]
        self.instance = instance_of(self.family, LARGE)

    def time_find(self, bound):
        self.find(self.instance)

    def track_loss(self, bound):
        return 100 * (1 - self.find(self.instance) / BEST[f"{self.family} {LARGE}"])

    track_loss.unit = "%"
