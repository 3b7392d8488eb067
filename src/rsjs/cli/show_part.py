"""`rsjs show --law` and `--profile`: a part of an instance or a workload."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rsjs.cli.console import print_json
from rsjs.cli.progress import busy
from rsjs.cli.show_law import describe_law, draw_law, print_law
from rsjs.cli.show_profile import describe_profile, draw_profile, print_profile
from rsjs.core.errors import InputError, described
from rsjs.instances.instance import Instance, Workload

if TYPE_CHECKING:
    from rsjs.instances.io.files import SolutionFile


def show_part(
    file: Path,
    found: Instance | Workload | SolutionFile,
    solution: Path | None,
    law: str | None,
    profile: str | None,
    output: Path | None,
    *,
    as_json: bool,
) -> None:
    """Show a law or a job's profiles, one of both, and draw it if asked for."""
    if solution is not None or (law is not None and profile is not None):
        raise InputError("", described("several wishes"), "a solution, --law or --profile", file)
    if law is not None:
        if not isinstance(found, Instance | Workload):
            raise InputError("", described("a solution"), "an instance or a workload", file)
        document, tell = describe_law(found, law), print_law
        if output is not None:
            with busy("drawing"):
                draw_law(found, law, output)
    elif profile is not None:
        if not isinstance(found, Instance):
            raise InputError("", described("no instance"), "an instance: its jobs have a now", file)
        document, tell = describe_profile(found, profile), print_profile
        if output is not None:
            with busy("drawing"):
                draw_profile(found, profile, output)
    if output is not None:
        document["picture"] = output
    print_json(document) if as_json else tell(document)
