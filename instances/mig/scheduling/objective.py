"""
What a schedule on MIG instances is judged by: weighted sums of terms, in stages.

A later stage counts among schedules that are equal in all stages before it. Text puts commas
between stages: `late,makespan,completion+5*preemptions`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from rsjs.core.errors import InputError
from rsjs.instances.mig.io import nearest_first

TERMS = (
    "late",  # jobs with C_j > d_j
    "makespan",  # max_j C_j
    "completion",  # sum_j C_j
    "weighted_completion",  # sum_j priority_j C_j
    "waste",  # sum over steps of unit memory - memory in use [MB * minutes]
    "preemptions",  # steps that do not begin where the step before ends
    "migrations",  # steps on another unit than the step before
)
NAMED = {"lexicographic": "late,makespan,completion,waste,preemptions+migrations"}
MOST_WEIGHT = 1_000_000

_PART = re.compile(r"(?:([0-9]{1,9})\*)?([a-z_]+)")


@dataclass(frozen=True)
class ScheduleObjective:
    """Stages to minimise one after the other."""

    stages: tuple[Mapping[str, int], ...]  #: term -> integer weight >= 1

    def __str__(self) -> str:
        return ",".join(
            "+".join(term if weight == 1 else f"{weight}*{term}" for term, weight in stage.items())
            for stage in self.stages
        )

    @property
    def terms(self) -> frozenset[str]:
        """Return every term that some stage counts."""
        return frozenset(term for stage in self.stages for term in stage)

    def values(self, terms: Mapping[str, float]) -> tuple[float, ...]:
        """Return the value of each stage, from those of the terms."""
        return tuple(
            sum(weight * terms[term] for term, weight in stage.items()) for stage in self.stages
        )


def parse_objective(text: str, place: str = "--objective") -> ScheduleObjective:
    """Parse the objective that a text spells; `place` is named in an error."""
    stages = []
    for stage in NAMED.get(text, text).split(","):
        weights: dict[str, int] = {}
        for part in stage.split("+"):
            found = _PART.fullmatch(part.strip())
            term = found[2] if found else part.strip()
            weight = int(found[1] or 1) if found else 0
            if term not in TERMS:
                raise InputError(place, text, f"terms of {nearest_first(term, (*TERMS, *NAMED))}")
            if not 1 <= weight <= MOST_WEIGHT or term in weights:
                raise InputError(place, text, f"each term once, weight 1 to {MOST_WEIGHT}")
            weights[term] = weight
        stages.append(weights)
    return ScheduleObjective(tuple(stages))
