"""How large the buffers are that a launch passes: a store that goes beyond one, in numbers.

A tensor is as large as its launcher makes it (`torch.empty((m, n))`, `torch.empty_like(x)`), and
one that the launcher was given is taken to be contiguous, with as many dimensions as the launcher
asks about. Numbers are put in for the sizes of one such tensor; where anything else decides, its
size or a plain argument of the launcher, nothing is said: what callers pass together is theirs.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice, product
from typing import TYPE_CHECKING, ClassVar

from tritonopt.facts.algebra.atoms import (
    Iteration,
    Lane,
    LauncherParameter,
    NumPrograms,
    Param,
    PowerOfTwo,
    ProgramId,
    SameShape,
    TensorSize,
)
from tritonopt.facts.algebra.divisibility import replaced, substitute
from tritonopt.facts.algebra.polynomial import Atom, Polynomial, TooLarge
from tritonopt.facts.effects import Effect, EffectKind
from tritonopt.facts.host.callers import passes_any_size, rank_of
from tritonopt.facts.host.launcher_code import forms_at, place_atom
from tritonopt.facts.host.local_names import names_of
from tritonopt.facts.host.reach import reach_of
from tritonopt.facts.host.tensor_expressions import allocation, same_shape
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.memory.circumstances import (
    MOST_SWITCHES,
    Dimensions,
    defaults_of,
    factors,
    inputs_of,
    is_per_lane,
    says_sizes,
    stated_by_kernel,
    switches_in,
    written_in,
)
from tritonopt.facts.memory.offsets import Evaluator, evaluator, number_of
from tritonopt.source import Launch
from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts

_LENGTHS = (5, 3, 1, 8, 100, 7, 64, 33, 1000)
MAX_TRIALS = 60
_FREE = (LauncherParameter, TensorSize, SameShape)
"""What the caller decides beside the tensors in question."""
MAX_RANK = 3
MAX_PLACES = 4000
MOST_STORED = 50_000
MAX_CHOSEN = 20
MOST_DRAWN = 2000


@dataclass(frozen=True)
class Shape:
    """The sizes of a tensor: forms of the host, or those of another tensor."""

    sizes: tuple[Polynomial, ...] = ()
    like: Polynomial | None = None


def find_overruns(facts: KernelFacts) -> Iterator[tuple[Effect, str]]:
    """Accesses beyond their buffer, and sizes for which they are, in words."""
    if facts.launches.unknown:
        return
    launches = [
        launch
        for launch in facts.launches.launches
        if sizes_are_seen(launch) and passes_any_size(launch)
    ]
    for effect in facts.effects if launches else ():
        if effect.kind in (EffectKind.STORE, EffectKind.ATOMIC, EffectKind.LOAD):
            numbers = _find_overrun(facts, launches, effect)
            if numbers:
                yield effect, numbers


def _find_overrun(facts: KernelFacts, launches: Sequence[Launch], store: Effect) -> str:
    if store.pointer is None:
        return ""
    for launch in launches:
        for binding in (w for w in facts.launches.bindings if w.launch is launch):
            try:
                found = _Overrun(facts, launch, binding, store).run()
            except (CannotTell, TooLarge):
                found = ""
            if found:
                return found
    return ""


class CannotTell(Exception):
    """Something decides that numbers cannot be put in for."""


class SizesOfStore:
    """The tensors on whose sizes one store of one launch depends, under one configuration."""

    _ends_at_buffer: ClassVar[bool] = True
    """Whether it is asked where the buffer ends."""
    _leaves_open: ClassVar[bool] = False
    """Whether what is left to the caller, and is true or false, may be either."""
    _most_tensors: ClassVar[int] = 1
    """Of how many tensors the sizes may decide."""

    _free: frozenset[Atom] = frozenset()
    """Arguments of the launcher that may be any number."""

    def __init__(
        self, facts: KernelFacts, launch: Launch, binding: LaunchBinding, store: Effect
    ) -> None:
        self._facts = facts
        self._launch = launch
        self._binding = with_programs(binding)
        self._verb = "reads" if store.kind is EffectKind.LOAD else "writes to"
        assert store.pointer is not None
        base, offset = facts.forms.address(store.pointer)
        if base is None:
            raise CannotTell
        self._base = base
        self._binding = self._measured(self._binding)
        self._offset = self._host(offset)
        self._conditions = [
            (self._host(form), holds) for form, holds in conditions_of(facts, store)
        ]
        stated = [self._host(form) for form in stated_by_kernel(facts)]
        self._checks = [*self._binding.holding, *(form for form in stated if not is_per_lane(form))]
        if not self._leaves_open:
            self._take_defaults()
        asked = [*(c for c, _ in self._conditions), *self._checks]
        self._switches = switches_in(asked, parameters=self._leaves_open)
        self._counts: dict[Atom, Polynomial] = {}
        for loop in store.loops:
            count = facts.forms.trip_count(loop)
            if count is None:
                raise CannotTell
            self._counts[Iteration(loop.identity)] = self._host(count)
        self._computed: dict[tuple[Polynomial, tuple[int, ...]], tuple[int, ...] | None] = {}
        """Shapes that were computed, by tensor and by the sizes that were put in."""
        self._ranks = self._find_tensors()
        """How many dimensions each given tensor has on whose sizes all depends."""
        self._check_rank()

    def _host(self, form: Polynomial) -> Polynomial:
        return substitute(form, self._binding)

    @cached_property
    def _lengths(self) -> dict[Atom, Polynomial]:
        """The launcher's integers that the buffer is as long as, as the length of a tensor each."""
        made = self._made.get(self._buffer)
        defaults = defaults_of(self._launch)
        return {
            atom: Polynomial.of(TensorSize(Polynomial.of(atom), "size", (0,)))
            for atom in ((size.sole_atom for size in made.sizes) if made is not None else ())
            if isinstance(atom, LauncherParameter) and atom not in defaults
        }

    def _measured(self, binding: LaunchBinding) -> LaunchBinding:
        """The same launch in terms of these lengths."""
        lengths = self._lengths
        if not lengths:
            return binding
        return replace(
            binding,
            values={atom: replaced(form, lengths) for atom, form in binding.values.items()},
            grid=tuple(form and replaced(form, lengths) for form in binding.grid),
            holding=tuple(replaced(check, lengths) for check in binding.holding),
        )

    def _take_defaults(self) -> None:
        """Of what decides on the way to the store, and is left to the caller, the default."""
        defaults = defaults_of(self._launch)
        asked = {a for c, _ in self._conditions for a in inputs_of(c) if a in defaults}
        values = {atom: defaults[atom] for atom in asked}
        if values:
            self._conditions = [(replaced(c, values), holds) for c, holds in self._conditions]
            self._checks = [replaced(check, values) for check in self._checks]

    @cached_property
    def _buffer(self) -> Polynomial:
        """The tensor behind the pointer."""
        passed = self._binding.values.get(Param(self._base))
        if passed is None:
            raise CannotTell
        return passed

    @cached_property
    def _made(self) -> dict[Polynomial, Shape]:
        """The tensors that the launcher makes."""
        assert self._launch.launcher is not None
        form_at = forms_at(self._launch)
        found = {}
        for node in walk(self._launch.launcher):
            if isinstance(node, ast.Call):
                shape = _made(self._launch, form_at, node)
                own = Polynomial.of(place_atom(node))
                if shape is not None and shape.like != own:
                    found[own] = shape
        return found

    @cached_property
    def _shapes(self) -> dict[Polynomial, Shape]:
        """The same in terms of lengths, and those that it checks to be like another tensor."""
        lengths = self._lengths
        found = {
            own: replace(shape, sizes=tuple(replaced(size, lengths) for size in shape.sizes))
            for own, shape in self._made.items()
        }
        for part in (part for check in self._checks for part in factors(check)):
            alike = part.sole_atom
            if isinstance(alike, SameShape):
                one, other = (root_of(found, tensor) for tensor in alike.inside)
                if one != other and one not in found:
                    found[one] = Shape(like=other)
                elif one != other and other not in found:
                    found[other] = Shape(like=one)
        return found

    @cached_property
    def _forms(self) -> list[Polynomial]:
        grid = [form for form in self._binding.grid if form is not None]
        return [self._offset, *(c for c, _ in self._conditions), *self._counts.values(), *grid]

    def _inputs(self, form: Polynomial) -> Iterator[Atom]:
        """What a form is computed from, but for what is true or false whatever the sizes are."""
        return inputs_of(form, self._switches)

    def _find_tensors(self) -> dict[Polynomial, int]:
        """The given tensors on whose sizes all depends, and how many dimensions each has."""
        asked: list[tuple[Polynomial, tuple[int, ...]]] = [(self._buffer, ())]
        for form in self._forms:
            for atom in self._inputs(form):
                if isinstance(atom, TensorSize):
                    asked.append((atom.tensor, atom.which))
                elif not isinstance(atom, (Lane, ProgramId, Iteration)) and atom not in self._free:
                    raise CannotTell
        found = self._given_tensors(asked)
        if not 0 < len(found) <= self._most_tensors:
            raise CannotTell
        return {tensor: _least_rank(found[tensor]) for tensor in sorted(found, key=_key)}

    def _given_tensors(
        self, asked: list[tuple[Polynomial, tuple[int, ...]]]
    ) -> dict[Polynomial, set[int]]:
        """The given tensors that what is asked of some tensors comes from, and which sizes."""
        found: dict[Polynomial, set[int]] = {}
        seen: set[tuple[Polynomial, tuple[int, ...]]] = set()
        while asked:
            tensor, which = asked.pop()
            if (tensor, which) in seen:
                continue
            seen.add((tensor, which))
            shape = self._shapes.get(tensor)
            if shape is not None and shape.like is not None:
                asked.append((shape.like, which))
            elif shape is not None:
                asked += [_asked(atom) for size in shape.sizes for atom in inputs_of(size)]
            else:
                if not self._name_of(tensor):
                    raise CannotTell
                found.setdefault(tensor, set()).update(which)
        return found

    @property
    def _tensor(self) -> Polynomial:
        return next(iter(self._ranks))

    @property
    def _rank(self) -> int:
        return self._ranks[self._tensor]

    @property
    def _tensor_name(self) -> str:
        """The launcher's parameter that the one tensor is."""
        return self._name_of(self._tensor)

    def _name_of(self, tensor: Polynomial) -> str:
        """The launcher's name for a tensor that it is given; "" for any other."""
        given = tensor.sole_atom
        return given.name if isinstance(given, LauncherParameter) else ""

    def _check_rank(self) -> None:
        """Raises CannotTell where more dimensions would make the buffer larger, or it is fixed."""
        root = root_of(self._shapes, self._buffer)
        shape = self._shapes.get(root)
        fixed = shape is not None and all(size.constant_value is not None for size in shape.sizes)
        if fixed and self._ends_at_buffer:
            raise CannotTell  # which tensors fit it is for the caller to know
        inputs = (atom for form in self._forms for atom in self._inputs(form))
        lengths = (a for a in inputs if isinstance(a, TensorSize) and a.method != "stride")
        if self._ends_at_buffer and not any(lengths):
            self._note_open_end()  # and here as well
        sizes = [] if shape is None else shape.sizes
        atoms = [a for form in (*self._forms, *sizes) for a in self._given(form)]
        for tensor, rank in self._ranks.items():
            own = [atom for atom in atoms if atom.tensor == tensor]
            indexed = any(atom.which for atom in own)
            whole = root == tensor or any(
                a.method in ("numel", "stride") or not a.which for a in own
            )
            known = rank_of(self._launch, self._name_of(tensor))
            if (known or rank) > MAX_RANK:
                raise CannotTell
            unasked = root == tensor and not own
            if known is None and (unasked or (indexed and whole)):
                self._note_open_end()
            self._ranks[tensor] = known or rank

    def _note_open_end(self) -> None:
        """Of more dimensions than are seen the buffer would be longer."""
        raise CannotTell

    def _given(self, form: Polynomial) -> Iterator[TensorSize]:
        """The sizes of given tensors that a form is computed from."""
        for atom in self._inputs(form):
            if isinstance(atom, TensorSize):
                root = root_of(self._shapes, atom.tensor)
                shape = self._shapes.get(root)
                if shape is None:
                    yield TensorSize(root, atom.method, atom.which)
                for size in () if shape is None else shape.sizes:
                    yield from self._given(size)


class Trial(SizesOfStore):
    """One store under one configuration of one launch, with numbers for all sizes."""

    _end_is_open = False
    """Whether where the buffer ends is not known."""

    def run(self) -> str:
        if len(self._ranks) > 1:
            return self._run_for_several()
        tried = islice(self._sizes_to_try, MOST_DRAWN)
        allowed = ((s, n) for s in tried for n in self._settings(s))
        for sizes, numbers in islice(allowed, MAX_TRIALS):
            if found := self._violation(sizes, numbers):
                return found
        return ""

    def _run_for_several(self) -> str:
        """The same where several tensors decide: callers may pass only what fits together.

        So it must go wrong however long one is beside another.
        """
        found = []
        for sizes in self._dims.apart():
            for numbers in self._settings(sizes):
                text = self._violation(sizes, numbers)
                if not text:
                    return ""
                found.append(text)
        return found[0] if len(found) > 2 else ""

    @cached_property
    def _dims(self) -> Dimensions:
        return Dimensions(self._ranks, self._checks)

    @property
    def _sizes_to_try(self) -> Iterator[tuple[int, ...]]:
        return self._dims.sizes((*_LENGTHS, *written_in(self._asked_for)))

    @cached_property
    def _asked_for(self) -> list[Polynomial]:
        """Conditions of the launcher and of the kernel."""
        return [*self._checks, *(condition for condition, _ in self._conditions)]

    def _settings(self, sizes: tuple[int, ...]) -> Iterator[dict[Atom, int]]:
        """What these sizes come to, for every answer to what is asked beside them."""
        numbers = self._numbers(sizes)
        required = {part.sole_atom for check in self._checks for part in factors(check)}
        numbers |= {switch: 1 for switch in self._switches if switch in required}
        left = [switch for switch in self._switches if switch not in required]
        if len(left) > MOST_SWITCHES:
            raise CannotTell
        for answers in product((0, 1), repeat=len(left)):
            setting = {**numbers, **dict(zip(left, answers, strict=True))}
            if self._is_allowed(setting):
                yield setting

    def _numbers(self, sizes: tuple[int, ...]) -> dict[Atom, int]:
        """What the sizes and what is computed from them come to."""
        numbers: dict[Atom, int] = {atom: self._size(atom, sizes) for atom in self._sized}
        self._add_powers(numbers)
        for check in self._checks:
            for leaf in check.leaves():
                with suppress(CannotTell):
                    if isinstance(leaf, TensorSize):
                        numbers[leaf] = self._size(leaf, sizes)
                    elif isinstance(leaf, SameShape):
                        one, other = (self._sizes_of(tensor, sizes) for tensor in leaf.inside)
                        numbers[leaf] = int(one == other)
        return numbers

    def _add_powers(self, numbers: dict[Atom, int]) -> None:
        """Those of two that are computed from the numbers."""
        for atom in self._powers:
            number = number_of(atom.form, numbers)
            if number is None or number < 1:
                raise CannotTell
            numbers[atom] = 1 << (number - 1).bit_length()

    @cached_property
    def _numbered(self) -> list[Polynomial]:
        """All that must have a number."""
        return [*self._forms, *(extent for form in self._forms for extent in _extents(form))]

    @cached_property
    def _sized(self) -> list[TensorSize]:
        """The sizes that they are computed from."""
        atoms = (atom for form in self._numbered for atom in self._inputs(form))
        return list(dict.fromkeys(atom for atom in atoms if isinstance(atom, TensorSize)))

    @cached_property
    def _powers(self) -> list[PowerOfTwo]:
        """The powers of two that are computed from these."""
        atoms = (atom for form in self._numbered for atom in form.leaves())
        return list(dict.fromkeys(atom for atom in atoms if isinstance(atom, PowerOfTwo)))

    def _size(self, size: TensorSize, sizes: tuple[int, ...]) -> int:
        shape = self._sizes_of(size.tensor, sizes)
        if size.method == "dim":
            return len(shape)
        if size.method == "numel" or not size.which:
            return math.prod(shape)
        index = size.which[0]
        if not -len(shape) <= index < len(shape):
            raise CannotTell
        if size.method == "stride":
            return math.prod(shape[index % len(shape) + 1 :])
        return shape[index]

    def _sizes_of(self, tensor: Polynomial, sizes: tuple[int, ...]) -> tuple[int, ...]:
        key = (tensor, sizes)
        if key not in self._computed:
            self._computed[key] = None  # a shape that rests on itself is none
            self._computed[key] = self._compute_sizes(tensor, sizes)
        known = self._computed[key]
        if known is None:
            raise CannotTell
        return known

    def _compute_sizes(self, tensor: Polynomial, sizes: tuple[int, ...]) -> tuple[int, ...]:
        shape = self._shapes.get(tensor)
        if shape is None:
            return self._given_sizes(tensor, sizes)
        if shape.like is not None:
            return self._sizes_of(shape.like, sizes)
        found = []
        for form in shape.sizes:
            inside: dict[Atom, int] = {
                a: self._size(a, sizes) for a in inputs_of(form) if isinstance(a, TensorSize)
            }
            number = number_of(form, inside)
            if number is None:
                raise CannotTell
            found.append(number)
        return tuple(found)

    def _given_sizes(self, tensor: Polynomial, sizes: tuple[int, ...]) -> tuple[int, ...]:
        """Of the sizes of all given tensors those of one."""
        start = 0
        for each, rank in self._ranks.items():
            if each == tensor:
                return sizes[start : start + rank]
            start += rank
        raise CannotTell

    def _is_allowed(self, numbers: Mapping[Atom, int]) -> bool:
        """Whether the launcher lets these sizes come to the launch, of whatever else it is given.

        Raises CannotTell where that is not known.
        """
        pending = []
        free: dict[Atom, None] = {}
        for check in self._checks:
            number = number_of(check, numbers)
            if number == 0:
                return False
            if number is None:
                pending.append(check)
                free |= dict.fromkeys(a for a in self._inputs(check) if a not in numbers)
        if not pending:
            return True
        if len(free) > 2 or not all(isinstance(a, _FREE) for a in free):
            raise CannotTell
        chosen = sorted({*numbers.values(), *_LENGTHS[:5], *written_in(pending)})[:MAX_CHOSEN]
        return any(
            all(number_of(c, {**numbers, **dict(zip(free, given, strict=True))}) for c in pending)
            for given in product(chosen, repeat=len(free))
        )

    def _violation(self, sizes: tuple[int, ...], numbers: dict[Atom, int]) -> str:
        length = math.prod(self._sizes_of(self._buffer, sizes))
        if not self._comes_about(numbers, [c for c in self._conditions if self._is_even(c[0])]):
            return ""
        places = self._places(sizes, numbers)
        for place, element in reached(self, islice(places, MAX_PLACES), numbers):
            if element < 0 or (element >= length and not self._end_is_open):
                return self._told(sizes, length, element, place)
        return ""

    def _is_even(self, condition: Polynomial) -> bool:
        """Whether it is the same in all programs, iterations and lanes."""
        return not any(isinstance(a, (Lane, ProgramId, Iteration)) for a in self._inputs(condition))

    def _places(
        self, sizes: tuple[int, ...], numbers: Mapping[Atom, int]
    ) -> Iterator[dict[Atom, int]]:
        """Programs, iterations and lanes to look at: the first, the last, and around the sizes."""

        def near(atom: Atom, most: int) -> list[int]:
            found = {0, 1, most - 1, *(s + d for s in sizes for d in (-1, 0))}
            if isinstance(atom, Lane):  # of the last tile
                found |= {s % most + d for s in lengths for d in (-1, 0)}
            return sorted(n for n in found if 0 <= n < most)

        lengths = {*sizes, math.prod(self._sizes_of(self._buffer, sizes))}

        return self._chosen(numbers, near)

    def _chosen(
        self, numbers: Mapping[Atom, int], choices: Callable[[Atom, int], Sequence[int]]
    ) -> Iterator[dict[Atom, int]]:
        """All places of which each part is among the choices for it, of so many that there are."""

        def rest(place: dict[Atom, int], atoms: Sequence[Atom]) -> Iterator[dict[Atom, int]]:
            if not atoms:
                yield place
                return
            # A program goes through tiles of its own number, and so many as are left for it.
            most = self._most(atoms[0], {**numbers, **place})
            if most is None:
                raise CannotTell
            for number in choices(atoms[0], most):
                yield from rest({**place, atoms[0]: number}, atoms[1:])

        return rest({}, self._varying)

    @cached_property
    def _varying(self) -> list[Atom]:
        """Programs, iterations and lanes."""
        atoms = {
            a for form in self._forms for a in self._inputs(form) if not isinstance(a, TensorSize)
        }
        return sorted(atoms, key=lambda a: (not isinstance(a, ProgramId), a.key))

    def _most(self, atom: Atom, numbers: Mapping[Atom, int]) -> int | None:
        """How many values it takes."""
        if isinstance(atom, Lane):
            number = number_of(atom.extent, numbers)
            return number if number and not number & (number - 1) else None
        if isinstance(atom, Iteration):
            count = self._counts.get(atom)
            return number_of(count, numbers) if count is not None else None
        assert isinstance(atom, ProgramId)
        programs = self._binding.programs(atom)
        return number_of(programs, numbers) if programs is not None else None

    def _comes_about(
        self, trial: Mapping[Atom, int], among: Sequence[tuple[Polynomial, bool]] | None = None
    ) -> bool:
        for condition, holds in self._conditions if among is None else among:
            number = number_of(condition, trial)
            if number is None:
                raise CannotTell
            if bool(number) != holds:
                return False
        return True

    def _told(
        self, sizes: tuple[int, ...], length: int, element: int, place: Mapping[Atom, int]
    ) -> str:
        shapes = [self._shown(tensor, sizes) for tensor in self._ranks]
        programs = [str(n) for a, n in place.items() if isinstance(a, ProgramId)]
        lanes = [str(n) for a, n in place.items() if isinstance(a, Lane)]
        trips = [str(n) for a, n in place.items() if isinstance(a, Iteration)]
        where = [
            f"{what} {numbers[0] if len(numbers) == 1 else '(' + ', '.join(numbers) + ')'}"
            for what, numbers in (("lane", lanes), ("iteration", trips), ("program", programs))
            if numbers
        ]
        return (
            f"launched in {self._launch.where} with {' and '.join(shapes)}, "
            f"{' of '.join(where) or 'the access'} {self._verb} element {element} of {self._base}, "
            f"which has {length} elements"
        )

    def _shown(self, tensor: Polynomial, sizes: tuple[int, ...]) -> str:
        """The sizes of a given tensor, in words; of an integer that is a length, its number."""
        name, given = self._name_of(tensor), self._given_sizes(tensor, sizes)
        if tensor.sole_atom in self._lengths:
            return f"{name} = {given[0]}"
        return f"{name} of shape {shown_sizes(given)}"


class _Overrun(Trial):
    """Whether a store goes beyond its buffer."""

    _most_tensors = 3

    def _note_open_end(self) -> None:
        self._end_is_open = True


def find_left_out(facts: KernelFacts) -> Iterator[tuple[Effect, str]]:
    """Stores that reach fewer elements under one of the tuner's configurations than another.

    The grid is the same under both, and a program stores another number of elements.
    """
    tuners = [d for d in facts.kernel.node.decorator_list if isinstance(d, ast.Call)]
    pruned = any(k.arg in (None, "prune_configs_by") for d in tuners for k in d.keywords)
    writes = [effect for effect in facts.effects if effect.writes]
    for store in writes if not (pruned or any(len(d.args) > 2 for d in tuners)) else ():
        bases = [facts.bases(write) for write in writes]
        own = facts.bases(store)
        if store.kind is EffectKind.STORE and own is not None and None not in bases:
            alone = sum(not own.isdisjoint(each or own) for each in bases) == 1
            text = _find_left_out(facts, store) if alone else ""
            if text:
                yield store, text


def _find_left_out(facts: KernelFacts, store: Effect) -> str:
    for launch in filter(sizes_are_seen, facts.launches.launches):
        bindings = [b for b in facts.launches.bindings if b.launch is launch]
        for other in bindings[1:]:
            try:
                one, another = (_Reached(facts, launch, b, store) for b in (bindings[0], other))
                if one.is_apart(another) and (text := one.compare(another)):
                    return text
            except (CannotTell, TooLarge):
                continue
    return ""


class _Reached(Trial):
    """All that a store reaches under one of the tuner's configurations."""

    _ends_at_buffer = False

    def is_apart(self, other: _Reached) -> bool:
        """Whether programs that are as many are apart by another number of elements."""
        programs = [atom for atom in self._varying if isinstance(atom, ProgramId)]
        return self._binding.grid == other._binding.grid and any(
            self._offset.coefficient(atom) != other._offset.coefficient(atom) for atom in programs
        )

    def compare(self, other: _Reached) -> str:
        """Sizes for which the one or the other leaves elements out, in words."""
        for sizes in islice(self._sizes_to_try, MAX_TRIALS):
            settings = zip(self._settings(sizes), other._settings(sizes), strict=False)
            for mine, theirs in settings:
                one, another = self._elements(mine), other._elements(theirs)
                if one is None or another is None:
                    continue
                if one < another:
                    return self._told_left_out(other, sizes, len(one), len(another))
                if another < one:
                    return other._told_left_out(self, sizes, len(another), len(one))
        return ""

    def _elements(self, numbers: dict[Atom, int]) -> frozenset[int] | None:
        """None where they are too many to be gone through."""
        places = list(islice(self._chosen(numbers, lambda _, most: range(most)), MOST_STORED + 1))
        if len(places) > MOST_STORED:
            return None
        return frozenset(element for _, element in reached(self, places, numbers))

    def _told_left_out(self, more: _Reached, sizes: tuple[int, ...], few: int, many: int) -> str:
        values, others = self._binding.values, more._binding.values
        changed = (atom for atom in values if values[atom] != others.get(atom))
        chosen = [atom for atom in changed if isinstance(atom, Param) and atom in others]
        mine, theirs = (
            " and ".join(f"{atom.name} = {given[atom].readable}" for atom in chosen)
            for given in (values, others)
        )
        return (
            f"launched in {self._launch.where} with {self._tensor_name} of shape "
            f"{shown_sizes(sizes)}, it stores {few} elements of {self._base} where the tuner "
            f"chooses {mine}, and {many} where it chooses {theirs}"
        )


def shown_sizes(sizes: Sequence[int]) -> str:
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"


def _key(form: Polynomial) -> str:
    return form.key


def root_of(shapes: Mapping[Polynomial, Shape], tensor: Polynomial) -> Polynomial:
    """The tensor whose sizes one has."""
    seen = {tensor}
    while (shape := shapes.get(tensor)) is not None and shape.like is not None:
        tensor = shape.like
        if tensor in seen:
            raise CannotTell
        seen.add(tensor)
    return tensor


def _least_rank(which: Iterable[int]) -> int:
    """How many dimensions there are at least, of which some are counted from the end."""
    indices = list(which)
    first = max((i + 1 for i in indices if i >= 0), default=0)
    last = max((-i for i in indices if i < 0), default=0)
    return max(first + last, 1)


def reached(
    trial: Trial, places: Iterable[dict[Atom, int]], numbers: Mapping[Atom, int]
) -> Iterator[tuple[dict[Atom, int], int]]:
    """The places of a trial that come about, and the element that each of them goes to."""
    slots = {atom: index for index, atom in enumerate(trial._varying)}
    conditions = [(evaluator(form, numbers, slots), holds) for form, holds in trial._conditions]
    offset = evaluator(trial._offset, numbers, slots)
    for place in places:
        values = [place[atom] for atom in slots]
        if _holds(conditions, values):
            element = offset(values)
            if element is None:
                raise CannotTell
            yield place, element


def _holds(conditions: Sequence[tuple[Evaluator, bool]], values: Sequence[int]) -> bool:
    for condition, holds in conditions:
        number = condition(values)
        if number is None:
            raise CannotTell
        if bool(number) != holds:
            return False
    return True


def with_programs(binding: LaunchBinding) -> LaunchBinding:
    """The same, which says of `tl.num_programs` what the grid says."""
    counts: dict[Atom, Polynomial] = {
        NumPrograms(Polynomial.constant(axis)): number
        for axis, number in enumerate(binding.grid)
        if number is not None
    }
    return replace(binding, values={**binding.values, **counts})


def conditions_of(facts: KernelFacts, store: Effect) -> Iterator[tuple[Polynomial, bool]]:
    """What must hold for a lane to be stored or loaded: its mask, and the `if`s on the way.

    Raises CannotTell where the kernel may end before in a way that is not followed.
    """
    if store.mask is not None and not store.mask.is_none:
        yield facts.forms.condition(store.mask), True
    for guard in store.guards:
        yield facts.forms.condition(guard.condition), guard.holds
    for effect in facts.effects:
        if effect.kind is EffectKind.EXIT and effect.order < store.order:
            if len(effect.guards) != 1 or effect.loops or effect.name != "return":
                raise CannotTell
            guard = effect.guards[0]
            yield facts.forms.condition(guard.condition), not guard.holds


def _asked(atom: Atom) -> tuple[Polynomial, tuple[int, ...]]:
    if not isinstance(atom, TensorSize):
        raise CannotTell
    return atom.tensor, atom.which


def _extents(form: Polynomial) -> Iterator[Polynomial]:
    for leaf in form.leaves():
        if isinstance(leaf, Lane):
            yield leaf.extent


def _made(
    launch: Launch, form_at: Callable[[ast.expr], Polynomial], call: ast.Call
) -> Shape | None:
    """The shape of a new tensor, or of a view of a whole one; None for any other call."""
    made = allocation(launch.module, call)
    if made is not None and made.sizes is not None:
        return Shape(tuple(form_at(size) for size in made.sizes))
    like = same_shape(launch.module, call) if made is None else made.shaped_like
    return None if like is None else Shape(like=form_at(like))


@lru_cache(maxsize=32)
def sizes_are_seen(launch: Launch) -> bool:
    """Whether nothing gives what is passed other sizes, or says them, out of sight."""
    if launch.launcher is None or says_sizes(launch):
        return False
    return not names_of(launch.launcher).reshapes and not _is_out_of_sight(launch)


def _is_out_of_sight(launch: Launch) -> bool:
    """Whether code that is not known may have given what is passed other sizes, or other memory."""
    assert launch.launcher is not None
    reach = reach_of(launch.module, launch.launcher)
    end = launch.call.end_lineno or launch.call.lineno
    names = (n.id for a in launch.arguments.values() for n in walk(a) if isinstance(n, ast.Name))
    return any(reach.is_reached(name, end) for name in names)
