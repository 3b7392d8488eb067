"""`rsjs reproduce`: what papers claim, and what comes out here."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from rsjs.cli.options import Json, argument, option
from rsjs.cli.output import print_facts, print_json, writable
from rsjs.core.errors import InputError
from rsjs.paper_claims.claim import SIZES, chosen, experiments
from rsjs.reporting.tables.claims import agreement, shown

if TYPE_CHECKING:
    from rsjs.paper_claims.claim import Claim, Row, Values


def reproduce(
    names: Annotated[
        list[str] | None, argument("CLAIM", "Claims, papers (jahani, ...), or all.")
    ] = None,
    output: Annotated[
        Path | None, option("DIR", "Folder for rows, records and pictures.", "-o", "--output")
    ] = None,
    size: Annotated[str, option("SIZE", "quick: minutes; paper: what the paper ran.")] = "quick",
    missing: Annotated[
        bool, option(None, "Take rows with a commit that DIR has, of this size.", "--missing")
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
    from rsjs.paper_claims.metrics import not_ended
    from rsjs.paper_claims.registry import values
    from rsjs.rows.csv import read_table

    if size not in SIZES:
        raise InputError("--size", size, " or ".join(SIZES))
    if not names and not list_:
        raise InputError("CLAIM", "nothing", "a claim, a paper or all; --list shows them")
    claims = chosen(names or ["all"])
    if list_:
        _print_list(claims, as_json=as_json)
        return
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
            rows[name] = _run(name, size, output)
    found = {
        claim.id: values(claim, rows[claim.experiment]) if claim.experiment else {}
        for claim in claims
    }
    failed = {name: wrong for name, own in rows.items() if (wrong := not_ended(own))}
    documents = [_document(claim, found[claim.id]) for claim in claims]
    if as_json:
        what = [experiments()[name].what for name in rows]
        print_json({"size": size, "claims": documents, "experiments": what, "failed_runs": failed})
    else:
        for claim, told in zip(claims, documents, strict=True):
            print_facts(
                [
                    ("claim", f"{claim.id} ({claim.source}, {claim.where})"),
                    ("statement", claim.statement),
                    ("published", claim.printed),
                    ("agrees", told["agrees"]),
                    ("ours", shown(claim, found[claim.id])),
                    ("verdict", told["verdict"]),
                    ("why", claim.reason),
                ]
            )
            print()
        for name, (first, *more) in failed.items():  # they have no part in the values
            run = f"{first['method']} on {first['instance']}"
            why = f"{first['status']} {first.get('message') or ''}".rstrip()
            print(f"{name}: failed runs: {1 + len(more)}, the first {run}: {why}")
    without = [claim for claim in claims if claim.experiment and not found[claim.id]]
    raise typer.Exit(1 if failed or without else 0)


def _run(name: str, size: str, output: Path | None) -> list[Row]:
    """Run an experiment; with a folder, keep its rows, its records and its picture there."""
    from rsjs.cli.compare import STORE, watching
    from rsjs.cli.progress import Screen
    from rsjs.comparison import compare_pairs
    from rsjs.instances.io.files import write_bytes
    from rsjs.paper_claims import registry
    from rsjs.paper_claims.runs import Runner
    from rsjs.reporting.figures.claim import claim_picture
    from rsjs.rows.csv import csv_text

    experiment = experiments()[name]
    temporary = TemporaryDirectory(prefix="rsjs-")
    with nullcontext(output) if output else temporary as folder, Screen() as screen:
        store = Path(folder) / STORE / name
        screen.say(f"{name}: {experiment.what}")
        compare = partial(compare_pairs, watch=watching(screen, store))
        found = registry.rows(experiment, size, Runner(compare, store))
    if output is not None:
        write_bytes(csv_text(found).encode(), output / f"{name}.csv")
        if experiment.plot:
            published = [
                (one, registry.values(one, found))
                for one in chosen(["all"])
                if one.experiment == name
            ]
            claim_picture(found, experiment.plot, output / f"{name}.png", published)
    return found


def _document(claim: Claim, values: Values) -> dict[str, object]:
    return {
        "claim": claim.id,
        "paper": claim.source,
        "where": claim.where,
        "statement": claim.statement,
        "printed": claim.printed,
        "agrees": agreement(claim),
        "values": dict(values),
        "verdict": claim.verdict(values).value,
        "reason": claim.reason,
    }


def _print_list(claims: list[Claim], *, as_json: bool) -> None:
    if as_json:
        keys = ("claim", "paper", "where", "statement", "printed")
        print_json([{key: _document(claim, {})[key] for key in keys} for claim in claims])
        return
    print_facts(
        (claim.id, f"{claim.source}, {claim.where}: {claim.statement}: {claim.printed}")
        for claim in claims
    )
