"""Laws of the number of epochs from a file: a histogram, or the observed runs themselves."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from rsjs.core.errors import InputError, described
from rsjs.instances.catalogue.epoch_models import SCALE
from rsjs.instances.epoch_distribution import EpochDistribution
from rsjs.instances.io.bounded_files import read_text
from rsjs.instances.io.csv_tables import Row

HEADER = ("epoch", "weight")
_MOST_EPOCHS = 10**9  # in a file of an instance


def read_distribution(path: str | Path) -> EpochDistribution:
    """
    Read a law, in the form that the first line tells.

    * `epoch,weight`: a histogram. Each further line is an epoch and its weight, both whole
      numbers, in any order.
    * Otherwise each line is the number of epochs of one observed run, all equally likely (the
      empirical law). The first line may be the word `epoch`.

    Empty lines are skipped.

    Raises
    ------
    InputError
        Naming the file, the line ("/<line>/<column>"), the value found and what was expected.
    """
    path = Path(path)
    lines = _lines(path)
    first = tuple(_cells(lines[0][1])) if lines else ()
    weights = (
        _histogram(path, lines[1:])
        if first == HEADER
        else _observed(path, lines[first == HEADER[:1] :])
    )
    if not any(weights.values()):
        found = described("no epoch with a positive weight")
        raise InputError("", found, "at least one", path)
    return EpochDistribution.of(sorted(weights.items()))


def _histogram(path: Path, lines: list[tuple[int, str]]) -> dict[int, int]:
    weights: dict[int, int] = {}
    for number, text in lines:
        cells = _cells(text)
        if len(cells) != len(HEADER):
            raise InputError(f"/{number}", text, ",".join(HEADER), path)
        row = Row(file=path, line=number, entries=dict(zip(HEADER, cells, strict=True)))
        epoch = row.integer("epoch", 1, _MOST_EPOCHS)
        if epoch in weights:
            raise row.error("epoch", epoch, "an epoch that no line before has")
        weights[epoch] = row.integer("weight", 0, SCALE)
    return weights


def _observed(path: Path, lines: list[tuple[int, str]]) -> Counter[int]:
    rows = [Row(file=path, line=number, entries={"epoch": text}) for number, text in lines]
    return Counter(row.integer("epoch", 1, _MOST_EPOCHS) for row in rows)


def _lines(path: Path) -> list[tuple[int, str]]:
    """Number and text of each line that is not empty."""
    lines = read_text(path, encoding="utf-8-sig").splitlines()
    numbered = enumerate(map(str.strip, lines), start=1)
    return [(number, line) for number, line in numbered if line]


def _cells(text: str) -> list[str]:
    return [cell.strip() for cell in text.split(",")]
