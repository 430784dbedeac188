"""Compiles kernels in a process of its own, where triton is installed.

What is asked goes there as lines of JSON and comes back so. Neither triton nor the file whose
kernel is compiled is imported into this process.
"""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from importlib.util import find_spec
from typing import IO, Any

from tritonopt.source import Kernel, Module

_SERVER = "tritonopt.tuning.compiling.resource_server"
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from importlib import import_module; import_module(sys.argv[2]).main()"
)
_SECONDS = 180.0
"""For one kernel compiled in all the ways that are asked for at once."""
Constant = int | float | bool | str | None


@dataclass(frozen=True)
class Setting:
    """What a kernel is compiled for."""

    constants: tuple[tuple[str, Constant], ...]
    """`tl.constexpr` parameters. `tl.float32` is the text "tl.float32"."""
    tensors: tuple[tuple[str, str], ...]
    """By a parameter's name the element type, `fp16`, of the tensor that is passed."""
    numbers: tuple[tuple[str, Constant], ...]
    """All other parameters."""
    warps: int
    stages: int | None
    told: tuple[str, ...] = ()
    """Numbers that the compiler is told of, though they are annotated or listed."""

    def with_constant(self, name: str, number: int) -> Setting:
        constants = tuple((n, number if n == name else c) for n, c in self.constants)
        return replace(self, constants=constants)

    def with_number(self, name: str, number: int) -> Setting:
        """What the compiler is told where `number` is passed, whether it is listed or not."""
        numbers = tuple((n, number if n == name else c) for n, c in self.numbers)
        return replace(self, numbers=numbers, told=(name,))

    def with_warps(self, warps: int) -> Setting:
        return replace(self, warps=warps)

    def telling(self, names: Sequence[str]) -> Setting:
        return replace(self, told=tuple(names))


@dataclass(frozen=True)
class Need:
    """What one thread needs."""

    registers: int
    stack: int
    """Bytes: what registers do not hold, and what functions keep there anyway."""
    accesses: Mapping[str, int] = field(default_factory=dict)
    """How many loads and stores of global memory there are, by `loads of 32 bits`."""


class NotCompiled(Exception):
    """The message says why."""


def is_there() -> bool:
    """Whether there is a compiler to ask."""
    return find_spec("triton") is not None and find_spec("torch") is not None


def needs(kernel: Kernel, settings: Sequence[Setting]) -> list[Need | None]:
    """In the order of the settings; None where the compiler refuses one. Raises NotCompiled."""
    return _server().ask(kernel, settings)


def settings_for(module: Module, function: str) -> tuple[int, tuple[int, ...]]:
    """What a function of a launcher's file returns for the longest row that it takes.

    The length is the largest power of two for which it raises nothing. Raises NotCompiled where it
    takes all of them, and its result grows with them, or where it returns anything but integers.
    """
    answer = _server().exchange(module, {"function": function})
    return int(answer["length"]), tuple(answer["returned"])


class _Server:
    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        atexit.register(self.close)

    def ask(self, kernel: Kernel, settings: Sequence[Setting]) -> list[Need | None]:
        answer = self.exchange(
            kernel.module,
            {"kernel": kernel.qualname, "settings": [asdict(setting) for setting in settings]},
        )
        return [None if need is None else Need(**need) for need in answer["needs"]]

    def exchange(self, module: Module, what: Mapping[str, object]) -> dict[str, Any]:
        """Ask something about a file. Raises NotCompiled."""
        asked = {"path": str(module.path), "text": module.text, **what}
        process = self._process or self._started()
        timer = threading.Timer(_SECONDS, process.kill)
        timer.start()
        try:
            given, answers = _pipes(process)
            given.write(json.dumps(asked) + "\n")
            given.flush()
            line = answers.readline()
        except BrokenPipeError:
            line = ""
        finally:
            timer.cancel()
        if not line:
            self.close()
            raise NotCompiled("the compiler ended, or took too long")
        answer: dict[str, Any] = json.loads(line)
        if "failure" in answer:
            raise NotCompiled(answer["failure"])
        return answer

    def _started(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, json.dumps(sys.path), _SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return self._process

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


def _pipes(process: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


@cache
def _server() -> _Server:
    return _Server()
