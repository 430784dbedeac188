"""A kernel's block pointers: where each is made and moved, and every load and store through it.

Facts say which block pointers an expression may hold, whatever it is called and whichever way the
kernel took. Whoever holds one may read it by a load, a store, `advance` or `.dtype.element_ty`, and
nothing else. A block pointer becomes code, so its base, shape,
strides, offsets and extents are expressions of the kernel, one for each axis.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from tritonopt.checks.condition import Declined, unknown
from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.interpretation import is_made
from tritonopt.facts.language import ACCESSES, BLOCK_POINTERS, arguments_of, function
from tritonopt.facts.operations import Op
from tritonopt.source import Kernel
from tritonopt.source.trees import walk

CLAIM = "block-pointers-are-followed"
_PARAMETERS = BLOCK_POINTERS | ACCESSES
_OF_NUMBERS = (ast.Mult, ast.Sub, ast.FloorDiv, ast.Mod)
"""Operators that a sequence on their left does not have, or only makes longer."""


@dataclass(frozen=True, eq=False)
class Block:
    """One `make_block_ptr`: a block of a tensor, an expression for each axis."""

    statement: ast.stmt
    name: str
    """The name that it is bound to; empty where a load or a store takes it as it is made."""
    base: ast.expr
    shape: tuple[ast.expr, ...]
    strides: tuple[ast.expr, ...]
    offsets: tuple[ast.expr, ...]
    extents: tuple[ast.expr, ...]
    order: ast.expr | None = None

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass(frozen=True, eq=False)
class Move:
    """`p = tl.advance(p, deltas)`."""

    statement: ast.stmt
    block: Block
    deltas: tuple[ast.expr, ...]


@dataclass(frozen=True, eq=False)
class Use:
    """A `p.dtype` of `p.dtype.element_ty`."""

    statement: ast.stmt
    node: ast.expr
    name: str
    block: Block | None
    """Where it was made; None where that depends on the way that the kernel took."""


@dataclass(frozen=True, eq=False)
class Access(Use):
    """A load or a store through a block pointer; its name is empty where it is made in the call."""

    node: ast.Call
    arguments: Mapping[str, ast.expr]
    deltas: tuple[ast.expr, ...]
    """How far it is advanced for this access alone; empty where it is not."""
    checked: tuple[int, ...]
    """The axes of `boundary_check`, in order."""
    padding: str
    """`zero`, `nan`, or empty: then the elements outside are undefined."""

    @property
    def is_load(self) -> bool:
        return "value" not in self.arguments


@dataclass
class BlockAccesses:
    """All of a kernel's block pointers."""

    blocks: list[Block] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    accesses: list[Access] = field(default_factory=list)
    types: list[Use] = field(default_factory=list)
    unread: list[ast.stmt] = field(default_factory=list)
    """Statements that make one, or bind the name to None, which nothing reads."""

    def of(self, name: str) -> list[Block]:
        return [b for b in self.blocks if b.name == name]

    @cached_property
    def moved(self) -> frozenset[Block]:
        return frozenset(move.block for move in self.moves)

    def has_tile(self, block: Block) -> bool:
        """Whether its name can go on as that of a tile of pointers: it is read as it was made."""
        if block in self.moved or not block.name:
            return False
        return any(
            not access.deltas and access.block in (block, None)
            for access in self.accesses
            if access.name == block.name
        )


def lost(detail: str) -> Declined:
    return unknown(CLAIM, "block-pointer-is-lost", detail)


def followed_blocks(facts: KernelFacts) -> BlockAccesses:
    """Raises Declined where one goes to a helper or comes from it, or is not followed."""
    reader, calls = _Reader(facts), _calls(facts.kernel)
    for call in calls:
        reader.note_made(call)
    for call in calls:
        reader.note_call(call)
    for node in facts.kernel.nodes:
        if isinstance(node, ast.expr):
            reader.check(node)
    return reader.found


def first_mention(kernel: Kernel) -> ast.Call | None:
    """The first call of a kernel that is about a block pointer; None where there is none."""
    return next((call for call in _calls(kernel) if _is_about_blocks(kernel, call)), None)


def _calls(kernel: Kernel) -> list[ast.Call]:
    calls = (node for node in kernel.nodes if isinstance(node, ast.Call))
    return sorted(calls, key=lambda call: (call.lineno, call.col_offset))


def _is_about_blocks(kernel: Kernel, call: ast.Call) -> bool:
    name = function(kernel.module.resolve(call.func))
    return name in ("make_block_ptr", "advance") or (
        name in ("load", "store")
        and any(k.arg in ("boundary_check", "padding_option") for k in call.keywords)
    )


class _Reader:
    """Reads what is written of block pointers, and sees to it that nothing else knows them."""

    def __init__(self, facts: KernelFacts) -> None:
        self._facts = facts
        self._names = facts.kernel.module.names
        self._parents = self._names.parents
        assigned = (n.targets for n in facts.kernel.nodes if isinstance(n, ast.Assign))
        self._targets = {targets[0] for targets in assigned if len(targets) == 1}
        self._made: dict[Value, Block] = {}
        self._understood: set[ast.expr] = set()
        self.found = BlockAccesses()

    # What an expression holds

    def _origins(self, node: ast.expr) -> frozenset[Value]:
        value = self._facts.values.get(node)
        return frozenset() if value is None else self._facts.interpretation.origins(value)

    def _block(self, node: ast.expr) -> Block | None:
        """Where what it holds was made; None where in one of several places. Raises Declined."""
        blocks = {self._made.get(origin) for origin in self._origins(node)}
        if None in blocks or not blocks:
            text = ast.unparse(node)
            raise lost(f"{text} may not be a block pointer in line {node.lineno}")
        return blocks.pop() if len(blocks) == 1 else None

    def _called(self, node: ast.AST) -> str:
        """The function of the language that an expression is a call of; empty of all else."""
        if not isinstance(node, ast.Call):
            return ""
        name = function(self._facts.kernel.module.resolve(node.func))
        value = self._facts.values.get(node)
        moves = value is not None and value.op is Op.BLOCK_POINTER and value.function == "advance"
        return "advance" if moves and isinstance(node.func, ast.Attribute) else name

    def _bound(self, node: ast.expr) -> str:
        """The one name that an assignment binds to an expression; empty where it is no such."""
        match self._parents[node]:
            case ast.Assign(targets=[ast.Name(id=name)]):
                return name
        return ""

    # Where one is made

    def note_made(self, call: ast.Call) -> None:
        origins = self._origins(call)
        if not origins or not all(map(is_made, origins)) or self._called(call) == "advance":
            return
        around, bound = self._parents[call], self._bound(call)
        if bound:
            self._understood.add(call)  # else whoever takes it may understand it
        match around:
            case ast.IfExp(body=body, orelse=ast.Constant(value=None)) if body is call:
                if self._bound(around):  # and whoever reads it is not understood
                    self._check_pure(around)
                    self.found.unread.append(self._names.statement_of(call))
                    self._understood.update((call, around))
                    return
        if self._called(call) != "make_block_ptr":
            raise lost(f"the block pointer in line {call.lineno} is made in another function")
        block = self._written(call)
        self._made.update(dict.fromkeys(origins, block))
        self.found.blocks.append(block)

    def _written(self, call: ast.Call) -> Block:
        given = self._arguments(call)
        parts = shape, strides, offsets, extents = (
            self._parts(given, "shape", call),
            self._parts(given, "strides", call),
            self._parts(given, "offsets", call),
            self._parts(given, "block_shape", call),
        )
        if len(set(map(len, parts))) != 1 or not shape:
            raise lost(f"the parts of line {call.lineno} do not have one number of axes")
        self._check_pure(call)
        statement, bound, base = self._names.statement_of(call), self._bound(call), given["base"]
        return Block(
            statement, bound, base, shape, strides, offsets, extents, order=given.get("order")
        )

    # Where one is moved or read

    def note_call(self, call: ast.Call) -> None:
        name = self._called(call)
        if name == "advance":
            self._moved(call)
        elif name in ("load", "store"):
            self._accessed(call)

    def _moved(self, call: ast.Call) -> None:
        name, block, deltas = self._advanced(call)
        bound = self._bound(call)
        if bound not in ("", name):
            raise lost(
                f"line {call.lineno} binds {bound} to the advanced {name}, and both may be read"
            )
        if bound:
            self.found.moves.append(Move(self._names.statement_of(call), block, deltas))
            self._understood.add(call)

    def _advanced(self, call: ast.Call) -> tuple[str, Block, tuple[ast.expr, ...]]:
        """What moves, by its name and where the kernel made it, and how far along each axis."""
        given = self._arguments(call)
        base = given.get("base")
        if not isinstance(base, ast.Name) or not any(map(is_made, self._origins(base))):
            raise lost(
                f"the advanced expression in line {call.lineno} is not the name of a block pointer"
            )
        block = self._block(base)
        if block is None:
            raise lost(
                f"the block pointer {base.id} is advanced in line {call.lineno}, but where "
                "it was made is unknown"
            )
        self._understood.add(base)
        self._check_pure(call)
        return base.id, block, self._parts(given, "offsets", call)

    def _accessed(self, call: ast.Call) -> None:
        candidates = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "pointer")]
        pointer = candidates[0] if candidates else None
        if pointer is None or not any(map(is_made, self._origins(pointer))):
            return
        given = self._arguments(call)
        if {"mask", "other"} & given.keys():
            raise lost(f"line {call.lineno} has a mask, which block pointers do not take")
        name, deltas = "", tuple[ast.expr, ...]()
        block = self._block(pointer)
        if self._called(pointer) == "advance":
            assert isinstance(pointer, ast.Call)
            name, block, deltas = self._advanced(pointer)
        elif isinstance(pointer, ast.Name):
            name = pointer.id
        one_of = [block] if block is not None else self.found.of(name)
        if not one_of or (not name and one_of[0].name):
            raise lost(f"the block pointer has no name in line {call.lineno}")
        self._understood.add(pointer)
        checked = self._checked(given.get("boundary_check"), one_of[0].rank, call)
        padding = self._padding(given.get("padding_option"), call)
        statement = self._names.statement_of(call)
        self.found.accesses.append(
            Access(statement, call, name, block, given, deltas, checked, padding)
        )

    def check(self, node: ast.expr) -> None:
        """Raises Declined where an expression holds a block pointer, and is not understood."""
        holds = any(map(is_made, self._origins(node)))
        around = self._parents.get(node)
        match around:
            case ast.Return() if holds:
                raise lost(f"line {around.lineno} returns a block pointer")
            case ast.Attribute(attr="dtype") if holds and isinstance(node, ast.Name):
                outer = self._parents[around]
                if isinstance(outer, ast.Attribute) and outer.attr == "element_ty":
                    block = self._block(node)
                    self.found.types.append(
                        Use(self._names.statement_of(node), around, node.id, block)
                    )
                    return
        if node in self._understood:
            return
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            if node not in self._targets and self.found.of(node.id):
                raise lost(f"line {node.lineno} binds {node.id} to another value")
        elif holds:
            raise lost(f"line {node.lineno} uses {ast.unparse(node)} in another way")
        elif isinstance(node, ast.Name) and self.found.of(node.id):
            value = self._facts.values.get(node)
            if value is None or value.op in (Op.OPAQUE, Op.GLOBAL):
                raise lost(f"the value of {node.id} in line {node.lineno} is unknown")
        elif (
            isinstance(node, ast.Call)
            and _is_about_blocks(self._facts.kernel, node)
            and all(access.node is not node for access in self.found.accesses)
        ):
            raise lost(f"the block pointer of line {node.lineno} is made in another function")

    # What is written

    def _arguments(self, call: ast.Call) -> dict[str, ast.expr]:
        called = self._called(call)
        is_method = called != function(self._facts.kernel.module.resolve(call.func))
        receiver = [call.func.value] if isinstance(call.func, ast.Attribute) and is_method else []
        given = arguments_of(call, _PARAMETERS[called], *receiver)
        if given is None:
            raise lost(f"the arguments of line {call.lineno} cannot all be read")
        return given

    def _parts(
        self, given: Mapping[str, ast.expr], part: str, call: ast.Call
    ) -> tuple[ast.expr, ...]:
        node = given.get(part)
        if node is not None and self._is_number(node):
            return (node,)  # `(B)`, where `(B,)` is meant: Triton takes either
        if not isinstance(node, (ast.Tuple, ast.List)) or any(
            isinstance(e, ast.Starred) for e in node.elts
        ):
            raise lost(
                f"the {part} in line {call.lineno} are not written as a tuple with one "
                "entry per axis"
            )
        return tuple(node.elts)

    def _is_number(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Constant):
            return type(node.value) is int
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, _OF_NUMBERS):
            return False
        value = self._facts.values.get(node)
        return value is not None and value.op is not Op.OPAQUE and value.shape == ()

    def _check_pure(self, node: ast.expr) -> None:
        """Its arguments may be written in another order, and where it is read."""
        inside = set(walk(node)) - {node}
        if any(isinstance(n, ast.NamedExpr) for n in inside) or not (
            self._facts.effect_nodes.isdisjoint(inside)
        ):
            raise lost(f"an argument in line {node.lineno} does more than compute a number")

    def _checked(self, node: ast.expr | None, rank: int, call: ast.Call) -> tuple[int, ...]:
        if node is None:
            return ()
        parts = node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]
        values = [self._facts.values.get(part) for part in parts]
        if parts == [node] and values[0] is not None and values[0].constant == 0:
            return ()  # Triton asks whether it is true
        axes = {v.constant for v in values if v is not None and type(v.constant) is int}
        if len(axes) != len(parts) or not axes <= set(range(rank)):
            raise lost(f"the axes that line {call.lineno} checks are unknown")
        return tuple(sorted(axes))

    def _padding(self, node: ast.expr | None, call: ast.Call) -> str:
        value = self._facts.values.get(node) if node is not None else None
        padding = "" if node is None else value.constant if value is not None else None
        if padding not in ("", "zero", "nan"):
            raise lost(f"the padding in line {call.lineno} is unknown")
        return str(padding)
