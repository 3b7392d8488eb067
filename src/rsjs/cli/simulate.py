"""`rsjs simulate`: a workload under one policy, or under several; a row per policy."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rsjs.cli.compare import STORE, compared, conclude, file_names
from rsjs.cli.options import Json, argument, option, options_named, requests
from rsjs.cli.progress import busy
from rsjs.core.call import Limits
from rsjs.core.errors import InputError, described
from rsjs.instances.check import TOLERANCE
from rsjs.reporting.references import references, referred
from rsjs.reporting.tables.comparison import BOUNDS, simulations
from rsjs.rows.select import is_reference, refuse_bounds_above_costs
from rsjs.runs.gap import gap
from rsjs.runs.kinds.base import kind
from rsjs.runs.kinds.simulation import REFERENCES
from rsjs.simulation import event_log, metrics
from rsjs.simulation.expectation import draws_of, mean, ratio
from rsjs.simulation.options import DENOMINATORS, KNOWN, WITHHELD, Options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rsjs.rows.columns import Row
    from rsjs.simulation.outcome import Outcome

DEFAULT = "queue:edf"
BOUND, LOG, GANTT = "bound.json.gz", ".jsonl.gz", ".gantt.png"
BOTH = "both"  # of `--epochs`
LONGEST = 1e7  # s, of a run: simulations are limited by decision


def simulate(
    file: Annotated[Path, argument("WORKLOAD", "Workload file, .json or .json.gz.")],
    output: Annotated[Path, option("DIR", "Folder for the results.", "-o", "--output")],
    policy: Annotated[str | None, option("METHOD", f"The policy, by default {DEFAULT}.")] = None,
    compare: Annotated[str | None, option("METHODS", "Several, with commas between them.")] = None,
    replay: Annotated[
        Path | None, option("LOG", "The decisions of a log, each checked, instead.")
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
    epochs: Annotated[
        str,
        option(
            "NAME",
            "What policies are told of the epochs that jobs run: withheld (their distribution),"
            " known, or both: costs with either, side by side.",
        ),
    ] = WITHHELD,
    deviation: Annotated[float, option("X", "Mean relative error of the predicted times.")] = 0.0,
    denominator: Annotated[
        str, option("NAME", "What errors are relative to: predicted or real.")
    ] = "predicted",
    decision_limit: Annotated[float, option("SECONDS", "Of each decision.")] = 60.0,
    redraw: Annotated[
        int | None, option("N", "Also simulate N times with the epochs of jobs drawn again.")
    ] = None,
    as_json: Json = False,
) -> None:
    """
    Run a workload under a policy: jobs arrive, and each solution of the policy is checked.

    \b
    Example:
      rsjs simulate workload.json --policy edf:paper --seed 3 -o results --json
      rsjs simulate workload.json --compare edf:paper,greedy:code,sts:fallback -o results
      rsjs simulate workload.json --replay results/edf_paper.jsonl.gz -o again

    A policy is specified as a method, see `rsjs list methods`, and runs in a process of its own,
    with a record in DIR/store: run the same command again to resume; `rsjs report DIR/store`
    reads it. DIR gets rows.csv, table.md, table.tex, events.json, a log and a Gantt chart for each
    policy, course.png: cost, queue and GPUs over time, and bound.json.gz: prices that prove the
    lower bound on the cost, for `rsjs_verify.py --bound`. The table has costs over the bound and
    over the best one known. --compare also gives costs over that of the first policy, two baselines
    and, where options make the times differ from those predicted, the predicted costs; --epochs
    both what each policy costs that is told how many epochs each job runs; --redraw mean costs over
    draws of these numbers, and a bound on the expected cost of every policy.
    """
    from rsjs.campaigns import records
    from rsjs.campaigns.store import Store
    from rsjs.instances.io.files import read_workload, write_packed
    from rsjs.instances.io.serialization import canonical_text
    from rsjs.reporting.figures.draw import write
    from rsjs.reporting.figures.simulation import course_figure, gantt_figure
    from rsjs.reporting.notebook import outcome_row
    from rsjs.simulation.policies.registry import deciders, served

    if sum(given is not None for given in (policy, compare, replay)) > 1:
        found = described("several of --policy, --compare and --replay")
        raise InputError("", found, "one of them")
    if replay is not None and epochs == BOTH:
        raise InputError("--epochs", epochs, "a policy: a log has decisions made with what it says")
    try:
        options = Options(
            energy=energy,
            boot=boot / 3600,
            checkpoint=checkpoint,
            events=events,
            period=period,
            epochs=WITHHELD if epochs == BOTH else epochs,
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
    workload, of_workload = read_workload(file), kind("workload")
    for name, text in (("--policy", policy), ("--compare", compare)):
        if text is not None and not text.strip(", "):
            raise InputError(name, text, f"policies, e.g. {DEFAULT}")
    named = "--policy" if compare is None else "--compare"
    asked = [] if replay else requests(compare or policy or DEFAULT, deciders(), named)
    with options_named("--redraw"):
        draws = [] if redraw is None else draws_of(workload, redraw)
    policies = (served(one, options.shown(workload)) for one in asked)
    chosen = [of_workload.request(one.spelling) for one in policies]
    replayed = None
    if replay is not None:
        try:
            replayed = event_log.replay(workload, event_log.read(replay))
        except InputError as error:
            raise error.at(replay) from None
    options = options if replayed is None else replayed.options
    baselines = "no" if compare is None else "yes"
    bounds = of_workload.request(f"{REFERENCES.name}?baselines={baselines}")
    allowed = Limits(time_limit=LONGEST, seed=options.seed)
    done = compared([(workload, [*chosen, bounds])], allowed, output, options.of_campaign())
    known: Any = next((row for row in done.rows if is_reference(row)), {})
    rows: list[Any] = [row for row in done.rows if not is_reference(row)]
    outcomes: list[Outcome] = []
    files: list[Path] = []
    if known:
        proof = records.read(Store(output / STORE).path(known["run_id"])).figures.get("certificate")
        if proof:
            files.append(output / BOUND)
            write_packed(canonical_text(proof).encode(), files[-1])
    spellings = [row["spelling"] for row in rows] + ([replayed.policy] if replayed else [])
    names = dict(zip(spellings, file_names(spellings), strict=True))
    for row in rows:
        record = Store(output / STORE).path(row["run_id"]) / of_workload.solution_file
        if record.is_file():  # else the worker process was terminated
            outcome = event_log.replay(workload, event_log.read(record), checker=False)
            outcomes.append(replace(outcome, policy=row["spelling"]))
            files.append(output / f"{names[row['spelling']]}{LOG}")
            shutil.copyfile(record, files[-1])
    if replayed is not None:
        outcomes.append(replayed)
        rows.append({**outcome_row(replayed), "best_bound": known.get("bound")})
        files.append(output / f"{names[replayed.policy]}{LOG}")
        event_log.write(replayed, files[-1])
    predicted, told = options.as_predicted(), replace(options, epochs=KNOWN)
    bounds = of_workload.request(f"{REFERENCES.name}?baselines=no")
    others: dict[str, list[Any]] = {}
    for name, pairs, other, remark in (
        (
            "predicted",
            [(workload, chosen)] if compare and predicted != options else [],
            predicted,
            "The same once more with times as predicted, for the costs predicted:",
        ),
        (
            "known",
            [(workload, chosen)] if epochs == BOTH else [],
            told,
            "The same once more with policies that are told W_j:",
        ),
        (
            "drawn",
            [(one, [*chosen, bounds]) for one in draws],
            options,
            "The same with W_j drawn again:",
        ),
    ):
        others[name] = []
        if pairs and not done.interrupted:
            again = compared(pairs, allowed, output, other.of_campaign(), remark)
            done = replace(done, interrupted=again.interrupted, left=again.left)
            others[name] = again.rows
    comparable: list[Any] = [*([known] if known else []), *rows, *others["known"]]
    refuse_bounds_above_costs(others["drawn"])
    refuse_bounds_above_costs(comparable)
    best = references(comparable)
    rows = referred(rows, best)
    shared = {name: known.get(name) for name in BOUNDS}
    reference = next(iter(best.values()), None)
    if reference is not None:
        shared["best_cost"] = reference.cost
        if (gap(reference.bound, known.get("workload_bound")) or 0.0) > TOLERANCE:
            shared["best_known_bound"] = reference.bound
    costs = {
        name: {row["spelling"]: row["objective"] for row in others[name]}
        for name in ("predicted", "known")
    }
    shared |= expected(others["drawn"])
    for row in rows:
        row |= shared | expected(others["drawn"], row.get("spelling"))
        row["over_bound"] = metrics.ratio(row["objective"], row["best_bound"])
        if epochs == BOTH:
            row["known_cost"] = costs["known"].get(row.get("spelling"))
            row["over_known"] = metrics.ratio(row["objective"], row["known_cost"])
        if compare:
            row |= metrics.metrics(row, rows[0])
            row["predicted_cost"] = costs["predicted"].get(row["spelling"])
            costs_of_row = row["objective"], row["predicted_cost"]
            for name in DENOMINATORS:
                row[f"deviation_of_{name}"] = metrics.deviation(*costs_of_row, name)
    with busy("drawing"):
        files += [
            write(gantt_figure(one), output / f"{names[one.policy]}{GANTT}") for one in outcomes
        ]
    conclude(
        replace(done, rows=rows),
        output,
        make=simulations,
        figures=lambda _: {"course": course_figure(outcomes)} if outcomes else {},
        files=files,
        facts={
            "workload": workload.name,
            "sha256": workload.digest,
            "options": options.as_dict(),
            "baseline": rows[0]["method"] if compare and rows else None,
            **shared,
        },
        as_json=as_json,
    )


def expected(drawn: Sequence[Row], spelling: str | None = None) -> dict[str, Any]:
    """
    Return the mean bound over draws of W_j, or a policy's mean cost, with 95 % intervals.

    Nothing is known of a policy that did not complete all of them.
    """
    bound = {row["instance_sha256"]: row["bound"] for row in drawn if is_reference(row)}
    bounds = [value for value in bound.values() if value is not None]
    if not bounds:
        return {}
    if spelling is None:
        found = mean(bounds)
        return {"expected_bound": found.value, "expected_half": found.half, "draws": len(bounds)}
    costs = [
        (cost, bound.get(row["instance_sha256"]))
        for row in drawn
        if row["spelling"] == spelling and (cost := row["objective"]) is not None
    ]
    pairs = [(cost, own) for cost, own in costs if own is not None]
    if len(pairs) < len(bounds):
        return {}
    over = ratio(*map(list, zip(*pairs, strict=True)))
    return {
        "mean_cost": mean([cost for cost, _ in pairs]).value,
        "over_expected": over.value,
        "over_expected_half": over.half,
    }
