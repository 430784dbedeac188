"""The header of the loop over tiles, the index and the mask, and the names for them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tritonopt.emit.writing import NotExpressible, Writer, comments_in
from tritonopt.facts.operations import Op
from tritonopt.passes.scalar_loop.scalar_loops import ScalarLoop
from tritonopt.source import Change, InsertBefore, ReplaceExpression
from tritonopt.source.trees import walk

_BLOCK = "SCALAR_BLOCK"
_CONSTEXPR = "triton.language.constexpr"
_BOUNDS = ("arg1", "arg2", "step")


@dataclass(frozen=True)
class LoopHeader:
    """`for start in range(0, n, SCALAR_BLOCK):`, and the two lines that follow it."""

    loop: ScalarLoop
    writer: Writer
    size: int

    # Names

    @cached_property
    def block(self) -> str:
        """The name of the number of elements in a tile."""
        return self._known_block or self.writer.fresh(_BLOCK)

    @cached_property
    def _known_block(self) -> str:
        """The name of that number in a loop that is one over tiles already."""
        for statement in self.loop.facts.kernel.node.body:
            match statement:
                case ast.AnnAssign(
                    target=ast.Name(id=name), annotation=kind, value=ast.Constant(value=self.size)
                ) if name.startswith(_BLOCK):
                    if self.loop.facts.kernel.module.resolve(kind) == _CONSTEXPR:
                        return name
        return ""

    @cached_property
    def index(self) -> str:
        """The name of the tile of indices: that of the loop's own variable, where it is free."""
        target = self.loop.node.target
        assert isinstance(target, ast.Name)
        if target.id not in self.loop.facts.before[self.loop.node]:
            return target.id
        return self.local("lanes")

    @cached_property
    def start(self) -> str:
        return self.local("start")

    @cached_property
    def mask(self) -> str:
        return self.local("mask")

    @property
    def renamed(self) -> dict[str, str]:
        target = self.loop.node.target
        assert isinstance(target, ast.Name)
        return {} if self.index == target.id else {target.id: self.index}

    @cached_property
    def _shared(self) -> set[str]:
        """Names that are used here and in another loop."""
        return set()

    def local(self, wanted: str) -> str:
        """A name for use in the loop, which other loops may use too."""
        facts = self.loop.facts
        kernel = facts.kernel.node
        elsewhere = {
            node
            for loop in facts.loops
            if not loop.inlined and loop not in self.loop.loop.nest
            for node in walk(loop.node)
        } - self.loop.nodes
        mentions = [n for n in walk(kernel) if isinstance(n, ast.Name) and n.id == wanted]
        if mentions and elsewhere.issuperset(mentions) and wanted not in self._shared:
            known = facts.before[self.loop.node].get(wanted)
            if known is None or known.op is Op.OPAQUE:  # what another loop has counted
                self._shared.add(wanted)
                return wanted
        return self.writer.fresh(wanted)

    # Code

    def changes(self) -> Iterator[Change]:
        """What stands before the loop."""
        if not self._known_block:
            constexpr = self.writer.language("constexpr")
            yield InsertBefore(self._first_statement, f"{self.block}: {constexpr} = {self.size}")
        for name, node in self._named:
            yield InsertBefore(self.loop.node, f"{name} = {self.writer.text(node)}")

    @property
    def _first_statement(self) -> ast.stmt:
        body = self.loop.facts.kernel.node.body
        match body[0]:
            case ast.Expr(value=ast.Constant(value=str())) if len(body) > 1:
                return body[1]
        return body[0]

    def inside(self) -> Iterator[Change]:
        """The header itself."""
        call = self._call
        module = self.loop.facts.kernel.module
        if comments_in(module.text_of(call)):
            raise NotExpressible("a comment is in the header of the loop")
        parts = [self._start, self._stop, self._wide_step]
        more = [k for k in call.keywords if k.arg not in _BOUNDS]
        parts += [f"{k.arg}={self.writer.text(k.value)}" for k in more]
        yield ReplaceExpression(call, f"{module.text_of(call.func)}({', '.join(parts)})")
        yield ReplaceExpression(self.loop.node.target, self.start)

    @property
    def first_lines(self) -> str:
        """The indices of a tile, and which of them the loop comes to."""
        lanes = f"{self.writer.language('arange')}(0, {self.block})"
        step = self._step
        if step in ("1", "-1"):
            index = f"{self.start} {'+' if step == '1' else '-'} {lanes}"
        else:
            index = f"{self.start} + {step} * {lanes}"
        sign = ">" if self._counts_down else "<"
        return f"{self.index} = {index}\n{self.mask} = {self.index} {sign} {self._stop}"

    @property
    def _call(self) -> ast.Call:
        assert isinstance(self.loop.node.iter, ast.Call)
        return self.loop.node.iter

    @cached_property
    def _bounds(self) -> tuple[ast.expr | None, ast.expr, ast.expr | None]:
        """The expressions for start, stop and step."""
        call = self._call
        given = list(call.args)
        named = {k.arg: k.value for k in call.keywords}
        for place, name in enumerate(_BOUNDS):
            if name in named and len(given) == place:
                given.append(named[name])
        if "step" in named and len(given) == 1:
            return None, given[0], named["step"]
        match given:
            case [stop]:
                return None, stop, None
            case [start, stop]:
                return start, stop, None
            case [start, stop, step]:
                return start, stop, step
        raise NotExpressible("the bounds of the loop are not understood")

    @property
    def _counts_down(self) -> bool:
        step = self.loop.loop.step
        assert step is not None
        number = self.loop.facts.forms.of(step).constant_value
        return number is not None and number < 0

    @property
    def _start(self) -> str:
        node = self._bounds[0]
        return "0" if node is None else self.writer.text(node)

    @cached_property
    def _named(self) -> list[tuple[str, ast.expr]]:
        """Bounds that the loop would compute again, or that mean something else inside."""
        _, stop, step = self._bounds
        found = []
        for node, name in ((stop, "end"), (step, "step")):
            if node is not None and not self._is_plain(node):
                if self.loop.loop.kind == "tl.static_range":
                    raise NotExpressible("a bound of the unrolled loop cannot be written twice")
                found.append((self.writer.fresh(name), node))
        return found

    def _is_plain(self, node: ast.expr) -> bool:
        """Whether an expression may stand in the loop as well: names, numbers and operators."""
        body = self.loop.facts.before[self.loop.node.body[0]]
        parts = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)
        plain = all(isinstance(n, (*parts, ast.expr_context)) for n in walk(node))
        return plain and self.writer.means_the_same(node, body)

    def _bound(self, node: ast.expr, *, operand: bool = False) -> str:
        name = next((name for name, named in self._named if named is node), None)
        if name is not None:
            return name
        return self.writer.operand(node) if operand else self.writer.text(node)

    @property
    def _stop(self) -> str:
        return self._bound(self._bounds[1])

    @property
    def _step(self) -> str:
        node = self._bounds[2]
        number = None if node is None else self.loop.facts.values[node].constant
        if node is None or number == 1:
            return "1"
        return "-1" if number == -1 else self._bound(node, operand=True)

    @property
    def _wide_step(self) -> str:
        step = self._step
        if step in ("1", "-1"):
            return f"{step[:-1]}{self.block}"
        return f"{step} * {self.block}"
