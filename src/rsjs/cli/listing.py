"""`rsjs list`: methods, policies, solvers, catalogues, sets of instances and schemas."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any

import typer

from rsjs.cli.options import Json


class What(StrEnum):
    """What there is to list."""

    METHODS = "methods"
    POLICIES = "policies"
    SOLVERS = "solvers"
    CATALOGUES = "catalogues"
    SETS = "sets"
    SCHEMAS = "schemas"


def list_(
    what: Annotated[What, typer.Argument(metavar="WHAT", help=f"One of {', '.join(What)}.")],
    as_json: Json = False,
) -> None:
    """
    List methods, policies, solvers, catalogues of node types, sets of instances, or file formats.

    \b
    Example:
      rsjs list methods
      rsjs list catalogues --json

    Methods come with the objectives they serve, their solvers, rules and options, and with the
    command that installs a missing solver. Policies are what decides in `rsjs simulate`.
    """
    from rsjs.cli import list_data, list_methods, list_sets
    from rsjs.cli.console import print_json

    kinds: dict[What, tuple[Callable[[], Any], Callable[[Any], None]]] = {
        What.METHODS: (list_methods.methods, list_methods.print_methods),
        What.POLICIES: (list_methods.policies, list_methods.print_policies),
        What.SOLVERS: (list_methods.solvers, list_methods.print_solvers),
        What.CATALOGUES: (list_data.catalogues, list_data.print_catalogues),
        What.SETS: (list_sets.sets, list_sets.print_sets),
        What.SCHEMAS: (list_data.schemas, list_data.print_schemas),
    }
    collect, show = kinds[what]
    found = collect()
    print_json(found) if as_json else show(found)
