"""Code for the statements of an iteration, as a tile does them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tritonopt.emit.accumulator_tile import SPELLED, AccumulatorTile, LoopNames
from tritonopt.emit.code_edits import keeping_comments
from tritonopt.emit.writing import (
    NotExpressible,
    Writer,
    block_of,
    comments_in,
    names_bound,
    number_code,
    reads_of,
)
from tritonopt.facts import KernelFacts, Value
from tritonopt.facts.constexprs import is_constexpr
from tritonopt.facts.dtypes import BOOLEANS, FLOATS
from tritonopt.facts.effects import Effect, EffectKind
from tritonopt.facts.operations import Op
from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.passes.scalar_loop.loop_bodies import Body, Branch, LaneUpdate, Step, is_surely
from tritonopt.passes.scalar_loop.scalar_loops import ScalarLoop
from tritonopt.passes.scalar_loop.vector_proof import Carried, LaneMerge, Vectorization
from tritonopt.source import (
    AddArgument,
    Change,
    InsertAfter,
    InsertBefore,
    Module,
    Replace,
    ReplaceExpression,
)
from tritonopt.source.editing import excerpts
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import SIGNS, children, walk

_ATOMIC = (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.Constant)


@dataclass(frozen=True)
class LaneCode:
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
            case ast.IfExp(test=test, body=then, orelse=other) if self._is_lane(
                node
            ) and not is_constexpr(self.facts, test):
                parts = (self.condition(test, mask), self.code(then, mask), self.code(other, mask))
                yield ReplaceExpression(
                    node, f"{self.writer.language('where')}({', '.join(parts)})"
                )
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
        place = 1 if effect.kind is EffectKind.LOAD else 2
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

    # What masked-off lanes hold

    def vanishes(self, value: Value, branches: tuple[Branch, ...]) -> frozenset[int] | None:
        """The loads that make a value 0 in lanes that these branches leave out; None: it is not."""
        match value.op:
            case Op.LOAD:
                effect = self.facts.interpretation.loads[value.number]
                if effect not in self.body.loop.effects:
                    return None
                steps = self.body.steps
                around = next(s.branches for s in steps if effect.node in set(walk(s.node)))
                inside = around[: len(branches)] == branches
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


# The header of the loop over tiles, the index and the mask, and the names for them

_BOUNDS = ("arg1", "arg2", "step")


@dataclass(frozen=True)
class LoopHeader:
    """`for start in range(0, n, SCALAR_BLOCK):`, and the two lines that follow it."""

    loop: ScalarLoop
    writer: Writer
    size: int

    # Names

    @cached_property
    def names(self) -> LoopNames:
        return LoopNames(self.writer, self.loop.loop, "SCALAR_BLOCK", self.size)

    @cached_property
    def index(self) -> str:
        """The name of the tile of indices: that of the loop's own variable, where it is free."""
        target = self.loop.node.target
        assert isinstance(target, ast.Name)
        if target.id not in self.loop.facts.before[self.loop.node]:
            return target.id
        return self.names.local("lanes")

    @cached_property
    def start(self) -> str:
        return self.names.local("start")

    @cached_property
    def mask(self) -> str:
        return self.names.local("mask")

    @property
    def renamed(self) -> dict[str, str]:
        target = self.loop.node.target
        assert isinstance(target, ast.Name)
        return {} if self.index == target.id else {target.id: self.index}

    # Code

    def changes(self) -> Iterator[Change]:
        """What stands before the loop."""
        yield from self.names.begins()
        for name, node in self._named:
            yield InsertBefore(self.loop.node, f"{name} = {self.writer.text(node)}")

    def inside(self) -> Iterator[Change]:
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
        lanes = f"{self.writer.language('arange')}(0, {self.names.block})"
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
        given = dict(zip(_BOUNDS, call.args, strict=False))
        given |= {k.arg: k.value for k in call.keywords if k.arg in _BOUNDS}
        first, second, step = map(given.get, _BOUNDS)
        if first is None:
            raise NotExpressible("the bounds of the loop are not understood")
        return (None, first, step) if second is None else (first, second, step)

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
            return f"{step[:-1]}{self.names.block}"
        return f"{step} * {self.names.block}"


@dataclass(frozen=True)
class LaneStatements:
    proof: Vectorization
    writer: Writer
    header: LoopHeader

    # Names

    @cached_property
    def tiles(self) -> dict[str, AccumulatorTile]:
        """By what they stand for."""
        facts, loop = self.proof.facts, self.proof.loop.loop
        block = block_of(facts.kernel.node, loop.node)
        return {
            carried.name: AccumulatorTile(
                self.writer,
                carried.name,
                block,
                loop.node,
                carried.combining,
                loop.initial[carried.name],
                dtype,
                lambda _: self.header.names.block,
            )
            for carried, dtype in zip(self.proof.carried, self.proof.dtypes, strict=True)
            if carried.kind is not LaneMerge.PREFIX
        }

    @cached_property
    def _sums(self) -> dict[str, str]:
        prefixes = [c.name for c in self.proof.carried if c.kind is LaneMerge.PREFIX]
        return {name: self.writer.fresh(f"{name}_tile") for name in prefixes}

    @cached_property
    def _updates(self) -> dict[ast.stmt, tuple[Carried, LaneUpdate]]:
        return {u.step.node: (c, u) for c in self.proof.carried for u in c.updates}

    @cached_property
    def lanes(self) -> LaneCode:
        names = {name: tile.tile for name, tile in self.tiles.items()} | self._sums
        names |= self.header.renamed
        plain = LaneCode(self.proof.body, self.writer, names, frozenset())
        cleared: set[int] = set()
        for carried, update in self._updates.values():
            if self._is_cleared(carried, update):
                value = self.proof.facts.values[update.term]
                cleared |= plain.vanishes(value, update.step.branches) or set()
        return LaneCode(self.proof.body, self.writer, names, frozenset(cleared))

    def _is_cleared(self, carried: Carried, update: LaneUpdate) -> bool:
        return update.plain and carried.combining is Kind.ADD

    @cached_property
    def _masks(self) -> dict[Branch, str]:
        """What a mask is called under which a branch is taken."""
        found: dict[Branch, str] = {}
        for question in self.proof.body.questions:
            found[Branch(question, True)] = self.header.names.local("active")
            if question.orelse:
                found[Branch(question, False)] = self.header.names.local("active")
        return found

    def _mask(self, branches: Sequence[Branch]) -> str:
        return self._masks[branches[-1]] if branches else self.header.mask

    # Statements

    def inside(self, step: Step) -> Iterator[Change]:
        """The changes of a statement that stays what it is."""
        mask = self._mask(step.branches)
        found = self._updates.get(step.node)
        if found is None:
            yield from self.lanes.changes(step.node, mask)
            return
        carried, update = found
        tile = self.tiles[carried.name].tile
        for own in update.own:
            yield ReplaceExpression(own, tile)
        yield ReplaceExpression(update.term, self._term(carried, update, mask))

    def anew(self, step: Step) -> str:
        """Code for a statement that becomes another one; "" where it stays."""
        mask = self._mask(step.branches)
        found = self._updates.get(step.node)
        if found is not None:
            carried, update = found
            if carried.kind is LaneMerge.PREFIX:
                return self._running_sum(carried, update, mask)
            if update.plain and not self._takes_its_type(carried, update):
                return ""
            return self._chosen(carried, update, mask)
        name = self._kept_elsewhere(step)
        if not name:
            return ""
        node = step.node
        if isinstance(node, ast.AugAssign):
            new = f"{name} {SIGNS[type(node.op)]} {self.lanes.operand(node.value, mask)}"
        else:
            assert isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None
            new = self.lanes.code(node.value, mask)
        return f"{name} = {self.writer.language('where')}({mask}, {new}, {name})"

    def _kept_elsewhere(self, step: Step) -> str:
        """The name that a statement binds in some lanes, where the others keep what they have."""
        match step.node:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AugAssign(target=ast.Name(id=name)):
                pass
            case _:
                return ""
        if not step.branches:
            return ""
        question = step.branches[0].node
        facts, loop = self.proof.facts, self.proof.loop.node
        if name in facts.before[step.branches[-1].node] or name in facts.before[question]:
            return name
        if isinstance(step.node, ast.AugAssign):
            return ""
        behind = question.end_lineno or question.lineno
        read = any(place.lineno > behind for place in reads_of(loop, name))
        earlier = any(
            other.node.lineno < step.node.lineno
            and other.branches[:1] != step.branches[:1]
            and other.branches
            and other.branches[0].node is question
            and name in names_bound(other.node)
            for other in self.proof.body.steps
        )
        return name if read and earlier else ""

    def _takes_its_type(self, carried: Carried, update: LaneUpdate) -> bool:
        """Whether the term is a number that takes on the type of what it is added to."""
        value = self.proof.facts.values[update.term]
        number = value.constant
        if isinstance(number, int):
            return False
        dtype = self.proof.dtypes[self.proof.carried.index(carried)]
        if isinstance(number, float):
            return dtype != "fp32"
        return value.dtype in (None, "int", "float") and not self.proof.loop.is_lane(value)

    def _term(self, carried: Carried, update: LaneUpdate, mask: str) -> str:
        """What is combined with the tile, so that masked-off lanes change nothing."""
        lanes, combining = self.lanes, carried.combining
        value = self.proof.facts.values[update.term]
        code = lanes.code(update.term, mask)
        if self._is_cleared(carried, update) and lanes.vanishes(value, update.step.branches):
            return code
        logical = is_surely(self.proof.facts, value, BOOLEANS)
        if logical and combining is Kind.ADD:
            return f"{mask} & {lanes.condition(update.term, mask)}"
        return f"{self.writer.language('where')}({mask}, {code}, {self._neutral(carried, value)})"

    def _neutral(self, carried: Carried, value: Value) -> str:
        """What changes nothing."""
        combining, tile = carried.combining, self.tiles[carried.name]
        floats = is_surely(self.proof.facts, value, FLOATS | {"float"})
        if combining is Kind.ADD:
            return "0.0" if floats else "0"
        if tile.dtype == "fp32" and tile.filler is not None:
            return number_code(float("-inf" if combining is Kind.MAX else "inf"))
        return tile.tile

    def _chosen(self, carried: Carried, update: LaneUpdate, mask: str) -> str:
        """The tile, in the lanes that take part, and as it was in the others."""
        tile = self.tiles[carried.name].tile
        node = update.step.node
        if update.condition is not None:
            mask = self._also(mask, update.condition)
        if isinstance(node, ast.AugAssign):
            new = f"{tile} {SIGNS[type(node.op)]} {self.lanes.operand(update.term, mask)}"
        elif update.plain:
            assert isinstance(node, ast.Assign)
            new = self.lanes.code(node.value, mask)
        else:
            new = self.lanes.code(update.term, mask)
        return f"{tile} = {self.writer.language('where')}({mask}, {new}, {tile})"

    def _running_sum(self, carried: Carried, update: LaneUpdate, mask: str) -> str:
        """The sums up to each lane, and then the sum of all."""
        name, facts = carried.name, self.proof.facts
        dtype = self.proof.dtypes[self.proof.carried.index(carried)]
        value = facts.values[update.term]
        if value.constant is not None and dtype not in ("int32", "fp32"):
            raise NotExpressible(f"a number is added to {name}, which takes on its type")
        code = self.lanes.code(update.term, mask)
        if not self.lanes.vanishes(value, update.step.branches):
            code = f"{self.writer.language('where')}({mask}, {code}, 0)"
        if value.constant is None and not is_surely(facts, value, frozenset({dtype})):
            plain = isinstance(parsed(code, mode="eval").body, (ast.Name, ast.Call))
            operand = code if plain else f"({code})"
            code = f"{operand}.to({self.writer.language(SPELLED[dtype])})"
        lines = []
        if not code.isidentifier():
            added = self.writer.fresh(f"{name}_added")
            lines.append(f"{added} = {code}")
            code = added
        cumsum, total = self.writer.language("cumsum"), self.writer.language("sum")
        lines.append(f"{self._sums[name]} = {name} + {cumsum}({code}, axis=0)")
        lines.append(f"{name} += {total}({code}, axis=0)")
        return "\n".join(lines)

    # Masks

    def masks_of(self, question: ast.If) -> list[str]:
        """The masks of both ways, before either of them changes what is asked."""
        step = next(s for s in self.proof.body.steps if any(b.node is question for b in s.branches))
        depth = next(i for i, branch in enumerate(step.branches) if branch.node is question)
        outer = self._mask(step.branches[:depth])
        lines = [f"{self._masks[Branch(question, True)]} = {self._also(outer, question.test)}"]
        if question.orelse:
            condition = self.lanes.condition(question.test, outer)
            lines.append(f"{self._masks[Branch(question, False)]} = {outer} & ~{condition}")
        return lines

    def _also(self, mask: str, test: ast.expr) -> str:
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return " & ".join([mask, *self.lanes.conditions(test, mask)])
        return f"{mask} & {self.lanes.condition(test, mask)}"


# Writes the loop over tiles: its header, its mask, its body, and what is reduced behind it


@dataclass(frozen=True)
class VectorLoop:
    proof: Vectorization
    size: int

    @cached_property
    def writer(self) -> Writer:
        return Writer(self.proof.facts)

    @cached_property
    def header(self) -> LoopHeader:
        return LoopHeader(self.proof.loop, self.writer, self.size)

    @cached_property
    def statements(self) -> LaneStatements:
        return LaneStatements(self.proof, self.writer, self.header)

    def changes(self) -> tuple[Change, ...]:
        """Raises Declined where the loop cannot be written, or a comment would be lost."""
        return keeping_comments(self.proof.facts.kernel.module, self._changes())

    def _changes(self) -> Iterator[Change]:
        loop = self.proof.loop
        yield from self.header.changes()
        for tile in self.statements.tiles.values():
            yield tile.begins()
        yield Replace(loop.node, self._code())
        end = "\n".join(self._ends())
        if end:
            yield InsertAfter(loop.node, end)

    # The loop

    def _code(self) -> str:
        """The whole loop: first its expressions are changed, then its statements."""
        module, loop = self.proof.facts.kernel.module, self.proof.loop.node
        statements = self.statements
        anew = {s.node: code for s in self.proof.body.steps if (code := statements.anew(s))}
        changes: list[Change] = list(self.header.inside())
        for step in self.proof.body.steps:
            if step.node not in anew:
                changes += statements.inside(step)
        questions = {q: statements.masks_of(q) for q in self.proof.body.questions}
        places = sorted([*anew, *questions], key=lambda s: (s.lineno, s.col_offset), reverse=True)
        changed, nodes = excerpts.after(module, changes, [loop, *places])
        # From the last to the first, so that what is not done yet stays in its place.
        for index, place in enumerate(places, 1):
            node = nodes[index]
            if isinstance(place, ast.If):
                assert isinstance(node, ast.If)
                code = _without_if(changed, node, questions[place])
            else:
                code = anew[place]
            assert isinstance(node, ast.stmt)
            left = [n for n in (nodes[0], *nodes[index + 1 :]) if isinstance(n, ast.stmt)]
            changed, (nodes[0], *nodes[index + 1 :]) = excerpts.after(
                changed, [Replace(node, code)], left
            )
        assert isinstance(nodes[0], ast.For)
        first = InsertBefore(nodes[0].body[0], self.header.first_lines)
        changed, (whole,) = excerpts.after(changed, [first], [nodes[0]])
        assert isinstance(whole, ast.stmt)
        return excerpts.statement_code(changed, whole, comments_above=False)

    def _ends(self) -> Iterator[str]:
        """What is reduced behind the loop; an index, once its extremum is known."""
        carried = [c for c in self.proof.carried if c.kind is not LaneMerge.PREFIX]
        for one in sorted(carried, key=lambda c: c.kind is LaneMerge.INDEX):
            yield lanes_together(one, self.statements.tiles)


def _without_if(module: Module, node: ast.If, masks: Sequence[str]) -> str:
    """The code of both branches, below their masks, and with what is said of them."""
    masked, *otherwise = masks
    if node.body[0].lineno > (node.test.end_lineno or node.test.lineno):
        masked += excerpts.header_comment(module, node)
    lines = [masked, *otherwise, excerpts.block_code(module, node.body)]
    if node.orelse:
        above, behind = excerpts.else_comments(module, node)
        lines[1] += behind
        lines += [*above.split("\n")[:-1], excerpts.block_code(module, node.orelse)]
    return "\n".join(lines)


def lanes_together(carried: Carried, tiles: Mapping[str, AccumulatorTile]) -> str:
    """Code for one reduction of a tile, as it is after the loop."""
    accumulator = tiles[carried.name]
    language, combining = accumulator.writer.language, carried.combining
    name, tile = carried.name, accumulator.tile
    if combining is Kind.ADD:
        sign = "=" if accumulator.start is not None else "+="
        return f"{name} {sign} {language('sum')}({tile}, axis=0)"
    outer, inner = ("max", "min") if combining is Kind.MAX else ("min", "max")
    if carried.kind is LaneMerge.INDEX:
        beside = f"{tiles[carried.extremum].tile} == {carried.extremum}"
        tile = f"{language('where')}({beside}, {tile}, {language(inner)}({tile}, axis=0))"
    return f"{name} = {language(outer)}({tile}, axis=0)"
