"""
Files of a trace as streams of bytes: plain, .gz, or a member of a .zip or .tar archive.

A stream is cut into blocks of whole lines, so memory is that of one block. A file that ends early
or is damaged is read up to that place: `zipfile` needs the list of members at the end of an archive
and `tarfile.ExFileObject` loses what its last read got, so the members of such archives are read
here. A local header of .zip (APPNOTE 4.3.7) has the method at byte 8, the lengths of name and extra
field at bytes 26 and 28, and the data after them.
"""

from __future__ import annotations

import gzip
import io
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from rsjs.core.errors import InputError, described, reason

HEAD = 1 << 16  # bytes from which the format is told
BLOCK = 1 << 21  # bytes; larger ones are slower: they do not fit the cache
MAX_LINE = 1 << 20  # bytes of a line at the end of a block: a longer one is no row
# What reading raises where compressed data ends early or is damaged.
DAMAGE = (
    EOFError,
    zlib.error,
    lzma.LZMAError,
    gzip.BadGzipFile,
    tarfile.ReadError,
    zipfile.BadZipFile,
)
_READ = 1 << 16
_PACKED = 1 << 12  # bytes inflated at once: they may become a thousand times as many
_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
_ZIP_HEADER = 30  # bytes before the name of a member
_NO_ROW = b"\0"  # stands for what is left out of a line that is too long
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # of UTF-8, as some editors put it first


class Truncated(Exception):
    """
    Error: a file ends early, or is damaged from some place on.

    Attributes
    ----------
    file : str
    line : int
        The first that is not whole.
    """

    def __init__(self, file: str, line: int) -> None:
        self.file, self.line = file, line
        super().__init__(f"{file} ends within line {line}")


@dataclass(frozen=True)
class ByteSource:
    """The bytes of one table of a trace."""

    path: Path
    member: str = ""  # of the archive at `path`; empty = the file itself
    data: bytes | None = None  # a table that is no file, and `path` its name: it has rows, from 0

    @property
    def name(self) -> str:
        """Return the file, and the member in parentheses."""
        return f"{self.path} ({self.member})" if self.member else str(self.path)

    @property
    def unit(self) -> str:
        """Return the name of its lines, for messages."""
        return "line" if self.data is None else "row"

    @property
    def first_line(self) -> int:
        """Return the number of the first line; a table that is no file begins with its header."""
        return 1 if self.data is None else -1

    def digest(self) -> dict[str, str]:
        """Return name and sha256 of the file, or of the archive, at `path`, or of the data."""
        with self.path.open("rb") if self.data is None else io.BytesIO(self.data) as file:
            sha256 = file_digest(file, "sha256").hexdigest()
        member = {"member": self.member} if self.member else {}
        return {"name": self.path.name, "sha256": sha256, **member}

    def head(self) -> bytes:
        """Read the first bytes, as many as are whole."""
        return next(self.pieces(HEAD), b"")

    def pieces(self, size: int) -> Iterator[bytes]:
        """Read pieces of `size` and a shorter rest; b"" after it if nothing is damaged."""
        if self.data is not None:
            yield from _pieces(_read(io.BytesIO(self.data)), size)
            return
        members = _members(self.path) if self.member else iter([("", _plain(self.path))])
        for name, chunks in members:
            if name == self.member:
                yield from _pieces(chunks, size)
                return


def list_sources(path: Path) -> Iterator[tuple[ByteSource, bytes]]:
    """
    List what a file holds, each with its first bytes: itself, or the members of an archive.

    A damaged archive ends the iteration; reading the last source meets the damage again.

    Raises
    ------
    InputError
        No such file, one that is none (a folder, a pipe), or it cannot be read.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe without a writer is never opened
            raise ValueError("no regular file")
        if not _is_archive(path):
            yield ByteSource(path), next(_pieces(_plain(path), HEAD), b"")
            return
        for name, chunks in _members(path):
            yield ByteSource(path, name), next(_pieces(chunks, HEAD), b"")
    except DAMAGE:
        return
    except (OSError, ValueError) as error:
        raise InputError("", reason(error), "a readable file", path) from None
    except RuntimeError as error:  # of zipfile: encrypted, or packed in a way that it lacks
        expected = "an archive that can be unpacked"
        raise InputError("", described(str(error)), expected, path) from None


def _pieces(chunks: Iterator[bytes], size: int) -> Iterator[bytes]:
    piece, whole = bytearray(), False
    with suppress(*DAMAGE, OSError):  # damaged .bz2 is an OSError without a number
        for chunk in chunks:
            piece += chunk
            while len(piece) >= size:
                yield bytes(piece[:size])
                del piece[:size]
        whole = True
    if piece:
        yield bytes(piece)
    if whole:
        yield b""


def line_blocks(source: ByteSource) -> Iterator[tuple[int, int, bytes]]:
    """
    Cut a table into blocks: number of the first line, number of lines, lines with their ends.

    Raises
    ------
    Truncated
        After the last whole line of compressed data that end early.
    """
    line, rest, ended = source.first_line, b"", False
    for piece in source.pieces(BLOCK):
        if line == source.first_line and not rest:
            piece = piece.removeprefix(_BYTE_ORDER_MARK)
        ended = not piece
        block = rest + (piece or (b"\n" if rest else b""))
        # The line that the end of the block cuts begins the next block.
        cut = block.rfind(b"\n") + 1
        rest = block[cut:] if len(block) - cut <= MAX_LINE else _NO_ROW
        if cut:
            whole = block[:cut]
            lines = _count_lines(whole)
            yield line, lines, whole
            line += lines
    if not ended:
        raise Truncated(source.name, line)


def _count_lines(text: bytes) -> int:
    """Count line ends; several times faster than `bytes.count` where they are many."""
    return int(np.count_nonzero(np.frombuffer(text, dtype=np.uint8) == ord("\n")))


def _starts(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(4)


def _is_archive(path: Path) -> bool:
    try:
        return _starts(path) == _ZIP or tarfile.is_tarfile(path)
    except DAMAGE:  # .gz with less than a header of .tar in it
        return False


def _plain(path: Path) -> Iterator[bytes]:
    """Read a file that is no archive; one that cannot be opened is not taken for a damaged one."""
    is_packed = _starts(path)[:2] == _GZIP

    def chunks() -> Iterator[bytes]:
        with gzip.open(path) if is_packed else path.open("rb") as file:
            yield from _read(file)

    return chunks()


def _read(file: Any) -> Iterator[bytes]:
    """Read an open file in chunks: what one read gets is lost if it meets the damage."""
    return iter(lambda: file.read1(_READ), b"")


def _members(path: Path) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Yield names and chunks of the members of an archive: each ends where the next begins."""
    if _starts(path) != _ZIP:
        with tarfile.open(path, "r|*") as tar:  # a stream: no pass over all of it for a list
            for entry in tar:
                if entry.isfile():
                    yield entry.name, _tar_member(tar.fileobj, entry.size)
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if not info.is_dir():
                    yield info.filename, _read(archive.open(info))
    else:
        with path.open("rb") as file:
            yield _first_member(file)


def _tar_member(stream: Any, size: int) -> Iterator[bytes]:
    """Read a member of an archive that is a stream, as far as it is there; then EOFError."""
    while size:
        chunk: bytes = stream.read(min(_READ, size))
        if not chunk:
            raise EOFError("the archive ends within a member")
        size -= len(chunk)
        yield chunk


def _first_member(file: BinaryIO) -> tuple[str, Iterator[bytes]]:
    """Return name and chunks of the first member of a .zip without its list of members."""
    head = file.read(_ZIP_HEADER)
    if len(head) < _ZIP_HEADER:
        raise zipfile.BadZipFile("no header of a member")
    method, name, extra = struct.unpack("<8xH16xHH", head)
    if method not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise zipfile.BadZipFile(f"compression method {method}")
    title = file.read(name).decode("utf-8", "replace")
    file.seek(extra, io.SEEK_CUR)

    def chunks() -> Iterator[bytes]:
        inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        while packed := file.read(_PACKED):
            yield packed if method == zipfile.ZIP_STORED else inflate.decompress(packed)
            if inflate.eof:
                return
        raise EOFError("the archive ends within a member")

    return title, chunks()
