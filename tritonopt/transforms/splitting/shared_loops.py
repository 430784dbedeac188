"""Loops whose turns several programs may share, as far as the loop itself and its effects go."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.facts import EffectKind, KernelFacts, Loop, Value
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.value_parts import all_parts
from tritonopt.source.trees import walk
from tritonopt.transforms.splitting.second_sweep import SecondSweep, second_sweep

_REFUSED = ("warp_specialize", "flatten")


def candidates(facts: KernelFacts) -> Iterator[Loop]:
    """Loops that bring what they load to a name, and so may be reductions.

    Not those that programs share already: which of them it is decides where such a loop begins.
    Nor one behind another that only goes through the row with what that one has found.
    """
    first = True
    for loop in facts.loops:
        steers = [v for v in (loop.start, loop.step) if v is not None]
        own = loop.parent is None and not loop.inlined and loop.kind != "while"
        if own and not any(map(_asks_for_programs, steers)):
            ends = {name: loop.following[name] for name in loop.carried if name in loop.following}
            loads = [name for name, end in ends.items() if _brings_loads(facts, end)]
            if any(first or loop.carried[n] in all_parts(facts, ends[n]) for n in loads):
                yield loop
            first = False


def _brings_loads(facts: KernelFacts, value: Value) -> bool:
    return any(part.op is Op.LOAD for part in all_parts(facts, value))


def _asks_for_programs(value: Value) -> bool:
    """Whether a number is computed from program ids, and not just looked up by them."""
    todo, seen = [value], set()
    while todo:
        part = todo.pop()
        if part in seen or part.op is Op.LOAD:
            continue
        seen.add(part)
        if part.op in (Op.PROGRAM_ID, Op.NUM_PROGRAMS):
            return True
        todo += part.operands
    return False


@dataclass(frozen=True)
class LoopCheck:
    """What is asked of the loop, and of all that is done up to its end."""

    facts: KernelFacts
    loop: Loop
    attempt: Attempt

    def check(self) -> SecondSweep | None:
        """The second loop over the row, if the kernel has one."""
        facts, loop = self.facts, self.loop
        where, claim = f"the loop in line {loop.line}", "loops-are-plain"
        if facts.launches.caller is not None:
            called = f"{facts.launches.caller.name} calls this one"
            raise unknown("launches-are-seen", "called-from-a-kernel", called)
        if loop.node not in facts.kernel.node.body:
            raise refuted(claim, "under-a-condition", f"{where} is not in the kernel's own block")
        facts.check_counted(loop, *_REFUSED)
        self._check_header(loop)
        second = second_sweep(facts, loop)
        if second is not None:
            self._check_header(second.loop)
            facts.check_counted(second.loop, *_REFUSED)
        self.attempt.prove(claim, f"{where} is counted and runs to its end")
        self._check_effects()
        if second is not None:
            second.prove(self.attempt)
        return second

    def _check_header(self, loop: Loop) -> None:
        assert isinstance(loop.node, ast.For)
        header = loop.node.iter
        claim, where = "loops-are-plain", f"the loop in line {loop.line}"
        if not isinstance(header, ast.Call) or not isinstance(loop.node.target, ast.Name):
            raise unknown(claim, "loop-is-not-plain", f"{where} has a header of its own kind")
        if any(isinstance(a, ast.Starred) for a in header.args) or not 1 <= len(header.args) <= 3:
            raise unknown(claim, "loop-is-not-plain", f"{where} has a header of its own kind")
        for keyword in header.keywords:
            if keyword.arg in (None, "arg1", "arg2", "step"):
                raise unknown(claim, "loop-is-not-plain", f"{where} names its bounds")
        if any(isinstance(n, ast.NamedExpr) for n in walk(header)):
            raise refuted("nothing-else-is-lost", "effect-inside", f"the header of {where} binds")

    def _check_effects(self) -> None:
        """Up to the end of the loop there is nothing that may not be done several times."""
        claim = "parts-are-independent"
        for effect in self.facts.effects:
            if effect.order > self.loop.last:
                continue
            where = f"in line {effect.line}"
            if effect.kind is EffectKind.EXIT:
                raise refuted(claim, "early-exit", f"the kernel may be left {where}")
            if effect.kind is not EffectKind.LOAD:
                text = f"{effect.name} {where} would be done by each program that has a part"
                raise refuted(claim, "done-by-every-part", text)
            if effect.volatile:
                raise refuted(claim, "volatile-load", f"the load {where} is volatile")
        self.attempt.prove(claim, "up to the end of the loop nothing is done but loads")
