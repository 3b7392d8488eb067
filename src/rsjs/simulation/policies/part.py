"""Parts of a workload with the speed and power of their jobs, computed once for all decisions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics.power_model import PowerModel, preset
from rsjs.instances.schema import Instance
from rsjs.simulation.state import State


class Parts:
    """The jobs at hand as instances whose `PowerModel` is known."""

    def __init__(self, whole: Instance) -> None:
        self._model = PowerModel.of(whole)

    def all(self, state: State) -> Instance:
        """The decision to take, with the current placement."""
        preset(state.instance, self._model.taken(state.rows))
        return state.instance

    def some(self, state: State, jobs: NDArray[np.int64], expectation: str) -> Instance:
        """Some of the jobs at hand, see `State.of`."""
        part = state.of(jobs, expectation)
        preset(part, self._model.taken(state.rows[jobs]))
        return part
