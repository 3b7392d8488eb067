"""
Measure commits with asv and publish all results: `python -m benchmarks.history`, or `make asv`.

`--here` measures the environment this runs in, as HEAD, instead of building one from the lock of
each commit: quick, but only as clean as the working tree. Options that are not listed are handed
to `asv run`: `--quick`, `--bench REGEX`.

asv's exit code says little, so its results are counted: nothing measured, or anything failed, is an
error. The pages are in .asv/html: asv's own need a server, such as `asv preview`, and fetch their
scripts from the internet; plain.html needs neither.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.asv_results import Tally, tallies
from benchmarks.history_page import write_page

ROOT = Path(__file__).parents[1]
RESULTS, PAGES = ROOT / "results" / "asv", ROOT / ".asv" / "html"


def main() -> None:
    """Run, publish, count; the pages are made even where something failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.history")
    parser.add_argument("--commits", default="HEAD^!", metavar="RANGE", help="as git names them")
    parser.add_argument("--here", action="store_true", help="this environment, as HEAD")
    given, others = parser.parse_known_args()
    begin = time.time()
    _asv("machine", "--yes")
    _asv("run", "--show-stderr", *others, *(_this_environment() if given.here else [given.commits]))
    _asv("publish")
    found = tallies(RESULTS, since=begin)
    for commit, of_it in found.items():
        print(f"{commit[:8]}: {of_it}")
    wrong = list(problems(found))
    if (PAGES / "index.html").exists():
        write_page(RESULTS, PAGES / "plain.html")
    else:
        wrong.append(f"{PAGES}: found no pages, expected index.html")
    print("\n".join(wrong) or f"{PAGES.relative_to(ROOT)}: plain.html; the others with asv preview")
    sys.exit(bool(wrong))


def problems(found: Mapping[str, Tally]) -> Iterator[str]:
    """What is wrong with the results of a run by commit, one line each."""
    if not found:
        yield "found no results, expected those of one commit at least"
    for commit, of_it in found.items():
        if not of_it.measured:
            yield f"{commit[:8]}: nothing was measured"
        yield from (f"{commit[:8]}: {name} failed" for name in of_it.failed)


def _this_environment() -> list[str]:
    """Without the commit's hash asv saves nothing of an environment that it has not made."""
    command = ["git", "rev-parse", "HEAD"]
    head = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return ["--environment", "existing:same", "--set-commit-hash", head.strip()]


def _asv(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "asv", *arguments], cwd=ROOT, check=False)


if __name__ == "__main__":
    main()
