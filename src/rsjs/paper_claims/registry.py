"""Claim -> its figure, experiment -> what makes its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from rsjs.paper_claims import andreas, jahani, kiros, konopa, sts
from rsjs.paper_claims.claim import Claim, Experiment, Row, Rows, Values
from rsjs.paper_claims.metrics import Value
from rsjs.paper_claims.runs import decisions, simulations
from rsjs.paper_claims.sts import arrivals
from rsjs.runs import provenance

RUNS: Mapping[str, Callable[..., Iterable[Row]]] = {
    "simulations": simulations,
    "decisions": decisions,
    "sts_arrivals": arrivals,
    **jahani.RUNS,
    **andreas.RUNS,
    **konopa.RUNS,
}
VALUES: Mapping[str, Value] = {
    **jahani.VALUES,
    **kiros.VALUES,
    **andreas.VALUES,
    **sts.VALUES,
    **konopa.VALUES,
}


def rows(experiment: Experiment, size: str) -> Iterator[Row]:
    """Run an experiment and yield its rows, each with its provenance."""
    for row in RUNS[experiment.run](**experiment.of_size(size)):
        yield {**row, **provenance.stamp()}


def values(claim: Claim, own: Rows) -> Values:
    """Our values of a claim, from the rows of its experiment; none if nothing can test it."""
    return VALUES[claim.id](own) if claim.id in VALUES else {}
