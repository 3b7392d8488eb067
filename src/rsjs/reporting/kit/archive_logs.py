"""The cheapest simulation of each workload in an archive: its log, simulated again before."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rsjs.core.errors import InputError
from rsjs.experiments.comparison import Row
from rsjs.experiments.problems import problem
from rsjs.experiments.simulations import LOG
from rsjs.instances.io.files import read_workload, write_bytes
from rsjs.reporting.kit.archive_data import Best, Data
from rsjs.reporting.kit.archive_files import file_of_instance, file_of_run, refuse_other_cost
from rsjs.reporting.kit.evidence import Experiment
from rsjs.reporting.objectives import best_row
from rsjs.reporting.rows import is_simulated


def write_logs(found: Sequence[Experiment], data: Sequence[Data], folder: Path) -> list[Best]:
    """
    Copy the log of the cheapest simulation of each workload, campaign by campaign.

    Simulations of several campaigns are not compared: their options may differ. Where the times of
    a campaign differ by seed, each seed has its log.

    Raises
    ------
    InputError
        If a log does not hold, or its run does not cost what its row says.
    """
    name_of = {one.sha256: one.file.removesuffix(".json.gz") for one in data}
    made = []
    for experiment in found:
        for row in _cheapest(experiment.rows):
            path = file_of_run(experiment, row["run_id"], LOG)
            _refuse_refuted_log(row, path, file_of_instance(experiment, row["instance_sha256"]))
            seed = f"-seed{row['seed']}" if problem(row)[-1] is not None else ""
            file = f"{experiment.name}/{name_of[row['instance_sha256']]}{seed}.jsonl.gz"
            write_bytes(path.read_bytes(), folder / file)
            made.append(
                Best(
                    file=file,
                    instance=row["instance"],
                    method=row["method"],
                    run_id=row["run_id"],
                    objective=row["objective"],
                )
            )
    return sorted(made, key=lambda one: one.file)


def _cheapest(rows: Sequence[Row]) -> list[Row]:
    runs: dict[tuple[object, ...], list[Row]] = {}
    for row in filter(is_simulated, rows):
        runs.setdefault(problem(row), []).append(row)
    best = map(best_row, runs.values())
    return [row for row in best if row is not None]


def _refuse_refuted_log(row: Row, log: Path, workload: Path) -> None:
    from rsjs.simulation import event_log
    from rsjs.simulation.recorded import replay

    try:
        found = replay(read_workload(workload), event_log.read(log))
    except InputError as error:
        raise error.at(log) from None
    refuse_other_cost(row, found.totals.cost, log)
