"""
Metrics of the rows of an experiment, by the names that claims give them in their files.

    paired      workloads or instances that all methods completed
    saving      mean over them of (best of the others - target) / best of the others   Jahani (15)
    ratio       sum of a column per node over that of another method                   STS (29)
    gain        1 - ratio                                                              STS (30)
    late        share of the jobs that are late
    growth      exponent of a column in the number of nodes

A metric is a function of the rows of one case; None where it is not known. Those of one paper only
stand below the others, in the order of the papers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import log
from statistics import fmean, linear_regression

from rsjs.paper_claims.claim import Row, Rows, Values

ENDED = ("complete", "ok")
FIG4 = (1, 2, 4, 4, 2, 2, 1)  # Jahani 2019: GPUs of NV6, NV12, NV24, NV24, NV12, NV12, NV6
RULES = {  # of ANDREAS 2021: what randomized greedy is compared with
    "one job per node": ("fifo:code", "edf:code", "priority:code"),
    "shared nodes": ("queue:fifo", "queue:edf", "queue:priority"),
}


def each_case(
    metric: Callable[..., float | None],
    rows: Rows,
    *arguments: object,
    key: Callable[[Row], str] = lambda row: str(row["case"]),
) -> Values:
    """Return a metric of the rows of each case, without cases in which it is not known."""
    cases: dict[str, list[Row]] = {}
    for row in rows:
        cases.setdefault(key(row), []).append(row)
    found = {case: metric(own, *arguments) for case, own in cases.items()}
    return {case: value for case, value in found.items() if value is not None}


def paired(rows: Rows, methods: Sequence[str]) -> list[dict[str, Row]]:
    """Return method -> row, for each workload on which all of these ended well."""
    found: dict[tuple[str, str], dict[str, Row]] = {}
    for row in ended(rows):
        if row["objective"] is not None:
            found.setdefault((str(row["case"]), row["instance"]), {})[row["method"]] = row
    return [own for own in found.values() if all(method in own for method in methods)]


def saving(rows: Rows, target: str, others: Sequence[str]) -> float | None:
    """Return the mean saving against the best of the others."""
    return mean(
        1 - own[target]["objective"] / min(own[other]["objective"] for other in others)
        for own in paired(rows, [target, *others])
    )


def smallest_saving(rows: Rows, target: str, others: Sequence[str]) -> float | None:
    """Return the smallest of the savings against each of the others."""
    return _over_all(min, (saving(rows, target, [other]) for other in others))


def ratio(rows: Rows, target: str, other: str, name: str = "objective") -> float | None:
    """Return the sum of a column, per node, over that of another method."""
    own = paired(rows, [target, other])
    above, under = (sum(o[m][name] / o[m]["nodes"] for o in own) for m in (target, other))
    return above / under if under else None


def gain(rows: Rows, target: str, other: str, name: str = "objective") -> float | None:
    """Return the reduction of a sum against another method."""
    found = ratio(rows, target, other, name)
    return None if found is None else 1 - found


def smallest_gain(rows: Rows, target: str, others: Sequence[str], name: str) -> float | None:
    """Return the smallest of the reductions against each of the others."""
    return _over_all(min, (gain(rows, target, other, name) for other in others))


def mean_gain(
    rows: Rows, target: str, others: Sequence[str], name: str = "objective"
) -> float | None:
    """Return the mean of the reductions against each of the others."""
    return _over_all(fmean, (gain(rows, target, other, name) for other in others))


def _over_all(how: Callable[[list[float]], float], values: Iterable[float | None]) -> float | None:
    """Return several metrics joined to one; None if one of them is not known."""
    known = list(values)
    found = [value for value in known if value is not None]
    return how(found) if len(found) == len(known) else None


def late(rows: Rows, method: str) -> float | None:
    """Return the share of the jobs that are late."""
    own = [pair[method] for pair in paired(rows, [method])]
    jobs = sum(row["jobs"] for row in own)
    return sum(row["late"] for row in own) / jobs if jobs else None


def largest(rows: Rows, method: str, name: str) -> float | None:
    """Return the largest value of a column of a method."""
    return max(column(rows, method, name), default=None)


def faster(rows: Rows, method: str, other: str, name: str) -> float | None:
    """Return how many times the mean seconds of a method another one takes."""
    own, theirs = mean(column(rows, method, name)), mean(column(rows, other, name))
    return theirs / own if own and theirs is not None else None


def growth(rows: Rows, method: str, name: str) -> float | None:
    """Return the exponent p of a column ~ nodes^p, by least squares on logarithms."""
    own = (row for row in ended(rows) if row["method"] == method and row[name])
    points = [(log(row["nodes"]), log(row[name])) for row in own]
    if len({x for x, _ in points}) < 2:
        return None
    return linear_regression(*zip(*points, strict=True)).slope


def mean_of(rows: Rows, name: str) -> float | None:
    """Return the mean of a column."""
    return mean(row[name] for row in rows)


def max_of(rows: Rows, name: str) -> float:
    """Return the largest value of a column."""
    return max(float(row[name]) for row in rows)


def mean(values: Iterable[float]) -> float | None:
    """Return the mean; None of nothing."""
    known = list(values)
    return fmean(known) if known else None


def column(rows: Rows, method: str, name: str) -> list[float]:
    """Return what is known of a column of a method, of runs that ended well."""
    own = (row[name] for row in ended(rows) if row["method"] == method)
    return [value for value in own if value is not None]


def ended(rows: Rows) -> list[Row]:
    """Return the rows of runs that ended well."""
    return [row for row in rows if row["status"] in ENDED]


def not_ended(rows: Rows) -> list[Row]:
    """Return the rows of runs that did not; rows of data have no status."""
    return [row for row in rows if row.get("status", ENDED[0]) not in ENDED]


def slots_as_published(rows: Rows) -> float | None:
    """Return the share of the slots of Fig. 4 (Jahani 2019) with as many GPUs as published."""
    return mean(
        sum(a == b for a, b in zip(FIG4, map(int, str(row["slots"]).split()), strict=False))
        / len(FIG4)
        for row in ended(rows)
    )


def preempted(rows: Rows) -> float | None:
    """Return the share of the runs that preempt a job."""
    return mean(float(row["preemptions"] > 0) for row in ended(rows))


def deviation(rows: Rows, below: str) -> float:
    """Return |predicted - real| over one of them, of rows of both costs."""
    cost = {row["method"]: float(row["objective"]) for row in rows}
    return abs(cost["predicted"] - cost["real"]) / cost[below]


def deviation_of_runs(rows: Rows) -> float | None:
    """Return the mean |cost - predicted cost| over the latter."""
    return mean(abs(row["objective"] - row["predicted"]) / row["predicted"] for row in ended(rows))


def within_gap(rows: Rows, most: float) -> float | None:
    """Return the share of the runs within a gap; no solution is not within."""
    return mean(float(row["own_gap"] is not None and row["own_gap"] <= most) for row in rows)


def with_idle_gpus(rows: Rows) -> Values:
    """Return the share of the solutions that pay for idle GPUs, by J / N."""
    return each_case(
        lambda own: mean(float(row["idle"] > 0) for row in own),
        [row for row in rows if row["idle"] is not None],
        key=lambda row: "J = N" if row["jobs"] == row["nodes"] else "J = 10 N",
    )


def postponed_where_all_fit(rows: Rows) -> Values:
    """Return the share of postponed jobs in solutions on as many nodes as jobs."""
    fit = [row for row in rows if row["jobs"] == row["nodes"] and row["executed"] is not None]
    return each_case(lambda own: mean(1 - row["executed"] / row["jobs"] for row in own), fit)


def running_time(rows: Rows, method: str) -> Values:
    """Return the longest time of a decision, of the algorithm itself and of the whole method."""
    parts = {"algorithm": "solve_s", "whole method": "total_s"}
    found = {part: largest(rows, method, name) for part, name in parts.items()}
    return {part: value for part, value in found.items() if value is not None}


def gain_over_rules(rows: Rows, target: str, name: str) -> Values:
    """Return the mean gain over the rules in each case, for each kind of rules."""
    return {
        f"{case}, {how}": value
        for how, others in RULES.items()
        for case, value in each_case(mean_gain, rows, target, others, name).items()
    }


def time_of_decisions(rows: Rows, method: str) -> float | None:
    """Return the mean over runs of the mean seconds of a decision."""
    own = (row for row in ended(rows) if row["method"] == method)
    return mean(row["policy_s"] / row["decisions"] for row in own)


def ratio_of_rates(rows: Rows) -> float | None:
    """Return the mean time to the last submission at the low rate over that at the high one."""
    low, high = (
        mean(row["last_release_h"] for row in rows if row["law"] == rate)
        for rate in ("low", "high")
    )
    return low / high if low and high else None


def drift(rows: Rows, target: str, other: str) -> float | None:
    """Return the largest over the least total cost ratio among the numbers of nodes."""
    found = each_case(ratio, rows, target, other, key=lambda row: str(row["nodes"])).values()
    return max(found) / min(found) if len(found) > 1 else None


def queue_per_node(rows: Rows, methods: Sequence[str]) -> float | None:
    """Return the most jobs waiting after a decision of some methods, over the number of nodes."""
    own = (row for row in ended(rows) if row["method"] in methods)
    return max((row["longest_queue"] / row["nodes"] for row in own), default=None)


def mean_gain_of_mixes(rows: Rows, target: str, others: Sequence[str]) -> Values:
    """Return the mean gain for each GPU mix, over other methods and then arrival processes."""
    found: dict[str, list[float]] = {}
    for case, value in each_case(mean_gain, rows, target, others).items():
        found.setdefault(case.split(",")[0], []).append(value)
    return {mix: fmean(of_mix) for mix, of_mix in found.items()}


def gain_by_sharing(rows: Rows, method: str, mix: str, name: str) -> Values:
    """Return the reduction by sharing GPUs of a mix: the mean over the arrival processes."""
    sums: dict[tuple[str, bool], float] = {}
    for row in ended(rows):
        of, arrivals, *shared = map(str.strip, str(row["case"]).split(","))
        if of == mix and row["method"] == method:
            key = arrivals, bool(shared)
            sums[key] = sums.get(key, 0.0) + row[name] / row["nodes"]
    both = [arrivals for arrivals, shared in sums if shared and (arrivals, False) in sums]
    saved = mean(1 - sums[arrivals, True] / sums[arrivals, False] for arrivals in both)
    return {} if saved is None else {mix: saved}


def distance_from_uniform(rows: Rows, name: str, count: int) -> float:
    """Return the largest distance of the share of a value 1, ..., `count` from 1 / count."""
    values = [float(row[name]) for row in rows]
    return max(abs(values.count(k) / len(values) - 1 / count) for k in range(1, count + 1))


def above_best(rows: Rows, method: str) -> float | None:
    """Return the mean share by which a method is above the best value known."""
    own: dict[str, dict[str, float]] = {}
    for row in ended(rows):
        own.setdefault(row["instance"], {})[row["method"]] = row["objective"]
    return mean(one[method] / min(one.values()) - 1 for one in own.values() if method in one)


def proved(rows: Rows, method: str) -> float | None:
    """Return the share of the runs of a method that end with an optimum."""
    return mean(float(row["stop"] == "optimal") for row in rows if row["method"] == method)


def within(rows: Rows, method: str, limit: float) -> float | None:
    """Return the share of the solutions of a method of at most a cost."""
    own = (row for row in ended(rows) if row["method"] == method)
    return mean(float(row["objective"] <= limit) for row in own)
