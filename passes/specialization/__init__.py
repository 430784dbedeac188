"""specialization: what the compiler is not told of a size, and what it is told in vain."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import ClassVar

from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.atoms import LauncherParameter, Param, ProgramId, TensorSize
from tritonopt.facts.algebra.polynomial import ONE, TooLarge
from tritonopt.facts.language import RANDOM, function
from tritonopt.facts.operations import COMPARISONS, Op
from tritonopt.rewriting.model import Site
from tritonopt.rewriting.protocol import Lint
from tritonopt.source import Kernel, ReplaceExpression
from tritonopt.source.kernels import Parameter

_LISTS = ("do_not_specialize", "do_not_specialize_on_alignment")


@dataclass(frozen=True)
class Specialization(Lint):
    """Find sizes and strides that the compiler is not allowed to specialize, which narrows loads.

    ## What it does

    Triton compiles separate versions of a kernel for integer arguments that are multiples of 16,
    and for those that are 1. `do_not_specialize` turns off both, `do_not_specialize_on_alignment`
    the first, an annotation `int` the second. The pass reports such a parameter if this narrows
    loads or stores:

    - The parameter is in the address of adjacent lanes (a row stride), or bounds their mask. The
      compiler can prove that the lanes are aligned only if it knows that the parameter is a
      multiple of 16.
    - The parameter is the stride between lanes, and not a length that bounds a mask or loop. The
      compiler can prove that the lanes are adjacent only if it knows that the parameter is 1.

    The pass also reports parameters that `do_not_specialize` should list, because another version
    of the kernel is no better: a random seed; a number that sets the grid or is compared with
    program ids, if only comparisons of scalars and loops over programs read it. The fix adds the
    latter to the list. It reports such a number, or a number in the mask of rows, as a constexpr
    too, because each of its values compiles the kernel again. `tritonopt facts --compile` lists the
    accesses of each version.

    ## Why

    One 16-byte access per thread becomes two or four. Results are equal, so no test finds it.

    ## Conditions

    - In the address or mask, the parameter has an odd coefficient and no constexpr factor, which
      could be a multiple of 16 itself. The other terms are sizes, program ids, iterations times a
      size, and lanes. Only accesses of the tiles with the most axes count.
    - The list can be read. The kernel is not a helper, because a helper gets its caller's
      knowledge.
    - The access can be wider: it has more than one element per thread, and is not a store of the
      same tile by all programs.
    - A listed parameter is not a length or start that may change with each batch: the kernel loads
      no indices, lengths or flags at addresses computed from it.

    If the pass is named (`--passes specialization`), Triton and torch are installed, and a launch
    shows the arguments, the pass compiles both versions, in a process that imports the file, and
    prints their accesses; if these are equal it reports nothing. It assumes that a tile as long as
    a size has at most 4096 elements, and that tensors of unknown type are fp16.

    Servers with varying batch sizes list parameters deliberately, to avoid compiling again. So
    `tritonopt suggest` reports annotations, which are mostly meant for readers, and seeds; listed
    parameters are reported only if the pass is named.

    ## Numerics

    `exact`, bits `same`: the fix only changes for which values the kernel is compiled again.

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
    accesses of 32 bits if its row stride is listed, else 4 of 128 bits
    (`tests/passes/test_specialization_compiled.py`). Lists and annotations hide the same facts in
    Triton 3.6, 3.7 and 3.9.
    """

    name: ClassVar[str] = "specialization"
    summary: ClassVar[str] = "find sizes and strides that the compiler may not specialize"
    fixes: ClassVar[bool] = True
    runs_file: ClassVar[bool] = True
    harm: ClassVar[str] = (
        "each load or store moves one element instead of up to 16 bytes, because the "
        "compiler cannot prove that its lanes are aligned and contiguous"
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        listed = _listed(facts.kernel)
        if listed is None or facts.launches.caller is not None:
            return  # a helper is compiled with what its caller knows
        annotated = {p.name for p in facts.kernel.parameters if _is_annotated(facts, p)}
        if listed or annotated:
            from tritonopt.passes.specialization.narrowed import narrowed

            yield from narrowed(facts, annotated, listed, is_named=self.is_named)
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


def _is_annotated(facts: KernelFacts, parameter: Parameter) -> bool:
    annotation = parameter.annotation
    return annotation is not None and facts.kernel.module.builtin(annotation) == "int"


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
    node = next(a for a in facts.kernel.arguments if a.arg == parameter.name)
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
    node = next(a for a in facts.kernel.arguments if a.arg == parameter.name)
    if parameter.constexpr:
        message = f"{what}, so the kernel is compiled again for each number: remove `tl.constexpr`"
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

    from tritonopt.facts.memory.widths import may_end_neighbors

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
