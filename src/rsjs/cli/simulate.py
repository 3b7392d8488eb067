"""`rsjs simulate`: a workload under one policy, or under several; a row per policy."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rsjs.cli import INTERRUPTED
from rsjs.cli.compare import STORE, file_name, print_interrupted, watching
from rsjs.cli.options import Json, argument, option, options_named, requests
from rsjs.cli.output import number, percent, print_json, show_table, writable
from rsjs.cli.progress import Screen, busy
from rsjs.core.call import Limits
from rsjs.core.errors import InputError, described
from rsjs.reporting.tables import formats
from rsjs.reporting.tables.table import Column, Table
from rsjs.simulation import event_log
from rsjs.simulation.metrics import CROWDED, crowded, deviation, metrics, over_bound
from rsjs.simulation.options import DENOMINATORS, Options
from rsjs.simulation.outcome import Outcome

if TYPE_CHECKING:
    from rsjs.comparison import Comparison
    from rsjs.instances.instance import Workload
    from rsjs.methods import Request

DEFAULT = "queue:edf"
REFERENCES = "references"  # stands for a policy whose run gives bounds and baselines
LOG, GANTT = ".jsonl.gz", ".gantt.png"
KNOWN = (  # columns of its row
    *("capacity_free_bound", "bucket_bound", "bucket_hours"),
    *("clairvoyant_greedy", "infinite_cluster"),
)
LONGEST = 1e7  # s, of a run: simulations are limited by decision
MARK = "*"  # beside a ratio to a bound that says little


def simulate(
    file: Annotated[Path, argument("WORKLOAD", "Workload file, .json or .json.gz.")],
    output: Annotated[Path, option("DIR", "Folder for the results.", "-o", "--output")],
    policy: Annotated[
        str | None, option("METHOD", f"A method that decides, by default {DEFAULT}.")
    ] = None,
    compare: Annotated[str | None, option("METHODS", "Several, with commas between them.")] = None,
    replay: Annotated[
        Path | None, option("LOG", "The decisions of a log, each checked, instead.")
    ] = None,
    bucket: Annotated[
        float | None,
        option(
            "HOURS",
            "Also the bound that counts GPUs, in buckets of so many hours: above the other one"
            " where jobs queue.",
        ),
    ] = None,
    seed: Annotated[int, option("N", "Seed of methods and errors.")] = 0,
    energy: Annotated[
        str,
        option(
            "NAME",
            "Price of a node in use: curve (the file's), gpu (GPUs in use), node (all of it), or"
            " base:B (a share B, the rest by GPU).",
        ),
    ] = "curve",
    boot: Annotated[
        float, option("SECONDS", "Start-up delay of a node that is switched on or changes type.")
    ] = 0.0,
    checkpoint: Annotated[
        str, option("NAME", "What an interrupted job keeps: continuous, or epoch.")
    ] = "continuous",
    events: Annotated[
        str,
        option("NAME", "gathered, or authors: one submission per decision, as in GPUScheduler."),
    ] = "gathered",
    period: Annotated[
        float | None, option("HOURS", "A decision at the latest so long after the last one.")
    ] = None,
    deviation: Annotated[float, option("X", "Mean relative error of the predicted times.")] = 0.0,
    denominator: Annotated[
        str, option("NAME", "What errors are relative to: predicted or real.")
    ] = "predicted",
    decision_limit: Annotated[float, option("SECONDS", "Of each decision.")] = 60.0,
    as_json: Json = False,
) -> None:
    """
    Run a workload under a policy: jobs arrive, the policy decides, every decision is checked.

    \b
    Example:
      rsjs simulate workload.json --policy edf:paper --seed 3 -o results --json
      rsjs simulate workload.json --compare edf:paper,greedy:code,sts:fallback -o results
      rsjs simulate workload.json --replay results/edf_paper.jsonl.gz -o again

    A policy is specified as a method, see `rsjs list methods`, and runs in a process of its own,
    with a record in DIR/store: run the same command again to resume; `rsjs report DIR/store`
    reads it. DIR gets totals.json, a log of events and a Gantt chart for each policy, and
    course.png: cost, queue and GPUs over time. --compare also gives costs over that of the first
    policy, two baselines and, where options make the times differ from those predicted, the
    predicted costs.
    """
    from rsjs.instances.io.files import read_workload
    from rsjs.simulation.bounds import edges, modes

    if sum(given is not None for given in (policy, compare, replay)) > 1:
        found = described("several of --policy, --compare and --replay")
        raise InputError("", found, "one of them")
    try:
        options = Options(
            energy=energy,
            boot=boot / 3600,
            checkpoint=checkpoint,
            events=events,
            period=period,
            deviation=deviation,
            denominator=denominator,
            decision_limit=decision_limit,
            seed=seed,
        )
    except InputError as error:
        if error.pointer == "/boot":
            raise InputError("--boot", boot, "seconds >= 0") from None
        with options_named():
            raise
    workload = read_workload(file)
    for given, named in (("--policy", policy), ("--compare", compare)):
        if named is not None and not named.strip(", "):
            raise InputError(given, named, f"policies, e.g. {DEFAULT}")
    chosen = [] if replay else _policies(compare or policy or DEFAULT, workload)
    replayed = None if replay is None else event_log.replay(workload, event_log.read(replay))
    options = options if replayed is None else replayed.options
    if bucket is not None and not 0 < bucket < inf:
        raise InputError("--bucket", bucket, "hours > 0")
    if bucket is not None:
        try:
            edges(workload, modes(workload, options), bucket)
        except InputError as error:
            raise InputError("--bucket", error.value, error.expected) from None
    writable(output, folder=True)
    with Screen() as screen:
        wanted = f"bucket_hours={bucket or 0.0},baselines={'no' if compare is None else 'yes'}"
        made = _campaign(workload, [*chosen, f"{REFERENCES}?{wanted}"], options, output, screen)
        predicted = options.as_predicted()
        before = None
        if compare and predicted != options and not made.interrupted:
            before = _campaign(workload, chosen, predicted, output, screen)
    with busy("replaying logs and drawing"):
        document = _written(
            workload, options, made, before, replayed, output, compare=bool(compare)
        )
    if as_json:
        print_json({**document, "folder": output})
    elif document["runs"]:
        show_table(_table(document))
        files = f"totals.json, course.png, logs ({LOG}), Gantt charts, {STORE}/"
        print("\n".join(["", *_notes(document), f"Written to {output}: {files}"]))
    for campaign in filter(None, (made, before)):
        if campaign.interrupted:
            if not as_json:
                print_interrupted(campaign)
            raise typer.Exit(INTERRUPTED)
    raise typer.Exit(0 if all(run["status"] == "complete" for run in document["runs"]) else 1)


def _policies(text: str, workload: Workload) -> list[str]:
    """Return the policies in a list, each once; InputError for one that cannot decide here."""
    from rsjs.simulation.policies.registry import deciders, served

    chosen: list[Request] = requests(text, deciders())
    return [served(one, workload.submitted()).spelling for one in chosen]


def _campaign(
    workload: Workload, names: Sequence[str], options: Options, folder: Path, screen: Screen
) -> Comparison:
    """Run policies, each in a process of its own, unless the store in the folder has the run."""
    from rsjs.comparison import compare_pairs
    from rsjs.runs.kinds.base import kind

    return compare_pairs(
        [(workload, [kind("workload").request(name) for name in names])],
        Limits(time_limit=LONGEST, seed=options.seed),
        store=folder / STORE,
        options=options.as_text(),
        watch=watching(screen, folder / STORE),
    )


def _written(
    workload: Workload,
    options: Options,
    made: Comparison,
    before: Comparison | None,
    replayed: Outcome | None,
    folder: Path,
    *,
    compare: bool,
) -> dict[str, Any]:
    """Write logs, pictures and totals.json; return what that holds."""
    from rsjs.campaigns.store import Store
    from rsjs.instances.io.files import write_bytes
    from rsjs.reporting.figures.simulation import cluster_course, job_gantt
    from rsjs.runs.kinds.base import kind

    store = Store(folder / STORE)
    runs: list[dict[str, Any]] = []
    outcomes: list[Outcome] = []
    known: dict[str, Any] = dict.fromkeys(KNOWN)
    for name, row in {row["spelling"]: row for row in made.rows}.items():
        if name.startswith(REFERENCES):
            known = {key: row.get(key) for key in known}
            continue
        record = store.path(row["run_id"]) / kind("workload").solution_file
        run: dict[str, Any] = {"policy": name, "status": "error", "message": row["message"]}
        seconds = {"median": row["decision_median_s"], "most": row["decision_most_s"]}
        run |= {"log": None, "seconds_per_decision": {**seconds, "total": row["policy_s"]}}
        if record.is_file():  # else the worker process was terminated
            found = event_log.replay(workload, event_log.read(record), checker=False)
            outcomes.append(replace(found, policy=name))
            run |= {**outcomes[-1].as_dict(), "log": f"{file_name(name)}{LOG}"}
            shutil.copyfile(record, folder / run["log"])
        runs.append(run)
    if replayed is not None:
        outcomes.append(replayed)
        run = {**replayed.as_dict(), "log": f"{file_name(replayed.policy)}{LOG}"}
        runs.append({**run, "seconds_per_decision": replayed.seconds_as_dict()})
        event_log.write(replayed, folder / run["log"])
    bound = max(known["capacity_free_bound"] or 0.0, known["bucket_bound"] or 0.0)
    costs = {row["spelling"]: row["objective"] for row in before.rows} if before else {}
    for run in runs:
        run |= {"over_bound": over_bound(run, bound), "crowded": crowded(run)}
        if compare:
            predicted = costs.get(run["policy"])
            run |= {**metrics(run, runs[0]), "predicted_cost": predicted}
            known_both = predicted is not None and "cost" in run
            for name in DENOMINATORS:
                off = deviation(run["cost"], predicted or 0.0, name) if known_both else None
                run[f"deviation_of_{name}"] = off
    document = {
        "workload": workload.name,
        "sha256": workload.digest,
        "options": options.as_dict(),
        **known,
        "baseline": runs[0]["policy"] if compare and runs else None,
        "runs": runs,
    }
    write_bytes(json.dumps(document, indent=1, ensure_ascii=False).encode(), folder / "totals.json")
    for outcome in outcomes:
        job_gantt(outcome, folder / f"{file_name(outcome.policy)}{GANTT}")
    if outcomes:
        cluster_course(outcomes, folder / "course.png")
    return document


COLUMNS = (
    Column("policy", "policy"),
    Column("cost", "cost", formats.cost, unit="$"),
    Column("energy", "energy", formats.cost),
    Column("tardiness", "tardiness", formats.cost, rank=2),
    Column("over_bound", "/ bound", align="right"),
    Column("cost_ratio", "ratio", formats.term, rank=1),
    Column("cost_reduction", "PCR", percent, rank=1),
    Column("late", "late", align="right"),
    Column("utilisation", "in use", percent),
    Column("makespan", "makespan", formats.term, unit="h", rank=3),
    Column("decisions", "decisions", formats.count, rank=4),
    Column("ms", "ms each", lambda ms: number(ms, 2), rank=5),
)


def _table(document: Mapping[str, Any]) -> Table:
    rows = []
    for run in document["runs"]:
        seconds = run["seconds_per_decision"]["median"]
        told = {
            "over_bound": f"{number(run['over_bound'], 4)}{MARK if run['crowded'] else ''}",
            "late": f"{run['late']}/{run['jobs']}" if "late" in run else "",
            "ms": None if seconds is None else 1000 * seconds,
        }
        rows.append({**run, **told})
    return Table(name="simulations", title=document["workload"], columns=COLUMNS, rows=rows)


def _notes(document: Mapping[str, Any]) -> list[str]:
    """Return what the table leaves unsaid: bounds, baselines, predictions, failures."""
    runs, lines = document["runs"], []
    if document["capacity_free_bound"] is not None:  # else Ctrl-C came before
        free = number(document["capacity_free_bound"])
        lines.append(f"bound: {free} $, every job alone on an infinite cluster, W_j known")
    if document["bucket_bound"] is not None:
        value, hours = number(document["bucket_bound"]), number(document["bucket_hours"])
        lines.append(f"bound: {value} $, GPUs counted in buckets of {hours} h, W_j known")
    if any(run["crowded"] for run in runs):
        told = f"Above {CROWDED:.0%} of the GPUs in use bounds are far below what any policy can"
        lines.append(f"{MARK} {told} reach.")
    if document["baseline"] is not None:
        baseline = document["baseline"]
        lines.append(f"ratio, PCR: cost over that of {baseline}, and by how much it is less")
    if document["infinite_cluster"] is not None:
        greedy, alone = map(number, (document["clairvoyant_greedy"], document["infinite_cluster"]))
        lines.append(
            f"no bounds: {greedy} $, greedy with W_j known;"
            f" {alone} $, optimal profiles on an infinite cluster"
        )
    for run in runs:
        if (predicted := run.get("predicted_cost")) is not None:
            of = zip(DENOMINATORS, ("prediction", "real cost"), strict=True)
            shares = (f"{percent(run[f'deviation_of_{key}'])} of the {name}" for key, name in of)
            told = f"{run['policy']}: {number(predicted)} $ predicted, {number(run['cost'])} $"
            lines.append(f"{told}: {', '.join(shares)}")
    failed = (run for run in runs if run["status"] != "complete")
    return [*lines, *(f"Not complete: {run['message']}" for run in failed)]
