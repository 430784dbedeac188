"""unbounded-store: an access whose mask lets lanes beyond the buffer through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tritonopt.facts import Effect, EffectKind, KernelFacts
from tritonopt.facts.algebra.atoms import CeilDiv, Iteration, Maximum, Negative, ProgramId
from tritonopt.facts.algebra.divisibility import substitute
from tritonopt.facts.memory.offsets import number_of
from tritonopt.rewriting.model import Site
from tritonopt.rewriting.protocol import Lint


@dataclass(frozen=True)
class UnboundedStore(Lint):
    """Find loads and stores outside of their buffer, with sizes for which this happens.

    ## What it does

    Lanes access memory past the end if a mask is missing, bounds another index than that of the
    address, or compares with the wrong length or by `<=`; `offsets - 1` reads before the start. The
    pass reports the access with a launch, a shape, a program, a lane and the element.

    `boundary_check` and the shape of a descriptor are masks.

    The pass also reports:

    - an access whose index is loaded and may be -1: the kernel compares the index with 0 or -1
      elsewhere, but not in the mask of this access;
    - a pointer that one loop advances by whole tiles, past the element at which the mask of the
      next loop starts;
    - a grid that fits one configuration of a tuner: under another configuration, whose programs
      store fewer elements, some elements are never stored.

    ## Why

    The store overwrites another tensor; the load reads elements of another tensor. Tests whose
    sizes are multiples of the block size do not find this.

    ## Conditions

    An access is reported only with an example in numbers, for a launch whose grid, arguments and
    configurations can be read. The launcher allocates the buffer (`torch.empty`,
    `torch.empty_like`, `x.new_empty`) or gets it as an argument; we assume contiguous tensors. An
    access is not reported if callers may pass only sizes that fit:

    - Whether the access is outside depends on a plain argument (flags have their defaults), on the
      ratio of two tensors' sizes, or on a fixed buffer length.
    - The number of dimensions matters and is unknown: `m, n = x.shape` and `x.numel()` show it,
      `x.shape[0]` does not.
    - The launcher has an unknown check or decorator, or calls a function that may raise; a caller
      in the file checks or makes its arguments.
    - Sizes are declared: `Float[Tensor, "m 128"]`, `# tritonopt: x: f32[m, 128]`.
    - The offset or mask is loaded or unknown.

    Examples respect the sizes that launcher and kernel accept (`assert n % 64 == 0`, `if x.shape !=
    y.shape: raise`, `tl.static_assert(N == D)`, `x.view(-1, 128)`). Conditions without a size
    (`bias is not None`) may be true or false.

    ## Numerics

    Nothing is changed.

    ## Example

    ```python
    @triton.jit
    def scale(X, Y, N, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(X + offsets, mask=offsets < N, other=0.0)
        tl.store(Y + offsets, x * 2, mask=offsets <= N)


    def double(x):
        y = torch.empty_like(x)
        n = x.numel()
        scale[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
        return y
    ```

    is reported, and this is not:

    ```python
    @triton.jit
    def scale(X, Y, N, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(X + offsets, mask=offsets < N, other=0.0)
        tl.store(Y + offsets, x * 2, mask=offsets < N)


    def double(x):
        y = torch.empty_like(x)
        n = x.numel()
        scale[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
        return y
    ```

    ## Measured

    Nothing to measure: it is about correctness.
    """

    name: ClassVar[str] = "unbounded-store"
    summary: ClassVar[str] = "find accesses outside their buffer"
    harm: ClassVar[str] = "memory past the buffer belongs to another tensor, and no error is raised"

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        yield from _below_the_start(facts)
        if facts.launches.unknown:
            return
        facts = facts.of_tiles
        # Imported here: of many files no launch is known.
        from tritonopt.facts.memory.buffers import find_left_out, find_overruns

        for effect, numbers in find_left_out(facts):
            message = f"the grid is right for only one of the configurations: {numbers}"
            harm = "the other elements are not written"
            claim, reason = "stays-in-its-buffer", "leaves-elements"
            yield Site.of_mistake(effect.node, claim, reason, message, harm)
        for effect in facts.effects:
            if numbers := _is_ahead(facts, effect):
                harm = "elements of other rows are read or overwritten, and no error is raised"
                claim, reason = "stays-in-its-buffer", "pointer-is-ahead"
                yield Site.of_mistake(effect.node, claim, reason, numbers, harm)
        for effect, numbers in find_overruns(facts):
            masked = effect.mask is not None and not effect.mask.is_none
            what = "the mask does not keep" if masked else "nothing keeps"
            message = f"{what} this {effect.name} inside its buffer: {numbers}"
            claim, reason = "stays-in-its-buffer", "leaves-its-buffer"
            yield Site.of_mistake(effect.node, claim, reason, message)


def _below_the_start(facts: KernelFacts) -> Iterator[Site]:
    loaded = {e.loaded for e in facts.effects if e.kind is EffectKind.LOAD}
    pointers = (e.pointer for e in facts.effects if e.pointer is not None)
    if not any(part in loaded for pointer in pointers for part in pointer.walk()):
        return
    from tritonopt.passes.unbounded_store.loaded_indices import find_below_zero

    for effect, what in find_below_zero(facts):
        claim, reason = "stays-in-its-buffer", "index-is-below-zero"
        yield Site.of_mistake(effect.node, claim, reason, what)


def _is_ahead(facts: KernelFacts, effect: Effect) -> str:
    """By how much a pointer is past the place that the mask speaks of, in words; "" for nothing.

    A loop in whole tiles of 32 moves it by 32 * cdiv(end, 32), and the next loop begins at `end`.
    """
    if effect.pointer is None or effect.mask is None or not effect.loops:
        return ""
    address = facts.forms.address(effect.pointer)[1]
    if not any(isinstance(atom, Maximum | CeilDiv) for atom in address.atoms):
        return ""
    bounds = [
        a.form for a in facts.forms.condition(effect.mask).leaves() if isinstance(a, Negative)
    ]
    turn = Iteration(effect.loops[-1].identity)
    for binding in facts.launches.bindings:
        offset = substitute(address, binding)
        for moved in (a for a in offset.atoms if isinstance(a, Maximum | CeilDiv)):
            inside = (a for form in moved.inside for a in form.atoms)
            counts = [moved] if isinstance(moved, CeilDiv) else inside
            for count in (a for a in counts if isinstance(a, CeilDiv)):
                step, end = count.divisor, count.dividend
                if offset.coefficient(moved) != step or offset.coefficient(turn) != step:
                    continue
                ids = {a for a in end.leaves() if isinstance(a, ProgramId)}
                begins = (substitute(form, binding) - end for form in bounds)
                same = any(
                    rest.coefficient(turn) == step and ids.isdisjoint(rest.leaves())
                    for rest in begins
                )
                for program in range(8) if same and len(ids) == 1 else ():
                    first = number_of(end, {next(iter(ids)): program})
                    tile = number_of(step, {})
                    if first is not None and tile and first % tile:
                        return (
                            f"in program {program} the loop before moved the pointer by "
                            f"{-(-first // tile) * tile}, and by its mask this "
                            f"{effect.name} starts at {first} (the launch in "
                            f"{binding.launch.where})"
                        )
    return ""
