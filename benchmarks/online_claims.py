"""
What is expected of simulations, and what the STS paper states: each with the figure of stored runs.

STS is the policy `sts:fallback`, avgEDF and avgRG plan with mean numbers of epochs, DP is
`dp:fastest`. PCR, the cost reduction (30) of Filippini et al. 2024, is of STS against another one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from benchmarks.online_rows import REFERENCES, Case, Runs

STS, LITERAL, ROLL = "sts:fallback", "sts:literal", "roll"
EDF, PREEMPTIVE, GREEDY = "queue:edf", "queue:pedf", "queue:greedy"
RG, DP = "randomized_queue", "dp:fastest"
MEAN_EDF, MEAN_RG = "queue:edf?epochs=mean", "randomized_queue?epochs=mean"
MEAN_DP = "dp:fastest?epochs=mean"
LAWS = ("exp50000", "low", "high")
FAMILIES = ("sts-km", "sts-a100", "sts-km-p05")

Figure = Callable[[Runs], float | None]


class Target(NamedTuple):
    """A figure on some runs, and the least and the most that it should be."""

    what: str
    family: str
    laws: tuple[str, ...]
    low: float
    high: float
    figure: Figure
    share: bool = False


class Claim(NamedTuple):
    """A statement of the paper, the figures that agree with it, and ours on a family."""

    statement: str
    paper: str
    low: float
    high: float
    figure: Figure
    share: bool = True


def chosen(runs: Runs, family: str, laws: tuple[str, ...] = LAWS) -> Runs:
    """The runs of a family, with and without sharing, at some laws of arrivals."""

    def wanted(case: Case) -> bool:
        return case.family.removesuffix("-shared") == family and case.arrivals in laws

    return runs.where(wanted)


def of(policy: str, other: str, column: str = "energy", below: str = "") -> Figure:
    """A column of a policy over that of another one."""
    return lambda runs: runs.ratio(policy, column, other, below)


def less(other: str, column: str = "energy", policy: str = STS) -> Figure:
    """PCR of a policy, a share."""

    def figure(runs: Runs) -> float | None:
        ratio = runs.ratio(policy, column, other)
        return None if ratio is None else 1 - ratio

    return figure


def late(policy: str) -> Figure:
    """Share of the jobs that are late without sharing."""
    return lambda runs: runs.plain.late(policy)


def shared_over_plain(runs: Runs, policy: str) -> float | None:
    """Energy where jobs may share GPUs, and may end up to 20 % later, over that where not."""
    shared = plain = 0.0
    for name, own in runs.by_workload.items():
        other = runs.by_workload.get(name.replace("-paper-", "-none-"), {})
        if "-paper-" in name and policy in own and policy in other:
            shared += own[policy]["energy"] / own[policy]["nodes"]
            plain += other[policy]["energy"] / other[policy]["nodes"]
    return shared / plain if plain else None


def saved_by_sharing(mix: str) -> Figure:
    """Energy that literal STS saves by sharing GPUs of a mix, a share."""

    def figure(runs: Runs) -> float | None:
        ratio = shared_over_plain(runs.where(lambda case: case.mix == mix), LITERAL)
        return None if ratio is None else 1 - ratio

    return figure


BOUND, INFINITE = ("objective", "best_bound"), ("objective", "infinite_cluster")
LIGHT, HIGH = ("exp50000", "low"), ("high",)
TARGETS = (
    Target("energy of STS over greedy's", "sts-km", LAWS, 0.955, 0.975, of(STS, GREEDY)),
    Target("energy of avgRG over that of STS", "sts-km", LAWS, 0.97, 1.0, of(MEAN_RG, STS)),
    Target("jobs of avgRG that are late", "sts-km", LAWS, 0.10, 1.0, late(MEAN_RG), True),
    Target("cost of STS over EDF's", "sts-km", HIGH, 0.0, 0.30, of(STS, EDF, "objective")),
    Target("energy PCR against DP", "sts-km", LAWS, 0.10, 0.15, less(DP), True),
    Target("energy of STS over greedy's", "sts-a100", LAWS, 0.93, 0.97, of(STS, GREEDY)),
    Target("energy of STS over greedy's", "sts-km-p05", LAWS, 0.80, 0.87, of(STS, GREEDY)),
    Target("energy PCR against DP", "sts-km-p05", LAWS, 0.40, 0.51, less(DP), True),
    Target("energy saved by sharing", "sts-km", LAWS, 0.15, 0.22, saved_by_sharing("km"), True),
    Target("energy saved by sharing", "sts-a100", LAWS, 0.14, 0.36, saved_by_sharing("a100"), True),
    Target("jobs of STS that are late", "sts-km", LIGHT, 0.0, 0.01, late(STS), True),
    Target("jobs of STS that are late", "sts-km", HIGH, 0.0, 0.04, late(STS), True),
    Target("cost of STS over the bound", "sts-km", LIGHT, 1.0, 1.08, of(STS, REFERENCES, *BOUND)),
    Target(
        "cost of STS over the infinite cluster's",
        *("sts-km", LIGHT, 0.0, 1.04, of(STS, REFERENCES, *INFINITE)),
    ),
)
CLAIMS = (
    Claim("STS costs less than EDF: PCR", "32 to 80 %", 0.32, 0.80, less(EDF, "objective")),
    Claim("STS costs less than RG: PCR", "32 to 80 %", 0.32, 0.80, less(RG, "objective")),
    Claim("STS saves energy against EDF: PCR", "about 40 %", 0.35, 0.45, less(EDF)),
    Claim("STS saves energy against RG: PCR", "about 40 %", 0.35, 0.45, less(RG)),
    Claim("STS saves energy against DP: PCR", "67 %", 0.60, 0.75, less(DP)),
    Claim("STS saves energy against avgDP: PCR", "32 %", 0.25, 0.40, less(MEAN_DP)),
    Claim("avgEDF uses less energy: over that of STS", "below 1", 0, 1, of(MEAN_EDF, STS), False),
    Claim("avgRG uses less energy: over that of STS", "below 1", 0, 1, of(MEAN_RG, STS), False),
    Claim("avgEDF violates due dates: late", "many", 0.05, 1, late(MEAN_EDF)),
    Claim("avgRG violates due dates: late", "many", 0.05, 1, late(MEAN_RG)),
    Claim("STS violates none: late, literal", "0", 0, 0.001, late(LITERAL)),
    Claim("sharing saves energy, K80 + M60, literal", "17 %", 0.12, 0.22, saved_by_sharing("km")),
    Claim("sharing saves energy, A100, literal", "29 %", 0.24, 0.34, saved_by_sharing("a100")),
)
