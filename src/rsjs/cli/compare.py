"""`rsjs compare`: several methods on several instances, one table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rsjs.cli import comparisons
from rsjs.cli.comparisons import Runs, not_served, requests
from rsjs.cli.options import Gap, Json, MemoryLimit, Seed, Threads, TimeLimit, limits
from rsjs.cli.output import writable
from rsjs.cli.progress import running
from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import read_instance


def compare(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Instance files.")],
    methods: Annotated[
        str,
        typer.Option(
            "--methods",
            metavar="METHODS",
            help="Spellings with commas between them, see `rsjs list methods`.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Folder for the results.")
    ],
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
    events.json and the verified solutions. Gaps are to the best bound that any method proved.
    Methods that do not serve an instance are listed with the reason, not run.
    """

    allowed = limits(time_limit, gap, threads, seed, memory_limit)
    wanted = requests(methods)
    given = {instance.digest: instance for instance in map(read_instance, files)}
    instances = list(given.values())
    writable(output, folder=True)
    passed_over = not_served(instances, wanted)
    total = len(instances) * len(wanted) - len(passed_over)
    if total == 0:
        first = passed_over[0]
        found = described(f"nothing to run: {first.method} on {first.instance}")
        raise InputError("--methods", found, f"other methods or instances: {first.reason}")
    with running() as screen:
        runs = Runs(output, allowed, screen, total)
        runs.run(instances, wanted)
    rows = comparisons.finish(runs, as_json=as_json)
    raise typer.Exit(comparisons.exit_code(runs, rows))
