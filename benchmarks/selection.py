"""
Choice of the sets `benchmark`, `challenge`, `dev` and `jahani-regression`.

    python -m benchmarks.selection table     the candidates: results/selection/candidates.csv
    python -m benchmarks.selection choose    the sets: instances/library/data/selected.toml, golden/
    python -m benchmarks.selection choose challenge                         one set, the others stay
    python -m benchmarks.selection status    what runs prove of their members, in golden/

As MIPLIB 2017 (Gleixner et al. 2021) an optimisation model chooses, over features of instances and
measured difficulty, solved by HiGHS. Sets: candidates I, near(i) the NEAR candidates nearest to i
in the space of standardised features; d distances there, D the greatest.

    min   sum_i (sum_{k in near(i)} d_ik y_ik + D u_i) + PENALTY sum_c s_c
    (1)   sum_i x_i = n
    (2)   sum_{k in near(i)} y_ik + u_i = 1        each candidate has a chosen one near it, or not
    (3)   y_ik <= x_k
    (4)   least_c n - s_c <= sum_{i in c} x_i <= most_c n + s_c      shares of groups c

Groups: families, sizes, winning methods, what all exact methods close in 60 s, what none closes,
and where three heuristics change places. A share that candidates do not allow is missed by the
least number s_c, and told.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyomo.environ as pyo

from rsjs.bks import storage
from rsjs.bks.evidence import merged, status_of
from rsjs.commit import source
from rsjs.core.errors import InputError
from rsjs.instances.features import FEATURES, features
from rsjs.instances.instance import Instance
from rsjs.instances.io.csv_tables import write_rows
from rsjs.instances.io.files import write_bytes
from rsjs.instances.library.sets import COLUMNS, Member, library_set, names
from rsjs.methods import parse
from rsjs.rows.csv import csv_text, read_rows, read_table
from rsjs.rows.select import is_wrong, known
from rsjs.rows.status import GAP, effort, status
from rsjs.runs.gap import gap

ROOT = Path(__file__).parents[1]
SELECTION = ROOT / "results" / "selection"
TABLE = SELECTION / "candidates.csv"
DATA = ROOT / "instances" / "library" / "data"
SOURCES = (  # sets of the library whose members are candidates, up to 100 x 400; each is drawn once
    *("heterogeneous-proportional", "heterogeneous-first-ending"),
    *("points-sts-charged", "points-andreas-charged", "points-kiros-charged"),
    *("points-jahani-charged", "points-sts", "points-andreas-rigid", "points-jahani-rigid"),
    *("small", "jahani-table2-base", "jahani-azure-tight", "jahani-kiros-base"),
    *("kiros-base", "kiros-tight", "andreas-scenario1", "andreas-scenario2"),
    *("sts-km-none", "sts-km-paper", "sts-a100-contention", "sts-kma-paper", "sts-p05-none"),
    *("planted-proportional", "planted-first-ending"),
)
CHALLENGERS = ("heterogeneous-racks", "workloads-open")  # no candidates, but of `challenge` if open
MOST_GAP = 0.01  # of a workload of `challenge`
HEURISTICS = (  # best first, docs/results/heuristics.md
    *("ruin_recreate?iterations=0", "fix_and_optimise", "priced_greedy", "local_search?jobs=all"),
)
LIMIT = 60.0  # s
MOST_NODES, MOST_JOBS = 100, 400
NEAR, PENALTY = 25, 1000.0
SIZES = (50, 100, 200, 400)  # jobs, upper ends of classes
SHARES = {  # group -> least and most share of `benchmark`
    "all": (0.2, 0.4),
    "none": (0.2, 0.4),
    "changed": (0.3, 1.0),
    "family": (0.03, 0.4),  # two of each at least
    **dict.fromkeys(("size", "winner"), (0.0, 0.4)),
}
Candidate = dict[str, Any]


def candidates() -> list[Candidate]:
    """Return every candidate that was run: its place, its features, and what runs say of it."""
    entries = storage.read(storage.TREE)
    rows = defaultdict(list)
    for file in (SELECTION / "rows.csv", ROOT / "results" / "heuristics" / "rows.csv"):
        for row in read_rows(file):
            rows[row["instance_sha256"]].append(row)
    found: dict[str, Candidate] = {}
    commit = source()["commit"]
    for name in SOURCES:
        for number, member in enumerate(library_set(name).members):
            own = [*rows[member.sha256]]
            if member.sha256 in entries:
                own = merged(own, entries[member.sha256])
            if member.sha256 in found or not own or _large(member):
                continue
            instance = member.draw()
            assert isinstance(instance, Instance), "no set of MIG jobs"
            found[member.sha256] = {
                "name": member.name,
                "commit": commit,
                "set": name,
                "number": number,
                "sha256": member.sha256,
                "nodes": member.nodes,
                "jobs": member.jobs,
                "family": _family(name, member.generator, instance.objective.energy),
                "size": f"up to {next(most for most in SIZES if member.jobs <= most)} jobs",
                **measured(own),
                **{f"feature_{key}": value for key, value in features(instance).items()},
            }
    return [*found.values()]


def _large(member: Member) -> bool:
    return (member.nodes or 0) > MOST_NODES or member.jobs > MOST_JOBS


def _family(name: str, generator: str, energy: str) -> str:
    """Return the family of a member of a set: its generator, or what is charged."""
    if name.startswith("points-"):
        return "points-charged" if name.endswith("-charged") else "points"
    return f"{generator}-{energy}" if generator in ("heterogeneous", "planted") else generator


def measured(rows: Sequence[Mapping[str, Any]]) -> Candidate:
    """
    Return what runs say of a candidate; None where nothing was measured.

    `exact`: number of exact methods that ran; `all`, `none`: whether all or none of them, of at
    least two, closed the instance within LIMIT, of CPU time or of the clock, what is less;
    `changed`: whether the first three of HEURISTICS that ran come in another order of cost than
    here; `winner`: the exact method that closed it first, else the method of least cost.
    """
    # what comes without a run has no such column; a run that was killed has an empty one
    rows = [row for row in rows if not is_wrong(row) and "total_s" in row]
    exact: dict[str, float] = {}
    for row in rows:
        if parse(row["method"]).method.kind == "exact":
            closed = gap(known(row, "objective"), known(row, "bound"))
            seconds = effort(row) if closed is not None and closed <= GAP else np.inf
            exact[row["method"]] = min(exact.get(row["method"], np.inf), seconds)
    within = [seconds <= LIMIT for seconds in exact.values()]
    found = status(rows)
    bounds = [row["bound"] for row in rows if known(row, "bound") is not None]
    reached: dict[str, float] = {}
    for row in rows:
        if (cost := known(row, "objective")) is not None:
            reached[row["method"]] = min(reached.get(row["method"], np.inf), cost)
    costs = [reached[method] for method in HEURISTICS if method in reached][:3]
    if any(within):
        first = min(exact, key=exact.__getitem__)
    else:
        first = min(reached, key=reached.__getitem__, default="none")
    return {
        "status": str(found),
        "gap": found.gap,
        "best_cost": min(reached.values(), default=None),
        "best_bound": max(bounds, default=None),
        "exact": len(exact),
        "all": bool(within) and all(within) if len(within) > 1 else None,
        "none": not any(within) if len(within) > 1 else None,
        "changed": costs != sorted(costs) if len(costs) == 3 else None,
        "winner": first,
    }


def space(listed: Sequence[Candidate]) -> np.ndarray:
    """Return (I, F) features, standardised over the candidates and limited to 3 deviations."""
    values = np.array([[one[f"feature_{name}"] for name in FEATURES] for one in listed], float)
    spread = values.std(axis=0)
    kept = spread > 1e-9
    return np.clip((values - values.mean(axis=0))[:, kept] / spread[kept], -3, 3)


def groups(listed: Sequence[Candidate], keys: Sequence[str]) -> dict[str, list[int]]:
    """Return the positions of the candidates of each group: `key` or `key value`."""
    found: dict[str, list[int]] = defaultdict(list)
    for i, one in enumerate(listed):
        for key in keys:
            if key in ("all", "none", "changed"):
                found[key] += [i] if one[key] is True else []
            else:
                found[f"{key} {one[key]}"].append(i)
    return found


def choose(
    listed: Sequence[Candidate], n: int, shares: Mapping[str, tuple[float, float]]
) -> tuple[list[int], dict[str, float]]:
    """
    Solve the model.

    Parameters
    ----------
    shares : mapping
        Key of a candidate -> least and most share of the chosen that a group of it may have.

    Returns
    -------
    list of int
        Positions of the chosen, ascending.
    dict
        Group -> by how many members its share is missed, where it is.
    """
    points = space(listed)
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    near = distance.argsort(axis=1, kind="stable")[:, :NEAR]
    members = groups(listed, [*shares])
    everyone = range(len(listed))
    model = pyo.ConcreteModel()
    model.pairs = pyo.Set(initialize=[(i, int(k)) for i in everyone for k in near[i]])
    model.groups = pyo.Set(initialize=[*members])
    model.x = pyo.Var(everyone, domain=pyo.Binary)
    model.y = pyo.Var(model.pairs, bounds=(0, 1))
    model.u = pyo.Var(everyone, bounds=(0, 1))
    model.s = pyo.Var(model.groups, domain=pyo.NonNegativeReals)
    model.cost = pyo.Objective(
        expr=sum(float(distance[i, k]) * model.y[i, k] for i, k in model.pairs)
        + float(distance.max()) * sum(model.u.values())
        + PENALTY * sum(model.s.values())
    )
    model.number = pyo.Constraint(expr=sum(model.x.values()) == min(n, len(listed)))  # (1)
    model.nearest = pyo.Constraint(  # (2)
        everyone, rule=lambda m, i: sum(m.y[i, int(k)] for k in near[i]) + m.u[i] == 1
    )
    model.chosen = pyo.Constraint(model.pairs, rule=lambda m, i, k: m.y[i, k] <= m.x[k])  # (3)

    def share(m: pyo.ConcreteModel, group: str, end: int) -> Any:
        bound, total = shares[group.split()[0]][end] * n, sum(m.x[i] for i in members[group])
        return total >= bound - m.s[group] if end == 0 else total <= bound + m.s[group]

    model.share = pyo.Constraint(model.groups, [0, 1], rule=share)  # (4)
    solver = pyo.SolverFactory("appsi_highs")
    solver.options = {"random_seed": 0, "threads": 1, "mip_rel_gap": 0.002, "time_limit": 120}
    solver.solve(model)
    missed = {group: round(pyo.value(model.s[group]), 6) for group in model.groups}
    return (
        [i for i in everyone if pyo.value(model.x[i]) > 0.5],
        {group: by for group, by in missed.items() if by > 1e-6},
    )


@cache
def _divided() -> tuple[list[Candidate], list[Candidate]]:
    """Return the candidates that are chosen for `benchmark`, and the others."""
    listed = [_typed(one) for one in read_table(TABLE)]
    chosen, missed = choose(listed, 60, SHARES)
    print("benchmark:", _counts([listed[i] for i in chosen]), "missed:", missed)
    return [listed[i] for i in chosen], [listed[i] for i in {*range(len(listed))} - {*chosen}]


def benchmark() -> list[Candidate]:
    """Return 60 of the candidates that cover them and keep SHARES."""
    return _divided()[0]


def dev() -> list[Candidate]:
    """Return 30 of the candidates that are not in `benchmark`."""
    rest = _divided()[1]
    chosen, missed = choose(rest, 30, {"family": (0.0, 0.4), "size": (0.0, 0.4)})
    print("dev:", _counts([rest[i] for i in chosen]), "missed:", missed)
    return [rest[i] for i in chosen]


def challenge() -> list[Candidate]:
    """
    Return what no stored run closes of the sets of candidates and of CHALLENGERS.

    Instances up to the size of candidates, and workloads of any size that are nearly closed.
    """
    found: dict[str, Candidate] = {}
    for name in (*SOURCES, *CHALLENGERS):
        for number, member in enumerate(library_set(name).members):
            told = status_of(member.sha256)
            if member.kind == "workloads":
                fits = told.gap is not None and told.gap <= MOST_GAP
            else:
                fits = not _large(member)
            if told.word == "open" and fits:
                found.setdefault(member.sha256, {"set": name, "number": number})
    return [*found.values()]


def regression() -> list[Candidate]:
    """Return 60 of the members of the sets `jahani-<catalogue>-<due dates>`."""
    found: dict[str, Candidate] = {}
    for name in names():
        if name.startswith("jahani-") and name != "jahani-regression":
            for number, member in enumerate(library_set(name).members):
                instance = member.draw()
                assert isinstance(instance, Instance), "no set of MIG jobs"
                told = {f"feature_{key}": value for key, value in features(instance).items()}
                size = f"up to {next(n for n in SIZES if member.jobs <= n)} jobs"
                place = {"set": name, "number": number, "family": name, "size": size}
                found.setdefault(member.sha256, place | told)
    listed = [*found.values()]
    chosen, missed = choose(listed, 60, {"family": (0.05, 0.15), "size": (0.1, 0.4)})
    print("jahani-regression:", _counts([listed[i] for i in chosen]), "missed:", missed)
    return [listed[i] for i in chosen]


CHOSEN = {  # set -> what it is for, what chooses its members
    "benchmark": ("instances that separate methods, for comparisons", benchmark),
    "challenge": ("open instances and workloads", challenge),
    "dev": ("instances for tuning, none of them in benchmark", dev),
    "jahani-regression": ("60 of the 510 of jahani-*, for tables", regression),
}


def _typed(row: dict[str, Any]) -> Candidate:
    flags = {"True": True, "False": False, None: None}
    return row | {key: flags.get(row[key], row[key]) for key in ("all", "none", "changed")}


def _counts(listed: Sequence[Candidate]) -> dict[str, int]:
    told: Counter[str] = Counter()
    for one in listed:
        told.update(f"{key} {one.get(key)}" for key in ("family", "size", "winner"))
        told.update(key for key in ("all", "none", "changed") if one.get(key) is True)
    return dict(sorted(told.items()))


def write(name: str, summary: str, listed: Sequence[Candidate]) -> str:
    """Write the golden file of a set; return its table for `selected.toml`."""
    numbers: dict[str, list[Candidate]] = defaultdict(list)
    for one in sorted(listed, key=lambda one: int(one["number"])):
        numbers[one["set"]].append(one)
    golden: list[Member] = []
    lines = [f"[{name}]", f'summary = "{summary}"', 'source = "docs/results/benchmark-set.md"']
    lines.append("instances = [")
    for of, members in numbers.items():
        places = [int(one["number"]) for one in members]
        lines.append(f'    {{ set = "{of}", numbers = {places} }},')
        golden += [library_set(of).members[place] for place in places]
    _write_members(name, golden)
    return "\n".join([*lines, "]"])


def _write_members(name: str, members: Sequence[Member]) -> None:
    """Write the golden file of a set, with what is proved of its members now."""
    rows = [
        [one.name, one.nodes, one.jobs, one.sha256, None, status_of(one.sha256)] for one in members
    ]
    write_rows(DATA / "golden" / f"{name}.csv", (*COLUMNS, "status"), rows)


def main(arguments: Sequence[str]) -> None:
    """Write the table of candidates, all sets or those named, or the status of their members."""
    if [*arguments] == ["table"]:
        write_bytes(csv_text(candidates()).encode(), TABLE)
    elif arguments[:1] == ["choose"] and {*arguments[1:]} <= {*CHOSEN}:
        path = DATA / "selected.toml"
        head, *tables = path.read_text("utf-8").rstrip().split("\n\n")
        for i, (name, (summary, choice)) in enumerate(CHOSEN.items()):
            if name in (arguments[1:] or CHOSEN):
                tables[i] = write(name, summary, choice())
        write_bytes(("\n\n".join([head, *tables]) + "\n").encode(), path)
    elif [*arguments] == ["status"]:
        for name in CHOSEN:
            _write_members(name, library_set(name).members)
    else:
        expected = f"table, status, or choose with any of {', '.join(CHOSEN)}"
        raise InputError("", " ".join(arguments), expected)


if __name__ == "__main__":
    main(sys.argv[1:])
