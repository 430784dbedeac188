"""Tiles as long as the row, at each launch: of every row, or up to a length beyond which the loops
are kept.

block = triton.next_power_of_2(max(n, 16)) if n <= 32768 else 1024
num_warps = min(max(block // 512, 4), 16)
kernel[(m,)](x, y, n, BLOCK=block, num_warps=num_warps)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import unknown
from tritonopt.emit.any_length import prove_any_length
from tritonopt.emit.empty_rows import is_positive_at
from tritonopt.emit.sweeps import RowSweeps
from tritonopt.emit.writing import NotExpressible
from tritonopt.facts import KernelFacts, Polynomial
from tritonopt.facts.algebra.atoms import CeilDiv, Maximum, Param
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.turns import is_at_most
from tritonopt.facts.assumptions import Assumption
from tritonopt.facts.host.launcher_code import bindings_of, evaluation_at, forms_at
from tritonopt.launches.known_launches import check_builtin
from tritonopt.launches.launch_grids import new_name, scope_at
from tritonopt.launches.plan import LaunchPlan
from tritonopt.launches.planned_launch import PlannedLaunch
from tritonopt.passes.one_tile.question import spelled
from tritonopt.source import AddArgument, Change, InsertAfter, InsertBefore, ReplaceExpression
from tritonopt.source.launches import Launch
from tritonopt.source.trees import walk

_CHOOSING = frozenset({"triton.autotune", "triton.heuristics"})
_FEW_WARPS = 2048
"""Elements of a tile for which the 4 warps of every launch were measured to be best."""


@dataclass(frozen=True)
class Raised:
    """The launches, with tiles that follow the row."""

    changes: tuple[Change, ...]
    is_exact: bool
    longest: int
    """The rows that get a tile of their length."""


def raise_tiles(sweeps: RowSweeps, longest: int, attempt: Attempt, *, longer_rows: bool) -> Raised:
    """Tiles for rows of up to a length; with `longer_rows` the others keep the tile they have.

    Raises Declined, or NotExpressible where a launch cannot be written so.
    """
    facts = sweeps.facts
    tiles = sweeps.count.sole_atom if sweeps.count is not None else None
    assert isinstance(tiles, CeilDiv)
    extent, tile = tiles.arguments
    assert isinstance(extent, Polynomial) and isinstance(tile, Polynomial)
    given: list[Assumption] = []
    if not longer_rows:
        _check_bound(facts, extent, tile, longest, given)
    length = tile.sole_atom
    if not isinstance(length, Param):
        detail = f"the length of a tile, {tile.readable}, is no argument of the launch"
        raise unknown("length-is-known-at-the-launch", "length-is-computed", detail)
    LaunchPlan.of(facts, attempt, apart=True)
    _check_launches(facts, length.name)
    proof = prove_any_length(sweeps, extent, tile)
    attempt.prove(
        "length-is-known-at-the-launch", "nothing but sums and extremes is left of the tiles"
    )
    longest = _room(longest, proof.kept)
    few_warps = False
    if not longer_rows:
        _check_bound(facts, extent, tile, longest, given)
        attempt.prove("rows-can-be-lifted", f"no row has more than {longest} elements", given)
        few_warps = _is_bounded(facts, extent, _FEW_WARPS, [])
    changes: dict[Change, None] = {}
    for launch in facts.launches.launches:
        kept = longest if longer_rows else None
        bindings = [b for b in facts.launches.bindings if b.launch == launch]
        some = bool(bindings) and all(is_positive_at(extent, binding) for binding in bindings)
        raising = _Raising(launch, extent, length.name, kept, few_warps, some)
        changes.update(dict.fromkeys(raising.changes()))
    attempt.prove("length-is-known-at-the-launch", "each knows the length of the row")
    return Raised(tuple(changes), proof.is_exact, longest)


def _check_bound(
    facts: KernelFacts, extent: Polynomial, tile: Polynomial, most: int, given: list[Assumption]
) -> None:
    """Raises Declined where a row may be longer than the longest tile."""
    if most and _is_bounded(facts, extent, most, given):
        return
    row, held = extent.readable, tile.readable
    longer = f", or --assume '{row} <= {most}' and it raises the tile" if most else ""
    detail = (
        f"a row may have more than the {held} elements of a tile; where none has, give "
        f"--assume '{row} <= {held}'{longer}; or tune with your shapes"
    )
    raise unknown("rows-can-be-lifted", "row-may-be-longer", detail)


def _is_bounded(facts: KernelFacts, extent: Polynomial, most: int, given: list[Assumption]) -> bool:
    launches = facts.launches.launches
    return bool(launches) and all(is_at_most(facts, extent, most, x, given) for x in launches)


def _room(longest: int, kept: int) -> int:
    """The longest row where several tiles stay in registers: half as much again for all of them."""
    return longest if kept <= 1 else 2 ** (3 * longest // (2 * kept)).bit_length() // 2


def _check_launches(facts: KernelFacts, tile: str) -> None:
    claim = "length-is-known-at-the-launch"
    if _CHOOSING & set(facts.kernel.decorators):
        detail = f"a decorator of the kernel may choose {tile}, or something that goes with it"
        raise unknown(claim, "tile-is-not-passed", detail)
    for launch in facts.launches.launches:
        if tile not in launch.arguments:
            detail = f"the launch in {launch.where} does not show what it passes for {tile}"
            raise unknown(claim, "arguments-are-not-seen", detail)
        if launch.arguments[tile] in launch.apart:
            detail = f"the launch in {launch.where} passes {tile} in a dict or tuple"
            raise unknown(claim, "arguments-are-not-seen", f"{detail}: pass it by its name")
        warps = launch.options.get("num_warps")
        if warps is None and launch.hides_options:
            detail = f"the launch in {launch.where} may have a number of warps in **"
            raise unknown(claim, "arguments-are-not-seen", detail)
        if warps is not None and not isinstance(warps, ast.Constant):
            detail = f"the launch in {launch.where} computes its number of warps"
            raise unknown(claim, "not-tunable", detail)
        if not _is_tuple(launch):
            detail = f"the grid of the launch in {launch.where} may be computed from {tile}"
            raise unknown(claim, "grid-depends-on-the-configuration", detail)


def _is_tuple(launch: Launch) -> bool:
    """Whether the grid is no function of the arguments."""
    grid: ast.expr | None = launch.grid
    if isinstance(grid, ast.Name):
        bound = scope_at(launch).bindings.get(grid.id, [])
        grid = bound[0] if len(bound) == 1 and isinstance(bound[0], ast.expr) else None
    return isinstance(grid, (ast.Tuple, ast.List))


@dataclass(frozen=True)
class _Raising:
    """One launch."""

    launch: Launch
    extent: Polynomial
    tile: str
    longest: int | None
    """Rows of up to so many elements are held; None for all rows."""
    few_warps: bool
    """Whether no tile takes more warps than a launch has by default."""
    has_elements: bool
    """Whether no row is empty."""

    @property
    def _given(self) -> ast.expr:
        return self.launch.arguments[self.tile]

    @cached_property
    def row(self) -> RowLength:
        return RowLength(self.launch, self.extent)

    @cached_property
    def _own(self) -> ast.Assign | None:
        """The statement that binds the tile's length, for launches of this kernel alone."""
        found = PlannedLaunch(self.launch).own_binding(self._given)
        return found if found in PlannedLaunch(self.launch).before else None

    def changes(self) -> Iterator[Change]:
        launch, place = self.launch, PlannedLaunch(self.launch).statement
        for name in ("min", "max"):
            check_builtin(launch, name)
        own = self._own if self._is_known_at(self._own) else None
        anchor = place if own is None else own
        given = self._given if own is None else own.value
        length = self.row.text
        if self.longest is not None and not length.isidentifier():
            name = new_name("length", launch)
            yield InsertBefore(anchor, f"{name} = {length}")
            length = name
        code = self._grown(given, length)
        if self.longest is None:
            self._check_pure(given)
        else:
            code += f" if {length} <= {self.longest} else {self._kept(given, self.longest)}"
        if own is not None:
            assert isinstance(self._given, ast.Name)
            block = self._given.id
            yield ReplaceExpression(given, code)
        elif self.few_warps:
            yield ReplaceExpression(given, code)
            return
        else:
            block = new_name(self.tile.lower(), launch)
            yield InsertBefore(place, f"{block} = {code}")
            yield ReplaceExpression(given, block)
        if not self.few_warps:
            yield from self._warped(block, own)

    def _warped(self, block: str, own: ast.Assign | None) -> Iterator[Change]:
        """As many warps as were measured to be best for a tile of that length."""
        launch, place = self.launch, PlannedLaunch(self.launch).statement
        warps = launch.options.get("num_warps")
        name = "num_warps"
        if warps is None:
            name = new_name(name, launch)
        elif name in scope_at(launch).bindings:
            raise NotExpressible(f"line {launch.call.lineno} has another meaning of {name}")
        code = f"{name} = min(max({block} // 512, 4), 16)"
        yield InsertAfter(own, code) if own is not None else InsertBefore(place, code)
        if warps is None:
            yield AddArgument(launch.call, f"num_warps={name}")
        else:
            yield ReplaceExpression(warps, name)

    def _is_known_at(self, own: ast.Assign | None) -> bool:
        """Whether the length of the row is what it is at the launch where the tile's is bound."""
        if own is None:
            return False
        evaluation = evaluation_at(self.launch)
        between = [s for s in PlannedLaunch(self.launch).before if s.lineno >= own.lineno]
        return all(
            argument is not None and evaluation.gives_the_same(argument, between)
            for argument in self.row.arguments.values()
        )

    def _grown(self, given: ast.expr, length: str) -> str:
        """A tile for the row, as the launcher says it already where it does."""
        for node in walk(given):
            if self._follows_row(node):
                assert isinstance(node, ast.Call)
                least = node.args[0]
                text = self.launch.module.text_of(node)
                if self.row.text == length:
                    return text
                if isinstance(least, ast.Call):
                    numbers = [ast.unparse(a) for a in least.args if isinstance(a, ast.Constant)]
                    return f"{ast.unparse(node.func)}(max({length}, {numbers[0]}))"
        lanes = length if self.has_elements else f"max({length}, {LEAST})"
        return f"{self.row.next_power}({lanes})"

    def _follows_row(self, node: ast.AST) -> bool:
        """Whether it is the next power of two of the length of the row, or of one at least."""
        module = self.launch.module
        if not isinstance(node, ast.Call) or module.resolve(node.func) != NEXT:
            return False
        worlds = [w for w in bindings_of(self.launch) if node.args and not node.keywords]
        if not worlds:
            return False
        length = substitute(self.extent, worlds[0])
        form = forms_at(self.launch)(node.args[0])
        atom = form.sole_atom
        return form == length or (
            isinstance(atom, Maximum)
            and length in atom.inside
            and any((other.constant_value or 0) > 0 for other in atom.inside)
        )

    def _kept(self, given: ast.expr, longest: int) -> str:
        """The tile for longer rows."""
        module = self.launch.module
        match given:
            case ast.Call(args=[one, other], keywords=[]) if module.builtin(given.func) == "min":
                for most, grows in ((one, other), (other, one)):
                    number = most.value if isinstance(most, ast.Constant) else None
                    small = isinstance(number, int) and number <= longest
                    if small and self._follows_row(grows):
                        return str(number)
        self._check_pure(given)
        return module.text_of(given)

    def _check_pure(self, given: ast.expr) -> None:
        if not evaluation_at(self.launch).is_pure(given):
            raise NotExpressible(f"line {given.lineno} does more than compute {self.tile}")


LEAST = 16
"""Elements of the shortest tile that is written: an empty row has one too."""
NEXT = "triton.next_power_of_2"


@dataclass(frozen=True)
class RowLength:
    """The length of a row at one launch."""

    launch: Launch
    extent: Polynomial
    """In parameters of the kernel."""

    @cached_property
    def text(self) -> str:
        """The length as the launch passes it. Raises NotExpressible."""
        texts: dict[str, str] = {}
        evaluation = evaluation_at(self.launch)
        for name, argument in self.arguments.items():
            if argument is None or not evaluation.is_pure(argument):
                line = self.launch.call.lineno
                raise NotExpressible(f"line {line} computes what it passes for {name}")
            text = ast.unparse(argument)
            alone = self.extent == Polynomial.of(Param(name))
            whole = isinstance(argument, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
            texts[name] = text if whole or alone else f"({text})"
        return spelled(self.extent, texts)

    @property
    def arguments(self) -> Mapping[str, ast.expr | None]:
        """What the length is made of."""
        names = [str(atom.arguments[0]) for atom in self.extent.atoms]
        return {name: self.launch.arguments.get(name) for name in names}

    @property
    def next_power(self) -> str:
        """What the file calls `triton.next_power_of_2`. Raises NotExpressible."""
        names, scope = self.launch.module.names, scope_at(self.launch)
        for name in names.module.bindings:
            resolved = names.resolve_name(name, scope)
            if resolved == "triton":
                return f"{name}.next_power_of_2"
            if resolved == NEXT:
                return name
        line = self.launch.call.lineno
        raise NotExpressible(f"line {line} has no name for {NEXT}")
