"""Scheduling problems that the tests of this folder share."""

from tests.mig_problems import problem_of, section_4, tiny

__all__ = ["problem_of", "section_4", "tiny"]
