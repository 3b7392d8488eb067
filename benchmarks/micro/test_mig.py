"""Sets of jobs for MIG instances, and the published dataset."""

from __future__ import annotations

from hashlib import sha256

import pytest

from benchmarks.bench_mig import LAWS, config_of
from rsjs.instances.mig import published, ziggurat
from rsjs.instances.mig.generator import generate
from rsjs.instances.mig.job_files import read_jobs, write_jobs
from rsjs.instances.mig.self_check import statistics


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
    assert sha256(benchmark(published.published_dataset)).hexdigest() == published.SHA256


def test_tables_of_the_ziggurat(benchmark):
    assert benchmark(ziggurat.normal.__wrapped__) == ziggurat.normal()
