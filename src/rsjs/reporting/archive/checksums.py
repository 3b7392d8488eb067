"""SHA256SUMS of a folder, as coreutils write it."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

from rsjs.instances.io.files import write_bytes

SUMS = "SHA256SUMS"


def files_below(folder: Path) -> list[Path]:
    """All files in order of their names; symbolic links are left out."""
    found = [Path(place, name) for place, _, names in os.walk(folder) for name in names]
    return sorted(path for path in found if not path.is_symlink())


def write_sums(folder: Path) -> int:
    """Write the sums of all files below a folder into it; return how many there are."""
    files = files_below(folder)
    lines = [_line(path, path.relative_to(folder).as_posix()) for path in files]
    write_bytes("".join(lines).encode(), folder / SUMS)
    return len(files)


def _line(path: Path, name: str) -> str:
    """A backslash or a line break in a name is escaped, which a backslash before the sum tells."""
    shown = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    mark = "\\" if shown != name else ""
    return f"{mark}{sum_of(path)}  {shown}\n"


def sum_of(path: Path) -> str:
    """sha256 of the bytes of a file."""
    return sha256(path.read_bytes()).hexdigest()
