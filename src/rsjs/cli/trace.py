"""`rsjs trace`: reports on public traces of GPU clusters, and workloads made of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rsjs.api import save
from rsjs.cli.options import Json, Picture, argument, option, options_named
from rsjs.cli.output import (
    number,
    percent,
    print_facts,
    print_json,
    print_made,
    print_table,
    writable,
)
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
    writable(picture and checked(picture))
    writable(output, *files)
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
    if as_json:
        print_json({**report.as_document(), "picture": picture})
    else:
        _print_report(report, picture)
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
    print_made(workload, output, as_json=as_json, **left_out)
    if as_json:
        return
    for kind, rows in selection.dropped.items():
        print(f"dropped: {rows} rows, {kind}")
    if selection.left:
        print(f"not wanted by --after and -J: {selection.left} rows")


def _print_report(report: QualityReport, picture: Path | None) -> None:
    """Print what is wrong, the load, and what looks odd."""
    tally, trace_ = report.tally, report.trace
    facts = {
        "format": f"{trace_.format.name}: {trace_.format.title}",
        "read": ", ".join(source.name for source in trace_.tables.values()),
        "ignored": ", ".join(trace_.ignored),
        "rows": f"{tally.rows}, {tally.usable} with a load",
        "span": f"{number(report.span / 86400, 4)} days",
        "run time": f"{number(report.median_run_time, 4)} s (median)" if tally.usable else "",
        "picture": str(picture) if picture else "",
    }
    print_facts((name, value) for name, value in facts.items() if value)
    kinds = []
    for kind in KINDS:
        lines = ", ".join(str(place.line) for place in tally.places[kind.name])
        if kind.whole:  # a flaw of the file, which the place names with the columns it lacks
            places = tally.places[kind.name]
            lines = "; ".join(f"{place.file}: {place.id or place.line}" for place in places)
        if count := tally.flaws[kind.name]:
            level = "error" if kind.error else "notice"
            kinds.append([kind.name, str(count), level, kind.meaning, lines])
    if kinds:
        print_table("What is wrong", ["kind", ">rows", "", "meaning", "first lines"], kinds)
    else:
        print("nothing is wrong")
    loads = [
        [
            load.model or "not recorded",
            str(load.jobs),
            number(load.gpu_hours, 4),
            number(load.busy, 4),
            number(load.capacity, 1),
            percent(load.busy / load.capacity if load.capacity else None),
        ]
        for load in report.loads
    ]
    if loads:
        headings = ("GPU type", ">jobs", ">GPU-hours", ">GPUs busy", ">of GPUs", ">load")
        print_table("Offered load by GPU type", headings, loads)
    for at, length in report.gaps[:GAPS]:
        print(f"gap: nothing submitted for {length} h from hour {at} on")
    if len(report.gaps) > GAPS:
        print(f"gap: {len(report.gaps) - GAPS} more of a day or longer")
    for remark in report.remarks:
        print(f"odd: {remark}")
