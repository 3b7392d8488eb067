"""A stream of bytes cut into blocks of whole lines; memory is that of one block."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np

from rsjs.instances.traces.byte_sources import pieces

BLOCK = 1 << 21  # bytes; larger ones are slower: they do not fit the cache
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
) -> Iterator[tuple[int, bytes]]:
    """
    Number of the first line, and whole lines with their ends.

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
        rest = block[cut:]
        if cut:
            whole = block[:cut]
            yield line, whole
            line += lines_of(whole)
    if not ended:
        raise Truncated(file, line)


def lines_of(text: bytes) -> int:
    """How many line ends there are; several times faster than `bytes.count` where they are many."""
    return int(np.count_nonzero(np.frombuffer(text, dtype=np.uint8) == ord("\n")))
