"""The worker of `benchmarks/null_test.py`, on a device whose times are planted."""

from __future__ import annotations

from benchmarks.planted_gain import GainServer
from tests.tuning.planted_server import PlantedServer
from tritonopt.verification.worker.server import answer_requests


class PlantedGainServer(GainServer, PlantedServer):
    pass


def serve(descriptor: int) -> None:
    answer_requests(descriptor, PlantedGainServer())
