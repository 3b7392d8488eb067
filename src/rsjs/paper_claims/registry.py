"""Claim -> its metric, experiment -> what makes its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rsjs.paper_claims import andreas, jahani, kiros, konopa, sts
from rsjs.paper_claims.claim import Claim, Experiment, Row, Rows, Values
from rsjs.paper_claims.metrics import Value
from rsjs.paper_claims.runs import Runner, decisions, printed, simulations
from rsjs.runs import provenance

RUNS: Mapping[str, Callable[..., list[Row]]] = {
    "simulations": simulations,
    "decisions": decisions,
    "printed": printed,
    "four_jobs": jahani.four_jobs,
    "sts_arrivals": sts.arrivals,
    "mig_dataset": konopa.dataset,
    "mig_schedules": konopa.schedules,
}
VALUES: Mapping[str, Value] = {
    **jahani.VALUES,
    **kiros.VALUES,
    **andreas.VALUES,
    **sts.VALUES,
    **konopa.VALUES,
}


def rows(experiment: Experiment, size: str, runner: Runner) -> list[Row]:
    """Return the rows of an experiment; those of data, too, say which version made them."""
    made = RUNS[experiment.run](runner, **experiment.of_size(size))
    return [row if "commit" in row else {**row, **provenance.stamp()} for row in made]


def values(claim: Claim, own: Rows) -> Values:
    """Return our values of a claim from the rows of its experiment; none if nothing tests it."""
    return VALUES[claim.id](own) if claim.id in VALUES else {}
