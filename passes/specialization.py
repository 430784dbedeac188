"""specialization: what the compiler is not told of a size, and what it is told in vain."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from typing import ClassVar

from tritonopt.facts import EffectKind, KernelFacts
from tritonopt.facts.algebra.atoms import (
    CeilDiv,
    Iteration,
    Lane,
    Loaded,
    Mod,
    Negative,
    NumPrograms,
    Opaque,
    Param,
    ProgramId,
)
from tritonopt.facts.algebra.polynomial import Atom, Polynomial, TooLarge
from tritonopt.facts.effects import Effect
from tritonopt.facts.language import RANDOM, function
from tritonopt.facts.memory.lanes_per_thread import most_lanes
from tritonopt.facts.memory.whole_numbers import WholeNumbers
from tritonopt.rewriting.model import Site
from tritonopt.rewriting.protocol import Lint
from tritonopt.source import Kernel
from tritonopt.source.kernels import Parameter

_LISTS = ("do_not_specialize", "do_not_specialize_on_alignment")
_PLACES = (CeilDiv, Iteration, Lane, NumPrograms, Param, ProgramId)
_Monomial = tuple[tuple[Atom, int], ...]


class _Told(Enum):
    """What the compiler may be told of a number."""

    ALIGNED = "whether 16 divides it"
    ONE = "where it is 1"


@dataclass(frozen=True)
class Specialization(Lint):
    """Find sizes and strides of which the compiler is not told enough for wide loads.

    ## What it does

    Triton compiles a kernel anew for what it is told of each whole number: whether 16 divides it,
    and whether it is 1. Of a parameter that is listed in `do_not_specialize` it is told neither, of
    one in `do_not_specialize_on_alignment` the second only, and of one that is annotated `int` the
    first only. The pass reports such a parameter where that narrows loads and stores:

    - it is added to the address of lanes that lie side by side, as the stride between rows is, or
      it is where their mask ends, and the compiler is not told what 16 divides: the lanes are not
      known to begin and to end at a multiple of 16 bytes;
    - lanes are so many elements apart, and it is not told where that is 1: that they lie side by
      side then is not known. Of a length, which ends a mask or a loop, nobody asks that.

    It reports also a seed of random numbers that is not listed: the kernel is compiled anew for a
    seed that 16 divides, and for 1, and no code is better for it. Nothing is changed.

    ## Why

    An access of 16 bytes for each thread becomes one of four or two. Nobody sees it, for results
    are the same.

    ## Conditions

    Reported for parameters that stand in an address or a mask with an odd factor, and not times a
    constexpr, which may be a multiple of 16 in their place; where every other part of the address
    and of the mask is made of sizes, numbers of programs and turns times a size, and lanes; and for
    the tiles with the most axes alone: beside a matrix, numbers for each row count for nothing. A
    kernel whose list cannot be read is left alone, and so is a helper, which is compiled with what
    its caller knows.

    To be told costs another compilation for sizes that 16 does not divide, and for 1. That is why
    parameters are listed, above all in servers, whose batches have another size at each call. So
    `tritonopt suggest` shows annotations, which mostly were meant for readers, and seeds; what is
    listed it shows where the pass is named (`--passes specialization`).

    ## Numerics

    Nothing is changed.

    ## Example

    ```python
    @triton.jit(do_not_specialize=["stride"])
    def double_rows(X, Y, stride, N, BLOCK: tl.constexpr):
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + tl.program_id(0) * stride + cols, mask=cols < N)
        tl.store(Y + tl.program_id(0) * stride + cols, x * 2, mask=cols < N)
    ```

    is reported, and this is not:

    ```python
    @triton.jit
    def double_rows(X, Y, stride, N, BLOCK: tl.constexpr):
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + tl.program_id(0) * stride + cols, mask=cols < N)
        tl.store(Y + tl.program_id(0) * stride + cols, x * 2, mask=cols < N)
    ```

    ## Measured

    Nothing to measure: no code is changed.

    Compiled by Triton 3.7 for sm_90, in fp32 with tiles of 1024, the first kernel of the example
    has 16 accesses of 32 bits, the second one 4 of 128 bits
    (`tests/passes/test_specialization_compiled.py`). What an annotation and a list hide from the
    compiler is the same in Triton 3.6, 3.7 and 3.9.
    """

    name: ClassVar[str] = "specialization"
    summary: ClassVar[str] = "find sizes and strides of which the compiler is not told enough"
    harm: ClassVar[str] = (
        "a load or a store moves one element where it could move up to 16 bytes: their lanes are "
        "not known to be aligned, or to lie side by side"
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        listed = _listed(facts.kernel)
        if listed is None or facts.launches.caller is not None:
            return  # a helper is compiled with what its caller knows
        untold = {
            p.name: found
            for p in facts.kernel.parameters
            if (found := _untold(facts, p, listed.get(p.name, "")))
        }
        if untold:
            yield from _narrowed(facts, untold, listed, is_named=self.is_named)
        for parameter in facts.kernel.parameters:
            if parameter.name not in listed and not parameter.constexpr:
                yield from _told_in_vain(facts, parameter)


def _listed(kernel: Kernel) -> dict[str, str] | None:
    """By parameter, the list of the decorator that has it; None where that cannot be read."""
    jit = kernel.node.decorator_list[kernel.decorators.index(kernel.jit)]
    found: dict[str, str] = {}
    names = [p.name for p in kernel.parameters]
    for keyword in jit.keywords if isinstance(jit, ast.Call) else ():
        if keyword.arg is None:
            return None
        if keyword.arg not in _LISTS:
            continue
        if not isinstance(keyword.value, (ast.List, ast.Tuple)):
            return None
        for element in keyword.value.elts:
            match element:
                case ast.Constant(value=str() as name):
                    found.setdefault(name, keyword.arg)
                case ast.Constant(value=int() as place) if 0 <= place < len(names):
                    found.setdefault(names[place], keyword.arg)
                case _:
                    return None
    return found


def _untold(facts: KernelFacts, parameter: Parameter, which: str) -> frozenset[_Told]:
    """What the compiler is not told of a parameter; `which` list has it."""
    if parameter.constexpr or parameter.name in facts.pointers:
        return frozenset()
    lost = {"": set(), _LISTS[0]: {_Told.ALIGNED, _Told.ONE}, _LISTS[1]: {_Told.ALIGNED}}[which]
    return frozenset(lost | ({_Told.ONE} if _is_annotated(facts, parameter) else set()))


def _is_annotated(facts: KernelFacts, parameter: Parameter) -> bool:
    annotation = parameter.annotation
    return annotation is not None and facts.kernel.module.builtin(annotation) == "int"


@dataclass(frozen=True)
class _Loss:
    """What the compiler is not told of a parameter, and what decides how wide an access is."""

    name: str
    what: str
    """In words, of this parameter alone."""
    told: _Told
    effect: Effect
    is_place: bool = False
    """It says where one access begins or ends, and is no distance between many."""
    is_start: bool = False
    """It says where one begins: `first + lanes`."""


def _narrowed(
    facts: KernelFacts,
    untold: Mapping[str, frozenset[_Told]],
    listed: Mapping[str, str],
    *,
    is_named: bool,
) -> Iterator[Site]:
    """One finding for all parameters of a kernel that are kept from the compiler in one way."""
    for (which, told), group in _groups(facts, untold, listed).items():
        figures = _in_figures(facts, list(group), told) if is_named else ""
        if figures is None:
            continue
        node = next(a for a in _arguments(facts.kernel) if a.arg in group)
        message = _message(which, list(group.values()), figures)
        site = Site.of_mistake(node, "compiler-is-told", "compiler-is-not-told", message)
        yield replace(site, pays=not which)


def _in_figures(facts: KernelFacts, names: list[str], told: _Told) -> str | None:
    """What it costs, by what the compiler makes of it; None where that is nothing."""
    from tritonopt.transforms.register_use.told import told_in_figures

    return told_in_figures(facts, names, one=told is _Told.ONE)


def _groups(
    facts: KernelFacts, untold: Mapping[str, frozenset[_Told]], listed: Mapping[str, str]
) -> dict[tuple[str, _Told], dict[str, _Loss]]:
    """What is lost of each parameter, by the list that has it, and by what is not told."""
    lengths, whole = _lengths(facts), WholeNumbers(facts)
    groups: dict[tuple[str, _Told], dict[str, _Loss]] = {}
    for effect in _widest(facts):
        if most_lanes(facts, effect) == 1:
            continue  # an access of one element for each thread is as wide as it gets
        if effect.kind is EffectKind.STORE and not _moves(facts, effect):
            continue  # a single tile in all
        try:
            found = list(_lost(facts, effect))
        except TooLarge:
            continue
        if any(loss.is_start and listed.get(loss.name) for loss in found):
            continue  # a position, which is another one at each call
        for loss in found:
            said = any(loss.name in group for group in groups.values())
            if said or loss.told not in untold.get(loss.name, ()):
                continue
            if loss.told is _Told.ONE and loss.name in lengths:
                continue  # no stride: nobody launches it for a length of 1
            is_of_batch = loss.is_place and (whole.has(effect) or whole.alone)
            is_of_batch |= loss.name in lengths and whole.has(effect)
            if is_of_batch and listed.get(loss.name):
                continue  # a batch has another size at each call
            groups.setdefault((listed.get(loss.name, ""), loss.told), {})[loss.name] = loss
    return groups


def _message(which: str, group: Sequence[_Loss], figures: str) -> str:
    """What is lost, and what to do; `which` list has the parameters, or they are annotated."""
    cost = f". {figures[:1].upper()}{figures[1:]}" if figures else ""
    why = f"listed in {which}" if which else "annotated int"
    first = group[0]
    if len(group) == 1:
        mend = "take it out of the list" if which else "take the annotation away"
        return (
            f"{first.name} is {why}, so the compiler is not told {first.what} in line "
            f"{first.effect.line}: {mend}{cost}"
        )
    *names, last = (loss.name for loss in group)
    numbers = sorted({loss.effect.line for loss in group})
    lines = f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"
    what = (
        "which of them is 1, and so where lanes lie side by side"
        if first.told is _Told.ONE
        else "whether 16 divides them, and so where loads and stores begin and end"
    )
    mend = "take them out of the list" if which else "take the annotations away"
    return (
        f"{', '.join(names)} and {last} are {why}, so the compiler is not told {what} "
        f"({lines}): {mend}{cost}"
    )


def _widest(facts: KernelFacts) -> list[Effect]:
    """The loads and stores of the tiles with the most axes.

    Beside a matrix, what a kernel loads or stores for each of its rows counts for nothing.
    """
    axes: dict[Effect, int] = {}
    for effect in facts.effects:
        if effect.kind in (EffectKind.LOAD, EffectKind.STORE) and effect.pointer is not None:
            with suppress(TooLarge):
                _, offset = facts.forms.address(effect.pointer)
                axes[effect] = len({leaf for leaf in offset.leaves() if isinstance(leaf, Lane)})
    most = max(axes.values(), default=0)
    return [effect for effect, number in axes.items() if number == most]


def _lengths(facts: KernelFacts) -> set[str]:
    """The parameters that masks and loops end with."""
    found: set[str] = set()
    masks = [e.mask for e in facts.effects if e.mask is not None and not e.mask.is_none]
    for mask in masks:
        with suppress(TooLarge):
            leaves = facts.forms.condition(mask).leaves()
            found |= {leaf.name for leaf in leaves if isinstance(leaf, Param)}
    stops = [loop.stop for loop in facts.loops if loop.stop is not None]
    for stop in stops:
        found |= {leaf.name for leaf in facts.forms.of(stop).leaves() if isinstance(leaf, Param)}
    return found


def _arguments(kernel: Kernel) -> list[ast.arg]:
    given = kernel.node.args
    return [*given.posonlyargs, *given.args, *given.kwonlyargs]


def _lost(facts: KernelFacts, effect: Effect) -> Iterator[_Loss]:
    """The parameters that decide how wide an access may be."""
    assert effect.pointer is not None
    base, offset = facts.forms.address(effect.pointer)
    lanes = {atom for atom in offset.atoms if isinstance(atom, Lane)}
    if base is None or not lanes:
        return
    side_by_side = {a for m, c in offset.terms.items() if (a := _only(m)) in lanes and c == 1}
    kind, constants = effect.kind.value, {p.name for p in facts.kernel.parameters if p.constexpr}
    ends = _ends(facts, effect, side_by_side)
    begins: list[str] = []
    for monomial, number in offset.terms.items():
        atom = _only(monomial)
        if atom in lanes and number == 1:
            continue
        sizes = _sizes(monomial)
        if not sizes and number % 16 != 0:
            return  # nothing that is told makes it a multiple of 16 bytes
        if len(sizes) == 1 and number % 2 and not sizes & constants:
            begins += sizes
            is_apart = any(a in lanes or _is_wrapped(a) for a, _ in monomial)
            if is_apart and not side_by_side and not _has_neighbor(facts, effect):
                what = f"{_Told.ONE.value}, and lanes of the {kind} lie side by side"
                yield _Loss(begins[-1], what, _Told.ONE, effect)
    if not side_by_side or ends is None:
        return
    for name in begins:
        what = f"{_Told.ALIGNED.value}, and so where the {kind} begins"
        is_start = Polynomial.of(Param(name)).terms.keys() <= offset.terms.keys()
        yield _Loss(name, what, _Told.ALIGNED, effect, is_start, is_start)
    for name in ends:
        what = f"{_Told.ALIGNED.value}, and so where the {kind} ends"
        yield _Loss(name, what, _Told.ALIGNED, effect, is_place=True)


def _moves(facts: KernelFacts, effect: Effect) -> bool:
    """Whether programs or turns of a loop have places of their own for it."""
    assert effect.pointer is not None
    _, offset = facts.forms.address(effect.pointer)
    places = (ProgramId, Iteration, Loaded, Opaque)
    return any(isinstance(leaf, places) for leaf in offset.leaves())


def _has_neighbor(facts: KernelFacts, effect: Effect) -> bool:
    """Whether another access is a parameter further on, as the second of a pair: `p + one`.

    Then that is what is 1, and lanes are pairs apart.
    """
    assert effect.pointer is not None
    base, offset = facts.forms.address(effect.pointer)
    for other in facts.effects:
        if other is effect or other.pointer is None or other.kind is not effect.kind:
            continue
        with suppress(TooLarge):
            same, place = facts.forms.address(other.pointer)
            apart = (place - offset, offset - place) if same == base else ()
            if any(isinstance(way.sole_atom, Param) for way in apart):
                return True
    return False


def _only(monomial: _Monomial) -> Atom | None:
    return monomial[0][0] if len(monomial) == 1 and monomial[0][1] == 1 else None


def _sizes(monomial: _Monomial) -> set[str]:
    """The parameters in a product; none where it is loaded, or a number of turns or programs."""
    others = (a for a, _ in monomial if not (isinstance(a, Lane) or _is_wrapped(a)))
    factors = [Polynomial.of(atom) for atom in others]
    leaves = {leaf for factor in factors for leaf in factor.leaves()}
    if not all(isinstance(leaf, _PLACES) for leaf in leaves):
        return set()
    return {leaf.name for leaf in leaves if isinstance(leaf, Param)}


def _is_wrapped(atom: Atom) -> bool:
    """Whether it is lanes that begin anew at the end of a row: `rows % M`."""
    return isinstance(atom, Mod) and any(isinstance(leaf, Lane) for leaf in atom.dividend.leaves())


def _ends(facts: KernelFacts, effect: Effect, side_by_side: set[Atom]) -> list[str] | None:
    """Where the mask ends lanes that lie side by side; None where it ends them anywhere else."""
    if effect.mask is None or effect.mask.is_none:
        return []
    found: list[str] = []
    for atom in facts.forms.condition(effect.mask).atoms:
        if side_by_side.isdisjoint(Polynomial.of(atom).leaves()):
            continue
        if not isinstance(atom, Negative):
            return None
        for monomial, number in atom.form.terms.items():
            sizes = _sizes(monomial)
            if _only(monomial) in side_by_side:
                continue
            if not sizes and number % 16 != 0:
                return None
            found += sizes if len(sizes) == 1 and number % 2 else ()
    return found


def _told_in_vain(facts: KernelFacts, parameter: Parameter) -> Iterator[Site]:
    """A seed, of which the compiler is told what makes no code better."""
    uses = [n for n in facts.kernel.nodes if isinstance(n, ast.Name) and n.id == parameter.name]
    if not uses or not all(_is_seed(facts, use) for use in uses):
        return
    if parameter.name in facts.launches.constants:
        return
    message = (
        f"{parameter.name} is a seed, and the kernel is compiled anew for one that 16 divides, and "
        f'for 1: write @triton.jit(do_not_specialize=["{parameter.name}"])'
    )
    harm = "a launch in the middle of a run waits for the compiler, for a kernel that is no faster"
    node = next(a for a in _arguments(facts.kernel) if a.arg == parameter.name)
    yield Site.of_mistake(node, "is-told-for-a-reason", "recompiles-for-nothing", message, harm)


def _is_seed(facts: KernelFacts, use: ast.Name) -> bool:
    """Whether a name is the first argument of a function that makes random numbers."""
    module = facts.kernel.module
    call = module.names.parents.get(use)
    return (
        isinstance(call, ast.Call)
        and function(module.resolve(call.func)) in RANDOM - {"pair_uniform_to_normal"}
        and bool(call.args)
        and call.args[0] is use
    )
