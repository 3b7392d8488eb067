"""The objects of a long JSON array, one at a time: memory is that of a piece and one object."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from typing import Any

from rsjs.instances.traces.io.streams import BLOCK, Truncated, pieces

LONGEST_OBJECT = 1 << 24  # characters: a longer one is broken
LONGEST_TEXT = 1 << 16  # characters of a string: an error further from the end is a real one
_BETWEEN = re.compile(r"[\s,\[\]\ufeff]*")


def objects(
    stream: io.BufferedIOBase, file: str, starts: re.Pattern[str], size: int = BLOCK
) -> Iterator[tuple[int, Any]]:
    """
    Line on which an object starts, and the object; None where the JSON is broken.

    Parameters
    ----------
    starts : pattern
        How an object begins: where reading goes on after broken text.

    Raises
    ------
    Truncated
        Where the array does not end, or compressed data end early.
    """
    decoder, utf8 = JSONDecoder(), codecs.getincrementaldecoder("utf-8")("replace")
    text, at, line, ended, closed = "", 0, 1, False, False
    for piece in pieces(stream, size):
        ended = not piece
        text, at = text[at:] + utf8.decode(piece, final=ended), 0
        while True:
            begin = _end_of(_BETWEEN, text, at)
            line += text.count("\n", at, begin)
            closed = closed or "]" in text[at:begin]
            at = begin
            if at == len(text):
                break
            try:
                if text[at] != "{":
                    raise ValueError("what is left of a broken object")
                found, end = decoder.raw_decode(text, at)
            except (ValueError, RecursionError) as error:
                place = error.pos if isinstance(error, JSONDecodeError) else at
                following = starts.search(text, at + 1)
                waits = len(text) - place < LONGEST_TEXT and len(text) - at < LONGEST_OBJECT
                if not ended and waits:
                    break
                if following is None:
                    if ended:
                        break
                    end = len(text)
                else:
                    end = following.start()
                found = None
            closed = False
            yield line, found
            line += text.count("\n", at, end)
            at = end
    if not (ended and closed) or at < len(text):
        raise Truncated(file, line)


def _end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at
