"""
Randomized greedy: greedy again and again, with chance in its choices; the best schedule counts.

Kiros 2020, 3.1.4 and Figure 3.3; ANDREAS 2021, Algorithm 1, MaxIt = 1000. Iteration 1 is greedy
itself. In all others, in one pass from the front of the queue, a job is passed by the next one
with a chance that depends on which of both has the larger tardiness weight; it may be passed by
several. There the rules differ, and in what follows:

code   the authors' program: 0.55 if the job is the heavier one, else 0.45. So heavier jobs wait a
       little more often, against the words of the papers. Nothing else is left to chance: its
       lists of candidates have one entry with fewer than 30 configurations.
paper  0.45 and 0.55: a heavier job rather keeps its place. The configuration is drawn from the
       first 3 candidates in time (if there is none, of the late ones), with chances inverse to
       what sorts them, t x price (late: t); the node from the first 3 open ones with idle GPUs
       enough, the fullest (fit=best) or those with the lowest index (fit=first), with chances
       inverse to their idle GPUs. A candidate that was drawn and finds no node gives way to the
       first one that does.

Each schedule is postprocessed and priced as greedy's is. Each iteration has a random stream of its
own, so that engine, threads and order change nothing: both engines agree to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rsjs.heuristics.compiled import smallest
from rsjs.heuristics.engines import choose_engine
from rsjs.heuristics.outcome import choose_rule
from rsjs.heuristics.randomized_batch import OutOfTime
from rsjs.heuristics.randomized_engines import Batched, Compiled, Engine
from rsjs.heuristics.randomized_rules import RULES
from rsjs.heuristics.randomized_tables import prepare
from rsjs.heuristics.registry import METHODS
from rsjs.heuristics.stopping import Iterations, Reported, Stopping
from rsjs.instances import costs
from rsjs.instances.completion import complete
from rsjs.instances.method import Call, Method, Report
from rsjs.instances.schema import Instance
from rsjs.instances.solution import Solution, SolveResult, Stop

KERNELS = "rsjs.heuristics.kernels.randomized_construction"
MUCH_WORK = 4_000_000  # iterations x jobs that take numpy longer than numba takes to load
CHUNK, CELLS = 1000, 10**8  # iterations between two questions whether to stop; x jobs x nodes


def run(instance: Instance, call: Call, report: Report) -> SolveResult:
    """Randomized greedy as a method."""
    chosen = RULES[choose_rule("randomized_greedy", call.rule, RULES)]
    options = _options(call)
    most, seed = options["iterations"], call.limits.seed
    if most < 0:
        raise ValueError(f"iterations={most}, must be >= 0")
    rule = chosen.with_options(options["price"], options["postprocessing"])

    name = _engine(options, len(instance.jobs), report.remaining())
    time_is_up = Reported(report)
    with report.phase("prepare"):
        prepared = prepare(instance, rule, seed=seed, stream=options["stream"], fit=options["fit"])
        engine = (
            Compiled(prepared, call.limits.threads)
            if name == "numba"
            else Batched(prepared, lambda: time_is_up(0.0))
        )

    def better(decision: Solution) -> None:
        solution = complete(instance, decision)
        report.incumbent(solution, costs.terms(instance, solution).total)

    with report.phase("solve"):
        chunk = max(1, min(CHUNK, CELLS // (len(instance.jobs) * instance.cluster.nodes)))
        limit = Iterations(most) if most else Stopping()
        first = chunk if chunk == CHUNK else 1  # where they take long, one is soon reported
        made = search(engine, limit | time_is_up, chunk, better, first)
    early = Stop.INTERRUPTED if report.stop_requested() else Stop.TIME_LIMIT
    return report.result(
        Stop.ITERATIONS if made == most else early,
        counts={"iterations": made},
        options={"engine": name},
    )


def search(
    engine: Engine, stop: Stopping, chunk: int, better: Callable[[Solution], None], first: int
) -> int:
    """
    Iterations 1, 2, ... until `stop` says so; how many were made.

    Parameters
    ----------
    chunk : int
        Iterations between two questions to `stop`, at most.
    first : int
        Those before the first question, at most.
    better : called with each schedule that costs less than those before
    """
    made, least = 0, float("inf")
    while True:
        count = int(min(chunk if made else first, stop.iterations_left, stop.evaluations_left))
        try:
            found = engine.costs(made + 1, count)
        except OutOfTime:
            return made
        at = int(found.argmin())
        if made == 0 or found[at] < least:
            least = float(found[at])
            better(engine.schedule(made + 1 + at))
        made += count
        if stop(least, iterations=count, evaluations=count):
            return made


def prepare_engine(_method: Method, call: Call, jobs: int) -> None:
    """Compile or load what the engine of a call needs."""
    if _engine(_options(call), jobs, call.limits.time_limit) == "numba":
        rule, stream = RULES["paper"], call.options.get("stream", "xorshift")
        Compiled(prepare(smallest(), rule, stream=stream)).costs(1, 1)


def _options(call: Call) -> dict[str, Any]:
    declared = METHODS["randomized_greedy"].options
    return {**{name: option.default for name, option in declared.items()}, **call.options}


def _engine(options: Mapping[str, Any], jobs: int, seconds: float) -> str:
    most = options["iterations"]
    much_work = most == 0 or most * jobs > MUCH_WORK
    return choose_engine(options["engine"], KERNELS, much_work=much_work, seconds=seconds)
