"""
Single calls that are measured, by topic: each made anew, timed, and held to its values.

asv measures all of them (`suites/work.py`), pytest-benchmark all but the long ones
(`micro/test_work.py`); `expected.json` has their values.
"""

from collections.abc import Callable, Mapping

from benchmarks.cases import Work
from benchmarks.work import formulations, heuristics, instances, kernels, mig, simulation

GROUPS: Mapping[str, Mapping[str, Callable[[], Work]]] = {
    "kernels": kernels.WORK,
    "instances": instances.WORK,
    "heuristics": heuristics.WORK,
    "formulations": formulations.WORK,
    "mig": mig.WORK,
    "simulation": simulation.WORK,
}
LONG = simulation.LONG
