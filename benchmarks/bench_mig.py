"""Sets of jobs for MIG instances: drawing, writing, reading, the published dataset."""

from __future__ import annotations

import tempfile
from pathlib import Path

from rsjs.instances.mig.job_files import read_jobs, write_jobs
from rsjs.instances.mig.job_generator.config import to_config
from rsjs.instances.mig.job_generator.generate import generate
from rsjs.instances.mig.job_generator.goodness_of_fit import statistics
from rsjs.instances.mig.jobs import text_and_digest
from rsjs.instances.mig.konopa import files, java_random

SETS = 20
_WALK = {
    "model": "random_walk",
    "first": {"dist": "uniform", "low": 1, "high": 1990},
    "step": {"kind": "normal", "rel_sd": 0.1},
    "clip": [1, 1990],
}
_RUSH = {"process": "nhpp", "period": 1440, "points": [[0, 2], [480, 20], [1020, 6], [1320, 2]]}
_TRAIN = {
    "name": "train",
    "weight": 3,
    "run_length": {"dist": "lognormal", "mean": 20, "cv": 1, "round": "ceil"},
    "memory": {"model": "ar1", "mean": 900, "phi": 0.9, "sd": 40},
    "deadline": {"kind": "slack_factor", "value": {"dist": "gamma", "shape": 4, "scale": 1}},
}
LAWS = {
    "section 4": {
        "arrivals": {"process": "poisson", "rate": 20},
        "classes": [
            {
                "name": "job",
                "run_length": {"dist": "uniform_int", "low": 1, "high": 10},
                "memory": _WALK,
                "deadline": {"kind": "absolute", "value": 250},
            }
        ],
    },
    "day": {
        "arrivals": _RUSH,
        "classes": [
            _TRAIN,
            {
                "name": "serve",
                "run_length": {"dist": "geometric", "p": 0.2},
                "memory": _WALK | {"out_of_range": "resample"},
            },
        ],
    },
}


def config_of(laws, jobs=1000):
    """A configuration of one of `LAWS`."""
    head = {"format": "rsjs-mig-config/1", "name": "bench", "count": jobs, "seeds": [1]}
    return to_config(head | LAWS[laws], "bench.json")


class Sets:
    """Twenty sets of 1000 jobs: a fiftieth of the thousand sets of the target."""

    params = (tuple(LAWS),)
    param_names = ("laws",)

    def setup(self, laws):
        self.folder = tempfile.TemporaryDirectory()
        self.config = config_of(laws)
        self.jobs = generate(self.config, 1)
        self.path = Path(self.folder.name) / "jobs.json"
        write_jobs(self.jobs, self.path)

    def teardown(self, laws):
        self.folder.cleanup()

    def time_draw_and_write(self, laws):
        for seed in range(SETS):
            write_jobs(generate(self.config, seed), self.path)

    def time_draw(self, laws):
        for seed in range(SETS):
            generate(self.config, seed)

    def time_text_and_digest(self, laws):
        for _ in range(SETS):
            text_and_digest(self.jobs)

    def time_read(self, laws):
        read_jobs(self.path)

    def time_statistics(self, laws):
        statistics([self.jobs], self.config)

    def track_bytes(self, laws):
        return self.path.stat().st_size

    track_bytes.unit = "B"


class Published:
    """The published dataset, without and with the tables of the ziggurat."""

    def setup(self):
        files.published_dataset()

    def time_dataset(self):
        files.published_dataset()

    def time_first_dataset(self):
        java_random.normal.cache_clear()
        files.published_dataset()
