"""
Features and performance of instances in the forms of other tools.

    metadata.csv     instance space analysis (MATILDA): a line per instance, `Instances`, `Source`,
                     `feature_NAME`, and `algo_METHOD` = cost / least cost of the rows - 1
    ASlib scenario   algorithm selection (Bischl et al. 2016): description.txt, feature_values.arff,
                     feature_runstatus.arff, algorithm_runs.arff, cv.arff

Performance is that of stored rows; a method that has several on an instance, say of seeds, counts
by their mean, in a scenario by repetition. Folds of cv.arff follow from the digests of instances.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rsjs.core.errors import InputError, described
from rsjs.instances.features import FEATURES, features
from rsjs.instances.instance import Instance
from rsjs.instances.io.files import write_bytes
from rsjs.rows.csv import csv_text
from rsjs.rows.select import BROKEN, AnyRow, is_wrong, known

FOLDS = 10
STATUS = {"TIMEOUT": "timeout", "MEMOUT": "memout"}  # how a run ended -> word of ASlib
RUN_STATUS = "{ok,timeout,memout,not_applicable,crash,other}"


def write_metadata(instances: Sequence[Instance], rows: Iterable[AnyRow], path: Path) -> None:
    """Write features, and with rows the performance of methods, for instance-space tools."""
    runs = _runs(instances, rows)
    methods = dict.fromkeys(method for found in runs.values() for method in found)
    lines = []
    for instance in instances:
        found = runs[instance.digest]
        costs = {method: _mean(_costs(own)) for method, own in found.items()}
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
        If no row is of one of the instances.
    """
    runs = _runs(instances, rows)
    methods = list(dict.fromkeys(method for found in runs.values() for method in found))
    if not methods:
        raise InputError("", described("no row of these instances"), "rows of them")
    limit = max(
        row["time_limit"] for found in runs.values() for own in found.values() for row in own
    )
    ids = [instance.name for instance in instances]
    values = [features(instance) for instance in instances]
    executed = []
    for instance in instances:
        for method in methods:
            own = runs[instance.digest].get(method, [])
            executed += [[instance.name, i, method, *_told(row)] for i, row in enumerate(own, 1)]
            if not own:
                executed.append([instance.name, 1, method, None, None, "not_applicable"])
    key = [("instance_id", "STRING"), ("repetition", "NUMERIC")]
    files = {
        "description.txt": _description(name, methods, limit),
        "feature_values.arff": _arff(
            "FEATURE_VALUES",
            [*key, *((feature, "NUMERIC") for feature in FEATURES)],
            [[one, 1, *own.values()] for one, own in zip(ids, values, strict=True)],
        ),
        "feature_runstatus.arff": _arff(
            "FEATURE_RUNSTATUS", [*key, ("all", RUN_STATUS)], [[one, 1, "ok"] for one in ids]
        ),
        "algorithm_runs.arff": _arff(
            "ALGORITHM_RUNS",
            [
                *key,
                *(("algorithm", "STRING"), ("objective", "NUMERIC"), ("runtime", "NUMERIC")),
                ("runstatus", RUN_STATUS),
            ],
            executed,
        ),
        "cv.arff": _arff(
            "CV",
            [*key, ("fold", "NUMERIC")],
            [[one.name, 1, int(one.digest, 16) % FOLDS + 1] for one in instances],
        ),
    }
    for file, text in files.items():
        write_bytes(text.encode(), folder / file)


def _runs(
    instances: Sequence[Instance], rows: Iterable[AnyRow]
) -> Mapping[str, Mapping[str, list[AnyRow]]]:
    """Return the rows of each instance by its digest, and by method."""
    found: dict[str, dict[str, list[AnyRow]]] = {one.digest: defaultdict(list) for one in instances}
    for row in rows:
        if row["instance_sha256"] in found and known(row, "simulation") is None:
            found[row["instance_sha256"]][str(row["method"])].append(row)
    return found


def _costs(rows: Iterable[AnyRow]) -> list[float]:
    return [row["objective"] for row in rows if not is_wrong(row) and known(row, "objective")]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _over(cost: float | None, least: float | None) -> float | None:
    return None if cost is None or not least else cost / least - 1


def _told(row: AnyRow) -> tuple[float | None, float | None, str]:
    """Return objective, running time and status of a run."""
    if is_wrong(row):
        return None, known(row, "total_s"), "other"
    cost, ended = known(row, "objective"), str(row.get("ended"))
    if cost is not None:
        word = "ok"
    else:
        word = "crash" if ended.startswith(BROKEN) else STATUS.get(ended, "other")
    return cost, known(row, "total_s"), word


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
    return "'{}'".format(str(value).replace("'", "\\'")) if quoted else str(value)


def _description(name: str, methods: Sequence[str], limit: float) -> str:
    """Return description.txt, YAML; names of methods in quotes."""
    lines = [
        f'scenario_id: "RSJS-{name}"',
        "performance_measures: [objective, runtime]",
        "maximize: [false, false]",
        "performance_type: [solution_quality, runtime]",
        f"algorithm_cutoff_time: {limit:g}",
        "algorithm_cutoff_memory: ?",
        "features_cutoff_time: ?",
        "features_cutoff_memory: ?",
        "number_of_feature_steps: 1",
        "default_steps: [all]",
        "feature_steps:",
        "  all:",
        f"    provides: [{', '.join(FEATURES)}]",
        f"features_deterministic: [{', '.join(FEATURES)}]",
        "features_stochastic: []",
        "metainfo_algorithms:",
    ]
    for method in methods:
        lines += [f'  "{method}":', f'    configuration: "{method}"', "    deterministic: true"]
    return "\n".join([*lines, ""])
