"""
Features and performance of instances in the forms of other tools.

    metadata.csv     instance space analysis (MATILDA): a line per instance, `Instances`, `Source`,
                     `feature_NAME`, and `algo_METHOD` = cost / least cost of the rows - 1
    ASlib scenario   algorithm selection (Bischl et al. 2016; the format is that of
                     https://github.com/coseal/aslib-spec): readme.txt, description.txt,
                     feature_values.arff, feature_runstatus.arff, algorithm_runs.arff, cv.arff

Performance is that of stored rows. In metadata.csv a method that has several on an instance, say of
seeds, counts by their mean, and by none where one of them has no solution. A scenario has them by
repetition; readme.txt says which methods and instances it leaves out, and what a run without a
solution counts. Folds of cv.arff follow from the digests of instances.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import cast

from rsjs.core.errors import InputError, described
from rsjs.instances.features import FEATURES, features
from rsjs.instances.instance import Instance
from rsjs.instances.io.files import write_bytes
from rsjs.methods import parse
from rsjs.rows.csv import csv_text
from rsjs.rows.select import BROKEN, AnyRow, is_wrong, known

FOLDS = 10
PENALTY = 10.0  # times the greatest cost of an instance, $ if that is 0: a run without a solution
STATUS = {"TIMEOUT": "timeout", "MEMOUT": "memout"}  # how a run ended -> word of ASlib
RUN_STATUS = "{ok,timeout,memout,not_applicable,crash,other}"
STEP_STATUS = "{ok,timeout,memout,presolved,crash,other,unknown}"
README = """\
{name}: deep-learning training jobs on GPU clusters, decisions which jobs run now, where and with
how many GPUs. Instances and methods are those of RSJS-Bench, whose documentation describes them.

objective   cost of the solution [$] by an independent checker; less is better
runtime     seconds from being given the instance to the end; of the process where it was ended
            from outside, the time limit where neither is known

A run without a solution, or with one that the checker refutes, counts {penalty:g} times the
greatest cost that a run has on the instance, or {penalty:g} $ if that is 0; so does a method that
does not serve it (not_applicable), with the time limit. Runs end by themselves where they have done
what they do (ok), at a limit of time or memory (timeout, memout; ok with a solution), or by an
error (crash).
Algorithms are stochastic if runs on an instance differ in cost.

Left out, methods not run on all instances that they serve: {methods}
Left out, instances without a solution by any method: {instances}
Features: computed from the data of an instance alone, no costs of them are given.
"""


def write_metadata(instances: Sequence[Instance], rows: Iterable[AnyRow], path: Path) -> None:
    """
    Write features, and with rows the performance of methods, for instance-space tools.

    InputError if there are rows, and none of these instances.
    """
    rows = [*rows]
    runs = _runs(instances, rows)
    if rows and not any(runs.values()):
        raise InputError("", described("no row of these instances"), "rows of them")
    methods = dict.fromkeys(method for found in runs.values() for method in found)
    lines = []
    for instance in instances:
        found = runs[instance.digest]
        costs = {m: _mean(_costs(own)) for m, own in found.items() if len(_costs(own)) == len(own)}
        least = min((c for own in found.values() for c in _costs(own)), default=None)
        lines.append(
            {
                "Instances": instance.name,
                "Source": instance.generator.get("name", "other"),
                **{f"feature_{name}": value for name, value in features(instance).items()},
                **{f"algo_{method}": _over(costs.get(method), least) for method in methods},
            }
        )
    write_bytes(csv_text(lines).encode(), path)


def write_aslib(
    name: str, instances: Sequence[Instance], rows: Iterable[AnyRow], folder: Path
) -> None:
    """
    Write an ASlib scenario: quality of solutions and running time of the rows' methods.

    Raises
    ------
    InputError
        If no method has rows of all instances, or none has a solution.
    """
    runs = _runs(instances, rows)
    known_to_all = dict.fromkeys(method for found in runs.values() for method in found)
    methods = [
        m
        for m in known_to_all
        if all(m in runs[one.digest] or not _serves(m, one) for one in instances)
    ]
    if not methods:
        what = "no method with rows of all instances that it serves" if known_to_all else None
        found = described(what or "no row of these instances")
        raise InputError("", found, "rows of them")
    own_runs = {one.digest: {m: runs[one.digest].get(m, []) for m in methods} for one in instances}
    greatest = {
        digest: max((c for own in found.values() for c in _costs(own)), default=None)
        for digest, found in own_runs.items()
    }
    chosen = [one for one in instances if greatest[one.digest] is not None]
    if not chosen:
        raise InputError("", described("no solution of these instances"), "runs with solutions")
    of_all = [row for found in own_runs.values() for own in found.values() for row in own]
    stochastic = [m for m in methods if any(_differ(found[m]) for found in own_runs.values())]
    limit = max(row["time_limit"] for row in of_all)
    executed: list[list[object]] = []
    for one in chosen:
        imputed = PENALTY * (cast(float, greatest[one.digest]) or 1.0)
        for method in methods:
            told = [_told(row, imputed) for row in own_runs[one.digest][method]]
            told = told or [(imputed, limit, "not_applicable")]
            executed += [[one.name, i, method, *each] for i, each in enumerate(told, start=1)]
    key = [("instance_id", "STRING"), ("repetition", "NUMERIC")]
    scenario = f"RSJS-{name}"
    folds = {one.digest: i % FOLDS + 1 for i, one in enumerate(sorted(chosen, key=_digest))}
    left = [one.name for one in instances if one not in chosen]
    files = {
        "readme.txt": README.format(
            name=scenario,
            penalty=PENALTY,
            methods=", ".join(m for m in known_to_all if m not in methods) or "none",
            instances=", ".join(left) or "none",
        ),
        "description.txt": _description(scenario, methods, stochastic, of_all),
        "feature_values.arff": _arff(
            f"FEATURE_VALUES_{scenario}",
            [*key, *((feature, "NUMERIC") for feature in FEATURES)],
            [[one.name, 1, *features(one).values()] for one in chosen],
        ),
        "feature_runstatus.arff": _arff(
            f"FEATURE_RUNSTATUS_{scenario}",
            [*key, ("all", STEP_STATUS)],
            [[one.name, 1, "ok"] for one in chosen],
        ),
        "algorithm_runs.arff": _arff(
            f"ALGORITHM_RUNS_{scenario}",
            [
                *key,
                *(("algorithm", "STRING"), ("objective", "NUMERIC"), ("runtime", "NUMERIC")),
                ("runstatus", RUN_STATUS),
            ],
            executed,
        ),
        "cv.arff": _arff(
            f"CV_{scenario}",
            [*key, ("fold", "NUMERIC")],
            [[one.name, 1, folds[one.digest]] for one in chosen],
        ),
    }
    for file, text in files.items():
        write_bytes(text.encode(), folder / file)


def _runs(
    instances: Sequence[Instance], rows: Iterable[AnyRow]
) -> Mapping[str, Mapping[str, list[AnyRow]]]:
    """
    Return the rows of each instance by its digest, and by method.

    InputError for rows of a method on an instance with several time limits.
    """
    found: dict[str, dict[str, list[AnyRow]]] = {one.digest: defaultdict(list) for one in instances}
    for row in rows:
        if row["instance_sha256"] in found and known(row, "simulation") is None:
            found[row["instance_sha256"]][str(row["method"])].append(row)
    for one in instances:
        for method, some in found[one.digest].items():
            limits = sorted({known(row, "time_limit") for row in some} - {None})
            if limits[1:]:
                told = " and ".join(f"{limit:g}" for limit in limits)
                what = f"runs of {method} on {one.name} with limits of {told} s"
                raise InputError("", described(what), "rows of one limit")
    return found


def _costs(rows: Iterable[AnyRow]) -> list[float]:
    costs = (known(row, "objective") for row in rows if not is_wrong(row))
    return [cost for cost in costs if cost is not None]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _over(cost: float | None, least: float | None) -> float | None:
    if cost is None:
        return None
    if cost == least:
        return 0.0
    return cost / least - 1 if least else None


def _told(row: AnyRow, imputed: float) -> tuple[float, float, str]:
    """Return objective, imputed where there is none, running time and status of a run."""
    seconds = (known(row, key) for key in ("total_s", "process_s", "time_limit"))
    spent = next(value for value in seconds if value is not None)
    if is_wrong(row):
        return imputed, spent, "other"
    cost, ended = known(row, "objective"), str(row.get("ended"))
    if cost is not None:
        return cost, spent, "ok"
    return imputed, spent, "crash" if ended.startswith(BROKEN) else STATUS.get(ended, "other")


def _serves(method: str, instance: Instance) -> bool:
    """Return whether a method may run on an instance; one that is not known might."""
    try:
        return parse(method).refusal(instance) is None
    except InputError:
        return True


def _differ(rows: Iterable[AnyRow]) -> bool:
    """Return whether runs differ in cost, or in whether there is one."""
    return len({known(row, "objective") for row in rows}) > 1


def _digest(instance: Instance) -> str:
    return instance.digest


def _arff(
    relation: str, columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[object]]
) -> str:
    """Return a relation; text is quoted, a value that is not there is `?`."""
    heads = [f"@RELATION {relation}", "", *(f"@ATTRIBUTE {name} {kind}" for name, kind in columns)]
    text = [kind == "STRING" for _, kind in columns]
    lines = [",".join(map(_cell, row, text)) for row in rows]
    return "\n".join([*heads, "", "@DATA", *lines, ""])


def _cell(value: object, quoted: bool) -> str:
    if value is None:
        return "?"
    text = str(value)
    for sign in ("\\", "'"):
        text = text.replace(sign, f"\\{sign}")
    return f"'{text}'" if quoted else text


def _description(
    scenario: str, methods: Sequence[str], stochastic: Sequence[str], rows: Sequence[AnyRow]
) -> str:
    """Return description.txt: YAML whose values are JSON, which is YAML; "?" = not set."""
    memory = max((known(row, "memory_limit_mb") or 0 for row in rows), default=0)
    told: dict[str, object] = {
        "scenario_id": scenario,
        "performance_measures": ["objective", "runtime"],
        "maximize": [False, False],
        "performance_type": ["solution_quality", "runtime"],
        "algorithm_cutoff_time": max(row["time_limit"] for row in rows),
        "algorithm_cutoff_memory": memory or "?",
        "features_cutoff_time": "?",
        "features_cutoff_memory": "?",
        "algorithms_deterministic": [m for m in methods if m not in stochastic],
        "algorithms_stochastic": [*stochastic],
        "number_of_feature_steps": 1,
        "default_steps": ["all"],
        "feature_steps": {"all": {"provides": [*FEATURES]}},
        "features_deterministic": [*FEATURES],
        "features_stochastic": [],
        "metainfo_algorithms": {
            m: {"configuration": m, "deterministic": m not in stochastic} for m in methods
        },
    }
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in told.items())
