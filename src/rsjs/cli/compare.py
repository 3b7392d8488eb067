"""`rsjs compare` and `rsjs demo`: several methods on several instances, one table."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from rsjs.cli import INTERRUPTED
from rsjs.cli.options import (
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
from rsjs.cli.output import number, percent, print_json, print_text, show_table, writable
from rsjs.cli.progress import Board, Screen, busy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rsjs.campaigns.pool import News
    from rsjs.campaigns.runner import Prepared
    from rsjs.comparison import Comparison
    from rsjs.reporting.tables.table import Table
    from rsjs.rows.columns import Row

STORE = "store"  # folder of the records in that of a comparison
EXACT, PUBLISHED = "jahani_patterns", "jahani_literal"  # of the demonstration
Results = Annotated[Path, option("DIR", "Folder for the results.", "-o", "--output")]


def compare(
    files: Annotated[list[Path], argument("FILE", "Instance files.")],
    methods: Annotated[
        str, option("METHODS", "Methods with commas between them, see `rsjs list methods`.")
    ],
    output: Results,
    time_limit: TimeLimit = 60.0,
    gap: Gap = 1e-4,
    threads: Threads = 1,
    seed: Seed = 0,
    memory_limit: MemoryLimit = None,
    as_json: Json = False,
) -> None:
    """
    Run methods on instances, verify them, and set them side by side.

    \b
    Example:
      rsjs compare small.json large.json \\
          --methods jahani_patterns@highs,greedy:code,edf:paper -o results

    DIR gets rows.csv, table.md, table.tex, gap.png (gap against time), cost.png (its terms),
    events.json, the verified solutions, and the records of the runs: `rsjs report DIR/store` reads
    them, and runs that are done are not carried out again. Gaps are to the best bound that any
    method proved. Methods that do not serve an instance are listed with the reason, not run.
    """
    from rsjs.comparison import compare_pairs
    from rsjs.instances.io.files import read_instance

    allowed = limits(time_limit, gap, threads, seed, memory_limit)
    wanted = requests(methods)
    given = {instance.digest: instance for instance in map(read_instance, files)}
    writable(output, folder=True)
    with Screen() as screen, options_named():
        found = compare_pairs(
            [(instance, wanted) for instance in given.values()],
            allowed,
            store=output / STORE,
            watch=watching(screen, output / STORE),
        )
    finish(found, output, as_json=as_json)


def demo(
    output: Results = Path("demo-results"),
    as_json: Json = False,
) -> None:
    """
    Compare exact models and heuristics on 2 to 100 nodes.

    \b
    Example:
      rsjs demo -o demo-results

    Carries out the bundled campaign demo in about two minutes: four instances of Jahani 2019
    (catalogue table2, due dates base, synthetic times, seed 1), the pattern model on three solvers,
    the published model where that is sensible, and greedy, FIFO, EDF and priority rules, all
    verified by the same checker. DIR gets the files of `rsjs compare`.
    """
    from rsjs.comparison import run_campaign

    writable(output, folder=True)
    with Screen() as screen:
        found = run_campaign("demo", output / STORE, watch=watching(screen, output / STORE))
    finish(found, output, as_json=as_json, story=story)


def watching(screen: Screen, store: Path) -> Callable[[Prepared], Callable[[News], None]]:
    """Return what shows the progress of a campaign on a screen."""

    def watch(prepared: Prepared) -> Callable[[News], None]:
        done = len(prepared.survey.done)
        if done:
            screen.say(f"{done} of {len(prepared.selected)} runs are in {store} already")
        return Board(prepared.campaign.name, prepared.left, 1, screen).hear

    return watch


def finish(
    found: Comparison,
    folder: Path,
    *,
    as_json: bool,
    story: Callable[[Sequence[Row]], str] = lambda _: "",
) -> NoReturn:
    """Write all files, print the table or the JSON document, and end with the exit code."""
    from rsjs.reporting.tables import comparison

    if not found.rows:  # Ctrl-C
        print("Interrupted before a run ended. Run the same command again to resume.")
        raise typer.Exit(INTERRUPTED)
    with busy("writing tables and pictures"):
        files = write(found, folder)
    conclude(
        found,
        found.rows,
        folder,
        files,
        tables=[comparison.shortened_table(found.rows)],
        remarks=[story(found.rows)],
        sound=all(row["status"] == "ok" for row in found.rows),
        as_json=as_json,
    )


def conclude(
    found: Comparison,
    rows: Sequence[Mapping[str, Any]],
    folder: Path,
    files: Sequence[Path],
    *,
    tables: Iterable[Table],
    remarks: Iterable[str],
    sound: bool,
    as_json: bool,
) -> NoReturn:
    """Print tables, what was not run and where files are, or the rows as JSON; then exit."""
    if as_json:
        print_json(
            {
                "rows": rows,
                "left_out": [vars(left) for left in found.skipped],
                "interrupted": found.interrupted,
                "folder": folder,
                "files": files,
            }
        )
    else:
        for table in tables:
            show_table(table)
            print()
        cases: dict[tuple[str, str], list[str]] = {}
        for left in found.skipped:
            cases.setdefault((left.method, left.reason), []).append(left.instance)
        lines = [
            f"  {method} on {names[0] if len(names) == 1 else f'{len(names)} instances'}: {reason}"
            for (method, reason), names in cases.items()
        ]
        print("\n".join(["Not run:", *lines, "\n"]) if lines else "", end="")
        if files:
            kept = [f"{name}/" for name in ("solutions", STORE) if (folder / name).is_dir()]
            print(f"Written to {folder}: {', '.join([*(path.name for path in files), *kept])}")
        for remark in filter(None, remarks):
            print_text(remark)
        print_interrupted(found)
    raise typer.Exit(INTERRUPTED if found.interrupted else int(not sound))


def print_interrupted(found: Comparison) -> None:
    """Say that Ctrl-C ended a comparison, and how to resume."""
    if found.interrupted:
        done = f"{len(found.rows)} of {len(found.rows) + found.left} runs"
        print(f"Interrupted after {done}. Run the same command again to resume.")


def write(found: Comparison, folder: Path) -> list[Path]:
    """Write tables, pictures, events.json and solutions in place of those before."""
    import json

    from rsjs.campaigns.store import Store
    from rsjs.instances.io.files import write_bytes
    from rsjs.reporting.figures import draw
    from rsjs.reporting.figures.runs import cost_split, gap_over_time
    from rsjs.reporting.tables import comparison
    from rsjs.runs.kinds.base import kind

    store, solutions = Store(folder / STORE), folder / "solutions"
    if solutions.is_dir():
        shutil.rmtree(solutions)
    used: Counter[str] = Counter()
    for row in found.rows:
        kept = store.path(row["run_id"]) / kind("instance").solution_file
        if row["status"] == "ok" and kept.is_file():
            name = file_name(f"{row['instance']}--{row['method']}")
            used[name.lower()] += 1
            again = used[name.lower()]  # a name that differs in what is replaced only
            solutions.mkdir(parents=True, exist_ok=True)
            number = f"-{again}" if again > 1 else ""
            shutil.copyfile(kept, solutions / f"{name}{number}.json.gz")
    written = comparison.write_all(found.rows, folder)
    text = json.dumps(found.trajectories, indent=1)
    write_bytes(text.encode(), folder / "events.json")
    draw.write(gap_over_time(found.trajectories), folder / "gap.png")
    draw.write(cost_split(found.rows), folder / "cost.png")
    return [*written, *(folder / name for name in ("events.json", "gap.png", "cost.png"))]


def file_name(text: str) -> str:
    """
    Return a text with what file systems do not like replaced.

    >>> file_name("case--greedy:code?x=1")
    'case--greedy_code_x=1'
    """
    return re.sub(r"[^\w.@=,+-]", "_", text, flags=re.ASCII)


def story(rows: Sequence[Row]) -> str:
    """
    Return a sentence on the exact models and one on the rules; only what the rows say.

    A run that failed says nothing of its method: it is named apart.
    """
    failed = [row for row in rows if row["stop"] == "error"]
    ended = [row for row in rows if row["stop"] != "error"]
    sentences = _exact(ended), _rules(ended), *map(_failure, failed)
    return " ".join(sentence for sentence in sentences if sentence)


def _failure(row: Row) -> str:
    return f"{row['method']} on {row['nodes']} nodes failed: {row['message']}."


def _exact(rows: Sequence[Row]) -> str:
    patterns = [row["gap_to_best"] for row in rows if row["method"].startswith(EXACT)]
    known = [gap for gap in patterns if gap is not None]
    if not known:
        return ""
    text = f"The pattern model comes within {percent(max(known))} of the best bound in every run"
    if len(known) < len(patterns):
        text = f"The pattern model has a solution in {len(known)} of {len(patterns)} runs"
    literal = [row for row in rows if row["method"].startswith(PUBLISHED)]
    ends = " and ".join(
        f"{percent(row['own_gap'])} ({row['method'].partition('@')[2]})" for row in literal
    )
    nodes = max((row["nodes"] for row in literal), default=0)
    return (
        f"{text}; the published model ends with a gap of {ends} on {nodes} nodes."
        if ends
        else f"{text}."
    )


def _rules(rows: Sequence[Row]) -> str:
    most = max((row["nodes"] for row in rows), default=0)
    priced = [
        (cost, row)
        for row in rows
        if row["nodes"] == most and (cost := row["objective"]) is not None
    ]
    exact = [cost for cost, row in priced if row["bound"] is not None]
    rules = sorted(
        ((cost, row) for cost, row in priced if row["bound"] is None), key=lambda rule: rule[0]
    )
    if not exact or not rules or min(exact) <= 0:
        return ""
    (cost, best), *others = rules
    ratio = number(cost / min(exact), 3)
    text = f"On {most} nodes the best rule, {best['method']}, costs {ratio} times the best schedule"
    shares = [(row["postponement"] or 0.0) / cost for cost, row in others if cost > 0]
    if not shares:
        return f"{text}."
    return f"{text}; of the others' cost, {percent(min(shares))} or more is for postponed jobs."
