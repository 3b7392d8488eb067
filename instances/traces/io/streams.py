"""
Files of a trace as streams of bytes: plain, .gz, or a member of a .zip or .tar archive.

A stream of bytes cut into blocks of whole lines; memory is that of one block.
"""

from __future__ import annotations

import gzip
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import cast

import numpy as np

from rsjs.core.errors import InputError, described, reason
from rsjs.instances.traces.io.truncated_archives import FirstMember, Stream, TarMember

HEAD = 1 << 16  # bytes from which the format is told
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


@dataclass(frozen=True)
class ByteSource:
    """
    One table of a trace.

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
        """File, and member in parentheses."""
        return f"{self.path} ({self.member})" if self.member else str(self.path)

    def digest(self) -> dict[str, str]:
        """Name and sha256 of the file, or of the archive, at `path`."""
        with self.path.open("rb") as file:
            found = file_digest(file, "sha256").hexdigest()
        member = {"member": self.member} if self.member else {}
        return {"name": self.path.name, "sha256": found, **member}

    @contextmanager
    def open(self) -> Iterator[io.BufferedIOBase]:
        """The bytes, decompressed on the way; reading may raise one of `DAMAGE`."""
        if not self.member:
            with _plain(self.path) as stream:
                yield stream
            return
        with _members(self.path) as members:
            yield next(stream for name, stream in members if name == self.member)


def sources(path: Path) -> Iterator[tuple[ByteSource, bytes]]:
    """
    What a file holds, each with its first bytes: itself, or the members of an archive.

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
        told, expected = described(str(error)), "an archive that can be unpacked"
        raise InputError("", told, expected, path) from None


def pieces(stream: io.BufferedIOBase, size: int) -> Iterator[bytes]:
    """The bytes in pieces of `size`, the last one shorter; b"" after it if the stream is whole."""
    found = bytearray()
    try:
        # What one read gets is lost if it meets the damage.
        while piece := stream.read1(min(_READ, size - len(found))):
            found += piece
            if len(found) == size:
                yield bytes(found)
                found.clear()
    except (*DAMAGE, OSError):  # damaged .bz2 is an OSError without a number
        if found:
            yield bytes(found)
        return
    if found:
        yield bytes(found)
    yield b""


def _head(stream: io.BufferedIOBase) -> bytes:
    """The first bytes, or as many as are whole."""
    return next(pieces(stream, HEAD), b"")


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
    """Names and streams of an archive, one after the other: each ends where the next begins."""
    if _starts(path) != _ZIP:
        with tarfile.open(path, "r|*") as tar:  # a stream: no pass over all of it for a list
            entries = (entry for entry in tar if entry.isfile())
            yield ((e.name, TarMember(cast(Stream, tar.fileobj), e.size)) for e in entries)
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            names = (info.filename for info in archive.infolist() if not info.is_dir())
            yield ((name, cast(io.BufferedIOBase, archive.open(name))) for name in names)
    else:
        with FirstMember.of(path) as member:
            yield iter([(member.name, member)])


BLOCK = 1 << 21  # bytes; larger ones are slower: they do not fit the cache
LONGEST = 1 << 20  # bytes of a line at the end of a block: a longer one is no row
_NO_ROW = b"\0"  # stands for what is left out of it
_MARK = b"\xef\xbb\xbf"  # of UTF-8, as some editors put it first


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


def line_blocks(
    stream: io.BufferedIOBase, file: str, size: int = BLOCK
) -> Iterator[tuple[int, int, bytes]]:
    """
    Number of the first line, number of lines, and whole lines with their ends.

    Raises
    ------
    Truncated
        After the last whole line of compressed data that end early.
    """
    line, rest, ended = 1, b"", False
    for piece in pieces(stream, size):
        if line == 1 and not rest:
            piece = piece.removeprefix(_MARK)
        ended = not piece
        block = rest + (piece or (b"\n" if rest else b""))
        cut = block.rfind(b"\n") + 1
        rest = block[cut:] if len(block) - cut <= LONGEST else _NO_ROW
        if cut:
            whole = block[:cut]
            lines = _lines_of(whole)
            yield line, lines, whole
            line += lines
    if not ended:
        raise Truncated(file, line)


def _lines_of(text: bytes) -> int:
    """How many line ends there are; several times faster than `bytes.count` where they are many."""
    return int(np.count_nonzero(np.frombuffer(text, dtype=np.uint8) == ord("\n")))
