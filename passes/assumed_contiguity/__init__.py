"""assumed-contiguity: a kernel reads a tensor in the order of memory, and nobody made that its."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.polynomial import TooLarge
from tritonopt.facts.host import torch_api
from tritonopt.facts.host.local_names import names_of
from tritonopt.facts.launch_bindings import LaunchBinding
from tritonopt.rewriting.model import Site
from tritonopt.rewriting.protocol import Lint
from tritonopt.source import InsertBefore, Launch
from tritonopt.source.trees import walk

if TYPE_CHECKING:
    from tritonopt.passes.assumed_contiguity.flat_reads import FlatReads
    from tritonopt.passes.assumed_contiguity.layouts import Given


class AssumedContiguity(Lint):
    """Find tensors that a kernel reads as contiguous, although callers may pass other layouts.

    ## What it does

    A kernel that computes `X + row * N + cols` without a stride of `X` is right for contiguous
    tensors only. The pass reports a launch that passes such a kernel a tensor of its launcher's
    caller, or a transposed view. As a fix, it writes `x = x.contiguous()` in the launcher.

    ## Why

    `x.t()`, `x[:, :n]` and the expanded gradient of `y.sum()` are not contiguous. For these the
    kernel reads other elements, or elements past the end, and no error is raised.

    ## Conditions

    No function of the file that passes the tensor on calls `contiguous`, `reshape` or `view`,
    compares strides, or passes the tensor to other code; none has an unknown decorator. Most
    kernels only get contiguous tensors, so one of these must also hold:

    - the launcher passes a view that it transposed, expanded or cut;
    - the tensor is a gradient of `torch.autograd.Function`;
    - the launch passes 1 for its stride, and the strides of another tensor;
    - several leading dimensions are flattened to rows, and the launch passes one stride for them;
    - the launcher makes another tensor contiguous that the kernel reads at the same offsets;
    - it has two dimensions, and the kernel divides the flat position by a length to find the row or
      the column of a tensor.

    If the pass is named, it also reports, as a note, any other matrix whose rows are assumed to be
    contiguous without a check.

    The fix is made where the launcher reads the tensor's shape and passes the tensor to this launch
    only. A tensor that is written to, returned or kept is not copied.

    ## Numerics

    `exact`: contiguous tensors stay as they are.

    ## Example

    ```python
    @triton.jit
    def scale(X, S, Y, N, WIDTH, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(X + at, mask=at < N)
        s = tl.load(S + at // WIDTH, mask=at < N)
        tl.store(Y + at, x * s, mask=at < N)


    def scaled(x, s):
        m, n = x.shape
        y = torch.empty_like(x)
        scale[(triton.cdiv(m * n, 64),)](x, s, y, m * n, n, BLOCK=64)
        return y
    ```

    becomes

    ```python
    @triton.jit
    def scale(X, S, Y, N, WIDTH, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(X + at, mask=at < N)
        s = tl.load(S + at // WIDTH, mask=at < N)
        tl.store(Y + at, x * s, mask=at < N)


    def scaled(x, s):
        x = x.contiguous()
        m, n = x.shape
        y = torch.empty_like(x)
        scale[(triton.cdiv(m * n, 64),)](x, s, y, m * n, n, BLOCK=64)
        return y
    ```

    ## Measured

    Nothing to measure: it is about correctness.
    """

    name: ClassVar[str] = "assumed-contiguity"
    fixes: ClassVar[bool] = True
    summary: ClassVar[str] = "find tensors of any layout that are read as contiguous"
    harm: ClassVar[str] = (
        "for a transposed, sliced or expanded tensor the kernel reads the wrong elements, and no "
        "error is raised"
    )

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        if facts.launches.unknown or facts.launches.caller is not None:
            return
        facts, told = facts.of_tiles, set()
        for binding in facts.launches.bindings:
            for name in sorted(facts.pointers):
                key = (binding.launch.call, name)
                if key not in told and (site := self._site(facts, binding, name)):
                    told.add(key)
                    yield site

    def _site(self, facts: KernelFacts, binding: LaunchBinding, name: str) -> Site | None:
        site = _site(facts, binding, name)
        return site if self.is_named or site is None or not site.is_note else None


def _site(facts: KernelFacts, binding: LaunchBinding, name: str) -> Site | None:
    # Imported here: of many files no launch is known.
    from tritonopt.passes.assumed_contiguity.flat_reads import FlatReads
    from tritonopt.passes.assumed_contiguity.layouts import given

    launch, argument = binding.launch, binding.launch.arguments.get(name)
    accesses = [e for e in facts.effects if facts.bases(e) == frozenset({name})]
    # A block that is not read as a tile of pointers has strides that are not seen.
    blocks = any(e.pointer is None or e.pointer.shape is None for e in accesses)
    if argument is None or blocks or not any(e.loaded for e in accesses):
        return None
    try:
        view = FlatReads(facts, binding, name, accesses)
        if not (view.is_flat or view.has_one_stride):
            return None
        tensor = given(launch, argument)
        why = _why(view, tensor) if tensor is not None else ""
        is_note = tensor is not None and not why and _may_be_strided(view, tensor)
        if is_note and tensor is not None:
            why = f"the launch in {launch.where} passes {tensor.name} without .contiguous()"
    except TooLarge:
        return None
    if tensor is None or not why:
        return None
    what = f"{why}; the kernel reads {name} as if it were contiguous"
    anchor = facts.kernel.node if launch.is_elsewhere else launch.call
    site = Site.of_mistake(anchor, "order-is-made-sure-of", "assumes-contiguity", what)
    site = replace(site, is_note=is_note)
    place = _place(view, tensor) if not tensor.moved else None
    if place is None:
        return site
    fix = f"{tensor.name} = {tensor.name}.contiguous()"
    return replace(
        site,
        message=f"{what}: wrote {fix}",
        advice=f"{what}: write {fix} above line {place.lineno}",
        changes=(InsertBefore(place, fix),),
    )


def _why(view: FlatReads, tensor: Given) -> str:
    """The sign that it may come in another order, in words; "" for none."""
    from tritonopt.passes.assumed_contiguity.layouts import least_rank

    launch, name = view.binding.launch, tensor.name
    where = f"the launch in {launch.where} passes"
    others = {s.tensor for s in view.strides} - {view.tensor}
    if view.has_one_stride and not view.is_flat:
        return (
            f"{where} one stride of {name} for the rows of several dimensions: with "
            f"{name}.transpose(0, 1) the rows are in another order"
        )
    if tensor.moved is not None:
        return f"{where} a view, {ast.unparse(tensor.moved)}" if view.goes_over_rows else ""
    if tensor.is_gradient and not tensor.checks_last:
        return (
            f"{where} the gradient {name} without .contiguous(): that of y.sum() is "
            "expanded, and has one "
            "element"
        )
    if view.has_given_stride and others:
        return f"{where} 1 as the stride of {name}, but an expanded or sliced tensor has another"
    assert launch.launcher is not None
    sibling = _made_contiguous(view) if view.is_flat and view.has_rows else ""
    if sibling:
        return f"{where} {name} unchanged, and {sibling}, which is read alike, made contiguous"
    if least_rank(launch.launcher, name) < 2 or not view.goes_over_rows:
        return ""
    if not view.is_divided:
        return ""
    return (
        f"{where} {name} without .contiguous(): for {name}.transpose(0, 1) the kernel "
        "reads [1, 0] instead of [0, 1]"
    )


def _made_contiguous(view: FlatReads) -> str:
    """Another tensor, read at the same offsets, that the launcher makes contiguous."""
    launch, address = view.binding.launch, view.facts.forms.address
    held = names_of(launch.launcher).assigned if launch.launcher is not None else {}
    read = (address(e.pointer) for e in view.facts.effects if e.loaded and e.pointer)
    for base in sorted({base for base, offset in read if base and offset in view.offsets}):
        match launch.arguments.get(base):
            case ast.Name(id=name) if base != view.name:
                made = [n.func for n in held.get(name, ()) if isinstance(n, ast.Call)]
                if any(isinstance(f, ast.Attribute) and f.attr == "contiguous" for f in made):
                    return name
    return ""


def _may_be_strided(view: FlatReads, tensor: Given) -> bool:
    """Whether a tensor of several dimensions is read by rows, and nobody asked for its order.

    Element by element the result may lie in memory as the tensor does.
    """
    from tritonopt.passes.assumed_contiguity.layouts import least_rank

    launcher = view.binding.launch.launcher
    if launcher is None or tensor.checks_last or not tensor.name or tensor.moved is not None:
        return False
    return least_rank(launcher, tensor.name) > 1 and view.is_flat and view.has_rows


def _place(view: FlatReads, tensor: Given) -> ast.stmt | None:
    """The statement of the launcher before which the tensor is made contiguous."""
    launcher = view.binding.launch.launcher
    if launcher is None or view.binding.launch.is_elsewhere:
        return None
    if not _is_only_read(view.binding.launch, launcher, tensor.name):
        return None
    if any(
        view.name in (view.facts.bases(e) or {view.name}) for e in view.facts.effects if e.writes
    ):
        return None
    for statement in launcher.body:
        if tensor.name in {n.id for n in walk(statement) if isinstance(n, ast.Name)}:
            is_none = any(isinstance(n, ast.Constant) and n.value is None for n in walk(statement))
            on_its_line = statement.lineno == launcher.lineno
            return None if is_none or on_its_line else statement
    return None


def _is_only_read(launch: Launch, launcher: ast.AST, name: str) -> bool:
    """Whether the launcher asks the tensor for its form and passes it on once, and no more.

    Else somebody may change the caller's tensor, or keep it, where a copy would be changed or kept.
    """
    form = torch_api.PROPERTIES - {"data_ptr", "item"} | torch_api.NEW
    harmless = {n.value for n in walk(launcher) if isinstance(n, ast.Attribute) and n.attr in form}
    passed = [*launch.call.args, *(keyword.value for keyword in launch.call.keywords)]
    for node in walk(launcher):
        if (
            isinstance(node, ast.Call)
            and launch.module.resolve(node.func) in torch_api.ALLOCATIONS_LIKE
        ):
            harmless |= {*node.args[:1]}
    uses = {n for n in walk(launcher) if isinstance(n, ast.Name) and n.id == name} - harmless
    return len(uses) == 1 and uses <= {*passed}
