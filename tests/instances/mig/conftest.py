"""Configurations to start from, and what a value or a memory model in one draws."""

import json
from copy import deepcopy
from typing import Any

import pytest

from rsjs.instances.mig.job_generator.config import to_config
from rsjs.instances.mig.job_generator.context import ConfigContext, Node
from rsjs.instances.mig.job_generator.generate import generate
from rsjs.instances.mig.konopa.files import CONFIG

Document = dict[str, Any]
DAY: Document = json.loads("""
{"format": "rsjs-mig-config/1", "name": "day", "count": 40, "seeds": [1, 2],
 "arrivals": {"process": "poisson", "rate": 2},
 "classes": [
  {"name": "train", "weight": 2,
   "priority": {"dist": "choice", "values": [1, 2, 5], "weights": [5, 3, 1]},
   "run_length": {"dist": "uniform_int", "low": 1, "high": 10},
   "memory": {"model": "random_walk", "first": {"dist": "uniform", "low": 1, "high": 1990},
    "step": {"kind": "normal", "rel_sd": 0.1}, "clip": [1, 1990]},
   "interruptible": {"prob": 0.8},
   "deadline": {"kind": "slack_factor", "value": {"dist": "uniform", "low": 2, "high": 4}},
   "extra_fields": {"team": {"labels": ["a", "b"], "weights": [3, 1]}, "cost": 0.5}},
  {"name": "serve", "run_length": 3, "migratable": {"prob": 0},
   "memory": {"model": "fixed", "value": {"dist": "normal", "mean": 900, "sd": 60}}}]}
""")


@pytest.fixture
def day():
    """A configuration of two classes, to change."""
    return deepcopy(DAY)


@pytest.fixture(scope="session")
def made():
    """The set of a seed with so many jobs."""
    return lambda seed, count: generate(to_config(DAY | {"count": count}, "day.json"), seed)


@pytest.fixture
def legacy():
    """The configuration of the published dataset, to change."""
    return deepcopy(CONFIG)


@pytest.fixture
def read(tmp_path):
    """Build a configuration whose data files are in a temporary folder."""

    def build(document, **options):
        return to_config(document, tmp_path / "config.json", **options)

    return build


@pytest.fixture
def node(tmp_path):
    """The place of a value in a configuration without plug-ins."""
    context = ConfigContext(folder=tmp_path)
    return lambda value: Node(value, "/here", context)
