"""
`rsjs compare`, `demo` and `formulation-study`: methods on instances, and how comparisons end.

Each is a campaign in DIR/store whose rows become files and a table in DIR.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from rsjs.cli import INTERRUPTED
from rsjs.cli.options import (
    Baseline,
    Gap,
    Json,
    MemoryLimit,
    Seed,
    Threads,
    TimeLimit,
    argument,
    limits,
    option,
    options_named,
    requests,
)
from rsjs.cli.output import number, percent, print_json, show_table, writable
from rsjs.cli.progress import Board, Screen, busy
from rsjs.core.errors import InputError
from rsjs.reporting.figures.runs import cost_over_time, cost_split, gap_over_time
from rsjs.reporting.tables.comparison import Maker, formulations, shortened_table, table, write_all
from rsjs.rows.select import failure, group_by, is_wrong, known

if TYPE_CHECKING:
    from rsjs.campaigns.pool import News
    from rsjs.campaigns.runner import Prepared
    from rsjs.comparison import Comparison
    from rsjs.core.call import Limits
    from rsjs.methods import Request
    from rsjs.reporting.figures.figure import Figure
    from rsjs.reporting.tables.table import Table
    from rsjs.rows.columns import Row

STORE = "store"  # folder of the records in that of a comparison
BETWEEN = "--"  # instance and method in the name of a solution
RELAXATION = "relaxation"  # the solver of that name
_RSJS = ",".join(f"rsjs_{name}@highs" for name in ("gpu", "nodes", "classes", "bound", "sifting"))
FAMILIES: Mapping[str, tuple[dict[str, Any], str]] = {  # of `rsjs.generate`; published model first
    "jahani": ({}, "jahani_literal@highs,jahani_patterns@highs"),
    "kiros": ({}, "first_ending_nodes@highs,first_ending_patterns@highs"),
    "sts": ({}, _RSJS),
    "sts-shared": ({"family": "sts", "sharing": "paper"}, _RSJS),
}
Results = Annotated[Path, option("DIR", "Folder for the results.", "-o", "--output")]


def compare(
    files: Annotated[list[Path], argument("FILE", "Instance files; - is standard input.")],
    methods: Annotated[
        str,
        option(
            "METHODS",
            "Methods, FILE.py:FUNCTION too, with commas between them; see `rsjs list methods`.",
        ),
    ],
    output: Results,
    time_limit: TimeLimit = 60.0,
    gap: Gap = 1e-4,
    threads: Threads = 1,
    seed: Seed = 0,
    memory_limit: MemoryLimit = None,
    baseline: Baseline = None,
    as_json: Json = False,
) -> None:
    """
    Run methods on instances, verify them, and set them side by side.

    \b
    Example:
      rsjs compare small.json large.json \\
          --methods jahani_patterns@highs,greedy:code,edf:paper -o results

    The first table ranks the methods, the second has a row per run; with --baseline a third tests
    each method against that one. Best is the best-known cost of an instance, or else the lowest one
    found; gaps are to the best bound. DIR gets rows.csv, table.md, table.tex, gap.png and ratio.png
    (gap and cost / best against time), cost.png (its terms), events.json, the verified solutions,
    and the records of the runs: `rsjs report DIR/store` reads them, and runs that are done are not
    carried out again. Methods that do not serve an instance are listed with the reason, not run.
    """
    from rsjs.instances.io.files import read_instance
    from rsjs.reporting.statistics.analysis import baseline_of

    allowed = limits(time_limit, gap, threads, seed, memory_limit)
    wanted = requests(methods)
    with options_named():
        against = baseline_of([{"method": one.label} for one in wanted], baseline)
    given = {instance.digest: instance for instance in map(read_instance, files)}
    found = compared([(instance, wanted) for instance in given.values()], allowed, output)
    conclude(found, output, baseline=against, as_json=as_json)


def demo(
    output: Results = Path("demo-results"),
    as_json: Json = False,
) -> None:
    """
    Compare exact models and heuristics on 2 to 100 nodes.

    \b
    Example:
      rsjs demo -o demo-results

    Carries out the bundled campaign demo in about a minute: four instances of Jahani 2019
    (catalogue table2, due dates base, synthetic times, seed 1) and eight methods: the published
    model, its exact reformulation on two solvers, two heuristics of the suite and three rules. One
    checker verifies all solutions. DIR gets the files of `rsjs compare`. Exit code 1 if a run
    failed; one that finds nothing within its limit did not.
    """
    from rsjs.campaign_runs import run_campaign

    writable(output, folder=True)
    with Screen() as screen:
        found = run_campaign("demo", output / STORE, watch=watching(screen, output / STORE))
    sound = not any(map(failure, found.rows))
    conclude(found, output, remarks=story(found.rows), sound=sound, as_json=as_json)


def formulation_study(
    output: Results,
    sizes: Annotated[str, option("SIZES", "N or NxJ with commas between them; J is 10 N.")] = (
        "2,5,10"
    ),
    families: Annotated[str, option("NAMES", f"Of {', '.join(FAMILIES)}.")] = ",".join(FAMILIES),
    methods: Annotated[str | None, option("METHODS", "Instead of the families' own.")] = None,
    seed: Seed = 1,
    time_limit: TimeLimit = 60.0,
    gap: Gap = 1e-4,
    threads: Threads = 1,
    memory_limit: MemoryLimit = None,
    as_json: Json = False,
) -> None:
    """
    Measure formulations side by side: size, relaxation, root gap, times and memory.

    \b
    Example:
      rsjs formulation-study --sizes 2,5,10 --families jahani,kiros -o study
      rsjs formulation-study --methods jahani_literal@scip,jahani_patterns@scip \\
          --families jahani --sizes 2x20,10x100 -o study

    `rsjs compare` on generated instances: each method, and its linear relaxation, which alone is
    METHOD@relaxation. DIR gets the files of `rsjs compare`, with sizes.png in place of cost.png.
    Exit code 1 if a bound lies above a cost that was reached.
    """
    from rsjs import api
    from rsjs.reporting.figures.claim import formulation_sizes

    allowed, wanted = limits(time_limit, gap, threads, seed, memory_limit), sized(sizes)
    pairs: list[tuple[Any, Sequence[Request]]] = []
    for name in filter(None, (name.strip() for name in families.split(","))):
        if name not in FAMILIES:
            raise InputError("--families", name, f"one of {', '.join(FAMILIES)}")
        arguments, own = FAMILIES[name]
        asked = relaxed_too(requests(own if methods is None else methods))
        for nodes, jobs in wanted:
            given = {"family": name, **arguments, "nodes": nodes, "jobs": jobs, "seed": seed}
            pairs.append((api.generate(**given), asked))
    found = compared(pairs, allowed, output)
    conclude(
        found,
        output,
        make=formulations,
        figures=lambda found: {"sizes": formulation_sizes(found.rows)},
        sound=not any(map(is_wrong, found.rows)),
        as_json=as_json,
    )


def sized(text: str) -> list[tuple[int, int]]:
    """
    Return nodes and jobs of each size.

    >>> sized("2,10x40")
    [(2, 20), (10, 40)]
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    found = [re.fullmatch(r"([1-9]\d*)(?:x([1-9]\d*))?", part) for part in parts]
    if not found or not all(found):
        raise InputError("--sizes", text, "nodes, or nodes x jobs, e.g. 2,10x100")
    return [(int(one[1]), int(one[2] or 10 * int(one[1]))) for one in found if one]


def relaxed_too(asked: Sequence[Request]) -> list[Request]:
    """Return each method after its relaxation, if it has one, each once."""
    pairs = [
        (replace(one, solver=RELAXATION) if RELAXATION in one.method.solvers else one, one)
        for one in asked
    ]
    return list({one.spelling: one for pair in pairs for one in pair}.values())


def compared(
    pairs: Sequence[tuple[Any, Sequence[Request]]],
    allowed: Limits,
    output: Path,
    options: Mapping[str, Any] | None = None,
    remark: str = "",
) -> Comparison:
    """Run on each problem its methods, with a store in the folder, and show remark and progress."""
    from rsjs.comparison import compare_pairs

    writable(output, folder=True)
    store = output / STORE
    with Screen() as screen, options_named():
        if remark:
            screen.say(remark)
        watch = watching(screen, store)
        return compare_pairs(pairs, allowed, store=store, options=options, watch=watch)


def watching(screen: Screen, store: Path) -> Callable[[Prepared], Callable[[News], None]]:
    """Return what shows the progress of a campaign on a screen."""

    def watch(prepared: Prepared) -> Callable[[News], None]:
        done = len(prepared.survey.done)
        if done:
            screen.say(f"{done} of {len(prepared.selected)} runs are in {store} already")
        return Board(prepared.campaign.name, prepared.left, 1, screen).hear

    return watch


def pictures(found: Comparison) -> dict[str, Figure]:
    """Return gaps and cost / best against time, and the terms of the costs."""
    return {
        "gap": gap_over_time(found.trajectories),
        "ratio": cost_over_time(found.runs_over_time()),
        "cost": cost_split(found.rows),
    }


def conclude(
    found: Comparison,
    folder: Path,
    *,
    make: Maker = table,
    figures: Callable[[Comparison], Mapping[str, Figure]] = pictures,
    files: Sequence[Path] = (),
    remarks: str = "",
    baseline: str | None = None,
    sound: bool | None = None,
    facts: Mapping[str, Any] = {},
    as_json: bool,
) -> NoReturn:
    """
    Write files, print the table or a JSON document, and end with the exit code.

    `make` gives the table of runs; above that of a comparison of methods stand the ranked summary
    and, with a `baseline`, the pairs with it. `files` are those that are there already, `facts` go
    to the document; not `sound` is exit code 1, by default if a run has no verified solution.
    """
    from rsjs.instances.io.files import write_bytes
    from rsjs.reporting.figures import draw

    rows = found.rows
    if not rows:  # Ctrl-C
        told = "Interrupted before a run ended. Run the same command again to resume."
        print(told, file=sys.stderr)
        raise typer.Exit(INTERRUPTED)
    first = [found.summary()] if make is table else []
    if baseline is not None and any(row["method"] == baseline for row in rows):
        first.append(found.pairs(baseline))
    with busy("writing tables and pictures"):
        copy_solutions(rows, folder)
        written = [*write_all(rows, folder, make, first), *files, folder / "events.json"]
        write_bytes(json.dumps(found.trajectories, indent=1).encode(), written[-1])
        for name, figure in figures(found).items():
            written.append(draw.write(figure, folder / f"{name}.png"))
    document = {
        **facts,
        **{one.name: one.rows for one in first},
        "rows": rows,
        "left_out": [vars(left) for left in found.skipped],
        "interrupted": found.interrupted,
        "folder": folder,
        "files": written,
    }
    lines = ["Not run:"] if found.skipped else []
    for (method, reason), cases in group_by(
        found.skipped, lambda left: (left.method, left.reason)
    ).items():
        where = cases[0].instance if len(cases) == 1 else f"{len(cases)} instances"
        lines.append(f"  {method} on {where}: {reason}")
    names = [path.name for path in written]
    names += [f"{name}/" for name in ("solutions", STORE) if (folder / name).is_dir()]
    lines += [f"Written to {folder}: {', '.join(names)}", *filter(None, [remarks])]
    if found.interrupted:
        done = f"{len(rows)} of {len(rows) + found.left} runs"
        lines.append(f"Interrupted after {done}. Run the same command again to resume.")
    sound = all(row["status"] == "ok" for row in rows) if sound is None else sound
    code = INTERRUPTED if found.interrupted else int(not sound)
    tell([*first, shortened_table(rows, make)], document, lines, code=code, as_json=as_json)


def tell(
    made: Sequence[Table],
    document: Mapping[str, Any],
    lines: Sequence[str],
    *,
    code: int,
    as_json: bool,
) -> NoReturn:
    """Print tables and lines, or the JSON document, and end with the exit code."""
    if as_json:
        print_json(document)
    else:
        for one in made:
            show_table(one)
            print()
        print(*lines, sep="\n")
    raise typer.Exit(code)


def copy_solutions(rows: Sequence[Row], folder: Path) -> None:
    """Copy the verified solutions of instances from the records, in place of earlier ones."""
    from rsjs.campaigns.store import Store
    from rsjs.runs.kinds.base import kind

    store, solutions = Store(folder / STORE), folder / "solutions"
    for before in solutions.glob(f"*{BETWEEN}*.json.gz"):
        before.unlink()
    names = file_names([f"{row['instance']}{BETWEEN}{row['method']}" for row in rows])
    for row, name in zip(rows, names, strict=True):
        kept = store.path(row["run_id"]) / kind("instance").solution_file
        if row["status"] == "ok" and kept.is_file():
            solutions.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(kept, solutions / f"{name}.json.gz")
    with suppress(OSError):  # others in it, or none
        solutions.rmdir()


def file_names(texts: Sequence[str]) -> list[str]:
    """
    Return `file_name` of texts, numbered where they differ only in what is replaced.

    >>> file_names(["a/b", "a_b"])
    ['a_b', 'a_b-2']
    """
    used: Counter[str] = Counter()
    names = []
    for name in map(file_name, texts):
        used[name.lower()] += 1
        again = used[name.lower()]
        names.append(f"{name}-{again}" if again > 1 else name)
    return names


def file_name(text: str) -> str:
    """
    Return a text with what file systems do not like replaced, cut where it is too long for them.

    >>> file_name("case--greedy:code?x=1")
    'case--greedy_code_x=1'
    """
    return re.sub(r"[^\w.@=,+-]", "_", text, flags=re.ASCII)[:230]


def story(rows: Sequence[Row]) -> str:
    """Return a sentence on the pattern model and one on the rules, of the demonstration."""
    exact = [row for row in rows if row["method"].startswith("jahani_patterns")]
    gaps = [row["gap_to_best"] for row in exact if row["gap_to_best"] is not None]
    priced = [row for row in rows if known(row, "objective") is not None]
    most = max((row["nodes"] for row in priced), default=0)
    largest = sorted(
        (row for row in priced if row["nodes"] == most), key=lambda row: row["objective"] or 0.0
    )
    rules = [row for row in largest if row["bound"] is None]
    told = []
    if gaps:
        worst, runs = percent(max(gaps)), f"{len(gaps)} of {len(exact)} runs"
        told.append(f"The pattern model comes within {worst} of the best bound in {runs}.")
    if rules and largest[0]["objective"]:
        ratio = number((rules[0]["objective"] or 0.0) / largest[0]["objective"], 3)
        best = f"the best rule, {rules[0]['method']},"
        told.append(f"On {most} nodes {best} costs {ratio} times the best solution.")
    return " ".join(told)
