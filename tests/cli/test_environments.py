"""Environments with other releases of a solver: complete, or not there at all."""

import base64
import subprocess
import zipfile
from hashlib import sha256

import pytest

from rsjs.campaigns import solver_versions
from rsjs.campaigns.environments import asked, here
from rsjs.campaigns.solver_versions import BEHIND, Lock, interpreter
from rsjs.formulations.backends.registry import BACKENDS

NAME = "highs-0.1"
MINE = """
format = "rsjs-campaign/1"
name = "mine"
shows = "a test"
timing = "shared"
environments = ["highs-0.1"]
[[models]]
names = ["mig_placement-*"]
[[methods]]
run = ["solve@highs"]
environment = ["highs-0.1"]
"""


def wheel(folder, code="here = True\n"):
    """Write a wheel of highspy 0.1 whose package holds this code; return its sha256."""
    info = "highspy-0.1.dist-info"
    held = {
        "highspy/__init__.py": code,
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: highspy\nVersion: 0.1\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    lines = []
    for name, text in held.items():
        digest = base64.urlsafe_b64encode(sha256(text.encode()).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(text)}\n")
    held[f"{info}/RECORD"] = "".join(lines) + f"{info}/RECORD,,\n"
    path = folder / "highspy-0.1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in held.items():
            archive.writestr(name, text)
    return sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The folder of environments; pip has a folder of wheels and no network."""
    folder = tmp_path / "environments"
    monkeypatch.setattr(solver_versions, "FOLDER", folder)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    return folder


@pytest.fixture
def pinned(monkeypatch):
    """Pin highspy 0.1 with this digest, in the only lock there is."""

    def pin(digest):
        lock = Lock(name=NAME, text=f"highspy==0.1 \\\n    --hash=sha256:{digest}\n")
        monkeypatch.setattr(solver_versions, "locks", lambda: {NAME: lock})
        return lock

    return pin


def state(rsjs):
    [row] = rsjs("environments", "list", "--json").json
    return row["state"]


@pytest.mark.slow
@pytest.mark.process
def test_an_environment_has_the_release_and_all_else_from_here(place, pinned, tmp_path, rsjs):
    lock = pinned(wheel(tmp_path))
    assert state(rsjs) == "not made"
    remains = place / ".highs-0.1.999999999"  # of a process that was killed
    remains.mkdir(parents=True)
    assert "made, highspy 0.1" in rsjs("environments", "make", NAME).output
    assert [path.name for path in place.iterdir()] == [NAME]
    assert rsjs("environments", "make", "--json").json == {"made": []}
    found = asked({NAME: interpreter(NAME)}, {NAME: []})[NAME]
    assert found.solvers["highs"] == "0.1"
    assert (found.code, found.methods) == (here().code, here().methods)
    assert found.solvers["scip"] == BACKENDS["scip"].version()

    record = lock.folder / "made.json"
    whole, packages = record.read_bytes(), next(lock.folder.rglob(BEHIND)).parent
    (tmp_path / "mine.toml").write_text(MINE)
    for name, word in (
        ("highspy", "highspy has lost its package highspy"),
        ("highspy-0.1.dist-info", "highspy 0.1 is gone, found none"),
        ("", "made from another lock or for another interpreter"),
    ):
        record.write_bytes(whole if name else b"{}")
        (packages / name).rename(packages / "lost") if name else None
        assert word in state(rsjs)
        refusal = rsjs("run", tmp_path / "mine.toml", "-o", tmp_path / "store").refusal
        assert f"/environments/{NAME}: found {word}, expected rsjs environments make" in refusal
        assert not (tmp_path / "store").exists()
        (packages / "lost").rename(packages / name) if name else None
    assert "made, highspy 0.1" in rsjs("environments", "make").output  # in place of the flawed one


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(
    ("code", "digest", "found"),
    [
        ("", "0" * 64, "a package whose sha256 is not that of the lock"),
        ("raise ImportError('built for another machine')\n", None, "built for another machine"),
        (None, "0" * 64, "No matching distribution found for highspy==0.1"),
    ],
)
def test_what_cannot_be_made_is_told_in_a_line_and_leaves_nothing(
    code, digest, found, place, pinned, tmp_path, rsjs
):
    made = "" if code is None else wheel(tmp_path, code)
    pinned(digest or made)
    refusal = rsjs("environments", "make").refusal
    assert f"{NAME}: found " in refusal
    assert found in refusal
    assert "expected highspy 0.1 for this Python, as locked" in refusal
    assert [*place.iterdir()] == []


def test_one_that_is_broken_off_leaves_nothing(place, pinned, rsjs, monkeypatch):
    def interrupted(*arguments, **options):
        assert [*place.iterdir()] != []
        raise KeyboardInterrupt

    pinned("0" * 64)
    monkeypatch.setattr(subprocess, "run", interrupted)
    assert rsjs("environments", "make").code == 130
    assert [*place.iterdir()] == []


def test_a_name_that_there_is_not_is_refused_with_the_nearest(rsjs):
    refusal = rsjs("environments", "make", "highs-1.99").refusal
    assert "found 'highs-1.99', expected an environment, e.g. highs-1.9, " in refusal


def test_an_environment_of_a_campaign_is_made_first(place, tmp_path, rsjs):
    text = MINE.replace(NAME, "highs-1.9")
    (tmp_path / "mine.toml").write_text(text)
    refusal = rsjs("run", tmp_path / "mine.toml", "--dry-run").refusal
    assert "/environments/highs-1.9: found not made, expected rsjs environments make" in refusal
    (tmp_path / "mine.toml").write_text(text.replace('["highs-1.9"]\n[[m', '["highs-1.99"]\n[[m'))
    refusal = rsjs("run", tmp_path / "mine.toml", "--dry-run").refusal
    assert "/environments/0: found 'highs-1.99', expected e.g. highs-1.9" in refusal
    (tmp_path / "mine.toml").write_text(MINE.replace(NAME, "highs-1.9", 1))
    refusal = rsjs("run", tmp_path / "mine.toml", "--dry-run").refusal
    assert "/methods/0/environment: found 'highs-0.1', expected e.g. highs-1.9" in refusal
