"""`rsjs run`: carry out a campaign, or resume it; `rsjs collect`: its records as tables."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rsjs.campaign_runs import bundled, find_campaign, own_methods, with_time_limit
from rsjs.campaigns import runner
from rsjs.campaigns.collection import collect as collected
from rsjs.campaigns.dask_dispatch import Dask, own_cluster, running_cluster
from rsjs.campaigns.pool import Local
from rsjs.campaigns.runner import Prepared, of_other_code, remarks, slots_here
from rsjs.campaigns.store import STORE
from rsjs.cli import INTERRUPTED
from rsjs.cli.options import Json, argument, option, requests
from rsjs.cli.output import print_json, print_table, print_text, show_table, writable
from rsjs.cli.progress import Board, Screen, busy, duration
from rsjs.comparison import carried_out
from rsjs.core.call import GRACE
from rsjs.core.errors import InputError, described
from rsjs.reporting.tables.formats import counted
from rsjs.rows.csv import write_all
from rsjs.rows.select import failure

if TYPE_CHECKING:
    from rsjs.campaigns.pool import Dispatch
    from rsjs.campaigns.spec import Campaign
    from rsjs.rows.columns import Row

MOST = 10  # lines on skipped runs


def run(
    campaign: Annotated[
        str, argument("CAMPAIGN", f"A TOML file, or one of {', '.join(bundled())}.")
    ],
    output: Annotated[
        Path | None, option("DIR", "Folder of the store; runs/NAME by default.", "-o", "--output")
    ] = None,
    jobs: Annotated[int | None, option("N", "Runs side by side; default: the file's.")] = None,
    dispatch: Annotated[
        str,
        option("WHERE", "local; dask, N workers here; or a scheduler, e.g. tcp://host:8786."),
    ] = "local",
    shard: Annotated[str, option("I/N", "Part i of n, for one of n machines.")] = "1/1",
    only: Annotated[
        str | None,
        option(
            "PATTERN",
            "Only runs whose `method seed S on INSTANCE`, or INSTANCE, begins so;"
            " * and ? are wild.",
        ),
    ] = None,
    limit: Annotated[
        float | None,
        option("SECONDS", "Of each run in place of the file's; runs of other limits stay."),
    ] = None,
    methods: Annotated[
        str | None,
        option(
            "METHODS",
            "These in place of the campaign's, with commas between them, e.g. mine.py:decide;"
            " a file is in the campaign's folder, of one by NAME in the working directory.",
        ),
    ] = None,
    again: Annotated[
        str | None,
        option("PATTERN", "Carry out done runs again, as with --only or by ending, e.g. CRASH."),
    ] = None,
    dry_run: Annotated[bool, option(None, "Only show what would run.", "--dry-run")] = False,
    as_json: Json = False,
) -> None:
    """
    Carry out the runs of a campaign that are not done yet.

    \b
    Example:
      rsjs run smoke -o smoke
      rsjs run campaign.toml --dry-run
      rsjs run online-track --methods queue:edf,roll -o track
      rsjs run campaign.toml --again "greedy:*" --dry-run
      rsjs run campaign.toml --shard 2/4 --jobs 2 -o results
      rsjs run campaign.toml --dispatch tcp://host:8786 -o results
      rsjs collect results -o tables

    Each run is a fresh process held to its limits (with `isolation = "batch"` fast methods share
    one), and becomes a folder of DIR/runs when it ends: run the same command again to resume after
    Ctrl-C, `kill -9` or a power failure. A record that cannot be read is reported and moved to
    DIR/corrupt, and its run is carried out again. A method of another package whose version or
    source changes has new runs; for the suite's own methods --again moves the records to
    DIR/replaced first: resume without it. Exit code 1 if a run of the campaign failed: an error, a
    crash or a false report; a limit that was hit is a result.
    """
    asked = find_campaign(campaign)
    if methods is not None:
        asked = own_methods(asked, campaign, partial(requests, methods))
    if limit is not None:
        asked = with_time_limit(asked, "--limit", limit)
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
    with dispatching(dispatch, slots) as (carry_out, places):
        with busy("preparing instances"):
            prepared = runner.prepare(asked, folder, part)
        if prepared.left:
            writable(place, folder=True)
        with Screen() as screen:
            left, survey = len(prepared.left), prepared.survey
            for line in (
                f"{asked.name} in {folder}: {len(survey.done)} done, {left} to run",
                *_skipped(prepared),
                *remarks(asked),
                *of_other_code(prepared),
                *(f"corrupt record, run again: {reason}" for _, reason in survey.corrupt),
            ):
                screen.say(line)
            board = Board(asked.name, prepared.left, places, screen)
            found = carried_out(prepared, folder, carry_out, attrgetter("id"), lambda _: board.hear)
    failed = sum(bool(failure(row)) for row in found.rows)
    interrupted = found.interrupted
    print_outcome(prepared, board.done, failed, folder, interrupted=interrupted, as_json=as_json)
    if not as_json:
        print_scores(found.rows)
    raise typer.Exit(INTERRUPTED if interrupted else int(failed > 0))


def collect(
    stores: Annotated[list[Path], argument("DIR", "Stores of `rsjs run`; several count as one.")],
    output: Annotated[Path, option("DIR", "Folder for the tables.", "-o", "--output")],
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
    events.json, the trajectory of each run; skipped.csv, what was not run and why; with pyarrow
    also rows.parquet and events.parquet. Every file of a record is compared with its sum: exit code
    1 if a record cannot be read or a run of the plan is missing.
    """
    if (output / STORE).exists():
        raise InputError("-o", described("a store"), "another folder for tables", output)
    writable(output, folder=True)
    with busy("reading records"):
        found = collected(stores)
    if not found.rows and not found.corrupt:
        raise InputError("", described("no records"), "runs; see `rsjs run`", stores[0])
    with busy("writing tables"):
        written = write_all(found.rows, found.skipped, found.trajectories, output)
    if as_json:
        document = {
            "rows": len(found.rows),
            "skipped": len(found.skipped),
            "missing": found.missing,
            "corrupt": [{"record": path, "reason": reason} for path, reason in found.corrupt],
            "sessions_lost": [{"session": name, "reason": why} for name, why in found.lost],
            "files": written,
        }
        print_json(document)
    else:
        for name in ("ended", "quality"):
            counts = Counter(row[name] for row in found.rows).most_common()
            print(f"{name}: {', '.join(f'{count} {what}' for what, count in counts)}")
        for path, reason in found.corrupt:
            print(f"corrupt record, `rsjs run` carries it out again: {path}: {reason}")
        for session, reason in found.lost:
            print(f"rows without commit and machine, as session {session} cannot be read: {reason}")
        if found.missing:
            print(f"not carried out yet: {counted(len(found.missing), 'run')}")
        rows, skipped = counted(len(found.rows), "run"), counted(len(found.skipped), "skipped run")
        print(f"{rows}, {skipped}. Written: {', '.join(map(str, written))}")
        print_scores(found.rows)
    raise typer.Exit(1 if found.corrupt or found.missing else 0)


def print_scores(rows: Sequence[Row]) -> None:
    """Print the scores of policies, if the rows are of simulations."""
    from rsjs.reporting.statistics.tables import simulation_table

    if (table := simulation_table(rows)) is not None:
        print()
        show_table(table)


LOCAL, DASK = "local", "dask"


def number_of_slots(campaign: Campaign, where: str, jobs: int | None) -> int:
    """Return how many runs side by side this machine is to carry out; 1 if others do."""
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
    """Yield the dispatcher, and how many runs it has places for as far as is known."""
    if where == LOCAL:
        yield Local(slots), slots
        return
    with ExitStack() as stack:
        with busy("connecting"):
            opened = own_cluster(slots) if where == DASK else running_cluster(where)
            client = stack.enter_context(opened)
        threads = sum(client.nthreads().values())
        if threads == 0:
            print(f"{where} has no worker yet: runs begin when one joins", file=sys.stderr)
        yield Dask(client), max(1, threads)


def parsed_shard(text: str) -> tuple[int, int]:
    """Return part i of n, (2, 4) of "2/4"."""
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise InputError("--shard", text, "i/n with 1 <= i <= n, e.g. 2/4")
    return int(found[1]), int(found[2])


def print_plan(prepared: Prepared, folder: Path, slots: int, *, as_json: bool) -> None:
    """Print what a campaign comes to, and how much of it is done."""
    longest = sum(run.limits.time_limit + GRACE for run in prepared.left) / slots
    campaign = prepared.campaign
    if as_json:
        print_json({**_document(prepared, folder), "longest_s": longest})
        return
    print_text(f"{campaign.name}: {' '.join(campaign.shows.split())}\n")
    every, left = (
        Counter(run.shown for run in runs) for runs in (prepared.selected, prepared.left)
    )
    rows = [(method, count, left[method]) for method, count in every.items()]
    print_table("", ("method", ">runs", ">left"), rows)
    print(*_skipped(prepared), *remarks(campaign), sep="\n")
    instances = counted(len({run.instance_sha256 for run in prepared.selected}), "instance")
    done = len(prepared.survey.done)
    print(f"{counted(len(prepared.selected), 'run')} on {instances}, {done} done;")
    print(f"at most {duration(longest)} with {slots} side by side, plus imports. Nothing was run.")


def print_outcome(
    prepared: Prepared, done: int, failed: int, folder: Path, *, interrupted: bool, as_json: bool
) -> None:
    """Print how many runs ended now (`done`), and how many of the store failed, now or before."""
    if as_json:
        ended = {"ended_now": done, "failed": failed, "interrupted": interrupted}
        print_json({**_document(prepared, folder), **ended})
        return
    counts = [f"{counted(done, 'run')} now", f"{len(prepared.survey.done)} before"]
    if not interrupted and (elsewhere := len(prepared.left) - done):
        counts.append(f"{elsewhere} by another rsjs run")
    counts.append(f"{failed} failed")
    print(f"{prepared.campaign.name}: {', '.join(counts)}; records in {folder}/runs")
    if interrupted:
        print("Interrupted; run the same command again to resume.")
    else:
        print(f"Report: rsjs report {folder}; tables: rsjs collect {folder} -o TABLES")


def _document(prepared: Prepared, folder: Path) -> dict[str, Any]:
    survey = prepared.survey
    return {
        "campaign": prepared.campaign.name,
        "folder": folder,
        "runs": len(prepared.selected),
        "done_before": len(survey.done),
        "corrupt": [{"id": run_id, "reason": reason} for run_id, reason in survey.corrupt],
        "skipped": [
            {"run": run.label, "reason": reason} for run, reason in prepared.skipped.items()
        ],
    }


def _skipped(prepared: Prepared) -> list[str]:
    """Return each reason with the number of runs that it keeps from being carried out."""
    cases = Counter((run.shown, reason) for run, reason in prepared.skipped.items())
    lines = [
        f"skipped: {method}, {counted(count, 'run')}: {reason}"
        for (method, reason), count in cases.most_common(MOST)
    ]
    more = len(cases) - len(lines)
    return [*lines, f"skipped: and {more} more cases"] if more else lines
