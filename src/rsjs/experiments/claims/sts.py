"""Filippini et al. 2024 (STS): the figure of each claim."""

from __future__ import annotations

from collections.abc import Mapping

from rsjs.experiments.claims.claim import Row, Rows, Values
from rsjs.experiments.claims.figures import (
    Figure,
    Value,
    each_case,
    ended,
    faster,
    gain,
    late,
    mean,
    most,
    ratio,
    with_nodes,
)

STS, LITERAL = "sts:fallback", "sts:literal"
EDF, RG, DP = "queue:edf", "randomized_queue", "dp:fastest"
MEAN_EDF, MEAN_RG, MEAN_DP = (f"{policy}?epochs=mean" for policy in (EDF, RG, DP))
STATIC_RG = "randomized_greedy:paper"


def _drift(rows: Rows) -> float | None:
    """Largest over least total cost ratio of STS to EDF among the numbers of nodes."""
    over = ratio(STS, EDF)
    sizes = sorted({row["nodes"] for row in rows})
    found = [value for n in sizes if (value := with_nodes(over, n)(rows)) is not None]
    return max(found) / min(found) if len(found) > 1 else None


def _queue_per_node(rows: Rows) -> float | None:
    """Most jobs waiting after a decision of STS, over the number of nodes."""
    own = [row for row in ended(rows) if row["method"] in (STS, LITERAL)]
    return max((row["longest_queue"] / row["nodes"] for row in own), default=None)


def _mix(row: Row) -> str:
    return str(row["case"]).split(",")[0]


def _shared(mix: str, name: str) -> Value:
    """Reduction that sharing brings to literal STS, at each load of a mix."""

    def values(rows: Rows) -> Values:
        own = [row for row in ended(rows) if _mix(row) == mix and row["method"] == LITERAL]
        found: dict[str, dict[str, float]] = {}
        for row in own:
            _, law, sharing = map(str.strip, str(row["case"]).split(","))
            sums = found.setdefault(law, {})
            sums[sharing] = sums.get(sharing, 0.0) + row[name] / row["nodes"]
        pairs = {law: sums for law, sums in found.items() if len(sums) == 2}
        return {law: 1 - sums["shared"] / sums["whole GPUs"] for law, sums in pairs.items()}

    return values


def _arrival_ratio(rows: Rows) -> float | None:
    """Mean gap between submissions at the low rate over that at the high one."""
    hours = {law: mean(row["last_release_h"] for row in rows if row["law"] == law) for law in LAWS}
    low, high = hours["low"], hours["high"]
    return low / high if low and high else None


def _least_gain(policies: tuple[str, ...], name: str) -> Figure:
    def figure(rows: Rows) -> float | None:
        found = [gain(STS, policy, name)(rows) for policy in policies]
        return min((value for value in found if value is not None), default=None)

    return figure


LAWS = ("high", "low")
VALUES: Mapping[str, Value] = {
    "sts-fig3-rates": each_case(_arrival_ratio),
    "sts-fig4a-stable": each_case(_drift),
    "sts-fig4b-avgedf-energy": each_case(ratio(MEAN_EDF, STS, "energy")),
    "sts-fig4b-avgrg-energy": each_case(ratio(MEAN_RG, STS, "energy")),
    "sts-fig4b-avgedf-late": each_case(late(MEAN_EDF)),
    "sts-fig4b-avgrg-late": each_case(late(MEAN_RG)),
    "sts-fig4b-no-violations": each_case(late(LITERAL)),
    "sts-fig4b-less-energy": each_case(_least_gain((EDF, RG), "energy")),
    "sts-fig4c-edf": each_case(gain(STS, EDF)),
    "sts-fig4c-rg": each_case(gain(STS, RG)),
    "sts-fig4c-energy": each_case(gain(STS, EDF, "energy")),
    "sts-fig5-dp": each_case(gain(STS, DP, "energy")),
    "sts-fig5-avgdp": each_case(gain(STS, MEAN_DP, "energy")),
    "sts-fig6-km": _shared("K80 + M60", "energy"),
    "sts-fig6-a100": _shared("A100", "energy"),
    "sts-fig6-total": _shared("K80 + M60", "objective"),
    "sts-fig7-seconds": each_case(most(LITERAL, "solve_s")),
    "sts-fig7-rg": each_case(faster(STATIC_RG, LITERAL, "solve_s")),
    "sts-vii-c-queue": each_case(_queue_per_node),
}
