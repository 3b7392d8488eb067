"""MIG geometry, placement and repartitioning."""

from __future__ import annotations

import pytest

from benchmarks.bench_mig_geometry import A100, jobs, workloads
from rsjs.formulations import mig_placement, mig_repartition_bounds
from rsjs.formulations.mig_repartition_places import places
from rsjs.heuristics.mig_placement import place
from rsjs.heuristics.mig_repartition import best_greedy
from rsjs.instances.method import Limits
from rsjs.instances.mig.geometry import geometry
from rsjs.instances.mig.placement_check import check
from rsjs.instances.mig.repartition import makespan

OPTIMUM = (155, 40)  # GPUs, wasted slices
GPUS = {"ff": 160, "bf": 160, "wf": 167, "ff_pref": 159, "flex": 159, "ffd": 157}


def test_sets_of_placements(benchmark):
    assert len(benchmark(geometry.__wrapped__, A100).chosen) == 2319


def test_placement_to_optimality(benchmark):
    asked = workloads()
    found = benchmark(mig_placement.solve, asked, Limits(gap=0.0))
    verdict = check(asked, found.placement, bound=found.gpus_bound)
    assert (verdict.gpus, verdict.waste) == (found.gpus_bound, found.waste_bound) == OPTIMUM


@pytest.mark.parametrize(("rule", "gpus"), GPUS.items())
def test_placement_by_a_rule(benchmark, rule, gpus):
    asked = workloads()
    assert check(asked, benchmark(place, asked, rule)).gpus == gpus


def test_greedy_repartitioning(benchmark):
    own = jobs()
    assert makespan(own, benchmark(best_greedy, own)[1]) == 599


def test_bounds_of_repartitioning(benchmark):
    own = jobs()
    assert benchmark(lambda: mig_repartition_bounds.best(places(own))) == 586
