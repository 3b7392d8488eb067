"""N1 to N7 against their definitions written out, priced by `costs.terms` and checked."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.heuristics.dispatching import candidates
from rsjs.heuristics.greedy import greedy
from rsjs.heuristics.local_search import kernels_costs, kernels_neighbourhoods, kernels_search
from rsjs.heuristics.local_search.arrays import (
    solution_arrays,
    tables,
    to_solution,
    without_empty_nodes,
)
from rsjs.instances import costs
from rsjs.instances.bin_packing import gpus_for_shares
from rsjs.instances.check import check
from rsjs.instances.io.deserialization import to_instance
from rsjs.instances.io.gpuscheduler_csv import read_any
from rsjs.instances.solution import Solution

pytestmark = pytest.mark.slow

SIZES = ("azure4_N10_J40", "azure8_N25_J100", "azure4_N100_J400_tight")
CASES = tuple(f"oneshot_{size}_s1" for size in SIZES)


class Oracle:
    """The neighbourhoods of a schedule by their definitions, without any table of the search."""

    def __init__(self, instance, now, k, only_late):
        self.instance, self.now = instance, now
        self.place = costs.execution(instance, now)
        self.cost = costs.cost_tables(instance)
        self.pressure = candidates.pressure(instance)
        price = costs.node_prices(instance, now, self.place)
        ranked: list[tuple[float, int]] = []
        in_time: list[tuple[float, int]] = []
        running = zip(self.place.running, self.place.hours, self.place.tardiness, strict=True)
        for j, hours, tardiness in running:
            n = now.job_node[j]
            part = self._amount(j) / self.place.used[n] * price[n] * hours
            if tardiness > 0:
                ranked.append((-tardiness, int(j)))
            else:
                in_time.append((-part, int(j)))
        self.dear = [j for _, j in sorted(in_time)][:k]
        self.late = [j for _, j in sorted(ranked)][:k]
        if not only_late:
            self.late = (self.late + self.dear)[:k]
        self.only_late = only_late

    def _amount(self, j):
        if self.now.job_level[j] < 0:
            return float(self.now.job_gpus[j])
        gpu = self._gpu(self.now.job_node[j])
        return gpu.levels[self.now.job_level[j]].units / gpu.units

    def _gpu(self, n):
        cluster = self.instance.cluster
        return cluster.gpu_types[cluster.gpu_of_type[self.now.node_type[n]]]

    def neighbours(self, digit):
        """Feasible neighbours in N`digit`."""
        makers = (self._n1, self._n2, self._n3, self._n4, self._n5, self._n6, self._n7)
        for node, gpus, level, kind in makers[digit - 1]():
            found = Solution.of(node, gpus, kind, level)
            if check(self.instance, found).feasible:
                yield found

    def _arrays(self):
        now = self.now
        return tuple(map(np.array, (now.job_node, now.job_gpus, now.job_level, now.node_type)))

    def _swapped(self, j, i):
        arrays = self._arrays()
        for array in arrays[:3]:
            array[[j, i]] = array[[i, j]]
        return arrays

    def _exchanges(self, others):
        for j, i in product(self.late, others):
            if self.now.job_node[j] != self.now.job_node[i]:
                yield self._swapped(j, i)

    def _n1(self):
        return self._exchanges(self.dear)

    def _n2(self):
        return self._exchanges(self.place.running.tolist())

    def _n3(self):
        for j in np.flatnonzero(self.now.job_node < 0).tolist():
            for i in self.place.running.tolist():
                if not self.only_late or self.pressure[i] < self.pressure[j]:
                    yield self._swapped(j, i)

    def _nodes(self, shared):
        for n in {int(self.now.job_node[j]) for j in self.late}:
            jobs = np.flatnonzero(self.now.job_node == n).tolist()
            if shared or (self.now.job_level[jobs] < 0).all():
                yield n, int(self.now.node_type[n]), jobs

    def _retyped(self, n, v, gpus):
        arrays = self._arrays()
        arrays[3][n] = v
        for j, g in gpus.items():
            arrays[1][j] = g
        return arrays

    def _n4(self):
        cluster = self.instance.cluster
        for n, w, jobs in self._nodes(shared=False):
            for v in range(len(cluster.node_types)):
                gpu, old = cluster.gpu_of_type[v], cluster.gpu_of_type[w]
                same_size = cluster.gpus_of_type[v] == cluster.gpus_of_type[w]
                g = self.now.job_gpus[jobs]
                hours = self.cost.hours[jobs]
                if gpu != old and same_size:
                    rows = np.arange(len(jobs))
                    if (hours[rows, old, g] - hours[rows, gpu, g]).sum() > 0:
                        yield self._retyped(n, v, {})

    def _n5(self):
        return self._scaled(2, 1)

    def _n6(self):
        return self._scaled(1, 2)

    def _scaled(self, times, by):
        cluster = self.instance.cluster
        for n, w, jobs in self._nodes(shared=False):
            gpus = {j: int(self.now.job_gpus[j]) * times for j in jobs}
            if any(g % by for g in gpus.values()):
                continue
            for v in range(len(cluster.node_types)):
                same = cluster.gpu_of_type[v] == cluster.gpu_of_type[w]
                if same and cluster.gpus_of_type[v] * by == cluster.gpus_of_type[w] * times:
                    yield self._retyped(n, v, {j: g // by for j, g in gpus.items()})

    def _n7(self):
        for n, v, jobs in self._nodes(shared=True):
            own = [j for j in jobs if self.now.job_level[j] < 0]
            gpu = self._gpu(n)
            shares = [gpu.levels[self.now.job_level[j]].units for j in jobs if j not in own]
            room = self.instance.cluster.node_types[v].gpus - gpus_for_shares(shares, gpu.units)
            for counts in product(range(1, room + 1), repeat=len(own)):
                if sum(counts) <= room:
                    yield self._retyped(n, v, dict(zip(own, counts, strict=True)))


def only(*digits):
    return np.isin(np.arange(1, 8), digits)


def best_change(instance, start, k, only_late, digit):
    """By how much the best neighbour in N`digit` changes the cost, 0 if none is better."""
    found = tables(instance, only_late=only_late)
    state = solution_arrays(instance, found, start, k)
    kernels_costs.refresh(found, state)
    move, done = kernels_neighbourhoods.no_move(len(instance.jobs)), np.zeros(2, dtype=np.int64)
    kernels_search.descend(found, state, move, only(digit), 1, 10**9, done)
    return float(move.change[0])


@given(
    st.randoms(use_true_random=False),
    st.booleans(),
    st.sampled_from([1, 2, 10]),
)
def test_the_best_neighbour_is_that_of_the_definition_and_costs_what_is_claimed(
    random_document, random_decision, rng, only_late, k
):
    instance = to_instance(random_document(rng))
    start = without_empty_nodes(instance, random_decision(instance, rng))
    found = tables(instance, only_late=only_late)
    before = kernels_costs.refresh(found, solution_arrays(instance, found, start, k))
    assert before == pytest.approx(costs.terms(instance, start).total, rel=1e-9, abs=1e-9)
    oracle = Oracle(instance, start, k, only_late)
    for digit in range(1, 8):
        change = best_change(instance, start, k, only_late, digit)
        after = [costs.terms(instance, other).total for other in oracle.neighbours(digit)]
        least = min(after, default=np.inf)
        assert before + change == pytest.approx(min(before, least), rel=1e-9, abs=1e-9), f"N{digit}"


@given(st.randoms(use_true_random=False), st.booleans())
def test_every_move_is_feasible_and_no_neighbour_improves_the_last_schedule(
    random_document, random_decision, rng, only_late
):
    instance = to_instance(random_document(rng))
    start = without_empty_nodes(instance, random_decision(instance, rng))
    final = descended(instance, start, only_late, 10)
    least = costs.terms(instance, final).total
    oracle = Oracle(instance, final, 10, only_late)
    for digit in range(1, 8):
        for other in oracle.neighbours(digit):
            assert costs.terms(instance, other).total >= least - 1e-9 * max(1.0, least)


def descended(instance, start, only_late, k):
    """The end of a descent whose every move is checked and priced."""
    found = tables(instance, only_late=only_late)
    state = solution_arrays(instance, found, start, k)
    cost = kernels_costs.refresh(found, state)
    move, done = kernels_neighbourhoods.no_move(len(instance.jobs)), np.zeros(2, dtype=np.int64)
    while not kernels_search.descend(found, state, move, only(*range(1, 8)), 1, 10**9, done):
        now = to_solution(instance, found, state)
        verdict = check(instance, now)
        assert verdict.feasible, [str(violation) for violation in verdict.violations]
        claimed, cost = cost + move.change[0], costs.terms(instance, now).total
        assert cost == pytest.approx(claimed, rel=1e-9, abs=1e-9)
        assert state.total[0] == pytest.approx(cost, rel=1e-9, abs=1e-9)
    return to_solution(instance, found, state)


@pytest.mark.parametrize("case", CASES)
def test_moves_on_the_authors_cases_are_feasible_and_cost_what_is_claimed(shared, case):
    instance = read_any(shared / "data/peer" / case)
    start = greedy.decide(instance, "paper")
    final = descended(instance, without_empty_nodes(instance, start), True, 10)
    assert costs.terms(instance, final).total <= costs.terms(instance, start).total
