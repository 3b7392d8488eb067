"""Whatever is done to a configuration, it is refused with an InputError or it makes jobs."""

import json
from contextlib import suppress
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rsjs.core.errors import InputError
from rsjs.instances.mig.job_generator.config import to_config
from rsjs.instances.mig.job_generator.generate import generate
from rsjs.instances.mig.konopa import generator
from rsjs.instances.mig.konopa.files import CONFIG
from rsjs.instances.mig.konopa.generator import to_config as to_legacy_config

RICH = json.loads("""
{"format": "rsjs-mig-config/1", "name": "rich", "count": 9, "seeds": {"range": [1, 3]},
 "arrivals": {"process": "batch", "size": {"dist": "geometric", "p": 0.5},
  "base": {"process": "nhpp", "points": [[0, 1], [4, 3]], "period": 6}},
 "classes": [
  {"name": "a", "weight": 1, "priority": {"dist": "poisson", "lambda": 3},
   "run_length": {"dist": "zipf", "s": 1.1, "n": 9},
   "memory": {"model": "random_walk", "clip": [1, 1990], "out_of_range": "resample",
    "first": {"dist": "lognormal", "mean": 100, "cv": 0.5, "truncate": [10, 900]},
    "step": {"kind": "normal", "rel_sd": 0.1}, "round": "floor"},
   "deadline": {"kind": "slack_factor", "value": {"dist": "pareto", "alpha": 2, "xm": 2}},
   "extra_fields": {"team": {"labels": ["x", "y"], "weights": [1, 2]}, "size": {"dist": "mixture",
    "components": [{"weight": 2, "dist": {"dist": "gamma", "shape": 2, "scale": 3}},
     {"weight": 1, "dist": {"dist": "weibull", "shape": 2, "scale": 3}}]}}},
  {"name": "b", "run_length": {"dist": "triangular", "low": 1, "mode": 3, "high": 8},
   "memory": {"model": "profile", "points": [[0, 0.5], [1, 1]], "noise": {"sd": 1},
    "peak": {"dist": "histogram", "edges": [1, 5, 9], "counts": [1, 2]}},
   "interruptible": {"prob": 0.5},
   "deadline": {"kind": "after_arrival", "value": {"dist": "exponential", "rate": 1}}},
  {"name": "c", "run_length": {"dist": "uniform_int", "low": 1, "high": 8},
   "cuda_cores": {"dist": "choice", "values": [1, 2], "weights": [1, 1]},
   "memory": {"model": "ar1", "mean": 50, "phi": 0.5, "sd": 3}}]}
""")
ODD = [None, True, -1, 0, 0.5, 7, 1e300, -1e300, 1e-300, 2**63, "x", "const", [], [1], [2, 1], {}]
VALUES = st.lists(st.sampled_from(ODD), min_size=1, max_size=3)
RANDOMS = st.randoms(use_true_random=False)


@given(RANDOMS, VALUES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of numbers that overflow
def test_a_damaged_configuration_is_refused_or_makes_jobs(damage, rng, values):
    document = deepcopy(RICH)
    for value in values:
        damage(document, rng, deepcopy(value))
    with suppress(InputError):
        jobs = generate(to_config(document, "rich.json"), 1)
        assert len(jobs) == document.get("count", len(jobs))


@given(RANDOMS, VALUES)
def test_a_damaged_configuration_of_the_program_is_refused_or_makes_jobs(damage, rng, values):
    document = deepcopy(CONFIG | {"numberOfJobs": 5})
    for value in values:
        damage(document, rng, deepcopy(value))
    with suppress(InputError):
        jobs = generator.generate(to_legacy_config(document), name="damaged")
        assert len(jobs) == int(document["numberOfJobs"])


def test_undamaged_it_makes_jobs():
    assert len(generate(to_config(RICH, "rich.json"), 1)) == 9
