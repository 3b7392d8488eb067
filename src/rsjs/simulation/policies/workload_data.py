"""What is computed once for all jobs of a workload: speed and power, distributions as steps."""

from __future__ import annotations

from functools import cached_property

from rsjs.core.types import Ints
from rsjs.heuristics.sts.power_model import JobData, PowerModel
from rsjs.heuristics.sts.single_job import SurvivalSteps, steps_of_jobs, taken
from rsjs.instances.instance import Instance
from rsjs.simulation.state import State


class WorkloadData:
    """The data of all jobs, of which decisions take the rows of the jobs at hand."""

    def __init__(self, whole: Instance) -> None:
        self._whole, self._model = whole, PowerModel.of(whole)

    @cached_property
    def _steps(self) -> SurvivalSteps:
        return steps_of_jobs(self._whole)

    def model(self, rows: Ints) -> PowerModel:
        """Return the power model of some jobs of the workload."""
        return self._model.taken(rows)

    def jobs(self, state: State) -> JobData:
        """Return the data of the jobs at hand."""
        return JobData(self.model(state.rows), taken(self._steps, state.rows, state.epochs_done))
