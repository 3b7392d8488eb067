"""Kinds of events, in the order in which those of one time are taken; ties by job."""

from __future__ import annotations

from enum import StrEnum

TIE = 1e-9  # h: events this close are one


class Kind(StrEnum):
    """What makes a decision necessary."""

    COMPLETION = "completion"
    ARRIVAL = "arrival"
    SWITCH = "switch"
    PERIOD = "period"
