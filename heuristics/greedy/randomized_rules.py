"""Rules of the randomized greedy, as data."""

from __future__ import annotations

from dataclasses import dataclass

from rsjs.heuristics.greedy import rules


@dataclass(frozen=True, kw_only=True)
class Rule:
    """
    One reading of the algorithm.

    Attributes
    ----------
    greedy : the rule of the first iteration
    swap_heavier, swap_other : chance that a job is passed by the next one in the queue, if the
        job is the heavier one of both, and otherwise
    listed : the length of the lists that candidates and nodes are drawn from
    """

    greedy: rules.Rule
    swap_heavier: float
    swap_other: float
    listed: int


RULES = {
    "code": Rule(
        greedy=rules.RULES["code"],
        swap_heavier=0.55,
        swap_other=0.45,
        listed=1,
    ),
    "paper": Rule(
        greedy=rules.RULES["paper"],
        swap_heavier=0.45,
        swap_other=0.55,
        listed=3,
    ),
}
