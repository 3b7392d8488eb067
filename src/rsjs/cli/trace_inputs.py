"""What the commands of `rsjs trace` are given: files, nodes, stand-ins of GPU types."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rsjs.instances.traces.quality_report import QualityReport


def words(text: str | None) -> tuple[str, ...]:
    """The words of an option, separated by commas."""
    return tuple(word.strip() for word in text.split(",")) if text else ()


def read_report(files: Sequence[Path], cluster: str | None, gpus: str | None) -> QualityReport:
    """Read a trace with the nodes and stand-ins that the user gave, and report on it."""
    from rsjs.cli.generated import options_named
    from rsjs.cli.progress import busy
    from rsjs.instances.traces.imputation import UNRECORDED, parse_nodes, stand_ins
    from rsjs.instances.traces.quality_report import inspect
    from rsjs.instances.traces.registry import open_trace

    with options_named():
        given = _stand_ins(gpus)
        stand_ins(given, UNRECORDED)
        nodes = parse_nodes(cluster) if cluster is not None else None
    with busy("reading the trace"):
        return inspect(open_trace(files), nodes=nodes, gpus=given)


def _stand_ins(text: str | None) -> dict[str, str]:
    from rsjs.core.errors import InputError

    found = {}
    for word in words(text):
        name, equals, gpu = word.partition("=")
        if not equals:
            raise InputError("/gpus", word, "NAME=GPU, such as H800=A100")
        found[name.strip()] = gpu.strip()
    return found
