import torch
import triton
import triton.language as tl


# case: mean_of_channels
"""The mean of each channel, over images, rows and columns."""


@triton.jit
def kernel(X, Y, N, H, W, stride_n, stride_c, stride_h, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    total = 0.0
    for n in range(N):
        for h in range(H):
            for start in range(0, W, BLOCK):
                w = start + tl.arange(0, BLOCK)
                x = tl.load(X + c * stride_c + n * stride_n + h * stride_h + w, mask=w < W, other=0.0).to(tl.float32)
                total += tl.sum(x, axis=0)
    tl.store(Y + c, total / (N * H * W))


# tritonopt: x: f32[n, 2, h, w]
def run(x: torch.Tensor):
    n, c, h, w = x.shape
    y = torch.empty(c, dtype=torch.float32, device=x.device)
    kernel[(c,)](x, y, n, h, w, x.stride(0), x.stride(1), x.stride(2), BLOCK=16)
    return y


# case: named_mask
# like: mask_by_another_length
"""The mask has a name, and another condition beside."""
#-            x = tl.load(X + row + n * W + w, mask=w < W - 1, other=0.0).to(tl.float32)
#+            mask = (w < W) & (n > 0)
#+            x = tl.load(X + row + n * W + w, mask=mask, other=0.0).to(tl.float32)


# case: negated_end
# like: narrow_sum
"""The mask says where the row has not ended, by a comparison that holds behind it."""
#-            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
#-            total += tl.sum(x.to(tl.float16), axis=0)
#+            m = ~(w >= W)
#+            x = tl.load(X + row + n * W + w, mask=m, other=0.0).to(tl.float32)
#+            y = tl.where(m & (n % 2 == 0), x, 0.0)
#+            total += tl.sum(y, axis=0)


# case: normalized
# like: store_by_any_stride
"""What is stored depends on the element that is loaded at the same offset."""
#-                x = tl.load(X + c * stride_c + n * stride_n + h * stride_h + w, mask=w < W, other=0.0).to(tl.float32)
#-                tl.store(Y + c * stride_c + n * stride_n + h * stride_h + w, x + n, mask=w < W)
#+                offsets = c * stride_c + n * stride_n + h * stride_h + w
#+                x = tl.load(X + offsets, mask=w < W)
#+                tl.store(Y + offsets, x * x + 1.0, mask=w < W)


# case: numbers_of_the_compiler
# like: narrow_sum
"""Sizes that the compiler knows."""
#-def kernel(X, Y, N, W, BLOCK: tl.constexpr):
#+def kernel(X, Y, N: tl.constexpr, W: tl.constexpr, BLOCK: tl.constexpr):
#-            total += tl.sum(x.to(tl.float16), axis=0)
#+            total += tl.sum(x, axis=0)
#-    kernel[(m,)](x, y, n, w, BLOCK=16)
#+    kernel[(m,)](x, y, N=n, W=w, BLOCK=16)


# case: pointers_between
"""A pointer that is computed for each row, and one for each image."""


@triton.jit
def kernel(X, Y, N, H, W, stride_n, stride_c, stride_h, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    total = 0.0
    for n in range(N):
        image = X + c * stride_c + n * stride_n
        for h in range(H):
            # Where the row begins.
            line = image + h * stride_h
            for start in range(0, W, BLOCK):
                w = start + tl.arange(0, BLOCK)
                x = tl.load(line + w, mask=w < W, other=0.0).to(tl.float32)
                total += tl.sum(x, axis=0)
    tl.store(Y + c, total)


# tritonopt: x: f32[n, c, h, w]
def run(x: torch.Tensor):
    n, c, h, w = x.shape
    y = torch.empty(c, dtype=torch.float32, device=x.device)
    kernel[(c,)](x, y, n, h, w, x.stride(0), x.stride(1), x.stride(2), BLOCK=16)
    return y


# case: quotient_is_chosen
"""What a lane behind the end of a row divides by 0 is not chosen there."""


@triton.jit
def kernel(X, Z, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            z = tl.load(Z + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            total += tl.sum(tl.where(w < W, x / (z * z + 1e-3), 0.0) + tl.where(x != 0.0, x / x, 0.0), axis=0)
    tl.store(Y + tl.program_id(0), total)


# tritonopt: x: f32[m, n, w], z: f32[m, n, w]
def run(x: torch.Tensor, z: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    z = z.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, z, y, n, w, BLOCK=16)
    return y


# case: tile_of_the_least
# like: narrow_sum
"""A tile of the least elements."""
#-    total = 0.0
#+    least = tl.full([BLOCK], float("inf"), dtype=tl.float32)
#-            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
#-            total += tl.sum(x.to(tl.float16), axis=0)
#-    tl.store(Y + tl.program_id(0), total)
#+            x = tl.load(X + row + n * W + w, mask=w < W, other=float("inf"))
#+            least = tl.minimum(least, x)
#+    tl.store(Y + tl.program_id(0), tl.min(least, axis=0))


# case: tiles_are_counted
# like: narrow_sum
"""The sweep counts tiles, not elements."""
#-        for start in range(0, W, BLOCK):
#-            w = start + tl.arange(0, BLOCK)
#+        for tile in range(tl.cdiv(W, BLOCK)):
#+            w = tile * BLOCK + tl.arange(0, BLOCK)
#-            total += tl.sum(x.to(tl.float16), axis=0)
#+            total += tl.sum(x, axis=0)


# case: tiles_of_sums
# like: narrow_sum
"""Tiles that are added up, and reduced behind the loops: they grow."""
#-    total = 0.0
#+    total_tile = tl.zeros([BLOCK], dtype=tl.float32)
#+    squares = tl.zeros((BLOCK,), dtype=tl.float32)
#-            total += tl.sum(x.to(tl.float16), axis=0)
#+            total_tile += x
#+            squares += x * x
#+    total = tl.sum(total_tile, axis=0) + tl.sum(squares)


# case: weights_of_rows
"""A factor of each row, and one of each column."""


@triton.jit
def kernel(X, V, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            w_col = tl.load(V + w, mask=w < W, other=0.0).to(tl.float32)
            total += tl.sum(x * w_col * (n + 1), axis=0)
    tl.store(Y + tl.program_id(0), total)


# tritonopt: x: f32[m, n, w], v: f32[w]
def run(x: torch.Tensor, v: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, v, y, n, w, BLOCK=16)
    return y


# case: wide_indices
# like: store_by_any_stride
"""Indices of 64 bits."""
#     c = tl.program_id(0)
#+    total = 0.0
#+    wide = stride_n.to(tl.int64)
#-                x = tl.load(X + c * stride_c + n * stride_n + h * stride_h + w, mask=w < W, other=0.0).to(tl.float32)
#-                tl.store(Y + c * stride_c + n * stride_n + h * stride_h + w, x + n, mask=w < W)
#+                x = tl.load(X + c * stride_c + n * wide + h * stride_h + w, mask=w < W, other=0.0).to(tl.float32)
#+                total += tl.sum(x, axis=0)
#+    tl.store(Y + c, total)
#-    x = x.contiguous()
#-    y = torch.empty_like(x)
#+    y = torch.empty(c, dtype=torch.float32, device=x.device)
