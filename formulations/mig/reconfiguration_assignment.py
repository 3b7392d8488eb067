"""
Reconfiguration of one GPU without any time: jobs that are all released, after what is running.

Sets and data
    j in J jobs, q in Q placements, d_jq durations, delta time to make an instance, s slices
    f_s time from which on slice s is free; all jobs are released by min f_s + delta

Variables
    x_jq in {0, 1}    job j runs on placement q
    C in {0, 1, ...}  makespan

    min  C
    (one)    sum_q x_jq = 1                                      for all j
    (slice)  sum_{j, q over s} (d_jq + delta) x_jq <= C - f_s    for all s
    (node)   the sum of (slice) over several slices, those of a placement or of all placements of
             a profile

Exact where placements are laminar (of any two, one contains the other or they are disjoint) and
memory slices alone decide what fits, as on all GPUs known. (slice) is necessary. It is sufficient:
on each slice, let smaller placements come before larger ones, without a pause between the jobs of
one placement. Then a placement is through when the last of its slices is, and so, step by step up
to the whole GPU, the last job ends at the largest f_s + sum of what is over s. (node) is redundant:
solvers see integers in it that they do not see in the sum, and prove sooner that a makespan is
impossible.

With one release for all jobs, f_s = max(r - delta, 0) gives the optimum of the whole problem.

`fits` asks CP-SAT whether there is a solution of a given makespan: these rows with C fixed, as
clauses and linear constraints without an objective. On sets of 20 jobs it finds or refutes a
makespan several times faster than the model with C as a column does, and faster still if its
searches take turns on the one thread.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rsjs.core.call import Limits
from rsjs.core.errors import InputError, described
from rsjs.core.report import Stop
from rsjs.core.types import Bools, Floats, Ints
from rsjs.formulations.backends.cpsat import ORTOOLS, options
from rsjs.formulations.mig.reconfiguration_bounds import Candidates, find_candidates
from rsjs.instances.mig.reconfiguration.problem import ReconfigurationProblem

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel


INDEX_LETTERS = {"x": "i", "one": "j", "slice": "s", "node": "r"}


@dataclass(frozen=True, eq=False)
class AssignmentModel:
    """Data of the assignment model; column order is the candidates (x), then C."""

    candidates: Candidates
    rows: Ints  # (n,) the candidates of the jobs in question
    free: Ints  # (slices,) f_s

    @staticmethod
    def of(candidates: Candidates) -> AssignmentModel:
        """Build the model of all jobs, from the earliest time on at which an instance is made."""
        jobs = candidates.jobs
        first = max(int(jobs.release.max()) - jobs.delta, 0)
        return AssignmentModel(
            candidates, np.arange(len(candidates.job)), np.full(jobs.gpu.memory_slices, first)
        )

    @cached_property
    def time(self) -> Ints:
        """(n,) d_jq + delta."""
        return np.asarray(self.candidates.duration[self.rows] + self.candidates.jobs.delta)

    @cached_property
    def covers(self) -> Bools:
        """(n, slices) whether a candidate takes a slice."""
        return np.asarray(self.candidates.covers[self.rows])

    @cached_property
    def job(self) -> Ints:
        """(n,) job of each candidate, counted from 0."""
        return np.asarray(np.unique(self.candidates.job[self.rows], return_inverse=True)[1])

    @cached_property
    def nodes(self) -> Bools:
        """(nodes, slices) distinct sets of several slices: of a placement, of a profile."""
        geometry, slices = self.candidates.geometry, self.covers.shape[1]
        of_profile = [
            np.bitwise_or.reduce(geometry.mask[geometry.profile == p])
            for p in np.unique(geometry.profile)
        ]
        masks = np.unique([*geometry.mask, *of_profile])[:, None] >> np.arange(slices) & 1 > 0
        return np.asarray(masks[masks.sum(axis=1) > 1])

    @cached_property
    def horizon(self) -> int:
        """No makespan of jobs one after the other is larger."""
        slowest = np.zeros(int(self.job.max()) + 1, dtype=np.int64)
        np.maximum.at(slowest, self.job, self.time)
        return int(self.free.max() + slowest.sum())


def data_of(jobs: ReconfigurationProblem) -> AssignmentModel:
    """Return the model of a problem; InputError where it is not exact."""
    candidates = find_candidates(jobs)
    if not candidates.laminar or (jobs.release != jobs.release[0]).any():
        found = described(f"{jobs.name}, jobs with releases or placements that overlap")
        raise InputError("/jobs", found, "jobs released together on a GPU of nested placements")
    return AssignmentModel.of(candidates)


def build(data: AssignmentModel) -> ConcreteModel:
    """Build the Pyomo model; its variables in order of declaration are x, then C."""
    import pyomo.core as pyo

    m = pyo.ConcreteModel(name="mig_repartition_nested")
    time, free, slices = data.time.tolist(), data.free.tolist(), range(len(data.free))
    m.x = pyo.Var(range(len(time)), domain=pyo.Binary)
    m.C = pyo.Var(domain=pyo.NonNegativeIntegers, bounds=(0, float(data.horizon)))
    m.makespan = pyo.Objective(expr=m.C)
    m.one = pyo.Constraint(
        range(int(data.job.max()) + 1),
        rule=lambda m, j: pyo.quicksum(m.x[i] for i in np.flatnonzero(data.job == j).tolist()) == 1,
    )
    over = [np.flatnonzero(data.covers[:, s]).tolist() for s in slices]
    m.slice = pyo.Constraint(
        slices,
        rule=lambda m, s: pyo.quicksum(time[i] * m.x[i] for i in over[s]) - m.C <= -free[s],
    )
    node = [np.flatnonzero(row).tolist() for row in data.nodes]
    m.node = pyo.Constraint(
        range(len(node)),
        rule=lambda m, k: (
            pyo.quicksum(time[i] * m.x[i] for s in node[k] for i in over[s]) - len(node[k]) * m.C
            <= -sum(free[s] for s in node[k])
        ),
    )
    return m


def warm_start(data: AssignmentModel, rows: Ints) -> Floats:
    """Return the column vector of one candidate per job, given as rows of `candidates`."""
    x = np.append(np.isin(data.rows, rows), 0.0).astype(np.float64)
    x[-1] = (data.free + data.time @ (data.covers * x[:-1, None])).max()
    return x


def extract(data: AssignmentModel, x: Floats) -> dict[int, tuple[int, int, int]]:
    """Return profile, start and begin of each job: smaller placements first, without a pause."""
    candidates, free = data.candidates, data.free.copy()
    placed: dict[int, tuple[int, int, int]] = {}
    for i in sorted(np.flatnonzero(x[:-1] > 0.5).tolist(), key=lambda i: (data.covers[i].sum(), i)):
        over, q = data.covers[i], int(candidates.placement[data.rows[i]])
        begin = int(free[over].max()) + candidates.jobs.delta
        placed[int(candidates.job[data.rows[i]])] = (
            int(candidates.geometry.profile[q]),
            int(candidates.geometry.start[q]),
            begin,
        )
        free[over] = begin + candidates.duration[data.rows[i]]
    return placed


def fits_here(
    data: AssignmentModel, makespan: int, limits: Limits, seconds: float
) -> tuple[Stop, Floats | None]:
    """Return OPTIMAL with a column vector, INFEASIBLE, or why it is not known, by CP-SAT."""
    from ortools.sat.python import cp_model

    m = cp_model.CpModel()
    x = [m.new_bool_var(f"x[{i}]") for i in range(len(data.rows))]
    for j in range(int(data.job.max()) + 1):
        m.add_exactly_one(x[i] for i in np.flatnonzero(data.job == j).tolist())
    # (slice) and (node) with C fixed.
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


fits = ORTOOLS.runs(fits_here)
