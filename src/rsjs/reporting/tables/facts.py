"""Facts on one object as names and texts: what commands print of it and a notebook shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rsjs.reporting.tables import formats
from rsjs.reporting.tables.table import Column, Table

MOST_VIOLATIONS = 20  # lines


def number(value: float | None, digits: int = 6) -> str:
    """Write significant digits; a dash for a missing number."""
    return formats.MISSING if value is None else formats.significant(value, digits)


def percent(value: float | None) -> str:
    """Write a share in per cent; a dash for a missing one."""
    return formats.MISSING if value is None else f"{formats.percent(value)} %"


def text_of(value: Any) -> str:
    """Write a value, a list or a mapping in one line, numbers in six digits."""
    if isinstance(value, Mapping):
        texts = {name: text_of(entry) for name, entry in value.items()}
        nested = {name: f"({text})" if "," in text else text for name, text in texts.items()}
        return ", ".join(f"{name} {text}" for name, text in nested.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(text_of, value))
    if isinstance(value, float) and value.is_integer():
        return formats.plain(value)
    return _cell(value, 6)


def _cell(value: Any, digits: int) -> str:
    return number(value, digits) if value is None or isinstance(value, float) else str(value)


def facts(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return names and texts of the values that are not None, violations apart."""
    return [
        (name.replace("_", " "), text_of(value))
        for name, value in values.items()
        if value is not None and name != "violations"
    ]


def violation_lines(violations: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return one line per violation, the first ones of very many."""
    lines = [
        f"{v['constraint']}: {v['where']}: found {v['found']}, expected {v['expected']}"
        for v in violations[:MOST_VIOLATIONS]
    ]
    more = len(violations) - MOST_VIOLATIONS
    return [*lines, f"... and {more} more"] if more > 0 else lines


def verdict_facts(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """
    Return what is known of a solution or a run: verdict, cost, bound, time, size.

    Objective and bound are numbers, or lists of the stages of an objective, in `unit`, $ if absent.
    """
    unit = document.get("unit", "$")
    write = number if unit == "$" else text_of
    failed = "no, see below" if document["violations"] else "no solution"
    told = {name: document[name] for name in ("instance", "method") if name in document}
    if "method" in told:
        told["method"] = told["method"] or "not named"
    if document.get("stop") is not None:
        message = f" ({document['message']})" if document["message"] else ""
        told["stop"] = f"{document['stop']}{message}"
    if document["feasible"] is not None:
        told["feasible"] = "yes" if document["feasible"] else failed
    if document["objective"] is not None:
        terms = [f"{name} {number(value)}" for name, value in (document["terms"] or {}).items()]
        told["objective"] = f"{write(document['objective'])} {unit}".rstrip()
        told["objective"] += f" = {' + '.join(terms)}" if terms else ""
    if document["bound"] is not None:
        told["bound"] = f"{write(document['bound'])} {unit}".rstrip()
    if document["gap"] is not None:
        told["bound"] += f", gap {percent(document['gap'])}"
        others = [
            f"{percent(document[f'gap_{key}'])} {key.replace('_', ' ')}"
            for key in ("without_postponement", "over_energy")
            if document["terms"] and document.get(f"gap_{key}") is not None
        ]
        told["bound"] += f" ({', '.join(others)})" if others else ""
    if "postponed" in (counts := document.get("counts") or {}):
        told["jobs"] = f"{counts['executed']} run, {counts['postponed']} postponed"
        if "used_gpus" in counts:
            gpus = f"{counts['used_gpus']} GPUs in use, {counts['idle_gpus']} idle"
            told["nodes"] = f"{counts['selected_nodes']} selected, {gpus}"
    if seconds := document.get("seconds"):
        told["seconds"] = ", ".join(f"{name} {value:.3g}" for name, value in seconds.items())
    if document.get("peak_memory_mb") is not None:
        told["memory"] = f"{document['peak_memory_mb']:.0f} MB at most"
    return [*told.items()]


def node_types(document: Mapping[str, Any]) -> Table:
    """Return the node types in a document of `rsjs.instances.describe`."""
    rows = []
    for v in document["node_types"]:
        prices = sorted({*v["cost_per_hour"][1:]})
        cost = " - ".join(f"{price:g}" for price in dict.fromkeys((prices[0], prices[-1])))
        rows.append((v["name"], f"{v['gpus']} x {v['gpu_type']}", cost, v["nodes_allowed"]))
    headings = ["name", ">GPUs", ">$/h", ">nodes"]
    return text_table("Node types; nodes that may be of each", headings, rows)


def text_table(title: str, headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
    """
    Return a table of texts, numbers that are not whole in four digits.

    The heading of a column that is aligned to the right begins with ">".
    """
    columns = [
        Column(str(i), text.lstrip(">"), align="right" if text[:1] == ">" else "left", missing="")
        for i, text in enumerate(headings)
    ]
    cells = [{str(i): _cell(value, 4) for i, value in enumerate(row)} for row in rows]
    return Table(title=title, columns=columns, rows=cells)
