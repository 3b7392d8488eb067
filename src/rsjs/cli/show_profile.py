"""
The power model and the optimal speed profiles of a job, in numbers and as a picture.

A law of the number of epochs in numbers, and as a picture.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsjs.cli.output import console, number, plain_table, print_facts
from rsjs.core.errors import InputError
from rsjs.heuristics.sts.job_profiles import job_profiles
from rsjs.heuristics.sts.single_job import law_of_job
from rsjs.instances.epoch_distribution import FIXED
from rsjs.reporting.figures.epoch_distribution import law_picture
from rsjs.reporting.figures.speed_profile import profile_picture

if TYPE_CHECKING:
    from rsjs.heuristics.sts.job_profiles import JobProfile
    from rsjs.instances.epoch_distribution import EpochDistribution
    from rsjs.instances.instance import Instance, Workload

HEADINGS = ("GPUs", "s [epochs/h]", "P [$/h]", "Q [$/epoch]", "Phi [$/h]", "epochs", "hours")


def position(instance: Instance, job: str) -> int:
    """Where a job stands, by its id."""
    if job not in instance.jobs.id:
        raise InputError("--profile", job, "the id of a job, e.g. " + instance.jobs.id[0])
    return instance.jobs.id.index(job)


def profiles_of(instance: Instance, job: str) -> list[JobProfile]:
    """The optimal profiles of a job from now on."""

    j = position(instance, job)
    return job_profiles(instance, j, float(instance.jobs.due[j]) - instance.now)


def describe_profile(instance: Instance, job: str) -> dict[str, Any]:
    """The profiles of a job as a document."""
    j, jobs = position(instance, job), instance.jobs
    return {
        "kind": "profile",
        "file": instance.name,
        "job": job,
        "application": jobs.application[j],
        "law": jobs.law[j],
        "epochs_done": float(jobs.epochs_done[j]),
        "hours_left": float(jobs.due[j]) - instance.now,
        "gpu_types": [
            {
                "gpu_type": own.gpu_type,
                "status": own.status,
                "expected_energy": own.energy,
                "worst_hours": own.worst_hours,
                "hours_until_change": own.change,
                "configurations": [vars(row) | {"hours": row.hours} for row in own.configurations],
            }
            for own in profiles_of(instance, job)
        ],
    }


def print_profile(document: dict[str, Any]) -> None:
    """One table per GPU type: power model, and where the profile uses each configuration."""
    left = number(document["hours_left"], 4)
    done = f"{document['epochs_done']:.12g} epochs done"
    print_facts(
        [
            ("job", f"{document['job']} ({document['application']}) of {document['file']}"),
            ("law", f"{document['law']}, {done}"),
            ("due", f"in {left} h"),
        ]
    )
    for own in document["gpu_types"]:
        energy, hours = number(own["expected_energy"], 4), number(own["worst_hours"], 4)
        title = f"{own['gpu_type']}: {own['status']}, expected {energy} $, at most {hours} h"
        table = plain_table(title)
        for heading in HEADINGS:
            table.add_column(heading, justify="right")
        for row in own["configurations"]:
            table.add_row(*_cells(row))
        print()
        console().print(table)
    print("\nPhi of the speeds worth using, against the next one; epochs on each of them.")


def _cells(row: dict[str, Any]) -> list[str]:
    used = row["ends"] is not None
    return [
        str(row["gpus"]),
        number(1 / row["hours_per_epoch"], 4),
        number(row["power"], 4),
        number(row["energy"], 4),
        "" if row["phi"] is None else number(row["phi"], 4),
        f"{number(row['begins'], 4)} - {number(row['ends'], 4)}" if used else "",
        number(row["hours"], 4) if used else "",
    ]


def draw_profile(instance: Instance, job: str, path: Path) -> None:
    """The picture of a job's profiles."""

    j = position(instance, job)
    profile_picture(
        profiles_of(instance, job),
        law_of_job(instance, j),
        path,
        done=float(instance.jobs.epochs_done[j]),
        time=float(instance.jobs.due[j]) - instance.now,
        title=f"{job} ({instance.jobs.application[j]})",
    )


QUARTILES = (0.25, 0.5, 0.75)


def law_of(subject: Instance | Workload, name: str) -> EpochDistribution:
    """The law of that name."""
    if name not in subject.laws:
        known = ", ".join(subject.laws) or "none in this file"
        fixed = "; fixed is none, each job runs epochs_max" if name == FIXED else ""
        raise InputError("--law", name, f"the name of a law: {known}{fixed}")
    return subject.laws[name]


def describe_law(subject: Instance | Workload, name: str) -> dict[str, Any]:
    """Moments, quartiles and support of a law, and how many jobs follow it."""
    law = law_of(subject, name)
    return {
        "kind": "law",
        "file": subject.name,
        "name": name,
        "jobs": subject.jobs.law.count(name),
        "mean": law.mean,
        "deviation": law.deviation,
        "skewness": law.skewness,
        "quartiles": law.quantile(QUARTILES).tolist(),
        "last": law.last,
        "probability_of_last": float(law.pmf[law.epochs == law.last][0]),
        "epochs": law.epochs.tolist(),
        "weights": law.weights.tolist(),
    }


def print_law(document: dict[str, Any]) -> None:
    """The same as text, without the table of weights."""
    mean, deviation = number(document["mean"], 4), number(document["deviation"], 4)
    low, median, high = document["quartiles"]
    last = f"{document['last']}, with probability {number(document['probability_of_last'], 4)}"
    print_facts(
        [
            ("law", f"{document['name']} of {document['file']}"),
            ("jobs", document["jobs"]),
            ("mean", f"{mean} epochs, standard deviation {deviation}"),
            ("skewness", number(document["skewness"], 4)),
            ("quartiles", f"{low} / {median} / {high}"),
            ("last epoch", last),
        ]
    )


def draw_law(subject: Instance | Workload, name: str, path: Path) -> None:
    """The picture of a law."""

    law_picture(law_of(subject, name), path, title=name)
