"""
STS, the stochastic scheduler (Filippini et al. 2024, Algorithms 2 and 3).

    1. jobs in order of pressure, configurations by the single-job model       sts_choices
    2. each job takes the first of its configurations that finds room, best fit     rooms
    3. idle GPUs are given away; jobs that keep their configuration keep their node
                                                                     sts_postprocessing

literal    as printed: the number of GPUs of a job never falls (k_0, which is clipped to the most
           that a job may have on a GPU type); a job none of whose configurations finds room waits.
fallback   jobs may get fewer GPUs than before, or than they want, if nothing else fits; nothing is
           given away; due dates are advanced by the least time between decisions.

Every decision takes all jobs anew. Times are those of the laws, whatever the expectation of the
objective: w_max is the last epoch of a job's law. Of the shares of a GPU a job uses the smallest it
may. k_0 is what a caller says, the model's k of the previous decision and k + 1 at T_j; without it,
the dedicated GPUs of `instance.current`. These are also GPUs that were idle and given away: so from
file to file k_0 rises up to whole nodes; over time, the policy of `simulation` keeps what the model
chose. When a decision must be taken again, T_j: sts_changes. The least time between decisions is
above 0: with `fallback`, which has no k_0, T_j could accumulate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rsjs.heuristics import sts_choices as select
from rsjs.heuristics.compiled import smallest
from rsjs.heuristics.engines import choose_engine
from rsjs.heuristics.first_fit import as_solution, first_fit, rows_without
from rsjs.heuristics.outcome import choose_rule, finished
from rsjs.heuristics.power_model import JobData
from rsjs.heuristics.rooms import Rooms
from rsjs.heuristics.sts_changes import hours_until_change
from rsjs.heuristics.sts_postprocessing import give_idle_gpus, on_their_nodes
from rsjs.instances.method import Call, Method, Report
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution, SolveResult

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
KERNELS = "rsjs.heuristics.kernels.sts"
ROUNDING = 1e-9  # relative, of times that are added up


@dataclass(frozen=True, kw_only=True)
class Rule:
    """
    One reading.

    Attributes
    ----------
    monotone : bool
        Whether k_0 holds.
    fallback : bool
        Whether a job takes less than it wants.
    gives : bool
        Whether idle GPUs are given away.
    margin : bool
        Whether due dates are advanced by the least time between decisions.
    """

    monotone: bool
    fallback: bool
    gives: bool
    margin: bool


RULES = {
    "literal": Rule(monotone=True, fallback=False, gives=True, margin=False),
    "fallback": Rule(monotone=False, fallback=True, gives=False, margin=True),
}


MARGINS = {"rule": None, "yes": True, "no": False}  # option -> `margin` of a decision


@dataclass(frozen=True, kw_only=True, eq=False)
class Decision:
    """
    A decision, and what the next one needs.

    Attributes
    ----------
    solution : Solution
    change : (J,) float [h]
        T_j - now: until a job needs another configuration; inf = it does not, or waits.
    wanted : (J,) int
        k that the model chose, before idle GPUs were given away. Jobs that wait keep their k_0.
    """

    solution: Solution
    change: Floats
    wanted: Ints

    def floor(self, elapsed: float) -> Ints:
        """(J,) k_0 of a decision so many hours later: k + 1 where T_j has come, else k."""
        return self.wanted + (self.change <= elapsed * (1 + ROUNDING))


def decide(
    instance: Instance,
    rule: str = "literal",
    *,
    floor: Ints | None = None,
    spacing: float = 1 / 60,
    margin: bool | None = None,
    engine: str = "numpy",
    data: JobData | None = None,
) -> Decision:
    """
    One decision.

    Parameters
    ----------
    rule : one of RULES
    floor : (J,) int, optional
        k_0 of each job.
    spacing : float [h]
        The least time between decisions.
    margin : bool, optional
        Whether due dates are advanced by it, if not as the rule says.
    engine : "numba" | "numpy"
    data : JobData, optional
        Of the jobs, if it is known.
    """
    chosen, jobs = RULES[rule], len(instance.jobs)
    advanced = chosen.margin if margin is None else margin
    current = instance.current
    if floor is None:
        floor = np.zeros(jobs, dtype=np.int64) if current is None else current.job_gpus
    if engine == "numba":
        from rsjs.heuristics import sts_compiled

        made = sts_compiled.decide(
            instance,
            floor,
            data or JobData.of(instance),
            monotone=chosen.monotone,
            fallback=chosen.fallback,
            gives=chosen.gives,
            margin=spacing if advanced else 0.0,
            spacing=spacing,
        )
        moved = on_their_nodes(instance, made.solution)
        return Decision(solution=moved, change=made.change, wanted=made.wanted)
    own = floor if chosen.monotone else np.zeros(jobs, dtype=np.int64)
    of = select.choices(instance, own, spacing if advanced else 0.0, data)
    codes = select.wanted(of)
    if chosen.fallback:
        codes = np.hstack([codes, select.less(of)])
    rooms = Rooms(instance.cluster)
    stride = of.model.rate.shape[2]
    queue = select.queue(instance, of)
    placed = first_fit(queue, rows_without(codes), of.units, rooms, stride)
    gpu = np.array(placed.gpu)
    model = np.where(gpu >= 0, of.initial[np.arange(jobs), gpu], floor)
    if chosen.gives:
        give_idle_gpus(of.model.rate, of.work, placed, rooms)
    change = hours_until_change(of, placed, spacing)
    solution = as_solution(placed, of.model.level, rooms)
    return Decision(solution=on_their_nodes(instance, solution), change=change, wanted=model)


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """STS as a method."""
    rule = choose_rule("sts", call.rule, RULES)
    spacing = call.options.get("spacing", 1.0) / 60
    margin = MARGINS[call.options.get("margin", "rule")]
    with report.phase("solve"):
        decision = decide(instance, rule, spacing=spacing, margin=margin, engine=_engine(call))
    return finished(instance, decision.solution, report)


def prepare_engine(_method: Method, call: Call, _jobs: int) -> None:
    """Compile or load what the engine of a call needs."""
    compile_kernels(_engine(call))


def compile_kernels(engine: str) -> None:
    """Compile or load the kernels of a decision by an engine, if it has any."""
    if engine == "numba":
        decide(smallest(), engine=engine)


def _engine(call: Call) -> str:
    return choose_engine(call.options.get("engine", "auto"), KERNELS)
