"""
Reading rows: what is known of a run, what it is a run of, families, and which run is best.

Objectives are in $; those of schedules on MIG instances are the plain number of their first stage,
minutes or jobs.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import pairwise
from math import isfinite
from numbers import Real
from typing import Any, TypeVar, cast

from rsjs.core.errors import InputError, described
from rsjs.instances.instance import FAMILIES
from rsjs.instances.io.serialization import canonical_text
from rsjs.runs.gap import contradicts, ties
from rsjs.runs.kinds.simulation import REFERENCES
from rsjs.runs.provenance import BUSY

AnyRow = Mapping[str, Any]  # a row, or one to which a page has added more
R = TypeVar("R", bound=AnyRow)
Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)

FEW = 0.05  # share of runs with other processes beside them that a ranking by time survives
BROKEN = ("CRASH", "SOLVER_ERROR")
VALID = (None, "instance")  # variants of bounds that hold for the instance as given
STATUS = {"ok": "", "wrong": "WRONG", "infeasible": "solution INFEASIBLE"}
DOLLARS = "$"
MIG, OTHER = "mig", "other"
FAMILY_NAMES = (*FAMILIES, MIG, OTHER)


def known(row: AnyRow, key: str) -> Any:
    """Return a value, None where there is none: nan, inf and "" (rows of pandas) count as none."""
    value = row.get(key)
    # a report asks millions of times, and `Real` is slow to ask
    if type(value) is float or type(value) is int:
        return value if isfinite(value) else None
    if value is None or isinstance(value, str):
        return value or None
    return value if isinstance(value, Real) and isfinite(value) else None


def how_it_ended(row: AnyRow) -> str:
    """Return stop and status in words: `optimal`, `no solution (time limit)`, `WRONG (gap)`."""
    stop, status = (str(known(row, key) or "").replace("_", " ") for key in ("stop", "status"))
    if (stop, status) == ("infeasible", "no solution"):
        return "problem infeasible"
    told = STATUS.get(status, status)
    return f"{told} ({stop})" if told and stop else told or stop


def is_wrong(row: AnyRow) -> bool:
    """Return whether a claim of the row is false or its solution fails the check."""
    return row.get("status") in ("wrong", "infeasible")


def failure(row: AnyRow) -> str:
    """
    Return why a run failed, of its row or its summary: `WRONG`, or how it ended; "" if it did not.

    It failed if it broke down or what it says is false; one that hit a limit did not.
    """
    how = str(row["ended"])
    return "WRONG" if row["quality"] == "WRONG" else how if how.startswith(BROKEN) else ""


def load_of_others(row: AnyRow, threads: float) -> float | None:
    """Return the load average beside so many threads, before or after a run, if recorded."""
    found = [known(row, key) for key in ("load_before", "load_after")]
    return max((load - threads for load in found if load is not None), default=None)


def disturbed(rows: Sequence[R]) -> list[tuple[R, float]]:
    """
    Return runs of exclusive campaigns that had other processes beside them, and the load of these.

    A load average holds the run before, too: as many threads as any of the runs had do not count.
    Where the hardware threads of a machine are not recorded, it is taken to have one.
    """
    exclusive = [row for row in rows if row.get("timing") == "exclusive"]
    threads = max((known(row, "threads") or 1 for row in exclusive), default=1)
    loads = [(row, load_of_others(row, threads) or 0.0) for row in exclusive]
    return [
        (row, load) for row, load in loads if load > BUSY * (known(row, "hardware_threads") or 1)
    ]


def are_shared(rows: Sequence[AnyRow]) -> bool:
    """Return whether seconds were measured beside others, so that none may be ranked: see `FEW`."""
    shared = any(row.get("timing") in ("shared", "batch") for row in rows)
    return shared or len(disturbed(rows)) > FEW * len(rows)


def is_simulated(row: AnyRow) -> bool:
    """Return whether a row is of a workload."""
    return known(row, "simulation") is not None


def is_schedule(row: AnyRow) -> bool:
    """Return whether a row is of a scheduling problem on MIG instances."""
    return known(row, "goal") is not None


def is_reference(row: AnyRow) -> bool:
    """Return whether a row has references for policies on a workload, and is of no policy."""
    return is_simulated(row) and str(row["method"]).partition("?")[0] == REFERENCES.name


def competing(rows: Sequence[R]) -> list[R]:
    """Return the rows of what is compared: those of references only where there are no others."""
    return [row for row in rows if not is_reference(row)] or [*rows]


def ordered(rows: Sequence[R]) -> list[R]:
    """
    Return the rows in the one order that tables and the bootstrap start from.

    Small instances first, then by name; the runs of an instance by method, see `method_places`,
    seed and repetition.
    """
    methods = method_places(rows)

    def place(row: AnyRow) -> tuple[Any, ...]:
        size = (known(row, "nodes") or 0, known(row, "jobs") or 0)
        names = (str(row.get(key)) for key in ("instance", "instance_sha256", "simulation"))
        seed, repetition = known(row, "seed") or 0, known(row, "repetition") or 1
        return *size, *names, methods[row["method"]], seed, repetition

    return sorted(rows, key=place)


def method_places(rows: Sequence[AnyRow]) -> dict[str, int]:
    """
    Return method -> its place in the order in which the campaign lists the methods.

    Methods stand in that order beside each other on each problem, and of those that no problem
    has both, the one that first stands in the rows comes first.
    """
    before: dict[str, set[str]] = {str(row["method"]): set() for row in rows}
    for group in group_by(rows, problem).values():
        for one, other in pairwise(dict.fromkeys(str(row["method"]) for row in group)):
            before[other].add(one)
    found: dict[str, int] = {}
    while left := [method for method in before if method not in found]:
        ready = (method for method in left if before[method] <= found.keys())
        found[next(ready, left[0])] = len(found)
    return found


def executed(row: AnyRow) -> str:
    """Return executed jobs out of all."""
    run, jobs = known(row, "executed"), known(row, "jobs")
    if run is None:
        return ""
    return f"{run:.0f}" if jobs is None else f"{run:.0f}/{jobs:.0f}"


def stages(row: AnyRow) -> list[float]:
    """Return what a solution is judged by: the stages of a schedule, the cost of any other."""
    found: list[float] = json.loads(known(row, "stages") or "[]")
    return found or [row["objective"]]


def best_row(rows: Sequence[R]) -> R | None:
    """
    Return the run of the least verified cost, stage by stage of a schedule, if there is one.

    Of costs that tie (see `rsjs.runs.gap.ties`) that of the first method by name, then the first
    in the order of `ordered`.
    """
    priced = [row for row in rows if known(row, "objective") is not None]
    priced = ordered(sorted(priced, key=lambda row: str(row["method"])))
    verified = [row for row in priced if row["status"] == "ok"]
    least = min(verified, key=stages, default=None)
    return next((row for row in verified if is_best(row, least)), None)


def is_best(row: AnyRow, best: AnyRow | None) -> bool:
    """Return whether a run is verified and its cost ties with that of `best_row`."""
    if best is None or row["status"] != "ok" or known(row, "objective") is None:
        return False
    return all(map(ties, stages(row), stages(best)))


def problem(row: AnyRow) -> tuple[Any, ...]:
    """
    Return what rows have in common whose costs and bounds may be compared: the instance.

    What a simulation costs depends on its options too, and where real times differ from those
    predicted on the seed, which draws the errors. What a policy is told of epochs is no matter.
    """
    digest, options = row.get("instance_sha256"), row.get("simulation")
    if not isinstance(options, str) or not options:  # a column that is read back may be nan
        return (digest,)
    given = json.loads(options)
    if given.pop("epochs", None):
        options = canonical_text(given)
    return digest, options, int(row["seed"]) if given.get("deviation") else None


def refuse_bounds_above_costs(
    rows: Sequence[AnyRow], key: Callable[[AnyRow], Hashable] = problem
) -> None:
    """Raise InputError, naming both rows, if a bound lies above a cost of the same problem."""
    for own in group_by(rows, key).values():
        bound, low = _extreme(own, ("bound", "best_bound"), max)
        cost, high = _extreme(own, ("objective", "clairvoyant_greedy"), min)
        if contradicts(cost, bound):
            expected = f"at most {cost!r} $, the cost of {_told(high)}"
            raise InputError("/bound", described(f"{bound!r} $ of {_told(low)}"), expected)


def _extreme(
    rows: Sequence[AnyRow], keys: Sequence[str], of: Callable[..., Any]
) -> tuple[float | None, AnyRow]:
    """Return the least or greatest of some values, and its row; None and any row without one."""
    found = [(known(row, key), i) for key in keys for i, row in enumerate(rows)]
    value, i = of((pair for pair in found if pair[0] is not None), default=(None, 0))
    return value, rows[i]


def _told(row: AnyRow) -> str:
    run = known(row, "run_id")
    return f"{row.get('method')} on {row.get('instance')}" + (f" (run {run})" if run else "")


def epochs_known(row: AnyRow) -> bool:
    """Return whether the policy of a simulation was told how many epochs each job runs."""
    return '"epochs":' in str(known(row, "simulation") or "")


def group_by(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Return the items by a key, in order of first appearance."""
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def unit(rows: Sequence[AnyRow]) -> str:
    """Return the unit of objectives: $; nothing if all rows are of schedules."""
    return "" if all(map(is_schedule, rows)) else DOLLARS


def family_of(row: AnyRow) -> str:
    """
    Return the family that the name of a row's instance begins with; `other` for other names.

    Whatever its name, a scheduling problem on MIG instances is of `mig`.

    >>> family_of({"instance": "jahani-table2-base-N2-J10-s1"}), family_of({"instance": "mine"})
    ('jahani', 'other')
    """
    if is_schedule(row):
        return MIG
    head = str(row["instance"]).partition("-")[0]
    return head if head in FAMILY_NAMES else OTHER


def by_family(rows: Sequence[R]) -> dict[str, list[R]]:
    """Return the rows of each family that there is, in the order of the catalogue."""
    groups = group_by(rows, family_of)
    return {name: groups[name] for name in FAMILY_NAMES if name in groups}


def distinct(rows: Sequence[R]) -> list[R]:
    """
    Return the rows with names of instances that differ.

    Instances that share a name have part of their digest after it, a workload that is simulated
    under several options those that differ.
    """
    named = group_by(rows, lambda row: row.get("instance"))
    digests = {name: {row.get("instance_sha256") for row in own} for name, own in named.items()}
    differing = {name: _differing(own) for name, own in named.items()}
    made: list[R] = []
    for row in rows:
        name, told = row.get("instance"), []
        if len(digests[name]) > 1:
            told.append(str(row["instance_sha256"])[:8])
        own = json.loads(known(row, "simulation") or "{}") if differing[name] else {}
        told += [f"{key}={own[key]}" for key in differing[name] if key in own]
        copied = {**row, "instance": f"{name} ({', '.join(told)})" if told else name}
        made.append(cast(R, copied))
    return made


def _differing(rows: Sequence[AnyRow]) -> list[str]:
    """Return the options that have several values in some simulations."""
    options = {known(row, "simulation") or "{}" for row in rows}
    every = (value for text in options for value in json.loads(text).items())
    values = {(key, json.dumps(value, sort_keys=True)) for key, value in every}
    return sorted(key for key, count in Counter(key for key, _ in values).items() if count > 1)
