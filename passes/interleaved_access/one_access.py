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

from tritonopt.emit.code_edits import in_parentheses
from tritonopt.emit.statement_lists import StatementLists
from tritonopt.emit.unused_names import comments_on, unused_names
from tritonopt.emit.writing import NotExpressible, Writer, names_bound, reads_of
from tritonopt.facts import KernelFacts
from tritonopt.passes.interleaved_access.access_code import AccessCode
from tritonopt.passes.interleaved_access.contiguous_tile import ContiguousTile
from tritonopt.passes.interleaved_access.strided_groups import Group, Member
from tritonopt.source import Change, InsertBefore, Remove, Replace, ReplaceExpression
from tritonopt.source.trees import walk

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
    """Writes the changes for the groups of one kernel."""

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
        self._lists = StatementLists(self.facts.kernel.node)
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
        unused = unused_names(self.facts, self._lists, self._gone, self._replaced, self._new)
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
        """A statement with the access."""
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
