"""The worker that times, with a gain that is planted in what is measured, for `null_test.py`.

A text says in a comment how much faster it is to be, `# planted gain: 1.03`: then the GPU's times
of it are divided by that, each as it was measured, with all the noise that is in it.
"""

from __future__ import annotations

import re
from typing import Any

from tritonopt.tuning.timing_server import TimingServer, Version
from tritonopt.verification.worker.server import answer_requests

_GAIN = re.compile(r"# planted gain: ([\d.]+)")


class GainServer(TimingServer):
    def __init__(self) -> None:
        super().__init__()
        self.gains: dict[str, float] = {}

    def begin(self) -> None:
        super().begin()
        self.device = planting(self.device)

    def load(self, version: Version) -> None:
        super().load(version)
        said = _GAIN.search(version.text)
        self.gains[version.name] = float(said[1]) if said else 1.0

    def _called(self, name: str) -> Any:
        result = super()._called(name)
        self.device.gain = self.gains[name]
        return result


def planting(device: Any) -> Any:
    """The device, on which what ends at a mark took less by the gain at that time."""

    class Planting(type(device)):  # type: ignore[misc]
        gain = 1.0

        def mark(self) -> Any:
            return super().mark(), self.gain

        def reached(self, mark: Any) -> bool:
            return bool(super().reached(mark[0]))

        def between(self, begin: Any, end: Any) -> float:
            return float(super().between(begin[0], end[0])) / float(end[1])

    device.__class__ = Planting
    return device


def serve(descriptor: int) -> None:
    answer_requests(descriptor, GainServer())
