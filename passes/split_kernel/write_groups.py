"""Which writes of a kernel may be left to a second one: what it sums up over its programs or rows.

Those are atomics, what a loop over rows has added up while it stored each row, and partial results
that another kernel is launched to take together.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from tritonopt.checks.condition import refuted, unknown
from tritonopt.facts import Effect, EffectKind, KernelFacts
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.value_parts import all_parts
from tritonopt.facts.slot_reductions import reduces
from tritonopt.launches.launch_pairs import candidates
from tritonopt.source.trees import blocks_of, walk

_WRITES = frozenset({EffectKind.STORE, EffectKind.ATOMIC})
CLAIM = "parts-are-independent"
_DONE = "effects-are-known"


@dataclass(frozen=True)
class WriteGroups:
    """The writes that stay, and those that go to a kernel of their own."""

    facts: KernelFacts
    first: tuple[Effect, ...]
    second: tuple[Effect, ...]

    def check_effects(self) -> None:
        """Whether nothing is done but to load and to write. Raises Declined."""
        for effect in self.facts.effects:
            where = f"line {effect.line}"
            if effect.kind is EffectKind.EXIT:
                raise refuted(_DONE, "early-exit", f"the kernel may be left in {where}")
            if effect.kind not in _WRITES | {EffectKind.LOAD}:
                text = f"{effect.name} in {where} would be done by both"
                raise refuted(_DONE, "done-by-every-part", text)
            if effect.volatile:
                raise refuted(_DONE, "volatile-load", f"the load in {where} is volatile")
            if effect.kind in _WRITES and (effect.inlined or not self._is_statement(effect)):
                text = f"what {effect.name} in {where} returns is used, or it is in a helper"
                raise refuted(_DONE, "done-by-every-part", text)
        for loop in self.facts.loops:
            if loop.kind == "while" or self.facts.exits_early(loop):
                text = f"the loop in line {loop.line} waits for something, or is left early"
                raise refuted(_DONE, "done-by-every-part", text)

    def _is_statement(self, effect: Effect) -> bool:
        around = self.facts.kernel.module.names.parents.get(effect.node)
        return isinstance(around, ast.Expr)

    def check_memory(self, parts: Sequence[Collection[ast.stmt]]) -> None:
        """Whether neither part accesses what the other one writes. Raises Declined.

        `parts` are the statements of the two.
        """
        nodes = [{n for s in part if not list(blocks_of(s)) for n in walk(s)} for part in parts]
        headers = [{n for s in part for n in _header(s)} for part in parts]
        for mine, theirs in ((0, 1), (1, 0)):
            for write in (self.first, self.second)[mine]:
                for other in self.facts.effects:
                    if other.node in nodes[theirs] | headers[theirs]:
                        self._check_apart(write, other)

    def _check_apart(self, write: Effect, other: Effect) -> None:
        if not self.facts.may_alias(write, other):
            return
        text = f"line {other.line} may access what line {write.line} writes, and is in another part"
        one, two = self.facts.bases(write), self.facts.bases(other)
        make = refuted if one is not None and one == two else unknown
        raise make(CLAIM, "parts-share-memory", text)


def write_groups(facts: KernelFacts) -> WriteGroups | None:
    """The two groups; None where all writes are of one kind."""
    writes = [e for e in facts.effects if e.kind in _WRITES]
    taken = {
        buffer
        for candidate in candidates(facts)
        if reduces(candidate.final, set(candidate.buffers.values()))
        for buffer in candidate.buffers
    }
    second = tuple(e for e in writes if _is_a_sum(facts, e, writes, taken))
    first = tuple(e for e in writes if e not in second)
    return WriteGroups(facts, first, second) if first and second else None


def _is_a_sum(facts: KernelFacts, write: Effect, writes: Sequence[Effect], taken: set[str]) -> bool:
    if write.kind is EffectKind.ATOMIC or taken & (facts.bases(write) or frozenset()):
        return True
    if write.stored is None or write.loops:
        return False
    ended = {
        facts.loops[p.carrier.loop] for p in all_parts(facts, write.stored) if p.op is Op.RESULT
    }
    return any(loop in other.loops for loop in ended for other in writes)


def _header(statement: ast.stmt) -> Iterator[ast.AST]:
    """What a compound statement evaluates itself."""
    if isinstance(statement, ast.For):
        yield from walk(statement.iter)
    elif isinstance(statement, ast.If):
        yield from walk(statement.test)
