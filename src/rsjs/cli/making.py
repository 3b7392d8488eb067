"""What the commands that make an instance or a workload do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsjs.cli.generated import jobs_or_default, options_named, report
from rsjs.cli.inputs import writable
from rsjs.cli.progress import busy

if TYPE_CHECKING:
    from rsjs.instances.instance import Instance, Workload


def make(
    draw: Callable[..., Instance | Workload],
    output: Path,
    *,
    nodes: int,
    jobs: int | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Draw with the options of a command, write the file and tell what is in it."""
    from rsjs.instances.instance import Instance
    from rsjs.instances.io.files import write_instance, write_workload

    writable(output)
    with busy("drawing jobs"), options_named():
        made = draw(nodes=nodes, jobs=jobs_or_default(jobs, nodes), **options)
        if isinstance(made, Instance):
            write_instance(made, output)
        else:
            write_workload(made, output)
    report(made, output, as_json=as_json)
