"""Code for what an iteration computes, as a tile computes it: masks, choices, other names."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tritonopt.emit.writing import Writer
from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.constexprs import is_constexpr
from tritonopt.facts.dtypes import FLOATS
from tritonopt.facts.effects import Effect, EffectKind
from tritonopt.facts.operations import Op
from tritonopt.passes.scalar_loop.loop_bodies import Body, Branch, is_surely
from tritonopt.source import AddArgument, Change, ReplaceExpression
from tritonopt.source.editing import excerpts
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import children, walk

_ATOMIC = (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.Constant)


@dataclass(frozen=True)
class LaneCode:
    """Writes expressions of the body."""

    body: Body
    writer: Writer
    names: Mapping[str, str]
    """Other names for what was a single element and is a tile now."""
    cleared: frozenset[int]
    """Loads, by their order, of which masked-off lanes must be 0."""

    @property
    def facts(self) -> KernelFacts:
        return self.body.loop.facts

    def changes(self, node: ast.AST, mask: str) -> Iterator[Change]:
        """The changes inside an expression that is computed where `mask` holds."""
        effect = self._access(node)
        match node:
            case ast.Name(id=name, ctx=ast.Load()) if name in self.names:
                yield ReplaceExpression(node, self.names[name])
                return
            case ast.Call() if effect is not None:
                yield from self._masked(node, effect, mask)
                return
            case ast.IfExp(test=test, body=then, orelse=other) if self._is_choice(node):
                parts = (self.condition(test, mask), self.code(then, mask), self.code(other, mask))
                yield ReplaceExpression(
                    node, f"{self.writer.language('where')}({', '.join(parts)})"
                )
                return
            case ast.Call(func=ast.Name() as func) if self.builtin(func) and self._is_lane(node):
                name = "minimum" if self.builtin(func) == "min" else "maximum"
                yield ReplaceExpression(func, self.writer.language(name))
                for argument in node.args:
                    yield from self.changes(argument, mask)
                return
        for child in children(node):
            yield from self.changes(child, mask)

    def code(self, node: ast.expr, mask: str) -> str:
        """An expression with these changes, on one line."""
        changes = list(self.changes(node, mask))
        for change in changes:
            if isinstance(change, ReplaceExpression) and change.anchor is node:
                return change.code
        module, (changed,) = excerpts.after(self.facts.kernel.module, changes, [node])
        assert isinstance(changed, ast.expr)
        return excerpts.one_line(module, changed)

    def operand(self, node: ast.expr, mask: str) -> str:
        """The same, in parentheses where it could fall apart inside another expression."""
        code = self.code(node, mask)
        return code if isinstance(parsed(code, mode="eval").body, _ATOMIC) else f"({code})"

    def condition(self, node: ast.expr, mask: str) -> str:
        """A condition as a tile of truth values, ready to be an operand of `&`."""
        match node:
            case ast.BoolOp(op=op):
                sign = " & " if isinstance(op, ast.And) else " | "
                return f"({sign.join(self.conditions(node, mask))})"
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return f"~{self.condition(operand, mask)}"
        code = self.operand(node, mask)
        return code if self.facts.values[node].dtype == "bool" else f"({code} != 0)"

    def conditions(self, node: ast.expr, mask: str) -> list[str]:
        """The same, where it is an `and`, in parts; what a part loads waits for those before."""
        if not isinstance(node, ast.BoolOp):
            return [self.condition(node, mask)]
        negation = "" if isinstance(node.op, ast.And) else "~"
        parts: list[str] = []
        for value in node.values:
            parts.append(self.condition(value, mask))
            mask = f"{mask} & {negation}{parts[-1]}"
        return parts

    def _access(self, node: ast.AST) -> Effect | None:
        """The access of a call that reads or writes one element per lane."""
        for effect in self.body.loop.effects:
            if effect.node is node and effect.pointer is not None:
                return effect if self.body.loop.is_lane(effect.pointer) else None
        return None

    def _masked(self, call: ast.Call, effect: Effect, mask: str) -> Iterator[Change]:
        place = {EffectKind.LOAD: 1, EffectKind.STORE: 2}.get(effect.kind, len(call.args))
        given = next((k.value for k in call.keywords if k.arg == "mask"), None)
        if given is None and len(call.args) > place:
            given = call.args[place]
        for child in children(call):
            if given is None or child not in (
                given,
                *(k for k in call.keywords if k.arg == "mask"),
            ):
                yield from self.changes(child, mask)
        if given is None:
            yield AddArgument(call, f"mask={mask}")
        elif effect.mask is not None and effect.mask.is_none:
            yield ReplaceExpression(given, mask)
        else:
            yield ReplaceExpression(given, f"{mask} & {self.condition(given, mask)}")
        if effect.order in self.cleared and effect.other is None:
            assert effect.loaded is not None
            floats = is_surely(self.facts, effect.loaded, FLOATS)
            yield AddArgument(call, "other=0.0" if floats else "other=0")

    def _is_lane(self, node: ast.expr) -> bool:
        return node in self.facts.values and self.body.loop.is_lane_at(node)

    def _is_choice(self, node: ast.IfExp) -> bool:
        return self._is_lane(node) and not is_constexpr(self.facts, node.test)

    def builtin(self, node: ast.expr) -> str:
        """`min` or `max`, where that is what is called; "" for all else."""
        name = self.facts.kernel.module.builtin(node)
        return name if name in ("min", "max") else ""

    # What masked-off lanes hold

    def vanishes(self, value: Value, branches: tuple[Branch, ...]) -> frozenset[int] | None:
        """The loads that make a value 0 in lanes that these branches leave out; None: it is not."""
        match value.op:
            case Op.LOAD:
                effect = self.facts.interpretation.loads[value.number]
                if effect not in self.body.loop.effects:
                    return None
                inside = self._branches_of(effect)[: len(branches)] == branches
                zero = effect.other is None or (
                    effect.other.constant == 0 and effect.other.op is Op.CONST
                )
                return frozenset({value.number}) if inside and zero else None
            case Op.CAST | Op.NEG | Op.POS:
                return self.vanishes(value.operand, branches)
            case Op.ADD | Op.SUB | Op.MUL:
                parts = [self.vanishes(operand, branches) for operand in value.operands]
                if any(part is None for part in parts):
                    return None
                return frozenset().union(*(part for part in parts if part is not None))
        return None

    def _branches_of(self, effect: Effect) -> tuple[Branch, ...]:
        return next(s.branches for s in self.body.steps if effect.node in set(walk(s.node)))
