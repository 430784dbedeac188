"""specialization: what the compiler is not told of a size, and what it is told in vain."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from tritonopt.facts import EffectKind, KernelFacts
from tritonopt.facts.algebra.atoms import LauncherParameter, Param, ProgramId, TensorSize
from tritonopt.facts.algebra.polynomial import ONE, TooLarge
from tritonopt.facts.language import RANDOM, function
from tritonopt.facts.memory.widths import (
    Loss,
    Told,
    has_places,
    lengths_of,
    lost_widths,
    may_end_neighbors,
    most_lanes,
    widest_accesses,
)
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.rewriting.model import Site
from tritonopt.rewriting.protocol import Lint
from tritonopt.source import Kernel, ReplaceExpression
from tritonopt.source.kernels import Parameter

if TYPE_CHECKING:
    from tritonopt.passes.specialization.whole_numbers import WholeNumbers

_LISTS = ("do_not_specialize", "do_not_specialize_on_alignment")


@dataclass(frozen=True)
class Specialization(Lint):
    """Find sizes and strides about which the compiler knows too little for wide loads.

    ## What it does

    Triton compiles a kernel separately for integer arguments that are multiples of 16, and that are
    1. `do_not_specialize` hides both from the compiler, `do_not_specialize_on_alignment` the first,
    an annotation `int` the second. The pass reports such a parameter where that narrows loads or
    stores:

    - It is in the address of adjacent lanes (a row stride) or bounds their mask. Unless it is
      known to be a multiple of 16, the lanes are not known to be aligned.
    - It is the stride between lanes, and no length that bounds a mask or loop. Unless it is known
      to be 1, the lanes are not known to be adjacent.

    It also reports parameters that `do_not_specialize` should list, since compiling again gives no
    better code: a random seed; a number that sets the grid, or is compared with program ids, if
    only comparisons of scalars and loops over programs read it. The fix lists the latter. If such a
    number, or one in the mask of rows, is a constexpr, each value of it compiles the kernel again.
    `tritonopt facts --compile` lists the accesses of each version of a kernel.

    ## Why

    One 16-byte access per thread becomes two or four, unnoticed, because results are equal.

    ## Conditions

    - In an address or mask, the parameter has an odd coefficient and no constexpr factor, which
      could be the multiple of 16. The other terms are sizes, program ids, iterations times a size,
      and lanes. Only accesses of the tiles with the most axes count.
    - The list can be read. The kernel is no helper, which is compiled for what its caller knows.
    - The access can be wider: more than one element per thread, and no store of one tile by all
      programs.
    - A listed parameter is no length or start that may change with each batch: the kernel loads no
      indices, lengths or flags there.

    When selected explicitly (`--passes specialization`), with Triton and torch and a launch that
    shows the arguments, the pass compiles both versions, in a process that imports the file, and
    prints their accesses, or nothing where these are equal. It assumes that tiles that follow a
    size end at 4096, and unknown tensors are fp16.

    Specialization compiles again for multiples of 16 and for 1, so servers with varying batch sizes
    list parameters deliberately. `tritonopt suggest` shows annotations, mostly meant for readers,
    and seeds; listed parameters only when the pass is selected.

    ## Numerics

    `exact`, bits `same`: only when the kernel is compiled changes.

    ## Example

    ```python
    @triton.jit
    def double_rows(X, Y, rows, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        if row >= rows:
            return
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N)
        tl.store(Y + row * N + cols, x * 2, mask=cols < N)


    def doubled(x):
        m, n = x.shape
        y = torch.empty((m, n), device=x.device)
        double_rows[(m,)](x, y, m, n, BLOCK=triton.next_power_of_2(n))
        return y
    ```

    becomes

    ```python
    @triton.jit(do_not_specialize=["rows"])
    def double_rows(X, Y, rows, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        if row >= rows:
            return
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N)
        tl.store(Y + row * N + cols, x * 2, mask=cols < N)


    def doubled(x):
        m, n = x.shape
        y = torch.empty((m, n), device=x.device)
        double_rows[(m,)](x, y, m, n, BLOCK=triton.next_power_of_2(n))
        return y
    ```

    ## Measured

    Nothing to measure: no code is changed.

    Compiled by Triton 3.7 for sm_90, in fp32 with tiles of 1024, a kernel that doubles rows has 16
    accesses of 32 bits where its row stride is listed, else 4 of 128 bits
    (`tests/passes/test_specialization_compiled.py`). Lists and annotations hide the same facts in
    Triton 3.6, 3.7 and 3.9.
    """

    name: ClassVar[str] = "specialization"
    summary: ClassVar[str] = "find sizes and strides about which the compiler knows too little"
    fixes: ClassVar[bool] = True
    runs_file: ClassVar[bool] = True
    harm: ClassVar[str] = (
        "each load or store moves one element instead of up to 16 bytes, because its lanes are not "
        "known to be aligned and contiguous"
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
            if parameter.name not in listed:
                yield from _compared_alone(facts, parameter)


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


def _untold(facts: KernelFacts, parameter: Parameter, which: str) -> frozenset[Told]:
    """What the compiler is not told of a parameter; `which` list has it."""
    if parameter.constexpr or parameter.name in facts.pointers:
        return frozenset()
    lost = {"": set(), _LISTS[0]: {Told.ALIGNED, Told.ONE}, _LISTS[1]: {Told.ALIGNED}}[which]
    return frozenset(lost | ({Told.ONE} if _is_annotated(facts, parameter) else set()))


def _is_annotated(facts: KernelFacts, parameter: Parameter) -> bool:
    annotation = parameter.annotation
    return annotation is not None and facts.kernel.module.builtin(annotation) == "int"


def _narrowed(
    facts: KernelFacts,
    untold: Mapping[str, frozenset[Told]],
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
        site = Site.of_mistake(node, "hint-is-useful", "compiler-is-not-told", message)
        yield replace(site, is_reported=not which)


def _in_figures(facts: KernelFacts, names: list[str], told: Told) -> str | None:
    """What it costs, by what the compiler makes of it; None where that is nothing."""
    from tritonopt.facts.machine_code.launched_settings import told_in_figures

    return told_in_figures(facts, names, one=told is Told.ONE)


def _groups(
    facts: KernelFacts, untold: Mapping[str, frozenset[Told]], listed: Mapping[str, str]
) -> dict[tuple[str, Told], dict[str, Loss]]:
    """What is lost of each parameter, by the list that has it, and by what is not told."""
    lengths = lengths_of(facts)
    whole: WholeNumbers | None = None
    groups: dict[tuple[str, Told], dict[str, Loss]] = {}
    for effect in widest_accesses(facts):
        if most_lanes(facts, effect) == 1:
            continue  # an access of one element for each thread is as wide as it gets
        if effect.kind is EffectKind.STORE and not has_places(facts, effect):
            continue  # a single tile in all
        try:
            found = list(lost_widths(facts, effect))
        except TooLarge:
            continue
        if any(loss.is_start and listed.get(loss.name) for loss in found):
            continue  # a position, which is another one at each call
        for loss in found:
            said = any(loss.name in group for group in groups.values())
            if said or loss.told not in untold.get(loss.name, ()):
                continue
            if loss.told is Told.ONE and loss.name in lengths:
                continue  # no stride: nobody launches it for a length of 1
            whole = whole or _whole_numbers(facts)
            is_of_batch = loss.is_place and (whole.has(effect) or whole.alone)
            is_of_batch |= loss.name in lengths and whole.has(effect)
            if is_of_batch and listed.get(loss.name):
                continue  # a batch has another size at each call
            groups.setdefault((listed.get(loss.name, ""), loss.told), {})[loss.name] = loss
    return groups


def _whole_numbers(facts: KernelFacts) -> WholeNumbers:
    from tritonopt.passes.specialization.whole_numbers import WholeNumbers

    return WholeNumbers(facts)


def _message(which: str, group: Sequence[Loss], figures: str) -> str:
    """What is lost, and what to do; `which` list has the parameters, or they are annotated."""
    cost = f". {figures[:1].upper()}{figures[1:]}" if figures else ""
    why = f"listed in {which}" if which else "annotated int"
    first = group[0]
    if len(group) == 1:
        mend = "take it out of the list" if which else "take the annotation away"
        return (
            f"{first.name} is {why}, so the compiler does not know {first.what} in line "
            f"{first.effect.line}: {mend}{cost}"
        )
    *names, last = (loss.name for loss in group)
    numbers = sorted({loss.effect.line for loss in group})
    lines = f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"
    what = (
        "which of them is 1, and so where lanes lie side by side"
        if first.told is Told.ONE
        else "whether 16 divides them, and so where loads and stores begin and end"
    )
    mend = "take them out of the list" if which else "take the annotations away"
    return (
        f"{', '.join(names)} and {last} are {why}, so the compiler does not know {what} "
        f"({lines}): {mend}{cost}"
    )


def _arguments(kernel: Kernel) -> list[ast.arg]:
    given = kernel.node.args
    return [*given.posonlyargs, *given.args, *given.kwonlyargs]


def _told_in_vain(facts: KernelFacts, parameter: Parameter) -> Iterator[Site]:
    """A seed, of which the compiler is told what makes no code better."""
    uses = [n for n in facts.kernel.nodes if isinstance(n, ast.Name) and n.id == parameter.name]
    if not uses or not all(_is_seed(facts, use) for use in uses):
        return
    if parameter.name in facts.launches.constants:
        return
    message = (
        f"{parameter.name} is a seed, and the kernel is compiled again for multiples of 16, and "
        f'for 1: write @triton.jit(do_not_specialize=["{parameter.name}"])'
    )
    harm = "a launch in the middle of a run waits for a compilation that makes nothing faster"
    node = next(a for a in _arguments(facts.kernel) if a.arg == parameter.name)
    yield Site.of_mistake(node, "hint-is-useful", "recompiles-for-nothing", message, harm)


def _compared_alone(facts: KernelFacts, parameter: Parameter) -> Iterator[Site]:
    """What sets the number of programs, and only a comparison or a trip count reads: such code is
    the same for multiples of 16, and for 1."""
    if facts.launches.unknown or not facts.launches.bindings or _is_annotated(facts, parameter):
        return
    for binding in facts.launches.bindings:
        size = binding.values.get(Param(parameter.name), ONE).sole_atom
        if not (isinstance(size, TensorSize) and size.method == "size" and size.which == (0,)):
            return
        if not isinstance(size.tensor.sole_atom, LauncherParameter):
            return
        sets_grid = any(form is not None and size in set(form.leaves()) for form in binding.grid)
        if not (sets_grid or _ends_programs(facts, parameter.name)):
            return
    uses = [n for n in facts.kernel.nodes if isinstance(n, ast.Name) and n.id == parameter.name]
    is_read_once = all(_is_of_one_place(facts, use) for use in uses)
    if parameter.constexpr:
        is_read_once = _ends_rows(facts, parameter.name, uses)
    if not uses or not is_read_once:
        return
    jit = facts.kernel.node.decorator_list[facts.kernel.decorators.index(facts.kernel.jit)]
    what = f"{parameter.name} sets the number of programs, and no address or tile depends on it"
    harm = "a launch in the middle of a run waits for a compilation that makes nothing faster"
    node = next(a for a in _arguments(facts.kernel) if a.arg == parameter.name)
    if parameter.constexpr:
        message = f"{what}, so the kernel is compiled again for each number: make it no constexpr"
        yield Site.of_mistake(node, "hint-is-useful", "recompiles-for-nothing", message, harm)
        return
    listing = f'do_not_specialize=["{parameter.name}"]'
    message = f"{what}: write @triton.jit({listing})"
    site = Site.of_mistake(node, "hint-is-useful", "recompiles-for-nothing", message, harm)
    if not isinstance(jit, ast.Call):
        text = facts.kernel.module.text_of(jit)
        changes = (ReplaceExpression(jit, f"{text}({listing})"),)
        site = replace(site, message=f"{what}: wrote {listing}", advice=message, changes=changes)
    yield site


def _is_of_one_place(facts: KernelFacts, use: ast.Name) -> bool:
    """Whether a name stands in a comparison of scalars, or ends a loop over programs: one that
    begins at a constant is gone where its end is 1, and its iterations are 0."""
    parents = facts.kernel.module.names.parents
    test = parents.get(use)
    for loop in facts.loops:
        start = facts.forms.of(loop.start) if loop.start is not None else ONE
        if loop.is_counted and isinstance(loop.node, ast.For) and loop.node.iter is test:
            is_end = isinstance(test, ast.Call) and test.args[1:2] == [use]
            return is_end and isinstance(start.sole_atom, ProgramId)
    value = facts.values.get(test) if isinstance(test, ast.Compare) else None
    return value is not None and value.shape == ()


def _ends_programs(facts: KernelFacts, name: str) -> bool:
    """Whether a program id is compared with a number, which so ends the programs that do work."""
    return any(
        value.op in COMPARISONS
        and any(s.op in (Op.PARAM, Op.CONSTEXPR) and s.name == name for s in value.operands)
        and any(part.op is Op.PROGRAM_ID for part in value.walk(but=Op.LOAD))
        for value in facts.interpretation.computed
    )


def _ends_rows(facts: KernelFacts, name: str, uses: Sequence[ast.Name]) -> bool:
    """Whether a constant ends loops over programs, or is compared with programs and lanes, of
    which those that it ends do not lie side by side."""
    parents = facts.kernel.module.names.parents
    for use in uses:
        around = parents.get(use)
        test = facts.values.get(around) if isinstance(around, ast.expr) else None
        if test is None or test.op not in COMPARISONS:
            if not _is_of_one_place(facts, use):
                return False
        elif not any(part.op in (Op.LANE, Op.PROGRAM_ID) for part in test.walk()):
            return False  # the author chooses between two kernels
    with suppress(TooLarge):
        return not may_end_neighbors(facts, name)
    return False


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
