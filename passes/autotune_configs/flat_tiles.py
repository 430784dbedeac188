"""Tiles that divide a flat range of elements among programs: any length does the same.

`offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)`, under `offsets < N`, in a grid of
`triton.cdiv(N, BLOCK)` programs. What a lane computes depends on its place in the range alone, and
all places below N are somebody's.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property

from tritonopt.checks.condition import Declined, unknown
from tritonopt.facts import EffectKind, KernelFacts, Polynomial, Value
from tritonopt.facts.algebra.atoms import CeilDiv, Lane, Negative, NumPrograms, Param, ProgramId
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.polynomial import ZERO
from tritonopt.facts.effects import Effect
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.memory.dependence import Kind, same_place
from tritonopt.facts.operations import ELEMENTWISE, Op
from tritonopt.launches.launch_grids import GridNotReadable, read_extent
from tritonopt.passes.autotune_configs.untuned_launches import tile_at
from tritonopt.source import Change, Launch, ReplaceExpression
from tritonopt.source.trees import walk

_CLAIM = "length-is-known-at-the-launch"
_PLACE = Param("(place in the range)")
"""What no parameter is called."""
_FIRST_AXIS = ProgramId(ZERO)
_PROGRAMS = NumPrograms(ZERO)
_GIVEN = frozenset({Op.CONST, Op.PARAM, Op.CONSTEXPR, Op.GLOBAL, Op.DTYPE, Op.LOAD})
_LANE_BY_LANE = ELEMENTWISE | {Op.FULL, Op.BROADCAST_TO, Op.BOTH, Op.EITHER}


@dataclass(frozen=True)
class FlatTile:
    """The length of such a tile, and the changes of each grid."""

    name: str
    lengths: frozenset[int]
    grids: dict[Launch, tuple[Change, ...]]


def flat_tile(facts: KernelFacts) -> FlatTile:
    """Raises Declined, or TooLarge, where a program's tile is to stay as long as it is."""
    lanes = {
        leaf
        for effect in facts.effects
        if effect.pointer is not None
        for leaf in facts.forms.of(effect.pointer).leaves()
        if isinstance(leaf, Lane)
    }
    tiles = {lane.extent.sole_atom for lane in lanes if lane.axis == 0}
    tile = tiles.pop() if len(tiles) == 1 else None
    if facts.loops or len(lanes) != 1 or not isinstance(tile, Param):
        raise _stays("the kernel is neither one loop over a row nor one tile of a range")
    checked = _Flat(facts, tile)
    checked.check()
    lengths: set[int] = set()
    grids: dict[Launch, tuple[Change, ...]] = {}
    for launch in facts.launches.launches:
        number, grids[launch] = checked.launched(launch)
        lengths.add(number)
    return FlatTile(tile.name, frozenset(lengths), grids)


def _stays(detail: str) -> Declined:
    return unknown(_CLAIM, "length-matters", detail)


@dataclass(frozen=True)
class _Flat:
    facts: KernelFacts
    tile: Param

    def check(self) -> None:
        accesses = [e for e in self.facts.effects if e.kind is not EffectKind.EXIT]
        for effect in self.facts.effects:
            self._check_effect(effect)
        for store in (e for e in accesses if e.writes):
            assert store.pointer is not None
            step = self._placed(store.pointer) - Polynomial.of(_PLACE)
            if _PLACE in set(step.leaves()):
                raise _stays(f"line {store.line} may store to one element in two lanes")
            for other in accesses:
                same = same_place(self.facts, store, other).kind is Kind.OWN
                if not same and self.facts.may_alias(store, other):
                    lines = f"lines {other.line} and {store.line}"
                    raise _stays(f"{lines} may access one element in different lanes")

    def _check_effect(self, effect: Effect) -> None:
        where = f"line {effect.line}"
        if effect.kind not in (EffectKind.LOAD, EffectKind.STORE) or effect.volatile:
            raise _stays(f"what {where} does may depend on the tile")
        parts = [p for p in (effect.pointer, effect.other, effect.stored) if p is not None]
        conditions = [guard.condition for guard in effect.guards]
        if not all(map(self._is_of_the_place, (*parts, *conditions))):
            raise _stays(f"what {where} does may depend on the tile")
        if any(condition.shape != () for condition in conditions) or effect.pointer is None:
            raise _stays(f"whether {where} runs may depend on the tile")
        if _PLACE not in set(self._placed(effect.pointer).leaves()):
            if effect.kind is EffectKind.STORE:
                raise _stays(f"{where} stores to one element in each tile")
            return
        if self._bound(effect) != self._end:
            raise _stays(f"{where} is not masked off past the end of the range")

    @cached_property
    def _end(self) -> Polynomial | None:
        """Where the range ends, by the masks."""
        ends = {self._bound(effect) for effect in self.facts.effects} - {None}
        return ends.pop() if len(ends) == 1 else None

    def _bound(self, effect: Effect) -> Polynomial | None:
        """N of a mask that is off for all places from N on."""
        if effect.mask is None or effect.mask.is_none or effect.pointer is None:
            return None
        mask = self.facts.forms.condition(effect.mask)
        if not self._is_placed(self._substituted(mask)):
            return None
        ends = [
            {
                Polynomial.of(_PLACE) - self._substituted(a.form)
                for a, _ in m
                if isinstance(a, Negative)
            }
            for m in mask.terms
        ]
        common = set.intersection(*ends) if ends else set()
        found = [end for end in common if isinstance(end.sole_atom, Param) and end != self._length]
        return found[0] if len(found) == 1 and _PLACE not in set(found[0].leaves()) else None

    @property
    def _length(self) -> Polynomial:
        return Polynomial.of(self.tile)

    def _placed(self, value: Value) -> Polynomial:
        return self._substituted(self.facts.forms.of(value))

    def _substituted(self, form: Polynomial) -> Polynomial:
        """In terms of the place in the range."""
        place = Polynomial.of(_PLACE) - self._length * Polynomial.of(_FIRST_AXIS)
        launch = self.facts.launches.launches[0]
        return substitute(form, LaunchBinding(launch, {Lane(self._length, 0): place}))

    def _is_placed(self, form: Polynomial) -> bool:
        """Whether a form has neither the program, nor how many there are, nor lane and length."""
        own = (self.tile, _FIRST_AXIS, _PROGRAMS)
        return not any(isinstance(leaf, Lane) or leaf in own for leaf in form.leaves())

    def _is_of_the_place(self, value: Value) -> bool:
        todo, seen = [value], set()
        while todo:
            part = todo.pop()
            if part in seen or self._is_placed(self._placed(part)):
                continue
            seen.add(part)
            if part.op in _GIVEN and part.name != self.tile.name:
                todo += [] if part.op is not Op.LOAD else part.operands
            elif part.op in _LANE_BY_LANE and (part.rank or 0) <= 1:
                todo += part.operands
            else:
                return False
        return True

    # Launches

    def launched(self, launch: Launch) -> tuple[int, tuple[Change, ...]]:
        """The length that a launch passes, and what changes in its grid. Raises Declined."""
        try:
            extent = read_extent(launch, 0)
        except GridNotReadable as why:
            raise _stays(f"the launch in {launch.where}: {why}") from None
        expression = extent.expression
        number = tile_at(launch, self.tile.name, also=expression)
        if number is None or expression is None:
            raise _stays(f"the launch in {launch.where} uses the tile's length for something else")
        for binding in self.facts.launches.bindings:
            if binding.launch is launch and not self._covers(binding, number):
                raise _stays(f"the grid of the launch in {launch.where} is not made of the tile")
        if not self.facts.launches.bindings:
            raise _stays(f"the grid of the launch in {launch.where} is not understood")
        match expression:
            case ast.Call(func=function, args=[_, divisor], keywords=[]):
                is_cdiv = launch.module.resolve(function) == "triton.cdiv"
            case _:
                is_cdiv = False
        names = {n.id for n in walk(launch.launcher or launch.call) if isinstance(n, ast.Name)}
        if not is_cdiv or (not extent.meta and (extent.name or "meta" in names)):
            raise _stays(f"the grid of the launch in {launch.where} is no function of the tile")
        if extent.meta:
            asked = f"{extent.meta}[{self.tile.name!r}]"
            if ast.unparse(divisor) != asked:
                raise _stays(f"the grid of the launch in {launch.where} does not ask for the tile")
            return number, ()
        asks = {divisor: f'meta["{self.tile.name}"]'}
        code = f"lambda meta: {launch.module.text_with(launch.grid, asks)}"
        return number, (ReplaceExpression(launch.grid, code),)

    def _covers(self, binding: LaunchBinding, number: int) -> bool:
        """Whether the programs are as many as tiles that the range has."""
        programs = binding.grid[0].sole_atom if binding.grid and binding.grid[0] else None
        if not isinstance(programs, CeilDiv) or self._end is None:
            return False
        extent, tile = programs.arguments
        assert isinstance(extent, Polynomial) and isinstance(tile, Polynomial)
        return tile.constant_value == number and extent == substitute(self._end, binding)
