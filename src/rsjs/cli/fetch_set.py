"""`rsjs fetch-set`: a set of the instance library as files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from rsjs.bks.storage import optima
from rsjs.cli.options import Json, errors_at
from rsjs.cli.output import print_facts, print_json, writable
from rsjs.cli.progress import running
from rsjs.instances.library.download import MANIFEST_NAME, fetch
from rsjs.instances.library.sets import LICENCE, library_set


def fetch_set(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Set, see `rsjs list sets`.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Folder for the files.")
    ],
    as_json: Json = False,
) -> None:
    """
    Write the instances of a set, each compared with its sha256 in the library.

    \b
    Example:
      rsjs list sets
      rsjs fetch-set jahani-table2-base -o jahani-table2-base

    They are drawn here, nothing is downloaded. Run the same command again to resume; files that
    were changed are written again. manifest.json has sha256 and, where proved, the optimum of
    each, see `rsjs bks`. Licence of the data: CC-BY-4.0.
    """
    writable(output, folder=True)
    with errors_at("NAME"):
        chosen = library_set(name)
    states = []
    with running() as screen:
        for member, state in fetch(chosen, output, optima()):
            states.append(state)
            screen.show(_Line(f"{len(states)}/{len(chosen.members)} {member.name}"))
    facts = {
        "set": chosen.name,
        "folder": output,
        "members": len(states),
        "written": states.count("written"),
        "kept": states.count("kept"),
        "manifest": output / MANIFEST_NAME,
        "licence": LICENCE,
    }
    print_json(facts) if as_json else print_facts(facts.items())


@dataclass(frozen=True)
class _Line:
    """What a terminal shows of the work."""

    text: str

    def __rich__(self) -> str:
        return self.text
