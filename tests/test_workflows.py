"""The workflow files keep the rules of CONTRIBUTING.md and name what exists."""

import json
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
if not (ROOT / ".github").is_dir():
    pytest.skip("an sdist has no workflow files", allow_module_level=True)

WORKFLOWS = sorted((ROOT / ".github/workflows").iterdir())
LOCK = (ROOT / "requirements/test.txt").read_text()
RULES = (ROOT / "Makefile").read_text().replace("$(VENV)", ".venv").replace("$(DEMO)", ".venv-demo")
TARGETS = {name for rule in re.findall(r"^([\w./ -]+):", RULES, re.M) for name in rule.split()}
WRITES = {  # job -> what it may write, and nothing else does
    ("docs.yml", "publish"): {"pages", "id-token"},
    ("release.yml", "publish"): {"id-token"},
    ("release.yml", "attach"): {"contents"},
}


def _of(path):
    document = yaml.safe_load(path.read_text("utf-8"))
    document["on"] = document.pop(True)  # YAML 1.1 reads `on` as a truth value
    return document


def _steps():
    for path in WORKFLOWS:
        for name, job in _of(path)["jobs"].items():
            yield from ((path, name, step) for step in job["steps"])


def _commands():
    """Every line that a workflow, the container or the development container runs."""
    for path, _, step in _steps():
        yield from ((path.name, line) for line in step.get("run", "").splitlines())
    for line in re.findall("(?m)^[^#].*", (ROOT / "Containerfile").read_text()):
        yield "Containerfile", re.sub(r'[\[\]",]', "", line)
    made = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())
    yield "devcontainer.json", made["postCreateCommand"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_do_only_what_its_jobs_ask_for(path):
    workflow = _of(path)
    assert workflow["permissions"] == {}
    assert "pull_request_target" not in workflow["on"]
    assert "workflow_run" not in workflow["on"]
    assert {"group", "cancel-in-progress"} == workflow["concurrency"].keys()
    for name, job in workflow["jobs"].items():
        written = {key for key, value in job["permissions"].items() if value != "read"}
        assert written == WRITES.get((path.name, name), set())
        assert job["timeout-minutes"] <= 60
        assert "secrets" not in path.read_text("utf-8")


def test_actions_are_pinned_to_a_commit_with_the_version_beside_it():
    uses = {}
    for path in WORKFLOWS:
        for line in re.findall(r"uses: *(.*)", path.read_text("utf-8")):
            action, commit, version = re.fullmatch(r"(\S+)@(\S+) # (v\d+\.\d+\.\d+)", line).groups()
            assert re.fullmatch("[0-9a-f]{40}", commit), line
            uses.setdefault(action, set()).add((commit, version))
    assert uses
    assert {action for action, pins in uses.items() if len(pins) > 1} == set()


def test_a_checkout_leaves_no_credentials_behind():
    checkouts = [
        step for *_, step in _steps() if step.get("uses", "").startswith("actions/checkout")
    ]
    assert checkouts
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_no_command_contains_what_a_stranger_may_have_written():
    assert [line for _, line in _commands() if "${{" in line] == []


def test_every_target_that_is_made_exists():
    made = [
        (place, name)
        for place, line in _commands()
        for name in re.findall(r"\bmake ([\w.][\w./-]*)", line)
    ]
    assert ("test.yml", "quick") in made
    assert [one for one in made if one[1] not in TARGETS] == []


def test_every_path_that_is_named_exists():
    assert (ROOT / ".ci/run").stat().st_mode & 0o111
    assert any(line == ".ci/run" for _, line in _commands())
    files = [name for _, line in _commands() for name in re.findall(r"--file (\S+)", line)]
    assert files == ["Containerfile"]
    workflow = (ROOT / ".github/workflows/release.yml").read_text()
    assert all((ROOT / name).exists() for name in re.findall(r"docs/\S+\.md", workflow))


def test_linux_is_tested_on_every_python_from_the_oldest_promised():
    pyproject = (ROOT / "pyproject.toml").read_text()
    oldest = re.search(r'requires-python = ">=(\S+)"', pyproject)[1]
    [matrix] = [
        job["strategy"]["matrix"]["python"]
        for job in _of(ROOT / ".github/workflows/test.yml")["jobs"].values()
        if "strategy" in job
    ]
    assert matrix[0] == oldest
    for version in matrix:
        assert f"Programming Language :: Python :: {version}" in pyproject


def test_pre_commit_runs_the_ruff_of_the_lock():
    [repo] = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    [locked] = re.findall(r"^ruff==(\S+)", LOCK, re.M)
    for hook in repo["hooks"]:
        assert hook["additional_dependencies"] == [f"ruff=={locked}"]


def test_dependabot_looks_after_the_actions():
    document = yaml.safe_load((ROOT / ".github/dependabot.yml").read_text())
    assert [one["package-ecosystem"] for one in document["updates"]] == ["github-actions"]


def test_the_version_is_the_same_wherever_it_stands():
    [version] = re.findall(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.M)
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == version
