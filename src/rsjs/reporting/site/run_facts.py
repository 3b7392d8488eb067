"""All that is known of a run, how it is made again, and what it printed last."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rsjs.core.errors import InputError
from rsjs.instances.io.bounded_files import read_bytes, unpacked
from rsjs.instances.mig.scheduling.objective import TERMS
from rsjs.reporting.site.plots import harmless
from rsjs.reporting.site.report_data import Material
from rsjs.reporting.site.run_tables import has_nothing
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.labels import status_word
from rsjs.rows.select import executed, is_schedule, known, unit

LINES, LONGEST = 20, 2000  # of a log, characters


def command(row: Mapping[str, Any], material: Material) -> str:
    """`rsjs solve` or `mig schedule` on the very instance of a run; "" if that was not kept."""
    file = material.solved(dict(row))
    if file is None:
        return ""
    verb = ["mig", "schedule"] if is_schedule(row) else ["solve"]
    words = ["rsjs", *verb, file.as_posix(), "--method", row["spelling"]]
    options = {
        "--time-limit": "time_limit",
        "--gap": "gap_limit",
        "--threads": "threads",
        "--seed": "seed",
        "--memory-limit": "memory_limit_mb",
    }
    if is_schedule(row):
        del options["--gap"]  # what it is given is a proof or the end of its time
    for option, key in options.items():
        value = known(row, key)
        words += [] if value is None else [option, _exact(value)]
    return shlex.join([*words, "-o", "schedule" if is_schedule(row) else "solution.json"])


def log_end(row: Mapping[str, Any], material: Material) -> str:
    """The last lines of a run's output; "" if it was not kept."""
    record = material.record(dict(row))
    if record is None:
        return ""
    try:
        log = unpacked(read_bytes(record / "log.gz"), record / "log.gz")
    except InputError as error:
        return str(error)
    lines = log.decode("utf-8", errors="replace").splitlines(keepends=True)
    return "".join(lines[-LINES:])[-LONGEST:].strip()


def _exact(value: float) -> str:
    """A number as an option: none of its digits lost, no exponent where an integer is asked for."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


Row = Mapping[str, Any]


def _text(key: str) -> Callable[[Row], str]:
    return lambda row: str(known(row, key) if known(row, key) is not None else "")


def _number(key: str, show: Callable[[float], str], unit: str = "") -> Callable[[Row], str]:
    def shown(row: Row) -> str:
        value = known(row, key)
        return "" if value is None else f"{show(float(value))} {unit}".rstrip()

    return shown


def _cost(key: str, *, exact: bool = True) -> Callable[[Row], str]:
    """An objective, a bound or a term with its unit, in all digits or those of a term."""

    def shown(row: Row) -> str:
        found, value = unit([row]), known(row, key)
        show = formats.plain if not found else repr if exact else formats.term
        return "" if value is None else f"{show(float(value))} {found}".rstrip()

    return shown


FIELDS: Sequence[tuple[str, str, Callable[[Row], str]]] = (
    ("asked", "instance", _text("instance")),
    ("asked", "reading", _text("reading")),
    ("asked", "objective", _text("goal")),
    ("asked", "units [MB]", _text("units")),
    ("asked", "its sha256", _text("instance_sha256")),
    ("asked", "sha256 as solved", _text("solved_sha256")),
    ("asked", "permutation", _text("permutation")),
    ("asked", "method", _text("method")),
    ("asked", "environment", _text("environment")),
    ("asked", "seed", _number("seed", formats.count)),
    ("asked", "repetition", _number("repetition", formats.count)),
    ("asked", "threads", _number("threads", formats.count)),
    ("asked", "time limit", _number("time_limit", "{:g}".format, "s")),
    ("asked", "memory limit", _number("memory_limit_mb", "{:g}".format, "MB")),
    ("asked", "gap limit", _number("gap_limit", "{:g}".format)),
    ("asked", "timing", _text("timing")),
    ("found", "ended", lambda row: status_word(row["ended"])),
    ("found", "status", lambda row: status_word(row["quality"])),
    ("found", "stop", _text("stop")),
    ("found", "objective, checked", _cost("objective")),
    ("found", "objective, claimed", _cost("claimed_objective")),
    ("found", "best at the limit", _cost("objective_at_limit")),
    *(
        ("found", term.replace("_", " "), _cost(term, exact=False))
        for term in ("tardiness", "postponement", "energy", "idle", *TERMS)
    ),
    ("found", "value of each stage", _text("stages")),
    ("found", "bound of each stage", _text("stage_bounds")),
    ("found", "bound", _cost("bound")),
    ("found", "bound from", _text("bound_source")),
    ("found", "bound valid for", _text("bound_variant")),
    ("found", "best bound", _cost("best_bound")),
    ("found", "own gap", _number("own_gap", formats.percent, "%")),
    ("found", "gap to best", _number("gap_to_best", formats.percent, "%")),
    ("found", "jobs run", executed),
    ("found", "incumbents", _number("incumbents", formats.count)),
    ("found", "not worth what was claimed", _number("false_incumbents", formats.count)),
    *(
        ("effort", key.removesuffix("_s"), _number(key, formats.measured, "s"))
        for key in (
            "import_s",
            "read_s",
            "build_s",
            "handover_s",
            "solve_s",
            "extract_s",
            "check_s",
            "total_s",
            "process_s",
            "cpu_s",
        )
    ),
    ("effort", "over the limit", _number("overshoot_s", formats.measured, "s")),
    ("effort", "memory", _number("peak_memory_mb", formats.measured, "MB")),
    *(
        ("effort", key.replace("_", " "), _number(key, formats.count))
        for key in ("rows", "columns", "nonzeros", "integers", "search_nodes", "iterations")
    ),
    ("made by", "run id", _text("run_id")),
    ("made by", "sha256 of the solution file", _text("solution_sha256")),
    ("made by", "begun", _text("begun")),
    ("made by", "session", _text("session")),
    ("made by", "commit", _text("commit")),
    ("made by", "tree with changes", _text("dirty")),
    ("made by", "rsjs-bench", _text("rsjs_version")),
    ("made by", "solver", _text("solver_version")),
    ("made by", "methods of other packages", _text("plugins")),
    ("made by", "Python", _text("python_version")),
    ("made by", "environment sha256", _text("environment_sha256")),
    ("made by", "processor", _text("cpu_model")),
    ("made by", "cores", _text("cores")),
    ("made by", "hardware threads", _number("hardware_threads", formats.count)),
    ("made by", "load before", _number("load_before", formats.measured)),
    ("made by", "load after", _number("load_after", formats.measured)),
    ("made by", "options read back", lambda row: _options(row)),
)


def facts_script(slug: str, rows: Sequence[Row], material: Material) -> str:
    """
    A script that hands the facts of an instance's runs to the page.

    A script, as pages opened from a disk may not fetch data.
    """
    document = {
        "fields": [[group, label] for group, label, _ in FIELDS],
        "runs": {row["anchor"]: _facts(row, material) for row in rows},
    }
    return f"rsjsFacts({harmless(slug)}, {harmless(document)});\n"


def _facts(row: Row, material: Material) -> dict[str, Any]:
    record = material.record(dict(row))
    return {
        "title": f"{row['method']}, seed {row['seed']}",
        "values": [show(row) for _, _, show in FIELDS],
        "message": row["message"],
        "record": "" if record is None else record.as_posix(),
        "command": command(row, material),
        "log": log_end(row, material) if has_nothing(row) else "",
    }


def _options(row: Row) -> str:
    options = json.loads(known(row, "options") or "{}")
    return ", ".join(f"{name} = {value}" for name, value in options.items())
