"""
From the columns of a format to the common record, with what is wrong in each row by itself.

Columns of bytes: dates with times as seconds, and keys of names.

The rows of a table with a header, as the common record.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.core.types import Bools, Floats, Ints
from rsjs.instances.traces.flaws import (
    EARLY_START,
    FIELDS,
    GPU_COUNT,
    INCONSISTENT,
    NEGATIVE_DURATION,
    NO_DURATION,
    NO_GPU,
    NO_SUBMISSION,
    NUMBER,
    PENDING,
    RUNNING,
    SHARE,
    STATE,
    TIME,
    TIME_ZONE,
    TOO_LONG,
    UNMATCHED,
    Bits,
    FlawKind,
    mask,
)
from rsjs.instances.traces.io.csv import CsvLayout, TableBlock, blocks, numbers, words
from rsjs.instances.traces.io.streams import HEAD, ByteSource, pieces
from rsjs.instances.traces.records import JobRecords, Texts, broken_lines, header_of

_LENGTH = 19  # of 2020-06-09 18:41:01
_MARKS = {4: b"-", 7: b"-", 10: b" ", 13: b":", 16: b":"}
_MISSING = {b"", b"-", b"NA", b"N/A", b"NULL", b"NaN", b"None", b"nan", b"null"}
_FIRST_YEAR, _LAST_YEAR = 1900, 2200
_FIRST_DAYS = (  # days from 1970 to the first of each month
    np.arange(f"{_FIRST_YEAR}-01", f"{_LAST_YEAR + 1}-02", dtype="datetime64[M]")
    .astype("datetime64[D]")
    .astype(np.int64)
)
_ZONED = re.compile(rb"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)? ?(Z|[+-]\d\d:?\d\d|[A-Z]{3,4})")
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio, odd
_SHIFT = np.uint64(32)


def seconds(texts: Texts) -> tuple[Floats, Bits]:
    """
    Seconds from 1970 of texts such as "2020-06-09 18:41:01", leap seconds left out.

    Returns
    -------
    (n,) float
        NaN where nothing or no such text stands.
    (n,) uint32
        TIME or TIME_ZONE where another text stands.
    """
    n, width = len(texts), max(_LENGTH + 1, texts.dtype.itemsize)
    data = np.ascontiguousarray(texts.astype(f"S{width}", copy=False)).view(np.uint8)
    place = np.ascontiguousarray(data.reshape(n, width)[:, : _LENGTH + 1].T)
    good = place[_LENGTH] == 0
    for i, mark in _MARKS.items():
        good &= place[i] == ord(mark)
    pair = {}
    for i in (0, 2, 5, 8, 11, 14, 17):
        tens, ones = place[i] - np.uint8(48), place[i + 1] - np.uint8(48)
        good &= (tens <= 9) & (ones <= 9)
        pair[i] = 10 * tens.astype(np.int32) + ones
    year, month, day = 100 * pair[0] + pair[2], pair[5], pair[8]
    good &= (year >= _FIRST_YEAR) & (year < _LAST_YEAR) & (month >= 1) & (month <= 12)
    good &= (pair[11] < 24) & (pair[14] < 60) & (pair[17] < 60) & (day >= 1)
    months = np.where(good, (year - _FIRST_YEAR) * 12 + month - 1, 0)
    good &= day <= np.diff(_FIRST_DAYS)[months]
    hours = (_FIRST_DAYS[months] + day - 1) * 24 + pair[11]
    found = np.where(good, hours * 3600.0 + (60 * pair[14] + pair[17]), np.nan)
    flaw = np.zeros(n, dtype=np.uint32)
    for i in np.flatnonzero(~good).tolist():
        if (text := texts[i].strip()) not in _MISSING:
            flaw[i] = (TIME_ZONE if _ZONED.fullmatch(text) else TIME).bit
    return found, flaw


def keys(texts: Texts) -> NDArray[np.uint64]:
    """(n,) 64-bit keys: texts that differ have different ones, up to chance (n^2 / 2^65)."""
    words = -(-texts.dtype.itemsize // 8)
    data = np.ascontiguousarray(texts.astype(f"S{8 * words}")).view(np.uint64)
    key = np.zeros(len(texts), dtype=np.uint64)
    for column in data.reshape(len(texts), words).T:
        key = mixed(key, column)
    return key


def mixed(key: NDArray[np.uint64], more: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """(n,) keys of texts that go on with eight bytes more, or of pairs."""
    key = (key ^ more) * _FACTOR
    key ^= key >> _SHIFT
    return key


def as_text(value: Any) -> bytes:
    """A value of JSON as the text of a column."""
    return b"" if value is None else str(value).encode("utf-8", "replace")


LONGEST = 366 * 86400.0  # s
FURTHEST = 2.0**53  # s: beyond it floats do not tell seconds apart
MAX_GPUS = 1 << 20  # of a job: beyond it floats are no counts
_TIMES = (TIME, TIME_ZONE)
_CLOCK = 1.0  # s that end - start may differ from a duration: both are rounded


class TableColumns:
    """The columns of a block, and the flaws of the texts that were read."""

    def __init__(self, block: TableBlock) -> None:
        self._frame = block.frame
        self.flaw: Bits = np.zeros(len(block.line), dtype=np.uint32)

    def number(self, name: str) -> Floats:
        """(n,) NaN where nothing stands."""
        values, wrong = numbers(self._frame[name])
        self.flaw[wrong] |= NUMBER.bit
        return values

    def time(self, name: str) -> Floats:
        """(n,) seconds, NaN where nothing stands or a number so large that it is none."""
        values = self.number(name)
        far = np.abs(values) > FURTHEST
        self.flaw[far] |= NUMBER.bit
        return np.where(far, np.nan, values)

    def date(self, name: str) -> Floats:
        """(n,) seconds, NaN where nothing stands."""
        values, flaw = seconds(self.text(name))
        self.flaw |= flaw
        return values

    def text(self, name: str) -> Texts:
        """(n,) bytes."""
        found: Texts = self._frame[name].to_numpy()
        return found

    def word(self, name: str) -> tuple[Ints, tuple[str, ...]]:
        """(n,) positions in the words, -1 where nothing stands, and the words."""
        return words(self._frame[name])

    def state(self, name: str, done: str, meaning: Mapping[str, FlawKind]) -> None:
        """Note the kind of each word that is listed; `done` has none, and others are `STATE`."""
        self.flaw |= state_bits(*self.word(name), done, meaning)


def state_bits(
    codes: Ints, known: Sequence[str], done: str, meaning: Mapping[str, FlawKind]
) -> NDArray[np.uint32]:
    """(n,) the bit of the kind of each state, given as positions in the words and the words."""
    bits = [0 if word == done else meaning.get(word, STATE).bit for word in map(str.strip, known)]
    return np.array([*bits, STATE.bit], dtype=np.uint32)[codes]


def is_count(gpus: Floats) -> Bools:
    """(n,) whether each is a whole number of GPUs."""
    return np.asarray((gpus >= 0) & (gpus <= MAX_GPUS) & (gpus == np.floor(gpus)))


def job_records(
    *,
    file: str,
    line: Ints,
    id: Texts,
    submit: Floats,
    start: Floats,
    end: Floats,
    gpus: Floats,
    flaw: Bits,
    duration: Floats | None = None,
    share: Floats | None = None,
    model: tuple[Ints, Sequence[str]] | None = None,
    application: tuple[Ints, Sequence[str]] | None = None,
) -> JobRecords:
    """
    Rows of the common record; all times [s], NaN where nothing is recorded.

    Parameters
    ----------
    flaw : (n,) uint32
        What is known by now; the kinds that one row shows by itself are added.
    duration : (n,) float, optional
        As recorded; otherwise end - start.
    share : (n,) float, optional
        Otherwise 1.
    """
    flaw = flaw.copy()
    alone, none = np.ones(len(line)), np.full(len(line), -1, dtype=np.int64)
    share = alone if share is None else share
    ran = end - start
    told = ran if duration is None else duration
    unread = (flaw & mask([NUMBER, *_TIMES])) != 0
    useless = (flaw & mask([PENDING, UNMATCHED])) != 0
    goes_on = (flaw & RUNNING.bit) != 0

    def note(kind: FlawKind, where: Bools) -> None:
        flaw[where] |= kind.bit

    note(NO_SUBMISSION, np.isnan(submit) & ~unread)
    note(EARLY_START, start < submit)
    note(NEGATIVE_DURATION, (told < 0) | (ran < 0))
    silent = np.isnan(told) & ~unread & ~goes_on
    note(NO_DURATION, ((told == 0) | silent) & ~useless)
    note(TOO_LONG, told > LONGEST)
    note(INCONSISTENT, np.abs(ran - told) > _CLOCK)
    note(NO_GPU, gpus == 0)
    note(GPU_COUNT, ~is_count(gpus) & ~(np.isnan(gpus) & (unread | useless)))
    note(SHARE, ~((share > 0) & (share <= 1)) & ~(np.isnan(share) & (unread | useless)))
    models, applications = model or (none, ()), application or (none, ())
    return JobRecords(
        file=file,
        line=line,
        id=id,
        submit=submit,
        duration=told,
        gpus=gpus,
        share=share,
        model=models[0],
        models=tuple(models[1]),
        application=applications[0],
        applications=tuple(applications[1]),
        flaw=flaw,
    )


Make = Callable[[TableColumns, str, Ints], JobRecords]


def table_rows(source: ByteSource, wanted: Mapping[str, str], make: Make) -> Iterator[JobRecords]:
    """
    A chunk for each block of lines, and one for the lines that are no rows.

    Parameters
    ----------
    wanted : mapping
        See `csv_blocks.Layout`.
    make : function of the columns, the name of the file and the (n,) lines
    """
    with source.open() as stream:
        columns = header_of(next(pieces(stream, HEAD), b""))
    yield from layout_rows(source, CsvLayout(columns=columns, wanted=wanted), make)


def layout_rows(source: ByteSource, layout: CsvLayout, make: Make) -> Iterator[JobRecords]:
    """The same for a layout that is known."""
    with source.open() as stream:
        for block in blocks(stream, source.name, layout):
            if len(block.other):
                yield broken_lines(source.name, block.other, FIELDS)
            if len(block.line):
                yield make(TableColumns(block), source.name, block.line)
