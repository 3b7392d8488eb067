"""One colour per MIG profile, the same in all pictures, and their legend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rsjs.instances.mig.gpus import MigGpu
from rsjs.reporting import canvas

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PALE = "0.93"  # slices without an instance


def colours(gpu: MigGpu) -> list[str]:
    """The colour of each profile of a GPU."""
    names = [profile.name for profile in gpu.profiles]
    return [str(canvas.styles(names)[name]["color"]) for name in names]


def legend(made: Figure, gpu: MigGpu, used: set[int]) -> None:
    """The profiles in use, below the picture."""
    from matplotlib.patches import Patch

    shown = colours(gpu)
    made.legend(
        handles=[Patch(color=shown[p]) for p in sorted(used)],
        labels=[gpu.profiles[p].name for p in sorted(used)],
        loc="outside lower center",
        ncols=max(len(used), 1),
        frameon=False,
        fontsize=7,
    )
