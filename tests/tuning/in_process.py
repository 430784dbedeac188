"""A worker that is this process: planted servers answer at once, and nothing is started."""

from __future__ import annotations

from typing import Any

from tests.tuning.planted_server import PlantedServer
from tests.tuning.yes_server import YesServer
from tritonopt.verification.process.client import Died, Refusal, Worker
from tritonopt.verification.process.messages import Failure
from tritonopt.verification.worker.server import explain

_SERVERS: dict[str, Any] = {
    "tests.tuning.planted_server": PlantedServer,
    "tests.tuning.yes_server": YesServer,
}


class Forked(Worker):
    """There is no GPU, which a forked process could not use, and importing torch takes longer."""

    def __init__(self, timeout: float, *, forked: bool, server: str) -> None:
        super().__init__(timeout, forked=True, server=server)


class Here:
    """What stands in the place of a `Worker`."""

    def __init__(self, timeout: float, *, forked: bool, server: str) -> None:
        self.timeout = timeout
        self.server = server
        self.process: object = None
        self.connection: object = None
        self.answers: list[tuple[str, Any]] = []

    def send(self, request: str, *arguments: object) -> None:
        if self.process is None:
            self.process = self.connection = self.served = _SERVERS[self.server]()
        try:
            self.answers.append(("", getattr(self.served, request)(*arguments)))
        except Exception as error:
            self.answers.append(("error", Failure(type(error).__name__, explain(error))))

    def receive(self, seconds: float | None = None) -> Any:
        kind, answer = self.answers.pop(0)
        if seconds is not None and seconds <= 0 and isinstance(self.served, PlantedServer):
            self.close()
            raise Died(Failure("Hang", "no answer within 0 s"))
        if kind:
            raise Refusal(answer)
        return answer

    def start(self) -> None:
        pass

    def has_answered(self, seconds: float) -> bool:
        return bool(self.answers)

    def ask(self, request: str, *arguments: object) -> Any:
        self.send(request, *arguments)
        return self.receive()

    def close(self) -> None:
        self.process = self.connection = None
        self.answers.clear()
