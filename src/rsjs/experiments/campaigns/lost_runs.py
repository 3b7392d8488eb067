"""The record of a run whose watcher died, time and again: something must tell that it was tried."""

from __future__ import annotations

from rsjs.core.report import SolveResult, Stop
from rsjs.experiments.campaigns import provenance
from rsjs.experiments.campaigns.perform import Order
from rsjs.experiments.campaigns.records import Record

ATTEMPTS = 2  # of a run whose watcher dies


def lost_record(order: Order, attempts: int) -> Record:
    """The record of a run that was begun so often and never came to an end."""
    return Record(
        run=order.run,
        result=SolveResult(
            stop=Stop.ERROR,
            message=f"the process that watches over it died {attempts} times",
        ),
        verdict=None,
        process={
            **dict.fromkeys(("returncode", "clock_s", "cpu_s", "load_before"), None),
            **{"end": "lost", "cores": [], "strays": 0, "load_after": None},
            **{"begun": provenance.utc(), "whole_s": 0.0},
        },
        incumbents=[],
        incumbents_reported=0,
        rsjs_version=order.rsjs_version,
        solver_version=order.solver_version,
        session=order.session,
    )
