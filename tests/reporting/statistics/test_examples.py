"""The examples in the docstrings."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize("name", ["shifted_mean", "integrals", "holm", "pairs", "rank_sheets"])
def test_the_examples_are_true(name: str) -> None:
    found = doctest.testmod(import_module(f"rsjs.reporting.statistics.{name}"))
    assert found.failed == 0
    assert found.attempted >= 1
