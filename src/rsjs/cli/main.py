"""The command `rsjs` itself: its subcommands, and what becomes of their errors."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from rsjs.cli import (
    BAD_INPUT,
    INTERRUPTED,
    NO_READER,
    bks,
    check,
    collect,
    compare,
    convert,
    demo,
    doctor,
    export,
    export_model,
    fetch_set,
    formulation_study,
    generate,
    generate_andreas,
    generate_kiros,
    generate_planted,
    generate_sts,
    listing,
    mig,
    optimize,
    profile,
    report,
    reproduce,
    run,
    show,
    simulate,
    solve,
    statistics,
    trace,
    workload,
)

_UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # typer has no other name for it


class _InOrder(TyperGroup):
    """Help lists the commands in the order of use."""

    def list_commands(self, ctx: Any) -> list[str]:
        return ORDER


ORDER = ["generate", "fetch-set", "workload", "trace", "mig", "profile", "convert"]
ORDER += ["solve", "optimize", "check"]
ORDER += ["compare", "simulate", "reproduce", "run", "collect", "statistics", "report", "bks"]
ORDER += ["formulation-study", "export-model", "export", "list", "show", "demo", "doctor"]
app = typer.Typer(
    cls=_InOrder,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich in the help takes 0.1 s
    context_settings={"help_option_names": ["-h", "--help"]},
)
generate.app.command("sts")(generate_sts.sts)
generate.app.command("kiros")(generate_kiros.kiros)
generate.app.command("andreas")(generate_andreas.andreas)
generate.app.command("planted")(generate_planted.planted)
workload.app.command("sts")(generate_sts.sts_workload)
workload.app.command("kiros")(generate_kiros.kiros_workload)
workload.app.command("andreas")(generate_andreas.andreas_workload)
app.add_typer(generate.app, name="generate")
app.command("fetch-set")(fetch_set.fetch_set)
app.add_typer(workload.app, name="workload")
app.add_typer(trace.app, name="trace")
app.add_typer(mig.app, name="mig")
app.add_typer(profile.app, name="profile")
app.command("solve")(solve.solve)
app.command("optimize")(optimize.optimize)
app.command("check")(check.check)
app.command("compare")(compare.compare)
app.command("simulate")(simulate.simulate)
app.command("reproduce")(reproduce.reproduce)
app.command("run")(run.run)
app.command("collect")(collect.collect)
app.command("statistics")(statistics.statistics)
app.command("report")(report.report)
app.add_typer(bks.app, name="bks")
app.command("convert")(convert.convert)
app.command("formulation-study")(formulation_study.formulation_study)
app.command("export-model")(export_model.export_model)
app.add_typer(export.app, name="export")
app.command("list")(listing.list_)
app.command("show")(show.show)
app.command("demo")(demo.demo)
app.command("doctor")(doctor.doctor)


@app.callback(invoke_without_command=True)
def rsjs(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """
    Benchmark suite for scheduling deep-learning training jobs on GPU clusters.

    \b
    Example:
      rsjs generate jahani -N 10 -J 100 --seed 1 -o instance.json
      rsjs solve instance.json --method jahani_patterns@highs -o solution.json
      rsjs check instance.json solution.json

    Exit codes: 0 ok, 1 no verified solution or violations found, 2 bad input, 130 ended by Ctrl-C.
    """
    if version:
        from importlib.metadata import version as installed

        from rsjs.commit import source

        found = source()
        state = ", with changes" if found["dirty"] else ""
        commit = f" (commit {found['commit']}{state})" if found["commit"] else ""
        print(f"rsjs-bench {installed('rsjs-bench')}{commit}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; bad input is told in one line."""
    _end_as_by_ctrl_c()
    _complete_streams()
    try:
        code = app(args=arguments, prog_name="rsjs", standalone_mode=False)
        sys.stdout.flush()
        return int(code or 0)
    except _UsageError as error:
        return _refuse(_usage(error))
    except (typer.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe has gone, as in `rsjs list methods | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NO_READER
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _refuse(f"{place}{error.strerror or error}")
    except ValueError as error:
        return _refuse(str(error))
    except MemoryError as error:
        return _refuse(f"more than memory holds: {error}")


def _complete_streams() -> None:
    """Print what a terminal's encoding lacks as escapes, and nothing where a stream is closed."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by who started this process, as in `rsjs list methods >&-`
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def _end_as_by_ctrl_c() -> None:
    """A polite kill also ends workers and removes temporary files."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with suppress(ValueError):  # only the main thread may
        signal.signal(signal.SIGTERM, interrupt)


def _usage(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    hint = f" (see {context.command_path} --help)" if context is not None else ""
    text: str = error.format_message()  # type: ignore[attr-defined]
    return f"{text.replace('Value error, ', '').rstrip('.')}{hint}"


def _refuse(message: str) -> int:
    print(f"rsjs: error: {' '.join(message.split())}", file=sys.stderr)
    return BAD_INPUT
