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
    TensorSize,
)
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.polynomial import Atom, Polynomial, TooLarge
from tritonopt.facts.effects import Effect, EffectKind
from tritonopt.facts.host.callers import passes_any_size, rank_of
from tritonopt.facts.host.launcher_code import forms_at, place_atom
from tritonopt.facts.host.local_names import names_of
from tritonopt.facts.host.reach import reach_of
from tritonopt.facts.host.tensor_expressions import allocation, same_shape
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.memory.offsets import Evaluator, evaluator, number_of
from tritonopt.source import Launch
from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts

_CHECKED = frozenset(
    {"is_cuda", "is_contiguous", "dim", "ndim", "dtype", "device", "requires_grad"}
)

_LENGTHS = (5, 3, 1, 8, 100, 7, 64, 33, 1000)
MAX_TRIALS = 60
MAX_RANK = 3
MAX_PLACES = 4000


@dataclass(frozen=True)
class Shape:
    """The sizes of a tensor: forms of the host, or those of another tensor."""

    sizes: tuple[Polynomial, ...] = ()
    like: Polynomial | None = None


def find_overruns(facts: KernelFacts) -> Iterator[tuple[Effect, str]]:
    """Stores and atomics that write beyond their buffer, and sizes for which they do, in words."""
    if facts.launches.unknown:
        return
    launches = [
        launch
        for launch in facts.launches.launches
        if checks_are_understood(launch) and passes_any_size(launch)
    ]
    for effect in facts.effects if launches else ():
        if effect.kind in (EffectKind.STORE, EffectKind.ATOMIC):
            numbers = _find_overrun(facts, launches, effect)
            if numbers:
                yield effect, numbers


def _find_overrun(facts: KernelFacts, launches: Sequence[Launch], store: Effect) -> str:
    if store.pointer is None:
        return ""
    for launch in launches:
        bindings = [w for w in facts.launches.bindings if w.launch is launch]
        for binding in (w for w in bindings if not w.unread):
            try:
                found = Trial(facts, launch, binding, store).run()
            except (CannotTell, TooLarge):
                found = ""
            if found:
                return found
    return ""


class CannotTell(Exception):
    """Something decides that numbers cannot be put in for."""


class Trial:
    """One store under one configuration of one launch."""

    _ends_at_buffer: ClassVar[bool] = True
    """Whether it is asked where the buffer ends."""

    def __init__(
        self, facts: KernelFacts, launch: Launch, binding: LaunchBinding, store: Effect
    ) -> None:
        self._facts = facts
        self._launch = launch
        self._binding = with_programs(binding)
        assert store.pointer is not None
        base, offset = facts.forms.address(store.pointer)
        if base is None:
            raise CannotTell
        self._base = base
        self._offset = self._host(offset)
        self._conditions = [
            (self._host(form), holds) for form, holds in conditions_of(facts, store)
        ]
        self._counts: dict[Atom, Polynomial] = {}
        for loop in store.loops:
            count = facts.forms.trip_count(loop)
            if count is None:
                raise CannotTell
            self._counts[Iteration(loop.identity)] = self._host(count)
        self._computed: dict[tuple[Polynomial, tuple[int, ...]], tuple[int, ...] | None] = {}
        """Shapes that were computed, by tensor and by the sizes that were put in."""
        self._tensor, self._rank = self._find_tensor()
        self._check_rank()

    def _host(self, form: Polynomial) -> Polynomial:
        return substitute(form, self._binding)

    @cached_property
    def _buffer(self) -> Polynomial:
        """The tensor behind the pointer."""
        passed = self._binding.values.get(Param(self._base))
        if passed is None:
            raise CannotTell
        return passed

    @cached_property
    def _shapes(self) -> dict[Polynomial, Shape]:
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
    def _forms(self) -> list[Polynomial]:
        grid = [form for form in self._binding.grid if form is not None]
        return [self._offset, *(c for c, _ in self._conditions), *self._counts.values(), *grid]

    def _find_tensor(self) -> tuple[Polynomial, int]:
        """The one tensor on whose sizes all depends, and how many dimensions it has."""
        asked: list[tuple[Polynomial, tuple[int, ...]]] = [(self._buffer, ())]
        for form in self._forms:
            for atom in inputs_of(form):
                if isinstance(atom, TensorSize):
                    asked.append((atom.tensor, atom.which))
                elif not isinstance(atom, (Lane, ProgramId, Iteration)):
                    raise CannotTell
        tensors: set[Polynomial] = set()
        seen: set[tuple[Polynomial, tuple[int, ...]]] = set()
        rank = 1
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
                given = tensor.sole_atom
                if not isinstance(given, LauncherParameter):
                    raise CannotTell
                tensors.add(tensor)
                rank = max([rank, *(i + 1 if i >= 0 else -i for i in which)])
        if len(tensors) != 1 or rank > MAX_RANK:
            raise CannotTell
        return tensors.pop(), rank

    @property
    def _tensor_name(self) -> str:
        """The launcher's parameter that the one tensor is."""
        given = self._tensor.sole_atom
        assert isinstance(given, LauncherParameter)
        return given.name

    def _check_rank(self) -> None:
        """Raises CannotTell where more dimensions would make the buffer larger, or it is fixed."""
        root = self._buffer
        while (shape := self._shapes.get(root)) is not None and shape.like is not None:
            root = shape.like
        fixed = shape is not None and all(size.constant_value is not None for size in shape.sizes)
        if fixed and self._ends_at_buffer:
            raise CannotTell  # which tensors fit it is for the caller to know
        atoms = {a for form in self._forms for a in inputs_of(form) if isinstance(a, TensorSize)}
        if shape is not None:
            atoms |= {
                a for size in shape.sizes for a in inputs_of(size) if isinstance(a, TensorSize)
            }
        indexed = any(atom.which for atom in atoms)
        whole = shape is None or any(
            atom.method in ("numel", "stride") or not atom.which for atom in atoms
        )
        known = rank_of(self._launch, self._tensor_name)
        if (indexed and whole and known is None) or (known or 0) > MAX_RANK:
            raise CannotTell
        self._rank = known or self._rank

    # Numbers

    def run(self) -> str:
        for sizes in islice(product(_LENGTHS, repeat=self._rank), MAX_TRIALS):
            numbers = self._numbers(sizes)
            if self._is_allowed(numbers) and (found := self._violation(sizes, numbers)):
                return found
        return ""

    def _numbers(self, sizes: tuple[int, ...]) -> dict[Atom, int]:
        """What the sizes and what is computed from them come to."""
        numbers: dict[Atom, int] = {atom: self._size(atom, sizes) for atom in self._sized}
        for atom in self._powers:
            number = number_of(atom.form, numbers)
            if number is None or number < 1:
                raise CannotTell
            numbers[atom] = 1 << (number - 1).bit_length()
        return numbers

    @cached_property
    def _numbered(self) -> list[Polynomial]:
        """All that must have a number."""
        return [*self._forms, *(extent for form in self._forms for extent in _extents(form))]

    @cached_property
    def _sized(self) -> list[TensorSize]:
        """The sizes that they are computed from."""
        atoms = (atom for form in self._numbered for atom in inputs_of(form))
        return list(dict.fromkeys(atom for atom in atoms if isinstance(atom, TensorSize)))

    @cached_property
    def _powers(self) -> list[PowerOfTwo]:
        """The powers of two that are computed from these."""
        atoms = (atom for form in self._numbered for atom in form.leaves())
        return list(dict.fromkeys(atom for atom in atoms if isinstance(atom, PowerOfTwo)))

    def _size(self, size: TensorSize, sizes: tuple[int, ...]) -> int:
        shape = self._sizes_of(size.tensor, sizes)
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
            return sizes
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

    def _is_allowed(self, numbers: Mapping[Atom, int]) -> bool:
        """Whether the launcher lets these sizes come to the launch."""
        for form in self._binding.nonnegative:
            number = number_of(form, numbers)
            if number is not None and number < 0:
                return False
        for dividend, divisor in self._binding.multiples:
            a, b = number_of(dividend, numbers), number_of(divisor, numbers)
            if a is not None and b is not None and (b == 0 or a % b):
                return False
        return True

    def _violation(self, sizes: tuple[int, ...], numbers: dict[Atom, int]) -> str:
        length = math.prod(self._sizes_of(self._buffer, sizes))
        places = self._places(sizes, numbers)
        for place, element in reached(self, islice(places, MAX_PLACES), numbers):
            if element >= length or element < 0:
                return self._told(sizes, length, element, place)
        return ""

    def _places(
        self, sizes: tuple[int, ...], numbers: Mapping[Atom, int]
    ) -> Iterator[dict[Atom, int]]:
        """Programs, iterations and lanes to look at: the first, the last, and around the sizes."""

        def near(atom: Atom, most: int) -> list[int]:
            found = {0, 1, most - 1, *(s + d for s in sizes for d in (-1, 0))}
            return sorted(n for n in found if 0 <= n < most)

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
            a for form in self._forms for a in inputs_of(form) if not isinstance(a, TensorSize)
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

    def _comes_about(self, trial: Mapping[Atom, int]) -> bool:
        for condition, holds in self._conditions:
            number = number_of(condition, trial)
            if number is None:
                raise CannotTell
            if bool(number) != holds:
                return False
        return True

    def _told(
        self, sizes: tuple[int, ...], length: int, element: int, place: Mapping[Atom, int]
    ) -> str:
        name = self._tensor_name
        shape = f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"
        programs = [str(n) for a, n in place.items() if isinstance(a, ProgramId)]
        lanes = [str(n) for a, n in place.items() if isinstance(a, Lane)]
        trips = [str(n) for a, n in place.items() if isinstance(a, Iteration)]
        where = [
            f"{what} {numbers[0] if len(numbers) == 1 else '(' + ', '.join(numbers) + ')'}"
            for what, numbers in (("lane", lanes), ("iteration", trips), ("program", programs))
            if numbers
        ]
        return (
            f"launched in {self._launch.where} with {name} of shape {shape}, "
            f"{' of '.join(where) or 'the store'} writes to element {element} of {self._base}, "
            f"which has {length} elements"
        )


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


def inputs_of(form: Polynomial) -> Iterator[Atom]:
    """What a form is computed from: sizes, lanes, programs, iterations, or anything else."""
    for atom in form.atoms:
        if isinstance(atom, (TensorSize, ProgramId, Iteration)):
            yield atom
            continue
        if isinstance(atom, Lane) or not atom.inside:
            yield atom
        for inner in atom.inside:
            yield from inputs_of(inner)


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
def checks_are_understood(launch: Launch) -> bool:
    """Whether all that the launcher checks is of kinds that are read as facts, or about no size."""
    if launch.launcher is None:
        return False
    for node in walk(launch.launcher):
        if isinstance(node, ast.Assert) or (
            isinstance(node, ast.If)
            and any(isinstance(inner, (ast.Raise, ast.Return)) for inner in node.body)
        ):
            if not _is_understood(node.test):
                return False
        elif isinstance(node, ast.While | ast.Try):
            return False
    if names_of(launch.launcher).reshapes:
        return False
    return not _is_out_of_sight(launch)


def _is_out_of_sight(launch: Launch) -> bool:
    """Whether code that is not known may have given what is passed other sizes, or other memory."""
    assert launch.launcher is not None
    reach = reach_of(launch.module, launch.launcher)
    end = launch.call.end_lineno or launch.call.lineno
    names = (n.id for a in launch.arguments.values() for n in walk(a) if isinstance(n, ast.Name))
    return any(reach.is_reached(name, end) for name in names)


def _is_understood(test: ast.expr) -> bool:
    match test:
        case ast.BoolOp(values=values):
            return all(map(_is_understood, values))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _is_understood(operand)
        case ast.Compare(
            ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE() | ast.Eq() | ast.NotEq()]
        ):
            return True
        case ast.BinOp(op=ast.Mod()):
            return True
        case ast.Attribute(attr=attribute) | ast.Call(func=ast.Attribute(attr=attribute)):
            return attribute in _CHECKED
    return False
