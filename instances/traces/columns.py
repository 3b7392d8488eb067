"""
From the columns of a table to the common record, with the flaws that one row shows by itself.

Columns are numbers, dates with times as seconds, texts of bytes, or words: positions in the few
different ones. Texts are compared by 64-bit hashes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsjs.core.types import Bools, Floats, Ints
from rsjs.instances.traces import flaws
from rsjs.instances.traces.flaws import Bits, FlawKind
from rsjs.instances.traces.io.csv import read_blocks
from rsjs.instances.traces.io.streams import ByteSource
from rsjs.instances.traces.records import JobRecords, Texts, TraceTable, broken_lines

MAX_RUN_TIME = 366 * 86400.0  # s
MAX_TIME = 2.0**53  # s: beyond it floats do not tell seconds apart
MAX_GPUS = 1 << 20  # of a job: beyond it floats are no counts
_CLOCK = 1.0  # s that end - start may differ from a duration: both are rounded
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


class TableBlock:
    """
    Consecutive rows of a table, and the flaws of the texts that were read.

    Attributes
    ----------
    file : str
    line : (n,) int
    flaw : (n,) uint32
    """

    def __init__(self, file: str, line: Ints, frame: Any) -> None:
        self.file, self.line, self._frame = file, line, frame
        self.flaw: Bits = np.zeros(len(line), dtype=np.uint32)

    def number(self, name: str) -> Floats:
        """Read (n,) numbers, NaN where nothing stands."""
        column = self._frame[name]
        # pandas made numbers of a column without other texts.
        if column.dtype.kind in "iuf":
            values = column.to_numpy(dtype=np.float64)
            wrong = np.isinf(values)
        else:
            texts = column.astype(object).map(str, na_action="ignore")
            values = pd.to_numeric(texts, errors="coerce").to_numpy(dtype=np.float64)
            wrong = column.notna().to_numpy() & ~np.isfinite(values)
        self.flaw[wrong] |= flaws.NUMBER.bit
        return np.where(wrong, np.nan, values)

    def time(self, name: str) -> Floats:
        """Read (n,) seconds, NaN where nothing stands or a number so large that it is none."""
        values = self.number(name)
        far = np.abs(values) > MAX_TIME
        self.flaw[far] |= flaws.NUMBER.bit
        return np.where(far, np.nan, values)

    def date(self, name: str) -> Floats:
        """Read (n,) dates as seconds, NaN where nothing stands."""
        values, flaw = parse_dates(self.text(name))
        self.flaw |= flaw
        return values

    def text(self, name: str) -> Texts:
        """Read (n,) texts as bytes."""
        texts: Texts = self._frame[name].to_numpy()
        return texts

    def word(self, name: str) -> tuple[Ints, tuple[str, ...]]:
        """Read (n,) positions in the words, -1 where nothing stands, and the words."""
        column = self._frame[name].cat
        return column.codes.to_numpy().astype(np.int64), tuple(map(str, column.categories))

    def note_states(self, name: str, done: str, meaning: Mapping[str, FlawKind]) -> None:
        """Note the kind of each word that is listed; `done` has none, and others are `STATE`."""
        codes, words = self.word(name)
        stripped = [word.strip() for word in words]
        bits = [0 if word == done else meaning.get(word, flaws.STATE).bit for word in stripped]
        self.flaw |= np.array([*bits, flaws.STATE.bit], dtype=np.uint32)[codes]


def read_table(
    table: TraceTable,
    build: Callable[[TableBlock], JobRecords],
    sources: Mapping[str, ByteSource],
) -> Iterator[JobRecords]:
    """Read a table: a chunk for each block of lines, and one for its lines that are no rows."""
    source = sources[table.name]
    layout = table.layout(source.head())
    with source.open() as stream:
        for line, frame, other in read_blocks(stream, source.name, layout):
            if len(other):
                yield broken_lines(source.name, other, flaws.FIELDS)
            if len(line):
                yield build(TableBlock(source.name, line, frame))


def job_records(
    block: TableBlock,
    *,
    id: Texts,
    submit: Floats,
    start: Floats | None = None,
    end: Floats | None = None,
    gpus: Floats,
    duration: Floats | None = None,
    share: Floats | None = None,
    model: tuple[Ints, Sequence[str]] | None = None,
    application: tuple[Ints, Sequence[str]] | None = None,
) -> JobRecords:
    """
    Build the common record of a block, with the flaws that one row shows by itself added.

    Parameters
    ----------
    submit, start, end : (n,) float [s]
        NaN where nothing is recorded.
    duration : (n,) float [s], optional
        As recorded; otherwise end - start.
    share : (n,) float, optional
        Otherwise 1.
    model, application : (n,) int and the words in which they are positions, optional
        Otherwise not recorded.
    """
    n = len(block.line)
    unknown, none = np.full(n, np.nan), (np.full(n, -1, dtype=np.int64), ())
    share = np.ones(n) if share is None else share
    start, end = unknown if start is None else start, unknown if end is None else end
    elapsed = end - start
    run_time = elapsed if duration is None else duration
    flaw = block.flaw
    # What cannot be read, or never ran, is not reported a second time as missing.
    unread = (flaw & flaws.mask([flaws.NUMBER, flaws.TIME, flaws.TIME_ZONE])) != 0
    useless = (flaw & flaws.mask([flaws.PENDING, flaws.UNMATCHED])) != 0
    running = (flaw & flaws.RUNNING.bit) != 0
    silent = np.isnan(run_time) & ~unread & ~running
    wrong_share = ~((share > 0) & (share <= 1)) & ~(np.isnan(share) & (unread | useless))
    for kind, rows in (
        (flaws.NO_SUBMISSION, np.isnan(submit) & ~unread),
        (flaws.EARLY_START, start < submit),
        (flaws.NEGATIVE_DURATION, (run_time < 0) | (elapsed < 0)),
        (flaws.NO_DURATION, ((run_time == 0) | silent) & ~useless),
        (flaws.TOO_LONG, run_time > MAX_RUN_TIME),
        (flaws.INCONSISTENT, np.abs(elapsed - run_time) > _CLOCK),
        (flaws.NO_GPU, gpus == 0),
        (flaws.GPU_COUNT, ~is_count(gpus) & ~(np.isnan(gpus) & (unread | useless))),
        (flaws.SHARE, wrong_share),
    ):
        flaw[rows] |= kind.bit
    model, application = model or none, application or none
    return JobRecords(
        file=block.file,
        line=block.line,
        id=id,
        submit=submit,
        duration=run_time,
        gpus=gpus,
        share=share,
        model=model[0],
        models=tuple(model[1]),
        application=application[0],
        applications=tuple(application[1]),
        flaw=flaw,
    )


def is_count(gpus: Floats) -> Bools:
    """Return whether each is a whole number of GPUs: (n,)."""
    return np.asarray((gpus >= 0) & (gpus <= MAX_GPUS) & (gpus == np.floor(gpus)))


def parse_dates(texts: Texts) -> tuple[Floats, Bits]:
    """
    Return seconds from 1970 of texts such as "2020-06-09 18:41:01", leap seconds left out.

    Returns
    -------
    (n,) float
        NaN where nothing or no such text stands.
    (n,) uint32
        `TIME` or `TIME_ZONE` where another text stands.
    """
    # (20, n) bytes: the characters of the texts, and what ends them.
    n, width = len(texts), max(_LENGTH + 1, texts.dtype.itemsize)
    data = np.ascontiguousarray(texts.astype(f"S{width}", copy=False)).view(np.uint8)
    place = np.ascontiguousarray(data.reshape(n, width)[:, : _LENGTH + 1].T)
    good = place[_LENGTH] == 0
    for i, mark in _MARKS.items():
        good &= place[i] == ord(mark)
    # Each pair of digits as a number, by its place.
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
    seconds = np.where(good, hours * 3600.0 + (60 * pair[14] + pair[17]), np.nan)
    flaw = np.zeros(n, dtype=np.uint32)
    for i in np.flatnonzero(~good).tolist():
        if (text := texts[i].strip()) not in _MISSING:
            flaw[i] = (flaws.TIME_ZONE if _ZONED.fullmatch(text) else flaws.TIME).bit
    return seconds, flaw


def hash_texts(texts: Texts) -> NDArray[np.uint64]:
    """Return (n,) 64-bit hashes: different texts have different ones, up to chance (n^2 / 2^65)."""
    words = -(-texts.dtype.itemsize // 8)
    data = np.ascontiguousarray(texts.astype(f"S{8 * words}")).view(np.uint64)
    hashes = np.zeros(len(texts), dtype=np.uint64)
    for column in data.reshape(len(texts), words).T:
        hashes = mix_hashes(hashes, column)
    return hashes


def mix_hashes(hashes: NDArray[np.uint64], more: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return (n,) hashes of texts that go on with eight bytes more, or of pairs."""
    hashes = (hashes ^ more) * _FACTOR
    hashes ^= hashes >> _SHIFT
    return hashes


def repeated(hashes: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Return the positions of the hashes that an earlier position has, in order."""
    ordered = np.sort(hashes)  # 8 bytes each; a hash table of all of them takes several times that
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    members = np.flatnonzero(pd.Series(hashes).isin(twice)) if len(twice) else np.arange(0)
    return np.asarray(members[pd.Series(hashes[members]).duplicated().to_numpy()])
