"""docs/formulations.md and its pictures, from stored rows only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks import formulation_pictures as pictures
from benchmarks.formulation_cases import CONTROLLERS, INNER, LIMITS, Case, Row, proved, seconds_of
from rsjs.instances.io.files import write_bytes
from rsjs.methods import parse
from rsjs.reporting.figures import figure_style
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.table import code

Found = Sequence[tuple[Case, list[Row]]]

DOCS = Path(__file__).parents[1] / "docs"
UNDIVIDED = "first_ending_patterns@highs"
SECTIONS = {
    "jahani": (
        "Jahani's problem",
        "`jahani_literal` is the printed model, node by node; `jahani_patterns` has an integer for "
        "each way to cut a node type's GPUs into slots, whatever the number of nodes.",
    ),
    "kiros": (
        "Nodes charged until their first job ends",
        "`first_ending_nodes` has a row per node; `first_ending_patterns` marks the slot of the "
        "leader in each pattern.",
    ),
    "sts-dedicated": (
        "RS-JS, dedicated GPUs",
        "From the literal side: the MINLP, GPU by GPU, node by node, by node classes, and sifting "
        "of the last with packing.",
    ),
    "sts-shared": (
        "RS-JS, shared GPUs",
        "The same with the shares of Table IV.",
    ),
}


def write(found: Found) -> None:
    """Make the page and its pictures."""
    lines = [
        "# Formulations compared",
        "",
        f"Made by `python -m benchmarks.formulations` from the rows in `results/formulations`. "
        f"Limit {LIMITS.time_limit:g} s, one thread, gap {LIMITS.gap:g}; a fresh process each. A "
        "cell is the seconds from the start of the build to the proof of that gap. Where the "
        "method proved none it says `limit`, or why else it stopped; in parentheses the own gap, "
        "from its cost to its bound, `no` without a verified solution.",
        "",
        "![Seconds against size, one panel per problem](images/formulations.png)",
    ]
    for section, (title, text) in SECTIONS.items():
        rows = [(case, own) for case, own in found if case.section == section]
        if rows:
            lines += ["", f"## {title}", "", text, "", *_table(rows)]
    divided = [(case, own) for case, own in found if case.section == "hierarchical"]
    if divided:
        lines += ["", "## Hierarchical decomposition", "", *_losses(divided)]
        losses, _ = _by_controllers(divided)
        figure_style.write(lambda: pictures.losses(losses), DOCS / "images" / "hierarchical.png")
    lines += ["", *_versions(found)]
    by_section = {
        title: [f for f in found if f[0].section == key] for key, (title, _) in SECTIONS.items()
    }
    times = {
        title: [(case.pairs, row) for case, own in part for row in own]
        for title, part in by_section.items()
    }
    figure_style.write(lambda: pictures.seconds(times), DOCS / "images" / "formulations.png")
    write_bytes(("\n".join(lines) + "\n").encode(), DOCS / "formulations.md")


def _table(found: Found) -> list[str]:
    """One row per method, one column per size."""
    methods = list(dict.fromkeys(row["method"] for _, own in found for row in own))
    sizes = [case.size for case, _ in found]
    lines = [f"| method | {' | '.join(sizes)} |", f"| :--- |{' ---: |' * len(sizes)}"]
    for method in methods:
        by_case = [next((row for row in own if row["method"] == method), None) for _, own in found]
        cells = ["" if row is None else _cell(row) for row in by_case]
        lines.append(f"| {code(method)} | {' | '.join(cells)} |")
    return lines


def _cell(row: Row) -> str:
    if row["status"] == "ok" and proved(row):
        return formats.measured(seconds_of(row))
    how = "limit" if row["stop"] == "time_limit" else row["stop"].replace("_", " ")
    if row["status"] != "ok":
        return f"{how} ({'no' if row['status'] == 'no_solution' else row['status']})"
    gap = row["own_gap"]
    return f"{how} ({'no bound' if gap is None else formats.percent(gap) + ' %'})"


def _losses(found: Found) -> list[str]:
    """Median loss over the seeds by K and controllers' method."""
    lines = [
        "Kiros' controllers on 40 nodes and 400 jobs: K parts, jobs and nodes dealt in turn, each "
        "part solved by itself. Loss = cost of the union / best bound of the undivided instance "
        "- 1, median of the seeds; in parentheses the seconds of all parts, one after the other.",
        "",
        "![Loss against the number of controllers](images/hierarchical.png)",
        "",
        f"| controllers' method | {' | '.join(f'K = {k}' for k in CONTROLLERS)} |",
        f"| :--- |{' ---: |' * len(CONTROLLERS)}",
    ]
    losses, seconds = _by_controllers(found)
    for method in INNER:
        cells = [
            f"{_loss(median(losses[method, k]))} ({formats.measured(median(seconds[method, k]))} s)"
            if losses[method, k]
            else ""
            for k in CONTROLLERS
        ]
        lines.append(f"| {code(method)} | {' | '.join(cells)} |")
    return lines


def _loss(value: float) -> str:
    """Percent, or a factor where it is a large one."""
    if value >= 10:
        return f"{formats.TIMES} {formats.significant(1 + value, 2)}"
    return f"{formats.percent(max(0.0, value))} %"


def _by_controllers(found: Found) -> tuple[dict[tuple[str, int], list[float]], ...]:
    losses: dict[tuple[str, int], list[float]] = defaultdict(list)
    seconds: dict[tuple[str, int], list[float]] = defaultdict(list)
    for _, own in found:
        for row in own:
            method, k = _controllers(row["method"])
            if method is None or row["status"] != "ok":
                continue
            losses[method, k].append(row["objective"] / row["best_bound"] - 1)
            seconds[method, k].append(seconds_of(row))
    return losses, seconds


def _controllers(spelling: str) -> tuple[str | None, int]:
    """The controllers' method and their number, from a canonical spelling."""
    request = parse(spelling)
    if request.method.name != "hierarchical":
        return None, 0
    return request.options["method"].spelling, request.options["controllers"]


def _versions(found: Found) -> list[str]:
    solvers = {
        (row["method"].partition("@")[2].partition("?")[0], row["solver_version"])
        for _, own in found
        for row in own
        if row["solver_version"]
    }
    packages = {row["rsjs_version"] for _, own in found for row in own}
    named = [f"{solver} {version}" for solver, version in sorted(solvers)]
    return [f"Versions: {', '.join([f'rsjs-bench {v}' for v in sorted(packages)] + named)}."]
