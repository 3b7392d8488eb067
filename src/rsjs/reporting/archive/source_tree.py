"""The source that made results: the tree of a commit, or the package as it is installed."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any

from rsjs.commit import CODE, of_tree
from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import write_bytes
from rsjs.reporting.tables.table import code, escaped

DISTRIBUTION = "rsjs-bench"
CI = re.compile(
    r"\.(ci|circleci|forgejo|gitea|github|gitlab|travis|woodpecker)(\.yml)?"
    r"|\.pre-commit-config\.yaml|azure-pipelines\.yml"
)
TESTS = re.compile(r"extra == .test\b")


@dataclass(frozen=True)
class Source:
    """Where the source is from: a commit, or None for the installed package of a version."""

    commit: str | None
    version: str


def checkout() -> Path | None:
    """Return the working tree that rsjs runs from, None if it is installed otherwise."""
    if of_tree()["commit"] is None:
        return None
    found = _git(Path(__file__).parent, "rev-parse", "--show-toplevel")
    return Path(found.decode().strip())


def write_source(commit: str | None, version: str, root: Path | None, folder: Path) -> Source:
    """
    Write the source of the results into a folder, without what continuous integration needs.

    It is the tree of the runs' commit in the repository of `root`; without one, the installed
    package. InputError if the repository lacks the commit, or another version is installed.
    """
    if commit is not None and root is not None:
        _write_tree(root, commit, folder)
        return Source(commit, version)
    installed = metadata.version(DISTRIBUTION)
    if installed != version:
        found = described(f"{DISTRIBUTION} {installed} installed")
        raise InputError("", found, f"version {version}, which made the runs")
    _write_package(folder)
    return Source(None, version)


def _write_tree(root: Path, commit: str, folder: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(_git(root, "archive", "--format=tar", commit))) as tree:
        kept = [
            member
            for member in tree
            if not any(map(CI.fullmatch, PurePosixPath(member.name).parts))
        ]
        tree.extractall(folder, kept, filter="tar")  # modes without what others may write


def _write_package(folder: Path) -> None:
    """The package's files, what builds it again, and the versions of what it needs."""
    for package in CODE:
        spec = find_spec(package)
        assert spec is not None, f"{package} is part of the distribution"
        [place] = spec.submodule_search_locations or []
        ignored = shutil.ignore_patterns("__pycache__")
        # it may be there: in an editable tree rsjs has links to the other packages
        to = folder.joinpath(*package.split("."))
        shutil.copytree(place, to, False, ignored, shutil.copyfile, dirs_exist_ok=True)
    found = metadata.distribution(DISTRIBUTION)
    needed = [line for line in found.requires or [] if "extra ==" not in line]
    facts = {"name": DISTRIBUTION, "version": found.version, "needed": json.dumps(needed)}
    write_bytes(rendered("pyproject.toml", facts).encode(), folder / "pyproject.toml")
    write_bytes("".join(f"{pin}\n" for pin in _pins(found)).encode(), folder / "requirements.txt")


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


def _pins(found: metadata.Distribution) -> list[str]:
    """Return name==version of what the package asks for and has, tests aside."""

    def plain(name: str) -> str:
        return re.sub(r"[-_.]+", "-", name).lower()

    installed = {plain(one.metadata["Name"]): one.version for one in metadata.distributions()}
    asked = [line for line in found.requires or [] if not TESTS.search(line)]
    names = {plain(re.split(r"[^\w.-]", line)[0]) for line in asked}
    return [f"{name}=={installed[name]}" for name in sorted(names & {*installed})]


def licence(folder: Path) -> str:
    """Return the licence of the source in a folder, or of the installed package."""
    path = folder / "LICENSE"
    if path.is_file():
        return path.read_text("utf-8")
    found = metadata.distribution(DISTRIBUTION)
    for name in ("licenses/LICENSE", "LICENSE"):
        if text := found.read_text(name):
            return text
    raise InputError("", described("no LICENSE"), f"the licence of {DISTRIBUTION}")


def _git(folder: Path, *arguments: str) -> bytes:
    command = ["git", "-C", str(folder), *arguments]
    try:
        return subprocess.run(command, capture_output=True, check=True).stdout
    except subprocess.CalledProcessError as error:
        told = error.stderr.decode(errors="replace").strip()
        raise InputError("", described(told), f"git {' '.join(arguments)}", folder) from None
    except OSError as error:
        raise InputError("", described(str(error)), "git", folder) from None
