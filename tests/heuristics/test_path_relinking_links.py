"""Which schedules of a pool are linked, and what is made of the paths."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import pytest

from rsjs.heuristics.descent import Descent
from rsjs.heuristics.elite_pool import Pool, configurations
from rsjs.heuristics.path_relinking import Search
from rsjs.heuristics.stopping import Stopping
from rsjs.instances.generators.kiros import generate
from rsjs.instances.method import Call, Report
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution
from rsjs.methods import parse


class NoPath:
    """A relinking that finds no step from anywhere, and remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[list[int], list[int]]] = []

    def path(self, start: Solution, guide: list[int], most: int, stop: Stopping) -> None:
        self.asked.append((start.job_gpus.tolist(), list(guide)))


def test_each_schedule_is_linked_to_each_other_one_the_best_first(
    make: Callable[..., Instance],
) -> None:
    instance = make({"A2": 1}, [(3, ["A2"])], [{"A": [3, 2]}] * 3, due=[9] * 3)
    gpus = [2, 2, 1], [1, 1, 2], [1, 2, 1]
    schedules = [Solution.of(range(3), counts, [0] * 3) for counts in gpus]
    pool = Pool(instance, 3, 1)
    for cost, found in zip((7.0, 5.0, 6.0), schedules, strict=True):
        assert pool.add((cost, found))
    none = NoPath()
    assert Search(None, none, pool, Report()).link_all(0.5, Stopping(), Stopping()) == 6
    codes = [configurations(instance, found).tolist() for found in schedules]
    expected = [(list(gpus[a]), codes[b]) for a, b in permutations([1, 2, 0], 2)]
    assert none.asked == expected


@pytest.mark.parametrize(("improve", "descents"), [("true", 8), ("false", 0)])
def test_local_search_follows_each_path_unless_it_is_left_out(
    monkeypatch: pytest.MonkeyPatch, improve: str, descents: int
) -> None:
    plain, begun = Descent.improve, []

    def counted(self: Descent, start: Solution, stop: Stopping) -> tuple[float, Solution]:
        begun.append(start)
        return plain(self, start, stop)

    monkeypatch.setattr(Descent, "improve", counted)
    request = parse(f"path_relinking?improve={improve},iterations=8")
    result = request(generate(nodes=4, jobs=20, seed=1), Call(), Report())
    assert result.counts["iterations"] == 8
    assert len(begun) == result.counts["starts"] + descents
