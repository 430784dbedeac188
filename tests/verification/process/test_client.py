"""Workers die alone, are told apart by how they died, and are started again."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typing_extensions import TypeAliasType, TypeVar

from tritonopt.verification.inputs.examples import Example, PlainValue
from tritonopt.verification.process import wire
from tritonopt.verification.process.client import Died, VersionWorker, Worker
from tritonopt.verification.process.fork_server import fork_server
from tritonopt.verification.process.messages import (
    OUT_OF_MEMORY,
    SLOW_COMPILATION,
    RunOptions,
    VersionSpec,
)


@pytest.fixture
def workers() -> Iterator[tuple[Worker, Worker]]:
    pair = Worker(30.0, forked=True), Worker(30.0, forked=True)
    yield pair
    for worker in pair:
        worker.close()


def test_one_that_is_killed_dies_alone(workers: tuple[Worker, Worker]) -> None:
    one, other = workers
    one.ask("probe")
    other.ask("probe")
    assert one.process is not None and other.process is not None
    before = other.process.pid
    os.kill(one.process.pid, signal.SIGSEGV)
    with pytest.raises(Died, match="SIGSEGV"):
        one.ask("probe")
    assert other.ask("probe") == one.ask("probe")
    assert other.process.pid == before


def test_one_that_the_system_kills_has_no_memory_left(workers: tuple[Worker, Worker]) -> None:
    one, _ = workers
    one.ask("probe")
    assert one.process is not None
    os.kill(one.process.pid, signal.SIGKILL)
    with pytest.raises(Died) as death:
        one.ask("probe")
    # Whichever version it was, that is no difference between the two.
    assert death.value.failure.refused
    assert death.value.failure.kind == OUT_OF_MEMORY


SLOW = """
import time
from pathlib import Path
import triton
from triton.runtime import jit
from tritonopt.verification.worker.launch_hook import Watch

def compile(kernel, seconds):
    if seconds:
        Path(__file__).with_name("compiling").touch()
        time.sleep(seconds)

jit.JITFunction._do_compile = compile
Watch()

@triton.jit
def large(x):
    pass

class Server:
    def take(self, compiling, seconds):
        large._do_compile(compiling)
        time.sleep(seconds)

def serve(descriptor):
    from tritonopt.verification.worker.server import answer_requests
    answer_requests(descriptor, Server())
"""


@pytest.mark.parametrize(
    ("compiling", "after", "kind", "said"),
    [
        (600, 0, SLOW_COMPILATION, "no answer within 1 s while Triton compiles large"),
        (0, 600, "Hang", "no answer within 1 s"),
    ],
)
def test_a_kernel_that_is_being_compiled_does_not_hang(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    compiling: int,
    after: int,
    kind: str,
    said: str,
) -> None:
    (tmp_path / "slow_server.py").write_text(SLOW)
    monkeypatch.syspath_prepend(tmp_path)
    worker = Worker(120.0, forked=False, server="slow_server")
    try:
        worker.ask("take", 0, 0)
        worker.send("take", compiling, after)
        while compiling and not (tmp_path / "compiling").exists():
            assert not worker.has_answered(0.1)
        with pytest.raises(Died) as death:
            worker.receive(1.0)
    finally:
        worker.close()
    assert (death.value.failure.kind, death.value.failure.message) == (kind, said)
    assert death.value.failure.refused == (kind == SLOW_COMPILATION)


def test_the_fork_server_may_die_too(workers: tuple[Worker, Worker]) -> None:
    one, other = workers
    one.ask("probe")
    first = fork_server()
    first.process.kill()
    first.process.wait()
    assert other.ask("probe") == one.ask("probe")
    assert fork_server() is not first


_MOODY = """
import os
import time

def launch(mood):
    if mood == "crash":
        os._exit(3)
    if mood == "hang":
        open(f"{os.environ['HANGS']}/{os.getpid()}", "w").close()
        time.sleep(600)
    return mood, os.environ["MOOD"]
"""


def test_the_run_goes_on_after_a_crash_and_a_hang(
    tmp_path: Path, hangs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The fork server has long been there: what it forks lives in today's environment.
    monkeypatch.setenv("MOOD", "as set today")
    monkeypatch.setenv("HANGS", str(hangs))
    path = tmp_path / "moody.py"
    path.write_text(_MOODY)
    spec = VersionSpec("original", str(path), _MOODY, str(path), "interpreter", "launch", False)
    worker = VersionWorker(spec, timeout=120.0)
    found = []
    try:
        for mood in ("good", "crash", "good", "hang", "good"):
            example = Example((("mood", PlainValue(mood)),))
            (outcome,) = worker.run(example, RunOptions())
            found.append(outcome.failure.kind if outcome.failure else outcome.plain)
    finally:
        worker.close()
    good = ("'good'", "'as set today'", "tuple")
    assert found == [good, "Crash", good, "Hang", good]


def test_a_named_type_is_what_it_stands_for() -> None:
    # `npt.NDArray` is one in numpy 2.5.
    element = TypeVar("element")
    named = TypeAliasType("named", np.ndarray[Any, np.dtype[element]], type_params=(element,))
    pair = TypeAliasType("pair", tuple[int, int])
    assert wire._fitting(named[np.float64])(np.zeros(3)) and not wire._fitting(named)(3)
    assert wire._fitting(pair)((1, 2)) and not wire._fitting(pair)((1, "2"))
