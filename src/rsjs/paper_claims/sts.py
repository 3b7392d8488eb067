"""Filippini et al. 2024 (STS): the metric of each claim, and the arrivals of Fig. 3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from rsjs.instances.generators import sts
from rsjs.paper_claims.claim import Row, Rows, Values
from rsjs.paper_claims.metrics import (
    Figure,
    Value,
    each_case,
    ended,
    faster,
    gain,
    late,
    mean,
    most,
    over_all,
    ratio,
    with_nodes,
)
from rsjs.paper_claims.runs import Runner, drawn

STS, LITERAL = "sts:fallback", "sts:literal"
EDF, RG, DP = "queue:edf", "randomized_queue", "dp:fastest"
MEAN_EDF, MEAN_RG, MEAN_DP = (f"{policy}?epochs=mean" for policy in (EDF, RG, DP))
STATIC_RG = "randomized_greedy:paper"


def _drift(rows: Rows) -> float | None:
    """Return the largest over the least total cost ratio of STS to EDF, by number of nodes."""
    over = ratio(STS, EDF)
    sizes = sorted({row["nodes"] for row in rows})
    found = [value for n in sizes if (value := with_nodes(over, n)(rows)) is not None]
    return max(found) / min(found) if len(found) > 1 else None


def _queue_per_node(rows: Rows) -> float | None:
    """Return the most jobs waiting after a decision of STS, over the number of nodes."""
    own = [row for row in ended(rows) if row["method"] in (STS, LITERAL)]
    return max((row["longest_queue"] / row["nodes"] for row in own), default=None)


def _over_arrivals(figure: Figure) -> Value:
    """Return the figure for each GPU mix: its mean over the cases, one per arrival process."""

    def values(rows: Rows) -> Values:
        found: dict[str, list[float]] = {}
        for case, value in each_case(figure)(rows).items():
            found.setdefault(case.split(",")[0], []).append(value)
        return {mix: fmean(of_mix) for mix, of_mix in found.items()}

    return values


def _shared(mix: str, name: str) -> Value:
    """Return the reduction by sharing under literal STS: the mean over the arrival processes."""

    def values(rows: Rows) -> Values:
        sums: dict[tuple[str, bool], float] = {}
        for row in ended(rows):
            of, arrivals, *shared = map(str.strip, str(row["case"]).split(","))
            if of == mix and row["method"] == LITERAL:
                key = arrivals, bool(shared)
                sums[key] = sums.get(key, 0.0) + row[name] / row["nodes"]
        both = [arrivals for arrivals, shared in sums if shared and (arrivals, False) in sums]
        saved = mean(1 - sums[arrivals, True] / sums[arrivals, False] for arrivals in both)
        return {} if saved is None else {mix: saved}

    return values


def _arrival_ratio(rows: Rows) -> float | None:
    """Return the mean gap between submissions at the low rate over that at the high one."""
    low, high = (
        mean(row["last_release_h"] for row in rows if row["law"] == rate)
        for rate in ("low", "high")
    )
    return low / high if low and high else None


VALUES: Mapping[str, Value] = {
    "sts-fig3-rates": each_case(_arrival_ratio),
    "sts-fig4a-stable": each_case(_drift),
    "sts-fig4b-avgedf-energy": each_case(ratio(MEAN_EDF, STS, "energy")),
    "sts-fig4b-avgrg-energy": each_case(ratio(MEAN_RG, STS, "energy")),
    "sts-fig4b-avgedf-late": each_case(late(MEAN_EDF)),
    "sts-fig4b-avgrg-late": each_case(late(MEAN_RG)),
    "sts-fig4b-no-violations": each_case(late(LITERAL)),
    "sts-fig4b-less-energy": each_case(
        over_all(min, [gain(STS, other, "energy") for other in (EDF, RG)])
    ),
    "sts-fig4c-edf": each_case(gain(STS, EDF)),
    "sts-fig4c-rg": each_case(gain(STS, RG)),
    "sts-fig4c-average": _over_arrivals(
        over_all(fmean, [gain(STS, other) for other in (EDF, RG, MEAN_EDF, MEAN_RG)])
    ),
    "sts-fig5-dp": each_case(gain(STS, DP, "energy")),
    "sts-fig5-avgdp": each_case(gain(STS, MEAN_DP, "energy")),
    "sts-fig6-km": _shared("K80 + M60", "energy"),
    "sts-fig6-a100": _shared("A100", "energy"),
    "sts-fig6-total": _shared("K80 + M60", "objective"),
    "sts-fig7-seconds": each_case(most(LITERAL, "solve_s")),
    "sts-fig7-rg": each_case(faster(STATIC_RG, LITERAL, "solve_s")),
    "sts-vii-c-queue": each_case(_queue_per_node),
}


def arrivals(
    runner: Runner, *, sizes: Sequence[str], seeds: Sequence[int], laws: Sequence[str]
) -> list[Row]:
    """Return when the last job is submitted, by arrival process, size and seed."""
    return [
        {
            "case": "K80 + M60",
            "instance": made.name,
            "nodes": made.cluster.nodes,
            "jobs": len(made.jobs),
            "law": law,
            "last_release_h": float(made.jobs.release[-1]),
        }
        for law in laws
        for made in (sts.workload(**size, law=law) for size in drawn(sizes, seeds))
    ]
