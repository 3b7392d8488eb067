"""Files of sets of jobs, in our format and in those of the published program."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from rsjs.core.errors import InputError, described
from rsjs.instances.io.files import write_packed
from rsjs.instances.io.json_schema import fit
from rsjs.instances.io.strict_json import read_json
from rsjs.instances.mig import jobs as job_documents
from rsjs.instances.mig.io import built, checked, schema_text
from rsjs.instances.mig.jobs import MIG_JOBS, JobSet
from rsjs.instances.mig.konopa import files
from rsjs.instances.mig.konopa.generator import to_jobs

OURS = "rsjs"
FORMS = (OURS, *files.FORMS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A file as it was written: digest of the set, sha256 of the file's bytes."""

    digest: str
    file_sha256: str


def read_jobs(path: str | Path) -> JobSet:
    """
    Read a set of jobs, of format `rsjs-mig-jobs/1` or an array of the published program.

    Raises
    ------
    InputError
        Naming the file, the JSON pointer, the value found and what was expected.
    """

    def build(document: Any) -> JobSet:
        if isinstance(document, list):
            name = Path(path).name.removesuffix(".gz").removesuffix(".json")
            fit(document, schema_text("mig-legacy-jobs"), path)
            return to_jobs(document, name)
        if not isinstance(document, dict):
            raise InputError("", described("neither object nor array"), "a set of jobs")
        return job_documents.to_jobs(checked(document, MIG_JOBS, "mig-jobs", path))

    return built(read_json(path), build, path)


def write_jobs(jobs: JobSet, path: str | Path, form: str = OURS) -> Written:
    """Write a set of jobs in one of `FORMS`; a `.gz` name compresses."""
    if form == OURS:
        text, digest = job_documents.text_and_digest(jobs)
        data = f"{text}\n".encode()
    else:
        data, digest = files.FORMS[form](jobs).encode(), jobs.digest
    return Written(digest=digest, file_sha256=sha256(write_packed(data, path)).hexdigest())
