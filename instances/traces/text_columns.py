"""Columns of bytes: dates with times as seconds, and keys of names."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.generators.random_streams import Floats
from rsjs.instances.traces.flaws import TIME, TIME_ZONE, Bits
from rsjs.instances.traces.records import Texts

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
