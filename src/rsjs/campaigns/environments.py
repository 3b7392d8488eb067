"""
The Python environments that methods run in: their versions, and which solvers they have.

`python -m rsjs.campaigns.environments WANTED...` prints what one has, so an environment
is asked by its own interpreter.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from importlib import metadata
from pathlib import Path

from rsjs.campaigns.solver_versions import refuse_flawed
from rsjs.campaigns.spec import HERE
from rsjs.commit import code_digest
from rsjs.core.errors import InputError, described
from rsjs.formulations.backends.registry import BACKENDS, backend, is_program, program
from rsjs.instances.io.serialization import canonical_text
from rsjs.methods import Request, sources
from rsjs.runs.kinds.base import KINDS, kind

PATIENCE = 60.0  # seconds for an interpreter to answer


@dataclass(frozen=True, kw_only=True)
class Environment:
    """A Python environment and its installed packages."""

    python: str
    rsjs_version: str
    # name, or table of a program that was asked for -> version, "" if it tells none
    solvers: Mapping[str, str]
    methods: list[str]
    sha256: str  # of `name-version` of all installed distributions, one a line
    code: str = ""  # see `commit.code_digest`; "" = not known
    # method of another package that was asked for -> distribution, version, sha256 of its source,
    # or in place of these the reason why it is broken
    plugins: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def missing(self, request: Request) -> str | None:
        """Return why a method cannot run in the environment; None if it can."""
        inner = [value for value in request.options.values() if isinstance(value, Request)]
        for one in (request, *inner):
            if one.method.name not in {*self.methods, *self.plugins}:
                return f"method {one.method.name} is not known in this environment"
            solver = one.solver or one.method.needs
            if solver is not None and solver not in self.solvers:
                absent = backend(solver)
                return f"solver {absent.name} is not installed: {absent.install_command}"
        found = (self.plugins.get(name, {}).get("broken") for name in sorted(request.names))
        return next(filter(None, found), None)

    def sources(self, request: Request) -> str | None:
        """Return the code of the methods of other packages that it runs, as JSON; None without."""
        found = {name: self.plugins[name] for name in request.names & {*self.plugins}}
        return canonical_text(found) if found else None


def here(wanted: Sequence[str] = ()) -> Environment:
    """
    Describe the environment of this process.

    Of other packages, import the methods wanted only; solvers that are programs are wanted by their
    tables.
    """
    plugins: dict[str, Mapping[str, str]] = {}
    solvers = {**BACKENDS, **{table: program(table) for table in filter(is_program, wanted)}}
    for method in wanted:
        if is_program(method):
            continue
        try:
            plugins |= sources([method])
        except InputError as error:
            plugins[method] = {"broken": str(error)}
    installed = {found.stem for place in sys.path for found in Path(place).glob("*.dist-info")}
    return Environment(
        python=f"{platform.python_implementation()} {platform.python_version()}",
        rsjs_version=metadata.version("rsjs-bench"),
        solvers={key: one.version() or "" for key, one in solvers.items() if one.available()},
        methods=sorted({name for one in KINDS for name in kind(one).methods()}),
        sha256=sha256("\n".join(sorted(installed)).encode()).hexdigest(),
        code=code_digest(),
        plugins=plugins,
    )


def asked(
    interpreters: Mapping[str, str], wanted: Mapping[str, Iterable[str]]
) -> dict[str, Environment]:
    """
    Describe environments; InputError for one without answer.

    `wanted` has the methods of other packages, and the programs, that are to run in each.
    """
    return {
        name: here([*asked]) if name == HERE else _ask(name, interpreters[name], asked)
        for name, asked in wanted.items()
    }


def _ask(name: str, python: str, wanted: Iterable[str]) -> Environment:
    refuse_flawed(name, python)
    command = [python, "-m", "rsjs.campaigns.environments", *sorted(wanted)]
    said = ""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
        return Environment(**json.loads(done.stdout.splitlines()[-1]))  # imports may print, too
    except (OSError, subprocess.SubprocessError) as error:
        said = (getattr(error, "stderr", None) or str(error)).strip()
    except (LookupError, ValueError, TypeError):  # what it printed is no such description
        pass
    found = described(f"{python}: {said.splitlines()[-1] if said else 'no answer'}")
    raise InputError(f"/environments/{name}", found, "an interpreter with rsjs-bench installed")


if __name__ == "__main__":
    print(json.dumps(asdict(here(sys.argv[1:]))))
