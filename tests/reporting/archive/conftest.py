"""A small store, with the repository that its runs were made from."""

import os
import subprocess
from hashlib import sha256

import pytest

from rsjs import commit
from rsjs.campaigns import runner, spec
from rsjs.campaigns.pool import Local
from rsjs.campaigns.runner import Part
from rsjs.reporting.archive.ijoc import export, paper

CAMPAIGN = """
format = "rsjs-campaign/1"
name = "{name}"
shows = "a test"
timing = "shared"
seeds = {seeds}
permute = true
[limits]
time_s = 5
memory_mb = 1000
[[instances]]
{instances}
[[methods]]
run = ["{methods}"]
"""
DRAWN = 'generator = "jahani"\nsizes = ["1x2"]'
TREE = {
    "LICENSE": "MIT License\n\nCopyright\n",
    "pyproject.toml": "[project]\n",
    "requirements/run.txt": "",
    "docs/concepts/problem.md": "# The problem\n",
    ".ci/run": "#!/bin/sh\n",
    ".github/workflows/test.yml": "on: push\n",
    "heuristics/greedy/greedy.py": "GREEDY = 1\n",
}
DATES = {
    **{f"GIT_{who}_DATE": "2026-01-02T03:04:05Z" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_NAME": "a" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "a@example.org" for who in ("AUTHOR", "COMMITTER")},
    "GIT_CONFIG_GLOBAL": "/dev/null",
}


@pytest.fixture(scope="session")
def sign():
    """Write a file's new digest into the sums of its record, as a forger would."""

    def written(record, name):
        sums = record / "SHA256SUMS"
        lines = [line for line in sums.read_text().splitlines() if not line.endswith(name)]
        digest = sha256((record / name).read_bytes()).hexdigest()
        sums.write_text("\n".join([*lines, f"{digest}  {name}", ""]))

    return written


@pytest.fixture(scope="session")
def repository(tmp_path_factory):
    """A repository with one commit: source, a link, and what continuous integration needs."""
    root = tmp_path_factory.mktemp("repository")
    for name, text in TREE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "link").symlink_to("heuristics")

    def git(*words):
        command = ["git", "-C", str(root), *words]
        environment = {**os.environ, **DATES}
        return subprocess.run(
            command, env=environment, check=True, capture_output=True, text=True
        ).stdout

    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "all")
    (root / "heuristics/greedy/greedy.py").write_text("GREEDY = 2\n")  # not in the commit
    return root, git("rev-parse", "HEAD").strip()


@pytest.fixture(scope="session")
def carried(repository):
    """Carries out a campaign into a store, from source that is as the commit."""

    def carry_out(
        store,
        *,
        name="two",
        instances=DRAWN,
        methods='fifo:paper", "greedy:code',
        seeds=(0, 1),
        dirty=False,
        part=None,
        campaign=CAMPAIGN,
    ):
        file = store.with_name(f"{name}.toml")
        parts = {"instances": instances, "methods": methods, "seeds": [*seeds]}
        file.write_text(campaign.format(name=name, **parts))
        with pytest.MonkeyPatch.context() as patch:
            made_from = {"commit": repository[1], "dirty": dirty}
            patch.setattr(commit, "source", lambda: made_from)
            prepared = runner.prepare(spec.read(file), store, part or Part())
            for _ in runner.carry_out(prepared, store, Local(2)):
                pass
        return store

    return carry_out


@pytest.fixture(scope="session")
def store(tmp_path_factory, carried):
    """Four sound runs, which tests read and never write."""
    return carried(tmp_path_factory.mktemp("stores") / "store")


@pytest.fixture(scope="session")
def known():
    """A paper of which everything is known."""
    given = {"authors": "Ada First; Bo  Second", "repository": "https://github.com/a/b/"}
    return paper(number="2026.0001", title="On Shares", **given)


@pytest.fixture(scope="session")
def archive(store, repository, known, tmp_path_factory):
    """An archive that tests read and never write."""
    folder = tmp_path_factory.mktemp("archive") / "made"
    export([store], folder, known, root=repository[0])
    return folder
