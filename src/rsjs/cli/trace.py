"""`rsjs trace`: public traces of GPU clusters."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rsjs.cli.options import Json, Output

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
    from rsjs.cli.inputs import writable
    from rsjs.cli.trace_inputs import read_report
    from rsjs.cli.trace_text import print_report
    from rsjs.reporting.figures.figure_style import checked
    from rsjs.reporting.figures.trace import trace_picture

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
    from rsjs.cli.generated import options_named
    from rsjs.cli.inputs import writable
    from rsjs.cli.progress import busy
    from rsjs.cli.trace_inputs import read_report, words
    from rsjs.cli.trace_text import print_conversion
    from rsjs.core.errors import InputError
    from rsjs.instances.io.files import write_workload
    from rsjs.instances.traces.convert import ConversionOptions
    from rsjs.instances.traces.convert import convert as converted

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
