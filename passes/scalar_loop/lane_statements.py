"""Code for the statements of an iteration, as a tile does them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tritonopt.emit.accumulator_tile import AccumulatorTile, number_code
from tritonopt.emit.writing import NotExpressible, Writer, block_of, reads_of
from tritonopt.facts import Value
from tritonopt.facts.dtypes import BOOLEANS, FLOATS
from tritonopt.facts.recurrences.kinds import Kind
from tritonopt.passes.scalar_loop.carried_names import Carried, LaneMerge
from tritonopt.passes.scalar_loop.lane_code import LaneCode
from tritonopt.passes.scalar_loop.loop_bodies import Branch, Step, is_surely
from tritonopt.passes.scalar_loop.loop_headers import LoopHeader
from tritonopt.passes.scalar_loop.updates_of_lanes import LaneUpdate
from tritonopt.passes.scalar_loop.vector_proof import Vectorization
from tritonopt.source import Change, ReplaceExpression
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import walk

_SIGNS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_LONG = {
    "fp32": "float32",
    "fp64": "float64",
    **{name: name for name in ("int32", "int64", "uint32", "uint64")},
}


@dataclass(frozen=True)
class LaneStatements:
    """Writes the statements of the body, one by one."""

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
                lambda _: self.header.block,
            )
            for carried, dtype in zip(self.proof.carried, self.proof.dtypes, strict=True)
            if carried.kind is not LaneMerge.PREFIX
        }

    @cached_property
    def _sums(self) -> dict[str, str]:
        """The names of running sums, as tiles."""
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
        return update.plain and carried.combining in (Kind.ADD, Kind.XOR)

    @cached_property
    def _masks(self) -> dict[Branch, str]:
        """What a mask is called under which a branch is taken."""
        found: dict[Branch, str] = {}
        for question in self.proof.body.questions:
            found[Branch(question, True)] = self.header.local("active")
            if question.orelse:
                found[Branch(question, False)] = self.header.local("active")
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
        if isinstance(update.step.node, ast.Assign):
            value = update.step.node.value
            if isinstance(value, ast.Call) and self.lanes.builtin(value.func):
                name = "minimum" if carried.combining is Kind.MIN else "maximum"
                yield ReplaceExpression(value.func, self.writer.language(name))

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
            new = f"{name} {_SIGNS[type(node.op)]} {self.lanes.operand(node.value, mask)}"
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
            and _binds(other.node, name)
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
        if logical and combining in (Kind.ADD, Kind.XOR, Kind.OR):
            return f"{mask} & {lanes.condition(update.term, mask)}"
        return f"{self.writer.language('where')}({mask}, {code}, {self._neutral(carried, value)})"

    def _neutral(self, carried: Carried, value: Value) -> str:
        """What changes nothing."""
        combining, tile = carried.combining, self.tiles[carried.name]
        floats = is_surely(self.proof.facts, value, FLOATS | {"float"})
        if combining in (Kind.ADD, Kind.XOR):
            return "0.0" if floats else "0"
        if combining in (Kind.AND, Kind.OR):
            neutral = int(combining is Kind.AND)
            return str(neutral if tile.dtype not in BOOLEANS else bool(neutral))
        if tile.dtype == "fp32" and tile.filler is not None:
            return number_code(float("-inf" if combining is Kind.MAX else "inf"))
        return tile.tile

    def _chosen(self, carried: Carried, update: LaneUpdate, mask: str) -> str:
        """The tile, in the lanes that take part, and as it was in the others."""
        tile = self.tiles[carried.name].tile
        node = update.step.node
        if update.condition is not None:
            if update.holds:
                mask = self._also(mask, update.condition)
            else:
                mask = f"{mask} & ~{self.lanes.condition(update.condition, mask)}"
        if isinstance(node, ast.AugAssign):
            new = f"{tile} {_SIGNS[type(node.op)]} {self.lanes.operand(update.term, mask)}"
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
            code = f"{operand}.to({self.writer.language(_LONG[dtype])})"
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
        """The mask of the lanes in which a condition holds too."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return " & ".join([mask, *self.lanes.conditions(test, mask)])
        return f"{mask} & {self.lanes.condition(test, mask)}"


def _binds(statement: ast.stmt, name: str) -> bool:
    return any(
        isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
        for n in walk(statement)
    )
