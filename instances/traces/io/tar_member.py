"""
A member of a .tar archive that is read as a stream, whose last bytes count if it ends early.

`tarfile.ExFileObject` loses what its last read got before the end of the archive.
"""

from __future__ import annotations

import io
from typing import Protocol


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
