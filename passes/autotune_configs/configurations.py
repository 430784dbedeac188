"""What a tuner may choose from: tiles where the kernel computes the same with each, and warps."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

from tritonopt.checks.attempt import Attempt
from tritonopt.checks.condition import Declined, refuted, unknown
from tritonopt.emit.any_length import prove_any_length
from tritonopt.emit.sweeps import RowSweeps
from tritonopt.emit.writing import NotExpressible
from tritonopt.facts import EffectKind, KernelFacts, Polynomial, Value
from tritonopt.facts.algebra.atoms import (
    CeilDiv,
    Iteration,
    Lane,
    Negative,
    NumPrograms,
    Param,
    ProgramId,
)
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.polynomial import ZERO, TooLarge
from tritonopt.facts.effects import Effect
from tritonopt.facts.language import MATRIX
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.memory.dependence import Kind, same_place
from tritonopt.facts.operations import ELEMENTWISE, Op
from tritonopt.facts.values import reachable
from tritonopt.launches.launch_grids import GridNotReadable, read_extent
from tritonopt.launches.plan import LaunchPlan, PlannedLaunch
from tritonopt.source import Change, Launch, Remove, ReplaceArgument, ReplaceExpression
from tritonopt.source.decorators import JIT
from tritonopt.source.launches import places
from tritonopt.source.trees import walk

_TILES = ((512, (2, 4)), (1024, (4, 8)), (2048, (4, 8)), (4096, (8, 16)), (8192, (16,)))
"""Lengths of a tile, each with the warps that hold 4 to 32 elements of it a thread."""
_WARPS = (2, 4, 8, 16)
_WARPS_OF_PRODUCTS, _STAGES = (4, 8), (2, 3, 4)
_USUAL_WARPS = 4
_PLACES = (Iteration, Lane, NumPrograms, Param, ProgramId)


@dataclass(frozen=True)
class FreeTile:
    """A parameter that is the length of a tile, and that a tuner may choose."""

    name: str
    lengths: frozenset[int]
    """What the launches pass today."""
    is_exact: bool
    """Whether no floats are added up in another order with it."""
    grids: Mapping[Launch, tuple[Change, ...]] = field(default_factory=dict)
    """What changes in the grid of a launch, whose programs are as many as tiles."""


def free_tile(facts: KernelFacts) -> FreeTile:
    """The length of the tiles of a row or a range. Raises Declined where it is to stay."""
    if not facts.loops:
        flat = flat_tile(facts)
        return FreeTile(flat.name, flat.lengths, True, flat.grids)
    claim = "length-is-known-at-the-launch"
    loops = tuple(facts.loops)
    count = facts.forms.trip_count(loops[0])
    tiles = count.sole_atom if count is not None else None
    if not isinstance(tiles, CeilDiv):
        raise unknown(claim, "length-matters", "no loop runs over the tiles of a row")
    extent, tile = tiles.arguments
    assert isinstance(extent, Polynomial) and isinstance(tile, Polynomial)
    length = tile.sole_atom
    if not isinstance(length, Param):
        detail = f"the length of a tile, {tile.readable}, is not an argument of the launch"
        raise unknown(claim, "length-is-computed", detail)
    lengths = set()
    for launch in facts.launches.launches:
        number = tile_at(launch, length.name)
        if number is None:
            detail = (
                f"the launch in {launch.where} does not pass a number for {length.name} by "
                "keyword, or also uses it elsewhere"
            )
            raise unknown(claim, "length-is-computed", detail)
        lengths.add(number)
    sweeps = RowSweeps(facts, facts.kernel.node, "body", loops, one_turn=False)
    proof = prove_any_length(sweeps, extent, tile)
    return FreeTile(length.name, frozenset(lengths), proof.is_exact)


def configurations(facts: KernelFacts, tile: FreeTile | None) -> list[str]:
    """Code for each: first what the launches say today, then what may be better."""
    launches = facts.launches.launches
    today = options_of(launches[0])
    found: dict[tuple[int | None, int, int | None], None] = {}
    warps, stages = today.get("num_warps", _USUAL_WARPS), today.get("num_stages")
    for length in sorted(tile.lengths) if tile is not None else (None,):
        found[length, warps, stages] = None
    if tile is not None:
        for length, several in _TILES:
            found.update(dict.fromkeys((length, number, stages) for number in several))
    elif _multiplies(facts):
        for depth in _STAGES:
            found.update(dict.fromkeys((None, number, depth) for number in _WARPS_OF_PRODUCTS))
    else:
        found.update(dict.fromkeys((None, number, stages) for number in _WARPS))
    always = {"num_ctas": today["num_ctas"]} if "num_ctas" in today else {}
    name = tile.name if tile is not None else ""
    return [_code(name, length, number, several, always) for length, number, several in found]


def _code(
    name: str, length: int | None, warps: int, stages: int | None, always: Mapping[str, int]
) -> str:
    chosen = "{}" if length is None else f'{{"{name}": {length}}}'
    options = {"num_warps": warps, **({} if stages is None else {"num_stages": stages}), **always}
    return ", ".join([chosen, *(f"{option}={number}" for option, number in options.items())])


def _multiplies(facts: KernelFacts) -> bool:
    """Whether a loop has a matrix product, whose loads are pipelined."""
    products = (
        v for v in reachable(facts.values.values()) if v.op is Op.RESHAPED and v.function in MATRIX
    )
    return bool(facts.loops) and any(products)


def deciding_sizes(facts: KernelFacts, tuned: Sequence[str]) -> list[str]:
    """Parameters on which it depends how much a program does: they bound loops, or lanes."""
    forms = _work(facts)
    for effect in facts.effects:
        if effect.mask is not None and not effect.mask.is_none:
            with suppress(TooLarge):
                forms += _bounds(facts.forms.condition(effect.mask))
    names = _varying(facts, forms) - {*tuned}
    for launch in facts.launches.launches:
        names &= launch.arguments.keys()  # a tuner does not see what is left to its default
    return [p.name for p in facts.kernel.parameters if p.name in names]


def check_more_than_warps(facts: KernelFacts, why: str) -> None:
    """That more is free than the number of warps. Raises Declined.

    `why` its tile stays as long as it is.
    """
    if not _multiplies(facts):
        detail = f"only the number of warps could be tuned, because the tile length stays: {why}"
        way = "`tritonopt tune` measures it once and writes it into the launches"
        raise refuted("launches-can-be-tuned", "not-tunable", f"{detail}; {way}")


def _work(facts: KernelFacts) -> list[Polynomial]:
    """The trip counts of loops, and the extents of what is loaded and stored."""
    forms = [form for loop in facts.loops if (form := facts.forms.trip_count(loop)) is not None]
    for effect in facts.effects:
        shape = effect.pointer.shape if effect.pointer is not None else ()
        forms += [facts.forms.of(extent) for extent in shape or ()]
    return forms


def _varying(facts: KernelFacts, forms: Iterable[Polynomial]) -> set[str]:
    """The parameters in some numbers that are not the same constant at each launch."""
    names = {atom.name for form in forms for atom in form.leaves() if isinstance(atom, Param)}
    return names - {*facts.launches.constants}


def _bounds(mask: Polynomial) -> list[Polynomial]:
    """What is compared in a mask, where it is made of places and sizes, and not of what is loaded.

    A threshold that changes from call to call would have the kernel tuned each time.
    """
    compared = [atom.form for atom in mask.atoms if isinstance(atom, Negative)]
    return [form for form in compared if all(isinstance(a, _PLACES) for a in form.leaves())]


def why_it_stays(facts: KernelFacts) -> tuple[FreeTile | None, str]:
    """(the tile that a tuner may choose, "" or why there is none)."""
    try:
        return free_tile(facts), ""
    except Declined as declined:
        return None, declined.condition.detail
    except TooLarge:
        return None, "its indices are too large to compare"


def decorator(
    facts: KernelFacts, configurations: Sequence[str], key: Sequence[str], restored: Sequence[str]
) -> str:
    """Code for the decorator; raises NotExpressible where the file has no name for `triton`.

    `configurations` are the arguments of a `triton.Config` each.
    """
    names = facts.kernel.module.names
    scope = names.scopes[facts.kernel.node]
    triton = next(
        (n for n in names.module.bindings if names.resolve_name(n, scope) == "triton"), ""
    )
    if not triton:
        raise NotExpressible(
            "the file does not import triton, so triton.autotune has no name there"
        )
    lines = [f"        {triton}.Config({one})," for one in configurations]
    text = [f"@{triton}.autotune(", "    configs=[", *lines, "    ],", f"    key={_list(key)},"]
    if restored:
        text.append(f"    restore_value={_list(restored)},")
    return "\n".join([*text, ")"])


def _list(names: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


OPTIONS = ("num_warps", "num_stages", "num_ctas")
"""What each configuration of a tuner sets, whether it names it or not."""
_CAPTURES = frozenset({"torch.cuda.graph", "torch.cuda.make_graphed_callables"})


def check_launches(facts: KernelFacts, attempt: Attempt) -> None:
    """That every launch is seen, and can leave its options to a tuner. Raises Declined."""
    kernel, evidence = facts.kernel, facts.launches
    LaunchPlan.of(facts, attempt, apart=True)
    attempt.assume_no_other_launches()
    _check_capture(evidence.launches)
    claim = "launches-can-be-tuned"
    _check_kept(facts, claim)
    for decorator, name in zip(kernel.node.decorator_list, kernel.decorators, strict=True):
        if name != JIT:
            what = ast.unparse(decorator).partition("(")[0]
            detail = f"what {what} does with the tuner's choice is unknown"
            raise unknown(claim, "unknown-decorator", detail)
    for launch in evidence.launches:
        where = f"the launch in {launch.where}"
        if launch.hides_options:
            detail = f"{where} may pass options in **"
            raise unknown(claim, "arguments-are-not-seen", detail)
        if not isinstance(launch.call.func, ast.Subscript):
            raise unknown(
                claim, "arguments-are-not-seen", f"{where} is not written `kernel[grid](...)`"
            )
        for option in OPTIONS:
            if option in launch.options and _number(launch.options[option]) is None:
                detail = f"{where} computes its {option}"
                raise unknown(claim, "not-tunable", detail)
    said = {tuple(options_of(launch).items()) for launch in evidence.launches}
    if len(said) > 1:
        where = places(evidence.launches)
        detail = f"the launches in {where} pass different options"
        raise refuted(claim, "not-tunable", detail)
    attempt.prove(claim, "each launch passes numbers for them, or nothing")


def _check_kept(facts: KernelFacts, claim: str) -> None:
    """A kernel that is defined inside a function would be tuned at each call of it."""
    functions = facts.kernel.module.names.functions
    around = next((s.function for node, s in functions if node is facts.kernel.node), None)
    if around is not None:
        detail = f"each call of {around.name} defines the kernel again, and would tune it again"
        raise refuted(claim, "not-tunable", detail)


def _check_capture(launches: Sequence[Launch]) -> None:
    """While a graph is captured nothing can be timed, so a first launch there would fail."""
    for module in {launch.module for launch in launches}:
        for node in walk(module.tree):
            if isinstance(node, ast.Name | ast.Attribute) and module.resolve(node) in _CAPTURES:
                detail = f"a CUDA graph may capture a launch in line {node.lineno}"
                raise unknown("launches-can-be-tuned", "captured-in-a-graph", detail)


def options_of(launch: Launch) -> dict[str, int]:
    """The numbers that a launch gives for what a configuration sets."""
    given = {name: launch.options.get(name) for name in OPTIONS}
    numbers = {name: _number(node) for name, node in given.items() if node is not None}
    return {name: number for name, number in numbers.items() if number is not None}


def _number(node: ast.expr) -> int | None:
    is_number = isinstance(node, ast.Constant) and type(node.value) is int
    return node.value if is_number else None  # type: ignore[attr-defined]


def tile_at(launch: Launch, tile: str, also: ast.expr | None = None) -> int | None:
    """The number that a launch passes for a tile by its name.

    None where it is no number, and where the launcher has another use for it than this argument,
    or `also` some expression.
    """
    keyword = next((k for k in launch.call.keywords if k.arg == tile), None)
    if keyword is None:
        return None
    if isinstance(keyword.value, ast.Name):
        statement = PlannedLaunch(launch).own_binding(keyword.value, also)
        return _number(statement.value) if statement is not None else None
    return _number(keyword.value)


def left_to_the_tuner(
    launch: Launch, taken: Collection[str], grid: Sequence[Change] = ()
) -> Iterator[Change]:
    """A launch without the keywords that are taken out of it. Raises NotExpressible.

    `grid` is what changes in its grid, for a tile that is taken out.
    """
    call, text, span = launch.call, launch.module.text, launch.module.lines.span
    items: list[ast.expr | ast.keyword] = [call.func, *call.args, *call.keywords]
    gone = [k for k in call.keywords if k.arg in taken]
    if len(gone) == len(items) - 1:
        raise NotExpressible(f"line {call.lineno} passes nothing else")
    also = launch.grid if grid else None
    yield from grid
    for keyword in gone:
        start, end = span(keyword)
        since = max(before for _, before in map(span, items) if before <= start)
        if "#" in text[since:end] + text[end:].partition("\n")[0]:
            raise NotExpressible(f"line {call.lineno} has a comment next to the removed code")
        yield ReplaceArgument(call, keyword, ())
        statement = PlannedLaunch(launch).own_binding(keyword.value, also)
        if statement is not None:
            yield Remove(statement)


_CLAIM = "length-is-known-at-the-launch"
_PLACE = Param("(position in the range)")
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
                raise _stays(f"line {store.line} may store to one element from two lanes")
            for other in accesses:
                same = same_place(self.facts, store, other).kind is Kind.OWN
                if not same and self.facts.may_alias(store, other):
                    lines = f"lines {other.line} and {store.line}"
                    raise _stays(f"{lines} may access one element in different lanes")

    def _check_effect(self, effect: Effect) -> None:
        where = f"line {effect.line}"
        if effect.kind not in (EffectKind.LOAD, EffectKind.STORE) or effect.volatile:
            raise _stays(f"{where} may depend on the tile length")
        parts = [p for p in (effect.pointer, effect.other, effect.stored) if p is not None]
        conditions = [guard.condition for guard in effect.guards]
        if not all(map(self._is_of_the_place, (*parts, *conditions))):
            raise _stays(f"{where} may depend on the tile length")
        if any(condition.shape != () for condition in conditions) or effect.pointer is None:
            raise _stays(f"whether {where} runs may depend on the tile length")
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
            raise _stays(f"the launch in {launch.where} also uses the tile length elsewhere")
        for binding in self.facts.launches.bindings:
            if binding.launch is launch and not self._covers(binding, number):
                raise _stays(
                    f"the grid of the launch in {launch.where} does not depend on the tile length"
                )
        if not self.facts.launches.bindings:
            raise _stays(f"the grid of the launch in {launch.where} is not understood")
        match expression:
            case ast.Call(func=function, args=[_, divisor], keywords=[]):
                is_cdiv = launch.module.resolve(function) == "triton.cdiv"
            case _:
                is_cdiv = False
        names = {n.id for n in walk(launch.launcher or launch.call) if isinstance(n, ast.Name)}
        if not is_cdiv or (not extent.meta and (extent.name or "meta" in names)):
            raise _stays(
                f"the grid of the launch in {launch.where} is not a function of the tile length"
            )
        if extent.meta:
            asked = f"{extent.meta}[{self.tile.name!r}]"
            if ast.unparse(divisor) != asked:
                raise _stays(
                    f"the grid of the launch in {launch.where} does not read the tile length"
                )
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
