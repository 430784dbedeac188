"""What a kernel does with its block pointers, from where each is made to each load and store.

A block pointer is a name for numbers: a base, a shape, strides, offsets, and the extents of the
block. They are followed through the kernel's own text, where each name of a block pointer must be
bound by `make_block_ptr` or `advance` and read by a load, a store, `advance` or `.dtype`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from tritonopt.facts import KernelFacts
from tritonopt.facts.language import function
from tritonopt.rewriting.checklist import Declined, unknown
from tritonopt.source.trees import walk

CLAIM = "block-pointers-are-followed"
_MAKE = ("base", "shape", "strides", "offsets", "block_shape", "order")
_LOAD = (
    *("pointer", "mask", "other", "boundary_check", "padding_option"),
    *("cache_modifier", "eviction_policy", "volatile"),
)
_STORE = ("pointer", "value", "mask", "boundary_check", "cache_modifier", "eviction_policy")


@dataclass(frozen=True, eq=False)
class Block:
    """One `make_block_ptr`: a block of a tensor, an expression for each axis."""

    statement: ast.stmt
    """The statement that it is made in."""
    name: str
    """The name that it is bound to; empty where a load or a store takes it as it is made."""
    base: ast.expr
    shape: tuple[ast.expr, ...]
    strides: tuple[ast.expr, ...]
    offsets: tuple[ast.expr, ...]
    extents: tuple[ast.expr, ...]

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass(frozen=True, eq=False)
class Move:
    """`p = tl.advance(p, deltas)`."""

    statement: ast.stmt
    name: str
    deltas: tuple[ast.expr, ...]


@dataclass(frozen=True, eq=False)
class Access:
    """A load or a store through a block pointer."""

    statement: ast.stmt
    call: ast.Call
    arguments: Mapping[str, ast.expr]
    name: str
    """The block pointer; empty where it is made in the call."""
    block: Block | None
    """Where it was made; None where that depends on the way that the kernel took."""
    deltas: tuple[ast.expr, ...]
    """How far it is advanced for this access alone; empty where it is not."""
    checked: tuple[int, ...]
    """The axes of `boundary_check`, in order."""
    padding: str
    """`zero`, `nan`, or empty: then the elements outside are undefined."""

    @property
    def is_load(self) -> bool:
        return "value" not in self.arguments


@dataclass(frozen=True, eq=False)
class TypeRead:
    """The `p.dtype` of `p.dtype.element_ty`."""

    statement: ast.stmt
    node: ast.Attribute
    name: str
    block: Block | None
    """Where it was made; None where that depends on the way that the kernel took."""


@dataclass
class BlockAccesses:
    """All of a kernel's block pointers."""

    blocks: list[Block] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    accesses: list[Access] = field(default_factory=list)
    types: list[TypeRead] = field(default_factory=list)

    def of(self, name: str) -> list[Block]:
        return [b for b in self.blocks if b.name == name]

    @cached_property
    def moved(self) -> frozenset[str]:
        return frozenset(move.name for move in self.moves)

    def has_tile(self, name: str) -> bool:
        """Whether a name can go on as that of a tile of pointers: it is read where it was made."""
        return name not in self.moved and any(
            not access.deltas for access in self.accesses if access.name == name
        )


def first_mention(facts: KernelFacts) -> ast.Call | None:
    """The first call of the kernel that is about a block pointer; None where there is none."""
    calls = [n for n in _calls(facts.kernel.node) if _is_about_blocks(facts, n)]
    return min(calls, key=lambda call: (call.lineno, call.col_offset), default=None)


def block_accesses(facts: KernelFacts) -> BlockAccesses:
    """Raises Declined where a block pointer goes where it cannot be followed."""
    follower = _Follower(facts)
    parameters: _Reaching = {p.name: _Unclear.ORDINARY for p in facts.kernel.parameters}
    follower.run(facts.kernel.node.body, parameters)
    return follower.found


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    return (n for n in walk(node) if isinstance(n, ast.Call))


def _is_about_blocks(facts: KernelFacts, call: ast.Call) -> bool:
    name = function(facts.kernel.module.resolve(call.func))
    if name in ("make_block_ptr", "advance"):
        return True
    return name in ("load", "store") and any(
        k.arg in ("boundary_check", "padding_option") for k in call.keywords
    )


def _lost(detail: str, reason: str = "block-pointer-is-lost") -> Declined:
    return unknown(CLAIM, reason, detail)


class _Unclear(Enum):
    """What a name holds that is not one known block."""

    SEVERAL = "made in several places"
    ORDINARY = "no block pointer"
    EITHER = "a block pointer on one way and none on another"


_Holds = Block | _Unclear
_Reaching = dict[str, _Holds]
"""What each name holds; one that is not there is not bound yet."""


class _Follower:
    """Goes through the statements in order, with what each name holds."""

    def __init__(self, facts: KernelFacts) -> None:
        self._facts = facts
        self._module = facts.kernel.module
        self.found = BlockAccesses()
        self._names = frozenset(
            target.id
            for node in walk(facts.kernel.node)
            if isinstance(node, ast.Assign) and self._gives_block(node.value)
            for target in node.targets
            if isinstance(target, ast.Name)
        )

    def run(self, statements: Sequence[ast.stmt], reaching: _Reaching) -> _Reaching:
        """Follow a list of statements; returns what holds after it."""
        for statement in statements:
            reaching = self._statement(statement, reaching)
        return reaching

    def _statement(self, statement: ast.stmt, reaching: _Reaching) -> _Reaching:
        match statement:
            case ast.If():
                self._read(statement, statement.test, reaching)
                one = self.run(statement.body, dict(reaching))
                return _merged(one, self.run(statement.orelse, dict(reaching)))
            case ast.For() | ast.While():
                header = statement.iter if isinstance(statement, ast.For) else statement.test
                again = reaching | {
                    name: _either(reaching[name], holds)
                    for name, holds in self._bound_in(statement)
                    if name in reaching
                }
                self._read(statement, header, again)
                after = self.run(statement.body, dict(again))
                return self.run(statement.orelse, _merged(again, after))
            case ast.With():
                for item in statement.items:
                    self._read(statement, item.context_expr, reaching)
                return self.run(statement.body, reaching)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in self._names:
                if self._gives_block(value):
                    return self._bound(statement, name, value, reaching)
                self._read(statement, value, reaching)
                return reaching | {name: _Unclear.ORDINARY}
        self._read(statement, statement, reaching)
        return reaching

    def _bound_in(self, loop: ast.For | ast.While) -> Iterator[tuple[str, _Holds]]:
        """What is bound somewhere in a loop, but for a block pointer that only moves."""
        for node in walk(loop):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in self._names:
                    if not self._gives_block(value):
                        yield name, _Unclear.ORDINARY
                    elif self._called(value) == "make_block_ptr":
                        yield name, _Unclear.SEVERAL

    # Where one is made or moved

    def _called(self, node: ast.expr) -> str:
        return function(self._module.resolve(node.func)) if isinstance(node, ast.Call) else ""

    def _gives_block(self, node: ast.expr) -> bool:
        return self._called(node) in ("make_block_ptr", "advance") or self._is_method(node)

    @staticmethod
    def _is_method(node: ast.expr) -> bool:
        """`p.advance(...)`."""
        return isinstance(node, ast.Call) and (
            isinstance(node.func, ast.Attribute)
            and node.func.attr == "advance"
            and isinstance(node.func.value, ast.Name)
        )

    def _bound(
        self, statement: ast.stmt, name: str, value: ast.expr, reaching: _Reaching
    ) -> _Reaching:
        assert isinstance(value, ast.Call)
        if self._called(value) == "make_block_ptr":
            block = self._block(statement, name, value)
            self.found.blocks.append(block)
            return reaching | {name: block}
        moved, deltas = self._advanced(value)
        if moved != name:
            raise _lost(
                f"line {statement.lineno} binds {name} to where {moved} goes, and both may be read"
            )
        if not isinstance(reaching.get(name), Block):
            raise _lost(f"where {name} was made that moves in line {statement.lineno} is not seen")
        self.found.moves.append(Move(statement, name, deltas))
        return reaching

    def _block(self, statement: ast.stmt, name: str, call: ast.Call) -> Block:
        given = self._arguments(call, _MAKE)
        parts = [self._parts(given, part, call) for part in _MAKE[1:5]]
        if len({len(part) for part in parts}) != 1 or not parts[0]:
            raise _lost(f"the parts of line {call.lineno} do not have one number of axes")
        self._check_pure(call)
        return Block(statement, name, given["base"], *parts)

    def _advanced(self, call: ast.Call) -> tuple[str, tuple[ast.expr, ...]]:
        """The block pointer that is advanced, and how far along each axis."""
        if self._called(call) == "advance":
            given = self._arguments(call, ("base", "offsets"))
        else:
            assert isinstance(call.func, ast.Attribute)
            given = {"base": call.func.value, **self._arguments(call, ("offsets",))}
        base = given.get("base")
        if not isinstance(base, ast.Name) or base.id not in self._names:
            raise _lost(f"what is advanced in line {call.lineno} is no name of a block pointer")
        self._check_pure(call)
        return base.id, self._parts(given, "offsets", call)

    def _arguments(self, call: ast.Call, names: Sequence[str]) -> dict[str, ast.expr]:
        """The arguments of a call by their names."""
        given = dict(zip(names, call.args, strict=False))
        given |= {k.arg: k.value for k in call.keywords if k.arg is not None and k.arg in names}
        spread = any(isinstance(a, ast.Starred) for a in call.args)
        if spread or len(given) != len(call.args) + len(call.keywords):
            raise _lost(f"the arguments of line {call.lineno} are not all seen")
        return given

    def _parts(
        self, given: Mapping[str, ast.expr], part: str, call: ast.Call
    ) -> tuple[ast.expr, ...]:
        node = given.get(part)
        if not isinstance(node, (ast.Tuple, ast.List)) or any(
            isinstance(e, ast.Starred) for e in node.elts
        ):
            raise _lost(
                f"the {part} in line {call.lineno} are not written out axis by axis",
                "axes-are-not-written-out",
            )
        return tuple(node.elts)

    def _check_pure(self, call: ast.Call) -> None:
        """Its arguments may be written in another order, and where it is read."""
        inside = set(walk(call)) - {call}
        if any(isinstance(n, ast.NamedExpr) for n in inside) or not (
            self._facts.effect_nodes.isdisjoint(inside)
        ):
            raise _lost(f"an argument in line {call.lineno} does more than give a number")

    # Where one is read

    def _read(self, statement: ast.stmt, root: ast.AST, reaching: _Reaching) -> None:
        """Note the accesses in an expression or a simple statement."""
        understood: set[ast.AST] = set()
        for node in walk(root):
            if isinstance(node, ast.Call) and self._called(node) in ("load", "store"):
                pointer = self._access(statement, node, reaching)
                if pointer is not None:
                    understood.update(walk(pointer))
            elif isinstance(node, ast.Attribute) and node.attr == "element_ty":
                owner = node.value
                if isinstance(owner, ast.Attribute) and owner.attr == "dtype":
                    name = owner.value
                    if isinstance(name, ast.Name) and self._may_be_block(name, reaching):
                        block = self._block_of(name, reaching)
                        self.found.types.append(TypeRead(statement, owner, name.id, block))
                        understood.add(name)
        for node in walk(root):
            if node in understood:
                continue
            if isinstance(node, ast.Name) and self._may_be_block(node, reaching):
                raise _lost(f"line {node.lineno} does something else with {node.id}")
            if isinstance(node, ast.expr) and self._gives_block(node):
                raise _lost(f"the block pointer of line {node.lineno} goes where it is not seen")

    def _access(self, statement: ast.stmt, call: ast.Call, reaching: _Reaching) -> ast.expr | None:
        """Note a load or a store; returns its pointer, or None where that is an ordinary one."""
        about = _is_about_blocks(self._facts, call)
        names = _STORE if self._called(call) == "store" else _LOAD
        candidates = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "pointer")]
        pointer = candidates[0] if candidates else None
        known = pointer is not None and (
            self._gives_block(pointer)
            or (isinstance(pointer, ast.Name) and self._may_be_block(pointer, reaching))
        )
        if not known:
            if about:
                detail = f"the block pointer of line {call.lineno} is made in another function"
                raise _lost(detail, "made-in-another-function")
            return None
        assert pointer is not None
        given = self._arguments(call, names)
        if {"mask", "other"} & given.keys():
            raise _lost(f"line {call.lineno} has a mask, as no block pointer has")
        name, block, deltas = self._pointer(statement, pointer, reaching)
        rank = block.rank if block is not None else self.found.of(name)[0].rank
        checked = self._checked(given.get("boundary_check"), rank, call)
        padding = self._padding(given.get("padding_option"), call)
        self.found.accesses.append(
            Access(statement, call, given, name, block, deltas, checked, padding)
        )
        return pointer

    def _pointer(
        self, statement: ast.stmt, pointer: ast.expr, reaching: _Reaching
    ) -> tuple[str, Block | None, tuple[ast.expr, ...]]:
        if isinstance(pointer, ast.Call):
            if self._called(pointer) == "make_block_ptr":
                block = self._block(statement, "", pointer)
                self.found.blocks.append(block)
                return "", block, ()
            name, deltas = self._advanced(pointer)
            if not isinstance(reaching.get(name), Block):
                raise _lost(f"where {name} was made that line {pointer.lineno} moves is not seen")
            return name, self._known(reaching[name]), deltas
        assert isinstance(pointer, ast.Name)
        return pointer.id, self._block_of(pointer, reaching), ()

    def _may_be_block(self, name: ast.Name, reaching: _Reaching) -> bool:
        """Whether a name is that of a block pointer, and not bound to something else there."""
        return name.id in self._names and reaching.get(name.id) is not _Unclear.ORDINARY

    def _block_of(self, name: ast.Name, reaching: _Reaching) -> Block | None:
        """Where a block pointer was made that is read; None where in one of several places."""
        if name.id not in reaching:
            raise _lost(f"{name.id} is read in line {name.lineno}, and made nowhere before it")
        holds = reaching[name.id]
        if holds is _Unclear.EITHER:
            raise _lost(
                f"{name.id} may be something else than a block pointer in line {name.lineno}"
            )
        return self._known(holds)

    @staticmethod
    def _known(holds: _Holds) -> Block | None:
        return holds if isinstance(holds, Block) else None

    def _checked(self, node: ast.expr | None, rank: int, call: ast.Call) -> tuple[int, ...]:
        if node is None:
            return ()
        parts = node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]
        values = [self._facts.values.get(part) for part in parts]
        axes = {v.constant for v in values if v is not None and type(v.constant) is int}
        if len(axes) != len(parts) or not axes <= set(range(rank)):
            raise _lost(
                f"the axes that line {call.lineno} checks are not seen", "axes-are-not-written-out"
            )
        return tuple(sorted(axes))

    def _padding(self, node: ast.expr | None, call: ast.Call) -> str:
        value = self._facts.values.get(node) if node is not None else None
        padding = "" if node is None else value.constant if value is not None else None
        if padding not in ("", "zero", "nan"):
            raise _lost(f"the padding of line {call.lineno} is not seen")
        return str(padding)


def _merged(one: _Reaching, other: _Reaching) -> _Reaching:
    """What names hold where two ways meet."""
    merged = {**one, **other}
    for name in one.keys() & other.keys():
        merged[name] = _either(one[name], other[name])
    for name in one.keys() ^ other.keys():
        if isinstance(merged[name], Block):
            merged[name] = _Unclear.SEVERAL
    return merged


def _either(one: _Holds, other: _Holds) -> _Holds:
    if one is other:
        return one
    if _Unclear.ORDINARY in (one, other) or _Unclear.EITHER in (one, other):
        return _Unclear.EITHER
    return _Unclear.SEVERAL
