"""`rsjs reproduce`: what papers claim, and what comes out here."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

from rsjs.cli.compare import STORE, tell, watching
from rsjs.cli.options import Json, argument, option
from rsjs.cli.output import print_json, show_table, writable
from rsjs.cli.progress import Screen
from rsjs.core.errors import InputError
from rsjs.paper_claims.claim import SIZES, chosen, experiments
from rsjs.reporting.tables import claims as tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rsjs.paper_claims.claim import Claim, Row, Values

LISTED = ("claim", "where", "statement", "published")
SHOWN = ("claim", "statement", "published", "agrees", "ours")  # in a terminal


def reproduce(
    names: Annotated[
        list[str] | None, argument("CLAIM", "Claims, papers (jahani, ...), or all.")
    ] = None,
    output: Annotated[
        Path | None, option("DIR", "Folder for rows, records and pictures.", "-o", "--output")
    ] = None,
    size: Annotated[str, option("SIZE", "quick: minutes; paper: what the paper ran.")] = "quick",
    missing: Annotated[
        bool, option(None, "Take rows with a commit that DIR has, of whatever size.", "--missing")
    ] = False,
    list_: Annotated[bool, option(None, "List the claims and run nothing.", "--list")] = False,
    as_json: Json = False,
) -> None:
    """
    Run what tells whether a claim of a paper holds, and compare.

    \b
    Example:
      rsjs reproduce --list
      rsjs reproduce jahani-table3-large -o claims
      rsjs reproduce kiros --size paper -o claims

    A value is compared with the published one for each case that the paper leaves open: a claim
    holds if all agree, and holds with limits if some do; where our values cannot decide, the
    verdict says so. Each run is a process of its own, with a record in DIR/store/<experiment>: run
    the same command again to resume. DIR gets <experiment>.csv and, where there is something to
    draw, <experiment>.png, as soon as the experiment is complete; --missing takes those that are
    there. Exit code 1: a run failed, or the runs gave no value for a claim.
    """
    if size not in SIZES:
        raise InputError("--size", size, " or ".join(SIZES))
    if not names and not list_:
        raise InputError("CLAIM", "nothing", "a claim, a paper or all; --list shows them")
    claims = chosen(names or ["all"])
    if list_:
        listed = tables.table(claims, {claim.id: {} for claim in claims}, LISTED)
        if as_json:
            print_json([{key: row[key] for key in LISTED} for row in listed.rows])
        else:
            show_table(listed)
        return
    from rsjs.paper_claims.metrics import not_ended, values
    from rsjs.rows.csv import read_table

    if output is not None:
        writable(output, folder=True)
    elif missing:
        raise InputError("--missing", "no folder", "-o DIR with rows")
    rows: dict[str, list[Row]] = {}
    for name in dict.fromkeys(claim.experiment for claim in claims if claim.experiment):
        kept = output / f"{name}.csv" if output is not None else None
        if missing and kept is not None and kept.exists():
            rows[name] = read_table(kept)
        if not all("commit" in row for row in rows.get(name, [{}])):
            own = [claim for claim in claims if claim.experiment == name]
            rows[name] = _run(name, size, output, own)
    found: dict[str, Values] = {
        claim.id: values(claim, rows[claim.experiment]) if claim.experiment else {}
        for claim in claims
    }
    failed = {name: wrong for name, own in rows.items() if (wrong := not_ended(own))}
    made = tables.table(claims, found, SHOWN)
    lines = [f"{row['claim']}: {row['verdict']}. {row['why']}" for row in made.rows]
    for name, (first, *more) in failed.items():  # they have no part in the values
        run = f"{first['method']} on {first['instance']}"
        why = f"{first['status']} {first.get('message') or ''}".rstrip()
        lines.append(f"{name}: failed runs: {1 + len(more)}, the first {run}: {why}")
    what = [experiments()[name].what for name in rows]
    without = [claim for claim in claims if claim.experiment and not found[claim.id]]
    tell(
        [made],
        {"size": size, "claims": made.rows, "experiments": what, "failed_runs": failed},
        lines,
        code=1 if failed or without else 0,
        as_json=as_json,
    )


def _run(name: str, size: str, output: Path | None, claims: Sequence[Claim]) -> list[Row]:
    """Run an experiment; with a folder, keep rows, records and the picture of the claims there."""
    from rsjs.comparison import compare_pairs
    from rsjs.instances.io.files import write_bytes
    from rsjs.paper_claims import metrics, runs
    from rsjs.reporting.figures import draw
    from rsjs.reporting.figures.claim import claim_figure
    from rsjs.rows.csv import csv_text

    experiment = experiments()[name]
    temporary = TemporaryDirectory(prefix="rsjs-")
    with nullcontext(output) if output else temporary as folder, Screen() as screen:
        store = Path(folder) / STORE / name
        screen.say(f"{name}: {experiment.what}")
        compare = partial(compare_pairs, watch=watching(screen, store))
        found = runs.rows(experiment, size, runs.Runner(compare, store))
    if output is not None:
        write_bytes(csv_text(found).encode(), output / f"{name}.csv")
        if experiment.plot:
            published = [(one, metrics.values(one, found)) for one in claims]
            figure = claim_figure(found, experiment.plot, published)
            draw.write(figure, output / f"{name}.png")
    return found
