"""The text that `solve` and `check` print, made from the document that `--json` prints."""

from __future__ import annotations

from typing import Any

from rsjs.cli.console import number, percent, print_facts

MOST_VIOLATIONS = 20


def print_verdict(document: dict[str, Any], *more: tuple[str, str]) -> None:
    """A few lines: what was found, at what cost, within which bound; then further lines."""
    facts = [*_head(document), *cost_lines(document), *_effort(document)]
    print_facts([*facts, *_exact(document.get("exact")), *more])
    for line in violation_lines(document["violations"]):
        print(line)


def violation_lines(violations: list[dict[str, Any]]) -> list[str]:
    """One line per violation, the first ones of very many."""
    lines = [
        f"violation  {v['constraint']}: {v['where']}: found {v['found']}, expected {v['expected']}"
        for v in violations[:MOST_VIOLATIONS]
    ]
    more = len(violations) - MOST_VIOLATIONS
    return [*lines, *([f"... and {more} more violations"] if more > 0 else [])]


def _head(document: dict[str, Any]) -> list[tuple[str, str]]:
    rows = [("instance", document["instance"]), ("method", document["method"] or "not named")]
    if document["stop"] is not None:
        message = f" ({document['message']})" if document["message"] else ""
        rows.append(("stop", f"{document['stop']}{message}"))
    if document["feasible"]:
        word = "yes"
    else:
        word = "no, see below" if document["violations"] else "no solution"
    return [*rows, ("feasible", word)]


def cost_lines(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Objective by terms, bound and gaps, what runs where."""
    rows = []
    if document["objective"] is not None:
        terms = (f"{name} {number(value)}" for name, value in document["terms"].items())
        rows.append(("objective", f"{number(document['objective'])} $ = {' + '.join(terms)}"))
    if document["bound"] is not None:
        text = f"{number(document['bound'])} $"
        if document["gap"] is not None:
            without, energy = (
                percent(document[f"gap_{part}"]) for part in ("without_postponement", "over_energy")
            )
            text += f", gap {percent(document['gap'])} ({without} without postponement, "
            text += f"{energy} over energy)"
        rows.append(("bound", text))
    counts = document["counts"]
    if "executed" in counts:
        rows.append(("jobs", f"{counts['executed']} run, {counts['postponed']} postponed"))
        gpus = f"{counts['used_gpus']} GPUs in use, {counts['idle_gpus']} idle"
        rows.append(("nodes", f"{counts['selected_nodes']} selected, {gpus}"))
    return rows


def _effort(document: dict[str, Any]) -> list[tuple[str, str]]:
    seconds = dict(document["seconds"])
    total = seconds.pop("total", None)
    phases = ", ".join(f"{name} {value:.3g}" for name, value in seconds.items())
    rows = [("seconds", f"{total:.3g} ({phases})" if total is not None else phases)]
    if document["peak_memory_mb"] is not None:
        rows.append(("memory", f"{document['peak_memory_mb']:.0f} MB at most"))
    return rows


def _exact(exact: dict[str, Any] | None) -> list[tuple[str, str]]:
    """Return what the exact check found, if it was asked; violations if it disagrees."""
    if exact is None:
        return []
    word = "feasible" if exact["feasible"] else "not feasible"
    cost = "" if exact["objective"] is None else f", {exact['objective']!r} $"
    if exact["agrees"]:
        return [("exact", f"{word}{cost}: agrees")]
    lines = [f"{word}{cost}: DISAGREES with the check in floating point"]
    return [("exact", line) for line in lines + violation_lines(exact["violations"])]
