"""spills: tiles that do not fit into registers, by what the compiler makes of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tritonopt.facts import KernelFacts
from tritonopt.facts.algebra.atoms import Param
from tritonopt.rewriting.model import Condition, Site, Status
from tritonopt.rewriting.protocol import Lint

if TYPE_CHECKING:
    from tritonopt.facts.machine_code.compiler import Need, Setting
    from tritonopt.facts.machine_code.launched_settings import LaunchedSetting
    from tritonopt.source import Kernel

_LEAST_ELEMENTS = 16
"""Of a tile, for each thread: below that it takes very many tiles to fill 255 registers."""
_MOST_WARPS = 32
_LEAST_TILE = 64


@dataclass(frozen=True)
class Spills(Lint):
    """Find tiles that spill registers at launched sizes, and the warps or tiles that do not.

    ## What it does

    A thread has at most 255 registers, fewer with many warps; other values spill to the stack, in
    memory. The pass compiles the kernel, without a GPU, for the largest launched tiles. If the
    stack is used, it tries more warps and shorter tiles, and reports the first of each that does
    not spill, with registers and bytes.

    ## Why

    Every program writes spilled values to memory and reads them back, which is visible only in the
    machine code. A kernel with one tile per row becomes slow above some row length.

    ## Conditions

    - The pass is named (`--passes spills`), because it takes seconds per kernel. Without Triton and
      torch, it reports only that they are missing. A separate process imports the file.
    - The launch shows every constexpr and the warps. If the tile grows with a size, the pass
      compiles for the launcher's limit: `min(8192, ...)`, or a check that raises. If a function in
      the launcher's file chooses both, `block, num_warps = settings(n)`, it is called for the
      longest row it accepts.
    - Not reported: tiles without a limit or below 16 elements per thread; autotuned kernels.
    - Unless a launch shows otherwise, we assume that tensors are fp16, that optional tensors are
      passed, and that the last stride is 1.
    - Some functions keep arrays on the stack. So a setting is only reported if it reduces the stack
      to zero, or to the least of all settings tried.

    ## Numerics

    Nothing is changed.

    ## Example

    ```python
    @triton.jit
    def softmax_rows(X, Y, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(Y + row * N + cols, e / tl.sum(e, axis=0), mask=cols < N)


    def softmax(x):
        m, n = x.shape
        assert n <= 32768
        y = torch.empty_like(x)
        softmax_rows[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
        return y
    ```

    is reported, and this is not:

    ```python
    @triton.jit
    def softmax_rows(X, Y, N, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        cols = tl.arange(0, BLOCK)
        x = tl.load(X + row * N + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(Y + row * N + cols, e / tl.sum(e, axis=0), mask=cols < N)


    def softmax(x):
        m, n = x.shape
        assert n <= 32768
        y = torch.empty_like(x)
        softmax_rows[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n), num_warps=16)
        return y
    ```

    ## Measured

    Nothing to measure: no code is changed.

    Compiled by Triton 3.7 for sm_90, a thread of the first kernel has 255 registers and 664 bytes
    of stack if N is 32768; with 8 warps, 228 registers and no stack.
    """

    name: ClassVar[str] = "spills"
    summary: ClassVar[str] = "find tiles that exceed the registers, and settings that fit"
    runs_file: ClassVar[bool] = True
    harm: ClassVar[str] = "what does not fit into registers is written to memory and read again"

    def sites(self, facts: KernelFacts) -> Iterator[Site]:
        if not self.is_named or not facts.launches.bindings or "<" in facts.kernel.qualname:
            return
        from tritonopt.facts.machine_code import compiler
        from tritonopt.facts.machine_code.launched_settings import launched_settings
        from tritonopt.source.decorators import AUTOTUNE

        if AUTOTUNE in facts.kernel.decorators:
            return
        for launched in launched_settings(facts):
            threads = 32 * launched.setting.warps
            if not launched.tile or launched.elements < _LEAST_ELEMENTS * threads:
                continue
            if not compiler.is_there():
                detail = "triton and torch are not installed, so nothing is compiled"
                yield _unknown(facts, launched, detail, "not-compiled")
                return
            try:
                site = _site(facts, launched)
            except compiler.NotCompiled as why:
                yield _unknown(facts, launched, f"it is not compiled: {why}", "not-compiled")
                return
            if site is not None:
                yield site
                return


def _unknown(facts: KernelFacts, launched: LaunchedSetting, why: str, reason: str) -> Site:
    condition = Condition("code-is-small", Status.UNKNOWN, why, reason)
    message = f"whether a tile of {launched.tile} fits into registers is not known: {why}"
    return Site(_anchor(facts, launched), (condition,), message)


def _anchor(facts: KernelFacts, launched: LaunchedSetting) -> ast.arg:
    given = facts.kernel.node.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return next(a for a in every if a.arg == launched.tile)


def _site(facts: KernelFacts, launched: LaunchedSetting) -> Site | None:
    """What is to be said of the largest tile of a launch. Raises NotCompiled."""
    from tritonopt.facts.machine_code.compiler import needs
    from tritonopt.facts.machine_code.launched_settings import USUAL_TYPE

    setting = launched.setting
    (own,) = needs(facts.kernel, [setting])
    if own is None or not own.stack:
        return None
    more = [*_up_to_no_stack(facts.kernel, _more_warps(setting))]
    shorter = [*_up_to_no_stack(facts.kernel, _shorter(launched))]
    least = min((need.stack for _, need in (*more, *shorter)), default=own.stack)
    if own.stack <= least:
        return None
    fixes = []
    warps = _first(more, least)
    if warps is not None:
        fixes.append(f"num_warps={warps[0].warps} leaves {_said(warps[1])}")
    tile = _first(shorter, least)
    if tile is not None:
        length = dict(tile[0].constants)[launched.tile]
        loop = "" if _is_step(facts, launched.tile) else ", in a loop over the row,"
        fixes.append(f"{launched.tile}={length}{loop} leaves {_said(tile[1])}")
    where = f" where {launched.size}" if launched.size else ""
    types = f", with {' and '.join(launched.taken)} in {USUAL_TYPE}" if launched.taken else ""
    length = dict(setting.constants)[launched.tile]
    message = (
        f"a tile of {launched.tile}={length} spills registers: launched in "
        f"{launched.launch.where}{where}, with {setting.warps} warps, a thread has {_said(own)} "
        f"(compiled for sm_90{types}); {', and '.join(fixes)}"
    )
    return Site.of_mistake(_anchor(facts, launched), "code-is-small", "tile-is-spilled", message)


def _more_warps(setting: Setting) -> list[Setting]:
    counts = [2**i for i in range(6)]
    return [setting.with_warps(n) for n in counts if setting.warps < n <= _MOST_WARPS]


def _shorter(launched: LaunchedSetting) -> list[Setting]:
    """Tiles of a half, a quarter, ... down to a sixteenth."""
    length = dict(launched.setting.constants)[launched.tile]
    assert isinstance(length, int)
    lengths = [length >> i for i in range(1, 5) if length >> i >= _LEAST_TILE]
    return [launched.setting.with_constant(launched.tile, n) for n in lengths]


def _up_to_no_stack(kernel: Kernel, settings: Iterable[Setting]) -> Iterator[tuple[Setting, Need]]:
    """What each setting needs, to the first that needs no stack: others would leave no less."""
    from tritonopt.facts.machine_code.compiler import needs

    for setting in settings:
        (need,) = needs(kernel, [setting])
        if need is not None:
            yield setting, need
            if not need.stack:
                return


def _first(found: Iterable[tuple[Setting, Need]], least: int) -> tuple[Setting, Need] | None:
    return next((one for one in found if one[1].stack <= least), None)


def _said(need: Need) -> str:
    stack = f"{need.stack} bytes of stack" if need.stack else "no stack"
    return f"{need.registers} registers and {stack}"


def _is_step(facts: KernelFacts, tile: str) -> bool:
    """Whether a loop goes through the data in such tiles already."""
    steps = (facts.forms.of(loop.step) for loop in facts.loops if loop.step is not None)
    return any(Param(tile) in set(step.leaves()) for step in steps)
