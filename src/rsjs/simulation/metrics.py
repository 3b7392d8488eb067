"""
The metrics of the papers, on costs C or energies of whole simulations.

    cost ratio        C_m / C_b            method m, baseline b      Filippini et al. 2024 (29)
    cost reduction    (C_o - C_t) / C_o    target t, other o         ibid. (30), "PCR", in %
                      the "percentage gain" of Kiros 2020, 4.3.4, with greedy as o
    deviation         |C_real - C_predicted| / C_predicted, or / C_real

ANDREAS 2021 (Table III) reports 12.29 % for a prediction of 1.08438 and a real cost of 0.95111: of
the prediction. Jahani 2019 (Table V) reports 6.61 % for 12.47 and 13.30, which is 6.66 % of the
prediction and 6.24 % of the real cost. Neither is a ratio of sums over decisions.

What is not there has no ratio: a run that did not complete, or a cost of 0 to divide by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rsjs.simulation.options import DENOMINATORS
from rsjs.simulation.outcome import Outcome
from rsjs.simulation.policy import Status

CROWDED = 0.7  # utilisation above which a lower bound says little


@dataclass(frozen=True, kw_only=True)
class Metrics:
    """
    A run against a baseline on the same workload; None where there is no ratio.

    Attributes
    ----------
    cost_ratio, energy_ratio : float or None
        Of the run to the baseline.
    cost_reduction, energy_reduction : float or None
        Of the run against the baseline, a share: 0.1 = a tenth less.
    """

    cost_ratio: float | None
    energy_ratio: float | None
    cost_reduction: float | None
    energy_reduction: float | None

    def as_dict(self) -> dict[str, float | None]:
        """The metrics by name."""
        return asdict(self)


def metrics(run: Outcome, baseline: Outcome) -> Metrics:
    """What a run costs in terms of another one."""
    complete = run.status == baseline.status == Status.COMPLETE
    cost = ratio(run.totals.cost, baseline.totals.cost) if complete else None
    energy = ratio(run.totals.energy, baseline.totals.energy) if complete else None
    return Metrics(
        cost_ratio=cost,
        energy_ratio=energy,
        cost_reduction=reduction(cost),
        energy_reduction=reduction(energy),
    )


def ratio(cost: float, baseline: float) -> float | None:
    """C_m / C_b; None if the baseline costs nothing."""
    return cost / baseline if baseline else None


def reduction(cost_ratio: float | None) -> float | None:
    """(C_o - C_t) / C_o from C_t / C_o."""
    return None if cost_ratio is None else 1 - cost_ratio


def deviation(real: float, predicted: float, denominator: str) -> float | None:
    """
    |C_real - C_predicted| over one of them.

    Parameters
    ----------
    denominator : "predicted" | "real"
    """
    known = dict(zip(DENOMINATORS, (predicted, real), strict=True))
    return ratio(abs(real - predicted), known[denominator])


def over_bound(run: Outcome, bound: float) -> float | None:
    """Cost over a lower bound; None if the run did not complete."""
    return ratio(run.totals.cost, bound) if run.status == Status.COMPLETE else None


def crowded(runs: Sequence[Outcome]) -> bool:
    """Whether some run kept so many GPUs busy that a ratio to a bound says little."""
    return any(run.totals.utilisation > CROWDED for run in runs)
