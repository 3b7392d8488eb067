"""
The published dataset of the MIG job generator, `test_jobs.json`, byte for byte.

Its configuration (Konopa, Fesl and Beranek 2025, Table 3, where the mean of the memory is
misprinted as 200) determines all but the arrivals. These come from a second stream that the
configuration does not name; its seed was recovered from the arrivals in the dataset.
"""

from __future__ import annotations

from typing import Any

from rsjs.instances.mig.jobs import JobSet
from rsjs.instances.mig.konopa.config import to_config
from rsjs.instances.mig.konopa.files import published_text
from rsjs.instances.mig.konopa.generator import generate

SHA256 = "623a201745acb088aaa5e84e7f88be96e7ce8c9865033ccfd2be09141c06f438"
ARRIVAL_SEED = 189028438751160
CONFIG: dict[str, Any] = {
    "priorityConfigSettings": {
        "type": "Random",
        "distributionType": "Uniform",
        "distributionParams": {"lowerBound": 1, "upperBound": 5},
    },
    "deadlineConfigSettings": {"type": "Fixed", "deadline": 100},
    "maxRamUsageConfigSettings": {
        "type": "RandomDependentOnPrevious",
        "distributionType": "Normal",
        "distributionParams": {"mean": 2000, "sd": 50},
    },
    "maxTimeslicesNumberConfigSettings": {
        "type": "Random",
        "distributionType": "Normal",
        "distributionParams": {"mean": 5, "sd": 2},
    },
    "stoppabilityConfigSettings": {"type": "Fixed", "isStoppable": True},
    "cudaCoresConfigSettings": {"type": "Fixed", "coresNumber": 100},
    "jobsArrivalConfigSettings": {
        "type": "Random",
        "distributionType": "Poisson",
        "distributionParams": {"lambda": 10},
    },
    "numberOfJobs": 1000,
    "seed": 41,
}


def published_jobs() -> JobSet:
    """The 1000 jobs, arrivals with all digits."""
    return generate(
        to_config(CONFIG), name="mig-published", arrival_seed=ARRIVAL_SEED, document=CONFIG
    )


def published_dataset() -> bytes:
    """The bytes of the file; their sha256 is `SHA256`."""
    return published_text(published_jobs()).encode()
