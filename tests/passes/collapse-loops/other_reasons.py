import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n, w]
def run(x: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, w, BLOCK=16)
    return y


# case: narrow_sum
# expect: not applied, accumulator-is-narrow
"""A sum in fp16 ends soon: tiles are longer."""


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            total += tl.sum(x.to(tl.float16), axis=0)
    tl.store(Y + tl.program_id(0), total)
# shared: run


# case: tile_begins_with_ones
# like: narrow_sum
# expect: not applied, accumulator-starts-elsewhere
"""Each lane of the accumulator begins with 1."""
#-    total = 0.0
#+    acc = tl.full([BLOCK], 1.0, dtype=tl.float32)
#-            total += tl.sum(x.to(tl.float16), axis=0)
#-    tl.store(Y + tl.program_id(0), total)
#+            acc += x
#+    tl.store(Y + tl.program_id(0), tl.sum(acc, axis=0))


# case: called_with_tiles
# expect: not applied, called-from-a-kernel
"""Another kernel calls this one."""


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            total += tl.sum(x, axis=0)
    tl.store(Y + tl.program_id(0), total)


@triton.jit
def outer(X, Y, N, W, BLOCK: tl.constexpr):
    kernel(X, Y, N, W, BLOCK)


# case: comment_between
# like: narrow_sum
# expect: not applied, comment-inside
"""A comment in the header of a loop would be lost."""
#-        for start in range(0, W, BLOCK):
#+        for start in range(0, W, BLOCK):  # a row
#-            total += tl.sum(x.to(tl.float16), axis=0)
#+            total += tl.sum(x, axis=0)


# case: rows_of_different_lengths
# like: mask_by_another_length
# expect: not applied, differs-between-iterations
"""Each row has a length of its own."""
#-        for start in range(0, W, BLOCK):
#+        for start in range(0, n, BLOCK):
#-            x = tl.load(X + row + n * W + w, mask=w < W - 1, other=0.0).to(tl.float32)
#+            x = tl.load(X + row + n * W + w, mask=w < n, other=0.0).to(tl.float32)


# case: stored_in_a_branch
# like: one_element_for_all
# expect: not applied, differs-between-iterations
"""Only some rows are stored."""
#-            tl.store(Y, n)
#+            if n > 0:
#+                tl.store(Y + row + n * W + w, x, mask=w < W)


# case: mask_by_another_length
# expect: not applied, length-matters
"""The mask ends elsewhere than the loop."""


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W - 1, other=0.0).to(tl.float32)
            total += tl.sum(x, axis=0)
    tl.store(Y + tl.program_id(0), total)
# shared: run


# case: no_mask
# like: mask_by_another_length
# expect: not applied, length-matters
"""Rows are full tiles, so nothing is masked; longer tiles would go beyond."""
#-            x = tl.load(X + row + n * W + w, mask=w < W - 1, other=0.0).to(tl.float32)
#+            x = tl.load(X + row + n * W + w).to(tl.float32)
#-# tritonopt: x: f32[m, n, w]
#+# tritonopt: x: f32[m, n, 32]


# case: outer_loop_may_come_back
# like: store_by_any_stride
# expect: not applied, loop-does-more
"""The inner two loops store by place; but the outer one may come to their elements in other lanes."""
#     for n in range(N):
#+        tl.store(Y + n, 0.0)
#-                tl.store(Y + c * stride_c + n * stride_n + h * stride_h + w, x + n, mask=w < W)
#+                tl.store(Y + c * stride_c + n * stride_n + h * stride_h + w, x, mask=w < W)


# case: pointer_that_moves
# like: mask_by_another_length
# expect: not applied, loop-does-more
"""A pointer goes on from row to row."""
#     total = 0.0
#+    P = X + row
#-            x = tl.load(X + row + n * W + w, mask=w < W - 1, other=0.0).to(tl.float32)
#+            x = tl.load(P + w, mask=w < W, other=0.0).to(tl.float32)
#             total += tl.sum(x, axis=0)
#+        P += W


# case: weight_between
# like: narrow_sum
# expect: not applied, loop-does-more
"""A load between the loops."""
#     for n in range(N):
#+        v = tl.load(X + n)
#-            total += tl.sum(x.to(tl.float16), axis=0)
#+            total += tl.sum(x * v, axis=0)


# case: options_of_the_outer_loop
# like: narrow_sum
# expect: not applied, loop-options
"""An option of the outer loop would be lost."""
#-    for n in range(N):
#+    for n in tl.range(N, num_stages=2):
#-            total += tl.sum(x.to(tl.float16), axis=0)
#+            total += tl.sum(x, axis=0)


# case: counters_of_two_types
# expect: not applied, not-expressible
"""The row's number has 32 bits and the place in it 64; a part of the place would have 64 too."""


@triton.jit
def kernel(X, Y, M, N: tl.int64, BLOCK: tl.constexpr):
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for m in range(M):
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + m * N + cols, mask=cols < N, other=0.0).to(tl.float32)
            total += tl.where(cols < N, x * (m + 2147483647), 0.0)
    tl.store(Y, tl.sum(total, axis=0))


def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(1, device=x.device)
    kernel[(1,)](x, y, m, n, BLOCK=16)
    return y


# case: atomics
# like: one_element_for_all
# expect: not applied, order-is-seen
"""An addition by atomics."""
#-            tl.store(Y, n)
#+            tl.atomic_add(Y + row + n * W + w, x, mask=w < W)
#-    y = torch.empty_like(x)
#+    y = torch.zeros_like(x)


# case: pinned
# like: narrow_sum
# expect: not applied, pinned-bits
"""Rounded as another library does."""
#-            total += tl.sum(x.to(tl.float16), axis=0)
#+            total += tl.sum(tl.where(w < W, tl.div_rn(x, 3.0), 0.0), axis=0)


# case: name_from_above
# like: narrow_sum
# expect: not applied, rows-differ
"""The name of the places is one of a number above."""
#     total = 0.0
#+    w = 0
#-            total += tl.sum(x.to(tl.float16), axis=0)
#+            total += tl.sum(x, axis=0)


# case: read_again_behind
# like: one_element_for_all
# expect: not applied, threads-exchange-data
"""What the nest stores is loaded behind it, by other threads."""
#-            tl.store(Y, n)
#+            tl.store(Y + row + n * W + w, x, mask=w < W)
#+    cols = tl.arange(0, BLOCK)
#+    y = tl.load(Y + row + cols, mask=cols < W, other=0.0)
#+    tl.store(Y + row + cols, 2.0 * y, mask=cols < W)
