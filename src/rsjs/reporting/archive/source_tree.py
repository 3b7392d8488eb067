"""The source that made results: the tree of a commit, or the package as it is installed."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import tarfile
from collections.abc import Mapping
from contextlib import suppress
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rsjs.commit import CODE, of_tree
from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import write_bytes
from rsjs.reporting.tables.table import code, escaped

DISTRIBUTION = "rsjs-bench"
CI = (".ci", ".github")  # what continuous integration needs, and nobody else
TESTS = re.compile(r"extra == .test\b")


def checkout() -> Path | None:
    """Return the working tree that rsjs runs from, None if it is installed otherwise."""
    if of_tree()["commit"] is None:
        return None
    found = _git(Path(__file__).parent, "rev-parse", "--show-toplevel")
    return Path(found.decode().strip())


def write_source(commit: str | None, version: str, root: Path | None, folder: Path) -> str | None:
    """
    Write the source of the results into a folder, without what continuous integration needs.

    It is the tree of the runs' commit in the repository of `root`; without one, the installed
    package. Return the commit, None for the package. InputError if the repository lacks the commit,
    or another version is installed.
    """
    if commit is not None and root is not None:
        without = [f":(exclude){name}" for name in CI]
        tree = _git(root, "archive", "--format=tar", commit, "--", ".", *without)
        with tarfile.open(fileobj=io.BytesIO(tree)) as files:
            files.extractall(folder, filter="tar")  # modes without what others may write
        return commit
    found = metadata.distribution(DISTRIBUTION)
    if found.version != version:
        told = described(f"{DISTRIBUTION} {found.version} installed")
        raise InputError("", told, f"version {version}, which made the runs")
    for package in CODE:
        spec = find_spec(package)
        assert spec is not None, f"{package} is part of the distribution"
        [place] = spec.submodule_search_locations or []
        ignored = shutil.ignore_patterns("__pycache__")
        # it may be there: in an editable tree rsjs has links to the other packages
        to = folder.joinpath(*package.split("."))
        shutil.copytree(place, to, False, ignored, shutil.copyfile, dirs_exist_ok=True)
    asked = [line for line in found.requires or [] if not TESTS.search(line)]
    pins = {}
    for name in (re.split(r"[^\w.-]", line)[0] for line in asked):
        with suppress(metadata.PackageNotFoundError):
            pins[name] = f"{name}=={metadata.version(name)}\n"
    needed = json.dumps([line for line in asked if "extra ==" not in line])
    facts = {"name": DISTRIBUTION, "version": version, "needed": needed}
    texts = {
        "pyproject.toml": rendered("pyproject.toml", facts),
        "requirements.txt": "".join(sorted(pins.values())),
        "LICENSE": licence(),
    }
    for name, text in texts.items():
        write_bytes(text.encode(), folder / name)
    return None


def licence() -> str:
    """Return the text of the licence of the package, as installed."""
    found = metadata.distribution(DISTRIBUTION)
    return found.read_text("licenses/LICENSE") or found.read_text("LICENSE") or ""


def rendered(template: str, facts: Mapping[str, Any]) -> str:
    """Return the text that a template of the archive makes of facts."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    plain = Environment(
        loader=PackageLoader("rsjs.reporting.archive"),
        autoescape=False,  # Markdown and shell, no HTML
        keep_trailing_newline=True,
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    plain.filters |= {"code": code, "escaped": escaped}
    return plain.get_template(f"{template}.j2").render(facts)


def _git(folder: Path, *arguments: str) -> bytes:
    command = ["git", "-C", str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        told = described(done.stderr.decode(errors="replace").strip())
        raise InputError("", told, f"git {' '.join(arguments)}", folder)
    return done.stdout
