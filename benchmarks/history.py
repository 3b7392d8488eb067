"""
Measure commits with asv and say what has changed: `python -m benchmarks.history`, or `make asv`.

`--commits A..B` measures both A, which git leaves out, and B, in rounds that alternate between the
commits: a busy minute slows all of them. `--here` measures the environment this runs in, as HEAD,
instead of building one from the lock of each commit: quick, but only as clean as the working tree,
and with nothing to compare. Other options are handed to `asv run`: `--quick`, `--bench REGEX`.

asv's exit code says little, so its results are read. An error is: nothing measured, something
failed, or an exact value (a count, cost, bound or gap under a fixed budget) that differs between
the first commit and the last. Seconds and memory are told and never an error. asv's pages in
.asv/html need a server, such as `asv preview`; changes.html there has the differences and needs
neither server nor network.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.asv_results import Change, Tally, changes, tallies
from benchmarks.history_page import write_page

ROOT = Path(__file__).parents[1]
RESULTS, PAGES = ROOT / "results" / "asv", ROOT / ".asv" / "html"


def main() -> None:
    """Run, publish, compare; the pages are made even where something failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.history")
    parser.add_argument("--commits", default="HEAD^..HEAD", metavar="A..B", help="or one commit")
    parser.add_argument("--here", action="store_true", help="this environment, as HEAD")
    given, others = parser.parse_known_args()
    commits = commits_of("HEAD" if given.here else given.commits, ROOT)
    begin = time.time()
    _asv("machine", "--yes")
    _asv("run", "--show-stderr", "--record-samples", *others, *_where(given.here), commits=commits)
    _asv("publish")
    found = tallies(RESULTS, since=begin)
    for commit, of_it in found.items():
        print(f"{commit[:8]}: {of_it}")
    wrong = list(problems(found))
    if len(commits) > 1:
        compared = changes(RESULTS, commits[0], commits[-1])
        write_page(compared, commits, PAGES / "changes.html")
        wrong += different(compared)
        print(f"{len(compared)} changes: {(PAGES / 'changes.html').relative_to(ROOT)}")
    print("\n".join(wrong))
    sys.exit(bool(wrong))


def commits_of(text: str, folder: Path) -> list[str]:
    """Return the hashes of a commit, or of A..B with A, in the order of history."""
    first, dots, last = text.partition("..")
    if not dots:
        return _git(folder, "rev-parse", "--verify", f"{text}^{{commit}}")
    begin = _git(folder, "rev-parse", "--verify", f"{first}^{{commit}}")
    return begin + _git(folder, "rev-list", "--reverse", "--first-parent", f"{first}..{last}")


def problems(found: Mapping[str, Tally]) -> Iterator[str]:
    """Yield what is wrong with the results of a run by commit, one line each."""
    if not found:
        yield "found no results, expected those of one commit at least"
    for commit, of_it in found.items():
        if not of_it.measured:
            yield f"{commit[:8]}: nothing was measured"
        yield from (f"{commit[:8]}: {name} failed" for name in of_it.failed)


def different(compared: Sequence[Change]) -> Iterator[str]:
    """Yield a line for each exact value that has changed."""
    for change in compared:
        if change.exact:
            yield f"{change.name}: {change.before!r} before, {change.after!r} now"


def _where(here: bool) -> list[str]:
    """Return the options of asv that choose what is measured."""
    if not here:
        return ["--interleave-rounds", "HASHFILE:-"]
    # without the commit's hash asv saves nothing of an environment that it has not made
    return ["--environment", "existing:same", "--set-commit-hash", *commits_of("HEAD", ROOT)]


def _git(folder: Path, *arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, stdout=-1, text=True)
    return done.stdout.split()


def _asv(*arguments: str, commits: Sequence[str] = ()) -> None:
    command = [sys.executable, "-m", "asv", *arguments]
    subprocess.run(command, cwd=ROOT, check=False, input="\n".join(commits), text=True)


if __name__ == "__main__":
    main()
