"""
`rsjs demo`: a first comparison, from instances to tables, in a few minutes.

What the demonstration's table shows, in a few sentences made from its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from rsjs.cli import comparisons
from rsjs.cli.comparisons import Runs, requests
from rsjs.cli.options import Json
from rsjs.cli.output import number, percent, print_text, writable
from rsjs.cli.progress import running
from rsjs.core.call import Limits
from rsjs.core.report import Stop
from rsjs.instances.generators.jahani import generate
from rsjs.instances.io.files import write_instance
from rsjs.runs.compare import Row

SIZES = (2, 10, 40, 100)
MOST_JOBS = 400
SEED = 1
METHODS = (
    "jahani_patterns@highs,jahani_patterns@scip,jahani_patterns@cpsat,"
    "greedy:code,greedy:paper,fifo:paper,edf:paper,priority:paper"
)
LITERAL = "jahani_literal@highs,jahani_literal@scip"
LITERAL_UP_TO = 2  # nodes: on more, open solvers are far from a solution when time is up
TIME_LIMIT = 20.0


def demo(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Folder for the results.")
    ] = Path("demo-results"),
    as_json: Json = False,
) -> None:
    """
    Compare exact models and heuristics on 2 to 100 nodes.

    \b
    Example:
      rsjs demo -o demo-results

    Takes about two minutes. Makes four instances of Jahani 2019 (catalogue table2, due dates
    base, synthetic times, seed 1) and runs the pattern model on three solvers, the printed
    model where that is sensible, and the greedy rules, all verified by the same checker.
    """

    writable(output, folder=True)
    methods, literal = requests(METHODS), requests(LITERAL)
    small = sum(nodes <= LITERAL_UP_TO for nodes in SIZES)
    planned = [*methods * len(SIZES), *literal * small]
    total = sum(request.missing() is None for request in planned)
    with running() as screen:
        runs = Runs(output, Limits(time_limit=TIME_LIMIT), screen, total)
        for nodes in SIZES:
            jobs = min(10 * nodes, MOST_JOBS)
            instance = generate(nodes=nodes, jobs=jobs, seed=SEED)
            write_instance(instance, output / "instances" / f"{instance.name}.json.gz")
            runs.run([instance], literal if nodes <= LITERAL_UP_TO else [])
            runs.run([instance], methods)
            if runs.interrupted:
                break
    rows = comparisons.finish(runs, as_json=as_json)
    if not as_json:
        print_text(f"The instances are in {output / 'instances'}. {story(rows)}")
    raise typer.Exit(comparisons.exit_code(runs, rows))


def story(rows: Sequence[Row]) -> str:
    """
    One sentence on the exact models, one on the rules; only what the rows say.

    A run that failed says nothing of its method: it is named apart.
    """
    failed = [row for row in rows if row["stop"] == Stop.ERROR]
    ended = [row for row in rows if row["stop"] != Stop.ERROR]
    sentences = _exact(ended), _rules(ended), *map(_failure, failed)
    return " ".join(sentence for sentence in sentences if sentence)


def _failure(row: Row) -> str:
    return f"{row['method']} on {row['nodes']} nodes failed: {row['message']}."


def _exact(rows: Sequence[Row]) -> str:
    patterns = [row["gap_to_best"] for row in rows if row["method"].startswith("jahani_patterns")]
    known = [gap for gap in patterns if gap is not None]
    if not known:
        return ""
    text = f"The pattern model comes within {percent(max(known))} of the best bound in every run"
    if len(known) < len(patterns):
        text = f"The pattern model has a solution in {len(known)} of {len(patterns)} runs"
    literal = [row for row in rows if row["method"].startswith("jahani_literal")]
    ends = " and ".join(
        f"{percent(row['gap'])} ({row['method'].partition('@')[2]})" for row in literal
    )
    nodes = max((row["nodes"] for row in literal), default=0)
    return (
        f"{text}; the model as printed ends with a gap of {ends} on {nodes} nodes."
        if ends
        else f"{text}."
    )


def _rules(rows: Sequence[Row]) -> str:
    most = max((row["nodes"] for row in rows), default=0)
    priced = [row for row in rows if row["nodes"] == most and row["objective"] is not None]
    exact = [row["objective"] for row in priced if row["bound"] is not None]
    rules = sorted(
        (row for row in priced if row["bound"] is None), key=lambda row: float(row["objective"])
    )
    if not exact or not rules or min(exact) <= 0:
        return ""
    best, *others = rules
    ratio = number(best["objective"] / min(exact), 3)
    text = f"On {most} nodes the best rule, {best['method']}, costs {ratio} times the best schedule"
    shares = [row["postponement"] / row["objective"] for row in others if row["objective"] > 0]
    if not shares:
        return f"{text}."
    return f"{text}; of the others' cost, {percent(min(shares))} or more is for postponed jobs."
