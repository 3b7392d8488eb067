"""
Files as strangers may have left them: read if they are regular, and no further than memory bears.

A pipe waits for a writer that may never come, a device has no end, and 10 MB may be unpacked to
10 GB: each is refused by its name before it is read, or as soon as the limit is passed.
"""

from __future__ import annotations

import errno
import gzip
import io
import os
import stat
import sys
import zlib
from functools import lru_cache
from pathlib import Path
from typing import IO, TextIO

from rsjs.core.errors import STANDARD, InputError, described, reason

MOST_BYTES = 2**28  # of a file, and of what a compressed one is unpacked to: 256 MiB
MOST_VALUES = 20_000_000  # of a JSON document, which takes up to 240 bytes of memory for each
PIECE = 2**20  # bytes read at once


def opened(path: str | Path) -> IO[bytes]:
    """
    Open a regular file for reading; "-" is standard input.

    Raises
    ------
    InputError
        For a pipe, a device or a socket, links to them included.
    OSError
        As `open` does.
    """
    if str(path) == STANDARD:
        if sys.stdin is None:
            raise InputError("", described("nothing: it is closed"), "an open one", path)
        return io.BytesIO(_held(sys.stdin))
    # a pipe that nobody writes to would block here; regular files know no such flag
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    file = os.fdopen(descriptor, "rb")
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        file.close()
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, "Is a directory", str(path))
        raise InputError("", described("a pipe, a device or a socket"), "a regular file", path)
    return file


@lru_cache(maxsize=1)
def _held(stream: TextIO) -> bytes:
    """Return what a stream holds; it is kept, as commands look at a file before they read it."""
    return stream.buffer.read(MOST_BYTES + 1)


def read_bytes(path: str | Path, most: int = MOST_BYTES) -> bytes:
    """
    Read a regular file of at most so many bytes, as it is.

    Raises
    ------
    InputError
        For what is no regular file, and for a larger one.
    OSError
        As `open` does.
    """
    with opened(path) as file:
        return read_whole(file, path, most)


def unpacked(data: bytes, path: str | Path, most: int = MOST_BYTES) -> bytes:
    """
    Unpack the bytes of a .gz file.

    Raises
    ------
    InputError
        If they are damaged, or more than `most` unpacked.
    """
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            return read_whole(packed, path, most, " unpacked")
    except (EOFError, OSError, zlib.error) as error:
        found = described(f"damaged gzip data ({error})")
        raise InputError("", found, "a whole .gz file", path) from None


def read_text(path: str | Path, data: bytes | None = None, encoding: str = "utf-8") -> str:
    """
    Read a text file, unpacked if its name ends in .gz.

    Parameters
    ----------
    data : bytes, optional
        What the file holds, if it is no file to be read.
    encoding : "utf-8", "utf-8-sig", or "latin-1", which every byte is a letter of

    Raises
    ------
    InputError
        Naming the file: whatever prevents it from being read as such text.
    """
    try:
        data = read_bytes(path) if data is None else data
        if str(path).endswith(".gz"):
            data = unpacked(data, path)
        return data.decode(encoding)
    except InputError:
        raise
    except UnicodeDecodeError as error:
        bad = described(f"byte 0x{error.object[error.start]:02x} at offset {error.start}")
        raise InputError("", bad, "UTF-8 text", path) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise InputError("", reason(error), "a readable file", path) from None


def most_rows(columns: int) -> int:
    """Return how many rows of a table may be read: MOST_VALUES cells, at least 10 per row."""
    return MOST_VALUES // max(10, columns)


def read_whole(
    file: IO[bytes] | gzip.GzipFile, path: str | Path, most: int = MOST_BYTES, how: str = ""
) -> bytes:
    """
    Read an open file of at most so many bytes; InputError names `path` if it has more.

    Piece by piece: a buffer for all that is allowed would be as large as that.
    """
    parts, size = [], 0
    while part := file.read(PIECE):
        parts.append(part)
        size += len(part)
        if size > most:
            expected = f"at most {most / 2**20:g} MiB"
            raise InputError("", described(f"more than that{how}"), expected, path)
    return b"".join(parts)
