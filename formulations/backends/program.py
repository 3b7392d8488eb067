"""Solvers that are programs, not Python packages: whether they are there and what they prove."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass

from rsjs.instances.solution import Stop

PATIENCE = 5.0  # seconds for a program to print its release


@dataclass(frozen=True, kw_only=True)
class Program:
    """
    An executable that Pyomo calls with a model file.

    Attributes
    ----------
    executable : str
        Its name on PATH.
    asked_version : tuple of str
        Arguments that make it print its release and end.
    install : str
        A command that installs it.
    bound : callable
        (the bound that Pyomo read or None, cost of the solution or None, stop, gap limit) -> what
        of it is proven.
    """

    executable: str
    asked_version: tuple[str, ...]
    install: str
    bound: Callable[[float | None, float | None, Stop, float], float | None]

    def available(self) -> bool:
        """Whether it is on PATH."""
        return shutil.which(self.executable) is not None

    def version(self) -> str | None:
        """The first dotted number that it prints; None if it is not there or prints none."""
        try:
            done = subprocess.run(
                [self.executable, *self.asked_version],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        found = re.search(r"\d+(\.\d+)+", done.stdout)
        return found and found.group()
