"""What a kernel does in order: loops, memory accesses, barriers, exits."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value


class EffectKind(str, Enum):
    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"
    BARRIER = "barrier"
    CALL = "call"
    """A call whose effects are not known."""
    EXIT = "exit"
    """`return`, `break` or `continue` before the end of its block."""
    PRINT = "print"
    """Visible to a person, but not to memory: device_print, device_assert, assume."""


@dataclass(eq=False)
class Loop:
    """A `for` or `while` of the kernel, or of a helper inlined into it."""

    identity: int
    node: ast.For | ast.While
    parent: Loop | None
    inlined: bool
    """The loop stands in a helper function, so the kernel's text does not hold it."""
    kind: str
    """"range", "tl.range", "tl.static_range", "while", or "other" (another iterable)."""
    start: Value | None = None
    stop: Value | None = None
    step: Value | None = None
    condition: Value | None = None
    """Of a `while`: what is tested before each iteration."""
    induction: Value | None = None
    """Number of the iteration, from 0: the induction variable is start + step * iteration."""
    iteration: Value | None = None
    initial: dict[str, Value] = field(default_factory=dict)
    """Carried names: their values before the loop, ..."""
    carried: dict[str, Value] = field(default_factory=dict)
    """... at the start of an iteration, ..."""
    following: dict[str, Value] = field(default_factory=dict)
    """... at its end, ..."""
    result: dict[str, Value] = field(default_factory=dict)
    """... and after the loop."""
    left_early: bool = False
    """An iteration may end before its end: `break`, `continue` or `return`."""
    first: int = 0
    last: int = 0
    """The effects of the loop have `first <= order <= last`."""

    @property
    def nest(self) -> tuple[Loop, ...]:
        """The loops around this one, outermost first, and this one."""
        return (*(self.parent.nest if self.parent else ()), self)

    @property
    def line(self) -> int:
        return self.node.lineno

    @property
    def bounds(self) -> list[Value]:
        """What it counts with: where it starts and stops and its steps, as far as it has them."""
        return [bound for bound in (self.start, self.stop, self.step) if bound is not None]

    @property
    def is_counted(self) -> bool:
        """Whether it is a loop over `range` or `tl.range`, which the compiler does not unroll."""
        return self.kind in ("range", "tl.range")

    @property
    def options(self) -> list[str]:
        """What the header of a loop over `tl.range` asks for by name, besides its bounds; not what
        it says False or None of."""
        call = self.node.iter if isinstance(self.node, ast.For) else None
        return [
            keyword.arg or "**"
            for keyword in (call.keywords if isinstance(call, ast.Call) else ())
            if keyword.arg not in ("arg1", "arg2", "step")
            if not isinstance(keyword.value, ast.Constant) or keyword.value.value
        ]


@dataclass(frozen=True, eq=False)
class Guard:
    """A condition under which something runs."""

    condition: Value
    holds: bool
    node: ast.If | ast.IfExp


@dataclass(frozen=True, eq=False)
class Effect:
    """One thing the kernel does, at its place in the order of the source."""

    kind: EffectKind
    order: int
    node: ast.AST
    """In the kernel's own text; for a helper's effect, the outermost call."""
    name: str
    loops: tuple[Loop, ...]
    guards: tuple[Guard, ...]
    pointer: Value | None = None
    mask: Value | None = None
    other: Value | None = None
    stored: Value | None = None
    loaded: Value | None = None
    volatile: bool = False
    inlined: bool = False
    checked: Value | None = None
    """The axes of a block pointer along which it stays inside: `boundary_check`, ..."""
    padding: Value | None = None
    """... and what it reads outside."""
    block: Value | None = None
    """The block pointer, or the block of a descriptor, that is read as a tile of pointers."""

    @property
    def line(self) -> int:
        return int(getattr(self.node, "lineno", 0))

    @property
    def writes(self) -> bool:
        return self.kind in (EffectKind.STORE, EffectKind.ATOMIC, EffectKind.CALL)


def parts_of(
    loops: Sequence[Loop], *values: Value, stop: Callable[[Value], bool] = lambda _: False
) -> Iterator[Value]:
    """All that values are made of, by way of what loops carry as well; of a part where it is to
    stop, that part alone."""
    seen, todo = set[Value](), [*values]
    while todo:
        part = todo.pop()
        if part in seen:
            continue
        seen.add(part)
        yield part
        if part.op in (Op.CARRIED, Op.RESULT):
            loop, name = loops[part.carrier.loop], part.carrier.name
            todo += [] if stop(part) else [loop.initial[name], loop.following[name]]
        elif not stop(part):
            todo += part.operands


def is_loaded(value: Value) -> bool:
    return value.op is Op.LOAD
