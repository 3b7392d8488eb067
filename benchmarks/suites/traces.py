"""Traces: rows read and reported per second, and the memory that a large file takes."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from rsjs.instances.traces.convert import ConversionOptions, convert
from rsjs.instances.traces.imputation import parse_nodes
from rsjs.instances.traces.quality_report import inspect
from rsjs.instances.traces.registry import open_trace

MEGABYTES = 100
_GPUS = (1, 1, 1, 2, 4, 8)


def _clock(seconds: int) -> str:
    day, second = divmod(seconds, 86400)
    month, day = divmod(day, 28)
    hour, second = divmod(second, 3600)
    return (
        f"2020-{month % 12 + 1:02d}-{day + 1:02d} {hour:02d}:{second // 60:02d}:{second % 60:02d}"
    )


def _helios() -> Iterator[str]:
    yield "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,"
    yield "duration,queue\n"
    i = 0
    while True:
        submit, run = 2 * i % 20_000_000, 60 + i * 7919 % 80_000
        dates = f"{_clock(submit)},{_clock(submit)},{_clock(submit + run)}"
        yield f"{1425511 + i},u{i % 997},vc{i % 31},{_GPUS[i % 6]},4,1,COMPLETED,{dates},{run},0\n"
        i += 1


def _openb() -> Iterator[str]:
    yield "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
    yield "deletion_time,scheduled_time\n"
    i = 0
    while True:
        submit, run = 2 * i, 60 + i * 7919 % 80_000
        head = f"openb-pod-{i:07d},12000,16384,{_GPUS[i % 6]},1000,,LS,Succeeded"
        yield f"{head},{submit},{submit + run},{submit + 1}\n"
        i += 1


def _spot() -> Iterator[str]:
    yield "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,"
    yield "duration,job_type\n"
    i = 0
    while True:
        yield f"{i},{i % 119},A10,20,{_GPUS[i % 6]},1,{2 * i},{60 + i * 7919 % 80_000},HP\n"
        i += 1


def _philly() -> Iterator[str]:
    yield "["
    i = 0
    while True:
        submit, run = 2 * i % 20_000_000, 60 + i * 7919 % 80_000
        detail = [{"ip": f"m{i % 400}", "gpus": [f"gpu{g}" for g in range(_GPUS[i % 6])]}]
        dates = {"start_time": _clock(submit), "end_time": _clock(submit + run)}
        job = {
            "status": "Pass",
            "vc": "ee9e8c",
            "jobid": f"application_{i}",
            "attempts": [{**dates, "detail": detail}],
            "submitted_time": _clock(submit),
            "user": f"u{i % 997}",
        }
        yield json.dumps(job, indent=4) + ",\n"
        i += 1


def _pai_job() -> Iterator[str]:
    i = 0
    while True:
        submit, run = 2 * i, 60 + i * 7919 % 80_000
        yield f"{_pai_name(i)},{_pai_name(~i)},u{i % 997},Terminated,{submit}.0,{submit + run}.0\n"
        i += 1


def _pai_task() -> Iterator[str]:
    """The tasks of a job, two for every second one."""
    i = 0
    while True:
        submit, run = 2 * i, 60 + i * 7919 % 80_000
        times = f"Terminated,{submit + 1}.0,{submit + run}.0,600.0,29.296875"
        other = f"{_pai_name(i)},ps,1.0,{times},,CPU\n" if i % 2 else ""
        yield f"{other}{_pai_name(i)},worker,{_GPUS[i % 6]}.0,{times},100.0,V100\n"
        i += 1


def _pai_name(i: int) -> str:
    """24 hexadecimal digits."""
    return f"{i * 0x9E3779B97F4A7C15F39CC061 % (1 << 96):024x}"


TABLES: dict[str, tuple[Callable[[], Iterator[str]], ...]] = {
    "helios": (_helios,),
    "openb": (_openb,),
    "pai": (_pai_job, _pai_task),
    "spot": (_spot,),
    "philly": (_philly,),
}


def written(name: str, megabytes: int, folder: Path) -> list[Path]:
    """The files of a trace of a format, together of about this size."""
    paths = [folder / f"{name}{i}" for i in range(len(TABLES[name]))]
    left = megabytes * 1_000_000
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("w", encoding="ascii")) for path in paths]
        for texts in zip(*(table() for table in TABLES[name]), strict=True):
            for file, text in zip(files, texts, strict=True):
                file.write(text)
                left -= len(text)
            if left <= 0:
                break
        if name == "philly":
            files[0].write("{}]")
    return paths


class Traces:
    """A report on a file of 100 MB; that of philly is a JSON array."""

    params = (tuple(TABLES),)
    param_names = ("format",)
    timeout = 600
    number = repeat = 1
    warmup_time = 0

    def setup_cache(self) -> dict[str, list[Path]]:
        folder = Path(tempfile.mkdtemp())
        return {name: written(name, MEGABYTES, folder) for name in TABLES}

    def setup(self, files: dict[str, list[Path]], name: str) -> None:
        self.paths = files[name]

    def time_inspect(self, files: dict[str, list[Path]], name: str) -> None:
        inspect(open_trace(self.paths))

    def track_read(self, files: dict[str, list[Path]], name: str) -> float:
        return rows_per_second(lambda: sum(map(len, open_trace(self.paths).rows())))

    def track_inspect(self, files: dict[str, list[Path]], name: str) -> float:
        return rows_per_second(lambda: inspect(open_trace(self.paths)).tally.rows)

    def peakmem_inspect(self, files: dict[str, list[Path]], name: str) -> None:
        inspect(open_trace(self.paths))

    track_read.unit = track_inspect.unit = "rows/s"  # type: ignore[attr-defined]


class Convert:
    """A thousand jobs of a file of 10 MB."""

    def setup(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        trace = open_trace(written("helios", 10, Path(self.folder.name)))
        self.report = inspect(trace, nodes=parse_nodes("V100:8:100"))

    def teardown(self) -> None:
        self.folder.cleanup()

    def time_convert(self) -> None:
        convert(self.report, ConversionOptions(jobs=1000))


def rows_per_second(count: Callable[[], int]) -> float:
    """Rows over seconds of the processor."""
    start = time.process_time()
    rows = count()
    return rows / (time.process_time() - start)
