"""`rsjs snapshots`: decisions of a simulation as instances."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from rsjs.cli import output as out
from rsjs.cli.compare import file_name
from rsjs.cli.options import Json, argument, option, options_named
from rsjs.cli.progress import busy
from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import read_workload, write_instance
from rsjs.instances.traces.registry import format_of
from rsjs.instances.transform import rigid as rigid_jobs
from rsjs.simulation import event_log
from rsjs.simulation.engine import simulate
from rsjs.simulation.policies.registry import policy as policy_of
from rsjs.simulation.policy import Status
from rsjs.simulation.snapshots import Moments, use
from rsjs.simulation.snapshots import snapshots as taken

DEFAULT = "queue:greedy"
LONGEST = 200  # letters of the name of a file
EXPECTED = "hours such as 8,24, number=N, or use=SHARE,SHARE,..."


def snapshots(
    file: Annotated[Path, argument("WORKLOAD", "Workload file, .json or .json.gz; - reads input.")],
    at: Annotated[
        str,
        option(
            "MOMENTS",
            "Decisions to take: hours 8,24,... (the nearest ones); number=N (evenly spread); or"
            " use=0.4,0.6,... (shares of the GPUs in use; of several equally near the one with the"
            " most jobs).",
        ),
    ],
    output: Annotated[Path, option("DIR", "Folder for the instances.", "-o", "--output")],
    policy: Annotated[
        str | None, option("METHOD", f"The method that decides, by default {DEFAULT}.")
    ] = None,
    replay: Annotated[
        Path | None, option("LOG", "Take them from a log of `rsjs simulate` instead.")
    ] = None,
    rigid: Annotated[
        bool,
        option(
            None,
            "First make each job run on one number of GPUs: a power of two that it admits, drawn.",
            "--rigid",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """
    Take decisions out of a simulation as instances: jobs that run, and jobs that wait.

    \b
    Example:
      rsjs snapshots workload.json.gz --at use=0.4,0.6,0.8,0.95 -o points
      rsjs snapshots workload.json.gz --policy sts:fallback --at number=50 -o points
      rsjs snapshots workload.json.gz --replay results/edf.jsonl.gz --at 24,48 -o points
      rsjs trace cluster_log.csv --cluster V100:8:100 -J 1000 --drop no-gpu \\
          --keep failed,killed --rigid -o - | rsjs snapshots - --at number=20 -o points

    Each is written to DIR/<name>.json.gz, with its `current` placement and the epochs that its jobs
    have done; `generator` names workload, policy and decision. Other instances in DIR stay, and are
    counted. A log that does not replay is refused with its first line that differs. Guide:
    docs/guides/points.md.
    """
    out.writable(output, folder=True)
    if policy is not None and replay is not None:
        raise InputError("", described("both --policy and --replay"), "one of them")
    moments = parse(at)
    workload = read_workload(file)
    if rigid:
        workload = rigid_jobs(workload)
    if replay is None:
        with options_named("--policy"):
            chosen = policy_of(policy or DEFAULT, workload)
        with busy("simulating"):
            outcome = simulate(workload, chosen)
        if outcome.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        log = event_log.of(outcome)
    else:
        log = event_log.read(replay)
    with busy("taking snapshots"):
        try:
            made = taken(workload, log, moments)
        except InputError as error:
            if error.pointer in ("/at", "/hours", "/use"):
                raise InputError("--at", error.value, error.expected) from None
            raise error.at(replay or file) from None
    rows: list[dict[str, Any]] = []
    for instance in made:
        # of a long name the end, which tells the decision
        named = f"{file_name(instance.name[-LONGEST:])}.json.gz"
        write_instance(instance, output / named)
        current = instance.current
        assert current is not None
        rows.append(
            {
                "file": named,
                "sha256": instance.digest,
                "decision": instance.generator["parameters"]["decision"],
                "hour": instance.now,
                "use": use(instance.cluster, current),
                "jobs": len(instance.jobs),
                "waiting": int((current.job_node < 0).sum()),
            }
        )
    others = {path.name for path in output.glob("*.json.gz")} - {row["file"] for row in rows}
    facts = {"folder": output, "workload": workload.name, "policy": log.run["policy"]}
    if others:
        facts["files of before"] = len(others)
    if (trace := format_of(workload.generator)) is not None:
        facts["licence"] = trace.licence or f"none stated by {trace.title}: not to be handed on"
    if as_json:
        out.print_json({**facts, "snapshots": rows})
        return
    out.print_values({**facts, "files": len(rows)}, as_json=False)
    headings = (">decision", ">hour", ">GPUs in use", ">jobs", ">waiting", "file")
    cells = [
        (
            row["decision"],
            row["hour"],
            out.percent(row["use"]),
            row["jobs"],
            row["waiting"],
            row["file"],
        )
        for row in rows
    ]
    out.print_table("Decision points", headings, cells)


def parse(text: str) -> Moments:
    """Return the moments that `--at` tells; InputError for any other text."""
    key, values = text.split("=", 1) if "=" in text else ("hours", text)
    try:
        if key == "number":
            return Moments(number=int(values))
        numbers = [float(word) for word in values.split(",")]
        if key == "hours":
            return Moments(hours=numbers)
        if key == "use":
            return Moments(use=numbers)
    except InputError as error:
        raise InputError("--at", error.value, error.expected) from None
    except ValueError:
        pass
    raise InputError("--at", text, EXPECTED)
