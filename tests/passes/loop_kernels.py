"""Random kernels of loops, branches and loads, and a way to run them without Triton.

A kernel runs as the plain Python that it is, on a `tl` that counts: `run` says what was stored,
what was read and what happened in which order. Names follow Triton's rules, not Python's: what is
first bound in a loop or in one branch is not read behind it.
"""

from __future__ import annotations

import random
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from types import CodeType, SimpleNamespace
from typing import Any

HEAD = """\
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(X, W, F, Y, n, m, flag, mode, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr):
    pid = tl.program_id(0)
    acc = 0.0
    k = 0
"""
TAIL = """
    tl.store(Y + 40, acc)


def run(x, w, f, n, m, flag, mode, given):
    y = torch.empty(64)
    kernel[(2,)](x, w, f, y, n, m, flag, mode, B=4, C=2, D=given)
    return y
"""
MAX_DEPTH = 4
MAX_LOOPS = 2
MAX_LINES = 22
"""From here on a kernel only ends what it has begun: many small ones find more than a few large."""


class Kernels:
    """Writes one random kernel."""

    def __init__(self, choose: random.Random) -> None:
        self.choose = choose
        self.lines: list[str] = []
        self.loops: list[str] = []
        self.count = 0

    def kernel(self) -> str:
        names = ["acc"]
        self.block(1, names, self.choose.randint(1, 2), loop=True)
        return HEAD + "\n".join(self.lines) + TAIL

    def one(self, *options: Any) -> Any:
        return self.choose.choice(options)

    def line(self, depth: int, text: str) -> None:
        comment = f"  # {self.count}" if self.choose.random() < 0.1 else ""
        if self.choose.random() < 0.05:
            self.lines.append("    " * depth + f"# above {self.count}")
        self.count += 1
        self.lines.append("    " * depth + text + comment)

    def block(self, depth: int, names: list[str], size: int, loop: bool = False) -> None:
        for _ in range(size):
            kind = self.choose.random()
            if self.count >= MAX_LINES:
                self.simple(depth, names)
            elif len(self.loops) < MAX_LOOPS and depth < MAX_DEPTH and (loop or kind < 0.2):
                self.loop(depth, names)
            elif kind < 0.5 and self.loops and depth < MAX_DEPTH:
                self.branch(depth, names)
            else:
                self.simple(depth, names)

    def loop(self, depth: int, names: list[str]) -> None:
        if self.choose.random() < 0.15 and "k" not in self.loops:
            self.line(depth, "k = 0")
            self.line(depth, "while k < " + self.one("n", "m", "3") + ":")
            counter = "k"
        else:
            counter = self.one("i", "j", "q")
            if counter in self.loops:
                counter += str(len(self.loops))
            bounds = self.one(
                "n",
                "0, n, B",
                "3",
                "1, m",
                "pid, m, tl.num_programs(0)",
                "0, m, flag",
                "n, 0, -1",
                "n - 1, -1, -C",
            )
            self.line(depth, f"for {counter} in {self.one('range', 'tl.range')}({bounds}):")
        self.loops.append(counter)
        inner = [*names]
        self.block(depth + 1, inner, self.choose.randint(1, 4))
        if counter == "k":
            self.line(depth + 1, "k += 1")
        elif self.choose.random() < 0.7:
            self.line(depth + 1, f"tl.store(Y + {counter}, {self.value(inner)})")
        self.loops.pop()

    def branch(self, depth: int, names: list[str]) -> None:
        keyword = "if"
        for _ in range(self.one(1, 1, 1, 2, 3)):
            self.line(depth, f"{keyword} {self.condition()}:")
            self.block(depth + 1, [*names], self.choose.randint(1, 2))
            keyword = "elif"
        if self.choose.random() < 0.5:
            self.line(depth, "else:")
            self.block(depth + 1, [*names], self.choose.randint(1, 2))

    def simple(self, depth: int, names: list[str]) -> None:
        kind = self.choose.random()
        if kind < 0.1:
            place = self.one("Y + 20", "Y + 21 + m", "W + 1", f"Y + {self.index()}")
            if self.choose.random() < 0.2:
                self.line(depth, f"tl.atomic_add({place}, {self.value(names)})")
            else:
                self.line(depth, f"tl.store({place}, {self.value(names)})")
        elif kind < 0.35:
            self.line(depth, f"acc {self.one('+', '-')}= {self.value(names)}")
        elif kind < 0.42 and len(names) > 1:
            self.line(
                depth, f"{self.choose.choice(names)} {self.one('+=', '*=')} {self.value(names)}"
            )
        else:
            name = self.one("a", "b", "c", "d", "acc")
            self.line(depth, f"{name} = {self.value(names)}")
            if name not in names:
                names.append(name)

    def index(self) -> str:
        return str(self.one("0", "1", "m", "pid", "flag", *self.loops))

    def condition(self) -> str:
        if self.choose.random() < 0.2:
            return str(self.one("D", "D == 1", "not D", "C > 1 and D"))
        left = self.one("flag", "mode", "pid", "n", "C", *self.loops)
        text = f"{left} {self.one('>', '==', '!=', '<')} {self.one('0', '1', '2', 'm')}"
        if self.choose.random() < 0.15:
            text = f"{text} {self.one('and', 'or')} mode > 0"
        if self.choose.random() < 0.1:
            text = f"not ({text})"
        if self.choose.random() < 0.08:
            text = "tl.load(F) > 0.0"
        return "flag" if self.choose.random() < 0.2 else text

    def value(self, names: list[str]) -> str:
        kind = self.choose.random()
        if kind < 0.45:
            return self.load()
        if kind < 0.7:
            return str(self.choose.choice(names))
        if kind < 0.8:
            return str(self.one("1.0", "pid", "m + 2", "m // 2", "n % flag", *self.loops))
        return f"{self.choose.choice(names)} {self.one('+', '-', '*')} {self.value(names)}"

    def load(self) -> str:
        place = f"{self.one('X', 'W', 'W', 'F', 'Y')} + {self.index()}"
        masks = ("", "", ", mask=m > 1, other=2.0", ", mask=n > 0, other=0.0", ", m < n, 1.0")
        return f"tl.load({place}{self.one(*masks)})"


@dataclass(frozen=True)
class Pointer:
    """A place in a named buffer."""

    name: str
    place: int = 0

    def __add__(self, offset: int) -> Pointer:
        return Pointer(self.name, self.place + offset)


@dataclass
class Run:
    """One program of a kernel, and what it did."""

    pid: int
    memory: dict[Pointer, float] = field(default_factory=dict)
    read: set[Pointer] = field(default_factory=set)
    written: list[tuple[Pointer, float]] = field(default_factory=list)

    def value(self, pointer: Pointer) -> float:
        start = {"X": 0.5, "W": 1.25, "F": -0.75, "Y": 3.0}[pointer.name]
        return self.memory.get(pointer, start + pointer.place * 0.375)

    def load(self, pointer: Pointer, mask: bool = True, other: float = 99.0) -> float:
        if not mask:
            return other
        self.read.add(pointer)
        return self.value(pointer)

    def store(self, pointer: Pointer, value: float) -> None:
        self.written.append((pointer, value))
        self.memory[pointer] = value

    def atomic_add(self, pointer: Pointer, value: float) -> float:
        before = self.value(pointer)
        self.store(pointer, before + value)
        return before


def run(text: str, arguments: tuple[int, ...], pid: int, given: int = 1) -> Run | str:
    """What one program does; the name of the error where it ends with one."""
    result = Run(pid)
    language = SimpleNamespace(
        load=result.load,
        store=result.store,
        atomic_add=result.atomic_add,
        program_id=lambda axis: pid,
        num_programs=lambda axis: 2,
        range=range,
        constexpr=int,
    )
    space: dict[str, Any] = {"tl": language, "triton": SimpleNamespace(jit=lambda f: f)}
    exec(_code(text), space)
    kernel: Callable[..., None] = space["kernel"]
    try:
        kernel(*map(Pointer, "XWFY"), *arguments, B=4, C=2, D=given)
    except (ZeroDivisionError, ValueError, OverflowError, UnboundLocalError) as error:
        return type(error).__name__
    return result


@cache
def _code(text: str) -> CodeType:
    """The kernel of a file, without what launches it."""
    function = text[text.index("@triton.jit") : text.index("\ndef run")]
    return compile(textwrap.dedent(function), "<kernel>", "exec")
