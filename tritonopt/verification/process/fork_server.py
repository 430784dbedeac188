"""A process that has imported torch and triton once, and forks workers that need not.

Importing the two costs seconds, which was most of a short verification: a
worker for each version, and one more to look for a GPU. A fork costs
milliseconds, and is a process as good as any: a crash, a hang or a kill ends
it alone.

Workers of the interpreter only. A CUDA context does not survive a fork, so the
workers of a GPU are started afresh. The fork server runs nobody's code, and the
library's own start-up it does before any thread is there.

Why not multiprocessing's forkserver: it imports the caller's main script again
in every child, which would call `verify` there as well, and the caller may be
using it for something else.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import os
import platform
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import IO, Any

from tritonopt.verification.process.containment import SCRATCH, Contained, enter

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from tritonopt.verification.process.fork_server import serve; serve(int(sys.argv[2]))"
)
_IMPORTED = (
    "torch",
    "numpy.ma",
    "numpy.random",
    "triton",
    "triton.language",
    "triton.runtime.interpreter",
    "tritonopt.verification.worker.triton_interpreter.bfloat16",
    "tritonopt.verification.worker.triton_interpreter.corrected",
    "tritonopt.verification.worker.triton_interpreter.pretended_gpu",
    "tritonopt.verification.worker.triton_interpreter.logic",
    "tritonopt.verification.worker.triton_interpreter.usual_operands",
    "tritonopt.verification.worker.loading",
    "tritonopt.verification.worker.guarded_memory",
    "tritonopt.verification.worker.oracle",
    "tritonopt.verification.worker.probes",
    "tritonopt.verification.worker.launch_hook",
    "tritonopt.verification.worker.one_call",
    "tritonopt.verification.worker.server",
)
"""What workers need, in the order of its import."""
_ASKED_FOR = ("triton.experimental.gluon",)
"""What Triton imports when it first sees an argument, if this version has it."""


class ForkServerDied(Exception):
    """The fork server ended; the message is the last thing that it said."""


class Forked:
    """A worker process, child of the fork server: what a `subprocess.Popen` is to a fresh one."""

    def __init__(self, server: ForkServer, pid: int) -> None:
        self.server = server
        self.pid = pid
        self.returncode: int | None = None

    def kill(self) -> None:
        # The fork server reaps on request only, so the number still means this process.
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, 9)

    def wait(self) -> int:
        """Wait for the end; as for a Popen, the exit status, or minus the signal's number."""
        if self.returncode is None:
            try:
                self.returncode = os.waitstatus_to_exitcode(self.server.ask("wait", self.pid))
            except ForkServerDied:
                self.returncode = -9
        return self.returncode


class ForkServer:
    """The parent's end. Started at once, ready some seconds later; nobody need wait for it."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.lock = threading.Lock()
        ours, theirs = socket.socketpair()
        self.log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # as long as the process
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START, json.dumps(sys.path), str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONHASHSEED": "0", "TRITON_INTERPRET": "1"},
        )
        theirs.close()
        self.socket = ours
        self.connection = Connection(os.dup(ours.fileno()))

    @property
    def usable(self) -> bool:
        """Whether it is this process's, and alive."""
        return self.owner == os.getpid() and self.process.poll() is None

    def ask(self, request: str, *arguments: object, descriptors: tuple[int, ...] = ()) -> int:
        with self.lock:
            try:
                self.connection.send((request, arguments))
                if descriptors:
                    socket.send_fds(self.socket, [b"f"], descriptors)
                answer: int = self.connection.recv()
            except (EOFError, OSError):
                raise ForkServerDied(self._last_words()) from None
        return answer

    def fork(
        self, connection: int, log: int, server: str, contained: Contained | None = None
    ) -> Forked:
        """A worker that talks over one descriptor, and whose output goes to the other.

        `server` is the module whose `serve` it runs.
        """
        arguments = (server, sys.path, dict(os.environ), os.getcwd(), contained)
        return Forked(self, self.ask("fork", *arguments, descriptors=(connection, log)))

    def close(self) -> None:
        """End it; workers that are still there lose their other end, and go as well."""
        if self.owner == os.getpid():
            self.process.kill()
            self.process.wait()

    def _last_words(self) -> str:
        self.process.kill()
        code = self.process.wait()
        self.log.seek(0)
        lines = self.log.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:300] if lines else f"exit status {code}"


_current: ForkServer | None = None


def fork_server() -> ForkServer:
    """The one of this process, started now if there is none; it ends with the process."""
    global _current
    if _current is None or not _current.usable:
        _current = ForkServer()
        atexit.register(_current.close)
    return _current


# The other process


def serve(descriptor: int) -> None:
    """Import what workers need, then fork one for every request, until the other side hangs up."""
    _prepare()
    link = socket.socket(fileno=descriptor)
    connection = Connection(os.dup(descriptor))
    while True:
        try:
            request, arguments = connection.recv()
        except EOFError:
            return
        if request == "wait":
            connection.send(os.waitpid(arguments[0], 0)[1])
            continue
        _, (talk, log), _, _ = socket.recv_fds(link, 1, 2)
        pid = os.fork()
        if pid == 0:
            connection.close()
            link.close()
            _become_worker(talk, log, *arguments)
        os.close(talk)
        os.close(log)
        connection.send(pid)


def _prepare() -> None:
    import gc

    gc.disable()  # a tenth of the time of what is imported here, and nothing of it is garbage
    torch: Any = importlib.import_module("torch")
    # A pool of threads would not be there after a fork, and would be waited for.
    torch.set_num_threads(1)
    for name in _IMPORTED:
        importlib.import_module(name)
    for name in _ASKED_FOR:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    platform.processor()  # a process of its own says so, once
    gc.freeze()
    gc.enable()


def _become_worker(
    descriptor: int,
    log: int,
    server: str,
    path: list[str],
    environment: dict[str, str],
    folder: str,
    contained: Contained | None,
) -> None:
    """Go on as a worker would that was started by itself; never returns."""
    status = 1
    try:
        os.dup2(log, 1)
        os.dup2(log, 2)
        sys.path[:] = path
        if contained is not None:
            enter(contained, descriptor)
            environment, folder = contained.environment(environment), SCRATCH
        environment.update(PYTHONHASHSEED="0", TRITON_INTERPRET="1")
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        run: Callable[[int], None] = importlib.import_module(server).serve
        run(descriptor)
        status = 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
