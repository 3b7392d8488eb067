"""Columns of numbers from CSV files that a configuration names."""

from __future__ import annotations

import csv
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rsjs.instances.csv_tables import read_rows
from rsjs.instances.errors import InputError, described, reason

if TYPE_CHECKING:
    from rsjs.instances.mig.node import Node
    from rsjs.instances.streams import Floats


def numbers(node: Node) -> Floats:
    """
    The numbers in the column `column` of the file `file`, whose first line names the columns.

    The file and its sha256 are noted for the record of the set of jobs.
    """
    from rsjs.instances.mig.node import nearest_first

    name, column = node["file"], node["column"]
    path = Path(node.around.folder, name)
    header = _header(node.at("file"), path)
    if header.count(column) != 1:
        known = nearest_first(column, header) or "it has none"
        raise node.at("column").error(f"a column of {name}: {known}")
    values = [row.number(column, signed=True) for row in read_rows(path, header)]
    node.around.files[name] = sha256(path.read_bytes()).hexdigest()
    return np.array(values)


def _header(node: Node, path: Path) -> list[str]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return [name.strip() for name in next(csv.reader(file), [])]
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError("", described(str(error)), "CSV text in UTF-8", path) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise node.error(f"a readable file: {reason(error)}") from None
