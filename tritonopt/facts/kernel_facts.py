"""The facts of one kernel, in one place: what a pass asks.

Default assumption, reported wherever it is used: two pointer parameters are
the same buffer or do not overlap. So a store through one parameter may change
what another reads, unless the launches or the user say that they are disjoint.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from tritonopt.checks.condition import refuted, unknown
from tritonopt.facts.algebra.forms import Forms
from tritonopt.facts.assumptions import (
    Assumption,
    AssumptionError,
    Assumptions,
    assumptions_of,
)
from tritonopt.facts.binding_times import BindingTimes, TruthValues
from tritonopt.facts.dtypes import ElementTypes
from tritonopt.facts.effects import Effect, EffectKind, Loop
from tritonopt.facts.host.launch_evidence import LaunchEvidence
from tritonopt.facts.interpretation import Environment
from tritonopt.facts.interpreting import interpret
from tritonopt.facts.language import GRID_ORDER
from tritonopt.facts.launch_bindings import Recorded
from tritonopt.facts.memory.blocks import read_as_tiles
from tritonopt.facts.memory.pointers import (
    Integers,
    find_extents,
    find_integers,
    find_numbers,
    find_pointers,
    pointer_bases,
)
from tritonopt.facts.operations import Op
from tritonopt.facts.precision import Precision
from tritonopt.facts.values import FLOAT_BITS, Value
from tritonopt.source import Kernel

_SYNCHRONIZING = (EffectKind.ATOMIC, EffectKind.BARRIER)


class KernelFacts:
    """What is true of one kernel. Computed when first asked for, and never changed."""

    def __init__(
        self,
        kernel: Kernel,
        assumptions: Sequence[Assumption] = (),
        unseen_launches: str = "",
        recorded: Recorded | None = None,
        as_tiles: bool = False,
    ) -> None:
        self.kernel = kernel
        self.recorded = recorded
        """Launches of a run of the user's: evidence for what is profitable."""
        self.interpretation = interpret(kernel, as_tiles)
        if as_tiles:
            read_as_tiles(self.interpretation)
        self.launches = LaunchEvidence(kernel, unseen_launches)
        names = frozenset(p.name for p in kernel.parameters)
        self._given = (tuple(assumptions), unseen_launches)
        self.assumptions = Assumptions(assumptions, names)
        for assumption in self.assumptions.given:
            self._check(assumption)
        if recorded is not None and recorded.proves and recorded.launches:
            tiles = {p.name for p in kernel.parameters if p.constexpr}
            shown = assumptions_of(recorded, tiles)
            known = (a for a in shown if not a.is_refuted_by(self.launches.constants))
            self.assumptions = Assumptions((*assumptions, *known), names)

    def _check(self, assumption: Assumption) -> None:
        """Raises AssumptionError where launches show the assumption to be false."""
        known, false = self.launches.constants, f"{assumption.text!r} is false for"
        name, places = self.kernel.name, [launch.where for launch in self.launches.launches]
        if assumption.is_refuted_by(known):
            passed = ", ".join(f"{n} = {known[n]}" for n in sorted(assumption.names & set(known)))
            where = " and ".join(places)
            raise AssumptionError(f"{false} {name}: its launches pass {passed} ({where})")
        if assumption.disjoint:
            where = self.launches.passing_one_tensor(*sorted(assumption.disjoint))
            if where:
                text = f"{false} {name}: the launch in {where} passes parts of one tensor for both"
                raise AssumptionError(text)

    def after(self, kernel: Kernel) -> KernelFacts:
        """The facts of what the kernel has become by changes to nothing but its own statements.

        Its launches are those that it had, so what they show is not looked for again.
        """
        found = KernelFacts(kernel, *self._given, self.recorded)
        found.launches = self.launches
        return found

    @cached_property
    def of_tiles(self) -> KernelFacts:
        """The facts where a block is accessed as a tile of pointers with a mask: for mistakes."""
        if not self.interpretation.table.made_by(Op.BLOCK_POINTER):
            return self
        found = KernelFacts(self.kernel, *self._given, self.recorded, as_tiles=True)
        found.launches = self.launches
        return found

    @cached_property
    def without_records(self) -> KernelFacts:
        """The facts that hold whatever a run recorded."""
        return self if self.recorded is None else KernelFacts(self.kernel, *self._given)

    @property
    def loops(self) -> Sequence[Loop]:
        """All loops, outer before inner, in source order; helper loops are `inlined`."""
        return self.interpretation.loops

    @property
    def effects(self) -> Sequence[Effect]:
        """All effects in source order."""
        return self.interpretation.effects

    @cached_property
    def effect_nodes(self) -> frozenset[ast.AST]:
        """Of the kernel's own text, what has an effect."""
        return frozenset(effect.node for effect in self.effects)

    @property
    def values(self) -> Mapping[ast.expr, Value]:
        """The value of every expression of the kernel's own text."""
        return self.interpretation.values

    @property
    def before(self) -> Mapping[ast.stmt, Environment]:
        """The names that are bound where a statement starts."""
        return self.interpretation.before

    @cached_property
    def binding_times(self) -> BindingTimes:
        """When a value is computed: by the compiler, or at run time."""
        return BindingTimes(self.loops)

    @cached_property
    def truth_values(self) -> TruthValues:
        return TruthValues(self.binding_times)

    @cached_property
    def forms(self) -> Forms:
        return Forms(self)

    @cached_property
    def precision(self) -> Precision:
        return Precision(self)

    @cached_property
    def types(self) -> ElementTypes:
        """Element types, and what shows them."""
        return ElementTypes(self)

    @cached_property
    def forms_ignoring_memory(self) -> Forms:
        """As if nothing stored anything: to tell a different address from a different time."""
        return Forms(self, memory=False)

    @cached_property
    def integers(self) -> Integers:
        """What must be an integer: it bounds a loop, shapes a tile or indexes memory."""
        return find_integers(self.interpretation, self.pointers)

    @cached_property
    def extents(self) -> frozenset[str]:
        """Parameters that are the number of lanes of a tile, and so at least 1."""
        return find_extents(self.interpretation)

    @cached_property
    def pointers(self) -> frozenset[str]:
        """Parameters that are dereferenced."""
        return find_pointers(self.interpretation, self._numbers)

    @cached_property
    def _numbers(self) -> frozenset[str]:
        """Parameters that are no pointers, as what is done to them shows."""
        return find_numbers(self.interpretation)

    @cached_property
    def pinned_roundings(self) -> tuple[tuple[ast.expr, str], ...]:
        """Expressions that someone wrote to get another library's bits, and what they are."""
        return tuple(_pinned(self))

    def bases(self, effect: Effect) -> frozenset[str] | None:
        """The parameters whose buffer an access may touch; None when that is not known."""
        if effect.pointer is None:
            return None
        return pointer_bases(effect.pointer, self.interpretation, self.pointers, self._numbers)

    def why_disjoint(self, first: str, second: str) -> tuple[bool, str, Assumption | None]:
        """(whether two parameters are shown not to overlap, why, the assumption it rests on)."""
        assumed = self.assumptions.disjoint(first, second)
        if assumed is not None:
            return True, f"given: {assumed.text}", assumed
        shown = self.launches.disjoint(first, second)
        return shown.disjoint, shown.reason, None

    def may_alias(self, one: Effect, other: Effect) -> bool:
        """Whether two accesses may access the same memory."""
        mine, theirs = self.bases(one), self.bases(other)
        if mine is None or theirs is None:
            return True
        return any(a == b or not self.why_disjoint(a, b)[0] for a in mine for b in theirs)

    @cached_property
    def _memory_versions(self) -> dict[int, tuple[int, tuple[Loop, ...]]]:
        return {}

    def memory_version(self, load: Effect) -> tuple[int, tuple[Loop, ...]]:
        """When a load reads: the last write before it that may matter, and the loops that write.

        Two loads of one address with equal versions read the same element. Where the kernel writes
        to the buffer at all, other programs do too, and what they wrote is seen after an atomic
        or a barrier, of whatever it is: a lock is an atomic on something else.
        """
        if load.order not in self._memory_versions:
            writes = [e for e in self.effects if e.writes and self.may_alias(load, e)]
            if writes:
                writes += [e for e in self.effects if e.kind in _SYNCHRONIZING]
            else:
                writes = [e for e in self.effects if e.name in GRID_ORDER]
            last = max((w.order for w in writes if w.order < load.order), default=0)
            varying = tuple(
                loop for loop in load.loops if any(loop in write.loops for write in writes)
            )
            self._memory_versions[load.order] = (last, varying)
        return self._memory_versions[load.order]

    def within(self, first: Loop, last: Loop) -> Iterator[Effect]:
        """The effects from the start of one loop to the end of another."""
        return (e for e in self.effects if first.first <= e.order <= last.last)

    def leads_to(self, effect: Effect, later: Loop) -> bool:
        """Whether a program may come from an effect to a later loop: no `return` of the branch that
        the effect is in stands between them."""
        return not any(
            e.kind is EffectKind.EXIT
            and not (e.loops or e.inlined)
            and effect.order < e.order < later.first
            and [(g.node, g.holds) for g in effect.guards[: len(e.guards)]]
            == [(g.node, g.holds) for g in e.guards]
            for e in self.effects
        )

    def loop_of(self, statement: ast.stmt) -> Loop | None:
        """The loop that a statement of the kernel's own text is."""
        own = (loop for loop in self.loops if not loop.inlined)
        return next((loop for loop in own if loop.node is statement), None)

    def exits_early(self, loop: Loop) -> bool:
        return loop.left_early or any(
            e.kind is EffectKind.EXIT and loop in e.loops for e in self.effects
        )

    def runs_once(self, loop: Loop) -> bool:
        """Whether a loop has one iteration at most."""
        count = self.forms.trip_count(loop)
        number = None if count is None else count.constant_value
        return number is not None and number <= 1

    # What most rewrites of loops ask before anything else; all raise Declined

    def check_parameters(self) -> None:
        """Parameters are what launches pass: no kernel calls this one, with tiles for numbers."""
        if self.launches.caller is not None:
            called = f"{self.launches.caller.name} calls this one, and may pass tiles to it"
            raise unknown("launches-are-seen", "called-from-a-kernel", called)

    def check_counted(self, loop: Loop, *refused: str) -> None:
        """The loop is over `range` or `tl.range`, and does not end before its last iteration."""
        if not loop.is_counted:
            text = f"the loop in line {loop.line} is not over `range` or `tl.range`"
            raise unknown("loops-are-plain", "loop-is-not-plain", text)
        self.check_ends(loop, *refused)

    def check_ends(self, loop: Loop, *refused: str) -> None:
        """The loop does not end before its last iteration, and has no `else` for that.

        Nor does it ask for one of the options of `tl.range` that are refused.
        """
        claim, where = "loops-are-plain", f"the loop in line {loop.line}"
        if loop.node.orelse:
            raise refuted(claim, "loop-is-not-plain", f"{where} has an `else`")
        if self.exits_early(loop):
            raise refuted(claim, "early-exit", f"{where} may exit early")
        for option in loop.options:
            if option in refused:
                raise refuted(claim, "loop-options", f"{where} says {option}")


def of(
    kernel: Kernel,
    assumptions: Sequence[Assumption] = (),
    unseen_launches: str = "",
    recorded: Recorded | None = None,
) -> KernelFacts:
    """The facts of a kernel. Nothing is run, and nothing raises on code that is not understood.

    `unseen_launches` says why the file does not show all launches; they are no evidence then.
    `recorded` are launches of a run. Raises AssumptionError where the launches of the file refute
    an assumption.
    """
    return KernelFacts(kernel, assumptions, unseen_launches, recorded)


def _pinned(facts: KernelFacts) -> Iterator[tuple[ast.expr, str]]:
    from tritonopt.facts.language import PINNED_ROUNDING

    for node, value in facts.values.items():
        if value.op is Op.ELEMENTWISE and isinstance(node, ast.Call):
            name = value.function.rsplit(".", 1)[-1]
            if name in PINNED_ROUNDING:
                yield node, f"{name}()"
        if value.op is Op.CAST and FLOAT_BITS.get(value.dtype or "", 0) >= 32:
            narrow = value.operand
            if narrow.op is Op.CAST and FLOAT_BITS.get(narrow.dtype or "", 64) < 32:
                yield node, f"a round trip through {narrow.dtype}"
