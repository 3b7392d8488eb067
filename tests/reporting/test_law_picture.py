"""The picture of a law."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from rsjs.instances import epoch_laws
from rsjs.instances.epochs import Law
from rsjs.instances.errors import InputError
from rsjs.reporting.law_picture import law_picture

SIGNATURES = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
LAWS = {
    "catalogue": epoch_laws.law("VGG16"),
    "fixed": epoch_laws.fixed(100),
    "one epoch": epoch_laws.fixed(1),
    "far apart": Law.of([[1, 1], [10**9, 1]]),
    "conditional": epoch_laws.law("AlexNet").given(95.5),
    "no mass at the end": Law.of([[3, 1], [5, 2], [9, 0]]),
}


@pytest.mark.parametrize("suffix", SIGNATURES)
def test_every_format_is_written_with_the_same_bytes_each_time(suffix: str, tmp_path: Path) -> None:
    first, second = (
        law_picture(LAWS["catalogue"], tmp_path / f"{i}.{suffix}").read_bytes() for i in range(2)
    )
    assert first.startswith(SIGNATURES[suffix])
    assert first == second


@pytest.mark.parametrize("name", LAWS)
def test_title_and_moments_are_told(name: str, tmp_path: Path) -> None:
    law = LAWS[name]
    path = law_picture(law, tmp_path / "law.svg", title=f"the {name} law of $5")
    text = "\n".join(
        "".join(element.itertext()).strip()
        for element in ElementTree.parse(path).getroot().iter()
        if element.tag.endswith("text")
    )
    for part in (f"the {name} law of $5", f"mean {law.mean:.1f}", "P(W = w)", "P(W > w)"):
        assert part in text


def test_another_suffix_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected a picture's suffix: \.png, \.svg, \.pdf"):
        law_picture(LAWS["fixed"], tmp_path / "picture.jpg")
    assert list(tmp_path.iterdir()) == []
