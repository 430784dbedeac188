import torch
import triton
import triton.language as tl


# case: accumulated_squares
# expect: finding, other-changes-the-result
"""The mask of the last tile is not that of the tiles before."""


@triton.jit
def k(X, Y, mean, N, BLOCK: tl.constexpr):
    acc = tl.zeros([BLOCK], tl.float32)
    for start in range(0, N, BLOCK):
        c = start + tl.arange(0, BLOCK)
        d = tl.load(X + c, mask=c < N, other=0.0) - mean
        acc += d * d
    tl.store(Y, tl.sum(acc, axis=0))


# case: whole_number_of_an_unknown_type
# expect: finding, other-changes-the-result
"""Who writes 1 may load integers, and of an infinity the compiler makes an undefined one."""


@triton.jit
def k(X, Y, N, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(X + tl.program_id(0) * N + c, mask=c < N, other=1)
    tl.store(Y + tl.program_id(0), tl.min(x, axis=0))


# tritonopt: x: i32[m, n]
def launch(x: torch.Tensor):
    m, n = x.shape
    y = torch.zeros(m, dtype=torch.int64, device=x.device)
    k[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: mask_bound_again
# expect: finding, other-changes-the-result
"""The name of the mask means something else by then."""


@triton.jit
def k(X, Y, Z, mean, N, M, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    mask = c < N
    d = tl.load(X + c, mask=mask, other=0.0) - mean
    mask = c < M
    tl.store(Z + c, d, mask=mask)
    tl.store(Y, tl.sum(d * d, axis=0))


# case: other_given_by_a_helper
# expect: finding, other-changes-the-result
"""Other callers may want the 0."""


@triton.jit
def row(X, c, N):
    return tl.load(X + c, mask=c < N, other=0.0).to(tl.float32)


@triton.jit
def k(X, Y, N, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    tl.store(Y, tl.max(row(X, c, N), 0))


def launch(x: torch.Tensor):
    y = torch.empty(1, device=x.device)
    k[(1,)](x, y, x.numel(), BLOCK=1024)
    return y
