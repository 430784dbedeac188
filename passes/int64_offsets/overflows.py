"""Integers of addresses that are computed in 32 bits and do not fit them, in numbers.

Triton computes `row * stride` in 32 bits where both fit 32 bits, whatever the product is. A number
that a launch passes is of 64 bits where it is beyond 2**31 itself, and what it is computed with
is then of 64 bits too: so `row * stride` goes wrong for sizes for which `numel` does not.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import islice, zip_longest

from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.atoms import (
    FloorDiv,
    Iteration,
    Lane,
    LauncherParameter,
    Loaded,
    Minimum,
    Param,
    ProgramId,
    TensorSize,
    Unread,
)
from tritonopt.facts.algebra.divisibility import replaced, substitute
from tritonopt.facts.algebra.polynomial import ONE, Atom, Polynomial, TooLarge
from tritonopt.facts.effects import Effect, is_loaded, parts_of
from tritonopt.facts.host.callers import may_be_large, rank_of, saved_tensors
from tritonopt.facts.host.launcher_code import forms_at, is_free, place_atom
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.memory.buffers import (
    CannotTell,
    Shape,
    Trial,
    root_of,
    shown_sizes,
    with_programs,
)
from tritonopt.facts.memory.circumstances import (
    Reach,
    axes_gone_through,
    inputs_of,
    reach_of,
    sizes_said,
    stay_inside,
)
from tritonopt.facts.memory.offsets import number_of
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value
from tritonopt.source import Launch
from tritonopt.source.trees import walk

_SIZES: Mapping[int, Sequence[tuple[int, ...]]] = {
    1: ((3 << 30,),),
    2: ((131072, 32768), (49152, 65536), (1 << 20, 4096), (1 << 22, 1024), (1 << 25, 128)),
    3: (
        (1 << 20, 32, 128),
        (256, 131072, 128),
        (64, 8192, 8192),
        (4096, 1024, 1024),
        (8, 32768, 16384),
    ),
    4: ((256, 512, 256, 128), (64, 32, 16384, 128), (32, 32768, 32, 128)),
}
"""By the number of dimensions: tensors of 3 or 4 billion elements, which take 8 GB in fp16."""

_BLOCKS = (256, 16384)
"""Tiles whose size cannot be followed: what is said holds for both."""
SQUARE = 1024
"""What the larger is along each of two axes."""

_PROGRAMS = (1024, 2**31 - 1)
"""How many a grid has at most, where that is the number of multiprocessors."""

_MOST_ELEMENTS = 1 << 33
"""Of a tensor that only the launch speaks of: 16 GB in fp16."""

_MOST_IN_MEMORY = 1 << 35
"""Of any tensor that is passed: 137 GB in fp32; a GPU has 192."""

_MOST_LANES = 1 << 20
"""What Triton allows a tile to have."""
_MOST_UNROLLED = 256
_MOST_PROGRAMS = (2**31 - 1, 65535, 65535)
_MAX_PLACES = 64

_VARYING = (TensorSize, Lane, ProgramId, Iteration)
_PYTHON, _NARROW, _WIDE = 0, 32, 64
_SAME = frozenset({Op.NEG, Op.POS, Op.INSERT_AXES, Op.WIDENED, Op.BROADCAST_TO, Op.IN_BRANCH})
_COMBINING = frozenset(
    {Op.ADD, Op.SUB, Op.MUL, Op.FLOORDIV, Op.MOD, Op.CDIV, Op.MINIMUM, Op.MAXIMUM}
)
_COMPUTED = frozenset({Op.ADD, Op.SUB, Op.MUL})
"""What can be larger than its operands."""


@dataclass(frozen=True)
class Overflow:
    """A value that is computed in 32 bits, and is beyond them."""

    value: Value
    number: int
    where: str
    """The launch, the sizes and the place, in words."""
    binding: LaunchBinding = field(repr=False)
    numbers: Mapping[Atom, int] = field(repr=False)
    tensor: str
    """The one with so many elements, by its name at the launch."""
    narrow: frozenset[Value] = frozenset()


def find_overflows(facts: KernelFacts, *, uncast: bool = False) -> Iterator[Overflow]:
    """Of each value that does not fit 32 bits one example; what is computed from it is left out.

    With `uncast` what is cast to 64 bits counts too.
    """
    if facts.launches.unknown or facts.launches.caller is not None:
        return
    seen: set[Value] = set()
    for launch in facts.launches.launches:
        bindings = [b for b in facts.launches.bindings if b.launch is launch]
        for effect in facts.effects:
            for binding in bindings if effect.pointer is not None else ():
                for overflow in _of_access(facts, launch, binding, effect, uncast):
                    if overflow.value not in seen:
                        seen.add(overflow.value)
                        yield overflow


def _of_access(
    facts: KernelFacts, launch: Launch, binding: LaunchBinding, effect: Effect, uncast: bool
) -> list[Overflow]:
    try:
        bindings = _with_numbers_of_programs(binding)
        accesses = [_Access(facts, launch, one, effect, uncast) for one in bindings]
        found, *others = [one.overflows(block) for one in accesses for block in one.blocks]
    except (CannotTell, TooLarge):
        return []
    return [one for one in found if all(one.value in {o.value for o in other} for other in others)]


def _with_numbers_of_programs(binding: LaunchBinding) -> Iterator[LaunchBinding]:
    """The same, with numbers for the most programs of a grid that the launcher gets from elsewhere.

    `min(tiles, 8 * properties.multi_processor_count)`: what is said holds for few and for many.
    """
    open_ones = {
        atom
        for form in binding.grid
        if form is not None
        for least in form.leaves()
        if isinstance(least, Minimum)
        for atom in _given_elsewhere(least.inside)
    }
    for most in _PROGRAMS:
        numbers = dict.fromkeys(open_ones, Polynomial.constant(most))
        grid = [replaced(form, numbers) if form is not None else None for form in binding.grid]
        values = {name: replaced(form, numbers) for name, form in binding.values.items()}
        yield replace(binding, grid=tuple(grid), values=values)
        if not numbers:
            return


def _given_elsewhere(forms: Iterable[Polynomial]) -> Iterator[Atom]:
    """The largest parts that are made of nothing but what the launcher gets from elsewhere."""
    for atom in (atom for form in forms for atom in form.atoms):
        inputs = list(inputs_of(Polynomial.of(atom)))
        if inputs and all(isinstance(a, Unread) for a in inputs):
            yield atom
        elif not isinstance(atom, (Unread, TensorSize)):
            yield from _given_elsewhere(a for a in atom.arguments if isinstance(a, Polynomial))


class _Access(Trial):
    """One access under one configuration of one launch, with tensors of billions of elements."""

    _ranks_to_try: Sequence[int] = ()

    def __init__(
        self,
        facts: KernelFacts,
        launch: Launch,
        binding: LaunchBinding,
        effect: Effect,
        uncast: bool,
    ) -> None:
        self._uncast = uncast
        assert effect.pointer is not None
        binding = with_programs(binding)
        self._parts = {
            part: substitute(facts.forms.of(part), binding)
            for root in (effect.pointer, *bounds_of(effect))
            for part in parts_of(facts.loops, root, stop=is_loaded)
            if part.op in _COMPUTED and facts.forms.address(part)[0] is None
        }
        self._block = 0
        super().__init__(facts, launch, binding, effect)

    @cached_property
    def _forms(self) -> list[Polynomial]:
        """Parts of the address, and what decides whether a program comes to it."""
        opened = {pair for pair in self._conditions if self._is_open(pair[0])}
        if any((condition, not holds) in opened for condition, holds in opened):
            raise CannotTell  # nothing comes there
        self._conditions = [pair for pair in self._conditions if pair not in opened]
        counts = self._counts.values()
        needed = [*(form for form, _ in self._conditions), *counts]
        tiled = (*needed, *self._parts.values(), self._offset)
        blocks = {a for form in tiled for a in _blocks_of(form)}
        # What the kernel gets at run time is a size of the data.
        blocks -= {a for form in self._at_run_time() for a in inputs_of(form)}
        self._blocks = frozenset(blocks)
        self._parts = {
            part: form
            for part, form in self._parts.items()
            if all(isinstance(a, _VARYING) or a in blocks for a in inputs_of(form))
            and (self._is_bound(form) or _is_apart(form))
            and self._are_tiles(form)
        }
        forms = [*needed, *self._parts.values(), *(lane.extent for lane in self._lanes)]
        axes = {a for form in forms for a in inputs_of(form) if isinstance(a, ProgramId)}
        grid = [self._binding.programs(axis) for axis in axes]
        return [*forms, *(form for form in grid if form is not None)]

    def _is_bound(self, form: Polynomial) -> bool:
        """Whether it is a number of elements that programs share: `2 * n`, `rows * columns`."""
        return _is_apart(self._offset) and all(isinstance(a, TensorSize) for a in inputs_of(form))

    def _are_tiles(self, form: Polynomial) -> bool:
        """Whether what programs are apart by, and cannot be followed, is the size of their tile.

        The grid then follows it. Else it is as long as a row of what the caller passes.
        """
        for monomial in form.terms:
            atoms = {atom for atom, _ in monomial}
            for program in (atom for atom in atoms if isinstance(atom, ProgramId)):
                grid = self._binding.programs(program)
                followed = set(inputs_of(grid)) if grid is not None else set()
                if not atoms & self._blocks <= followed:
                    return False
        return True

    def _at_run_time(self) -> Iterator[Polynomial]:
        for parameter in self._facts.kernel.parameters:
            passed = self._binding.values.get(Param(parameter.name))
            if passed is not None and not parameter.constexpr:
                yield passed

    @cached_property
    def _varying(self) -> list[Atom]:
        return [atom for atom in super()._varying if atom not in self._blocks]

    def _take_defaults(self) -> None:
        """What is left to the caller may be anything."""

    def _is_open(self, condition: Polynomial) -> bool:
        """Whether what is in memory or a plain argument of the launcher may make it hold."""
        return any(isinstance(leaf, Loaded) for leaf in condition.leaves()) or any(
            isinstance(atom, LauncherParameter) for atom in self._inputs(condition)
        )

    @cached_property
    def _shapes(self) -> dict[Polynomial, Shape]:
        """What the launcher makes, and its views of whole tensors."""
        assert self._launch.launcher is not None
        form_at = forms_at(self._launch)
        found = dict(super()._shapes)
        for node in walk(self._launch.launcher):
            match node:
                case ast.Call(func=ast.Attribute(value=tensor, attr="view" | "reshape")):
                    shape = _viewed_as(form_at(tensor), list(map(form_at, _sizes_in(node))))
                    if shape is not None:
                        found[Polynomial.of(place_atom(node))] = shape
        return found

    def _find_tensors(self) -> dict[Polynomial, int]:
        """The one tensor on whose sizes all depends."""
        asked: list[tuple[Polynomial, tuple[int, ...]]] = []
        for form in self._forms:
            for atom in self._inputs(form):
                if isinstance(atom, TensorSize):
                    asked.append((atom.tensor, atom.which))
                elif not isinstance(atom, _VARYING) and atom not in self._blocks:
                    raise CannotTell
        given = self._given_tensors(asked)
        if len(given) != 1:
            raise CannotTell
        ((root, asked_of),) = given.items()
        name = self._name_of(root)
        if not may_be_large(self._launch, name):
            raise CannotTell
        # What else the launch asks of it, it has too: `x.stride(1)`.
        passed = (a for form in self._binding.values.values() for a in inputs_of(form))
        own = (a for a in passed if isinstance(a, TensorSize) and a.tensor == root)
        axes = asked_of.union(*(atom.which for atom in own))
        rank = max([1, *(i + 1 if i >= 0 else -i for i in axes)])
        known = rank_of(self._launch, name)
        if known is None and rank == 1:
            origin = partial(root_of, self._shapes)
            known, rank = axes_gone_through(self._facts, self._binding, root, origin)
        self._ranks_to_try = [known] if known else [r for r in (2, 3, 1, 4) if r >= rank]
        return {root: rank}

    def _name_of(self, tensor: Polynomial) -> str:
        saved = saved_tensors(self._launch).get(tensor.sole_atom, "")
        return saved or super()._name_of(tensor)

    def _check_rank(self) -> None:
        """Where nothing says how many dimensions there are, there may be any number."""

    # Numbers

    def overflows(self, block: int) -> list[Overflow]:
        """With a number for the sizes of tiles that cannot be followed."""
        self._block = block
        for sizes in (sizes for rank in self._ranks_to_try for sizes in _SIZES.get(rank, ())):
            said = sizes_said(self._launch, self._tensor_name)
            if said and any(number not in (None, n) for number, n in zip_longest(said, sizes)):
                continue
            for numbers in (n for n in self._settings(sizes) if self._fits(sizes, n)):
                found = self._overflows_with(sizes, numbers)
                if found is not None:
                    return found
        return []

    def _overflows_with(
        self, sizes: tuple[int, ...], numbers: Mapping[Atom, int]
    ) -> list[Overflow] | None:
        """None where other sizes are to be tried."""
        places = list(islice(self._places(sizes, numbers), _MAX_PLACES))
        trials = [{**numbers, **place} for place in places]
        for place, trial in zip(places, trials, strict=True):
            found = list(self._beyond(sizes, trial, place)) if self._comes_about(trial) else []
            if any(overflow.number > _MOST_ELEMENTS for overflow in found):
                return None
            if found and stay_inside(self._accesses(sizes), filter(self._comes_about, trials)):
                return found
            if found:
                return None
        return None

    def _numbers(self, sizes: tuple[int, ...]) -> dict[Atom, int]:
        numbers = self._checked(sizes)
        numbers |= {atom: self._size(atom, sizes) for atom in self._sized}
        numbers |= dict.fromkeys(self._blocks, self._block)
        self._add_powers(numbers)
        return numbers

    def _checked(self, sizes: tuple[int, ...]) -> dict[Atom, int]:
        """What else the launcher checks of the tensor: `assert x.shape[-1] == 128`."""
        multiples = (form for pair in self._binding.multiples for form in pair)
        return self._sizes_asked((*self._binding.nonnegative, *multiples, *self._checks), sizes)

    def _sizes_asked(self, forms: Iterable[Polynomial], sizes: tuple[int, ...]) -> dict[Atom, int]:
        """The sizes in these forms that are sizes of the tensor, or computed from them."""
        found: dict[Atom, int] = {}
        for atom in (atom for form in forms for atom in inputs_of(form)):
            if isinstance(atom, TensorSize) and _is_known(self._shapes, atom.tensor, self._tensor):
                with suppress(CannotTell):
                    found[atom] = self._size(atom, sizes)
        return found

    def _is_allowed(self, numbers: Mapping[Atom, int]) -> bool:
        """Raises CannotTell where something that is not followed may keep such sizes away."""
        known = [*self._binding.nonnegative, *(a for a, _ in self._binding.multiples)]
        for form in known:
            atoms = list(inputs_of(form))
            about = any(atom in numbers for atom in atoms)
            if about and not all(atom in numbers or is_free(atom) for atom in atoms):
                raise CannotTell
        settled = _settled(self._binding.nonnegative, numbers)
        if settled is None:
            return False
        numbers = settled
        for dividend, divisor in self._binding.multiples:
            a, b = number_of(dividend, numbers), number_of(divisor, numbers)
            if a is not None and b is not None and (b == 0 or a % b):
                return False
        return all(number_of(check, numbers) != 0 for check in self._checks)

    def _given_sizes(self, tensor: Polynomial, sizes: tuple[int, ...]) -> tuple[int, ...]:
        return sizes

    def _fits(self, sizes: tuple[int, ...], numbers: Mapping[Atom, int]) -> bool:
        """Whether such a launch is possible: its tensors, its grid, its tiles."""
        for tensor in (t for t in self._binding.values.values() if t in self._shapes):
            with suppress(CannotTell):
                if math.prod(self._sizes_of(tensor, sizes)) > _MOST_IN_MEMORY:
                    return False
        grid = [form for form in self._binding.grid if form is not None]
        known = {**self._sizes_asked(grid, sizes), **numbers}
        for form, most in zip(self._binding.grid, _MOST_PROGRAMS, strict=False):
            programs = number_of(form, known) if form is not None else None
            if programs is not None and not 0 < programs <= most:
                return False
        if any((number_of(turns, numbers) or 0) > _MOST_UNROLLED for turns in self._unrolled):
            return False
        return all(0 < tile <= _MOST_LANES for tile in self._tiles(numbers))

    def _tiles(self, numbers: Mapping[Atom, int]) -> Iterator[int]:
        """How many lanes each part of the address has."""
        for form in self._parts.values():
            lanes = {atom for atom in inputs_of(form) if isinstance(atom, Lane)}
            yield math.prod(self._most(atom, numbers) or 0 for atom in lanes)
        whole = {(a.axis, self._most(a, numbers) or 0) for a in self._lanes}
        yield math.prod(max(n for axis, n in whole if axis == each) for each in dict(whole))

    @property
    def blocks(self) -> Sequence[int]:
        """Sizes for tiles whose size cannot be followed."""
        open_ones = {a.axis for a in self._lanes if self._blocks & set(inputs_of(a.extent))}
        return (_BLOCKS[0], SQUARE) if len(open_ones) > 1 else _BLOCKS

    @cached_property
    def _lanes(self) -> list[Lane]:
        return [atom for atom in inputs_of(self._offset) if isinstance(atom, Lane)]

    @cached_property
    def _unrolled(self) -> list[Polynomial]:
        """How often the loops around turn that the compiler writes out."""
        counts = self._counts
        loops = [Iteration(loop.identity) for loop in self._facts.loops if "static" in loop.kind]
        return [counts[loop] for loop in loops if loop in counts]

    def _places(
        self, sizes: tuple[int, ...], numbers: Mapping[Atom, int]
    ) -> Iterator[dict[Atom, int]]:
        """The last of all, then those with another lane, iteration or program.

        Of tiles whose size is not known only the first lane and the first iteration are.
        """

        def near(atom: Atom, most: int) -> list[int]:
            if not most:
                return []
            first_only = isinstance(atom, Lane) and not self._blocks.isdisjoint(
                inputs_of(atom.extent)
            )
            if isinstance(atom, Iteration):
                first_only = not self._blocks.isdisjoint(inputs_of(self._counts[atom]))
            found = {0} if first_only else {most - 1, max(most - 2, 0), most // 2, 0}
            return sorted(found, reverse=True)

        return self._chosen(numbers, near)

    def _accesses(self, sizes: tuple[int, ...]) -> Iterator[Reach]:
        """All accesses to tensors whose length is known."""
        for effect in self._facts.effects:
            with suppress(TooLarge, CannotTell):
                reach = reach_of(self._facts, self._binding, effect)
                if reach is not None and _is_known(self._shapes, reach.tensor, self._tensor):
                    yield replace(reach, length=math.prod(self._sizes_of(reach.tensor, sizes)))

    def _beyond(
        self, sizes: tuple[int, ...], trial: Mapping[Atom, int], place: Mapping[Atom, int]
    ) -> Iterator[Overflow]:
        widths = Widths(self._facts, self._binding, trial, uncast=self._uncast)
        for part, form in self._parts.items():
            number = number_of(form, trial)
            if number is None or not widths.is_beyond(part, number):
                continue
            inside = [inner for inner in part.walk() if inner is not part and inner in self._parts]
            known = [(inner, number_of(self._parts[inner], trial)) for inner in inside]
            if not any(n is not None and widths.is_beyond(inner, n) for inner, n in known):
                where = _where(self, sizes, place)
                yield Overflow(part, number, where, self._binding, trial, self._tensor_name)


def _is_apart(form: Polynomial) -> bool:
    """Whether programs are apart: none goes through so many elements by itself."""
    return any(isinstance(a, ProgramId) for a in inputs_of(form))


def _where(access: _Access, sizes: tuple[int, ...], place: Mapping[Atom, int]) -> str:
    programs = [str(n) for atom, n in place.items() if isinstance(atom, ProgramId)]
    shown = programs[0] if len(programs) == 1 else f"({', '.join(programs)})"
    program = f" in program {shown}" if programs else ""
    named = f"{access._tensor_name} of shape {shown_sizes(sizes)}"
    return f"launched in {access._launch.where} with {named}{program}"


def _is_known(shapes: Mapping[Polynomial, Shape], tensor: Polynomial, given: Polynomial) -> bool:
    """Whether the sizes of a tensor are those of the given one, or computed from them."""
    shape = shapes.get(tensor)
    if shape is None:
        return tensor == given
    if shape.like is not None:
        return _is_known(shapes, shape.like, given)
    atoms = [a for size in shape.sizes for a in inputs_of(size)]
    return all(isinstance(a, TensorSize) and _is_known(shapes, a.tensor, given) for a in atoms)


_ROUNDS = 8


def _settled(forms: Sequence[Polynomial], numbers: Mapping[Atom, int]) -> Mapping[Atom, int] | None:
    """The numbers, with what else has one value where no form is negative; None where one is.

    `assert heads == 192` and `assert x.shape[-1] == heads` together say how long `x` is.
    """
    least: dict[Atom, int] = {}
    most: dict[Atom, int] = {}
    known = [parts for form in forms if (parts := _linear(form, numbers)) is not None]
    for _ in range(_ROUNDS):
        for open_ones, rest in known:
            bounds = {a: (most if c > 0 else least).get(a) for a, c in open_ones.items()}
            highest = sum(c * (bounds[a] or 0) for a, c in open_ones.items()) + rest
            if highest < 0 and None not in bounds.values():
                return None
            for atom, factor in open_ones.items():
                others = [(open_ones[a], n) for a, n in bounds.items() if a != atom]
                if any(n is None for _, n in others):
                    continue
                limit = -(rest + sum(c * (n or 0) for c, n in others)) / factor
                if factor > 0:
                    least[atom] = max(math.ceil(limit), least.get(atom, math.ceil(limit)))
                else:
                    most[atom] = min(math.floor(limit), most.get(atom, math.floor(limit)))
    return {**numbers, **{a: n for a, n in least.items() if most.get(a) == n}}


def _linear(
    form: Polynomial, numbers: Mapping[Atom, int]
) -> tuple[dict[Atom, Fraction], Fraction] | None:
    """(how often each atom without a number is in it, the rest); None where one is in a product."""
    open_ones: dict[Atom, Fraction] = {}
    rest = Fraction(0)
    for monomial, coefficient in form.terms.items():
        left: list[Atom] = []
        for atom, power in monomial:
            number = number_of(Polynomial.of(atom), numbers)
            if number is not None and (number or power > 0):
                coefficient *= Fraction(number) ** power
            elif power != 1:
                return None
            else:
                left.append(atom)
        if len(left) > 1:
            return None
        if left:
            open_ones[left[0]] = open_ones.get(left[0], Fraction(0)) + coefficient
        else:
            rest += coefficient
    return {atom: factor for atom, factor in open_ones.items() if factor}, rest


class Widths:
    """How many bits integers have at one launch, where what it passes are these numbers; without
    one, where integers that are passed fit 32 bits."""

    def __init__(
        self,
        facts: KernelFacts,
        binding: LaunchBinding | None,
        numbers: Mapping[Atom, int],
        wide: frozenset[Value] = frozenset(),
        narrow: frozenset[Value] = frozenset(),
        uncast: bool = False,
    ) -> None:
        self._facts = facts
        self._binding = binding
        self._numbers = numbers
        self._uncast = uncast
        self._known: dict[Value, int | None] = dict.fromkeys(narrow, _NARROW)
        self._known |= dict.fromkeys(wide, _WIDE)
        """None where the width is not known."""

    def is_beyond(self, value: Value, number: int) -> bool:
        return not -(2**31) <= number < 2**31 and self.of(value) == _NARROW

    def of(self, value: Value) -> int | None:
        if value not in self._known:
            self._known[value] = None  # of what rests on itself nothing is known
            self._known[value] = self._find(value)
        return self._known[value]

    def _find(self, value: Value) -> int | None:
        op = value.op
        if op is Op.CONST:
            number = value.constant
            if not isinstance(number, int):
                return None
            return _PYTHON if -(2**31) <= number < 2**31 else _WIDE
        if op is Op.CONSTEXPR:
            return _PYTHON
        if op is Op.PARAM:
            return self._passed(value)
        if op in (Op.PROGRAM_ID, Op.NUM_PROGRAMS, Op.LANE):
            return _NARROW
        if op is Op.CAST:
            if self._uncast and value.dtype == "int64":
                return self.of(value.operand)
            return {"int32": _NARROW, "int64": _WIDE, "uint64": _WIDE}.get(value.dtype or "")
        if op is Op.ITERATION:
            return self._counted(value)
        if op is Op.LOAD:
            types = self._facts.types.of(value)
            exact = next(iter(types.seen)) if types.by_launch and len(types.seen) == 1 else ""
            return {"int32": _NARROW, "int64": _WIDE, "uint64": _WIDE}.get(exact)
        if op in _SAME:
            return self.of(value.operand)
        if op is Op.PHI:
            asked = self._facts.forms.condition(value.condition)
            asked = substitute(asked, self._binding) if self._binding is not None else asked
            holds = number_of(asked, self._numbers)
            if holds is not None:
                return self.of(value.then if holds else value.other)
            then, other = self.of(value.then), self.of(value.other)
            return then if then == other else None
        if op in (Op.CARRIED, Op.RESULT):
            # A loop gives what it carries no other type than it had before.
            loop = self._facts.loops[value.carrier.loop]
            return self._as_tensor(self.of(loop.initial[value.carrier.name]))
        if op in _COMBINING:
            return self._combined(value.operands)
        return None

    def _passed(self, parameter: Value) -> int | None:
        types = self._facts.types.of(parameter)
        if types.some_in(frozenset({"int64", "uint64"})):
            return _WIDE
        if types.seen and not types.seen <= {"int32", "int"}:
            return None
        if self._binding is None:
            return _NARROW
        passed = self._binding.values.get(Param(parameter.name))
        number = number_of(passed, self._numbers) if passed is not None else None
        if number is None:
            return None
        return _NARROW if -(2**31) <= number < 2**31 else _WIDE

    def _counted(self, iteration: Value) -> int | None:
        """A loop counts in the widest type of its bounds."""
        loop = next((one for one in self._facts.loops if one.iteration is iteration), None)
        if loop is not None and loop.kind.endswith("static_range"):
            return _PYTHON
        bounds = [] if loop is None else loop.bounds
        return self._as_tensor(self._combined(bounds)) if bounds else None

    @staticmethod
    def _as_tensor(width: int | None) -> int | None:
        return _NARROW if width == _PYTHON else width

    def _combined(self, operands: Sequence[Value]) -> int | None:
        widths = [self.of(operand) for operand in operands]
        known = [width for width in widths if width is not None]
        return max(known) if len(known) == len(widths) else None


def _blocks_of(form: Polynomial) -> Iterator[Atom]:
    """What decides how large the tiles of a form are, and cannot be followed."""
    for leaf in form.leaves():
        if isinstance(leaf, Lane):
            yield from (a for a in inputs_of(leaf.extent) if not isinstance(a, _VARYING))


def _sizes_in(call: ast.Call) -> list[ast.expr]:
    match call.args:
        case [ast.Tuple(elts=sizes) | ast.List(elts=sizes)]:
            return sizes
    return call.args


def _viewed_as(tensor: Polynomial, sizes: Sequence[Polynomial]) -> Shape | None:
    """The shape of `x.view(-1, n)`; None where it cannot be read."""
    open_ones = [i for i, size in enumerate(sizes) if size.constant_value == -1]
    if not sizes or len(open_ones) > 1:
        return None
    known = ONE
    for size in (size for i, size in enumerate(sizes) if i not in open_ones):
        known = known * size
    whole = Polynomial.of(TensorSize(tensor, "numel", ()))
    rest = whole if known == ONE else Polynomial.of(FloorDiv(whole, known, "static"))
    return Shape(tuple(rest if i in open_ones else size for i, size in enumerate(sizes)))


def bounds_of(effect: Effect) -> Iterator[Value]:
    """What decides where an access ends: its mask, the `if`s around it, the bounds of its loops.

    Where these wrap around, wide offsets do not help.
    """
    if effect.mask is not None:
        yield effect.mask
    yield from (guard.condition for guard in effect.guards)
    for loop in effect.loops:
        yield from (bound for bound in (loop.start, loop.stop) if bound is not None)
