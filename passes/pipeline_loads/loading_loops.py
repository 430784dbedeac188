"""Loops that load: which of their loads a pipeline brings forward, and what must be shown for it.

A pipelined loop starts loads some turns before it uses them. The compiler follows values when it
does so, and no memory: it does not ask whether a store, an atomic or another program writes what
is loaded in the meantime, and forgets that a load is volatile.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted, unknown
from tritonopt.emit.loop_invariants import is_invariant
from tritonopt.facts import EffectKind, KernelFacts, Loop, Value
from tritonopt.facts.algebra.atoms import Minimum
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.polynomial import Polynomial, TooLarge
from tritonopt.facts.algebra.turns import takes_one_turn
from tritonopt.facts.constexprs import is_constexpr
from tritonopt.facts.effects import Effect
from tritonopt.facts.language import MATRIX
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.memory.dependence import prove_unchanged, prove_unordered
from tritonopt.facts.operations import Op
from tritonopt.facts.values import FLOAT_BITS
from tritonopt.source.trees import walk

_REMADE_BY = frozenset({"flatten", "warp_specialize"})
"""Arguments of `tl.range` for which the compiler makes another loop of it."""
_SHARED = 65536
"""Bytes of shared memory that a program may have on every GPU that Triton compiles for."""
_USUAL, _WIDEST = 4, 8
"""Bytes of an element whose type is not known: as most have, and the most."""


@dataclass(frozen=True)
class LoadingLoop:
    """An innermost loop of the kernel's own text that loads something new in its turns."""

    facts: KernelFacts
    loop: Loop
    loads: tuple[Effect, ...]
    """All loads of a turn."""

    @property
    def where(self) -> str:
        return f"the loop in line {self.loop.line}"

    @cached_property
    def call(self) -> ast.Call | None:
        """`range(...)` or `tl.range(...)`."""
        match self.loop.node:
            case ast.For(iter=ast.Call() as call) if self.loop.is_counted:
                return call
        return None

    def says(self, option: str) -> bool:
        """Whether the author has said of the loop what an option of `tl.range` is to be."""
        return self.call is not None and any(k.arg == option for k in self.call.keywords)

    # What every option of a loop asks for

    def check_header(self, attempt: Attempt) -> ast.Call:
        """That it is a plain loop over `range`, whose call this is. Raises Declined."""
        claim = "loops-are-plain"
        self.facts.check_counted(self.loop)
        assert self.call is not None
        for around in self.loop.nest:
            for option in _REMADE_BY.intersection(around.options):
                detail = f"the loop in line {around.line} has the option {option}"
                raise refuted(claim, "loop-options", detail)
        attempt.prove(claim, "over a range, without early exit")
        if takes_one_turn(self.facts, self.loop) and self.facts.launches.bindings:
            detail = f"{self.where} has one iteration at every visible launch"
            raise refuted("loads-run-ahead", "one-iteration", detail)
        product = next((v for v in self._values if _multiplies(v)), None)
        if product is not None:
            detail = f"{self.where} has a tl.{product.function}"
            raise refuted("loads-run-ahead", "dot-in-the-loop", detail)
        attempt.prove("loads-run-ahead", "there is no tl.dot in it")
        return self.call

    @property
    def _values(self) -> Iterator[Value]:
        inside = set(walk(self.loop.node))
        for node, value in self.facts.values.items():
            if node in inside:
                yield from value.walk()

    # What loading ahead asks for

    def check_loads_ahead(self, turns: int, attempt: Attempt) -> None:
        """That its loads may be brought forward by so many turns. Raises Declined."""
        if not any(self._runs_ahead(load) for load in self.loads):
            detail = f"{self.where} loads single elements only, or under a condition"
            raise refuted("loads-run-ahead", "compiler-knows", detail)
        inside = [e for e in self.facts.effects if self.loop in e.loops]
        prove_unordered(attempt, inside, self.where)
        caller = self.facts.launches.caller
        if caller is not None:
            detail = (
                f"{caller.name} calls it, and may store to elements that {self.where} "
                "reads before the call"
            )
            raise unknown("data-is-unchanged", "data-may-change", detail)
        prove_unchanged(
            attempt, self.facts, self.loads, self._so_far, "there is no store before its end"
        )
        self._check_room(turns, attempt)

    def _runs_ahead(self, load: Effect) -> bool:
        """Whether the compiler brings a load forward: a tile, that every turn comes to."""
        inside = [g for g in load.guards if self.loop.node not in walk(g.node)]
        decided = all(is_constexpr(self.facts, guard.node.test) for guard in inside)
        is_tile = load.loaded is None or load.loaded.shape != ()
        return is_tile and decided and _moves(self.facts, load, self.loop)

    @property
    def _so_far(self) -> list[Effect]:
        """What is done up to the end of the loop, in the turns of a loop around it too.

        What stands before the loop counts: a load that is copied to shared memory in the
        background need not see what its own program has stored just before.
        """
        outermost = self.loop.nest[0]
        before = (e for e in self.facts.effects if e.order <= outermost.last)
        return [e for e in before if self.facts.leads_to(e, outermost)]

    def _check_room(self, turns: int, attempt: Attempt) -> None:
        """All that is under way at once must fit into shared memory."""
        claim = "code-is-small"
        bindings = self.facts.launches.bindings
        usual = [self._bytes(turns, _USUAL, binding) for binding in bindings]
        largest = max((need for need in usual if need is not None), default=0)
        if largest > _SHARED:
            detail = f"{turns} iterations of its loads take {largest} bytes, more than {_SHARED}"
            raise refuted(claim, "tile-is-long", detail)
        most = [self._bytes(turns, _WIDEST, binding) for binding in bindings]
        bounds = [need for need in most if need is not None and need <= _SHARED]
        if bounds and len(bounds) == len(bindings):
            attempt.prove(
                claim, f"{turns} iterations of its loads take at most {max(bounds)} bytes"
            )
            attempt.assume_no_other_launches()
            return
        detail = f"we assume that {turns} iterations of its loads fit into shared memory"
        attempt.assume(claim, f"{detail}; no launch shows how many bytes they take")

    def _bytes(self, turns: int, width: int, binding: LaunchBinding) -> int | None:
        """Of shared memory, under one configuration of a launch; None where that is not known.

        Where the type of what is loaded is not known, its elements have so many bytes.
        """
        total = 0
        for load in filter(self._runs_ahead, self.loads):
            lanes = self._lanes(load, binding)
            times = [self._turns_inside(loop) for loop in load.loops[len(self.loop.nest) :]]
            if lanes is None or None in times:
                return None
            for number in times:
                lanes *= number or 0
            total += turns * lanes * (self._width(load) or width)
        return total

    def _lanes(self, load: Effect, binding: LaunchBinding) -> int | None:
        if load.loaded is None or load.loaded.shape is None:
            return None
        lanes = 1
        for extent in load.loaded.shape:
            try:
                most = _most(substitute(self.facts.forms.of(extent), binding))
            except TooLarge:
                return None
            if most is None:
                return None
            lanes *= most
        return lanes

    def _turns_inside(self, loop: Loop) -> int | None:
        """Of a loop in this one, which the compiler unrolls."""
        count = self.facts.forms.trip_count(loop)
        number = None if count is None else count.constant_value
        return None if number is None else int(number)

    def _width(self, load: Effect) -> int | None:
        """Bytes of the largest element that a launch is seen to pass, where all are known."""
        types = self.facts.types.behind(load)
        if not types.seen <= FLOAT_BITS.keys() or not types.all_in(types.seen):
            return None
        return max((FLOAT_BITS[name] // 8 for name in types.seen), default=None)


def loading_loops(facts: KernelFacts) -> Iterator[LoadingLoop]:
    """Those that the compiler can pipeline: no loop is left inside of them when it does."""
    left = [loop for loop in facts.loops if loop.kind != "tl.static_range"]
    around = {outer for loop in left for outer in loop.nest[:-1]}
    for loop in left:
        if loop.inlined or loop in around or facts.runs_once(loop):
            continue
        loads = [e for e in facts.effects if e.kind is EffectKind.LOAD and loop in e.loops]
        if any(_moves(facts, load, loop) for load in loads):
            yield LoadingLoop(facts, loop, tuple(loads))


def _moves(facts: KernelFacts, load: Effect, loop: Loop) -> bool:
    """Whether a load may read something else in each turn."""
    return load.pointer is None or not is_invariant(facts, load.pointer, loop)


def _multiplies(value: Value) -> bool:
    return value.op is Op.RESHAPED and value.function in MATRIX


def _most(extent: Polynomial) -> int | None:
    """The most that the length of a tile can be, where it is a number or the least of several."""
    number = extent.constant_value
    atom = extent.sole_atom if number is None else None
    if isinstance(atom, Minimum):
        numbers = [form.constant_value for form in atom.inside]
        number = min((n for n in numbers if n is not None), default=None)
    return None if number is None else int(number)
