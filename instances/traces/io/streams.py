"""
Files of a trace as streams of bytes: plain, .gz, or a member of a .zip or .tar archive.

A stream is cut into blocks of whole lines, so memory is that of one block. A file that ends early
or is damaged is read up to that place: `zipfile` needs the list of members at the end of an archive
and `tarfile.ExFileObject` loses what its last read got, so `FirstMember` and `TarMember` read the
members of such archives. A local header of .zip (APPNOTE 4.3.7) has the method at byte 8, the
lengths of name and extra field at bytes 26 and 28, and the data after them.
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
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any, BinaryIO, Self, cast

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
_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
_ZIP_HEADER = 30  # bytes before the name of a member
_STORED, _DEFLATED = 0, 8
_NO_ROW = b"\0"  # stands for what is left out of a line that is too long
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # of UTF-8, as some editors put it first


class Truncated(Exception):
    """
    A file that ends early, or is damaged from some place on.

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
    """
    The bytes of one table of a trace.

    Attributes
    ----------
    path : Path
    member : str
        Of the archive at `path`; empty = the file itself.
    """

    path: Path
    member: str = ""

    @property
    def name(self) -> str:
        """Return the file, and the member in parentheses."""
        return f"{self.path} ({self.member})" if self.member else str(self.path)

    def digest(self) -> dict[str, str]:
        """Return name and sha256 of the file, or of the archive, at `path`."""
        with self.path.open("rb") as file:
            sha256 = file_digest(file, "sha256").hexdigest()
        member = {"member": self.member} if self.member else {}
        return {"name": self.path.name, "sha256": sha256, **member}

    def head(self) -> bytes:
        """Read the first bytes, as many as are whole."""
        with self.open() as stream:
            return _head(stream)

    @contextmanager
    def open(self) -> Iterator[io.BufferedIOBase]:
        """Open the bytes, decompressed on the way; reading may raise one of `DAMAGE`."""
        if not self.member:
            with _plain(self.path) as stream:
                yield stream
            return
        with _members(self.path) as members:
            yield next(stream for name, stream in members if name == self.member)


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
            with _plain(path) as stream:
                yield ByteSource(path), _head(stream)
            return
        with _members(path) as members:
            for name, stream in members:
                yield ByteSource(path, name), _head(stream)
    except DAMAGE:
        return
    except (OSError, ValueError) as error:
        raise InputError("", reason(error), "a readable file", path) from None
    except RuntimeError as error:  # of zipfile: encrypted, or packed in a way that it lacks
        expected = "an archive that can be unpacked"
        raise InputError("", described(str(error)), expected, path) from None


def pieces(stream: io.BufferedIOBase, size: int) -> Iterator[bytes]:
    """Cut a stream into pieces of `size` and a shorter rest; b"" after it if nothing is damaged."""
    piece = bytearray()
    try:
        # What one read gets is lost if it meets the damage.
        while more := stream.read1(min(_READ, size - len(piece))):
            piece += more
            if len(piece) == size:
                yield bytes(piece)
                piece.clear()
    except (*DAMAGE, OSError):  # damaged .bz2 is an OSError without a number
        if piece:
            yield bytes(piece)
        return
    if piece:
        yield bytes(piece)
    yield b""


def line_blocks(stream: io.BufferedIOBase, file: str) -> Iterator[tuple[int, int, bytes]]:
    """
    Cut a stream into blocks: number of the first line, number of lines, lines with their ends.

    Raises
    ------
    Truncated
        After the last whole line of compressed data that end early.
    """
    line, rest, ended = 1, b"", False
    for piece in pieces(stream, BLOCK):
        if line == 1 and not rest:
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
        raise Truncated(file, line)


class FirstMember(io.BufferedIOBase):
    """The first member of a .zip archive as far as it is there; then EOFError."""

    def __init__(self, file: BinaryIO, name: str, method: int) -> None:
        self.name, self._file = name, file
        self._inflate = zlib.decompressobj(-zlib.MAX_WBITS) if method == _DEFLATED else None

    @classmethod
    def of(cls, path: Path) -> Self:
        """Open an archive at its first member."""
        file = path.open("rb")
        head = file.read(_ZIP_HEADER)
        if len(head) < _ZIP_HEADER:
            raise zipfile.BadZipFile("no header of a member")
        method, name, extra = struct.unpack("<8xH16xHH", head)
        if method not in (_STORED, _DEFLATED):
            raise zipfile.BadZipFile(f"compression method {method}")
        title = file.read(name).decode("utf-8", "replace")
        file.seek(extra, io.SEEK_CUR)
        return cls(file, title, method)

    def read1(self, size: int = -1, /) -> bytes:
        """Read some bytes more, at most `size`; b"" where the member rightly ends."""
        if self._inflate is None:
            if piece := self._file.read(size):
                return piece
        else:
            while not self._inflate.eof:
                packed = self._inflate.unconsumed_tail or self._file.read(_READ)
                if not packed:
                    break
                if piece := self._inflate.decompress(packed, max(0, size)):
                    return piece
            if self._inflate.eof:
                return b""
        raise EOFError("the archive ends within a member")

    def close(self) -> None:
        self._file.close()
        super().close()


class TarMember(io.BufferedIOBase):
    """A member of a .tar archive that is read as a stream, as far as it is there; then EOFError."""

    def __init__(self, stream: Any, size: int) -> None:
        self._stream, self._left = stream, size

    def read1(self, size: int = -1, /) -> bytes:
        """Read some bytes more, at most `size`; b"" where the member rightly ends."""
        piece: bytes = self._stream.read(self._left if size < 0 else min(size, self._left))
        if not piece and size and self._left:
            raise EOFError("the archive ends within a member")
        self._left -= len(piece)
        return piece


def _head(stream: io.BufferedIOBase) -> bytes:
    return next(pieces(stream, HEAD), b"")


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


@contextmanager
def _plain(path: Path) -> Iterator[io.BufferedIOBase]:
    if _starts(path)[:2] == _GZIP:
        with gzip.open(path) as packed:
            yield packed
    else:
        with path.open("rb") as file:
            yield file


@contextmanager
def _members(path: Path) -> Iterator[Iterator[tuple[str, io.BufferedIOBase]]]:
    """Open names and streams of an archive in turn: each ends where the next begins."""
    if _starts(path) != _ZIP:
        with tarfile.open(path, "r|*") as tar:  # a stream: no pass over all of it for a list
            entries = (entry for entry in tar if entry.isfile())
            yield ((entry.name, TarMember(tar.fileobj, entry.size)) for entry in entries)
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            names = (info.filename for info in archive.infolist() if not info.is_dir())
            yield ((name, cast(io.BufferedIOBase, archive.open(name))) for name in names)
    else:
        with FirstMember.of(path) as member:
            yield iter([(member.name, member)])
