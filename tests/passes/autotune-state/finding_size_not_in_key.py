import torch
import triton
import triton.language as tl


# case: width_of_a_tile
# expect: finding, size-not-in-key
"""A tile of the next power of 2, and the key has the number of rows alone."""


@triton.autotune(configs=[triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 64})], key=["M"])
@triton.jit
def rows_kernel(X, Y, M, N, stride, D: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    ok = (r[:, None] < M) & (d[None, :] < N)
    x = tl.load(X + r[:, None] * stride + d[None, :], mask=ok, other=0.0)
    tl.store(Y + r[:, None] * stride + d[None, :], x * x, mask=ok)


def rows(x: torch.Tensor):
    M, N = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    rows_kernel[lambda meta: (triton.cdiv(M, meta["BLOCK"]),)](x, y, M, N, x.stride(0), D=triton.next_power_of_2(N))
    return y
