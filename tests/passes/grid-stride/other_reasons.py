import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, share, BLOCK: tl.constexpr):
    first = tl.program_id(0) * share
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(first, min(first + share, n)):
        total += tl.load(x + row * BLOCK + tl.arange(0, BLOCK))
    tl.store(out + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), total)


def run(x: torch.Tensor):
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out


# case: axis_by_parameter
# expect: not applied, axis-is-not-known
"""Which axis it is the launch says."""


@triton.jit
def kernel(x, out, n, AXIS: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(AXIS)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), AXIS=0, BLOCK=64)
    return out


# case: id_of_a_helper_bound_twice
# expect: not applied, axis-is-not-known
"""Which of two helpers it is, is not known."""


@triton.jit
def program_id(axis: int) -> tl.tensor:
    """The program's number in 64 bits."""
    return tl.program_id(axis).to(tl.int64)


@triton.jit
def program_id(axis: int):
    return tl.program_id(axis) * 2


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    offs = program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + tl.program_id(0), mask=offs < n)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out


# case: heuristic_from_elsewhere
# like: heuristic_for_the_rest
# expect: not applied, grid-depends-on-the-configuration
"""Nobody sees what the heuristics set, and the length is passed by name."""
#-    kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n)
#+    kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n=n)


# case: heuristic_replaces_an_argument
# like: heuristic_replaces_the_length
# expect: not applied, grid-depends-on-the-configuration
"""The heuristic wins over the launch, so the grid is not what the launch passes."""
#-@triton.heuristics({"n": lambda arguments: arguments["n"] // 2})
#+@triton.heuristics({"BLOCK": lambda arguments: 32})
#-    block = 64
#-    kernel[lambda META: (triton.cdiv(n, META["BLOCK"]),)](x, out, n=n, BLOCK=block)
#+    kernel[lambda META: (triton.cdiv(n, META["BLOCK"]) + 1,)](x, out, n, BLOCK=64)


# case: tuned_over_another_length
# expect: not applied, grid-depends-on-the-configuration
"""The grid counts blocks of a length that the kernel is not given."""


@triton.autotune(configs=[triton.Config({"BLOCK": 64})], key=["n"])
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)


def run(x: torch.Tensor):
    out = torch.empty_like(x)
    half = x.numel() // 2
    kernel[lambda META: (triton.cdiv(half, META["BLOCK"]),)](x, out, x.numel())
    return out


# case: a_program_for_each_processor
# expect: not applied, grid-of-processors
"""Each program has as many rows as make one program for each multiprocessor."""
# shared: kernel


# tritonopt: x: f32[m, 16]
def run(x: torch.Tensor):
    x = x.contiguous()
    m = x.shape[0]
    count = 1
    if x.is_cuda:
        count = torch.cuda.get_device_properties(x.device).multi_processor_count
    out = torch.empty((count, 16), device=x.device)
    kernel[(count,)](x, out, m, triton.cdiv(m, count), BLOCK=16)
    return out.sum(dim=0)


# case: at_most_a_program_for_each_processor
# expect: not applied, grid-of-processors
"""As the other, with no more programs than rows."""
# shared: kernel


# tritonopt: x: f32[m, 16]
def run(x: torch.Tensor):
    x = x.contiguous()
    m = x.shape[0]
    device = torch.cuda.current_device()
    count = min(m, torch.cuda.get_device_properties(device).multi_processor_count)
    out = torch.zeros((m, 16), device=x.device)
    kernel[(count,)](x, out, m, triton.cdiv(m, max(count, 1)), BLOCK=16)
    return out.sum(dim=0)


# case: one_program_for_all
# expect: not applied, grid-of-processors
"""There is one program: a loop over tiles would have one tile."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + cols, mask=cols < N, other=0.0)
    tl.store(Y + tl.program_id(0), tl.sum(x, axis=0))


def run(x: torch.Tensor):
    x = x.contiguous()
    y = torch.empty(1, dtype=x.dtype, device=x.device)
    kernel[(1,)](x, y, x.numel(), BLOCK=triton.next_power_of_2(x.numel()))
    return y


# case: warp_specialized
# expect: not applied, loop-options
"""A loop whose warps have roles cannot stand in another."""


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    for i in tl.range(0, 2, warp_specialize=True):
        offs = pid * BLOCK + tl.arange(0, BLOCK) + 0 * i
        tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)
# shared: run


# case: helper_from_elsewhere
# expect: not applied, unknown-call
"""A helper of another file may read the program id."""

from elsewhere import transform


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, transform(tl.load(x + offs, mask=offs < n)), mask=offs < n)
# shared: run


# case: inline_assembly
# expect: not applied, unknown-call
"""Assembly can ask for the block's index itself."""


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    index = tl.inline_asm_elementwise("mov.u32 $0, %ctaid.x;", "=r", [], tl.int32, True, 1)
    offs = index * BLOCK + tl.arange(0, BLOCK) + 0 * pid
    tl.store(out + offs, tl.load(x + offs, mask=offs < n), mask=offs < n)
# shared: run


# case: pruned_by_a_changed_dict
# like: pruned_by_a_fixed_signature
# expect: not applied, unknown-decorator
"""More is put into what the tuner is given."""
#     return configs
#
#
#+options = {"restore_value": None}
#+options["prune_configs_by"] = {"early_config_prune": prune}
#+
#+
#-    prune_configs_by={"early_config_prune": prune},
#+    **options,


# case: wrapped_by_another
# like: tuned_over_another_length
# expect: not applied, unknown-decorator
"""The decorator keeps what was compiled by a key of its own, without one more argument."""
# import triton.language as tl
#
#+from sglang.srt.utils import cached_triton_kernel
#-@triton.autotune(configs=[triton.Config({"BLOCK": 64})], key=["n"])
#+
#+@cached_triton_kernel(lambda _, kwargs: kwargs["BLOCK"])
#-    half = x.numel() // 2
#-    kernel[lambda META: (triton.cdiv(half, META["BLOCK"]),)](x, out, x.numel())
#+    kernel[(triton.cdiv(2 * x.numel(), 64),)](x, out, x.numel(), BLOCK=64)


# case: other_axes
# expect: not applied, other-axes-are-unlimited
"""As many programs as heads for each of the programs that are left: nothing is bounded."""


@triton.jit
def scale_heads(X, Y, heads, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * heads + tl.program_id(1)
    cols = tl.arange(0, BLOCK)
    x = tl.load(X + row * n + cols, mask=cols < n)
    tl.store(Y + row * n + cols, x * 2, mask=cols < n)


def scaled(x: torch.Tensor):
    m, h, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    scale_heads[(m, h)](x, y, h, n, BLOCK=triton.next_power_of_2(n))
    return y
