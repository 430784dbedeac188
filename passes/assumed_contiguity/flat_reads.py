"""How a kernel reads the tensor that one launch passes: by strides, or in the order of memory."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.atoms import (
    Choice,
    Chosen,
    Lane,
    Loaded,
    Param,
    ProgramId,
    TensorSize,
)
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.algebra.polynomial import ZERO, Atom, Polynomial
from tritonopt.facts.effects import Effect
from tritonopt.facts.host.callers import rank_of
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.facts.operations import Op


@dataclass(frozen=True)
class FlatReads:
    """How a kernel reads the tensor that one launch passes for a parameter."""

    facts: KernelFacts
    binding: LaunchBinding
    name: str
    accesses: Sequence[Effect]

    @property
    def offsets(self) -> list[Polynomial]:
        address = self.facts.forms.address
        return [address(e.pointer)[1] for e in self.accesses if e.pointer is not None]

    @property
    def tensor(self) -> Polynomial | None:
        return self.binding.values.get(Param(self.name))

    def _factors(self) -> Iterator[Polynomial]:
        """What the launch passes for the parameters in the addresses, but for lengths of tiles."""
        tiles = {
            a
            for f in self.offsets
            for lane in f.leaves()
            if isinstance(lane, Lane)
            for a in lane.extent.atoms
        }
        for atom in {a for form in self.offsets for a in _atoms(form)} - tiles:
            if isinstance(atom, Param):
                yield self.binding.values.get(atom, Polynomial.of(atom))

    @property
    def is_flat(self) -> bool:
        """Whether its addresses are made of places and sizes alone; the first element stands
        first in any order."""
        return any(form != ZERO for form in self.offsets) and all(
            _is_of_sizes(form) for form in self._factors()
        )

    @property
    def strides(self) -> set[TensorSize]:
        """Those of the tensor itself that are passed, to this parameter or another."""
        passed = (a for form in self.binding.values.values() for a in _atoms(form))
        return {a for a in passed if isinstance(a, TensorSize) and a.method == "stride"}

    @property
    def _rank(self) -> int:
        """How many dimensions the launcher's tensor is shown to have; 0 where that is open."""
        match self.binding.launch.arguments.get(self.name):
            case ast.Name(id=name):
                return rank_of(self.binding.launch, name) or 0
        return 0

    @property
    def has_one_stride(self) -> bool:
        """Whether one stride of its own is the distance of rows that are of several dimensions."""
        own = [s for s in self.strides if s.tensor == self.tensor]
        rank = self._rank
        if len(own) != 1 or rank == 2 or own[0].which not in ((-2,), (rank - 2,)):
            return False
        factors = list(self._factors())
        if not all(_is_of_sizes(f) or f.sole_atom == own[0] for f in factors):
            return False
        for offset in self.offsets:
            for monomial in substitute(offset, self.binding).terms:
                atoms = {atom for atom, _ in monomial}
                if own[0] in atoms:
                    ids = [a for a in atoms if isinstance(a, ProgramId)]
                    grid = self.binding.programs(ids[0]) if ids else None
                    if len(atoms) != 2 or grid is None or not _is_of_several(grid):
                        return False
        return True

    @property
    def has_given_stride(self) -> bool:
        """Whether a number is passed as the distance of its elements, which are no indices."""
        own = {e.order for e in self.accesses}
        every = (e.pointer for e in self.facts.effects if e.pointer is not None)
        if any(p.op is Op.LOAD and p.attribute in own for root in every for p in root.walk()):
            return False
        tuned = {p.name for p in self.facts.kernel.parameters if p.constexpr}
        return any(
            isinstance(atom, Param)
            and atom.name not in tuned
            and len(monomial) == 2
            and _is_given(self.binding.values.get(atom, Polynomial.of(atom)))
            for offset in self.offsets
            for monomial in offset.terms
            for atom, _ in monomial
        )

    @property
    def is_divided(self) -> bool:
        """Whether the kernel divides the position in memory to find a row or column of a tensor."""
        if any(isinstance(a, TensorSize) for f in self._factors() for a in _atoms(f)):
            return False
        places = self.offsets
        pointers = (e.pointer for e in self.facts.effects if e.pointer is not None)
        return any(
            part.op in (Op.FLOORDIV, Op.MOD) and self.facts.forms.of(part.operands[0]) in places
            for pointer in pointers
            for part in pointer.walk()
        )

    @property
    def has_rows(self) -> bool:
        """Whether a length of a tensor is between the elements that it reads."""
        forms = [substitute(offset, self.binding) for offset in self.offsets]
        return any(isinstance(a, TensorSize) for form in forms for a in _atoms(form))

    @property
    def goes_over_rows(self) -> bool:
        """Whether it reads more than one row."""
        return self.has_rows or any(f is not None and _is_of_several(f) for f in self.binding.grid)


def _atoms(form: Polynomial) -> Iterator[Atom]:
    """The atoms of a form, but for what decides only where: extents, loaded elements, tensors."""
    for atom in form.atoms:
        yield atom
        if not (atom.is_position or isinstance(atom, Loaded | TensorSize)):
            for inside in atom.inside:
                yield from _atoms(inside)


def _is_of_sizes(form: Polynomial) -> bool:
    """Whether a number is made of lengths and constants, and no stride is in it."""
    for atom in form.atoms:
        if isinstance(atom, TensorSize):
            if atom.method == "stride":
                return False
        elif isinstance(atom, Chosen):
            continue
        elif not (atom.inside and all(map(_is_of_sizes, atom.inside)) or _is_given(form)):
            return False
    return True


def _is_given(form: Polynomial) -> bool:
    """Whether it is 1, or 0 in some cases, whatever the tensor is."""
    match form.sole_atom:
        case Choice(then=then, other=other):
            return _is_given(then) and _is_given(other)
    return form.constant_value in (0, 1)


def _is_of_several(form: Polynomial) -> bool:
    """Whether it grows with the product of several lengths of one tensor."""
    for monomial in form.terms:
        sizes = [a for a, power in monomial for _ in range(power) if isinstance(a, TensorSize)]
        if any(a.method == "numel" for a in sizes) or len(sizes) > len({a.tensor for a in sizes}):
            return True
    return any(
        _is_of_several(inside)
        for atom in form.atoms
        if not isinstance(atom, TensorSize)
        for inside in atom.inside
    )
