"""
Rows of decisions: one moment with all jobs submitted, methods in processes of their own.

Rows of simulations: workloads of a generator under policies, every decision checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.instances.instance import Workload
from rsjs.instances.library.sets import GENERATORS, WORKLOADS
from rsjs.methods import parse
from rsjs.paper_claims.claim import Row
from rsjs.runs import compare
from rsjs.simulation.engine import simulate
from rsjs.simulation.options import Options
from rsjs.simulation.outcome import Outcome
from rsjs.simulation.policies.registry import policy
from rsjs.simulation.policy import Policy, Status


def decisions(
    *,
    generator: str,
    sizes: Sequence[str],
    seeds: Sequence[int],
    methods: Sequence[str],
    cases: Mapping[str, Mapping[str, Any]],
    limits: Mapping[str, Any] | None = None,
) -> Iterator[Row]:
    """
    Run every method on every case, size and seed.

    Parameters
    ----------
    generator : str
        Family of the instances.
    sizes : list of "NxJ"
    cases : mapping
        Case -> arguments of the generator.
    limits : mapping, optional
        Arguments of `Limits`.
    """
    requests, own = [parse(method) for method in methods], Limits(**(limits or {}))
    for case, arguments in cases.items():
        for size in sizes:
            nodes, jobs = map(int, size.split("x"))
            for seed in seeds:
                made = GENERATORS[generator](nodes=nodes, jobs=jobs, seed=seed, **arguments)
                outcomes = []
                for outcome in compare.compare([made], requests, own):
                    if outcome.result.stop is Stop.INTERRUPTED:
                        raise KeyboardInterrupt  # ends the experiment, not this run alone
                    outcomes.append(outcome)
                yield from ({"case": case, **row} for row in compare.rows(outcomes, own))


def simulations(
    *,
    generator: str,
    sizes: Sequence[str],
    seeds: Sequence[int],
    policies: Sequence[str],
    cases: Mapping[str, Mapping[str, Any]],
    simulation: Mapping[str, Any] | None = None,
) -> Iterator[Row]:
    """
    Simulate every case, size and seed under every policy.

    Parameters
    ----------
    generator : str
        Family of the workloads.
    sizes : list of "NxJ"
    cases : mapping
        Case -> arguments of the generator, and under `simulation` more of `Options`.
    simulation : mapping, optional
        Arguments of `Options`.
    """
    for case, chosen in cases.items():
        own = {**(simulation or {}), **chosen.get("simulation", {})}
        arguments = {key: value for key, value in chosen.items() if key != "simulation"}
        for size in sizes:
            nodes, jobs = map(int, size.split("x"))
            for seed in seeds:
                made = WORKLOADS[generator](nodes=nodes, jobs=jobs, seed=seed, **arguments)
                for spelling in policies:
                    decides = policy(spelling, made)
                    yield row(case, simulated(made, decides, Options(**own)))


def simulated(made: Workload, decides: Policy, options: Options) -> Outcome:
    """Simulate; Ctrl-C ends the experiment, not this run alone."""
    outcome = simulate(made, decides, options)
    if outcome.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return outcome


def row(case: str, outcome: Outcome) -> Row:
    """The row of a simulation; costs are those of checked decisions as they were carried out."""
    totals, seconds = outcome.totals, outcome.seconds_as_dict()
    return {
        "case": case,
        "instance": outcome.workload.name,
        "nodes": outcome.workload.cluster.nodes,
        "jobs": totals.jobs,
        "method": outcome.policy,
        "status": outcome.status.value,
        "objective": totals.cost,
        "energy": totals.energy,
        "tardiness": totals.tardiness,
        "late": totals.late,
        "utilisation": totals.utilisation,
        "makespan_h": totals.makespan,
        "longest_queue": totals.longest_queue,
        "preemptions": totals.preemptions,
        "decisions": totals.decisions,
        "decision_median_s": seconds["median"],
        "policy_s": seconds["total"],
        "message": outcome.message,
    }
