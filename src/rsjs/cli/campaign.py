"""
`rsjs run`: a campaign, carried out and kept; the same command goes on where it was ended.

`rsjs collect`: the records of a store as tables.

Where `rsjs run` has runs carried out, as --dispatch says.

Campaigns by name or file, and the options that say which part of one is meant.

What `rsjs run` and `rsjs collect` say.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from difflib import get_close_matches
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rsjs.campaigns import runner
from rsjs.campaigns.collection import Collected
from rsjs.campaigns.collection import collect as collected
from rsjs.campaigns.dask_dispatch import dask, own_cluster, running_cluster
from rsjs.campaigns.manifest import STORE
from rsjs.campaigns.runner import Prepared, of_other_code, remarks, slots_here
from rsjs.campaigns.spec import read
from rsjs.campaigns.statuses import failure
from rsjs.cli import INTERRUPTED
from rsjs.cli.options import Json
from rsjs.cli.output import console, plain_table, print_json, print_text, writable
from rsjs.cli.progress import Board, Screen, busy, duration, running
from rsjs.core.errors import InputError, described
from rsjs.reporting.tables.csv_rows import write_all
from rsjs.reporting.tables.formats import counted

if TYPE_CHECKING:
    from rsjs.campaigns.dispatch import Dispatch
    from rsjs.campaigns.spec import Campaign


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
    from rsjs.campaigns.collection import collect

    asked = read_campaign(campaign)
    folder = output or Path("runs") / asked.name
    place = output or Path("runs")  # which is made where it is missing
    slots = number_of_slots(asked, dispatch, jobs)
    part = runner.Part(shard=parsed_shard(shard), only=only, again=again)
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


def collect(
    stores: Annotated[
        list[Path],
        typer.Argument(metavar="DIR...", help="Stores of `rsjs run`; several count as one."),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Folder for the tables.")
    ],
    as_json: Json = False,
) -> None:
    """
    Collect the records of a campaign into tables.

    \b
    Example:
      rsjs collect results -o tables
      rsjs collect shard1 shard2 -o tables
      rsjs statistics tables -o statistics

    DIR gets rows.csv, a row per run, with the best bound of each instance over all runs;
    events.json, the course of each run; skipped.csv, what was not run and why; with pyarrow also
    rows.parquet and events.parquet. Every file of a record is compared with its sum: exit code 1 if
    a record cannot be read or a run of the plan is missing.
    """

    if (output / STORE).exists():
        raise InputError("-o", described("a store"), "another folder for tables", output)
    writable(output, folder=True)
    with busy("reading records"):
        found = collected(stores)
    if not found.rows and not found.corrupt:
        raise InputError("", described("no records"), "runs; see `rsjs run`", stores[0])
    with busy("writing tables"):
        written = write_all(found.rows, found.skipped, found.courses, output)
    print_collected(found, written, as_json=as_json)
    raise typer.Exit(1 if found.corrupt or found.missing else 0)


LOCAL, DASK = "local", "dask"


def number_of_slots(campaign: Campaign, where: str, jobs: int | None) -> int:
    """
    How many runs side by side this machine is to carry out; 1 if others do.

    Raises
    ------
    InputError
        If the options make no sense, alone or together.
    """

    if "://" in where:
        if jobs is not None:
            expected = "none: the workers' threads say how many runs go side by side"
            raise InputError("--jobs", jobs, expected)
        return 1
    if where not in (LOCAL, DASK):
        raise InputError("--dispatch", where, f"{LOCAL}, {DASK}, or e.g. tcp://host:8786")
    return slots_here(campaign, jobs)


@contextmanager
def dispatching(where: str, slots: int) -> Iterator[tuple[Dispatch, int]]:
    """The dispatcher, and how many runs it has places for as far as is known."""
    if where == LOCAL:
        from rsjs.campaigns.worker_pool import local

        yield local(slots), slots
        return

    with ExitStack() as stack:
        with busy("connecting"):
            opened = own_cluster(slots) if where == DASK else running_cluster(where)
            client = stack.enter_context(opened)
        threads = sum(client.nthreads().values())
        if threads == 0:
            print(f"{where} has no worker yet: runs begin when one joins", file=sys.stderr)
        yield dask(client), max(1, threads)


def bundled() -> Mapping[str, str]:
    """Name -> file name of the campaigns that come with the package."""
    folder = files("rsjs.campaigns") / "bundled"
    names = sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir())
    return {name: f"{name}.toml" for name in names}


def read_campaign(named: str) -> Campaign:
    """The campaign in a file, or a bundled one by its name."""

    known = bundled()
    if named in known and not Path(named).is_file():
        with as_file(files("rsjs.campaigns") / "bundled" / known[named]) as path:
            return read(path)
    if named.endswith(".toml") or Path(named).exists():
        return read(Path(named))
    near = get_close_matches(named, known, n=3) or [*known]
    raise InputError("", described(f"campaign {named}"), f"a TOML file, or {', '.join(near)}")


def parsed_shard(text: str) -> tuple[int, int]:
    """
    Part i of n.

    >>> parsed_shard("2/4")
    (2, 4)
    """
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise InputError("--shard", text, "i/n with 1 <= i <= n, e.g. 2/4")
    return int(found[1]), int(found[2])


MOST = 10  # lines on skipped runs


def print_plan(prepared: Prepared, folder: Path, slots: int, *, as_json: bool) -> None:
    """What a campaign comes to, and how much of it is done."""
    longest = prepared.longest_seconds / slots
    if as_json:
        print_json({**_document(prepared, folder), "longest_s": longest})
        return
    campaign = prepared.campaign
    print_text(f"{campaign.name}: {' '.join(campaign.shows.split())}\n")
    left = Counter(run.method for run in prepared.left)
    table = plain_table("")
    for heading in ("method", "runs", "left"):
        table.add_column(heading, justify="left" if heading == "method" else "right")
    for method, count in Counter(run.method for run in prepared.selected).items():
        table.add_row(method, str(count), str(left[method]))
    console().print(table)
    for line in [*_skipped(prepared), *remarks(campaign)]:
        print(line)
    done, all_runs = len(prepared.survey.done), len(prepared.selected)
    instances = len({run.instance_sha256 for run in prepared.selected})
    print(f"\n{counted(all_runs, 'run')} on {counted(instances, 'instance')}, {done} done;")
    print(f"at most {duration(longest)} with {slots} side by side, plus imports. Nothing was run.")


def print_survey(prepared: Prepared, folder: Path, screen: Screen) -> None:
    """Before the first run: what is there, and what is wrong with it."""
    left, done = len(prepared.left), len(prepared.survey.done)
    screen.say(f"{prepared.campaign.name} in {folder}: {done} done, {left} to run")
    other = of_other_code(prepared, folder)
    for line in [*_skipped(prepared), *remarks(prepared.campaign), *other]:
        screen.say(line)
    for _, reason in prepared.survey.corrupt:
        screen.say(f"corrupt record, run again: {reason}")


def print_outcome(
    prepared: Prepared, done: int, failed: int, folder: Path, *, interrupted: bool, as_json: bool
) -> None:
    """
    After the last run.

    Parameters
    ----------
    done : int
        Runs that ended now.
    failed : int
        Runs of the store that failed, now or before.
    """
    if as_json:
        print_json(
            {
                **_document(prepared, folder),
                "ended_now": done,
                "failed": failed,
                "interrupted": interrupted,
            }
        )
        return
    before = len(prepared.survey.done)
    told = f"{counted(done, 'run')} now, {before} before, "
    if elsewhere := len(prepared.left) - done if not interrupted else 0:
        told += f"{elsewhere} by another rsjs run, "
    told += f"{failed} failed"
    print(f"{prepared.campaign.name}: {told}; records in {folder}/runs")
    if interrupted:
        print("Interrupted; the same command goes on from there.")
    else:
        print(f"Report: rsjs report {folder}; tables: rsjs collect {folder} -o TABLES")


def print_collected(found: Collected, written: list[Path], *, as_json: bool) -> None:
    """What `rsjs collect` found, and where it is."""
    if as_json:
        print_json(
            {
                "rows": len(found.rows),
                "skipped": len(found.skipped),
                "missing": found.missing,
                "corrupt": [{"record": path, "reason": reason} for path, reason in found.corrupt],
                "sessions_lost": [{"session": name, "reason": why} for name, why in found.lost],
                "files": written,
            }
        )
        return
    for name in ("ended", "quality"):
        counts = Counter(row[name] for row in found.rows)
        print(f"{name}: " + ", ".join(f"{count} {what}" for what, count in counts.most_common()))
    for path, reason in found.corrupt:
        print(f"corrupt record, `rsjs run` carries it out again: {path}: {reason}")
    for session, reason in found.lost:
        print(f"rows without commit and machine, as session {session} cannot be read: {reason}")
    if found.missing:
        print(f"not carried out yet: {counted(len(found.missing), 'run')}")
    rows, skipped = counted(len(found.rows), "run"), counted(len(found.skipped), "skipped run")
    print(f"{rows}, {skipped}. Written: {', '.join(map(str, written))}")


def _document(prepared: Prepared, folder: Path) -> dict[str, Any]:
    survey = prepared.survey
    return {
        "campaign": prepared.campaign.name,
        "folder": folder,
        "runs": len(prepared.selected),
        "done_before": len(survey.done),
        "corrupt": [{"id": run_id, "reason": reason} for run_id, reason in survey.corrupt],
        "skipped": [
            {"run": run.label, "reason": reason} for run, reason in prepared.plan.skipped.items()
        ],
    }


def _skipped(prepared: Prepared) -> list[str]:
    """Each reason with the number of runs that it keeps from being carried out."""
    cases = Counter((run.method, reason) for run, reason in prepared.plan.skipped.items())
    lines = [
        f"skipped: {method}, {counted(count, 'run')}: {reason}"
        for (method, reason), count in cases.most_common(MOST)
    ]
    more = len(cases) - len(lines)
    return [*lines, f"skipped: and {more} more cases"] if more else lines
