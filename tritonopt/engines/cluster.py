"""Tasks on a cluster of Ray.

Ray decides which node does what. On a node a task runs in a process of its own, as `local` has
them, so that a crash or a hang costs the same here. What only Ray sees is that a node is lost: what
it was doing is done once more, elsewhere, and then told.
"""

from __future__ import annotations

import os
import socket
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from typing import Any

from tritonopt import __version__, install_command
from tritonopt.engines.errors import EngineError
from tritonopt.engines.local import Slot
from tritonopt.engines.work import Answer, Outcome, Task

_RETRIES = 1
_LOOK = 5.0
"""Seconds to wait for an answer before looking at the cluster again."""
_PATIENCE = 60.0
"""Seconds for which tasks wait for a GPU that no node has."""
_VISIBLE = "CUDA_VISIBLE_DEVICES"
_NEW = "local"
"""Is no address, but tells Ray to start a cluster."""
_MODE = "RAY_AUTH_MODE"


class Cluster:
    """The nodes have to see the same files under the same paths, and have this version installed.

    Answers come through this process, so what is kept of them is written by it alone.
    """

    def __init__(self, address: str | None = None, jobs: int | None = None) -> None:
        self.address = address
        """Without one it is what RAY_ADDRESS says, or the cluster that runs on this machine;
        where there is none, Ray is started for the time."""
        self.jobs = jobs
        self.connected = False
        """Whether it was this engine that connected to the cluster."""

    def at_once(self, tasks: Sequence[Task]) -> int:
        resources = self._connection().cluster_resources()
        share = max((task.gpu for task in tasks), default=0.0)
        fitting = resources.get("CPU", 0.0)
        if share and (gpus := resources.get("GPU", 0.0)):
            fitting = min(fitting, gpus // share)
        return max(1, min(int(fitting), len(tasks), self.jobs or len(tasks)))

    @contextmanager
    def running(self, tasks: Sequence[Task]) -> Iterator[Iterator[Answer]]:
        ray = self._connection()
        try:
            run = _Run(ray, tasks, self.jobs)
            try:
                yield run.answers()
            finally:
                run.end()
        finally:
            if self.connected:
                ray.shutdown()
                self.connected = False

    def _connection(self) -> Any:
        """Ray, connected. Raises EngineError."""
        ray = _ray()
        if not ray.is_initialized():
            _connect(ray, self.address)
            self.connected = True
        return ray


def _ray() -> Any:
    try:
        return import_module("ray")
    except ImportError as error:
        raise EngineError(
            f"the engine ray needs {error.name or 'ray'}: {install_command('ray')}"
        ) from None


def _connect(ray: Any, address: str | None) -> None:
    named = address or os.environ.get("RAY_ADDRESS")
    if not named and (last := _last_cluster()):
        try:
            _knock(last)
            named = last  # it runs on this machine, and Ray would take it as well
        except OSError:
            address = _NEW  # it is gone, and Ray would wait for it without an end
    where = f"no cluster of Ray answers at {named}" if named else "Ray cannot be started here"
    # Who starts it for the time of a run has not been asked about reports of its use.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if named:
        try:
            _knock(named)
        except OSError as error:
            raise EngineError(f"{where}: {error}") from None
    try:
        ray.init(address, configure_logging=False, log_to_driver=False)
    except Exception as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        hint = ""
        if named and _MODE not in os.environ:
            hint = f". If it asks for a token, set {_MODE}=token here"
        raise EngineError(f"{where}: {lines[0]}{hint}") from None


def _last_cluster() -> str | None:
    """The address of the last cluster that was started on this machine, as Ray remembers it."""
    try:
        found: str | None = import_module("ray._private.utils").read_ray_address()
    except (ImportError, AttributeError, OSError):
        return None  # another version of Ray looks for it by itself
    return found or None


def _knock(address: str) -> None:
    """Raises OSError where nobody listens: Ray itself would try for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), _LOOK).close()


class _Run:
    """The tasks of one run, and what Ray calls those that it has."""

    def __init__(self, ray: Any, tasks: Sequence[Task], jobs: int | None) -> None:
        self.ray = ray
        self.waiting = deque(tasks)
        self.jobs = jobs or len(tasks)
        self.running: dict[Any, Task] = {}
        self.gpus = self._gpus()
        self.without: float | None = None
        """Since when there is no GPU, where there was one."""
        self.common: dict[bytes, Any] = {}
        """What tasks have in common, as Ray keeps it: once, and not with every task."""
        self.remote = ray.remote(max_retries=_RETRIES, scheduling_strategy="SPREAD")(_on_node)

    def answers(self) -> Iterator[Answer]:
        while self.waiting or self.running:
            while self.waiting and len(self.running) < self.jobs:
                self._begin(self.waiting.popleft())
            done, _ = self.ray.wait(list(self.running), num_returns=1, timeout=_LOOK)
            for reference in done:
                yield self._answer(reference, self.running.pop(reference))
            if not done:
                yield from self._without_gpus()

    def end(self) -> None:
        """End what still runs."""
        for reference in self.running:
            self.ray.cancel(reference, force=True)
        self.running.clear()

    def _begin(self, task: Task) -> None:
        # A task that asks for a GPU waits for one; where none is, it runs without.
        gpus = task.gpu if self.gpus else 0
        remote = self.remote.options(num_gpus=gpus, name=task.name)
        data = task.common
        if data is not None and data not in self.common:
            self.common[data] = self.ray.put(data)
        common = None if data is None else self.common[data]
        bare = replace(task, common=None)
        self.running[remote.remote(bare, common, __version__, os.getcwd())] = task

    def _answer(self, reference: Any, task: Task) -> Answer:
        errors = self.ray.exceptions
        try:
            answer: Answer = self.ray.get(reference)
        except errors.RayTaskError as error:
            return Answer(task, Outcome.FAILED, reason=_last_line(error))
        except errors.RayError as error:
            lost = f"its node was lost, or Ray's process on it, {_RETRIES + 1} times"
            return Answer(task, Outcome.DIED, reason=f"{lost}: {type(error).__name__}")
        return replace(answer, task=task)

    def _gpus(self) -> float:
        return float(self.ray.cluster_resources().get("GPU", 0))

    def _without_gpus(self) -> Iterator[Answer]:
        """Answers for what waits for GPUs that are gone with their nodes."""
        if not self.gpus or self._gpus():
            self.without = None
            return
        now = time.monotonic()
        self.without = self.without or now
        if now - self.without < _PATIENCE:
            return
        for reference, task in [*self.running.items()]:
            if task.gpu:
                self.ray.cancel(reference, force=True)
                del self.running[reference]
                yield Answer(task, Outcome.DIED, reason="no node with a GPU is left")


def _last_line(error: Exception) -> str:
    """What was raised: the text of Ray's error is a traceback."""
    return (str(error).strip().splitlines() or [type(error).__name__])[-1]


# On a node

_NONE = Task("", "")
"""In an answer that is sent back: who asked knows the task."""
_slot: Slot | None = None
"""The process that does the tasks that this one is given."""


def _on_node(task: Task, common: bytes | None, version: str, folder: str) -> Answer:
    """Do a task on the node that this is called on."""
    global _slot
    task = replace(task, common=common)
    host = socket.gethostname()

    def refused(reason: str) -> Answer:
        return Answer(_NONE, Outcome.FAILED, reason=f"{host} {reason}", where=host)

    if version != __version__:
        return refused(f"has tritonopt {__version__}, and {version} asks: install the same there")
    try:
        os.chdir(folder)
    except OSError:
        return refused(f"does not see {folder}: all nodes have to see the same files")
    gpus = os.environ.get(_VISIBLE, "")
    environment = {_VISIBLE: gpus} if _VISIBLE in os.environ else {}
    if _slot is not None and _slot.environment != environment:
        _slot.worker.close()
        _slot = None
    if _slot is None:
        _slot = Slot(f"{host}, GPU {gpus}" if task.gpu and gpus else host, environment)
    return replace(_slot.answer(task), task=_NONE)
