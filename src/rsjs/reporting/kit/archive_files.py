"""Files of stores that an archive takes, and whether they cost what their rows say."""

from __future__ import annotations

from pathlib import Path

from rsjs.core.errors import InputError, described
from rsjs.experiments.best_known.pricing import AGREEMENT
from rsjs.experiments.campaigns.instance_store import InstanceStore
from rsjs.experiments.campaigns.store import Store
from rsjs.experiments.comparison import Row
from rsjs.reporting.kit.evidence import Experiment


def file_of_instance(experiment: Experiment, sha256: str) -> Path:
    """The file of an instance or a workload in a store that has it."""
    paths = [InstanceStore(folder).path(sha256) for folder in experiment.stores]
    for path in paths:
        if path.exists():
            return path
    raise InputError("", described("no such file"), "an instance of the store", paths[0])


def file_of_run(experiment: Experiment, run_id: str, name: str) -> Path:
    """A file of a run in the store that has it."""
    paths = [Store(folder).path(run_id) / name for folder in experiment.stores]
    return next(path for path in paths if path.exists())


def refuse_other_cost(row: Row, cost: float | None, path: Path) -> None:
    """Raise InputError if what is in a file does not cost what its row says; None = no decision."""
    told = row["objective"]
    if cost is None or abs(cost - told) > AGREEMENT * abs(told):
        found = described("no decision" if cost is None else f"a decision of cost {cost!r}")
        raise InputError("", found, f"the cost of its row, {told!r}", path)
