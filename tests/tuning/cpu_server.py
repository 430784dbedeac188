"""The worker that times, with the interpreter in place of a GPU: what fails there fails alike.

Its times are those of a clock on the wall, and mean nothing.
"""

from __future__ import annotations

import os
import time

from tritonopt.measurement.results import Machine
from tritonopt.measurement.timing import Effort
from tritonopt.tuning.timing_server import Timed, TimingServer
from tritonopt.verification.worker.server import answer_requests


class Wall:
    """A device that has done everything at once."""

    def clear(self, times: int) -> None:
        pass

    def mark(self) -> float:
        return time.perf_counter() * 1e6

    def reached(self, mark: float) -> bool:
        return False

    def between(self, begin: float, end: float) -> float:
        return max(end - begin, 1e-3)

    def watch(self) -> None:
        pass

    def wait(self) -> None:
        pass

    def machine(self) -> Machine:
        return Machine("the wall", "", "", "")


class CpuServer(TimingServer):
    place = "cpu"

    def probe(self) -> bool:
        return True

    def begin(self, siblings: int = 0) -> None:
        os.environ["TRITON_INTERPRET"] = "1"
        import torch

        torch.cuda.synchronize = lambda *rest: None
        torch.cuda.empty_cache = lambda: None
        torch.cuda.mem_get_info = lambda *rest: (2**30, 2**31)
        self.device = Wall()

    def time(self, names: tuple[str, ...], effort: Effort, copy: bool) -> Timed:
        return super().time(names, effort, False)


def serve(descriptor: int) -> None:
    answer_requests(descriptor, CpuServer())
