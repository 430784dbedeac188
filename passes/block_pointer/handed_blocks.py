"""Block pointers that are handed to a helper, which is to make them itself.

    @triton.jit
    def loaded(x_block, B: tl.constexpr):           def loaded(X, n, offset, B: tl.constexpr):
        ...                                             x_block = tl.make_block_ptr(X, (n,), ...)

    x = loaded(x_block, B)                          x = loaded(X, n, pid * B, B)

The helper gets what they are made of, as far as it has not got it already, and makes them where
its body begins. So there is no block pointer any more that two functions know, and each of these
can be rewritten by itself. Only the whole is of use: it is tried out first.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tritonopt import facts as kernel_facts
from tritonopt import source
from tritonopt.checks.attempt import Attempt
from tritonopt.emit.writing import (
    NotExpressible,
    Writer,
    block_of,
    check_no_comment,
    names_bound,
)
from tritonopt.facts import KernelFacts, Value
from tritonopt.passes.block_pointer.accesses import (
    Block,
    BlockAccesses,
    HelperCall,
    followed_blocks,
    helper_calls,
    lost,
)
from tritonopt.passes.block_pointer.pointer_tiles import (
    BlockTiles,
    PointerTiles,
    prove_block_tiles,
    unread_orders,
)
from tritonopt.rewriting.focus import Focus
from tritonopt.rewriting.model import RemarkKind
from tritonopt.rewriting.pipeline import rewrite_source
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import Change, InsertBefore, Kernel, Remove, ReplaceArgument, ReplaceParameter
from tritonopt.source.trees import walk

_ROLES = {"shape": "size", "strides": "stride", "offsets": "offset", "extents": "extent"}
"""The parts of a block pointer, and what one for an axis is called."""
_SUFFIXES = ("_block_ptr", "_block", "_bptr", "_ptr", "_ptrs")


@dataclass(frozen=True, eq=False)
class _Caller:
    facts: KernelFacts
    writer: Writer
    accesses: BlockAccesses


@dataclass(frozen=True, eq=False)
class _Call:
    """A call of the helper, and the block pointers among what it passes."""

    caller: _Caller
    statement: ast.stmt
    node: ast.Call
    given: dict[str, ast.expr]
    blocks: dict[str, Block]

    def value(self, node: ast.expr | None) -> Value | None:
        return self.caller.facts.values.get(node) if node is not None else None


@dataclass(eq=False)
class _Parameter:
    """A new parameter, and what each call passes for it."""

    name: str
    arguments: tuple[ast.expr, ...]
    is_constexpr: bool = False


@dataclass
class HandedBlocks:
    """Lets one helper make the block pointers that it gets. Raises Declined where it cannot."""

    facts: KernelFacts
    helper: Kernel
    chosen: Pass
    """The pass that is to rewrite what comes of it."""
    _new: dict[str, list[_Parameter]] = field(default_factory=dict)
    """What takes the place of each parameter that is a block pointer."""

    @property
    def message(self) -> str:
        *names, last = self.names
        listed = f"{', '.join(names)} and {last}" if names else last
        return f"let {self.helper.name} make {listed} {'themselves' if names else 'itself'}"

    @property
    def names(self) -> list[str]:
        """The parameters that are block pointers, in their order."""
        return [p.name for p in self.helper.parameters if p.name in self._calls[0].blocks]

    def changes(self, attempt: Attempt) -> list[Change]:
        found = self._calls
        attempt.assume_no_other_launches("no file that was not given calls the helper")
        made = [self._made(name) for name in self.names]
        if sum(not self._new[name] for name in self.names) > 1:
            raise NotExpressible(f"{self.helper.name} gets nothing in the place of two")
        body = self.helper.statements
        if not body:
            raise lost(f"{self.helper.name} does nothing")
        changes: list[Change] = [InsertBefore(body[0], code) for code in made]
        for name in self.names:
            codes = tuple(self._declared(p) for p in self._new[name])
            changes.append(ReplaceParameter(self.helper, name, codes))
        for number, call in enumerate(found):
            changes += self._passed(number, call)
        for caller in dict.fromkeys(call.caller for call in found):
            changes += self._needless(caller)
        self._try_out(changes)
        return changes

    # The helper and its calls

    @cached_property
    def _calls(self) -> list[_Call]:
        """All of them, with the same block pointers among their arguments."""
        known: dict[Kernel, _Caller] = {}
        found: list[_Call] = []
        for call in helper_calls(self.helper, self.facts.kernel.module):
            if call.caller not in known:
                own = self.facts.kernel is call.caller
                about = self.facts if own else kernel_facts.of(call.caller)
                known[call.caller] = _Caller(about, Writer(about), followed_blocks(about))
            found.append(self._call(known[call.caller], call))
        if len({frozenset(call.blocks) for call in found}) != 1 or not found[0].blocks:
            name = self.helper.name
            raise lost(f"{name} gets a block pointer from some of its callers, but not from all")
        return found

    def _call(self, caller: _Caller, call: HelperCall) -> _Call:
        node, helper = call.node, self.helper.name
        handed = {use.node: use for around, use in caller.accesses.handed if around is node}
        uses = {name: handed[a] for name, a in call.given.items() if a in handed}
        statement = next((use.statement for use in uses.values()), None)
        if statement is None or isinstance(statement, ast.While):
            raise lost(f"line {node.lineno} calls {helper} without a block pointer")
        blocks = {name: use.block for name, use in uses.items() if use.block is not None}
        for block in blocks.values():
            if block in caller.accesses.moved:
                raise lost(f"{block.name} is advanced and passed to {helper}")
        inside = walk(node)
        if any(other in inside and other is not node for other, _ in caller.accesses.handed):
            raise NotExpressible(f"line {node.lineno} passes one to a call within a call")
        return _Call(caller, statement, node, call.given, blocks)

    # What block pointers are made of

    def _made(self, name: str) -> str:
        """The statement that makes one in the helper."""
        blocks = [call.blocks[name] for call in self._calls]
        (rank, *more) = {block.rank for block in blocks}
        if more:
            raise lost(f"{name} of {self.helper.name} has different numbers of axes in its calls")
        self._new[name] = []
        parts = [self._part(name, "base", [block.base for block in blocks])]
        for role, word in _ROLES.items():
            axes = [
                self._part(
                    name,
                    f"{word}_{axis}" if rank > 1 else word,
                    [getattr(block, role)[axis] for block in blocks],
                )
                for axis in range(rank)
            ]
            parts.append(_tuple(axes))
        parts.append(_tuple([str(axis) for axis in reversed(range(rank))]))
        make = self._writer.language("make_block_ptr")
        return f"{name} = {make}({', '.join(parts)})"

    @cached_property
    def _writer(self) -> Writer:
        return Writer(kernel_facts.of(self.helper))

    def _part(self, name: str, role: str, nodes: Sequence[ast.expr]) -> str:
        """What a part is called in the helper, which gets it from each call if it has it not."""
        values = [call.value(node) for call, node in zip(self._calls, nodes, strict=True)]
        numbers = [v.constant if v is not None else None for v in values]
        if all(type(number) is int and number == numbers[0] for number in numbers):
            return str(numbers[0])
        stored = names_bound(self.helper.node)
        for parameter in (p.name for p in self.helper.parameters):
            given = [call.given.get(parameter) for call in self._calls]
            if parameter not in stored and self._are(given, values):
                return parameter
        for known in (p for new in self._new.values() for p in new):
            if self._are(known.arguments, values):
                known.is_constexpr |= role.startswith("extent")
                return known.name
        for call, node in zip(self._calls, nodes, strict=True):
            self._check_passed(call, node)
        new = _Parameter(self._name(name, role, nodes), tuple(nodes), role.startswith("extent"))
        self._new[name].append(new)
        return new.name

    def _are(self, given: Sequence[ast.expr | None], values: Sequence[Value | None]) -> bool:
        return all(
            value is not None and call.value(node) is value
            for call, node, value in zip(self._calls, given, values, strict=True)
        )

    @staticmethod
    def _check_passed(call: _Call, node: ast.expr) -> None:
        """What a block pointer is made of is the same at the call."""
        caller = call.caller
        environment = caller.facts.before.get(call.statement)
        if environment is None or not caller.writer.means_the_same(node, environment):
            text = caller.writer.text(node)
            raise lost(f"{text} is not known to be the same in line {call.node.lineno}")
        check_no_comment(caller.facts.kernel.module, node)

    def _name(self, name: str, role: str, nodes: Sequence[ast.expr]) -> str:
        """As the callers call it, else after the block pointer."""
        stem = name.removeprefix("p_")
        for suffix in _SUFFIXES:
            stem = stem.removesuffix(suffix)
        roots = set(map(_root, nodes) if role == "base" else nodes)
        called = {node.id if isinstance(node, ast.Name) else "" for node in roots}
        wanted = [*(called if len(called) == 1 and called != {""} else ()), f"{stem}_{role}"]
        return self._writer.fresh(*wanted)

    # Writing

    def _declared(self, parameter: _Parameter) -> str:
        if not parameter.is_constexpr:
            return parameter.name
        return f"{parameter.name}: {self._writer.language('constexpr')}"

    def _passed(self, number: int, call: _Call) -> Iterator[Change]:
        keywords = {k.arg: k for k in call.node.keywords}
        for name in call.blocks:
            texts = {p.name: call.caller.writer.text(p.arguments[number]) for p in self._new[name]}
            if name in keywords:
                codes = tuple(f"{parameter}={text}" for parameter, text in texts.items())
                yield ReplaceArgument(call.node, keywords[name], codes)
            else:
                yield ReplaceArgument(call.node, call.given[name], tuple(texts.values()))

    def _needless(self, caller: _Caller) -> Iterator[Change]:
        """The statements of a caller that make what is handed to the helper alone."""
        accesses, facts = caller.accesses, caller.facts
        calls = [call for call in self._calls if call.caller is caller]
        mine = {call.node for call in calls}
        handed = [use for node, use in accesses.handed if node not in mine]
        used = {use.name for uses in (accesses.accesses, accesses.types, handed) for use in uses}
        blocks = dict.fromkeys(b for call in calls for b in call.blocks.values())
        gone = [block for block in blocks if block.name not in used]
        for block in list(gone):
            check_no_comment(facts.kernel.module, block.statement)
            if len(block_of(facts.kernel.node, block.statement)) > 1:
                yield Remove(block.statement)
            else:
                gone.remove(block)
        yield from unread_orders(facts, gone)

    def _try_out(self, changes: Sequence[Change]) -> None:
        """Raises Declined unless no block pointer is left in the helper and in its callers."""
        module = self.helper.module
        try:
            text = source.apply(module, changes)
        except source.EditConflict as error:
            raise NotExpressible(str(error)) from error
        names = {self.helper.qualname, *(c.caller.facts.kernel.qualname for c in self._calls)}
        result = rewrite_source(
            text,
            [self.chosen],
            path=module.path,
            program=module.program,
            only=Focus(kernels=frozenset(names)),
        )
        for remark in result.remarks:
            if remark.kind is RemarkKind.MISSED:
                detail = f"if {self.helper.name} makes its block pointers itself: {remark.message}"
                raise lost(detail)


def _tuple(parts: Sequence[str]) -> str:
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def _root(node: ast.expr) -> ast.expr:
    """What a pointer begins with: `K` of `K + offset * stride`."""
    while isinstance(node, ast.BinOp):
        node = node.left
    return node


# Block pointers that helpers return: a helper returns the tile instead, and its mask beside it


@dataclass
class ReturnedBlocks:
    """Rewrites helpers that return block pointers with all that call them. Raises Declined."""

    facts: KernelFacts
    accesses: BlockAccesses
    proofs: list[BlockTiles] = field(default_factory=list)
    """Of the functions, as far as they were looked at."""
    others: list[str] = field(default_factory=list)
    """The names of the other functions that change."""

    def changes(self, attempt: Attempt) -> Iterator[Change]:
        members = self._members()
        helpers = {block.helper for _, found in members.values() for block in found.blocks}
        masks = {k: _checked(k, members) for k in members if k in helpers}
        attempt.assume_no_other_launches("no file that was not given calls the helper")
        for kernel, (about, accesses) in members.items():
            writer, own = Writer(about), kernel is self.facts.kernel
            # Whatever fails is told; what holds is told of the kernel that it is about.
            asked = attempt if own else Attempt()
            proof = prove_block_tiles(about, writer, asked, accesses)
            yield from PointerTiles(about, writer, proof, masks).changes()
            self.proofs.append(proof)
            self.others += [] if own else [kernel.name]

    def _members(self) -> dict[Kernel, tuple[KernelFacts, BlockAccesses]]:
        """The functions that change together, in their order."""
        module, own = self.facts.kernel.module, self.facts.kernel
        found = {own: (self.facts, self.accesses)}
        todo, helpers = [own], set[Kernel]()
        while todo:
            kernel = todo.pop()
            _, accesses = found[kernel]
            for call, handed in accesses.handed:
                raise lost(f"line {call.lineno} gives {handed.name} to another helper")
            new = {block.helper for block in accesses.blocks if block.helper is not None}
            new |= {kernel} if accesses.returned else set()
            for helper in new - helpers:
                helpers.add(helper)
                calls = helper_calls(helper, module)
                for member in (helper, *(call.caller for call in calls)):
                    if member not in found:
                        about = kernel_facts.of(member)
                        found[member] = about, followed_blocks(about)
                        todo.append(member)
                _check_returns(helper, found[helper][1])
                bases = {b.base for c in calls for b in found[c.caller][1].blocks}
                if not calls or not bases.issuperset(call.node for call in calls):
                    raise lost(f"the result of a call of {helper.name} is unknown")
        return {kernel: found[kernel] for kernel in module.kernels if kernel in found}


def _check_returns(helper: Kernel, accesses: BlockAccesses) -> None:
    """Each way out of a helper gives back a block pointer."""
    returns = {n for n in helper.nodes if isinstance(n, ast.Return)}
    if returns != {r.statement for r in accesses.returned} or not isinstance(
        helper.node.body[-1], ast.Return
    ):
        raise lost(f"{helper.name} does not always return a block pointer")


def _checked(
    helper: Kernel, members: dict[Kernel, tuple[KernelFacts, BlockAccesses]]
) -> tuple[int, ...]:
    """The axes that all who call a helper check, of what they check at all."""
    found = set()
    for _, accesses in members.values():
        for access in accesses.accesses:
            one = [access.block] if access.block is not None else accesses.of(access.name)
            if access.checked and any(block.helper is helper for block in one):
                found.add(access.checked)
    if len(found) > 1:
        raise lost(
            f"the block pointer that {helper.name} returns is not always checked along the "
            "same axes"
        )
    return found.pop() if found else ()
