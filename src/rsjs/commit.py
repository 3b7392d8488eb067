"""
The commit that the package is of: that of its working tree, or the one it was built from.

Without imports beyond the standard library: `setup.py` runs this file to write `BUILT`.
"""

from __future__ import annotations

import json
import subprocess
from contextlib import suppress
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

BUILT = "commit.json"  # beside this file in a wheel and an sdist, never in a working tree
PATIENCE = 10.0  # seconds for git to answer
CODE = ("rsjs", "rsjs.instances", "rsjs.formulations", "rsjs.heuristics")
RESULTS = ("results", "docs")  # what runs write, not what they depend on


def source() -> dict[str, Any]:
    """
    Return commit and dirty flag of the package, both None where nothing tells them.

    A dirty tree has changes that no commit holds: its results cannot be made again. Changes of
    stored results and of pages made from them do not count.
    """
    found = of_tree()
    if found["commit"] is None:
        with suppress(OSError, ValueError, LookupError, TypeError):
            told = json.loads(Path(__file__).with_name(BUILT).read_text("utf-8"))
            found = {"commit": told["commit"], "dirty": told["dirty"]}
    return found


def of_tree() -> dict[str, Any]:
    """Return commit and state of the working tree that this file is tracked in."""
    file = Path(__file__)
    if _git("ls-files", "--error-unmatch", file.name) is None:
        return {"commit": None, "dirty": None}
    code = [":/", *(f":(top,exclude){folder}" for folder in RESULTS)]
    changes = _git("status", "--porcelain", "--untracked-files=no", "--", *code)
    dirty = None if changes is None else bool(changes)
    return {"commit": _git("rev-parse", "HEAD"), "dirty": dirty}


def code_digest() -> str:
    """
    Return the sha256 of the Python files of the package, wherever its folders lie.

    It tells other code of the same version apart, also where no commit is known.
    """
    found: dict[str, Path] = {}
    for package in CODE:
        spec = find_spec(package)
        for place in [] if spec is None else spec.submodule_search_locations or []:
            for path in Path(place).rglob("*.py"):
                found[f"{package}/{path.relative_to(place)}".replace(".", "/")] = path
    lines = [f"{sha256(found[name].read_bytes()).hexdigest()}  {name}\n" for name in sorted(found)]
    return sha256("".join(lines).encode()).hexdigest()


def _git(*arguments: str) -> str | None:
    command = ["git", "-C", str(Path(__file__).parent), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
