"""How many programs a launch starts at most, and how a launcher comes to know it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tritonopt.launches.known_launches import check_builtin
from tritonopt.launches.launch_grids import (
    new_name,
)
from tritonopt.launches.plan import PlannedLaunch
from tritonopt.source import Change, InsertBefore, Launch

_MOST_OF_LATER_AXES = "65535"
"""What CUDA allows along the second and the third axis of a grid."""
_WITH_SUMS, _WITHOUT = "sm*2", "sm*8"
"""As many as were measured: few where each program ends with atomics."""

_DEVICE = "torch.cuda.get_device_properties(torch.cuda.current_device())"
_NO_LIMIT = "2**31 - 1"
_NAME = "num_programs"


def default_limit(axis: int, *, has_sums: bool) -> str:
    if has_sums:
        return _WITH_SUMS
    return _MOST_OF_LATER_AXES if axis else _WITHOUT


@dataclass(frozen=True)
class Limit:
    """The most programs of a launch along an axis: `264`, or `sm*8` for 8 a multiprocessor."""

    text: str

    def at(self, launch: Launch, place: ast.stmt | None = None) -> tuple[str, list[Change]]:
        """Code for it at a launch, and what must stand before, or before another place of its
        block. Raises NotExpressible."""
        check_builtin(launch, "min")
        if not self._each:
            return self.text, []
        name = new_name(_NAME, launch)
        code = self._assigned(launch, name)
        return name, [InsertBefore(place or PlannedLaunch(launch).statement, code)]

    @property
    def _each(self) -> str:
        """The programs of one multiprocessor; "" for a plain number."""
        return self.text.removeprefix("sm*") if self.text.startswith("sm*") else ""

    def _assigned(self, launch: Launch, name: str) -> str:
        """A statement that binds it; where torch sees no GPU, there is no limit."""
        check_builtin(launch, "torch")
        each = self._each
        return (
            f"{name} = (\n"
            f"    {each} * {_DEVICE}.multi_processor_count\n"
            f"    if torch.cuda.is_available()\n"
            f"    else {_NO_LIMIT}\n"
            ")"
        )
