"""A campaign of schedules on MIG instances, and the files that it names."""

import json

from rsjs.campaigns import spec
from tests.mig_problems import JOBS

CONFIG = {
    "format": "rsjs-mig-config/1",
    "name": "drawn",
    "count": 3,
    "seeds": [1, 2],
    "arrivals": {"process": "poisson", "rate": 20},
    "classes": [{"name": "job", "run_length": 2, "memory": {"model": "fixed", "value": 900}}],
}
GOOD = """
format = "rsjs-campaign/1"
name = "test"
shows = "a test"
timing = "shared"
[limits]
time_s = 3600
gap = 0
[[mig_scheduling]]
files = ["four.json"]
objectives = ["makespan", "late,completion"]
[[mig_scheduling]]
set = "mig-section4"
seeds = [2]
[[methods]]
run = ["fcfs"]
[[methods]]
run = ["enumeration"]
on = ["*-makespan-*"]
[[methods]]
run = ["bigrem"]
on = ["*-section4-s2"]
"""


def read(folder, text=GOOD):
    """The campaign, written to a folder with its files."""
    (folder / "four.json").write_text(json.dumps(JOBS))
    (folder / "drawn.json").write_text(json.dumps(CONFIG))
    (folder / "campaign.toml").write_text(text)
    return spec.read(folder / "campaign.toml")
