"""Rules of the randomized greedy, as data."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rsjs.heuristics import candidates, greedy_rules, postprocessing


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

    greedy: greedy_rules.Rule
    swap_heavier: float
    swap_other: float
    listed: int

    def with_options(self, price: str, give: str) -> Rule:
        """The rule with another price, or another way to give idle GPUs; "rule" = its own."""
        reading = self.greedy
        if price != "rule":
            reading = replace(reading, price=PRICES[price])
        if give != "rule":
            reading = replace(reading, give=GIVES[give])
        return replace(self, greedy=reading)


PRICES = {
    "full_vm": candidates.full_price_by_gpu_type,
    "share": candidates.share_price_by_gpu_type,
}
GIVES = {
    "one_job": postprocessing.give_to_one_job,
    "each_node": postprocessing.give_on_each_node,
}
RULES = {
    "code": Rule(
        greedy=greedy_rules.RULES["code"],
        swap_heavier=0.55,
        swap_other=0.45,
        listed=1,
    ),
    "paper": Rule(
        greedy=greedy_rules.RULES["paper"],
        swap_heavier=0.45,
        swap_other=0.55,
        listed=3,
    ),
}
