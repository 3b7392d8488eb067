"""`rsjs run`: a campaign, carried out and kept; the same command goes on where it was ended."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from rsjs.cli import INTERRUPTED
from rsjs.cli.options import Json


def run(
    campaign: Annotated[
        str,
        typer.Argument(
            metavar="CAMPAIGN",
            help="A TOML file, or one of smoke, small, solvers, paper, of simulations online,"
            " online-claims, sts-online, and of MIG schedules konopa, konopa-quick.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="DIR", help="Folder of the store; runs/NAME by default."
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", metavar="N", help="Runs side by side; by default as the file says."),
    ] = None,
    dispatch: Annotated[
        str,
        typer.Option(
            "--dispatch",
            metavar="WHERE",
            help="local; dask, N workers here; or a Dask scheduler's address, e.g. tcp://host:8786.",
        ),
    ] = "local",
    shard: Annotated[
        str, typer.Option("--shard", metavar="I/N", help="Part i of n, for one of n machines.")
    ] = "1/1",
    only: Annotated[
        str | None,
        typer.Option(
            "--only",
            metavar="PATTERN",
            help="Only runs whose `method seed S on INSTANCE` contains this; * and ? are wild.",
        ),
    ] = None,
    again: Annotated[
        str | None,
        typer.Option(
            "--again",
            metavar="PATTERN",
            help="Carry out done runs again: those that this fits, as with --only, or that ended "
            "so, e.g. CRASH.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would run, write nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """
    Carry out the runs of a campaign that are not done yet.

    \b
    Example:
      rsjs run smoke -o smoke
      rsjs run campaign.toml --dry-run
      rsjs run campaign.toml --again "greedy:*" --dry-run
      rsjs run campaign.toml --shard 2/4 --jobs 2 -o results
      rsjs run campaign.toml --dispatch tcp://host:8786 -o results
      rsjs collect results -o tables

    Each run is a fresh process held to its limits, and becomes a folder of DIR/runs as it ends: the
    command may be ended at any time, and goes on from there when it is given again. A record that
    cannot be read is told, moved to DIR/corrupt and its run carried out again. A method of another
    package whose version or source changes has new runs; of the suite's, --again moves the records
    to DIR/replaced first, so that the command is resumed without it. Exit code 1 if a run of the
    campaign failed: an error, a crash or a false claim; a limit that was hit is a result.
    """
    from rsjs.campaigns import runner
    from rsjs.campaigns.collection import collect
    from rsjs.campaigns.manifest import STORE
    from rsjs.campaigns.statuses import failure
    from rsjs.cli.campaign_board import Board
    from rsjs.cli.campaign_dispatch import dispatching
    from rsjs.cli.campaign_dispatch import slots as slots_asked
    from rsjs.cli.campaign_files import campaign as found_campaign
    from rsjs.cli.campaign_files import shard as part_of
    from rsjs.cli.campaign_text import print_outcome, print_plan, print_survey
    from rsjs.cli.inputs import writable
    from rsjs.cli.progress import busy, running

    asked = found_campaign(campaign)
    folder = output or Path("runs") / asked.name
    place = output or Path("runs")  # which is made where it is missing
    slots = slots_asked(asked, dispatch, jobs)
    part = runner.Part(shard=part_of(shard), only=only, again=again)
    if dry_run:
        known = folder if folder.exists() else None
        with busy("preparing instances"):
            prepared = runner.prepare(asked, known, part, keep=False)
        print_plan(prepared, folder, slots, as_json=as_json)
        return
    if not (folder / STORE).exists():
        writable(place, folder=True)
    interrupted = False
    with dispatching(dispatch, slots) as (carry_out, places):
        with busy("preparing instances"):
            prepared = runner.prepare(asked, folder, part)
        if prepared.left:
            writable(place, folder=True)
        with running() as screen:
            print_survey(prepared, folder, screen)
            board = Board(asked.name, prepared.left, places, screen)
            try:
                with closing(runner.carry_out(prepared, folder, carry_out, places)) as news:
                    for item in news:
                        board.hear(item)
            except KeyboardInterrupt:
                interrupted = True
    with busy("reading records"):  # claims that other runs refute are known only now
        asked_for = {run.id for run in prepared.selected}
        rows = [row for row in collect([folder]).rows if row["run_id"] in asked_for]
    failed = sum(bool(failure(row)) for row in rows)
    print_outcome(prepared, board.done, failed, folder, interrupted=interrupted, as_json=as_json)
    raise typer.Exit(INTERRUPTED if interrupted else int(failed > 0))
