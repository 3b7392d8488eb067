"""Twice the seconds are slower for asv, noise is not."""

import numpy as np
import pytest

from benchmarks import canary

SECONDS = list(np.random.default_rng(1).normal(1.0, 0.03, size=12))


@pytest.mark.parametrize(
    ("again", "slowed", "words"),
    [(1.0, 2.0, None), (2.0, 2.0, "flagged against itself"), (1.0, 1.05, "was not noticed")],
)
def test_the_canary_ends_with_an_error_if_asv_is_wrong(monkeypatch, again, slowed, words):
    factors = {canary.PLAIN: 1.0, canary.AGAIN: again, canary.SLOWED: slowed}
    monkeypatch.setattr(
        canary, "measured", lambda: {c: [f * s for s in SECONDS] for c, f in factors.items()}
    )
    if words is None:
        canary.main()
        return
    with pytest.raises(SystemExit, match=words):
        canary.main()


def test_a_few_slow_samples_are_no_change():
    noisy = [3.0 * s if i % 4 == 0 else s for i, s in enumerate(SECONDS)]
    assert not canary.is_slower(SECONDS, noisy)
