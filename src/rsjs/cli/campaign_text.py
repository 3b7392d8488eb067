"""What `rsjs run` and `rsjs collect` say."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from rsjs.campaigns.collection import Collected
from rsjs.campaigns.runner import Prepared, of_other_code, remarks
from rsjs.cli.campaign_board import duration
from rsjs.cli.console import console, plain_table, print_json, print_text
from rsjs.cli.progress import Screen
from rsjs.reporting.tables.formats import counted

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
