"""
`rsjs trace`: public traces of GPU clusters.

What the commands of `rsjs trace` are given: files, nodes, stand-ins of GPU types.

What the commands of `rsjs trace` print.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rsjs.cli.options import Json, Output, options_named
from rsjs.cli.output import console, number, percent, plain_table, print_facts, print_json
from rsjs.cli.paths import writable
from rsjs.cli.progress import busy
from rsjs.core.errors import InputError
from rsjs.instances.io.files import write_workload
from rsjs.instances.traces.convert import ConversionOptions
from rsjs.instances.traces.convert import convert as converted
from rsjs.instances.traces.flaws import KINDS
from rsjs.instances.traces.imputation import UNRECORDED, parse_nodes, stand_ins
from rsjs.instances.traces.registry import open_trace
from rsjs.reporting.figures.figure_style import checked
from rsjs.reporting.figures.trace import trace_picture

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rsjs.instances.instance import Workload
    from rsjs.instances.traces.convert import Selection
    from rsjs.instances.traces.flaws import FlawKind
    from rsjs.instances.traces.quality_report import QualityReport, RowLocation

app = typer.Typer(
    help="Check public traces of GPU clusters, and make workloads of them.\n\n\b\nExample:\n"
    "  rsjs trace inspect openb_pod_list_default.csv openb_node_list_gpu_node.csv\n"
    "  rsjs trace convert cluster_log.csv --cluster V100:8:100 -J 1000 \\\n"
    "      --drop no-gpu --keep failed,killed -o workload.json.gz",
)

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...", help="Tables of one trace: plain, .gz, or in a .zip or .tar archive."
    ),
]
ClusterNodes = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="LIST",
        help="Nodes instead of a node list, GPU:GPUS:NODES,... as in V100:8:100,P100:4:20.",
    ),
]
Gpus = Annotated[
    str | None,
    typer.Option(
        "--gpus",
        metavar="LIST",
        help="GPU types of the catalogue for those of the trace, as in H800=A100,=P100; "
        "nothing before = stands for jobs without one.",
    ),
]
Drop = Annotated[
    str | None, typer.Option("--drop", metavar="KINDS", help="Kinds of rows to leave out, a,b,c.")
]
Keep = Annotated[
    str | None,
    typer.Option("--keep", metavar="KINDS", help="Kinds of rows to take although flawed, a,b,c."),
]
After = Annotated[
    float,
    typer.Option("--after", metavar="HOURS", help="Start so long after the first submission."),
]
Jobs = Annotated[
    int | None, typer.Option("-J", "--jobs", metavar="J", help="The first J jobs; all by default.")
]
Rules = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="Objective, due dates and weights: sts (Filippini 2024) or jahani."
    ),
]
Laws = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Laws of the epochs: base, mild, strong or fixed; base with sts, fixed with jahani.",
    ),
]
Sharing = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="none, or recorded: jobs may have shares as large as in the trace."
    ),
]
Seed = Annotated[int, typer.Option(metavar="S", help="Seed of what is invented.")]


@app.callback()
def group() -> None: ...


@app.command("inspect")
def inspect(
    files: Files,
    cluster: ClusterNodes = None,
    gpus: Gpus = None,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE", help="Also draw it: .png, .svg or .pdf."),
    ] = None,
    as_json: Json = False,
) -> None:
    """
    Report what is wrong in a trace, and what load it offers.

    \b
    Example:
      rsjs trace inspect openb_pod_list_default.csv openb_node_list_gpu_node.csv
      rsjs trace inspect pai_job_table.tar.gz pai_task_table.tar.gz --picture pai.png

    The format is told by the first bytes: openb, pai, spot, philly, helios, gavel. Exit code 1 if
    something is wrong; failed, killed, running and pending jobs are notices.
    """

    writable(picture and checked(picture))
    report = read_report(files, cluster, gpus)
    if picture is not None:
        trace_picture(report, picture)
    print_report(report, picture, as_json=as_json)
    if report.has_errors:
        raise typer.Exit(1)


@app.command("convert")
def convert(
    files: Files,
    output: Output,
    drop: Drop = None,
    keep: Keep = None,
    cluster: ClusterNodes = None,
    gpus: Gpus = None,
    after: After = 0.0,
    jobs: Jobs = None,
    rules: Rules = "sts",
    laws: Laws = None,
    sharing: Sharing = "none",
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """
    Make a workload of a trace.

    \b
    Example:
      rsjs trace convert openb_pod_list_default.csv openb_node_list_gpu_node.csv \\
          --drop no-gpu,pending --keep running,failed -J 500 -o workload.json.gz

    Refused while rows have a flaw that neither --drop nor --keep names; nothing is dropped
    silently. Due dates, weights, networks, epochs and prices are invented: docs/traces.md.
    """

    writable(output)
    if output.exists() and any(file.exists() and output.samefile(file) for file in files):
        raise InputError("--output", str(output), "a file other than the trace")
    with options_named():
        options = ConversionOptions(
            drop=words(drop),
            keep=words(keep),
            after=after,
            jobs=jobs,
            rules=rules,
            laws=laws or ("fixed" if rules == "jahani" else "base"),
            sharing=sharing,
            seed=seed,
        )
    report = read_report(files, cluster, gpus)
    with busy("converting"), options_named():
        made, selection = converted(report, options)
        write_workload(made, output)
    print_conversion(made, selection, output, as_json=as_json)


def words(text: str | None) -> tuple[str, ...]:
    """The words of an option, separated by commas."""
    return tuple(word.strip() for word in text.split(",")) if text else ()


def read_report(files: Sequence[Path], cluster: str | None, gpus: str | None) -> QualityReport:
    """Read a trace with the nodes and stand-ins that the user gave, and report on it."""
    from rsjs.instances.traces.quality_report import inspect

    with options_named():
        given = _stand_ins(gpus)
        stand_ins(given, UNRECORDED)
        nodes = parse_nodes(cluster) if cluster is not None else None
    with busy("reading the trace"):
        return inspect(open_trace(files), nodes=nodes, gpus=given)


def _stand_ins(text: str | None) -> dict[str, str]:

    found = {}
    for word in words(text):
        name, equals, gpu = word.partition("=")
        if not equals:
            raise InputError("/gpus", word, "NAME=GPU, such as H800=A100")
        found[name.strip()] = gpu.strip()
    return found


GAPS = 3  # that are listed


def print_report(report: QualityReport, picture: Path | None, *, as_json: bool) -> None:
    """What is wrong, the load, and what looks odd."""
    if as_json:
        print_json({**report.as_document(), "picture": picture})
        return
    tally = report.tally
    files = ", ".join(source.name for source in report.trace.tables.values())
    facts = {
        "format": f"{report.trace.format.name}: {report.trace.format.title}",
        "read": files,
        "ignored": ", ".join(report.trace.ignored),
        "rows": f"{tally.rows}, {tally.usable} with a load",
        "span": f"{number(report.span / 86400, 4)} days",
        "run time": f"{number(report.median_run_time, 4)} s (median)" if tally.usable else "",
        "picture": str(picture) if picture else "",
    }
    print_facts((name, value) for name, value in facts.items() if value)
    _print_kinds(report)
    _print_loads(report)
    for at, length in report.gaps[:GAPS]:
        print(f"gap: nothing submitted for {length} h from hour {at} on")
    if len(report.gaps) > GAPS:
        print(f"gap: {len(report.gaps) - GAPS} more of a day or longer")
    for remark in report.remarks:
        print(f"odd: {remark}")


def print_conversion(made: Workload, selection: Selection, path: Path, *, as_json: bool) -> None:
    """The workload, and what was left out for which reason."""
    from rsjs.cli.options import report

    if as_json:
        print_json(
            {
                "file": path,
                "name": made.name,
                "sha256": made.digest,
                "nodes": made.cluster.nodes,
                "jobs": len(made.jobs),
                "dropped": dict(selection.dropped),
                "not_wanted": selection.left,
            }
        )
        return
    report(made, path, as_json=False)
    for kind, rows in selection.dropped.items():
        print(f"dropped: {rows} rows, {kind}")
    if selection.left:
        print(f"not wanted by --after and -J: {selection.left} rows")


def _print_kinds(report: QualityReport) -> None:

    tally = report.tally
    table = plain_table("What is wrong")
    table.add_column("kind", no_wrap=True)
    table.add_column("rows", justify="right")
    table.add_column("", no_wrap=True)
    table.add_column("meaning")
    table.add_column("first lines")
    for kind in KINDS:
        if tally.flaws[kind.name]:
            table.add_row(
                kind.name,
                str(tally.flaws[kind.name]),
                "error" if kind.error else "notice",
                kind.meaning,
                _shown(kind, tally.places[kind.name]),
            )
    if table.row_count:
        console().print(table)
    else:
        print("nothing is wrong")


def _shown(kind: FlawKind, places: Sequence[RowLocation]) -> str:
    """Lines; of a flaw of a file the file too, and the columns that it lacks."""
    if not kind.whole:
        return ", ".join(str(place.line) for place in places)
    return "; ".join(f"{place.file}: {place.id or place.line}" for place in places)


def _print_loads(report: QualityReport) -> None:
    if not report.loads:
        return
    table = plain_table("Offered load by GPU type")
    table.add_column("GPU type")
    for name in ("jobs", "GPU-hours", "GPUs busy", "of GPUs", "load"):
        table.add_column(name, justify="right")
    for load in report.loads:
        table.add_row(
            load.model or "not recorded",
            str(load.jobs),
            number(load.gpu_hours, 4),
            number(load.busy, 4),
            number(load.capacity, 1),
            percent(load.busy / load.capacity if load.capacity else None),
        )
    console().print(table)
