"""The worker that times, with planted times: a plan says what each kernel takes on the GPU that
is not there. Launchers run, kernels do not.

The plan is a JSON file, named by TRITONOPT_PLANTED: `rules`, of which each that fits multiplies
the time. A rule is `{"kernel": PATTERN, "sizes": {NAME: [LOW, HIGH]}, "factor": NUMBER}`: the
pattern is looked for in the text of the kernel that is launched and in what it is launched with
(`BLOCK=64`). With `"fails": TEXT` such a call fails, with `"hangs": true` it has no end.
"""

from __future__ import annotations

import inspect
import json
import os
import random
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.tuning.cpu_server import CpuServer, Wall
from tritonopt.measurement.results import Machine
from tritonopt.measurement.timing import Effort
from tritonopt.tuning.calls import Call
from tritonopt.tuning.timing_server import First, Timed, Version
from tritonopt.verification.worker.server import answer_requests

NOISE = 0.005


class Planted(Wall):
    """A device on which each version takes what it is said to, with some noise."""

    def __init__(self) -> None:
        self.now = 0.0
        self.random = random.Random(7)

    def mark(self) -> float:
        return self.now

    def takes(self, microseconds: float) -> None:
        self.now += microseconds * self.random.gauss(1, NOISE)

    def machine(self) -> Machine:
        return Machine("planted GPU", "2.0", "3.6.0", "13.0", "1")


class PlantedServer(CpuServer):
    def __init__(self) -> None:
        super().__init__()
        self.plan = json.loads(Path(os.environ["TRITONOPT_PLANTED"]).read_text())
        self.launched: dict[str, str] = {}
        self.sizes: Mapping[str, int] = {}
        self.looks = False
        """Whether a launcher is called for the numbers in it."""

    def probe(self) -> bool:
        return bool(self.plan.get("gpu", True))

    def begin(self, siblings: int = 0) -> None:
        super().begin()
        self.device: Planted = Planted()

    def load(self, version: Version) -> None:
        super().load(version)
        self.note("load")

    def prepare(self, call: Call) -> None:
        super().prepare(call)
        self.sizes = call.sizes

    def first(self, name: str) -> First:
        self.launched.pop(name, None)
        self._launch(name)
        note = next((r["differs"] for r in self._rules(name) if "differs" in r), "")
        return First(note=note, agrees=not note)

    def _called(self, name: str) -> Any:
        if self.looks:
            return self._launch(name)
        base = 100.0
        for rule in self._rules(name):
            base *= rule.get("factor", 1.0)
        self.device.takes(base)
        return None

    def numbers_at(self, name: str, lines: tuple[int, int]) -> dict[str, int]:
        self.looks = True
        try:
            return super().numbers_at(name, lines)
        finally:
            self.looks = False

    def _launch(self, name: str) -> None:
        """Call the launcher, and take down what it launches."""
        from triton.runtime.interpreter import InterpretedFunction

        found: list[str] = []
        kind: Any = InterpretedFunction
        usual = kind.run

        def run(kernel: Any, *args: Any, **options: Any) -> None:
            given = " ".join(f"{key}={value}" for key, value in options.items())
            found.append(f"{inspect.getsource(kernel.fn)} {given}")

        kind.run = run
        try:
            self.launchers[name](**self.arguments)
        finally:
            kind.run = usual
        self.launched[name] = "\n".join(found)
        for rule in self._rules(name):
            if "fails" in rule:
                raise RuntimeError(rule["fails"])
            while rule.get("hangs"):
                time.sleep(1)

    def time(self, names: tuple[str, ...], effort: Effort, copy: bool) -> Timed:
        self.note("time")
        return super().time(names, effort, False)

    def note(self, what: str) -> None:
        """What was asked, for a test to read."""
        with open(os.environ["TRITONOPT_PLANTED"] + ".log", "a", encoding="utf-8") as log:
            log.write(f"{what}\n")

    def _rules(self, name: str) -> list[dict[str, Any]]:
        return [
            rule
            for rule in self.plan.get("rules", ())
            if re.search(rule.get("kernel", ""), self.launched[name])
            and all(
                low <= self.sizes.get(n, low) <= high
                for n, (low, high) in rule.get("sizes", {}).items()
            )
        ]


def serve(descriptor: int) -> None:
    answer_requests(descriptor, PlantedServer())
