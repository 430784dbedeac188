"""What the lanes of one program hand over in memory, with nothing between that orders them.

A store is done by the thread that holds a lane; of a scalar, by one thread of the program, while
each thread loads it. Threads of other warps see it after `tl.debug_barrier()`. So an element that
one lane stores and another loads is shown here with the two lanes, where the sizes leave no other
choice: positions are put in for lanes and iterations, everything else stays a name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product

from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.atoms import Iteration, Lane, Loaded, Placed
from tritonopt.facts.algebra.divisibility import replaced
from tritonopt.facts.algebra.polynomial import ONE, ZERO, Atom, Polynomial, TooLarge, put_in
from tritonopt.facts.algebra.variation import has_unknown_axes
from tritonopt.facts.effects import Effect, EffectKind, Loop, parts_of
from tritonopt.facts.host import torch_api
from tritonopt.facts.host.local_names import names_of
from tritonopt.facts.host.tensor_expressions import viewed
from tritonopt.facts.memory.circumstances import is_left_out
from tritonopt.facts.memory.offsets import number_of
from tritonopt.facts.operations import ELEMENTWISE, NAMED, Op
from tritonopt.facts.values import Value
from tritonopt.source import Launch

_ALL_OF = 8
"""Of an axis with so many lanes each one is put in; of a longer one those at both ends."""
_TRIPS = 3
_ORDERING = (EffectKind.BARRIER, EffectKind.ATOMIC, EffectKind.CALL)
_MEETINGS = frozenset(
    ["sort", "topk", "cumsum", "cumprod", "associative_scan", "reduce", "argmax", "argmin", "max"]
    + ["min", "dot", "dot_scaled", "histogram", "gather", "reduce_or", "reduce_and", "xor_sum"]
)
"""Functions that exchange numbers between lanes: today's compiler puts a barrier into most."""

_VIEWS = torch_api.VIEWS - {"reshape", "flatten"}
"""Methods whose result is the memory of the tensor from its first element on."""

_LANE_BY_LANE = (ELEMENTWISE | NAMED) - {Op.ATTRIBUTE} | {
    *(Op.CONST, Op.LANE, Op.FULL, Op.BROADCAST_TO, Op.INSERT_AXES, Op.LOAD, Op.PHI),
    *(Op.PROGRAM_ID, Op.NUM_PROGRAMS, Op.ITERATION, Op.CARRIED, Op.RESULT),
}
"""What gives a lane nothing of other lanes."""

Place = tuple[Polynomial, ...]
"""The number of a lane along each axis, from the last; without zeros at the end."""

_Numbers = Mapping[Atom, Polynomial]
"""What is put in for lanes and iterations."""


@dataclass(frozen=True)
class HandOver:
    """An element that one lane touches and then another, at least one of which stores it."""

    first: Effect
    second: Effect
    across: Loop | None
    """The loop in whose next iteration the second access is; None for the same iteration."""
    lanes: tuple[str, str]
    where: str
    """The launch that passes one tensor for two parameters; "" for one parameter."""
    meets: bool
    """Whether lanes exchange numbers in between, which orders them as compilers are today."""


def find_hand_overs(facts: KernelFacts) -> Iterator[HandOver]:
    """In source order of the second access; of each pair of accesses, one."""
    plain = (EffectKind.LOAD, EffectKind.STORE)
    touched = [
        e
        for e in facts.effects
        if e.kind in plain and e.pointer is not None and e.pointer.shape is not None
        if not e.volatile and not is_left_out(facts, e.node)
    ]
    if not any(e.kind is EffectKind.STORE for e in touched) or _have_one_warp(facts):
        return
    for second, first in product(touched, touched):
        with suppress(TooLarge):
            if first.kind is not second.kind and (found := _hand_over(facts, first, second)):
                yield found


def _hand_over(facts: KernelFacts, first: Effect, second: Effect) -> HandOver | None:
    where = _one_buffer(facts, first, second)
    if where is None or not _is_seen(facts, first, second):
        return None
    nests = zip(first.loops, second.loops, strict=False)
    common = [mine for mine, theirs in nests if mine is theirs]
    for across in (*([None] if first.order < second.order else []), *reversed(common)):
        between = _between(facts, first, second, across)
        if between is None:
            continue
        once = {Iteration(loop.identity): ZERO for loop in common}
        worlds = _worlds(facts, first, second)
        for world in (*worlds, *([{**w, **once} for w in worlds] if once else [])):
            lanes = _Meeting(facts, common, across, world).lanes(first, second)
            if lanes is not None and _waits(facts, first, second):
                return None
            if lanes is not None:
                meets = _meets(facts, first, second, across)
                return HandOver(first, second, across, lanes, where, meets)
    return None


def _between(
    facts: KernelFacts, first: Effect, second: Effect, across: Loop | None
) -> list[Effect] | None:
    """What is done from the first access to the second; None where it may order them."""
    if across is None:
        between = [e for e in facts.effects if first.order < e.order < second.order]
    else:
        inside = facts.within(across, across)
        between = [e for e in inside if e.order > first.order or e.order < second.order]
    mine = _conditions(first)
    for effect in between:
        leaves = effect.kind is EffectKind.EXIT and effect.order > first.order
        if effect.kind in _ORDERING or effect.volatile:
            return None
        if leaves and _conditions(effect) <= mine:
            return None  # whoever comes to the first access does not come to the second
    return between


def _conditions(effect: Effect) -> set[tuple[Value, bool]]:
    return {(guard.condition, guard.holds) for guard in effect.guards}


def _is_seen(facts: KernelFacts, first: Effect, second: Effect) -> bool:
    """Whether a thread without the last value matters: of scalars alone one thread stores all."""
    assert first.pointer is not None and second.pointer is not None
    if first.pointer.shape or second.pointer.shape:
        return True
    loaded = (first if first.kind is EffectKind.LOAD else second).loaded
    used: list[Value | None] = []
    for effect in facts.effects:
        if effect.pointer is not None and effect.pointer.shape != ():
            used += [effect.pointer, effect.mask, effect.stored]
            used += [guard.condition for guard in effect.guards]
    values = [value for value in used if value is not None]
    return any(part is loaded for part in parts_of(facts.loops, *values))


def _waits(facts: KernelFacts, first: Effect, second: Effect) -> bool:
    """Whether a store takes what other lanes have loaded before it: who stores has waited."""
    if first.loaded is None or second.stored is None:
        return False
    every = parts_of(facts.loops, second.stored)
    moved = [v for v in every if v.op not in _LANE_BY_LANE]
    return first.loaded in parts_of(facts.loops, *moved)


def _meets(facts: KernelFacts, first: Effect, second: Effect, across: Loop | None) -> bool:
    """Whether lanes exchange numbers between the two, or a helper is called that may do it."""
    after, before = _end(first.node), _start(second.node)
    helpers = {kernel.name for kernel in facts.kernel.module.kernels}
    for node, value in facts.values.items():
        if not isinstance(node, ast.Call) or node in (first.node, second.node):
            continue
        exchanges = value.op is Op.REDUCE or (
            value.op is Op.RESHAPED and value.function in _MEETINGS
        )
        calls = isinstance(node.func, ast.Name) and node.func.id in helpers
        if not (exchanges or calls):
            continue
        is_after, is_before = _start(node) >= after, _end(node) <= before
        if across is None:
            found = is_after and is_before
        else:
            inside = _start(across.node) <= _start(node) and _end(node) <= _end(across.node)
            found = inside and (is_after or is_before)
        if found:
            return True
    return False


def _start(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _end(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0) or 0


class _Meeting:
    """Two accesses with numbers put in for their lanes and the iterations that they differ in."""

    def __init__(
        self,
        facts: KernelFacts,
        common: Sequence[Loop],
        across: Loop | None,
        world: _Numbers,
    ) -> None:
        self._facts = facts
        self._across = across
        kept = common if across is None else common[: common.index(across)]
        self._kept = {Iteration(loop.identity) for loop in kept}
        self._world = dict(world)
        number = None if across is None else Iteration(across.identity)
        self._begin = self._world.pop(number, None) if number is not None else None

    def lanes(self, first: Effect, second: Effect) -> tuple[str, str] | None:
        """Two different lanes that come to one element, in words; None where none are shown."""
        if not all(map(self._is_followed, (first, second))) or self._are_alike(first, second):
            return None
        (mine, fixed), (theirs, other_fixed) = map(self._offset, (first, second))
        apart = other_fixed - fixed
        earlier: dict[Polynomial, list[tuple[Place, _Numbers]]] = {}
        for element, place, numbers in self._elements(first, mine, 0):
            earlier.setdefault(element, []).append((place, numbers))
        alone = _shape(first) == _shape(second) == ()
        for element, place, numbers in self._elements(second, theirs + apart, 1):
            for other, also in earlier.get(element, ()):
                if (place != other or alone) and self._may_be(first, also, second, numbers):
                    return _told(first, other), _told(second, place)
        return None

    def _are_alike(self, first: Effect, second: Effect) -> bool:
        """Whether each lane comes to one element in both, in tiles of one shape."""
        assert first.pointer is not None and second.pointer is not None
        forms, loops = self._facts.forms, {Iteration(loop.identity) for loop in second.loops}
        shapes = [tuple(map(forms.of, _shape(effect))) for effect in (first, second)]
        if self._across is not None or shapes[0] != shapes[1] or not shapes[0]:
            return False
        same = forms.address(first.pointer) == forms.address(second.pointer)
        return same and first.loops == second.loops and loops <= self._kept

    def _may_be(self, first: Effect, numbers: _Numbers, second: Effect, others: _Numbers) -> bool:
        """Whether masks and branches let both through."""
        condition = ONE
        for effect, given in ((first, numbers), (second, others)):
            for form, holds in self._conditions(effect):
                value = self._put(form, given)
                condition = condition * (value if holds else ONE - value)
        return not condition.is_zero

    def _conditions(self, effect: Effect) -> Iterator[tuple[Polynomial, bool]]:
        forms = self._facts.forms
        for guard in effect.guards:
            yield self._put(forms.condition(guard.condition), {}), guard.holds
        if effect.mask is not None and not effect.mask.is_none:
            yield self._put(forms.condition(effect.mask), {}), True

    def _is_followed(self, effect: Effect) -> bool:
        """Whether the address is computed from lanes and iterations in a way that is seen."""
        assert effect.pointer is not None
        _, offset = self._facts.forms.address(effect.pointer)
        for leaf in offset.leaves():
            if isinstance(leaf, Placed) and (leaf.axes or not self._kept.issuperset(leaf.depends)):
                return False
            if isinstance(leaf, Loaded) and isinstance(leaf.version, tuple):
                loops = {part for part in leaf.version if isinstance(part, Iteration)}
                if not loops <= self._kept:
                    return False
        return not has_unknown_axes(offset)

    def _offset(self, effect: Effect) -> tuple[Polynomial, Polynomial]:
        """Of an address what lanes and iterations change, and what they do not."""
        assert effect.pointer is not None
        offset = self._put(_where_on(self._facts.forms.address(effect.pointer)[1]), {})
        loops = {Iteration(loop.identity) for loop in effect.loops} - self._kept
        terms = {
            monomial: coefficient
            for monomial, coefficient in offset.terms.items()
            for leaves in [{leaf for atom, _ in monomial for leaf in atom.leaves()}]
            if loops & leaves or any(isinstance(leaf, Lane) for leaf in leaves)
        }
        moving = Polynomial(terms)
        return moving, offset - moving

    def _elements(
        self, effect: Effect, offset: Polynomial, later: int
    ) -> Iterator[tuple[Polynomial, Place, _Numbers]]:
        """The elements that an access comes to: with its lane, and what was put in for it."""
        every = (offset, *(form for form, _ in self._conditions(effect)))
        leaves = {leaf for form in every for leaf in form.leaves() if isinstance(leaf, Lane)}
        extents = [self._put(self._facts.forms.of(axis), {}) for axis in reversed(_shape(effect))]
        for iterations in self._iterations(effect, later):
            moved = replaced(offset, iterations) if iterations else offset
            for place in product(*map(_positions, extents)):
                lanes: dict[Atom, Polynomial] = {leaf: place[leaf.axis] for leaf in leaves}
                element = _computed(replaced(moved, lanes))
                yield element, _short(place), {**lanes, **iterations}

    def _iterations(self, effect: Effect, later: int) -> Iterator[dict[Atom, Polynomial]]:
        choices: list[tuple[Atom, list[Polynomial]]] = []
        for loop in effect.loops:
            atom = Iteration(loop.identity)
            if loop is self._across:
                choices.append((atom, [(self._begin or Polynomial.of(atom)) + later]))
            elif atom not in self._kept:
                count = self._facts.forms.trip_count(loop)
                number = None if count is None else self._put(count, {}).constant_value
                trips = _TRIPS if number is None else min(_TRIPS, int(number))
                choices.append((atom, [Polynomial.constant(n) for n in range(trips)]))
        for chosen in product(*(numbers for _, numbers in choices)):
            yield dict(zip((atom for atom, _ in choices), chosen, strict=True))

    def _put(self, form: Polynomial, numbers: _Numbers) -> Polynomial:
        return _computed(replaced(form, numbers or self._world))


def _where_on(offset: Polynomial) -> Polynomial:
    """An address in the lanes in which the masks of the indices in it are on."""
    return put_in(offset, {atom: 1 for atom in offset.atoms if atom.is_indicator})


def _computed(form: Polynomial) -> Polynomial:
    """A form whose functions of numbers are numbers."""
    known = {atom: number_of(Polynomial.of(atom), {}) for atom in form.atoms if atom.arguments}
    return put_in(form, {atom: n for atom, n in known.items() if n is not None})


def _shape(effect: Effect) -> tuple[Value, ...]:
    assert effect.pointer is not None and effect.pointer.shape is not None
    return effect.pointer.shape


def _positions(extent: Polynomial) -> list[Polynomial]:
    """Numbers of lanes along an axis."""
    number = extent.constant_value
    if number is not None and number <= _ALL_OF:
        return [Polynomial.constant(n) for n in range(int(number))]
    more = [] if number is None else [2, int(number) // 2]
    return [*map(Polynomial.constant, (0, 1, *more)), extent - 1]


def _short(place: Sequence[Polynomial]) -> Place:
    while place and place[-1].is_zero:
        place = place[:-1]
    return tuple(place)


def _told(effect: Effect, place: Place) -> str:
    assert effect.pointer is not None
    rank = len(effect.pointer.shape or ())
    numbers = [*(number.readable for number in place), *["0"] * (rank - len(place))][::-1]
    return numbers[0] if rank == 1 else f"({', '.join(numbers)})" if rank else ""


# What the launches show


def _worlds(facts: KernelFacts, *effects: Effect) -> list[_Numbers]:
    """The numbers that the launches pass for what the accesses ask, each choice once."""
    forms = facts.forms
    asked = {leaf for e in effects if e.pointer for leaf in forms.of(e.pointer).leaves()}
    for effect in effects:
        conditions = [effect.mask, *(guard.condition for guard in effect.guards), *_shape(effect)]
        values = [value for value in conditions if value is not None]
        asked |= {leaf for value in values for leaf in forms.of(value).leaves()}
    found: list[_Numbers] = []
    for binding in facts.launches.bindings:
        numbers = {atom: binding.number(atom) for atom in binding.values if atom in asked}
        world = {a: Polynomial.constant(n) for a, n in numbers.items() if n is not None}
        found += [world] if world not in found else []
    index = _index(facts, *effects)
    chosen = [{}] if index is None else [{}, *({index: Polynomial.constant(n)} for n in (1, 2))]
    return [{**world, **more} for world in found or [{}] for more in chosen]


def _index(facts: KernelFacts, *effects: Effect) -> Atom | None:
    """The one loaded integer that decides where two accesses go, and may be any number.

    A scalar decides of both: a length. One for each lane stands in an address by itself.
    """
    forms, asked = facts.forms, list[set[Atom]]()
    for effect in effects:
        offset = _where_on(forms.of(effect.pointer)) if effect.pointer is not None else ONE
        bounds = [forms.of(bound) for loop in effect.loops for bound in loop.bounds]
        mask = effect.mask if effect.mask is not None and not effect.mask.is_none else None
        bounds += [forms.condition(mask)] if mask is not None else []
        asked.append(
            {a for form in (offset, *bounds) for a in form.leaves() if isinstance(a, Loaded)}
        )
        asked[-1] -= {a for a in asked[-1] if _lanes_of(a) and offset.coefficient(a) != ONE}
    every = set().union(*asked)
    if len(every) != 1:
        return None
    (index,) = every
    return index if _lanes_of(index) or all(asked) else None


def _lanes_of(index: Atom) -> bool:
    return any(isinstance(leaf, Lane) for form in index.inside for leaf in form.leaves())


def _have_one_warp(facts: KernelFacts) -> bool:
    """Whether each launch is seen to have one warp."""
    launches = facts.launches.launches
    return bool(launches) and not facts.launches.unknown and all(map(_has_one_warp, launches))


def _has_one_warp(launch: Launch) -> bool:
    warps = launch.options.get("num_warps")
    if warps is not None:
        return isinstance(warps, ast.Constant) and warps.value == 1
    assert launch.kernel is not None
    decorators = launch.kernel.node.decorator_list
    configs = [
        node
        for decorator in decorators
        for node in ast.walk(decorator)
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "Config"
    ]
    given = [{k.arg: k.value for k in config.keywords}.get("num_warps") for config in configs]
    return bool(given) and all(isinstance(w, ast.Constant) and w.value == 1 for w in given)


def _one_buffer(facts: KernelFacts, one: Effect, other: Effect) -> str | None:
    """Where a launch passes one tensor for two parameters, "" for one; None if neither is shown."""
    assert one.pointer is not None and other.pointer is not None
    mine, theirs = (facts.forms.address(p)[0] for p in (one.pointer, other.pointer))
    if mine is None or theirs is None:
        return None
    if mine == theirs:
        return ""
    for launch in facts.launches.launches:
        arguments = [launch.arguments.get(name) for name in (mine, theirs)]
        tensors = [_tensor(launch, argument) for argument in arguments]
        if None not in tensors and tensors[0] == tensors[1]:
            return launch.where
    return None


def _tensor(launch: Launch, argument: ast.expr | None) -> str | None:
    """The name of the tensor that begins where an argument does."""
    for _ in range(8):
        if argument is None or launch.launcher is None:
            return None
        inside = viewed(argument, _VIEWS)
        if inside is None and isinstance(argument, ast.Name):
            names = names_of(launch.launcher)
            bound = names.assigned.get(argument.id, [])
            plain = len(names.lines.get(argument.id, ())) == len(bound) == 1
            inside = viewed(bound[0], _VIEWS) if plain else None
            if inside is None:
                return argument.id
        argument = inside
    return None
