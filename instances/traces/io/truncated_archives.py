"""
The first member of a .zip archive whose end is lost, and with it the list of its members.

A local header (APPNOTE 4.3.7) has the method at byte 8, the lengths of name and extra field at
bytes 26 and 28, and the data after them.

A member of a .tar archive that is read as a stream, whose last bytes count if it ends early.

`tarfile.ExFileObject` loses what its last read got before the end of the archive.
"""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import BinaryIO, Protocol, Self
from zipfile import BadZipFile

_HEADER = 30  # bytes before the name
_STORED, _DEFLATED = 0, 8
_PIECE = 1 << 16


class FirstMember(io.BufferedIOBase):
    """Its bytes as far as they are there; then EOFError."""

    def __init__(self, file: BinaryIO, name: str, method: int) -> None:
        self.name, self._file = name, file
        self._inflate = zlib.decompressobj(-zlib.MAX_WBITS) if method == _DEFLATED else None

    @classmethod
    def of(cls, path: Path) -> Self:
        """Open an archive at its first member."""
        file = path.open("rb")
        head = file.read(_HEADER)
        if len(head) < _HEADER:
            raise BadZipFile("no header of a member")
        method, name, extra = struct.unpack("<8xH16xHH", head)
        if method not in (_STORED, _DEFLATED):
            raise BadZipFile(f"compression method {method}")
        title = file.read(name).decode("utf-8", "replace")
        file.seek(extra, io.SEEK_CUR)
        return cls(file, title, method)

    def readable(self) -> bool:
        return True

    def read1(self, size: int = -1, /) -> bytes:
        """Some bytes more, at most `size`; b"" where the member rightly ends."""
        if self._inflate is None:
            if piece := self._file.read(size):
                return piece
        else:
            while not self._inflate.eof:
                packed = self._inflate.unconsumed_tail or self._file.read(_PIECE)
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


class Stream(Protocol):
    """What the archive is read from."""

    def read(self, size: int, /) -> bytes: ...


class TarMember(io.BufferedIOBase):
    """Its bytes as far as they are there; then EOFError."""

    def __init__(self, stream: Stream, size: int) -> None:
        self._stream, self._left = stream, size

    def readable(self) -> bool:
        return True

    def read1(self, size: int = -1, /) -> bytes:
        """Some bytes more, at most `size`; b"" where the member rightly ends."""
        piece = self._stream.read(self._left if size < 0 else min(size, self._left))
        if not piece and size and self._left:
            raise EOFError("the archive ends within a member")
        self._left -= len(piece)
        return piece
