"""`rsjs demo`: a first comparison, from instances to tables, in a few minutes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rsjs.cli.options import Json

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
    from rsjs.cli import results
    from rsjs.cli.console import print_text
    from rsjs.cli.demo_story import story
    from rsjs.cli.inputs import writable
    from rsjs.cli.progress import running
    from rsjs.cli.runs import Runs
    from rsjs.cli.spellings import requests
    from rsjs.core.call import Limits
    from rsjs.instances.generators.jahani import generate
    from rsjs.instances.io.files import write_instance

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
    rows = results.finish(runs, as_json=as_json)
    if not as_json:
        print_text(f"The instances are in {output / 'instances'}. {story(rows)}")
    raise typer.Exit(results.exit_code(runs, rows))
