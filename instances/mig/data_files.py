"""Columns of numbers from CSV files that a configuration names."""

from __future__ import annotations

import csv
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rsjs.instances.errors import InputError, described
from rsjs.instances.io.bounded_files import read_bytes, read_text
from rsjs.instances.io.csv_tables import read_rows

if TYPE_CHECKING:
    from rsjs.instances.generators.random_streams import Floats
    from rsjs.instances.mig.node import Node


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
    node.around.files[name] = sha256(read_bytes(path)).hexdigest()
    return np.array(values)


def _header(node: Node, path: Path) -> list[str]:
    try:
        lines = StringIO(read_text(path, encoding="utf-8-sig"), newline="")
        return [name.strip() for name in next(csv.reader(lines), [])]
    except csv.Error as error:
        raise InputError("", described(str(error)), "CSV text", path) from None
    except InputError as error:
        raise node.error(f"a readable file: {error.value}") from None
