"""Integers of addresses that are computed in 32 bits and do not fit them, in numbers.

Triton computes `row * stride` in 32 bits where both fit 32 bits, whatever the product is. A number
that a launch passes is of 64 bits where it is beyond 2**31 itself, and what it is computed with
is then of 64 bits too: so `row * stride` goes wrong for sizes for which `numel` does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, product
from typing import TYPE_CHECKING

from tritonopt.facts.algebra.atoms import Iteration, Lane, Param, ProgramId, TensorSize
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.polynomial import Atom, Polynomial, TooLarge
from tritonopt.facts.effects import Effect
from tritonopt.facts.host.callers import passes_any_size
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.memory.buffers import CannotTell, Trial, checks_are_understood, inputs_of
from tritonopt.facts.memory.offsets import number_of
from tritonopt.facts.operations import Op
from tritonopt.facts.values import Value
from tritonopt.source import Launch

if TYPE_CHECKING:
    from tritonopt.facts.kernel_facts import KernelFacts

_SIZES: Mapping[int, Sequence[tuple[int, ...]]] = {
    1: ((3 << 30,),),
    2: ((131072, 32768), (1 << 20, 4096), (1 << 22, 1024), (1 << 25, 128), (4096, 1 << 20)),
    3: ((64, 8192, 8192), (4096, 1024, 1024), (1 << 20, 32, 128), (8, 32768, 16384)),
}
"""By the number of dimensions: tensors of 3 or 4 billion elements, which take 8 GB in fp16."""

_MOST_LANES = 1 << 20
"""What Triton allows a tile to have."""
_MOST_PROGRAMS = (2**31 - 1, 65535, 65535)
_MAX_PLACES = 64

_PYTHON, _NARROW, _WIDE = 0, 32, 64
_SAME = frozenset({Op.NEG, Op.POS, Op.INSERT_AXES, Op.WIDENED, Op.BROADCAST_TO, Op.IN_BRANCH})
_COMBINING = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.FLOORDIV, Op.MOD, Op.MINIMUM, Op.MAXIMUM})
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


def find_overflows(facts: KernelFacts) -> Iterator[Overflow]:
    """Of each value that does not fit 32 bits one example; what is computed from it is left out."""
    if facts.launches.unknown or facts.launches.caller is not None:
        return
    launches = [
        launch
        for launch in facts.launches.launches
        if checks_are_understood(launch) and passes_any_size(launch)
    ]
    seen: set[Value] = set()
    for launch in launches:
        bindings = [b for b in facts.launches.bindings if b.launch is launch and not b.unread]
        for effect in facts.effects:
            for binding in bindings if effect.pointer is not None else ():
                for overflow in _of_access(facts, launch, binding, effect):
                    if overflow.value not in seen:
                        seen.add(overflow.value)
                        yield overflow


def _of_access(
    facts: KernelFacts, launch: Launch, binding: LaunchBinding, effect: Effect
) -> list[Overflow]:
    try:
        return _Access(facts, launch, binding, effect).overflows()
    except (CannotTell, TooLarge):
        return []


class _Access(Trial):
    """One access under one configuration of one launch, with tensors of billions of elements."""

    def __init__(
        self, facts: KernelFacts, launch: Launch, binding: LaunchBinding, effect: Effect
    ) -> None:
        assert effect.pointer is not None
        self._parts = {
            part: substitute(facts.forms.of(part), binding)
            for part in parts_of(facts, effect.pointer)
            if part.op in _COMPUTED and facts.forms.address(part)[0] is None
        }
        super().__init__(facts, launch, binding, effect)

    @cached_property
    def _forms(self) -> list[Polynomial]:
        known = super()._forms
        varying = (TensorSize, Lane, ProgramId, Iteration)
        self._parts = {
            part: form
            for part, form in self._parts.items()
            if all(isinstance(atom, varying) for atom in inputs_of(form))
        }
        return [*known, *self._parts.values()]

    def overflows(self) -> list[Overflow]:
        for sizes in _SIZES.get(self._rank, ()):
            numbers = self._numbers(sizes)
            if not self._is_allowed(numbers) or not self._fits(numbers):
                continue
            for place in islice(self._places(sizes, numbers), _MAX_PLACES):
                trial = {**numbers, **place}
                if self._comes_about(trial) and (found := list(self._beyond(sizes, trial, place))):
                    return found
        return []

    def _fits(self, numbers: Mapping[Atom, int]) -> bool:
        """Whether such a launch is possible: its grid, its tiles."""
        for form, most in zip(self._binding.grid, _MOST_PROGRAMS, strict=False):
            programs = number_of(form, numbers) if form is not None else None
            if programs is not None and not 0 < programs <= most:
                return False
        lanes = [self._most(atom, numbers) for atom in self._varying if isinstance(atom, Lane)]
        return all(number is not None and number <= _MOST_LANES for number in lanes)

    def _places(
        self, sizes: tuple[int, ...], numbers: Mapping[Atom, int]
    ) -> Iterator[dict[Atom, int]]:
        """The last of all, then those with another lane, iteration or program."""
        choices = []
        for atom in self._varying:
            most = self._most(atom, numbers)
            if not most:
                raise CannotTell
            choices.append(sorted({most - 1, max(most - 2, 0), 0}, reverse=True))
        for chosen in product(*choices):
            yield dict(zip(self._varying, chosen, strict=True))

    def _beyond(
        self, sizes: tuple[int, ...], trial: Mapping[Atom, int], place: Mapping[Atom, int]
    ) -> Iterator[Overflow]:
        widths = Widths(self._facts, self._binding, trial)
        for part, form in self._parts.items():
            number = number_of(form, trial)
            if number is None or not widths.is_beyond(part, number):
                continue
            inside = [inner for inner in part.walk() if inner is not part and inner in self._parts]
            known = [(inner, number_of(self._parts[inner], trial)) for inner in inside]
            if not any(n is not None and widths.is_beyond(inner, n) for inner, n in known):
                yield Overflow(part, number, self._where(sizes, place), self._binding, trial)

    def _where(self, sizes: tuple[int, ...], place: Mapping[Atom, int]) -> str:
        shape = f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"
        programs = [str(n) for atom, n in place.items() if isinstance(atom, ProgramId)]
        shown = programs[0] if len(programs) == 1 else f"({', '.join(programs)})"
        program = f" in program {shown}" if programs else ""
        return (
            f"launched in {self._launch.where} with {self._tensor_name} of shape {shape}{program}"
        )


class Widths:
    """How many bits integers have at one launch, where what it passes are these numbers."""

    def __init__(
        self,
        facts: KernelFacts,
        binding: LaunchBinding,
        numbers: Mapping[Atom, int],
        wide: frozenset[Value] = frozenset(),
    ) -> None:
        self._facts = facts
        self._binding = binding
        self._numbers = numbers
        self._known: dict[Value, int | None] = dict.fromkeys(wide, _WIDE)
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
            return {"int32": _NARROW, "int64": _WIDE, "uint64": _WIDE}.get(value.dtype or "")
        if op is Op.ITERATION:
            return self._counted(value)
        if op in _SAME:
            return self.of(value.operand)
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
        passed = self._binding.values.get(Param(parameter.name))
        number = number_of(passed, self._numbers) if passed is not None else None
        if number is None:
            return None
        return _NARROW if -(2**31) <= number < 2**31 else _WIDE

    def _counted(self, iteration: Value) -> int | None:
        """A loop counts in the widest type of its bounds."""
        loop = next((one for one in self._facts.loops if one.iteration is iteration), None)
        bounds = [] if loop is None else [loop.start, loop.stop, loop.step]
        given = [bound for bound in bounds if bound is not None]
        return self._as_tensor(self._combined(given)) if given else None

    @staticmethod
    def _as_tensor(width: int | None) -> int | None:
        return _NARROW if width == _PYTHON else width

    def _combined(self, operands: Sequence[Value]) -> int | None:
        widths = [self.of(operand) for operand in operands]
        known = [width for width in widths if width is not None]
        return max(known) if len(known) == len(widths) else None


def parts_of(facts: KernelFacts, pointer: Value) -> Iterator[Value]:
    """What an address is made of, without what is loaded on the way."""
    todo, seen = [pointer], {pointer}
    while todo:
        value = todo.pop()
        yield value
        if value.op in (Op.CARRIED, Op.RESULT):
            loop = facts.loops[value.carrier.loop]
            inside = [loop.initial[value.carrier.name], loop.following[value.carrier.name]]
        else:
            inside = [] if value.op is Op.LOAD else list(value.operands)
        todo += [one for one in inside if one not in seen]
        seen.update(inside)
