"""
From the columns of a table to the common record, with the flaws that one row shows by itself.

Columns are numbers, dates with times as seconds, texts of bytes, or words: positions in the few
different ones. Texts are compared by 64-bit hashes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsjs.core.errors import InputError, described
from rsjs.core.types import Bools, Floats, Ints
from rsjs.instances.traces import flaws
from rsjs.instances.traces.flaws import Bits, FlawKind
from rsjs.instances.traces.io.csv import read_blocks
from rsjs.instances.traces.io.streams import ByteSource, Truncated
from rsjs.instances.traces.records import JobRecords, Texts, TraceNodes, TraceTable, broken_lines

MAX_RUN_TIME = 366 * 86400.0  # s
MAX_TIME = 2.0**53  # s: beyond it floats do not tell seconds apart
MAX_GPUS = 1 << 20  # of a job: beyond it floats are no counts
MAX_NODE_GPUS = 1024
MAX_NODES = 1_000_000  # of a group, as in the schema of files
_CLOCK = 1.0  # s that end - start may differ from a duration: both are rounded
_MISSING = {b"", b"-", b"NA", b"N/A", b"NULL", b"NaN", b"None", b"nan", b"null"}
_FORM = np.frombuffer(b"0000-00-00 00:00:00\0", dtype=np.uint8)
FIRST_DATE, END_OF_DATES = np.datetime64("1900-01-01", "s"), np.datetime64("2200-01-01", "s")
_ZONED = re.compile(rb"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)? ?(Z|[+-]\d\d:?\d\d|[A-Z]{3,4})")


class TableBlock:
    """
    Consecutive rows of a table, and the errors in them.

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
        texts = column
        if column.dtype.kind not in "iuf":  # pandas made numbers of a column without other texts
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
    for line, frame, other in read_blocks(source, layout):
        if len(other):
            yield broken_lines(source.name, other, flaws.FIELDS)
        if len(line):
            yield build(TableBlock(source.name, line, frame))


def read_nodes(
    table: TraceTable,
    gpus: str,
    model: str | None,
    sources: Mapping[str, ByteSource],
    *,
    count: str | None = None,
) -> list[TraceNodes]:
    """
    Read a node list; nodes without GPUs are left out.

    Parameters
    ----------
    gpus, model : str
        Columns; None = the list has no GPU types.
    count : str, optional
        Column with the number of such nodes; otherwise 1.
    sources : mapping
        Without this table there are no nodes.
    """
    if table.name not in sources:
        return []
    source = sources[table.name]
    layout = table.layout(source.head())
    for name in layout.wanted:
        if (found := layout.columns.count(name)) != 1:
            times = described(f"column {name!r} {found} times")
            raise InputError("/1", times, "it once", source.name)
    nodes: Counter[tuple[str, int]] = Counter()
    try:
        for line, frame, other in read_blocks(source, layout):
            for i in other[:1].tolist():
                raise InputError(f"/{i}", described("other fields"), "a node", source.name)
            block = TableBlock(source.name, line, frame)
            size = _counts(block, frame, gpus, MAX_NODE_GPUS)
            alike = np.ones_like(size) if count is None else _counts(block, frame, count, MAX_NODES)
            # GPU type and GPUs of each node of the block.
            codes, models = block.word(model) if model else (np.full(len(line), -1), ())
            names = map((*models, "").__getitem__, codes.tolist())
            for name, each, number in zip(names, size.tolist(), alike.tolist(), strict=True):
                nodes[name, each] += number
    except Truncated as error:
        bad = described(f"an end within line {error.line}")
        raise InputError("", bad, "a whole node list", source.name) from None
    return [TraceNodes(name, each, number) for (name, each), number in nodes.items() if each]


def _counts(block: TableBlock, frame: Any, column: str, most: int) -> Ints:
    """Return a column of a node list; InputError at the first that is no count."""
    values = block.number(column)
    for i in np.flatnonzero(~is_count(values, most))[:1]:
        entry = frame[column].iloc[i]
        found = described("nothing" if pd.isna(entry) else str(entry))
        raise InputError(
            f"/{block.line[i]}/{column}", found, f"a whole number 0 to {most}", block.file
        )
    return values.astype(np.int64)


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
    due: Floats | None = None,
    weight: Floats | None = None,
    memory: Floats | None = None,
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
    due [s], weight [$/h], memory [GB] : (n,) float, optional
        NaN where nothing is recorded.
    """
    n = len(block.line)
    unknown, none = np.full(n, np.nan), (np.full(n, -1, dtype=np.int64), ())
    share = np.ones(n) if share is None else share
    start, end = unknown if start is None else start, unknown if end is None else end
    due = unknown if due is None else due
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
        (flaws.EARLY_DUE, due < submit),
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
        start=start,
        end=end,
        due=due,
        weight=unknown if weight is None else weight,
        memory=unknown if memory is None else memory,
    )


def is_missing(text: bytes) -> bool:
    """Return whether an entry says that there is nothing."""
    return text in _MISSING


def is_count(gpus: Floats, most: int = MAX_GPUS) -> Bools:
    """Return whether each is a whole number of GPUs, at most `most`: (n,)."""
    return np.asarray((gpus >= 0) & (gpus <= most) & (gpus == np.floor(gpus)))


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
    # Texts of this form, all digits taken as 0; their ranges are checked as they are parsed.
    digits = texts.astype(f"S{len(_FORM)}").view(np.uint8).reshape(-1, len(_FORM))
    plain = (np.where((digits >= 48) & (digits <= 57), 48, digits) == _FORM).all(axis=1)
    moments = np.full(len(texts), "NaT", dtype="datetime64[s]")
    try:
        moments[plain] = texts[plain].astype("datetime64[s]")
    except ValueError:  # one of them is no moment of the calendar
        moments[plain] = pd.to_datetime(texts[plain].astype(str), format="ISO8601", errors="coerce")
    moments[(moments < FIRST_DATE) | (moments >= END_OF_DATES)] = "NaT"
    missing = np.isnat(moments)
    flaw = np.zeros(len(texts), dtype=np.uint32)
    for i in np.flatnonzero(missing).tolist():
        if (text := texts[i].strip()) not in _MISSING:
            flaw[i] = (flaws.TIME_ZONE if _ZONED.fullmatch(text) else flaws.TIME).bit
    return np.where(missing, np.nan, moments.astype(np.float64)), flaw


def hash_texts(texts: Texts) -> NDArray[np.uint64]:
    """Return (n,) 64-bit hashes: different texts have different ones, up to chance (n^2 / 2^65)."""
    hashes: NDArray[np.uint64] = pd.util.hash_array(texts.astype(object), categorize=False)
    return hashes
