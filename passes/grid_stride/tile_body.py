"""Whether a kernel that handles one tile can handle several in turn, and what of it is per tile.

The body of the kernel becomes the body of a loop over tiles. What does not depend on the tile
runs before the loop, once; the rest must not know in which program it runs, and must end for
each tile without ending the program.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeGuard

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import refuted
from tritonopt.emit.writing import names_bound
from tritonopt.facts import EffectKind, KernelFacts
from tritonopt.facts.constexprs import is_constexpr
from tritonopt.facts.effects import Effect, Loop
from tritonopt.facts.operations import Op
from tritonopt.facts.program_ids import ProgramIds
from tritonopt.passes.grid_stride.tile_invariants import invariant_statements
from tritonopt.source import Kernel
from tritonopt.source.trees import is_text, walk

PLAIN_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}


@dataclass(frozen=True)
class TileBody:
    """The statements of a kernel: what runs once, what runs for each tile, and how it may leave."""

    facts: KernelFacts
    ids: ProgramIds
    hoisted: tuple[ast.stmt, ...]
    """What runs once, before all tiles."""
    looped: tuple[ast.stmt, ...]
    """What runs for each tile."""
    exits: tuple[Exit, ...]
    """How it may be left early."""
    last_return: ast.Return | None

    @classmethod
    def of(cls, facts: KernelFacts, ids: ProgramIds) -> TileBody:
        statements = list(facts.kernel.node.body)
        if is_text(statements[0]):
            del statements[0]
        last = statements[-1]
        last_return = last if isinstance(last, ast.Return) and is_plain(last) else None
        if last_return is not None:
            del statements[-1]
        # How many tiles there are is known right before the loop, and not earlier.
        sources = {*ids.calls, *ids.counts}
        hoisted = invariant_statements(facts, statements, lambda node: node in sources)
        looped = [s for s in statements if s not in hoisted]
        exits = tuple(exits_of(facts, looped))
        return cls(facts, ids, tuple(hoisted), tuple(looped), exits, last_return)

    @property
    def kernel(self) -> Kernel:
        return self.facts.kernel

    @cached_property
    def bound(self) -> frozenset[str]:
        """The names that are bound for each tile."""
        return frozenset(name for statement in self.looped for name in names_bound(statement))

    @cached_property
    def hoisted_loads(self) -> list[Effect]:
        """The loads that run once."""
        inside = {node for statement in self.hoisted for node in walk(statement)}
        effects = self.facts.effects
        return [e for e in effects if e.kind is EffectKind.LOAD and e.node in inside]

    @property
    def rebound(self) -> list[str]:
        """Parameters that are bound for each tile, and so would go on from tile to tile."""
        return [p.name for p in self.kernel.parameters if p.name in self.bound]

    @property
    def copied(self) -> set[str]:
        """Those of them that each tile must begin with a copy of."""
        return {name for name in self.rebound if self.beginning(name)[1] is None}

    def beginning(self, parameter: str) -> tuple[ast.stmt, ast.expr | None]:
        """The first statement with a parameter, and the value if all it does is bind it anew."""
        first = next(s for s in self.looped if mentions(s, parameter))
        match first:
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value) if name == parameter:
                plain = type(op) in PLAIN_OPERATORS and not mentions(value, parameter)
                return first, value if plain else None
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == parameter:
                return first, value
        return first, None

    def region_of(self, parameter: str) -> int:
        """How many exits stand before all that a tile does with a parameter."""
        first = self.looped.index(self.beginning(parameter)[0])
        return sum(self.looped.index(found.statement) < first for found in self.exits)

    def depends_on_tile(self, node: ast.AST) -> bool:
        sources = {*self.ids.calls, *self.ids.counts}
        return any(
            n in sources or (isinstance(n, ast.Name) and n.id in self.bound) for n in walk(node)
        )

    def asks_for_tile(self, test: ast.expr) -> bool:
        """Whether it compares something of the tile's own, and is no switch for all of them."""
        if not isinstance(test, ast.Compare) or not self.depends_on_tile(test):
            return False
        # Where the number of tiles is asked for, what depends on it may be the same for all.
        parts = self.facts.values[test].walk()
        asked = (p.axis.constant for p in parts if p.op is Op.PROGRAM_ID)
        return not self.ids.counts or self.ids.axis in asked


def check_waits(body: TileBody, attempt: Attempt) -> None:
    """A program that waits for another's tile would wait forever for one of its own."""
    claim = "parts-are-independent"
    waits = [loop for loop in body.facts.loops if _may_wait(body, loop)]
    for loop in waits:
        if len(waits) > 1 or not _is_lock(body, loop):
            detail = f"the loop in line {loop.line} may wait for what another program does"
            raise refuted(claim, "waits-for-other-programs", detail)
    detail = "no loop waits for memory"
    if waits:
        detail = f"the lock that line {waits[0].line} takes is given back for the same tile"
    attempt.prove(claim, detail)


def _may_wait(body: TileBody, loop: Loop) -> bool:
    if loop.kind != "while":
        return False
    writes = [e for e in body.facts.effects if e.writes]
    for effect in body.facts.effects:
        if loop not in effect.loops:
            continue
        if effect.kind is EffectKind.ATOMIC or effect.volatile:
            return True
        if effect.kind is EffectKind.LOAD:
            return any(body.facts.may_alias(effect, write) for write in writes)
    return False


def _is_lock(body: TileBody, loop: Loop) -> bool:
    """`while tl.atomic_cas(lock, 0, 1) == 1: pass`, and later `tl.atomic_xchg(lock, 0)`."""
    match loop.node:
        case ast.While(
            test=ast.Compare(
                left=ast.Call(args=[_, free, taken], keywords=[]) as acquire,
                ops=[ast.Eq()],
                comparators=[held],
            ),
            body=[ast.Pass()],
        ):
            pass
        case _:
            return False
    values = body.facts.values
    numbers = [values[node].constant for node in (free, taken, held)]
    if numbers[0] == numbers[1] or numbers[1] != numbers[2] or None in numbers:
        return False
    inside = [e for e in body.facts.effects if loop in e.loops]
    if len(inside) != 1 or inside[0].node is not acquire or inside[0].name != "atomic_cas":
        return False
    if loop.parent is not None or inside[0].guards or inside[0].pointer is None:
        return False
    later = [e for e in body.facts.effects if e.order > loop.last]
    lock = body.facts.forms.of(inside[0].pointer)
    for effect in later:
        if effect.kind is EffectKind.EXIT:
            return False
        if effect.name == "atomic_xchg" and effect.pointer is not None:
            same = body.facts.forms.of(effect.pointer) == lock
            plain = not (effect.loops or effect.guards or effect.inlined)
            if same and plain and _takes_two(effect.node) and effect.stored is not None:
                return effect.stored.constant == numbers[0]
    return False


def check_names(body: TileBody, attempt: Attempt) -> None:
    claim = "names-start-afresh"
    for parameter in body.kernel.parameters:
        if parameter.constexpr and parameter.name in body.bound:
            detail = f"the constexpr {parameter.name} is bound again: give that another name"
            raise refuted(claim, "name-is-bound-elsewhere", detail)
    for statement in body.looped:
        for node in walk(statement):
            if isinstance(node, ast.AnnAssign) and "constexpr" in ast.unparse(node.annotation):
                detail = (
                    f"line {node.lineno} binds a constexpr, which a loop cannot do again: pass it"
                )
                raise refuted(claim, "name-is-bound-elsewhere", detail)
    renamed = ", ".join(body.rebound)
    detail = "nothing that a tile binds is read by the next"
    attempt.prove(claim, f"{detail}: {renamed} under a new name" if renamed else detail)


def mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in walk(node))


def _takes_two(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and len(node.args) == 2 and not node.keywords


@dataclass(frozen=True)
class Exit:
    """A branch of a tile's own block that ends in a `return`.

    Triton compiles no `return` in a loop, and has no `continue`. So what comes after such a branch
    becomes its `else`, or goes under the opposite condition. Triton asks for one type of a name
    that is bound before an `if` and again in it, and of one that both branches bind.
    """

    statement: ast.If
    """The statement of the block that it is, or that ends with it."""
    branch: ast.If

    @property
    def test(self) -> ast.expr:
        """What it is left for."""
        return self.branch.test

    @property
    def end(self) -> ast.Return:
        last = self.branch.body[-1]
        assert isinstance(last, ast.Return)
        return last

    @property
    def done(self) -> list[ast.stmt]:
        """What is done before it is left."""
        return self.branch.body[:-1]

    @property
    def is_switched(self) -> bool:
        """Whether the branch is the last thing under a condition that the compiler decides."""
        return self.statement is not self.branch

    @property
    def is_guard(self) -> bool:
        """Whether it is `if ...: return`, and nothing else."""
        return not self.is_switched and not self.done


def exits_of(facts: KernelFacts, statements: Iterable[ast.stmt]) -> list[Exit]:
    """Those that statements of one block are."""
    found = []
    for statement in statements:
        if _leaves(statement):
            found.append(Exit(statement, statement))
        elif isinstance(statement, ast.If) and not statement.orelse:
            last = statement.body[-1]
            if _leaves(last) and _is_decided(facts, statement.test):
                found.append(Exit(statement, last))
    return found


def is_plain(end: ast.Return) -> bool:
    """Whether it is `return`, or `return None`."""
    return end.value is None or (isinstance(end.value, ast.Constant) and end.value.value is None)


def _leaves(statement: ast.stmt) -> TypeGuard[ast.If]:
    match statement:
        case ast.If(body=[*_, ast.Return() as end], orelse=[]):
            return is_plain(end)
    return False


def _is_decided(facts: KernelFacts, test: ast.expr) -> bool:
    """Whether the compiler knows a condition, and leaves out what it is false for."""
    match test:
        case ast.Compare(left=ast.Name(), ops=[ast.Is() | ast.IsNot()], comparators=[right]):
            # Of whatever the name is bound to.
            return isinstance(right, ast.Constant) and right.value is None
    return is_constexpr(facts, test)
