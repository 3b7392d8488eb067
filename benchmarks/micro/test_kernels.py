"""Each kernel on one instance, held to its cost and counts: the twin of bench_kernels."""

from __future__ import annotations

import pytest

from benchmarks.expected import EXPECTED, differences
from benchmarks.kernel_cases import KERNELS, TOLERANCE


@pytest.mark.parametrize("name", KERNELS)
def test_run(benchmark, name):
    def make():
        made.append(KERNELS[name]())

    made = []
    found = benchmark.pedantic(lambda: made[-1].run(), setup=make, rounds=5)
    values = made[-1].values(found)
    benchmark.extra_info.update(values)
    assert differences(EXPECTED["kernels"][name], values, TOLERANCE.get(name)) == []
