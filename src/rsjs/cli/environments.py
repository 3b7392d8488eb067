"""`rsjs environments`: other releases of the solvers, each in an environment of its own."""

from __future__ import annotations

from typing import Annotated

import typer

from rsjs.campaigns.solver_versions import chosen, flaw, make
from rsjs.cli.options import Json, argument
from rsjs.cli.output import print_json, print_table
from rsjs.cli.progress import busy

app = typer.Typer(
    help="Environments with other releases of the solvers, made from locks.\n\n\b\n"
    "Example:\n"
    "  rsjs environments list --json\n"
    "  rsjs environments make highs-1.14 highs-1.15\n"
    "  rsjs run solver-versions -o versions",
)


@app.command("make")
def make_(
    names: Annotated[
        list[str] | None, argument("NAME", "Environments, all by default; `list` shows them.")
    ] = None,
    as_json: Json = False,
) -> None:
    """
    Make environments that are not there, from locks.

    \b
    Example:
      rsjs environments make
      rsjs environments make highs-1.14 highs-1.15

    pip installs the release of a solver and compares digests; all else that is installed here, the
    suite included, is seen from there, too. What is complete stays; the same command resumes after
    Ctrl-C, and nothing half-made is left. pip takes wheels from where it is configured to, e.g.
    by PIP_NO_INDEX and PIP_FIND_LINKS from a folder.
    """
    made = []
    for lock in chosen(names or ()):
        word = "was complete"
        if flaw(lock) is not None:
            word = "made"
            with busy(f"making {lock.name}"):
                make(lock)
            made.append(lock.name)
        if not as_json:
            print(f"{lock.name}: {word}, {lock.solver.distribution} {lock.version}", flush=True)
    if as_json:
        print_json({"made": made})


@app.command("list")
def list_(as_json: Json = False) -> None:
    """
    List what can be made, what it holds, and its state.

    \b
    Example:
      rsjs environments list
    """
    listed = [(lock, flaw(lock) or "complete") for lock in chosen(())]
    if as_json:
        print_json(
            [
                {
                    "name": lock.name,
                    "solver": lock.solver.name,
                    "packages": lock.pins,
                    "state": state,
                    "folder": lock.folder,
                }
                for lock, state in listed
            ]
        )
        return
    rows = [
        (lock.name, lock.solver.name, ", ".join(map(" ".join, lock.pins.items())), state)
        for lock, state in listed
    ]
    print_table("", ("environment", "solver", "packages", "state"), rows)
