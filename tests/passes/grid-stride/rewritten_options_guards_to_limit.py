import torch
import triton
import triton.language as tl


# case: guards_of_many_kinds
# options: programs=2
"""Comparisons of comparisons, remainders, None, and comments that stay."""


@triton.jit
def kernel(x, bias, out, n, limit, BLOCK: tl.constexpr):
    pid = tl.program_id(0)  # one row each
    if (pid < limit) == 0:  # beyond
        # Rows of padding have no data.
        return
    odd = pid % 2
    if odd:
        return
    if pid == 4 or pid == 6:
        return
    if bias is None:
        return
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + pid * n + cols, mask=cols < n, other=0.0)
    if tl.sum(v, axis=0) > 1.0:
        return
    tl.store(out + pid * n + cols, v + tl.load(bias), mask=cols < n)


# tritonopt: x: f32[m, n], bias: f32[n]
def run(x: torch.Tensor, bias: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(m + 1,)](x, bias, out, n, m, BLOCK=triton.next_power_of_2(n))
    return out


# case: halves_of_one_tensor
# options: programs=2
"""Both parameters are given parts of one tensor that have no element in common."""


@triton.jit
def copy_kernel(X, Y, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + offsets, mask=offsets < n)
    tl.store(Y + offsets, x, mask=offsets < n)


# tritonopt: x: f32[2 * n]
def repeat(x: torch.Tensor):
    n = x.numel() // 2
    copy_kernel[(triton.cdiv(n, 16),)](x[:n], x[n:], n, BLOCK=16)
    return x


# case: helper_returns_as_compiled
# options: programs=3
"""The compiler decides where the helper returns."""


@triton.jit
def activated(x, bias, ACTIVATION: tl.constexpr):
    if bias is None:
        return x
    if ACTIVATION == "relu":
        return tl.maximum(x + bias, 0.0)
    return x + bias


@triton.jit
def kernel(x, out, n, bias, ACTIVATION: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + offs, mask=offs < n)
    tl.store(out + offs, activated(values, bias, ACTIVATION), mask=offs < n)


# tritonopt: x: f32[m, n], bias: 0.5|None, activation: 'relu'|'none'
def run(x: torch.Tensor, bias: float | None, activation: str):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 64),)](x, out, n, bias, activation, BLOCK=64)
    return out


# case: heuristic_for_the_rest
# options: programs=3
# verify: no, it needs a module that is not there
"""Nobody sees what the heuristics set, but what is passed by its place they cannot."""
from settings import HEURISTICS


@triton.heuristics(HEURISTICS)
@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=offs < n) + 1, mask=offs < n)


def run(x: torch.Tensor):
    out = torch.zeros_like(x)
    n = x.numel()
    kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n)
    return out


# case: heuristic_reads_the_block
# options: programs=3
"""A heuristic reads the block and the length, and sets neither; the grid names the block."""

UNROLL = 2


@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    for part in tl.static_range(2):
        offs = (pid * 2 + part) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out_ptr + offs, tl.load(x_ptr + offs, mask=offs < n) + 1, mask=offs < n)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK"] * UNROLL),)
    kernel[grid](x, out, n=n, BLOCK=16)
    return out


# case: heuristic_replaces_the_length
# options: programs=2
"""In the kernel n is not what the launch passes for it."""


@triton.heuristics({"n": lambda arguments: arguments["n"] // 2})
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + 1, mask=offs < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    n = x.numel()
    block = 64
    kernel[lambda META: (triton.cdiv(n, META["BLOCK"]),)](x, out, n=n, BLOCK=block)
    return out


# case: id_as_a_tensor
# options: programs=3
"""A seed, a filled block and what is computed from the id must be tensors, interpreted too."""


@triton.jit
def noise_kernel(out_ptr, n, seed, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    start = pid * BLOCK
    offs = start.to(tl.int64) + tl.arange(0, BLOCK)
    whole = tl.full([BLOCK], pid, tl.int32) + tl.broadcast_to(start, [BLOCK])
    random = tl.rand(seed, pid) > 2.0
    half = (pid - 3) // 2
    value = tl.where(random, 0, whole + half)
    tl.store(out_ptr + offs, value, mask=offs < n)


# tritonopt: x: i32[n], seed: int in 0..1000
def noise(x: torch.Tensor, seed: int):
    out = torch.empty_like(x)
    n = x.numel()
    noise_kernel[(triton.cdiv(n, 16),)](out, n, seed, BLOCK=16)
    return out


# case: id_divided_toward_zero
# options: programs=3
"""A tensor is divided toward zero, a Python number down."""


@triton.jit
def shift_kernel(out_ptr):
    pid = tl.program_id(0)
    tl.store(out_ptr + pid, (pid - 3) // 2)


# tritonopt: x: i32[n]
def shift(x: torch.Tensor):
    out = torch.empty_like(x)
    shift_kernel[(x.numel(),)](out)
    return out


# case: id_goes_to_a_helper
# options: programs=3
"""A helper takes the program id and asks for its type."""


@triton.jit
def offsets_of(pid, BLOCK: tl.constexpr):
    return pid.to(tl.int64) * BLOCK + tl.arange(0, BLOCK)


@triton.jit
def negate_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = offsets_of(pid, BLOCK)
    tl.store(out_ptr + offs, -tl.load(x_ptr + offs, mask=offs < n), mask=offs < n)


def negate(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    negate_kernel[(triton.cdiv(n, 16),)](x, out, n, 16)
    return out


# case: id_of_a_helper
# options: programs=2
"""A helper that does nothing but ask for the program id, which gets 64 bits."""


@triton.jit
def program_id(axis: int) -> tl.tensor:
    """The program's number in 64 bits."""
    return tl.program_id(axis).to(tl.int64)



@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    if pid == 0:
        tl.store(out + offs, 7.0, mask=offs < n)
        return
    again = pid * 2 - program_id(axis=0)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + again % 3, mask=offs < n)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out


# case: id_of_a_plain_helper
# options: programs=2
"""A helper that hands on the program id as it is."""


@triton.jit
def program_id(axis: int) -> tl.tensor:
    """The program's number."""
    return tl.program_id(axis)



@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid = program_id(axis=0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs, mask=offs < n) + pid, mask=offs < n)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros_like(x)
    kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out


# case: id_of_every_kind_of_number
# options: programs=3
"""What takes numbers as well as tensors takes the loop variable as it is."""


@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    group = pid // GROUP
    first = tl.multiple_of(pid * BLOCK, BLOCK)
    offs = first + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    if pid % GROUP == 0 and group < 100:
        x = x + tl.minimum(group, 7)
    for i in range(group, group + 2):
        x += i
    tl.store(out_ptr + offs, x, mask=offs < n)


# tritonopt: x: f32[n]
def run(x: torch.Tensor):
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 16),)](x, out, n, BLOCK=16, GROUP=4)
    return out


# case: id_with_an_annotation
# options: programs=2
"""The program id is bound with an annotation, and asked for a cast."""


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    pid: tl.int32 = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + pid * n + cols, mask=cols < n)
    tl.store(out + pid * n + cols, v + pid.to(tl.float32), mask=cols < n)


def run(x: torch.Tensor):
    x = x.contiguous()
    m, n = x.shape
    out = torch.zeros_like(x)
    kernel[(m,)](x, out, n, BLOCK=triton.next_power_of_2(n))
    return out


# case: in_place
# options: programs=2
"""What is loaded may be what is stored, so the load stays with its tile."""


@triton.jit
def blend_kernel(X, W, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    w = tl.load(W + cols, mask=cols < N)
    x = tl.load(X + row * stride + cols, mask=cols < N)
    tl.store(X + row * stride + cols, x + w, mask=cols < N)


# tritonopt: x: f32[m, n], w: f32[n]
def blend(x: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    assert x.is_contiguous() and w.is_contiguous()
    blend_kernel[(m,)](x, w, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    return x


# case: largest_of_floats
# options: programs=2
"""Of floats the largest depends on what is done with NaN; of sums in between nothing is known."""


@triton.jit
def largest_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    tl.atomic_max(out_ptr, tl.max(x, axis=0))


# tritonopt: x: f32[n]
def largest(x: torch.Tensor):
    x = x.contiguous()
    out = torch.zeros(1, device=x.device, dtype=torch.float32)
    n = x.numel()
    largest_kernel[(triton.cdiv(n, 16),)](x, out, n, BLOCK=16)
    return out


# case: length_with_a_type
# like: heuristic_replaces_the_length
# options: programs=2
"""The loop variable would be as wide as n, where the program id was narrow."""
#-@triton.heuristics({"n": lambda arguments: arguments["n"] // 2})

#-def kernel(x, out, n, BLOCK: tl.constexpr):
#+def kernel(x, out, n: tl.int64, BLOCK: tl.constexpr):
#-    block = 64
#-    kernel[lambda META: (triton.cdiv(n, META["BLOCK"]),)](x, out, n=n, BLOCK=block)
#+    grid = lambda META: (triton.cdiv(n, META["BLOCK"]),)
#+    kernel[grid](x, out, n, BLOCK=64)
