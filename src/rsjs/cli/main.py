"""The command `rsjs` itself: its subcommands, and what becomes of their errors."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from rsjs.cli import BAD_INPUT, INTERRUPTED, NO_READER

_UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # typer has no other name for it

# Heading -> name -> function or app in rsjs.cli, and what it does, in at most 58 characters.
COMMANDS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Make data": {
        "generate": ("generate:app", "make an instance or a workload by a paper's generator"),
        "fetch-set": ("generate:fetch_set", "write the instances of a set of the library"),
        "fetch-models": ("generate:fetch_models", "write the model files of the solver track"),
        "trace": ("trace:trace", "check public traces, and make workloads of them"),
        "import": ("trace:import_", "make an instance or a workload of your own tables"),
        "snapshots": ("snapshots:snapshots", "take decisions out of a simulation as instances"),
        "profile": ("profile:profile", "fit execution times to measurements"),
        "convert": ("convert:convert", "read and write files of other programs and solvers"),
    },
    "Decide": {
        "solve": ("solve:solve", "run a method on an instance and verify its solution"),
        "import-solution": ("convert:import_solution", "check what a solver wrote for a model"),
        "check": ("check:check", "check a solution and what it claims"),
        "simulate": ("simulate:simulate", "run a workload under one or several policies"),
        "mig": ("mig:app", "schedule jobs on MIG instances, place, repartition"),
    },
    "Look": {
        "list": ("list:list_", "list methods, policies, solvers, catalogues, sets, models"),
        "show": ("show:show", "show what is in a file, and who runs on which GPU"),
        "doctor": ("doctor:doctor", "report versions, solvers, machine, enforced limits"),
    },
    "Compare": {
        "demo": ("compare:demo", "compare eight methods on 2 to 100 nodes, about a minute"),
        "compare": ("compare:compare", "run methods on instances and set them side by side"),
        "formulation-study": (
            "compare:formulation_study",
            "measure size, build and relaxation of formulations",
        ),
        "run": ("campaign:run", "carry out the runs of a campaign that are not done yet"),
        "collect": ("campaign:collect", "collect the records of a campaign into tables"),
        "environments": ("environments:app", "make environments with other releases of solvers"),
        "statistics": ("statistics:statistics", "count, average, test and rank methods"),
    },
    "Publish": {
        "reproduce": ("reproduce:reproduce", "run what tells whether a claim of a paper holds"),
        "report": ("report:report", "make a static site of campaigns"),
        "board": ("board:board", "make a static site of all results and best-known values"),
        "bks": ("best_known:app", "best-known values: list, verify, update"),
        "export": ("export:app", "write what authors attach to a paper"),
        "submit": ("submit:app", "make a submission of your results, or check one"),
    },
}
PLACES = {name: place for group in COMMANDS.values() for name, (place, _) in group.items()}


class _Commands(TyperGroup):
    """Commands under headings; the module of one is imported when it is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(PLACES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in PLACES:
            return None
        module, _, name = PLACES[cmd_name].partition(":")
        command = getattr(import_module(f"rsjs.cli.{module}"), name)
        outer = typer.Typer(rich_markup_mode=None)
        if isinstance(command, typer.Typer):
            outer.add_typer(command, name=cmd_name)
        else:
            outer.command(cmd_name)(command)
        outer.callback()(lambda: None)
        return get_group(outer).get_command(ctx, cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        width = max(map(len, PLACES))
        for heading, group in COMMANDS.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:{width}}", told) for name, (_, told) in group.items()])


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich in the help takes 0.1 s
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
    """Run the command and return its exit code; an error is printed in one line."""
    with suppress(ValueError):  # only the main thread may
        # a polite kill also ends workers and removes temporary files, as Ctrl-C does
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    _complete_streams()
    try:
        code = app(args=arguments, prog_name="rsjs", standalone_mode=False)
        sys.stdout.flush()
        return int(code or 0)
    except _UsageError as error:
        return _refuse(_usage(error))
    except (typer.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):  # the reader of a pipe has gone, as in `... | head -1`;
        # Typer exits then, and what is left in the buffer would be flushed into the pipe again
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
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


def _usage(error: Exception) -> str:
    """Write an error of the command line parser as ours: option, value found, what is expected."""
    context, parameter = (getattr(error, name, None) for name in ("ctx", "param"))
    hint = f" (see {context.command_path} --help)" if context is not None else ""
    errors = getattr(error.__cause__, "errors", None)
    if parameter is not None and errors is not None:  # a value that pydantic refused
        first = errors()[0]
        expected = re.sub("Input should be |,.*", "", first["msg"])
        if " is not one of " in first["msg"]:
            expected = "one of " + first["msg"].partition(" is not one of ")[2].replace("'", "")
        name = parameter.opts[0] if parameter.opts[0].startswith("-") else parameter.metavar
        return f"{name}: found {first['input']!r}, expected {expected.rstrip('.')}{hint}"
    text: str = error.format_message()  # type: ignore[attr-defined]
    return f"{text.rstrip('.')}{hint}"


def _refuse(message: str) -> int:
    """Print an error in one line and return the exit code of bad input."""
    print(f"rsjs: error: {' '.join(message.split())}", file=sys.stderr)
    return BAD_INPUT
