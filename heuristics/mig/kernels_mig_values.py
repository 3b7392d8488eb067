"""Kernel: the value of every stage of the objective, from when and where steps run."""

from __future__ import annotations

from rsjs.heuristics.common.jit import inner
from rsjs.heuristics.mig.kernels import MigTables
from rsjs.instances.mig.jobs import Floats, Integers


@inner
def evaluate(p: MigTables, minute: Integers, unit: Integers, terms: Floats, value: Floats) -> None:
    """Fill in the terms, in the order of `TERMS`, and the stages; see `schedule.terms`."""
    terms[:] = 0.0
    terms[4] = -p.constant
    for j in range(len(p.release)):
        first, last = p.first[j], p.first[j + 1] - 1
        end = minute[last] + 1
        terms[0] += end > p.due[j]
        terms[1] = max(terms[1], end)
        terms[2] += end
        terms[3] += p.priority[j] * end
        terms[4] += p.memory[unit[first]]
        for s in range(first + 1, last + 1):
            terms[4] += p.memory[unit[s]]
            terms[5] += minute[s] > minute[s - 1] + 1
            terms[6] += unit[s] != unit[s - 1]
    for stage in range(len(p.weights)):
        value[stage] = 0.0
        for term in range(len(terms)):
            value[stage] += p.weights[stage, term] * terms[term]
