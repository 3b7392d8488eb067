"""A small trace of every format: the same four jobs, as far as the format can tell them."""

import json
from collections.abc import Mapping

import pytest

from rsjs.instances.traces.registry import open_trace

# Submission, start, end [s], GPUs, state (0 = completed, 1 = failed).
JOBS = (
    (0, 0, 3600, 1, 0),
    (100, 160, 8800, 4, 1),
    (7200, 7200, 7300, 2, 0),
    (7200, 9000, 99000, 1, 0),
)
START = "2020-06-09 18:41:01"
_OPENB = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
_HELIOS = "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,"
_SPOT = "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,"


def date(seconds):
    """Seconds after the start as the text of a date."""
    import numpy as np

    moment = np.datetime64(START.replace(" ", "T")) + np.timedelta64(int(seconds), "s")
    return str(moment).replace("T", " ")


def _openb():
    lines = [f"{_OPENB}deletion_time,scheduled_time"]
    specs = ("", "V100M16|V100M32", "T4", "P100")
    for i, (submit, start, end, gpus, state) in enumerate(JOBS):
        milli = 250 if i == 3 else 1000
        phase = ("Succeeded", "Failed")[state]
        lines.append(
            f"pod-{i},1000,1000,{gpus},{milli},{specs[i]},LS,{phase},{submit},{end},{start}"
        )
    nodes = ("sn,cpu_milli,memory_mib,gpu,model", "a,1,1,8,V100M16", "b,1,1,8,V100M32")
    nodes += ("c,1,1,4,T4", "d,1,1,2,P100", "e,1,1,0,")
    return {"pods.csv": "\n".join(lines) + "\n", "nodes.csv": "\n".join(nodes) + "\n"}


def _pai():
    jobs, tasks = [], []
    models = ("V100", "T4", "P100", "MISC")
    for i, (submit, start, end, gpus, state) in enumerate(JOBS):
        status = ("Terminated", "Failed")[state]
        jobs.append(f"job{i},inst{i},user,{status},{submit}.0,{end + 7}.0")
        plan = 25.0 if i == 3 else 100.0
        tasks.append(
            f"job{i},worker,{gpus}.0,{status},{start}.0,{end}.0,600.0,29.3,{plan},{models[i]}"
        )
    tasks.append("job1,ps,2.0,Failed,170.0,8000.0,600.0,29.3,,CPU")
    spec = "m1,V100,96,512,8\nm2,T4,96,512,4\nm3,P100,64,512,2\nm4,MISC,64,512,8\nm5,CPU,64,512,0\n"
    texts = {"job.csv": "\n".join(jobs) + "\n", "task.csv": "\n".join(tasks) + "\n"}
    return {**texts, "spec.csv": spec}


def _spot():
    models = ("A10", "A100-SXM4-80GB", "A10", "A100-SXM4-80GB")
    lines = [f"{_SPOT}duration,job_type"]
    for i, (submit, start, end, gpus, _) in enumerate(JOBS):
        each, workers = (2, 2) if gpus == 4 else (gpus, 1)
        lines.append(f"{900 + i},13,{models[i]},20,{each},{workers},{submit},{end - start},HP")
    nodes = "node_name,gpu_model,gpu_capacity_num,cpu_num\n0,A10,4,128\n1,A100-SXM4-80GB,8,128\n"
    return {"job_info_df.csv": "\n".join(lines) + "\n", "node_info_df.csv": nodes}


def _philly():
    found = []
    for i, (submit, start, end, gpus, state) in enumerate(JOBS):
        on = [{"ip": "m1", "gpus": [f"gpu{g}" for g in range(gpus)]}]
        middle = (start + end) // 2
        parts = [(start, middle), (middle, end)] if i == 3 else [(start, end)]
        attempts = [{"start_time": date(a), "end_time": date(b), "detail": on} for a, b in parts]
        found.append(
            {
                "status": ("Pass", "Failed")[state],
                "vc": "ee9e8c",
                "jobid": f"application_{i}",
                "attempts": attempts,
                "submitted_time": date(submit),
                "user": "ce2f4c",
            }
        )
    machines = "machineId, number of GPUs, single GPU mem\nm1,8, 24GB\nm2,2, 12GB\n"
    return {"cluster_job_log": json.dumps(found, indent=4), "cluster_machine_list": machines}


def _helios():
    lines = [f"{_HELIOS}duration,queue"]
    for i, (submit, start, end, gpus, state) in enumerate(JOBS):
        name = ("COMPLETED", "FAILED")[state]
        dates = ",".join(map(date, (submit, start, end)))
        lines.append(f"{7000 + i},u,vc,{gpus},4,1,{name},{dates},{end - start},{start - submit}")
    return {"cluster_log.csv": "\n".join(lines) + "\n"}


def _gavel():
    types = ("ResNet-50 (batch size 64)", "LM (batch size 5)", "A3C", "ResNet-50 (batch size 16)")
    lines, rates = [], {}
    for name, (submit, start, end, gpus, _) in zip(types, JOBS, strict=True):
        steps = 4 * (end - start)
        rates[f"('{name}', {gpus})"] = {"null": 4.0, "('A3C', 1)": [1.0, 1.0]}
        lines.append(
            f"{name}\tcd %s && python3 x.py\t--num_steps\t1\t{steps}\t{submit}.000000\t{gpus}"
        )
    document = {"k80": rates, "v100": rates}
    return {"a.trace": "\n".join(lines) + "\n", "throughputs.json": json.dumps(document, indent=1)}


TEXTS: Mapping[str, dict[str, str]] = {
    "openb": _openb(),
    "pai": _pai(),
    "spot": _spot(),
    "philly": _philly(),
    "helios": _helios(),
    "gavel": _gavel(),
}


@pytest.fixture(scope="session")
def texts():
    """Format -> file -> text."""
    return TEXTS


@pytest.fixture(params=TEXTS)
def format_name(request):
    """Every format, one after the other."""
    return str(request.param)


@pytest.fixture
def write(tmp_path):
    """
    Write the small trace of a format, and return its files.

    `change` maps a file to (old, new): text that is replaced once.
    """

    def written(name, change=None):
        for file, text in TEXTS[name].items():
            old, new = (change or {}).get(file, ("", ""))
            assert old in text
            (tmp_path / file).write_text(text.replace(old, new, 1) if old else text)
        return [tmp_path / file for file in TEXTS[name]]

    return written


@pytest.fixture
def opened(write):
    """The same, opened."""

    def made(name, change=None):
        return open_trace(write(name, change))

    return made
