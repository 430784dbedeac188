"""The parent's end of a worker: start, ask, notice that it died, start again.

Workers that run on a GPU are processes of their own from the start, the others are forked by a
fork server.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from multiprocessing.connection import Connection
from typing import IO, Any

from tritonopt.verification.inputs.examples import Example
from tritonopt.verification.process import wire
from tritonopt.verification.process.containment import Contained
from tritonopt.verification.process.fork_server import Forked, ForkServerDied, fork_server
from tritonopt.verification.process.messages import (
    COMPILED,
    COMPILES,
    LATE,
    OUT_OF_MEMORY,
    SLOW_COMPILATION,
    Attempt,
    Failure,
    Outcome,
    RunOptions,
    VersionSpec,
)

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from importlib import import_module; given = json.loads(sys.argv[4]); box = import_module("
    "'tritonopt.verification.process.containment'); fd = int(sys.argv[2]); "
    "given and box.enter(box.Contained(**given), fd); import_module(sys.argv[3]).serve(fd)"
)
SERVER = "tritonopt.verification.worker.server"


class _Failed(Exception):
    def __init__(self, failure: Failure) -> None:
        super().__init__(str(failure))
        self.failure = failure


class Died(_Failed):
    """The worker ended, or did not answer in time; `failure` says how."""


class Refusal(_Failed):
    """The worker answered that it cannot do what was asked."""


class Worker:
    """One process; started on first use, and again after it died."""

    def __init__(
        self,
        timeout: float,
        *,
        forked: bool,
        server: str = SERVER,
        leads: bool = False,
        environment: Mapping[str, str] | None = None,
        contained: Contained | None = None,
        wired: bool = False,
    ) -> None:
        self.timeout = timeout
        self.forked = forked
        self.server = server
        """The module whose `serve` the process runs."""
        self.wired = wired or server == SERVER
        """Whether its answers are read as data, see `wire`."""
        self.leads = leads
        """Whether a fresh process leads a session of its own: what it started ends with it."""
        self.environment = environment or {}
        """Of a fresh process, beside that of this one."""
        self.contained = contained
        self.process: subprocess.Popen[bytes] | Forked | None = None
        self.connection: Connection | None = None
        self.log: IO[bytes] | None = None
        self.asked = "", ""
        """The last request, and what its answer has to begin with."""

    def start(self) -> Connection:
        """Start the process, which is asked nothing as yet."""
        ours, theirs = socket.socketpair()
        self.log = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as the process
        # What kernels print belongs to nobody's answer; the tail is shown after a death.
        try:
            if self.forked:
                given = theirs.fileno(), self.log.fileno(), self.server, self.contained
                self.process = fork_server().fork(*given)
            else:
                self.process = self._fresh(theirs.fileno(), self.log)
        except ForkServerDied as death:
            raise Died(Failure("Crash", f"torch or triton cannot be imported: {death}")) from None
        finally:
            theirs.close()
        self.connection = Connection(ours.detach())
        return self.connection

    def _fresh(self, descriptor: int, log: IO[bytes]) -> subprocess.Popen[bytes]:
        box, environment = self.contained, {**os.environ}
        if box is not None:
            environment = box.environment(environment)
        given = json.dumps(None if box is None else asdict(box))
        path = json.dumps(sys.path)
        return subprocess.Popen(
            [sys.executable, "-c", _START, path, str(descriptor), self.server, given],
            pass_fds=[descriptor],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**environment, "PYTHONHASHSEED": "0", **self.environment},
            start_new_session=self.leads,
        )

    def send(self, request: str, *arguments: object) -> None:
        connection = self.connection or self.start()
        try:
            self.asked = request, secrets.token_hex(8)
            connection.send((request, arguments, self.asked[1]))
        except (BrokenPipeError, ConnectionResetError):
            raise self._dead() from None

    def receive(self, seconds: float | None = None) -> Any:
        assert self.connection is not None, "send comes first"
        limit = self.timeout if seconds is None else min(seconds, self.timeout)
        left = math.inf if self.contained is None else self.contained.ends_at - time.monotonic()
        is_last, limit = left < limit, max(min(limit, left), 0.0)
        try:
            if self.wired:
                ends = time.monotonic() + limit
                kind, answer = wire.receive(self.connection, ends, *self.asked)
            elif self.connection.poll(limit):
                kind, answer = self.connection.recv()
            else:
                raise TimeoutError
        except TimeoutError:
            death = self._dead(f"no answer within {limit:.0f} s")
            late = Failure(LATE, "the time budget was spent", refused=True)
            raise Died(late) if is_last else death from None
        except wire.Forged as error:
            self.close()
            raise Died(Failure("Forged", f"the file forges answers: {error}")) from None
        except (EOFError, ConnectionResetError):
            raise self._dead() from None
        if kind == "error":
            raise Refusal(answer)
        return answer

    def has_answered(self, seconds: float) -> bool:
        """Whether an answer, or the end of the process, can be received within so many seconds."""
        assert self.connection is not None, "send comes first"
        return self.connection.poll(seconds)

    def ask(self, request: str, *arguments: object) -> Any:
        self.send(request, *arguments)
        return self.receive()

    def _dead(self, reason: str = "") -> Died:
        code: int | None = None
        if self.process is not None:
            if reason:
                self.kill()
            code = self._wait()
        lines: list[str] = []
        if self.log is not None:
            self.log.seek(max(0, self.log.seek(0, os.SEEK_END) - 4096))
            lines = self.log.read().decode("utf-8", "replace").strip().splitlines()
        self.close()
        if reason:
            return Died(_late(reason, lines))
        if code == -signal.SIGKILL:
            # No kernel does that to its process.
            killed = "the process was killed, as the system does where memory runs out"
            return Died(Failure(OUT_OF_MEMORY, killed, refused=True))
        how = f"exit status {code}"
        if code is not None and code < 0:
            how = signal.Signals(-code).name
        said = [line for line in lines if line and not line.startswith((COMPILES, COMPILED))]
        tail = f": {wire.readable(said[-1][:300])}" if said else ""
        return Died(Failure("Crash", f"the process ended with {how}{tail}"))

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
        if self.process is not None:
            self.kill()
            self._wait()
        if self.log is not None:
            self.log.close()
        self.process = self.connection = self.log = None

    def kill(self) -> None:
        """End the process, from whatever thread; whoever waits for its answer learns it."""
        process = self.process
        if process is None or process.returncode is not None:
            return
        if not self.leads:
            process.kill()
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    def _wait(self) -> int:
        assert self.process is not None
        if self.leads and self.process.returncode is None:
            # As long as it is not reaped, its number is no other group's.
            os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
            self.kill()
        return self.process.wait()


def _late(reason: str, log: Sequence[str]) -> Failure:
    """A call without an answer: its kernel does not end, or Triton still compiles it."""
    for line in reversed(log):
        if line.startswith(COMPILED):
            break
        if line.startswith(COMPILES):
            kernel = line.removeprefix(COMPILES)
            return Failure(SLOW_COMPILATION, f"{reason} while Triton compiles {kernel}", True)
    return Failure("Hang", reason)


class VersionWorker:
    """A worker that holds one version of the file, and loads it again after a death."""

    def __init__(self, spec: VersionSpec, timeout: float) -> None:
        self.spec = spec
        forked = spec.backend != "cuda"
        self.worker = Worker(timeout, forked=forked, contained=spec.contained)
        self.backend = ""
        self.loaded = False
        self.death: Died | None = None
        self.seconds = 0.0
        self.compile_seconds = 0.0
        self.compilations = 0
        """What running took so far, and compiling within it, in all processes of this worker."""

    def start_loading(self) -> None:
        self.worker.send("load", self.spec)

    def finish_loading(self) -> str:
        """The backend; Refusal or Died when the version cannot be imported."""
        self.backend = self.worker.receive()
        self.loaded = True
        return self.backend

    def load(self) -> None:
        """Load the version, unless a living process holds it already."""
        if not self.loaded or self.worker.process is None:
            self.start_loading()
            self.finish_loading()

    def ask(self, request: str, *arguments: object) -> None:
        """Any request; `answer` gives what comes back, and raises Died or Refusal."""
        self.load()
        self.worker.send(request, *arguments)

    def answer(self) -> Any:
        try:
            return self.worker.receive()
        except Died:
            self.loaded = False
            raise

    def send(self, example: Example, options: tuple[RunOptions, ...]) -> None:
        self.ask("run", example, options)

    def send_or_die(self, example: Example, options: tuple[RunOptions, ...]) -> None:
        """As `send`; a death is told by the next `receive`."""
        self.death = None
        try:
            self.send(example, options)
        except Died as death:
            self.loaded = False
            self.death = death

    def receive(self, count: int, seconds: float | None = None) -> tuple[Outcome, ...]:
        """The outcomes; a death is the same failure for every run that was asked for.

        No answer within `seconds`, or the worker's usual time, is a death.
        """
        if self.death is not None:
            return (Outcome(failure=self.death.failure),) * count
        try:
            outcomes: tuple[Outcome, ...] = self.worker.receive(seconds)
            for outcome in outcomes:
                self.seconds += outcome.seconds
                self.compile_seconds += outcome.compile_seconds
                self.compilations += outcome.compilations
            return outcomes
        except Died as death:
            self.loaded = False
            return (Outcome(failure=death.failure),) * count
        except Refusal as refusal:
            return (Outcome(failure=refusal.failure),) * count

    def run(self, example: Example, *options: RunOptions) -> tuple[Outcome, ...]:
        self.send_or_die(example, options)
        return self.receive(len(options))

    def attempt(self, example: Example) -> Attempt:
        """As far as the launcher comes with these arguments; Died if it ends the process."""
        self.load()
        try:
            found: Attempt = self.worker.ask("attempt", example)
        except Refusal as refusal:
            return Attempt(Attempt.FAILED, 0, str(refusal))
        except Died:
            self.loaded = False
            raise
        return found

    def run_within(
        self, seconds: float, example: Example, options: tuple[RunOptions, ...]
    ) -> tuple[Outcome, ...]:
        """Once more, with so much time, in which the file need not be loaded."""
        try:
            self.load()
        except (Died, Refusal) as error:
            return (Outcome(failure=error.failure),) * len(options)
        self.send_or_die(example, options)
        return self.receive(len(options), seconds)

    def close(self) -> None:
        self.worker.close()
