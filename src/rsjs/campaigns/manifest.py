"""What a store says of itself: the versions of its runs (store.json) and its runs (plan.json)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rsjs.campaigns import schema_files
from rsjs.campaigns.environments import Environment
from rsjs.campaigns.plan import Plan
from rsjs.campaigns.spec import Campaign
from rsjs.core.errors import InputError, described, escaped
from rsjs.instances.io.files import write_bytes

STORE, PLAN, CAMPAIGN = "store.json", "plan.json", "campaign.toml"

Document = dict[str, Any]


def open_store(folder: Path, campaign: Campaign, environments: Mapping[str, Environment]) -> None:
    """
    Begin a store in a folder, or make sure that one there goes on with the same versions.

    Raises
    ------
    InputError
        If the folder holds something else, a store of a newer format, runs of other versions, or
        another campaign.
    """
    path = folder / STORE
    now = {name: _versions(found) for name, found in environments.items()}
    if not path.exists():
        if folder.is_dir() and any(folder.iterdir()) and not (folder / "instances").is_dir():
            found = described("a folder with other files")
            raise InputError("", found, "a store of `rsjs run`, or no such folder", folder)
        _write(
            path, {"format": schema_files.name("store"), "campaign": campaign.name, "versions": now}
        )
        return
    document = read(folder, "store")
    if document["campaign"] != campaign.name:
        expected = f"{campaign.name!r}: a folder is for one campaign"
        raise InputError("/campaign", document["campaign"], expected, path)
    versions = document["versions"]
    for name, packages in now.items():
        for package, version in packages.items():
            before = versions.get(name, {}).get(package, version)
            if before != version:
                at = f"/versions/{escaped(name)}/{escaped(package)}"
                expected = f"{version} as installed: another folder, or that version installed"
                raise InputError(at, before, expected, path)
    merged = {name: {**versions.get(name, {}), **found} for name, found in now.items()}
    if any(versions.get(name) != found for name, found in merged.items()):
        _write(path, {**document, "versions": {**versions, **merged}})


def write_plan(folder: Path, campaign: Campaign, plan: Plan) -> None:
    """Keep the campaign and what it comes to."""
    document = {
        "format": schema_files.name("plan"),
        "campaign": campaign.name,
        "runs": [run.id for run in plan.runs],
        "skipped": [
            {"spec": run.as_document(), "reason": reason} for run, reason in plan.skipped.items()
        ],
    }
    _write_if_new(campaign.text.encode(), folder / CAMPAIGN)
    _write(folder / PLAN, document)


def read(folder: Path, kind: str) -> Document:
    """store.json or plan.json of a store."""
    path = folder / f"{kind}.json"
    if not path.is_file():
        raise InputError("", described("No such file"), "a store of `rsjs run`", path)
    return schema_files.read(path, kind)


def _versions(environment: Environment) -> dict[str, str]:
    return {"rsjs-bench": environment.rsjs_version, **environment.solvers}


def _write(path: Path, document: Document) -> None:
    _write_if_new((json.dumps(document, indent=1) + "\n").encode(), path)


def _write_if_new(data: bytes, path: Path) -> None:
    """A store that is finished may be read-only."""
    if not path.is_file() or path.read_bytes() != data:
        write_bytes(data, path)
