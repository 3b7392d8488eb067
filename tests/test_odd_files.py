"""Shapes of files that a structure-aware fuzzer found to end in a traceback, for every reader."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rsjs.bks.storage import read_family
from rsjs.campaigns import records, spec, store
from rsjs.core.errors import InputError
from rsjs.instances.generators import jahani
from rsjs.instances.io import files
from rsjs.instances.io.serialization import of_instance
from rsjs.instances.mig.konopa import files as published
from rsjs.instances.mig.scheduling import objective as schedule_objective
from rsjs.instances.mig.scheduling import problem as scheduling
from rsjs.instances.traces.quality_report import inspect
from rsjs.instances.traces.registry import open_trace
from rsjs.reporting.statistics.tidy import read_stored
from rsjs.simulation import event_log

DIGITS = "1" + 5000 * "0"
DEEP = "[" * 3000
NODES = "sn,cpu_milli,memory_mib,model\na,1,1,T4\n"
PODS = (
    "name,num_gpu,gpu_milli,gpu_spec,pod_phase,creation_time,deletion_time,scheduled_time\n"
    "p,1,1000,,Succeeded,0,9,0\n"
)
CAMPAIGN = """format = "rsjs-campaign/1"
name = "odd"
shows = "x"
timing = "shared"
{top}
[limits]
{limits}
[environments]
{environments}
[[instances]]
files = ["{files}"]
[[methods]]
run = ["greedy"]
"""


def instance(change):
    found = of_instance(jahani.generate(nodes=1, jobs=2, seed=1))
    change(found)
    return json.dumps(found)


def nested(levels):
    found: Any = {}
    for _ in range(levels):
        found = {"a": found}
    return found


def campaign(**parts):
    usual = {"top": "", "limits": "time_s = 1", "environments": "", "files": "*.json"}
    return CAMPAIGN.format(**usual | parts)


def problem(change):
    objective = schedule_objective.parse_objective("makespan")
    found = scheduling.paper_problem(published.published_jobs(), "A", objective, (40_000,))
    return json.dumps(scheduling.of_problem(found) | change)


def events(folder):
    head = "instance,instance_sha256,method,stop,status,time_limit,seed"
    (folder / "rows.csv").write_text(f"{head}\ni,0,m,optimal,no_solution,1,0\n")
    return read_stored(folder)


def trace(folder):
    (folder / "pods.csv").write_text(PODS)
    return inspect(open_trace([folder / "pods.csv", folder / "nodes.csv"]))


FILES, DRAWN = 'files = ["*.json"]', "generator = 'sts'\n"
READERS: dict[str, Callable[[Path], Any]] = {  # file -> what reads it in its folder
    "i.json": lambda folder: files.read_any(folder / "i.json"),
    "c.toml": lambda folder: spec.read(folder / "c.toml"),
    "plan.json": lambda folder: store.read_document(folder, "plan"),
    "jahani.jsonl": lambda folder: read_family(folder / "jahani.jsonl"),
    "index.json": lambda folder: store.read_index(folder / "index.json"),
    "SHA256SUMS": lambda folder: records.sound(folder),
    "events.jsonl": lambda folder: records._events(folder / "events.jsonl"),
    "events.json": events,
    "log.jsonl.gz": lambda folder: event_log.read(folder / "log.jsonl.gz"),
    "p.json": lambda folder: scheduling.read_problem(folder / "p.json"),
    "nodes.csv": trace,
}
SHAPES = [
    ("i.json", instance(lambda i: i["jobs"][0]["hours_per_epoch"].update({"": "x"})), "epoch/: f"),
    ("i.json", instance(lambda i: i.update({"": {"": 1}})), "/: found unknown key ''"),
    ("i.json", instance(lambda i: i.update(generator=nested(300))), "nested too deeply"),
    ("c.toml", campaign(top="permute = 1"), "/permute: found 1, expected true or false"),
    ("c.toml", campaign(top="jobs = 1979-05-27"), "/jobs: found 1979-05-27"),
    ("c.toml", campaign(limits="time_s = inf"), "/limits/time_s: found inf"),
    ("c.toml", campaign(top=f"jobs = {DIGITS}"), "expected a TOML document"),
    ("c.toml", campaign(top=f"seeds = {DEEP}"), "brackets nested too deeply"),
    (
        "c.toml",
        campaign().replace(FILES, f"{DRAWN}sizes = ['1x{DIGITS}']"),
        "nodes x jobs, e.g. 10x",
    ),
    ("c.toml", campaign(environments='x = "~nosuch/python"'), "/environments/x: found '~nosuch"),
    ("c.toml", campaign(files="~nosuch/*.json"), "/instances/0/files/0: found '~nosuch"),
    ("plan.json", DEEP, "brackets nested too deeply"),
    ("plan.json", '{"format": "rsjs-plan/1", "\\ud800": 1}', "lone surrogates"),
    ("jahani.jsonl", DEEP, "brackets nested too deeply"),
    ("index.json", '{"drawn": {}}', "no key 'permuted'"),
    ("SHA256SUMS", "0  a\0b\n", "found embedded null byte, expected a whole record"),
    ("events.jsonl", '{"seconds": 1}\n[', "line 2: found Expecting value"),
    ("events.json", "[1]", "/0: found 1, expected an object"),
    ("events.json", '{"a": 1}', "found an object of 1, expected an array"),
    ("events.json", '[{"instance_sha256": "0", "method": "m"}]', "/0: found no key 'events'"),
    ("log.jsonl.gz", gzip.compress(b"{}\n[1]\n"), "line 2: found [1], expected one JSON object"),
    ("log.jsonl.gz", gzip.compress(b"{}")[:10] + b"\xff" * 9, "damaged gzip data"),
    ("p.json", problem({"objective": [{}]}), "/objective/0: found an object of 0, expected at lea"),
    ("nodes.csv", NODES, "nodes.csv: /1: found column 'gpu' 0 times"),
]


@pytest.mark.parametrize(("name", "content", "told"), SHAPES, ids=[told for *_, told in SHAPES])
def test_an_odd_file_is_refused_in_one_line(name, content, told, tmp_path):
    data = content if isinstance(content, bytes) else content.encode()
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError) as caught:
        READERS[name](tmp_path)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path}")
    assert told in message
    assert message.isprintable()
