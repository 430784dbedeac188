"""Writing a group of loads, or of stores, as one access to all elements between them.

    pairs = 2 * pid * BLOCK + tl.arange(0, 2 * BLOCK)
    real_imag = tl.load(X + pairs, mask=pairs < 2 * n)
    real, imag = tl.split(tl.reshape(real_imag, (BLOCK, 2)))
    ...
    tl.store(Y + pairs, tl.interleave(real, -imag), mask=pairs < 2 * n)

The last axis of a reshaped tile goes over the elements of a lane; `tl.split` halves it, and
`tl.interleave` is its inverse. Four elements are split, and joined, in two steps.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tritonopt.emit.code_edits import StatementLists, comments_on, in_parentheses, unused_names
from tritonopt.emit.writing import NotExpressible, Writer, names_bound, reads_of
from tritonopt.facts import KernelFacts, Polynomial, Value
from tritonopt.facts.interpretation import Environment
from tritonopt.passes.interleaved_access.contiguous_tile import ContiguousTile, Limit, Term
from tritonopt.passes.interleaved_access.strided_groups import Group, Member
from tritonopt.source import Change, InsertBefore, Remove, Replace, ReplaceExpression
from tritonopt.source.editing.width import call_on_lines, line_width
from tritonopt.source.parsing import parsed
from tritonopt.source.trees import walk


class AccessCode:
    """Writes for one kernel. What has no name at the place it is written for is NotExpressible."""

    def __init__(self, facts: KernelFacts, writer: Writer) -> None:
        self.facts = facts
        self.writer = writer

    # Numbers

    def shape(self, tile: ContiguousTile) -> str:
        loaded = tile.group.members[0].effect.loaded
        if loaded is None or loaded.shape is None:
            raise NotExpressible(f"the shape of what {tile.group.lines} load is not known")
        forms, at = self.facts.forms, tile.group.at
        sizes = (self._number(forms.of(size), False, at) for size in loaded.shape)
        return ", ".join(map(_without_parentheses, sizes))

    def offsets(self, tile: ContiguousTile, at: ast.stmt) -> str:
        extent = self._times(tile.group.width, tile.group.lane.extent, at)
        arange = f"{self.writer.language('arange')}(0, {extent})"
        begin = self._begin(tile, at)
        return f"{_without_parentheses(begin)} + {arange}" if begin else arange

    def _begin(self, tile: ContiguousTile, at: ast.stmt) -> str:
        if tile.begin.is_zero:
            return ""
        try:
            return self._number(tile.begin, tile.wide, at)
        except NotExpressible:
            width = tile.group.width
            lanes = tile.begin * Fraction(1, width)
            try:
                return self._factor(width, self._number(lanes, tile.wide, at))
            except NotExpressible:
                parts = [Polynomial({m: f}) for m, f in lanes.sorted_terms]
                pieces = [self._factor(width, self._number(part, tile.wide, at)) for part in parts]
                return " + ".join(pieces)

    def _number(self, form: Polynomial, wide: bool, at: ast.stmt) -> str:
        """The text of a number of that form, of 64 bits where the original's may be."""
        constant = form.constant_value
        if constant is not None:
            return self.writer.find_form(form, {})
        environment = self.facts.before[at]
        nodes = [node for node in self.facts.values if isinstance(node, (ast.BinOp, ast.Call))]
        forms = self.facts.forms

        def wanted(value: Value) -> bool:
            return value.rank == 0 and value.dtype != "float" and forms.of(value) == form

        def wanted_wide(value: Value) -> bool:
            return value.dtype == "int64" and wanted(value)

        if wide:
            found = self.writer.find(wanted_wide, environment, nodes)
            if found is not None:
                return self.writer.operand(found)
        found = self.writer.find(wanted, environment, nodes)
        if found is None:
            raise NotExpressible(f"{form.readable} has no name in line {at.lineno}")
        text = self.writer.operand(found)
        return self._widened(text) if wide and self._is_narrow(found, environment) else text

    def _is_narrow(self, node: ast.expr, environment: Environment) -> bool:
        value = self.facts.values.get(node)
        if value is None and isinstance(node, ast.Name):
            value = environment.get(node.id)
        return value is not None and value.dtype in ("int32", "int16", "int8", "uint8")

    def _widened(self, text: str) -> str:
        return f"{self.writer.language('cast')}({text}, {self.writer.language('int64')})"

    def _times(self, width: int, form: Polynomial, at: ast.stmt) -> str:
        constant = (form * width).constant_value
        if constant is not None:
            return str(int(constant))
        return self._factor(width, self._number(form, False, at))

    @staticmethod
    def _factor(number: int, text: str) -> str:
        """The product, without parentheses around another product."""
        inside = parsed(text, mode="eval").body
        if isinstance(inside, ast.BinOp) and isinstance(inside.op, ast.Mult):
            text = _without_parentheses(text)
        return f"{number} * {text}"

    # An access: `offsets` is the name of the tile of offsets

    def _pointers(self, tile: ContiguousTile, offsets: str) -> str:
        form = self.facts.forms.of
        kept = (t for t in tile.kept if not form(self.facts.values[t.node]).is_zero)
        first, *others = sorted(kept, key=lambda term: term.factor < 0)
        text = self.writer.summand(first.node) if first.factor == 1 else self._term(first)
        for term in others:
            text += f" {'-' if term.factor < 0 else '+'} {self._term(term)}"
        return f"{text} + {self._indexed(tile, offsets)}"

    def _term(self, term: Term) -> str:
        number = abs(term.factor)
        if number == 1 and isinstance(term.node, ast.BinOp) and isinstance(term.node.op, ast.Mult):
            return self.writer.text(term.node)
        text = self.writer.operand(term.node)
        return text if number == 1 else f"{number} * {text}"

    def _indexed(self, tile: ContiguousTile, offsets: str) -> str:
        """The offsets along the last axis of as many as the pointers have."""
        pointer = tile.group.members[0].effect.pointer
        assert pointer is not None
        if pointer.rank is None:
            raise NotExpressible(f"the shape of the address in {tile.group.lines} is not known")
        if pointer.rank == 1:
            return offsets
        return f"{offsets}[{', '.join(['None'] * (pointer.rank - 1))}, :]"

    def mask(self, tile: ContiguousTile, offsets: str, at: ast.stmt) -> str:
        """Written for a statement; empty where there is none."""
        parts = []
        for limit in sorted(tile.limits, key=lambda limit: isinstance(limit, Limit)):
            if isinstance(limit, Limit):
                bound = self._bound(tile, limit, at)
                parts.append(f"{self._indexed(tile, offsets)} {limit.operation} {bound}")
            else:
                parts.append(self.writer.text(self._found(limit, at)))
        if len(parts) < 2:
            return "".join(parts)
        return " & ".join(map(in_parentheses, parts))

    def _bound(self, tile: ContiguousTile, limit: Limit, at: ast.stmt) -> str:
        form = self.facts.forms.of(limit.bound) + limit.further
        if form.constant_value is not None:
            return str(form.constant_value * tile.group.width)
        text = self.writer.operand(self._found(limit.bound, at))
        if limit.further:
            try:
                text = self._number(form, False, at)
            except NotExpressible:
                text = f"({text} + {limit.further})"
        if tile.wide and limit.bound.dtype != "int64":
            text = self._widened(text)
        return self._factor(tile.group.width, text)

    def _found(self, value: Value, at: ast.stmt) -> ast.expr:
        if isinstance(value.constant, int):
            return ast.Constant(value.constant)
        nodes = [node for node, known in self.facts.values.items() if known is value]
        found = self.writer.find(lambda v: v is value, self.facts.before[at], nodes)
        if found is None:
            raise NotExpressible(f"a part of the mask has no name in line {at.lineno}")
        return found

    def call(
        self, tile: ContiguousTile, offsets: str, mask: str, function: str, value: str = ""
    ) -> str:
        """The call of a function with those arguments, over several lines where it is long."""
        group = tile.group
        arguments = [self._pointers(tile, offsets)]
        if value:
            arguments.append(value)
        if mask:
            arguments.append(f"mask={mask}")
        environment = self.facts.before[group.at]
        for name in ("other", "cache_modifier", "eviction_policy"):
            given = [m.arguments[name] for m in group.members if name in m.arguments]
            same = [node for node in given if self.writer.means_the_same(node, environment)]
            if given and not same:
                raise NotExpressible(f"{name} has no name in line {group.at.lineno}")
            if given:
                arguments.append(f"{name}={self.writer.text(same[0])}")
        return self._laid_out(group.at, function, arguments)

    def _laid_out(self, at: ast.stmt, function: str, arguments: Sequence[str]) -> str:
        width = line_width(self.facts.kernel.module) - at.col_offset
        line = f"{function}({', '.join(arguments)})"
        if len(line) <= width:
            return line
        apart = [_over_lines(argument, width) for argument in arguments]
        return call_on_lines(function, apart if apart != list(arguments) else arguments, width)


def _over_lines(text: str, width: int) -> str:
    """An argument; a call that is too long for a line has one for each of its own arguments."""
    call = parsed(text, mode="eval").body if "=" not in text else None
    if len(text) <= width - len("    ,") or not isinstance(call, ast.Call):
        return text
    function, *arguments = (ast.get_source_segment(text, n) or "" for n in (call.func, *call.args))
    return call_on_lines(function, arguments, 0, "    ")


def _without_parentheses(text: str) -> str:
    """The code of an expression without parentheses around all of it."""
    if text[0] == "(" and text[-1] == ")":
        try:
            parsed(text[1:-1], mode="eval")
        except SyntaxError:
            return text
        return text[1:-1]
    return text


_NAMES = {2: "pairs", 4: "quads"}
_PARTS = {2: ("even", "odd"), 4: ("first", "second", "third", "fourth")}
_LONGEST = 60
"""Characters of what is stored, that are written into the one store."""


@dataclass(eq=False)
class _Offsets:
    """A contiguous tile of offsets, for one group or several."""

    tile: ContiguousTile
    at: ast.stmt
    """The statement that it is computed before."""
    name: str
    code: str
    masks: dict[str, str] = field(default_factory=dict)
    """Masks that several accesses share, and what they are called."""


@dataclass
class OneAccess:
    facts: KernelFacts
    writer: Writer
    _offsets: list[_Offsets] = field(default_factory=list)
    _gone: set[ast.AST] = field(default_factory=set)
    """What the kernel's own text loses."""
    _replaced: set[ast.stmt] = field(default_factory=set)
    """The statements among it that have others in their place."""
    _new: list[str] = field(default_factory=list)
    """The code that it gets."""

    def __post_init__(self) -> None:
        self._lists = StatementLists(self.facts)
        self._code = AccessCode(self.facts, self.writer)

    def changes(self, tiles: Sequence[ContiguousTile]) -> list[Change]:
        """Raises Declined where something has no name."""
        sharing = [(tile, self._offsets_for(tile)) for tile in tiles]
        for offsets in self._offsets:
            self._name_masks(offsets, [tile for tile, its in sharing if its is offsets])
        found: list[Change] = []
        for offsets in self._offsets:
            masks = [f"{name} = {mask}" for mask, name in offsets.masks.items()]
            code = "\n".join([f"{offsets.name} = {offsets.code}", *masks])
            self._new.append(code)
            found.append(InsertBefore(offsets.at, code))
        for tile, offsets in sharing:
            write = self._load if tile.group.is_load else self._store
            found += write(tile, offsets)
        unused = unused_names(self.facts, self._gone, self._replaced, self._new)
        return [*found, *unused]

    def _name_masks(self, offsets: _Offsets, tiles: Sequence[ContiguousTile]) -> None:
        """A mask of several accesses is computed once, where it can be: with the offsets."""
        written = [self._code.mask(tile, offsets.name, tile.group.at) for tile in tiles]
        for tile, mask in zip(tiles, written, strict=True):
            if not mask or mask in offsets.masks or written.count(mask) == 1:
                continue
            try:
                above = self._code.mask(tile, offsets.name, offsets.at)
            except NotExpressible:
                continue
            if above == mask:
                offsets.masks[mask] = self.writer.fresh(f"{offsets.name}_mask")

    # The tile of offsets

    def _offsets_for(self, tile: ContiguousTile) -> _Offsets:
        """Computed where all groups that share it see it."""
        at = tile.group.at
        for offsets in self._offsets:
            known = offsets.tile
            if (known.begin, known.group.lane, known.group.width, known.wide) != (
                *(tile.begin, tile.group.lane, tile.group.width, tile.wide),
            ):
                continue
            place = self._lists.common(offsets.at, at)
            guarded = (self._lists.is_guarded(each, below=place) for each in (offsets.at, at))
            if all(guarded) and not self._has_extent(tile, place):
                continue  # where no branch is taken, there may be no such extent
            if place is not offsets.at:
                try:
                    offsets.code = self._code.offsets(tile, place)
                except NotExpressible:
                    continue
                offsets.at = place
            return offsets
        width = tile.group.width
        code = self._code.offsets(tile, at)
        offsets = _Offsets(tile, at, self.writer.fresh(_NAMES[width]), code)
        self._offsets.append(offsets)
        return offsets

    def _has_extent(self, tile: ContiguousTile, place: ast.stmt) -> bool:
        """Whether there is a tile of that many lanes already."""
        known = self.facts.before[place].values()
        return any(
            tile.group.lane in self.facts.forms.of(value).leaves() for value in known if value.rank
        )

    def _call(
        self, tile: ContiguousTile, offsets: _Offsets, before: str, function: str, value: str = ""
    ) -> str:
        mask = self._code.mask(tile, offsets.name, tile.group.at)
        mask = offsets.masks.get(mask, mask)
        function = before + self.writer.language(function)
        return self._code.call(tile, offsets.name, mask, function, value)

    # Loads

    def _load(self, tile: ContiguousTile, offsets: _Offsets) -> Iterator[Change]:
        group = tile.group
        names = [
            self._target(group, member) or self.writer.fresh(name)
            for member, name in zip(group.members, _PARTS[group.width], strict=True)
        ]
        going = [
            isinstance(m.statement, ast.Assign)
            and m.statement.value is m.call
            and names_bound(m.statement) == {name}
            for m, name in zip(group.members, names, strict=True)
        ]
        whole = self.writer.fresh(_joined(names))
        shape = self._code.shape(tile)
        behind = [
            comments_on(self.facts, member.statement)
            for member, goes in zip(group.members, going, strict=True)
            if goes and member.statement is not group.at
        ]
        lines = [self._call(tile, offsets, f"{whole} = ", "load"), *filter(None, behind)]
        split, reshape = self.writer.language("split"), self.writer.language("reshape")
        if group.width == 2:
            lines.append(f"{', '.join(names)} = {split}({reshape}({whole}, ({shape}, 2)))")
        else:
            even, odd = self.writer.fresh("even"), self.writer.fresh("odd")
            lines.append(f"{even}, {odd} = {split}({reshape}({whole}, ({shape}, 2, 2)))")
            lines.append(f"{names[0]}, {names[2]} = {split}({even})")
            lines.append(f"{names[1]}, {names[3]} = {split}({odd})")
        code = "\n".join(lines)
        self._new.append(code)
        if going[group.members.index(group.in_order[0])]:
            self._gone.update(walk(group.at))
            self._replaced.add(group.at)
            yield Replace(group.at, code)
        else:
            yield InsertBefore(group.at, code)
        for member, goes, name in zip(group.members, going, names, strict=True):
            if not goes:
                self._gone.update(walk(member.call))
                yield ReplaceExpression(member.call, name)
            elif member.statement is not group.at:
                self._gone.update(walk(member.statement))
                yield Remove(member.statement)

    def _target(self, group: Group, member: Member) -> str:
        """The name that its statement binds, if it can be bound with the first load already."""
        statement = member.statement
        if not isinstance(statement, ast.Assign):
            return ""
        if len(statement.targets) != 1 or not isinstance(statement.targets[0], ast.Name):
            return ""
        name = statement.targets[0].id
        if sum(name in names_bound(other.statement) for other in group.members) > 1:
            return ""
        first, last = (group.block.index(s) for s in (group.at, statement))
        others = (s for s in group.block[first:last] if s is not statement)
        if any(reads_of(s, name) or name in names_bound(s) for s in others):
            return ""
        reads = set(reads_of(statement.value, name)) - set(walk(member.call))
        return "" if reads else name

    # Stores

    def _store(self, tile: ContiguousTile, offsets: _Offsets) -> Iterator[Change]:
        group = tile.group
        environment = self.facts.before[group.at]
        values: list[str] = []
        bound: dict[Member, str] = {}
        texts = [self.writer.text(member.arguments["value"]) for member in group.members]
        short = sum(map(len, texts)) <= _LONGEST
        for member, name in zip(group.members, _PARTS[group.width], strict=True):
            node = member.arguments["value"]
            stays = member.statement is group.at or self.writer.means_the_same(node, environment)
            if stays and (short or isinstance(node, ast.Name)):
                text = self.writer.text(node)
            else:
                bound[member] = text = self.writer.fresh(name)
            values.append(f"{in_parentheses(text)}.to({tile.cast})" if tile.cast else text)
        interleave = self.writer.language("interleave")
        if group.width == 2:
            value = f"{interleave}({values[0]}, {values[1]})"
        else:
            halves = [f"{interleave}({values[i]}, {values[i + 2]})" for i in (0, 1)]
            value = f"{interleave}({', '.join(halves)})"
        comments = [
            comments_on(self.facts, m.statement) for m in group.in_order[:-1] if m not in bound
        ]
        code = "\n".join([*filter(None, comments), self._call(tile, offsets, "", "store", value)])
        self._new.append(code)
        for member in group.in_order:
            self._gone.update(walk(member.statement))
            lines = []
            if member in bound:
                lines.append(f"{bound[member]} = {self.writer.text(member.arguments['value'])}")
                self._new += lines
            if member.statement is group.at:
                lines.append(code)
            if lines:
                self._replaced.add(member.statement)
                yield Replace(member.statement, "\n".join(lines))
            else:
                yield Remove(member.statement)


def _joined(names: Sequence[str]) -> str:
    """`x_real_imag`, of `x_real` and `x_imag`."""
    prefix = os.path.commonprefix(names)
    prefix = prefix[: prefix.rfind("_") + 1]
    return prefix + "_".join(name.removeprefix(prefix) for name in names)
