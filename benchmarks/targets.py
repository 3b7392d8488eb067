"""
The figures this version promises, measured side by side: `python -m benchmarks.targets`.

Medians over 4 catalogues x 2 due-date laws x 3 seeds at 100 x 400, each solve in a fresh worker
process with one thread; micro-figures are medians of repeated calls in this process. Writes
results/targets/rows.csv (every run) and results/targets/table.md.
"""

from __future__ import annotations

import csv
import io
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from statistics import median

from rich.progress import track

from rsjs.experiments import comparison, outcome
from rsjs.formulations import jahani_patterns, standard_form
from rsjs.formulations.backends.registry import backend
from rsjs.formulations.jahani_patterns_data import PatternModel
from rsjs.heuristics import greedy
from rsjs.instances import costs, files
from rsjs.instances.check import check
from rsjs.instances.completion import complete
from rsjs.instances.exact import check_exact
from rsjs.instances.generators.jahani import generate
from rsjs.instances.method import Limits
from rsjs.methods import parse

CATALOGUES = ("table2", "azure", "server2-11usd", "no-server2")
GAPS = {"highs": 1e-4, "scip": 1e-4, "cpsat": 1e-2}
FOLDER = Path(__file__).parents[1] / "results" / "targets"

Figure = tuple[str, float, str, str, str]  # what, measured, unit, target, floor


def main() -> None:
    """Measure and write the table; `--short` leaves out the solves and only prints."""
    if "--short" in sys.argv:
        print("\n".join(_lines([*_build(), *_files(), *_greedy(), _help()])))
        return
    figures: list[Figure] = []
    rows: list[comparison.Row] = []
    for solver, gap in GAPS.items():
        found = _solves(solver, gap)
        rows += found
        seconds = [row["total_s"] for row in found]
        target, floor = {"highs": ("1", "5"), "scip": ("3", "15"), "cpsat": ("3", "15")}[solver]
        what = f"jahani_patterns@{solver} at 100 x 400 to {gap:.2%}, median of {len(found)}"
        figures.append((what, median(seconds), "s", target, floor))
        figures.append((what.replace("median", "largest"), max(seconds), "s", "", ""))
    figures += _build()
    literal = _literal()
    rows.append(literal)
    memory = literal["peak_memory_mb"] / 1024
    what = "jahani_literal@highs built and handed over at 40 x 400, peak memory"
    figures.append((what, memory, "GiB", "2", "4"))
    overshoots, found = _overshoot()
    figures += overshoots
    rows += found
    figures += _files()
    figures += _greedy()
    figures.append(_help())
    _write(figures, rows)


def _solves(solver: str, gap: float) -> list[comparison.Row]:
    request, limits = parse(f"jahani_patterns@{solver}"), Limits(gap=gap)
    cases = list(product(CATALOGUES, ("base", "tight"), (1, 2, 3)))
    outcomes = []
    for catalogue, due, seed in track(cases, description=solver):
        instance = generate(nodes=100, jobs=400, seed=seed, catalogue=catalogue, due=due)
        outcomes.append(outcome.run(instance, request, limits))
    rows = comparison.rows(outcomes, limits)
    missed = [r["instance"] for r in rows if r["gap"] is None or r["gap"] > gap * (1 + 1e-9)]
    if missed:
        raise SystemExit(f"{request.spelling}: gap {gap:g} not reached on {', '.join(missed)}")
    return rows


def _build() -> list[Figure]:
    instance = generate(nodes=100, jobs=400, seed=1)
    solve = backend("highs").load()

    def hand_over(model: object) -> None:
        solve(
            model,
            Limits(),
            seconds=0.001,
            start=None,
            on_incumbent=lambda x: None,
            on_bound=lambda b: None,
            stop=lambda: True,
            log=False,
        )

    def pyomo() -> None:
        model = jahani_patterns.build(PatternModel.of(instance))
        hand_over(standard_form.from_pyomo(model)[0])

    def arrays() -> None:
        hand_over(jahani_patterns.arrays(PatternModel.of(instance)))

    what = "jahani_patterns at 100 x 400 built and handed over"
    return [
        (f"{what}, from Pyomo", _median(pyomo, 7), "s", "0.3", "1"),
        (f"{what}, from arrays", _median(arrays, 15), "s", "0.05", "0.2"),
    ]


def _literal() -> comparison.Row:
    limits = Limits(time_limit=120.0)
    instance = generate(nodes=40, jobs=400, seed=1)
    found = outcome.run(instance, parse("jahani_literal@highs"), limits)
    if found.result.counts.get("rows") != 1_041_601:
        raise SystemExit(f"jahani_literal was not handed over: {found.result.message}")
    (row,) = comparison.rows([found], limits)
    return row


def _overshoot() -> tuple[list[Figure], list[comparison.Row]]:
    """How far beyond a limit of 5 s the literal model ends: build and root take longer."""
    limits, figures, rows = Limits(time_limit=5.0), [], []
    instance = generate(nodes=20, jobs=200, seed=1)
    for solver, route in product(("highs", "scip"), ("standard_form", "arrays")):
        spelling = f"jahani_literal@{solver}?route={route}"
        (row,) = comparison.rows([outcome.run(instance, parse(spelling), limits)], limits)
        rows.append(row)
        beyond = (row["total_s"] or row["process_s"]) - limits.time_limit
        what = f"{spelling} at 20 x 200, beyond its limit of 5 s ({row['stop']})"
        figures.append((what, beyond, "s", "", "2"))
    return figures, rows


def _files() -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        path, solution_path = Path(name) / "instance.json", Path(name) / "solution.json"
        instance = generate(nodes=100, jobs=400, seed=1)
        solution = complete(instance, greedy.decide(greedy.prepare(instance, "code")))
        files.write_instance(instance, path)
        files.write_solution(solution, instance.digest, solution_path)

        def exact() -> None:
            check_exact(files.read_exact(path), files.read_exact(solution_path))

        read = _median(lambda: files.read_instance(path), 25)
        checked = _median(lambda: check(instance, solution), 50)
        return [
            ("read a 100 x 400 instance", 1e3 * read, "ms", "20", "60"),
            ("check a decision for it", 1e3 * checked, "ms", "5", "20"),
            ("check it exactly, reading included", _median(exact, 9), "s", "0.3", "1"),
        ]


def _greedy() -> list[Figure]:
    times: dict[str, list[float]] = {"code": [], "paper": []}
    for catalogue, due, seed in product(CATALOGUES, ("base", "tight"), (1, 2, 3)):
        instance = generate(nodes=100, jobs=400, seed=seed, catalogue=catalogue, due=due)
        costs.tables(instance)
        for rule, found in times.items():
            prepared = greedy.prepare(instance, rule)
            found.append(_median(lambda prepared=prepared: greedy.decide(prepared), 25))
    return [
        (f"one decision of greedy:{rule} after set-up", 1e3 * median(found), "ms", "0.5", "2")
        for rule, found in times.items()
    ]


def _help() -> Figure:
    command = [sys.executable, "-m", "rsjs", "--help"]
    seconds = _median(lambda: subprocess.run(command, check=True, capture_output=True), 11)
    return "rsjs --help, whole process", seconds, "s", "0.3", "0.5"


def _median(call: Callable[[], object], repeats: int) -> float:
    call()
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
    return median(seconds)


def _lines(figures: list[Figure]) -> list[str]:
    return [
        "| what | measured | target | floor |",
        "|---|---|---|---|",
        *(
            f"| {what} | {measured:.3g} {unit} | {target} | {floor} |"
            for what, measured, unit, target, floor in figures
        ),
    ]


def _write(figures: list[Figure], rows: list[comparison.Row]) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    files.write_bytes(buffer.getvalue().encode(), FOLDER / "rows.csv")
    lines = _lines(figures)
    versions = ", ".join(f"{name} {backend(name).version()}" for name in GAPS)
    lines += ["", f"Python {platform.python_version()}, {versions}; `python -m benchmarks.targets`"]
    files.write_bytes(("\n".join(lines) + "\n").encode(), FOLDER / "table.md")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
