"""The command `rsjs`, also as `python -m rsjs`; Ctrl-C may come while it is imported."""

from __future__ import annotations

import sys

from rsjs.cli import INTERRUPTED


def main() -> int:
    """Run the command and return its exit code."""
    try:
        from rsjs.cli.main import main as command

        return command()
    except KeyboardInterrupt:  # while it was imported
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
