"""Jobs on MIG instances: best fit, moves of local search, the bound, CP-SAT to a proof."""

from __future__ import annotations

from benchmarks.bench_mig_schedule import Makespan, Search
from benchmarks.mig_schedule_kernels import annealing, simulation
from rsjs.instances.solution import Stop


def test_best_fit(benchmark):
    work = simulation()
    assert work.values(benchmark(work.run)) == {"cost": 1734}


def test_moves_of_local_search(benchmark):
    work = annealing()
    assert work.values(benchmark(work.run))["cost"] < 1760


def test_lagrangian_bound(benchmark):
    search = Search()
    search.setup()
    assert 1700 < benchmark(search.bound) <= 1726


def test_proof_of_the_makespan(benchmark):
    makespan = Makespan()
    makespan.setup()
    assert benchmark(makespan.proof).stop is Stop.OPTIMAL
