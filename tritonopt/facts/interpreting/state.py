"""Where the interpretation of a kernel stands: what its parts share."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from tritonopt.facts.binding_times import BindingTimes
from tritonopt.facts.effects import Effect, EffectKind, Guard, Loop
from tritonopt.facts.interpretation import Environment, Interpretation
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value, broadcast_shapes
from tritonopt.source import Kernel
from tritonopt.source.trees import walk

Evaluate: TypeAlias = Callable[[ast.expr], Value]
Run: TypeAlias = Callable[[Sequence[ast.stmt]], bool]
"""Interprets a block; says whether it always leaves."""


class Returned(NamedTuple):
    """A value that a function returns, and the conditions of the function it is returned under."""

    value: Value
    guards: tuple[Guard, ...]
    in_loop: bool


@dataclass
class Frame:
    """One function being interpreted: the kernel, or a helper called from it."""

    kernel: Kernel
    environment: Environment
    inlined_at: ast.expr | None = None
    """Of a helper: the outermost call, which stands in the kernel's own text."""
    returned: list[Returned] = field(default_factory=list)
    guard_depth: int = 0
    loop_depth: int = 0
    tensors: set[str] = field(default_factory=set)
    """Names that are assigned: what the compiler knows is a tensor from there on."""


class Mark(NamedTuple):
    """A moment of the interpretation, to which it can be taken back."""

    clock: int
    effects: int
    loops: int


class State:
    """The record as far as it goes, and the frame, loops and conditions around what comes next."""

    def __init__(self, kernel: Kernel, shapes_of_blocks: bool = False) -> None:
        self.shapes_of_blocks = shapes_of_blocks
        self.record = Interpretation(kernel)
        self.table = self.record.table
        self.clock = 0
        self.nest: list[Loop] = []
        """The loops around, outermost first, of all functions."""
        self.guards: list[Guard] = []
        self.returned: list[Guard] = []
        """Of the helpers being interpreted: the conditions under which they have not returned."""
        self.call_stack: list[Kernel] = []
        self.questions = 0
        """How often the program's index, or the number of programs, was asked for so far."""
        environment: Environment = {}
        for parameter in kernel.parameters:
            op = Op.CONSTEXPR if parameter.constexpr else Op.PARAM
            environment[parameter.name] = self.table.make(op, (), parameter.name)
        self.frame = Frame(kernel, environment)

    def note_value(self, node: ast.expr, value: Value) -> None:
        """Of the kernel's own text; expressions of helpers have other values at each call."""
        if self.frame.inlined_at is None:
            self.record.values[node] = value

    def rounding(self, parts: Sequence[ast.expr], operands: Sequence[Value]) -> str | None:
        """How a quotient of what the compiler knows is rounded, if not as Python does.

        An assigned name is a tensor, divided toward zero; so may be what a helper is given.
        """
        frame = self.frame
        names = {n.id for part in parts for n in walk(part) if isinstance(n, ast.Name)}
        given = {p.name for p in frame.kernel.parameters if not p.constexpr}
        either = frame.inlined_at is not None and not names.isdisjoint(given)
        assigned = not names.isdisjoint(frame.tensors)
        times = BindingTimes(self.record.loops)
        if not (assigned or either) or any(times.of(o) != "static" for o in operands):
            return None
        return "runtime" if assigned else "either"

    def effect(
        self,
        kind: EffectKind,
        node: ast.AST,
        name: str,
        *,
        volatile: bool = False,
        **parts: Value | None,
    ) -> Effect:
        """Note an effect as the next one; the parts are those of an `Effect`."""
        self.clock += 1
        inlined_at = self.frame.inlined_at
        effect = Effect(
            kind,
            self.clock,
            inlined_at if inlined_at is not None else node,
            name,
            tuple(self.nest),
            (*self.guards, *self.returned),
            volatile=volatile,
            inlined=inlined_at is not None,
            **parts,
        )
        self.record.effects.append(effect)
        return effect

    def load(
        self, node: ast.AST, name: str, *, volatile: bool = False, **parts: Value | None
    ) -> Value:
        """Note a load as the next effect; what it loads is equal to no other value."""
        nothing = self.table.constant(None)
        pointer, mask, other = map(parts.get, ("pointer", "mask", "other"))
        shape = self.table.blocks.get(pointer) if pointer and self.shapes_of_blocks else None
        if pointer is not None and pointer.op is not Op.BLOCK_POINTER and shape is None:
            shape = broadcast_shapes([pointer.shape, *([mask.shape] if mask is not None else [])])
        operands = (pointer or nothing, mask or nothing, other or nothing)
        loaded = self.table.make(Op.LOAD, operands, self.clock + 1, shape=shape)
        parts["loaded"] = loaded
        effect = self.effect(EffectKind.LOAD, node, name, volatile=volatile, **parts)
        self.record.loads[effect.order] = effect
        return loaded

    def unknown_call(self, node: ast.Call, name: str) -> Value:
        """Note that the call may do anything; its result may be anything."""
        self.effect(EffectKind.CALL, node, name or ast.unparse(node.func))
        return self.table.opaque("result of a call not understood")

    # Loops

    def enter(self, loop: Loop) -> None:
        self.nest.append(loop)
        self._tell_table()

    def leave(self) -> None:
        self.nest.pop()
        self._tell_table()

    def _tell_table(self) -> None:
        self.table.inside = tuple(loop.identity for loop in self.nest)

    def leave_early(self, loops: int) -> None:
        """The innermost loops, of the function that is interpreted, may end before their end."""
        for loop in self.nest[len(self.nest) - loops :]:
            loop.left_early = True

    # Going back

    @property
    def mark(self) -> Mark:
        return Mark(self.clock, len(self.record.effects), len(self.record.loops))

    def go_back(self, mark: Mark) -> None:
        """Take back the effects and loops that were noted since then."""
        record = self.record
        self.clock = mark.clock
        del record.effects[mark.effects :], record.loops[mark.loops :]
        for order in [o for o in record.loads if o > mark.clock]:
            del record.loads[order]
