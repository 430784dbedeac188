import torch
import triton
import triton.language as tl


# case: load_has_another_mask
# like: store_by_any_stride
# expect: not applied, dependence-between-iterations
"""Of equal offsets one may be loaded and the other not, so their values differ."""
#-                x = tl.load(X + c * stride_c + n * stride_n + h * stride_h + w, mask=w < W, other=0.0).to(tl.float32)
#-                tl.store(Y + c * stride_c + n * stride_n + h * stride_h + w, x + n, mask=w < W)
#+                offsets = c * stride_c + n * stride_n + h * stride_h + w
#+                x = tl.load(X + offsets, mask=(w < W) & (n > 0), other=0.0)
#+                tl.store(Y + offsets, x, mask=w < W)


# case: neighbor_is_loaded
# like: one_element_for_all
# expect: not applied, dependence-between-iterations
"""An element is made of the one that was stored in the turn before."""
#-            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
#-            tl.store(Y, n)
#+            x = tl.load(X + row + n * W + w - W, mask=(w < W) & (n > 0), other=1.0)
#+            tl.store(X + row + n * W + w, x, mask=w < W)


# case: one_element_for_all
# expect: not applied, dependence-between-iterations
"""All turns store to one element."""


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            tl.store(Y, n)


# tritonopt: x: f32[m, n, w]
def run(x: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, w, BLOCK=16)
    return y


# case: parts_of_one_tensor
# expect: not applied, dependence-between-iterations
"""The launch passes two parts of one tensor, one element apart: a tile loads what one has stored."""


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + n * W + w, mask=w < W, other=0.0)
            tl.store(Y + n * W + w, x + 1.0, mask=w < W)


def run(x: torch.Tensor):
    n, w = x.shape[0], x.shape[1]
    kernel[(1,)](x, x[1:], n - 1, w, BLOCK=16)
    return x


# case: store_by_any_stride
# expect: not applied, dependence-between-iterations
"""Rows that are stored may overlap, and each is stored with its number."""


@triton.jit
def kernel(X, Y, N, H, W, stride_n, stride_c, stride_h, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    for n in range(N):
        for h in range(H):
            for start in range(0, W, BLOCK):
                w = start + tl.arange(0, BLOCK)
                x = tl.load(X + c * stride_c + n * stride_n + h * stride_h + w, mask=w < W, other=0.0).to(tl.float32)
                tl.store(Y + c * stride_c + n * stride_n + h * stride_h + w, x + n, mask=w < W)


# tritonopt: x: f32[n, c, h, w]
def run(x: torch.Tensor):
    n, c, h, w = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(c,)](x, y, n, h, w, x.stride(0), x.stride(1), x.stride(2), BLOCK=16)
    return y


# case: store_forgets_an_index
# like: one_element_for_all
# expect: not applied, dependence-between-iterations
"""Every image stores to one row, and the last one wins."""
#-            tl.store(Y, n)
#+            tl.store(Y + row + w, x, mask=w < W)


# case: stored_in_place_by_strides
# like: store_by_any_stride
# expect: not applied, dependence-between-iterations
"""In place, with strides that may be 0: an element may be doubled twice."""
#-                tl.store(Y + c * stride_c + n * stride_n + h * stride_h + w, x + n, mask=w < W)
#+                tl.store(X + c * stride_c + n * stride_n + h * stride_h + w, 2.0 * x, mask=w < W)
#-    return y
#+    return x
