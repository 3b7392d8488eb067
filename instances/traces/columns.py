"""From the columns of a format to the common record, with what is wrong in each row by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rsjs.instances.generators.random_streams import Floats
from rsjs.instances.traces.flaws import (
    EARLY_START,
    GPU_COUNT,
    INCONSISTENT,
    NEGATIVE_DURATION,
    NO_DURATION,
    NO_GPU,
    NO_SUBMISSION,
    NUMBER,
    PENDING,
    RUNNING,
    SHARE,
    STATE,
    TIME,
    TIME_ZONE,
    TOO_LONG,
    UNMATCHED,
    Bits,
    Kind,
    mask,
)
from rsjs.instances.traces.io.csv import Block, numbers, words
from rsjs.instances.traces.records import Rows, Texts
from rsjs.instances.traces.text_columns import seconds

LONGEST = 366 * 86400.0  # s
FURTHEST = 2.0**53  # s: beyond it floats do not tell seconds apart
MOST_GPUS = 1 << 20  # of a job: beyond it floats are no counts
_TIMES = (TIME, TIME_ZONE)
_CLOCK = 1.0  # s that end - start may differ from a duration: both are rounded

Index = NDArray[np.int64]


class Columns:
    """The columns of a block, and the flaws of the texts that were read."""

    def __init__(self, block: Block) -> None:
        self._frame = block.frame
        self.flaw: Bits = np.zeros(len(block.line), dtype=np.uint32)

    def number(self, name: str) -> Floats:
        """(n,) NaN where nothing stands."""
        values, wrong = numbers(self._frame[name])
        self.flaw[wrong] |= NUMBER.bit
        return values

    def time(self, name: str) -> Floats:
        """(n,) seconds, NaN where nothing stands or a number so large that it is none."""
        values = self.number(name)
        far = np.abs(values) > FURTHEST
        self.flaw[far] |= NUMBER.bit
        return np.where(far, np.nan, values)

    def date(self, name: str) -> Floats:
        """(n,) seconds, NaN where nothing stands."""
        values, flaw = seconds(self.text(name))
        self.flaw |= flaw
        return values

    def text(self, name: str) -> Texts:
        """(n,) bytes."""
        found: Texts = self._frame[name].to_numpy()
        return found

    def word(self, name: str) -> tuple[Index, tuple[str, ...]]:
        """(n,) positions in the words, -1 where nothing stands, and the words."""
        return words(self._frame[name])

    def state(self, name: str, done: str, meaning: Mapping[str, Kind]) -> None:
        """Note the kind of each word that is listed; `done` has none, and others are `STATE`."""
        self.flaw |= state_bits(*self.word(name), done, meaning)


def state_bits(
    codes: Index, known: Sequence[str], done: str, meaning: Mapping[str, Kind]
) -> NDArray[np.uint32]:
    """(n,) the bit of the kind of each state, given as positions in the words and the words."""
    bits = [0 if word == done else meaning.get(word, STATE).bit for word in map(str.strip, known)]
    return np.array([*bits, STATE.bit], dtype=np.uint32)[codes]


def is_count(gpus: Floats) -> NDArray[np.bool_]:
    """(n,) whether each is a whole number of GPUs."""
    return np.asarray((gpus >= 0) & (gpus <= MOST_GPUS) & (gpus == np.floor(gpus)))


def assembled(
    *,
    file: str,
    line: Index,
    id: Texts,
    submit: Floats,
    start: Floats,
    end: Floats,
    gpus: Floats,
    flaw: Bits,
    duration: Floats | None = None,
    share: Floats | None = None,
    model: tuple[Index, Sequence[str]] | None = None,
    application: tuple[Index, Sequence[str]] | None = None,
) -> Rows:
    """
    Rows of the common record; all times [s], NaN where nothing is recorded.

    Parameters
    ----------
    flaw : (n,) uint32
        What is known by now; the kinds that one row shows by itself are added.
    duration : (n,) float, optional
        As recorded; otherwise end - start.
    share : (n,) float, optional
        Otherwise 1.
    """
    flaw = flaw.copy()
    alone, none = np.ones(len(line)), np.full(len(line), -1, dtype=np.int64)
    share = alone if share is None else share
    ran = end - start
    told = ran if duration is None else duration
    unread = (flaw & mask([NUMBER, *_TIMES])) != 0
    useless = (flaw & mask([PENDING, UNMATCHED])) != 0
    goes_on = (flaw & RUNNING.bit) != 0

    def note(kind: Kind, where: NDArray[np.bool_]) -> None:
        flaw[where] |= kind.bit

    note(NO_SUBMISSION, np.isnan(submit) & ~unread)
    note(EARLY_START, start < submit)
    note(NEGATIVE_DURATION, (told < 0) | (ran < 0))
    silent = np.isnan(told) & ~unread & ~goes_on
    note(NO_DURATION, ((told == 0) | silent) & ~useless)
    note(TOO_LONG, told > LONGEST)
    note(INCONSISTENT, np.abs(ran - told) > _CLOCK)
    note(NO_GPU, gpus == 0)
    note(GPU_COUNT, ~is_count(gpus) & ~(np.isnan(gpus) & (unread | useless)))
    note(SHARE, ~((share > 0) & (share <= 1)) & ~(np.isnan(share) & (unread | useless)))
    models, applications = model or (none, ()), application or (none, ())
    return Rows(
        file=file,
        line=line,
        id=id,
        submit=submit,
        duration=told,
        gpus=gpus,
        share=share,
        model=models[0],
        models=tuple(models[1]),
        application=applications[0],
        applications=tuple(applications[1]),
        flaw=flaw,
    )
