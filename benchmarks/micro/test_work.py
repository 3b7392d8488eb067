"""Single calls of kernels, models, readers, simulations, ..., held to their values."""

from __future__ import annotations

import pytest

from benchmarks.expected import EXPECTED, differences
from benchmarks.work import GROUPS


@pytest.mark.parametrize(("group", "name"), [(g, n) for g, works in GROUPS.items() for n in works])
def test_run(benchmark, group, name):
    def make():
        try:
            made.append(GROUPS[group][name]())
        except NotImplementedError as missing:
            pytest.skip(str(missing))

    made = []
    found = benchmark.pedantic(lambda: made[-1].run(), setup=make, rounds=5)
    values = made[-1].values(found)
    benchmark.extra_info.update(values)
    assert differences(EXPECTED[group][name], values, made[-1].tolerance) == []
