"""Jobs for MIG instances: sets of them, geometry, placement, repartitioning, schedules."""

from __future__ import annotations

from hashlib import sha256

import pytest

from benchmarks.bench_mig import LAWS, config_of
from benchmarks.bench_mig_geometry import A100, jobs, workloads
from benchmarks.bench_mig_schedule import Makespan, Search
from benchmarks.mig_schedule_kernels import annealing, simulation
from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.formulations.mig import placement, reconfiguration_bounds
from rsjs.formulations.mig.reconfiguration_bounds import find_candidates
from rsjs.heuristics.mig.placement import place
from rsjs.heuristics.mig.reconfiguration import best_greedy
from rsjs.instances.mig.geometry import geometry
from rsjs.instances.mig.job_files import read_jobs, write_jobs
from rsjs.instances.mig.job_generator.generate import generate
from rsjs.instances.mig.job_generator.goodness_of_fit import statistics
from rsjs.instances.mig.konopa import files, java_random
from rsjs.instances.mig.placement.check import check
from rsjs.instances.mig.reconfiguration.problem import makespan


@pytest.mark.parametrize("laws", LAWS)
def test_draw_and_write(benchmark, laws, tmp_path):
    config = config_of(laws)
    path = tmp_path / "jobs.json"
    written = benchmark(lambda: write_jobs(generate(config, 1), path))
    assert read_jobs(path).digest == written.digest


def test_read(benchmark, tmp_path):
    jobs = generate(config_of("section 4"), 1)
    write_jobs(jobs, tmp_path / "jobs.json")
    assert benchmark(read_jobs, tmp_path / "jobs.json").digest == jobs.digest


def test_statistics(benchmark):
    config = config_of("day")
    rows = benchmark(statistics, [generate(config, 1)], config)
    assert len(rows) == 16


def test_published_dataset(benchmark):
    assert sha256(benchmark(files.published_dataset)).hexdigest() == files.SHA256


def test_tables_of_the_ziggurat(benchmark):
    assert benchmark(java_random.normal.__wrapped__) == java_random.normal()


OPTIMUM = (155, 40)  # GPUs, wasted slices
GPUS = {"ff": 160, "bf": 160, "wf": 167, "ff_pref": 159, "flex": 159, "ffd": 157}


def test_sets_of_placements(benchmark):
    assert len(benchmark(geometry.__wrapped__, A100).chosen) == 2319


def test_placement_to_optimality(benchmark):
    asked = workloads()
    found = benchmark(placement.solve, asked, Limits(gap=0.0))
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
    assert benchmark(lambda: reconfiguration_bounds.best(find_candidates(own))) == 586


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
