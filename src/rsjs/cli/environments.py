"""`rsjs environments`: other releases of the solvers, each in an environment of its own."""

from __future__ import annotations

from typing import Annotated

import typer

from rsjs.campaigns.solver_versions import chosen, flaw, make
from rsjs.cli.options import Json, argument
from rsjs.cli.output import print_json, print_table
from rsjs.cli.progress import busy

app = typer.Typer(
    help="""
Make and list environments with other releases of the solvers.

\b
Example:
  rsjs environments make highs-1.14 highs-1.15
  rsjs run solver-versions -o versions
""",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("make")
def make_(
    names: Annotated[
        list[str] | None, argument("NAME", "Environments, all by default; `list` shows them.")
    ] = None,
) -> None:
    """
    Make environments from locks: pip installs the release of a solver and checks its digests.

    \b
    Example:
      rsjs environments make
      rsjs environments make highs-1.14 highs-1.15

    All else that is installed here, the suite included, is seen from there, too. What is complete
    stays; the same command goes on after Ctrl-C, and nothing half-made is left. pip takes wheels
    from where it is configured to, e.g. by PIP_NO_INDEX and PIP_FIND_LINKS from a folder.
    """
    for lock in chosen(names or ()):
        if flaw(lock) is None:
            print(f"{lock.name}: complete")
            continue
        with busy(f"making {lock.name}"):
            make(lock)
        print(f"{lock.name}: made, {lock.solver.distribution} {lock.version}", flush=True)


@app.command("list")
def list_(as_json: Json = False) -> None:
    """
    List the environments that can be made, what they hold, and their state.

    \b
    Example:
      rsjs environments list
    """
    rows = [
        {
            "name": lock.name,
            "solver": lock.solver.name,
            "packages": lock.pins,
            "state": flaw(lock) or "complete",
            "folder": lock.folder,
        }
        for lock in chosen(())
    ]
    if as_json:
        print_json(rows)
        return
    print_table(
        "",
        ("environment", "solver", "packages", "state"),
        [
            (
                row["name"],
                row["solver"],
                ", ".join(f"{name} {version}" for name, version in row["packages"].items()),
                row["state"],
            )
            for row in rows
        ],
    )
