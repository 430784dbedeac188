"""What decides beside the sizes whether a launch comes to an access: flags and defaults."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

from tritonopt.facts.algebra.atoms import (
    Compared,
    Constant,
    Flag,
    FloorDiv,
    Iteration,
    Lane,
    LauncherParameter,
    Loaded,
    Mod,
    Negative,
    Param,
    ProgramId,
    SameShape,
    TensorSize,
    Truth,
    Zero,
)
from tritonopt.facts.algebra.divisibility import replaced, stated_tests, substitute
from tritonopt.facts.algebra.polynomial import Atom, Polynomial, TooLarge
from tritonopt.facts.effects import Effect
from tritonopt.facts.host.local_names import names_of
from tritonopt.facts.host.tensor_types import comment_above
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.memory.offsets import number_of
from tritonopt.facts.values import Value
from tritonopt.source import Launch
from tritonopt.source.kernels import parameters_of
from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts

MOST_SWITCHES = 5
_SHAPE = re.compile(r"\[[^\]]*\]")
_SAID = re.compile(r"[\[(]([^\[\]()]*)[\])]")


def inputs_of(form: Polynomial, but: Iterable[Atom] = ()) -> Iterator[Atom]:
    """What a form is computed from: sizes, lanes, programs, iterations, or anything else.

    `but` for what is inside of some atoms.
    """
    for atom in form.atoms:
        if isinstance(atom, Constant) or atom in but:
            continue
        if isinstance(atom, (TensorSize, ProgramId, Iteration, SameShape)):
            yield atom
            continue
        if isinstance(atom, Lane) or not atom.inside:
            yield atom
        for inner in atom.inside:
            yield from inputs_of(inner, but)


def switches_in(forms: Iterable[Polynomial], *, parameters: bool = False) -> list[Atom]:
    """What is true or false whatever the sizes are: `bias is not None`, a type.

    With `parameters` also what is true or false of a parameter: `causal`, `mode == "sum"`.
    """
    found: dict[Atom, None] = {}
    for form in forms:
        for leaf in form.leaves():
            asks = isinstance(leaf, Compared) and leaf.order == "is"
            asks = asks or (parameters and isinstance(leaf, (Truth, Compared)))
            given = [atom for inner in leaf.inside for atom in inputs_of(inner)]
            open_one = asks and given and all(isinstance(a, LauncherParameter) for a in given)
            if isinstance(leaf, Flag) or open_one:
                found[leaf] = None
    return list(found)


@lru_cache(maxsize=32)
def defaults_of(launch: Launch) -> dict[Atom, Polynomial]:
    """The numbers, texts and None that the launcher's parameters have as a default."""
    if launch.launcher is None:
        return {}
    found: dict[Atom, Polynomial] = {}
    for parameter in parameters_of(launch.launcher.args):
        match parameter.default:
            case ast.Constant(value=int() as number):
                found[LauncherParameter(parameter.name)] = Polynomial.constant(int(number))
            case ast.Constant(value=str() as text):
                found[LauncherParameter(parameter.name)] = Polynomial.of(Constant(repr(text)))
    return found


def arms_taken(
    facts: KernelFacts, condition: Value, *, by_default: bool = False
) -> frozenset[bool] | None:
    """The sides of an `if` that some launch takes, whatever the sizes are; None if not known.

    With `by_default` what is left to the caller of a launcher is its default.
    """
    found: set[bool] = set()
    form = facts.forms.condition(condition)
    for binding in facts.launches.bindings:
        try:
            asked = substitute(form, binding)
            if by_default:
                asked = replaced(asked, defaults_of(binding.launch))
        except TooLarge:
            return None
        switches = switches_in([asked])
        if len(switches) > MOST_SWITCHES:
            return None
        for answers in product((0, 1), repeat=len(switches)):
            number = number_of(asked, dict(zip(switches, answers, strict=True)))
            if number is None:
                return None
            found.add(bool(number))
    return frozenset(found) if found else None


def is_left_out(facts: KernelFacts, node: ast.AST) -> bool:
    """Whether a piece of the kernel stands where no launch comes: `if FUSED:`, always False."""
    names = names_of(facts.kernel.node)
    for around, block, _ in names.way_to(names.statement_of(facts.kernel.module, node)):
        if isinstance(around, ast.If) and around.test in facts.values:
            arms = arms_taken(facts, facts.values[around.test])
            if arms is not None and (block is around.body) not in arms:
                return True
    return False


def stated_by_kernel(facts: KernelFacts) -> Iterator[Polynomial]:
    """What the kernel itself says of what it is given, for good or while it is debugged."""
    for test, _ in stated_tests(facts, debugging=True):
        value = facts.values.get(test)
        if value is not None:
            yield facts.forms.condition(value)


def is_per_lane(form: Polynomial) -> bool:
    return any(isinstance(leaf, (Lane, ProgramId, Iteration, Loaded)) for leaf in form.leaves())


def says_sizes(launch: Launch) -> bool:
    """Whether numbers for sizes are written at the launcher: `Float[Tensor, "m 128"]`.

    In annotations, or above it as `verify` reads them: `# tritonopt: x: f32[m, 128]`.
    """
    launcher = launch.launcher
    assert launcher is not None
    arguments = launcher.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    noted = (a.annotation for a in every if a.annotation is not None)
    texts = [n.value for a in noted for n in walk(a) if isinstance(n, ast.Constant)]
    texts += _SHAPE.findall(comment_above(launch.module, launcher))
    return any(isinstance(t, str) and re.search(r"\b\d+\b", t) for t in texts)


def sizes_said(launch: Launch, tensor: str) -> tuple[int | None, ...]:
    """What the launcher's docstring says: `x: [tokens, 512]` is (None, 512); empty for nothing."""
    assert launch.launcher is not None
    for line in (ast.get_docstring(launch.launcher) or "").splitlines():
        for shape in _SAID.findall(line) if re.match(rf"\W*{tensor}\b", line) else ():
            sizes = tuple(int(n) if n.strip().isdigit() else None for n in shape.split(","))
            if len(sizes) > 1 and any(sizes):
                return sizes
    return ()


_FEW, _MANY = 5, 997
_LARGEST = 1 << 14

_Dimension = tuple[Polynomial, int]


class Dimensions:
    """The dimensions of several tensors, one after the other."""

    def __init__(self, ranks: Mapping[Polynomial, int], checks: Sequence[Polynomial]) -> None:
        self._ranks = ranks
        self._all: list[_Dimension] = [(t, i) for t, rank in ranks.items() for i in range(rank)]
        self._same = {dimension: dimension for dimension in self._all}
        self._fixed: dict[_Dimension, int] = {}
        self._steps: dict[_Dimension, int] = {}
        """What the launcher asks sizes to be multiples of."""
        for check in checks:
            self._tie(check)

    def _tie(self, check: Polynomial) -> None:
        """`x.shape[1] == 128` and `x.shape[0] == y.shape[0]`, where they must hold."""
        match check.sole_atom:
            case Zero(form=form):
                difference = form
            case Compared(order="eq", left=left, right=right):
                difference = left - right
            case _:
                for factor in factors(check):
                    if factor != check:
                        self._tie(factor)
                return
        if isinstance(remainder := difference.sole_atom, Mod):
            self._note_step(remainder)
            return
        sizes = {m[0][0]: c for m, c in difference.terms.items() if len(m) == 1 and m[0][1] == 1}
        rest = difference.terms.get((), 0)
        known = [(self._dimension(atom), c) for atom, c in sizes.items()]
        if len(sizes) + (1 if rest else 0) != len(difference.terms):
            return
        match known:
            case [(tuple() as one, c)] if (-rest / c).denominator == 1:
                self._fixed[self._find(one)] = int(-rest / c)
            case [(tuple() as one, c), (tuple() as other, d)] if c == -d and not rest:
                first, second = self._find(one), self._find(other)
                self._same[second] = first
                if second in self._fixed:
                    self._fixed.setdefault(first, self._fixed[second])

    def _note_step(self, remainder: Mod) -> None:
        """`x.shape[0] % 64 == 0`"""
        dimension = self._dimension(remainder.dividend.sole_atom)
        step = remainder.divisor.constant_value
        if dimension is not None and step and step.denominator == 1 and 0 < step < _LARGEST:
            known = self._steps.get(dimension, 1)
            self._steps[dimension] = math.lcm(known, int(step))

    def _dimension(self, atom: object) -> _Dimension | None:
        if not isinstance(atom, TensorSize) or atom.tensor not in self._ranks:
            return None
        rank = self._ranks[atom.tensor]
        if atom.method == "numel" and rank == 1:
            return atom.tensor, 0
        if atom.method != "size" or not atom.which or not -rank <= atom.which[0] < rank:
            return None
        return atom.tensor, atom.which[0] % rank

    def _find(self, dimension: _Dimension) -> _Dimension:
        while self._same[dimension] != dimension:
            dimension = self._same[dimension]
        return dimension

    @property
    def _free(self) -> list[_Dimension]:
        """Of dimensions that are one, the first; those with a number are none."""
        found = dict.fromkeys(map(self._find, self._all))
        return [dimension for dimension in found if dimension not in self._fixed]

    def _whole(self, chosen: Mapping[_Dimension, int]) -> tuple[int, ...]:
        known = {**chosen, **self._fixed}
        for dimension, step in self._steps.items():
            first = self._find(dimension)
            if first in chosen:
                known[first] = math.lcm(known[first], step)
        return tuple(known[self._find(dimension)] for dimension in self._all)

    def sizes(self, lengths: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """All sizes that may be put in, of these lengths."""
        free = self._free
        for numbers in product(dict.fromkeys(lengths), repeat=len(free)):
            yield self._whole(dict(zip(free, numbers, strict=True)))

    def apart(self) -> Iterator[tuple[int, ...]]:
        """Sizes with each dimension as long as the others, much longer and much shorter."""
        free = self._free
        for short, long in ((_FEW, _MANY), (_MANY, _FEW), (_FEW + 2, _FEW + 2)):
            for one in free:
                numbers = {d: long if d == one else short for d in free}
                yield self._whole(numbers)


def factors(check: Polynomial) -> Iterator[Polynomial]:
    """What must hold, of what must hold together."""
    if len(check.terms) == 1:
        ((monomial, coefficient),) = check.terms.items()
        if coefficient == 1:
            yield from (Polynomial.of(atom) for atom, _ in monomial)


def written_in(checks: Sequence[Polynomial]) -> tuple[int, ...]:
    """Lengths at the numbers that checks speak of, just beside them, and multiples of them."""
    found: list[int] = []
    for check in checks:
        for leaf in check.leaves():
            for form in leaf.inside:
                number = form.terms.get(())
                if number is not None and number.denominator == 1 and 1 < abs(number) < _LARGEST:
                    whole = abs(int(number))
                    found += [whole, whole * 3]
                    if isinstance(leaf, (Negative, Compared)):
                        found += [whole + 1, whole - 1]
    return tuple(dict.fromkeys(found))[:12]


_SHORT = 16
"""What a tile has at least along an axis of its own, where nothing is known of it."""


@dataclass(frozen=True)
class Reach:
    """An access: its tensor, its offset in terms of the launcher, and its lanes without a mask."""

    tensor: Polynomial
    offset: Polynomial
    free: frozenset[Lane]
    length: int = 0
    """How many elements the tensor has."""

    def is_inside(self, trial: Mapping[Atom, int]) -> bool:
        """Whether it is inside the tensor; what is not known of it is as small as it can be."""
        numbers = dict(trial)
        tiles = {atom for lane in lanes_of(self.offset) for atom in inputs_of(lane.extent)}
        for atom in inputs_of(self.offset):
            if isinstance(atom, (ProgramId, Iteration, Lane, Loaded)):
                least = 0
            else:
                # A row whose length is not followed has more than one element.
                least = 1 if isinstance(atom, TensorSize) else 2
            numbers.setdefault(atom, _SHORT if atom in tiles else least)
        for lane in self.free:
            if lane not in trial:
                numbers[lane] = (number_of(lane.extent, numbers) or 1) - 1
        element = number_of(self.offset, numbers)
        return element is None or element < self.length


def reach_of(facts: KernelFacts, binding: LaunchBinding, effect: Effect) -> Reach | None:
    """That of one access at one launch; None where it is not of one parameter. Raises TooLarge."""
    if effect.pointer is None:
        return None
    base, offset = facts.forms.address(effect.pointer)
    tensor = binding.values.get(Param(base)) if base is not None else None
    if tensor is None:
        return None
    masked = effect.mask is not None and not effect.mask.is_none
    mask = facts.forms.condition(effect.mask) if masked and effect.mask is not None else None
    bounded = {lane.axis for lane in lanes_of(mask)} if mask is not None else set()
    offset = substitute(offset, binding)
    return Reach(tensor, offset, frozenset(a for a in lanes_of(offset) if a.axis not in bounded))


def axes_gone_through(
    facts: KernelFacts,
    binding: LaunchBinding,
    tensor: Polynomial,
    origin: Callable[[Polynomial], Polynomial],
) -> tuple[int | None, int]:
    """(the number of axes if it is seen, the least) of a tensor of which axis 0 alone is asked for.

    It is one where all that moves along the tensor moves by that stride, and more than one where
    the rest of its elements are counted: `x.numel() // x.shape[0]`. `origin` gives the tensor whose
    sizes another one has.
    """

    def is_its(atom: Atom | None, method: str) -> bool:
        if not isinstance(atom, TensorSize) or atom.method != method:
            return False
        return origin(atom.tensor) == tensor

    atoms = [atom for form in binding.values.values() for atom in form.atoms]
    if any(isinstance(a, FloorDiv) and is_its(a.dividend.sole_atom, "numel") for a in atoms):
        return None, 2
    moved: list[bool] = []
    for effect in facts.effects:
        with suppress(TooLarge):
            reach = reach_of(facts, binding, effect)
            if reach is None or origin(reach.tensor) != tensor:
                continue
            for monomial in reach.offset.terms:
                factors = [atom for atom, _ in monomial]
                if any(isinstance(atom, (Iteration, Lane, ProgramId)) for atom in factors):
                    moved.append(any(is_its(atom, "stride") for atom in factors))
    return (1 if moved and all(moved) else None), 1


def stay_inside(accesses: Iterable[Reach], trials: Iterable[Mapping[Atom, int]]) -> bool:
    """Whether all accesses do, in each of the trials."""
    reaches = list(accesses)
    return all(reach.is_inside(trial) for trial in trials for reach in reaches)


def lanes_of(form: Polynomial) -> list[Lane]:
    """The lanes that it depends on."""
    return [leaf for leaf in form.leaves() if isinstance(leaf, Lane)]
