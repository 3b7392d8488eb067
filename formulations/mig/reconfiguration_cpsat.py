"""
Reconfiguration of one GPU in time, model R, for CP-SAT.

Sets and data
    j in J jobs, q in Q placements, d_jq durations, r_j releases, delta time to make an instance
    s memory slices, c_q compute slices of a placement, G those of the GPU, n_p most of a profile

Variables
    x_jq in {0, 1}                 job j runs on placement q
    b_j >= max(r_j, delta), e_j    when job j itself begins and ends
    C                              makespan

    min  C
    (one)      sum_q x_jq = 1                                               for all j
    (lasts)    x_jq = 1  =>  e_j = b_j + d_jq                               for all j, q
    (end)      e_j <= C                                                     for all j
    (slice)    the intervals [b_j - delta, e_j) with x_jq = 1, q over s,    for all s
               do not overlap
    (compute)  those at a time have at most G compute slices
    (most)     those of a profile at a time are at most n_p                 for all p
    (volume)   sum_{j: r_j >= r, q over s} (d_jq + delta) x_jq <= C - max(r - delta, 0)
                                                                            for all s, releases r
    (bound)    C >= what is known

Releases are known: the instance of job j may be made from r_j - delta on, before its release.

(compute) and (most) are left out where (slice) implies them. (volume) is redundant, and there
for some releases only: it gives the linear relaxation what (slice) does not.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.formulations.backends.cpsat import CPSAT, ORTOOLS, options
from rsjs.formulations.mig.reconfiguration_bounds import Candidates, chosen, some_releases
from rsjs.instances.mig.reconfiguration.problem import ReconfigurationSchedule


def solve_here(
    candidates: Candidates,
    limits: Limits,
    seconds: float,
    horizon: int,
    bound: int,
    start: ReconfigurationSchedule | None,
) -> tuple[Stop, ReconfigurationSchedule | None, int]:
    """Solve for makespans from `bound` to `horizon`; return the schedule and a lower bound."""
    from ortools.sat.python import cp_model

    clock = time.monotonic()
    m = cp_model.CpModel()
    jobs, delta = candidates.jobs, candidates.jobs.delta
    placement, duration = candidates.placement.tolist(), candidates.duration.tolist()
    C = m.new_int_var(bound, horizon, "C")
    x = [m.new_bool_var(f"x[{i}]") for i in range(len(placement))]
    earliest = np.maximum(jobs.release, delta).tolist()
    begin = [m.new_int_var(first, horizon, f"b[{j}]") for j, first in enumerate(earliest)]
    end = [m.new_int_var(first, horizon, f"e[{j}]") for j, first in enumerate(earliest)]
    # (lasts): an interval of each candidate, from the begin of making its instance
    there = []
    for i, j in enumerate(candidates.job.tolist()):
        m.add(end[j] == begin[j] + duration[i]).only_enforce_if(x[i])
        lasts = duration[i] + delta
        there.append(m.new_optional_interval_var(begin[j] - delta, lasts, end[j], x[i], f"i[{i}]"))
    for j in range(len(jobs)):
        m.add_exactly_one(x[i] for i in np.flatnonzero(candidates.job == j).tolist())
        m.add(end[j] <= C)
    # (slice) and (volume)
    covers = candidates.covers
    for s in range(jobs.gpu.memory_slices):
        over = np.flatnonzero(covers[:, s]).tolist()
        m.add_no_overlap(there[i] for i in over)
        for r in some_releases(jobs):
            late = [i for i in over if jobs.release[candidates.job[i]] >= r]
            m.add(sum((duration[i] + delta) * x[i] for i in late) <= C - max(r - delta, 0))
    # (compute) and (most)
    if not candidates.laminar:
        profile = candidates.geometry.profile[placement].tolist()
        compute = [jobs.gpu.profiles[p].compute_slices for p in profile]
        m.add_cumulative(there, compute, jobs.gpu.compute_slices)
        for p in sorted(set(profile)):
            of_profile = [there[i] for i, other in enumerate(profile) if other == p]
            m.add_cumulative(of_profile, [1] * len(of_profile), jobs.gpu.profiles[p].most)
    m.minimize(C)
    # The search begins from the schedule.
    if start is not None:
        candidates_of_start = set(chosen(candidates, start).tolist())
        for i, literal in enumerate(x):
            m.add_hint(literal, i in candidates_of_start)
        for variable, value in zip(begin, start.begin.tolist(), strict=True):
            m.add_hint(variable, value)
    solver = cp_model.CpSolver()
    left = max(0.0, seconds - (time.monotonic() - clock))
    for name, value in options(replace(limits, time_limit=left)).items():
        setattr(solver.parameters, name, value)
    solver.parameters.relative_gap_limit = limits.gap
    status = solver.status_name(solver.solve(m))
    stop = CPSAT.status.get(status, Stop.ERROR)
    if status not in ("OPTIMAL", "FEASIBLE"):
        return stop, None, bound
    q = candidates.placement[[i for i, literal in enumerate(x) if solver.boolean_value(literal)]]
    schedule = ReconfigurationSchedule(
        profile=candidates.geometry.profile[q],
        start=candidates.geometry.start[q],
        begin=np.array([solver.value(variable) for variable in begin]),
    )
    return stop, schedule, max(bound, int(np.ceil(solver.best_objective_bound - 1e-6)))


solve = ORTOOLS.runs(solve_here)
