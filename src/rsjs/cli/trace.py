"""`rsjs trace` and `rsjs import`: reports on traces and own tables, and what is made of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rsjs.api import save
from rsjs.cli import output as out
from rsjs.cli.options import Json, Picture, argument, option, options_named
from rsjs.cli.progress import busy
from rsjs.core.errors import InputError, one_of
from rsjs.instances.catalogue.gpus import gpu_names
from rsjs.instances.traces import quality_report
from rsjs.instances.traces.convert import ConversionOptions, options_of_own, unnamed_kinds
from rsjs.instances.traces.convert import convert as converted
from rsjs.instances.traces.flaws import KINDS
from rsjs.instances.traces.imputation import parse_nodes
from rsjs.instances.traces.own_tables import inspect_tables, open_tables, parse_columns
from rsjs.instances.traces.registry import open_trace
from rsjs.reporting.figures.figure_style import checked
from rsjs.reporting.figures.inputs import trace_picture

if TYPE_CHECKING:
    from rsjs.instances.traces.quality_report import QualityReport
    from rsjs.instances.traces.records import TraceNodes

GAPS = 3  # that are listed
WHOLE = {kind.name for kind in KINDS if kind.whole}
MEANING = {  # of facts, in words
    "dropped": "rows left out by --drop",
    "not_wanted": "rows left out by --after or -J",
    "ended_before_at": "jobs that ended before --at",
    "submitted_after_at": "jobs submitted after --at",
    "rows": "rows of the table",
}
TABLES = ("kinds", "offered_load", "gaps", "remarks", "errors")  # of a report; the rest is facts


Cluster = Annotated[
    str | None,
    option("LIST", "Nodes instead of a node list, GPU:GPUS:NODES,... as in V100:8:100,P100:4:20."),
]
Gpus = Annotated[
    str | None,
    option(
        "LIST",
        "GPU types of the catalogue for those of the tables, as in H800=A100,=P100; nothing before"
        " = stands for jobs without one.",
    ),
]
Output = Annotated[
    Path | None,
    option("FILE", "Write what is made; .gz compresses, - is standard output.", "-o", "--output"),
]
Drop = Annotated[str | None, option("KINDS", "With -o: kinds of rows to leave out, a,b,c.")]
Keep = Annotated[
    str | None, option("KINDS", "With -o: kinds of rows to take although flawed, a,b,c.")
]
After = Annotated[float, option("HOURS", "With -o: start so long after the first submission.")]
Jobs = Annotated[
    int | None, option("J", "With -o: the first J jobs; all by default.", "-J", "--jobs")
]
Rules = Annotated[
    str,
    option("NAME", "With -o: objective, due dates and weights: sts (Filippini 2024) or jahani."),
]
Rigid = Annotated[
    bool,
    option(None, "With -o: jobs run on the recorded number of GPUs and no other.", "--rigid"),
]
At = Annotated[
    str | None,
    option(
        "TIME",
        "With -o: an instance, the jobs that wait or run then: hours from the first submission, or"
        " a date as the tables have.",
    ),
]
Seed = Annotated[int, option("S", "With -o: seed of what is invented.")]


def trace(
    files: Annotated[
        list[Path],
        argument("FILE", "Tables of one trace: plain, .gz, or in a .zip or .tar archive."),
    ],
    cluster: Cluster = None,
    gpus: Gpus = None,
    picture: Picture = None,
    output: Output = None,
    drop: Drop = None,
    keep: Keep = None,
    after: After = 0.0,
    jobs: Jobs = None,
    rules: Rules = "sts",
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
    rigid: Rigid = False,
    at: At = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """
    Report what is wrong in a public trace, or make a workload or an instance of it.

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
    are invented: docs/reference/traces.md.
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
            rigid=rigid,
            at=_moment(at),
            seed=seed,
        )
        nodes, stand_ins = _nodes(cluster), _stand_ins(gpus)
    with busy("reading the trace"):
        report = quality_report.inspect(open_trace(files), nodes=nodes, gpus=stand_ins)
    if picture is not None:
        trace_picture(report, picture)
    if output is not None:
        _write(report, options, output, as_json=as_json)
        return
    _print_report(report, as_json=as_json, picture=picture)


def import_(
    jobs_file: Annotated[
        Path, argument("JOBS.csv", "A line per job: CSV with a header, plain or .gz.")
    ],
    nodes_file: Annotated[
        Path | None, argument("NODES.csv", "A line per node, or per group of them.")
    ] = None,
    columns: Annotated[
        str,
        option(
            "LIST",
            "Columns by role, with a unit where it is not the first one named below, such as"
            " submit=when,gpus=n,duration=elapsed:min.",
        ),
    ] = "",
    cluster: Cluster = None,
    gpus: Gpus = None,
    picture: Picture = None,
    output: Output = None,
    drop: Drop = None,
    keep: Keep = None,
    after: After = 0.0,
    jobs: Jobs = None,
    rules: Rules = "sts",
    laws: Annotated[
        str,
        option("NAME", "With -o: distributions of the epochs: fixed, base, mild or strong."),
    ] = "fixed",
    rigid: Rigid = False,
    at: At = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """
    Report what is wrong in your own tables, or make a workload or an instance of them.

    \b
    Example:
      rsjs import jobs.csv nodes.csv --columns submit=when,gpus=n,duration=elapsed:min
      rsjs import jobs.csv --cluster V100:8:4 --rigid -o workload.json.gz
      rsjs import jobs.csv nodes.csv --at "2024-01-31 10:00:00" -o instance.json
      rsjs import jobs.csv nodes.csv --at 8 -o - | rsjs compare - --methods edf,greedy -o results

    \b
    Roles:
      gpus             number of GPUs (needed)
      duration         run time: s, ms, min, h, d (needed, or start and end)
      submit, start, end, due   dates, or numbers: s, ms, min, h, d
      id, gpu, application      job, GPU type, network of the catalogue
      share            of one GPU, in (0, 1], or percent
      memory           on each GPU: GB, MB, GiB, MiB
      weight           cost of one hour of tardiness, $
      node_gpus, node_gpu, node_count   of the list of nodes: size, type, number

    A column whose name is that of its role need not be named (in the list of nodes without node_).
    With --at, or without submit, it is an instance: the jobs that wait or run at that moment.
    A job without start waits until its end, if it has one.

    What was not recorded is imputed by rules that are printed, and kept in the file. While rows
    have a flaw that neither --drop nor --keep names, the report is printed, nothing is written, and
    the exit code is 1. More: docs/guides/data.md.
    """
    out.writable(picture and checked(picture))
    files = [jobs_file] if nodes_file is None else [jobs_file, nodes_file]
    out.writable(output, *files)
    with options_named():
        options = ConversionOptions(  # refused before the tables are read
            drop=_words(drop),
            keep=_words(keep),
            after=after,
            jobs=jobs,
            rules=rules,
            laws=laws,
            rigid=rigid,
            at=_moment(at),
            seed=seed,
        )
        nodes, stand_ins = _nodes(cluster), _stand_ins(gpus)
        with busy("reading the tables"):
            tables = open_tables(jobs_file, nodes_file, parse_columns(columns))
            report = inspect_tables(tables, nodes=nodes, gpus=stand_ins)
        options = options_of_own(report, options)
        unnamed = unnamed_kinds(report, options) if output is not None else []
    if picture is not None:
        trace_picture(report, picture)
    if output is None or unnamed:
        if unnamed:
            ways = {
                "--drop": [kind.name for kind in unnamed if not kind.whole],
                "--keep": [kind.name for kind in unnamed if kind.kept],
            }
            named = [f"{way} {','.join(kinds)}" for way, kinds in ways.items() if kinds]
            note = f"nothing is written: {' or '.join(named)}" if named else "nothing is written"
            print(f"rsjs: note: {note}", file=sys.stderr)
        _print_report(report, as_json=as_json, picture=picture, wrong=bool(unnamed))
        return
    _write(report, options, output, as_json=as_json)


def _moment(at: str | None) -> float | str | None:
    """Return a moment as hours, or as the date that it is."""
    try:
        return at if at is None else float(at)
    except ValueError:
        return at


def _words(text: str | None) -> tuple[str, ...]:
    """Return the words of an option, separated by commas."""
    return tuple(word.strip() for word in text.split(",")) if text else ()


def _nodes(cluster: str | None) -> list[TraceNodes] | None:
    return parse_nodes(cluster) if cluster is not None else None


def _stand_ins(gpus: str | None) -> dict[str, str]:
    """Return the GPU types of the catalogue that the user gave for others."""
    given = {}
    for word in _words(gpus):
        name, equals, gpu = word.partition("=")
        if not equals:
            raise InputError("/gpus", word, "NAME=GPU, such as H800=A100")
        given[name.strip()] = one_of("gpus", gpu.strip(), gpu_names())
    return given


def _write(
    report: QualityReport, options: ConversionOptions, output: Path, *, as_json: bool
) -> None:
    """Write the workload or instance; print it, the rows left out and the values imputed."""
    with busy("converting"), options_named():
        made, selection = converted(report, options)
        save(made, output)
    facts: dict[str, Any] = {"at": selection.at} if options.at is not None else {}
    facts |= {"dropped": selection.dropped, "not_wanted": selection.left}
    origin = made.generator["parameters"]
    rules = origin.get("imputed", {})  # of a user's own tables
    if rules:
        gone = ("ended_before_at", "submitted_after_at")
        facts |= {name: origin[name] for name in gone if name in origin and options.at is not None}
        facts |= {"rows": report.tally.rows, "remarks": report.remarks}
    if as_json:
        facts |= {"imputed": rules} if rules else {}
        out.print_made(made, output, as_json=True, **facts)
        return
    remarks = facts.pop("remarks", [])
    shown = {MEANING.get(key, key): value for key, value in facts.items() if value}
    out.print_made(made, output, as_json=False, **shown)
    if rules:
        title = f"Not recorded, and imputed with seed {options.seed}"
        out.print_table(title, ["what", "how"], [*rules.items()])
    for remark in remarks:
        print(f"odd: {remark}")


def _print_report(
    report: QualityReport, *, as_json: bool, picture: Path | None, wrong: bool = False
) -> None:
    """Print what is wrong, the load, and what looks odd; exit code 1 if something is wrong."""
    document = {**report.as_document(), "picture": picture}
    out.print_json(document) if as_json else _print_document(document)
    if report.has_errors or wrong:
        raise typer.Exit(1)


def _print_document(document: dict[str, Any]) -> None:
    """Print a report as text."""
    kinds, loads, gaps, remarks, _ = (document.pop(key) for key in TABLES)
    shown = {key: value for key, value in document.items() if value not in ({}, [], "")}
    out.print_values(shown, as_json=False)
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
