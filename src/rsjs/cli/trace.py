"""`rsjs trace`: reports on public traces of GPU clusters, and workloads made of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rsjs.api import save
from rsjs.cli import output as out
from rsjs.cli.options import Json, Picture, argument, option, options_named
from rsjs.cli.progress import busy
from rsjs.core.errors import InputError
from rsjs.instances.traces import quality_report
from rsjs.instances.traces.convert import ConversionOptions
from rsjs.instances.traces.convert import convert as converted
from rsjs.instances.traces.flaws import KINDS
from rsjs.instances.traces.imputation import UNRECORDED, parse_nodes, stand_ins
from rsjs.instances.traces.registry import open_trace
from rsjs.reporting.figures.figure_style import checked
from rsjs.reporting.figures.inputs import trace_picture

if TYPE_CHECKING:
    from rsjs.instances.traces.quality_report import QualityReport

GAPS = 3  # that are listed
WHOLE = {kind.name for kind in KINDS if kind.whole}
TABLES = ("kinds", "offered_load", "gaps", "remarks", "errors")  # of a report; the rest is facts


def trace(
    files: Annotated[
        list[Path],
        argument("FILE", "Tables of one trace: plain, .gz, or in a .zip or .tar archive."),
    ],
    cluster: Annotated[
        str | None,
        option(
            "LIST", "Nodes instead of a node list, GPU:GPUS:NODES,... as in V100:8:100,P100:4:20."
        ),
    ] = None,
    gpus: Annotated[
        str | None,
        option(
            "LIST",
            "GPU types of the catalogue for those of the trace, as in H800=A100,=P100; nothing"
            " before = stands for jobs without one.",
        ),
    ] = None,
    picture: Picture = None,
    output: Annotated[
        Path | None, option("FILE", "Write a workload; .gz compresses.", "-o", "--output")
    ] = None,
    drop: Annotated[
        str | None, option("KINDS", "With -o: kinds of rows to leave out, a,b,c.")
    ] = None,
    keep: Annotated[
        str | None, option("KINDS", "With -o: kinds of rows to take although flawed, a,b,c.")
    ] = None,
    after: Annotated[
        float, option("HOURS", "With -o: start so long after the first submission.")
    ] = 0.0,
    jobs: Annotated[
        int | None, option("J", "With -o: the first J jobs; all by default.", "-J", "--jobs")
    ] = None,
    rules: Annotated[
        str,
        option(
            "NAME", "With -o: objective, due dates and weights: sts (Filippini 2024) or jahani."
        ),
    ] = "sts",
    laws: Annotated[
        str | None,
        option(
            "NAME",
            "With -o: distributions of the epochs: base, mild, strong or fixed; base with sts,"
            " fixed with jahani.",
        ),
    ] = None,
    sharing: Annotated[
        str,
        option(
            "NAME", "With -o: none, or recorded: jobs may have shares as large as in the trace."
        ),
    ] = "none",
    seed: Annotated[int, option("S", "With -o: seed of what is invented.")] = 1,
    as_json: Json = False,
) -> None:
    """
    Report what is wrong in a public trace, or make a workload of it.

    \b
    Example:
      rsjs trace openb_pod_list_default.csv openb_node_list_gpu_node.csv
      rsjs trace pai_job_table.tar.gz pai_task_table.tar.gz --picture pai.png
      rsjs trace cluster_log.csv --cluster V100:8:100 -J 1000 \\
          --drop no-gpu --keep failed,killed -o workload.json.gz

    The format is recognised by the first bytes: openb, pai, spot, philly, helios, gavel. A report
    has exit code 1 if something is wrong; failed, killed, running and pending jobs are notices.

    With -o the report is left out; a workload is refused while rows have a flaw that neither --drop
    nor --keep names: nothing is dropped silently. Due dates, weights, networks, epochs and prices
    are invented: docs/traces.md.
    """
    out.writable(picture and checked(picture))
    out.writable(output, *files)
    with options_named():
        options = ConversionOptions(
            drop=_words(drop),
            keep=_words(keep),
            after=after,
            jobs=jobs,
            rules=rules,
            laws=laws or ("fixed" if rules == "jahani" else "base"),
            sharing=sharing,
            seed=seed,
        )
    report = _report(files, cluster, gpus)
    if picture is not None:
        trace_picture(report, picture)
    if output is not None:
        _write_workload(report, options, output, as_json=as_json)
        return
    document = {**report.as_document(), "picture": picture}
    out.print_json(document) if as_json else _print_report(document)
    if report.has_errors:
        raise typer.Exit(1)


def _words(text: str | None) -> tuple[str, ...]:
    """Return the words of an option, separated by commas."""
    return tuple(word.strip() for word in text.split(",")) if text else ()


def _report(files: Sequence[Path], cluster: str | None, gpus: str | None) -> QualityReport:
    """Read a trace with the nodes and stand-ins that the user gave, and report on it."""
    given = {}
    with options_named():
        for word in _words(gpus):
            name, equals, gpu = word.partition("=")
            if not equals:
                raise InputError("/gpus", word, "NAME=GPU, such as H800=A100")
            given[name.strip()] = gpu.strip()
        stand_ins(given, UNRECORDED)
        nodes = parse_nodes(cluster) if cluster is not None else None
    with busy("reading the trace"):
        return quality_report.inspect(open_trace(files), nodes=nodes, gpus=given)


def _write_workload(
    report: QualityReport, options: ConversionOptions, output: Path, *, as_json: bool
) -> None:
    """Write the workload; print it and what was left out for which reason."""
    with busy("converting"), options_named():
        workload, selection = converted(report, options)
        save(workload, output)
    left_out = {"dropped": selection.dropped, "not_wanted": selection.left}
    out.print_made(workload, output, as_json=as_json, **left_out)


def _print_report(document: dict[str, Any]) -> None:
    """Print what is wrong, the load, and what looks odd."""
    kinds, loads, gaps, remarks, _ = (document.pop(key) for key in TABLES)
    out.print_values(document, as_json=False)
    rows = []
    for kind in kinds:
        # a flaw of a file as a whole names the columns that it lacks
        places = (
            f"{place['file']}: {place['id']}" if kind["kind"] in WHOLE else place["line"]
            for place in kind["first"]
        )
        level, lines = "error" if kind["error"] else "notice", ", ".join(map(str, places))
        rows.append((kind["kind"], kind["rows"], level, kind["meaning"], lines))
    if rows:
        out.print_table("What is wrong", ["kind", ">rows", "", "meaning", "first lines"], rows)
    else:
        print("nothing is wrong")
    if loads:
        headings = ("GPU type", ">jobs", ">GPU-hours", ">GPUs busy", ">of GPUs", ">load")
        keys = ("model", "jobs", "gpu_hours", "busy", "capacity")
        cells = []
        for load in loads:
            share = load["busy"] / load["capacity"] if load["capacity"] else None
            cells.append([*(load[key] or None for key in keys), out.percent(share)])
        out.print_table("Offered load by GPU type", headings, cells)
    for gap in gaps[:GAPS]:
        print(f"gap: nothing submitted for {gap['hours']} h from hour {gap['after_hours']} on")
    if len(gaps) > GAPS:
        print(f"gap: {len(gaps) - GAPS} more of a day or longer")
    for remark in remarks:
        print(f"odd: {remark}")
