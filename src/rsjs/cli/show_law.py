"""A law of the number of epochs in numbers, and as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsjs.cli.console import number, print_facts
from rsjs.core.errors import InputError
from rsjs.instances.epoch_distribution import FIXED

if TYPE_CHECKING:
    from rsjs.instances.epoch_distribution import EpochDistribution
    from rsjs.instances.instance import Instance, Workload

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
    from rsjs.reporting.figures.epoch_distribution import law_picture

    law_picture(law_of(subject, name), path, title=name)
