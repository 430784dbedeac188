"""Follows block pointers through a kernel, from where each is made to each load and store."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from enum import Enum

from tritonopt.facts import KernelFacts
from tritonopt.facts.program_ids import sure_callee
from tritonopt.source.trees import walk
from tritonopt.transforms.block_pointers.block_accesses import (
    Access,
    Block,
    BlockAccesses,
    Handed,
    Move,
    Returned,
    TypeRead,
    lost,
)
from tritonopt.transforms.block_pointers.block_calls import (
    LOAD,
    MAKE,
    MAKES,
    STORE,
    BlockCalls,
    is_about_blocks,
    returning,
)


def block_accesses(facts: KernelFacts) -> BlockAccesses:
    """Raises Declined where a block pointer goes where it cannot be followed."""
    found = followed_blocks(facts)
    for handed in found.handed:
        line, name = handed.call.lineno, ast.unparse(handed.call.func)
        raise lost(f"line {line} gives {handed.node.id} to {name}")
    for block in found.blocks:
        if block.helper is not None:
            raise lost(f"{block.helper.name} makes that of line {block.statement.lineno}")
    for returned in found.returned:
        raise lost(f"line {returned.statement.lineno} returns one")
    return found


def followed_blocks(facts: KernelFacts) -> BlockAccesses:
    """The same as far as the calls of helpers, and what helpers return. Raises Declined."""
    follower = _Follower(facts)
    parameters: _Reaching = {p.name: _Unclear.ORDINARY for p in facts.kernel.parameters}
    follower.run(facts.kernel.node.body, parameters)
    return follower.found


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
        self._calls = BlockCalls(facts)
        self.found = BlockAccesses()
        self._names = frozenset(
            target.id
            for node in walk(facts.kernel.node)
            if isinstance(node, ast.Assign) and self._calls.gives_block(node.value)
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
            case ast.Return(value=ast.expr() as value) if self._is_block(value, reaching):
                self._returned(statement, value, reaching)
                return reaching
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in self._names:
                if self._calls.gives_block(value):
                    return self._bound(statement, name, value, reaching)
                if self._calls.is_block_or_none(value):
                    self._calls.check_pure(value)
                    self.found.unread.append(statement)
                    return reaching | {name: _Unclear.EITHER}
                self._read(statement, value, reaching)
                return reaching | {name: _Unclear.ORDINARY}
        self._read(statement, statement, reaching)
        return reaching

    def _bound_in(self, loop: ast.For | ast.While) -> Iterator[tuple[str, _Holds]]:
        """What is bound somewhere in a loop, but for a block pointer that only moves."""
        for node in walk(loop):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in self._names:
                    if not self._calls.gives_block(value):
                        yield name, _Unclear.ORDINARY
                    elif self._calls.makes_block(value):
                        yield name, _Unclear.SEVERAL

    # Where one is made or moved

    def _bound(
        self, statement: ast.stmt, name: str, value: ast.expr, reaching: _Reaching
    ) -> _Reaching:
        assert isinstance(value, ast.Call)
        if self._calls.makes_block(value):
            return reaching | {name: self._block(statement, name, value)}
        moved, deltas = self._advanced(value)
        if moved != name:
            raise lost(
                f"line {statement.lineno} binds {name} to where {moved} goes, and both may be read"
            )
        block = reaching.get(name)
        if not isinstance(block, Block) or block.helper is not None:
            raise lost(f"where {name} was made that moves in line {statement.lineno} is not seen")
        self.found.moves.append(Move(statement, block, deltas))
        return reaching

    def _block(self, statement: ast.stmt, name: str, call: ast.Call) -> Block:
        """One more of the kernel's."""
        block = self._returned_block(statement, name, call) or self._made(statement, name, call)
        self.found.blocks.append(block)
        return block

    def _returned_block(self, statement: ast.stmt, name: str, call: ast.Call) -> Block | None:
        helper = self._calls.helper(call)
        if helper is None:
            return None
        rank = returning(helper.module)[helper]
        parts = (call,) * rank
        return Block(statement, name, call, parts, parts, parts, parts, helper)

    def _made(self, statement: ast.stmt, name: str, call: ast.Call) -> Block:
        given = self._calls.arguments(call, MAKE)
        parts = shape, strides, offsets, extents = (
            self._calls.parts(given, "shape", call),
            self._calls.parts(given, "strides", call),
            self._calls.parts(given, "offsets", call),
            self._calls.parts(given, "block_shape", call),
        )
        if len({len(part) for part in parts}) != 1 or not shape:
            raise lost(f"the parts of line {call.lineno} do not have one number of axes")
        self._calls.check_pure(call)
        return Block(statement, name, given["base"], shape, strides, offsets, extents)

    def _advanced(self, call: ast.Call) -> tuple[str, tuple[ast.expr, ...]]:
        """The block pointer that is advanced, and how far along each axis."""
        if self._calls.called(call) == "advance":
            given = self._calls.arguments(call, ("base", "offsets"))
        else:
            assert isinstance(call.func, ast.Attribute)
            given = {"base": call.func.value, **self._calls.arguments(call, ("offsets",))}
        base = given.get("base")
        if not isinstance(base, ast.Name) or base.id not in self._names:
            raise lost(f"what is advanced in line {call.lineno} is no name of a block pointer")
        self._calls.check_pure(call)
        return base.id, self._calls.parts(given, "offsets", call)

    # Where one is read

    def _read(self, statement: ast.stmt, root: ast.AST, reaching: _Reaching) -> None:
        """Note the accesses in an expression or a simple statement."""
        understood: set[ast.AST] = set()
        for node in walk(root):
            if isinstance(node, ast.Call) and self._calls.called(node) in ("load", "store"):
                pointer = self._access(statement, node, reaching)
                if pointer is not None:
                    understood.update(walk(pointer))
            elif isinstance(node, ast.Call) and sure_callee(self._facts.kernel, node) is not None:
                understood.update(self._handed(statement, node, reaching))
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
                raise lost(f"line {node.lineno} does something else with {node.id}")
            if isinstance(node, ast.expr) and self._calls.gives_block(node):
                raise lost(f"the block pointer of line {node.lineno} goes where it is not seen")

    def _handed(
        self, statement: ast.stmt, call: ast.Call, reaching: _Reaching
    ) -> Iterator[ast.expr]:
        """Note the block pointers among the arguments of a helper, where each is known."""
        for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
            if isinstance(argument, ast.Name) and self._may_be_block(argument, reaching):
                block = reaching.get(argument.id)
                if isinstance(block, Block):
                    self.found.handed.append(Handed(statement, call, argument, block))
                    yield argument

    def _access(self, statement: ast.stmt, call: ast.Call, reaching: _Reaching) -> ast.expr | None:
        """Note a load or a store; returns its pointer, or None where that is an ordinary one."""
        about = is_about_blocks(self._facts, call)
        names = STORE if self._calls.called(call) == "store" else LOAD
        candidates = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "pointer")]
        pointer = candidates[0] if candidates else None
        known = pointer is not None and (
            self._calls.gives_block(pointer)
            or (isinstance(pointer, ast.Name) and self._may_be_block(pointer, reaching))
        )
        if not known:
            if about:
                detail = f"the block pointer of line {call.lineno} is made in another function"
                raise lost(detail, "block-pointer-is-lost")
            return None
        assert pointer is not None
        given = self._calls.arguments(call, names)
        if {"mask", "other"} & given.keys():
            raise lost(f"line {call.lineno} has a mask, as no block pointer has")
        name, block, deltas = self._pointer(statement, pointer, reaching)
        rank = block.rank if block is not None else self.found.of(name)[0].rank
        checked = self._calls.checked(given.get("boundary_check"), rank, call)
        padding = self._calls.padding(given.get("padding_option"), call)
        self.found.accesses.append(
            Access(statement, call, given, name, block, deltas, checked, padding)
        )
        return pointer

    def _pointer(
        self, statement: ast.stmt, pointer: ast.expr, reaching: _Reaching
    ) -> tuple[str, Block | None, tuple[ast.expr, ...]]:
        if isinstance(pointer, ast.Call):
            if self._calls.helper(pointer) is not None:
                raise lost(f"what line {pointer.lineno} loads through has no name")
            if self._calls.makes_block(pointer):
                return "", self._block(statement, "", pointer), ()
            name, deltas = self._advanced(pointer)
            block = reaching.get(name)
            if not isinstance(block, Block) or block.helper is not None:
                raise lost(f"where {name} was made that line {pointer.lineno} moves is not seen")
            return name, self._known(reaching[name]), deltas
        assert isinstance(pointer, ast.Name)
        return pointer.id, self._block_of(pointer, reaching), ()

    def _is_block(self, node: ast.expr, reaching: _Reaching) -> bool:
        if isinstance(node, ast.Name):
            return self._may_be_block(node, reaching)
        return self._calls.called(node) == MAKES

    def _returned(self, statement: ast.Return, value: ast.expr, reaching: _Reaching) -> None:
        if isinstance(value, ast.Call):
            block: Block | None = self._block(statement, "", value)
        else:
            assert isinstance(value, ast.Name)
            block = self._block_of(value, reaching)
        if block is None or block.helper is not None:
            raise lost(f"which one line {statement.lineno} returns is not seen")
        self.found.returned.append(Returned(statement, value, block))

    def _may_be_block(self, name: ast.Name, reaching: _Reaching) -> bool:
        """Whether a name is that of a block pointer, and not bound to something else there."""
        return name.id in self._names and reaching.get(name.id) is not _Unclear.ORDINARY

    def _block_of(self, name: ast.Name, reaching: _Reaching) -> Block | None:
        """Where a block pointer was made that is read; None where in one of several places."""
        if name.id not in reaching:
            raise lost(f"{name.id} is read in line {name.lineno}, and made nowhere before it")
        holds = reaching[name.id]
        if holds is _Unclear.EITHER:
            raise lost(
                f"{name.id} may be something else than a block pointer in line {name.lineno}"
            )
        return self._known(holds)

    @staticmethod
    def _known(holds: _Holds) -> Block | None:
        return holds if isinstance(holds, Block) else None


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
