"""Rows of decisions: one moment with all jobs submitted, methods in processes of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.experiments import comparison
from rsjs.experiments.claims.claim import Row
from rsjs.instances.library.sets import GENERATORS
from rsjs.methods import parse


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
                for outcome in comparison.compare([made], requests, own):
                    if outcome.result.stop is Stop.INTERRUPTED:
                        raise KeyboardInterrupt  # ends the experiment, not this run alone
                    outcomes.append(outcome)
                yield from ({"case": case, **row} for row in comparison.rows(outcomes, own))
