"""Parts of a workload with what is computed once for all decisions: speed, power, laws as steps."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics import survival_steps
from rsjs.heuristics.power_model import PowerModel, preset
from rsjs.heuristics.survival_steps import Steps, steps_of_jobs
from rsjs.instances.schema import Instance
from rsjs.simulation.state import State


class Parts:
    """The jobs at hand as instances whose `PowerModel` is known, and `Steps` if they are all."""

    def __init__(self, whole: Instance) -> None:
        self._whole, self._model = whole, PowerModel.of(whole)

    @cached_property
    def _steps(self) -> Steps:
        return steps_of_jobs(self._whole)

    def all(self, state: State) -> Instance:
        """The decision to take, with the current placement."""
        rows, instance = state.rows, state.instance
        preset(instance, self._model.taken(rows))
        survival_steps.preset(instance, survival_steps.taken(self._steps, rows, state.epochs_done))
        return instance

    def planned(self, state: State, expectation: str) -> Instance:
        """All jobs at hand, see `State.of`."""
        return self.some(state, np.arange(len(state.rows)), expectation)

    def some(self, state: State, jobs: NDArray[np.int64], expectation: str) -> Instance:
        """Some of the jobs at hand, see `State.of`."""
        part = state.of(jobs, expectation)
        preset(part, self._model.taken(state.rows[jobs]))
        return part
