"""`rsjs bks`: best-known values, their list, their check, their update."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rsjs.cli.options import Json

app = typer.Typer(
    help="Best-known costs and lower bounds of instances, with their history and solutions."
    "\n\n\b\nExample:\n  rsjs bks sets --json\n  rsjs bks update runs/small\n  rsjs bks verify",
)

Folder = Annotated[
    Path | None,
    typer.Option(
        "--folder",
        metavar="DIR",
        help="Folder of the best-known values; by default results/best_known if it is here, else"
        " those of the package.",
    ),
]
OfSet = Annotated[
    str | None,
    typer.Option("--set", metavar="NAME", help="Only members of a set, see `rsjs list sets`."),
]


@app.callback()
def group() -> None: ...


@app.command("list")
def list_(
    name: OfSet = None,
    unsettled: Annotated[
        bool, typer.Option("--open", help="Only those that are open, or closed but not confirmed.")
    ] = False,
    folder: Folder = None,
    as_json: Json = False,
) -> None:
    """
    List what is known of each instance.

    \b
    Example:
      rsjs bks list
      rsjs bks list --set jahani-azure-tight
      rsjs bks list --open --json

    Closed: the bound is within 1e-6 of the cost, postponement left out. Confirmed by: runs of
    another method or another solver that prove the same bound.
    """
    from rsjs.best_known import coverage
    from rsjs.best_known.storage import known_here, read_all
    from rsjs.cli.bks_text import print_list

    known = read_all(folder or known_here())
    if name is not None:
        known = coverage.of_set(known, name)
    print_list(coverage.unsettled(known) if unsettled else known, as_json=as_json)


@app.command("sets")
def sets(folder: Folder = None, as_json: Json = False) -> None:
    """
    Count what is known of each set of the library, instances of at most 400 jobs.

    \b
    Example:
      rsjs bks sets

    Open: there is a cost or a bound, and a gap, of which the largest is shown. Unknown: neither.
    An instance that several sets have counts once in the last line.
    """
    from rsjs.best_known.coverage import coverage
    from rsjs.best_known.storage import known_here, read_all
    from rsjs.cli.bks_sets import print_sets

    print_sets(coverage(read_all(folder or known_here())), as_json=as_json)


@app.command("show")
def show(
    instance: Annotated[str, typer.Argument(metavar="INSTANCE", help="Name of an instance.")],
    folder: Folder = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Make the instance again and write it."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """
    Show how the values of an instance came to be, and make it again.

    \b
    Example:
      rsjs bks show kiros-kiros-base-at0-synthetic-N2-J6-s1 -o instance.json
    """
    from rsjs.best_known.regenerate import made_again
    from rsjs.best_known.storage import known_here, named, read_all
    from rsjs.cli.bks_text import print_entry
    from rsjs.cli.inputs import writable
    from rsjs.instances.io.files import write_instance

    writable(output)
    folder = folder or known_here()
    entry = named(read_all(folder), instance)
    if output is not None:
        write_instance(made_again(entry, folder), output)
    print_entry(entry, folder, output, as_json=as_json)


@app.command("verify")
def verify(name: OfSet = None, folder: Folder = None, as_json: Json = False) -> None:
    """
    Check every value, instance and solution; exit code 1 and a line for each finding.

    \b
    Example:
      rsjs bks verify
      rsjs bks verify --set small
      rsjs bks verify --folder results/best_known --json

    Each head is the best of its history and each history improves; gaps and status are right; no
    bound lies above a cost; each instance is made again and has its sha256; each solution passes
    the exact check at the cost stated; the .solu file says the same. With --set, only the members
    of a set are made again and their solutions checked: all take about two minutes.
    """
    from rsjs.best_known.storage import known_here
    from rsjs.best_known.verify import verify as verified
    from rsjs.cli.bks_text import print_verified
    from rsjs.cli.progress import busy
    from rsjs.instances.library.sets import library_set

    only = None if name is None else {member.sha256 for member in library_set(name).members}
    folder = folder or known_here()
    with busy("checking values") as status:
        found = verified(folder, only, status.update if status else lambda instance: None)
    print_verified(found, as_json=as_json)
    raise typer.Exit(1 if found.findings else 0)


@app.command("update")
def update(
    stores: Annotated[
        list[Path] | None, typer.Argument(metavar="STORE", help="Stores of `rsjs run`.")
    ] = None,
    solution: Annotated[
        Path | None,
        typer.Option("--solution", metavar="FILE", help="Solution from elsewhere, for --instance."),
    ] = None,
    instance: Annotated[
        Path | None, typer.Option("--instance", metavar="FILE", help="Its instance.")
    ] = None,
    source: Annotated[
        str | None, typer.Option("--source", metavar="TEXT", help="Whom to credit for it.")
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option("--without", metavar="RUN", help="Id of a run to leave out; repeatable."),
    ] = None,
    folder: Annotated[
        Path, typer.Option("--folder", metavar="DIR", help="Folder of the best-known values.")
    ] = Path("results/best_known"),
    as_json: Json = False,
) -> None:
    """
    Take better costs and bounds, and those that confirm what is known.

    \b
    Example:
      rsjs run benchmarks/best_known.toml
      rsjs bks update runs/best-known
      rsjs bks update --solution s.json --instance i.json --source "who, where, when"

    A cost is taken if its solution passes the exact check, a bound if its method declares it valid
    for the instance as given. A bound above the least cost is a contradiction: told with both runs,
    exit code 1, nothing is written. The same command again changes nothing.
    """
    from rsjs.best_known.merge import update as updated
    from rsjs.cli.bks_inputs import claims
    from rsjs.cli.bks_text import print_updated
    from rsjs.cli.inputs import writable
    from rsjs.cli.progress import busy

    writable(folder, folder=True)
    with busy("reading runs"):
        found, left_out = claims(stores or [], solution, instance, source, without or [])
    with busy("checking solutions"):
        done = updated(folder, found)
    print_updated(done, left_out, folder, as_json=as_json)
    raise typer.Exit(1 if done.contradictions or done.refused else 0)
