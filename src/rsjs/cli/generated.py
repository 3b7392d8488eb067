"""What is said of an instance or a workload that was made and written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rsjs.cli.console import print_json

if TYPE_CHECKING:
    from rsjs.instances.schema import Instance, Workload


def report(subject: Instance | Workload, path: Path, *, as_json: bool) -> None:
    """Name, size, digest and file."""
    kind = type(subject).__name__.lower()
    nodes, jobs = subject.cluster.nodes, len(subject.jobs)
    if as_json:
        print_json(
            {
                "kind": kind,
                "name": subject.name,
                "sha256": subject.digest,
                "nodes": nodes,
                "jobs": jobs,
                "file": path,
            }
        )
        return
    print(f"{path}: {kind} {subject.name}, {nodes} nodes, {jobs} jobs")
    print(f"sha256 {subject.digest}")
