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
from tritonopt.checks.condition import refuted
from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.program_ids import sure_callee
from tritonopt.rewriting.focus import Focus
from tritonopt.rewriting.model import RemarkKind
from tritonopt.rewriting.pipeline import rewrite_source
from tritonopt.rewriting.protocol import Pass
from tritonopt.source import (
    Change,
    InsertBefore,
    Kernel,
    Remove,
    ReplaceArgument,
    ReplaceParameter,
)
from tritonopt.source.trees import walk
from tritonopt.transforms.block_pointers.block_accesses import (
    Block,
    BlockAccesses,
    Handed,
    lost,
)
from tritonopt.transforms.block_pointers.following import followed_blocks
from tritonopt.transforms.block_pointers.helper_calls import (
    check_only_called,
    given_by,
    helper_calls,
)
from tritonopt.transforms.block_pointers.unread_orders import unread_orders
from tritonopt.transforms.writing import NotExpressible, Writer, block_of, comments_in

_EXTENT = "extent"
_ROLES = {"shape": "size", "strides": "stride", "offsets": "offset", "extents": _EXTENT}
"""The parts of a block pointer, and what one for an axis is called."""
_SUFFIXES = ("_block_ptr", "_block", "_bptr", "_ptr", "_ptrs")


def handed_blocks(facts: KernelFacts, chosen: Pass) -> HandedBlocks | None:
    """For the first helper that the kernel hands one to; None where it hands none on."""
    for handed in followed_blocks(facts).handed:
        helper = sure_callee(facts.kernel, handed.call)
        assert helper is not None
        return HandedBlocks(facts, helper, chosen)
    return None


@dataclass(frozen=True, eq=False)
class _Call:
    """A call of the helper."""

    facts: KernelFacts
    writer: Writer
    accesses: BlockAccesses
    node: ast.Call
    statement: ast.stmt
    given: dict[str, ast.expr]
    """What it passes, by the names of the parameters; defaults are not in it."""
    blocks: dict[str, Block]
    """The block pointers among it."""


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
        names, several = self.names, len(self.names) > 1
        listed = ", ".join(names[:-1]) + " and " + names[-1] if several else names[0]
        return f"let {self.helper.name} make {listed} {'themselves' if several else 'itself'}"

    @property
    def names(self) -> list[str]:
        """The parameters that are block pointers, in their order."""
        (first, *_) = self._calls
        return [p.name for p in self.helper.parameters if p.name in first.blocks]

    def changes(self, attempt: Attempt) -> list[Change]:
        check_only_called(self.helper, self.facts.kernel.module)
        attempt.assume_no_other_launches("files that were not given call the helper nowhere")
        made = [self._made(name) for name in self.names]
        if sum(not self._new[name] for name in self.names) > 1:
            raise NotExpressible(f"{self.helper.name} gets nothing in the place of two")
        first = next(iter(self._statements()))
        found: list[Change] = [InsertBefore(first, code) for code in made]
        for name in self.names:
            codes = tuple(self._declared(p) for p in self._new[name])
            found.append(ReplaceParameter(self.helper, name, codes))
        for number, call in enumerate(self._calls):
            found += self._passed(number, call)
        found += self._needless()
        self._try_out(found)
        return found

    # The helper and its calls

    @cached_property
    def _calls(self) -> list[_Call]:
        """All of them, with the same block pointers among their arguments."""
        name = self.helper.name
        found: list[_Call] = []
        known: dict[Kernel, tuple[KernelFacts, Writer, BlockAccesses]] = {}
        for caller, around in helper_calls(self.helper):
            if caller not in known:
                own = self.facts.kernel is caller
                about = self.facts if own else kernel_facts.of(caller)
                known[caller] = about, Writer(about), followed_blocks(about)
            found.append(self._call(around, *known[caller]))
        names = {frozenset(call.blocks) for call in found}
        if len(names) != 1 or not found[0].blocks:
            raise lost(f"{name} gets a block pointer from some of its callers, but not from all")
        return found

    def _call(
        self, node: ast.Call, facts: KernelFacts, writer: Writer, accesses: BlockAccesses
    ) -> _Call:
        given = given_by(self.helper, node)
        handed = {h.node: h for h in accesses.handed if h.call is node}
        blocks = {name: handed[a].block for name, a in given.items() if a in handed}
        statement = next((h.statement for h in handed.values()), None)
        if statement is None or isinstance(statement, ast.While):
            raise lost(f"line {node.lineno} calls {self.helper.name} without a block pointer")
        for block in blocks.values():
            if block in accesses.moved:
                raise lost(f"{block.name} is advanced, and given to {self.helper.name}")
        if any(h.call in walk(node) and h.call is not node for h in accesses.handed):
            raise NotExpressible(f"line {node.lineno} passes one to a call within a call")
        return _Call(facts, writer, accesses, node, statement, given, blocks)

    # What block pointers are made of

    def _made(self, name: str) -> str:
        """The statement that makes one in the helper."""
        blocks = [call.blocks[name] for call in self._calls]
        if len({block.rank for block in blocks}) != 1:
            raise lost(f"{name} of {self.helper.name} has another number of axes in each call")
        self._new[name] = []
        base = self._part(name, "base", [block.base for block in blocks])
        parts = []
        for role, word in _ROLES.items():
            axes = [
                self._part(
                    name,
                    f"{word}_{axis}" if blocks[0].rank > 1 else word,
                    [getattr(b, role)[axis] for b in blocks],
                )
                for axis in range(blocks[0].rank)
            ]
            parts.append(f"({', '.join(axes)}{',' if len(axes) == 1 else ''})")
        order = ", ".join(map(str, reversed(range(blocks[0].rank))))
        parts.append(f"({order}{',' if blocks[0].rank == 1 else ''})")
        make = Writer(self._helper_facts).language("make_block_ptr")
        return f"{name} = {make}({', '.join([base, *parts])})"

    @cached_property
    def _helper_facts(self) -> KernelFacts:
        return kernel_facts.of(self.helper)

    def _part(self, name: str, role: str, nodes: Sequence[ast.expr]) -> str:
        """What a part is called in the helper, which gets it from each call if it has it not."""
        values = [self._value(call, node) for call, node in zip(self._calls, nodes, strict=True)]
        numbers = [v.constant if v is not None else None for v in values]
        if all(type(number) is int and number == numbers[0] for number in numbers):
            return str(numbers[0])
        for parameter in self.helper.parameters:
            given = [call.given.get(parameter.name) for call in self._calls]
            if parameter.name not in self._bound and self._are(given, values):
                return parameter.name
        for known in (p for new in self._new.values() for p in new):
            if self._are(known.arguments, values):
                known.is_constexpr |= role.startswith(_EXTENT)
                return known.name
        for call, node in zip(self._calls, nodes, strict=True):
            environment = call.facts.before.get(call.statement)
            if environment is None or not call.writer.means_the_same(node, environment):
                text = call.writer.text(node)
                raise lost(f"{text} is not known to be the same in line {call.node.lineno}")
            if comments_in(call.facts.kernel.module.text_of(node)):
                raise lost(f"a comment inside line {node.lineno} would be lost")
        new = _Parameter(self._name(name, role, nodes), tuple(nodes), role.startswith(_EXTENT))
        self._new[name].append(new)
        return new.name

    def _are(self, given: Sequence[ast.expr | None], values: Sequence[Value | None]) -> bool:
        """Whether each call passes just these values."""
        return all(
            node is not None and value is not None and self._value(call, node) is value
            for call, node, value in zip(self._calls, given, values, strict=True)
        )

    @staticmethod
    def _value(call: _Call, node: ast.expr) -> Value | None:
        return call.facts.values.get(node)

    @cached_property
    def _bound(self) -> frozenset[str]:
        """What the helper binds in its body."""
        nodes = self.helper.nodes
        return frozenset(
            n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        )

    def _name(self, name: str, role: str, nodes: Sequence[ast.expr]) -> str:
        """As the callers call it, else after the block pointer."""
        stem = name.removeprefix("p_")
        for suffix in _SUFFIXES:
            stem = stem.removesuffix(suffix)
        wanted = [f"{stem}_{role}"]
        called = {_root(node) if role == "base" else _plain(node) for node in nodes}
        if len(called) == 1 and called != {""}:
            wanted.insert(0, called.pop())
        return self._helper_writer.fresh(*wanted)

    @cached_property
    def _helper_writer(self) -> Writer:
        return Writer(self._helper_facts)

    # Writing

    def _statements(self) -> Iterator[ast.stmt]:
        """Those of the helper, without its docstring."""
        body = self.helper.node.body
        is_told = ast.get_docstring(self.helper.node, clean=False) is not None
        if len(body) == 1 and is_told:
            raise lost(f"{self.helper.name} does nothing")
        yield from body[1:] if is_told else body

    def _declared(self, parameter: _Parameter) -> str:
        if not parameter.is_constexpr:
            return parameter.name
        return f"{parameter.name}: {self._helper_writer.language('constexpr')}"

    def _passed(self, number: int, call: _Call) -> Iterator[Change]:
        keywords = {k.arg: k for k in call.node.keywords}
        for name in call.blocks:
            texts = [(p.name, call.writer.text(p.arguments[number])) for p in self._new[name]]
            argument: ast.expr | ast.keyword = keywords.get(name, call.given[name])
            if name in keywords:
                codes = tuple(f"{parameter}={text}" for parameter, text in texts)
            else:
                codes = tuple(text for _, text in texts)
            yield ReplaceArgument(call.node, argument, codes)

    def _needless(self) -> Iterator[Change]:
        """The statements of callers that make what is handed to the helper alone."""
        done: dict[Kernel, set[Block]] = {}
        for call in self._calls:
            found, function = call.accesses, call.facts.kernel
            used = {a.name for a in found.accesses} | {read.name for read in found.types}
            used |= {handed.node.id for handed in found.handed if not self._gets(handed)}
            for block in call.blocks.values():
                if block in done.get(function, ()) or block.name in used:
                    continue
                if comments_in(function.module.text_of(block.statement)):
                    line = block.statement.lineno
                    detail = f"a comment inside line {line} would be lost"
                    raise refuted("nothing-else-is-lost", "comment-inside", detail)
                if len(block_of(function.node, block.statement)) > 1:
                    done.setdefault(function, set()).add(block)
                    yield Remove(block.statement)
        facts = {call.facts.kernel: call.facts for call in self._calls}
        for function, blocks in done.items():
            yield from unread_orders(facts[function], blocks)

    def _gets(self, handed: Handed) -> bool:
        return any(handed.call is call.node for call in self._calls)

    def _try_out(self, changes: Sequence[Change]) -> None:
        """Raises Declined unless no block pointer is left in the helper and in its callers."""
        module = self.helper.module
        try:
            text = source.apply(module, changes)
        except source.EditConflict as error:
            raise NotExpressible(str(error)) from error
        names = {self.helper.qualname, *(c.facts.kernel.qualname for c in self._calls)}
        result = rewrite_source(
            text,
            [self.chosen],
            path=module.path,
            program=module.program,
            only=Focus(kernels=frozenset(names)),
        )
        for remark in result.remarks:
            if remark.kind is RemarkKind.MISSED:
                detail = f"with what {self.helper.name} would make itself, {remark.message}"
                raise lost(detail)


def _root(node: ast.expr) -> str:
    """The name that a pointer begins with: `K` of `K + offset * stride`."""
    while isinstance(node, ast.BinOp):
        node = node.left
    return _plain(node)


def _plain(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
