"""Who gets idle GPUs if several jobs gain as much from them, in numpy and by kernels."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rsjs.heuristics import greedy
from rsjs.instances.schema import Instance


@pytest.mark.parametrize("engine", ["numpy", "kernels"])
@pytest.mark.parametrize("rule", [*greedy.RULES])
@pytest.mark.parametrize("due", [(900, 901, 902), (902, 901, 900), (901, 900, 902)])
def test_of_jobs_that_gain_as_much_the_first_one_gets_them_whoever_was_placed_first(
    make: Callable[..., Instance], rule: str, due: tuple[float, ...], engine: str
) -> None:
    """Each runs on one GPU of four, the cheapest; the most pressing one is placed first."""
    instance = make({"A4": [0.1, 1, 2, 3]}, [(1, ["A4"])], [{"A": [10, 8]}] * 3, due=due)
    if engine == "numpy":
        found = greedy.decide(greedy.prepare(instance, rule))
    else:
        from rsjs.heuristics import greedy_compiled

        found = greedy_compiled.decide(instance, rule)
    assert found.job_node.tolist() == [0, 0, 0]
    assert found.job_gpus.tolist() == [2, 1, 1]
