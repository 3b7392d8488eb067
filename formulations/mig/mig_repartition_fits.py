"""
Whether the assignment of `mig_repartition_nested` has a solution of a given makespan, by CP-SAT.

The same rows with C fixed, as clauses and linear constraints of CP-SAT without an objective. On
sets of 20 jobs it finds or refutes a makespan several times faster than the model with C as a
column does, and faster still if its searches take turns on the one thread.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rsjs.formulations.backends.cpsat import options
from rsjs.formulations.mig.reconfiguration_assignment import Nested
from rsjs.instances.method import Limits
from rsjs.instances.solution import Stop

Array = NDArray[np.float64]


def fits(data: Nested, makespan: int, limits: Limits, seconds: float) -> tuple[Stop, Array | None]:
    """OPTIMAL with a column vector, INFEASIBLE, or why it is not known."""
    from ortools.sat.python import cp_model

    m = cp_model.CpModel()
    x = [m.new_bool_var(f"x[{i}]") for i in range(len(data.rows))]
    for j in range(int(data.job.max()) + 1):
        m.add_exactly_one(x[i] for i in np.flatnonzero(data.job == j).tolist())
    for node in [*np.eye(len(data.free), dtype=np.int64), *data.nodes.astype(np.int64)]:
        volume = (data.covers @ node) * data.time
        inside = np.flatnonzero(volume).tolist()
        room = int(node.sum() * makespan - node @ data.free)
        m.add(sum(int(volume[i]) * x[i] for i in inside) <= room)
    solver = cp_model.CpSolver()
    asked = options(replace(limits, time_limit=seconds)) | {"interleave_search": True}
    for name, value in asked.items():
        setattr(solver.parameters, name, value)
    status = solver.solve(m)
    if status == cp_model.INFEASIBLE:
        return Stop.INFEASIBLE, None
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Stop.TIME_LIMIT, None
    taken = [float(solver.boolean_value(literal)) for literal in x]
    return Stop.OPTIMAL, np.array([*taken, float(makespan)])
