import torch
import triton
import triton.language as tl


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: checked_length
# like: rows_may_be_longer
# verify: no, it was run once, and others like it run
"""The launcher refuses rows that are longer than the tile."""
#-    kernel[(m,)](x, y, n, BLOCK=32)
#+    block = min(64, triton.next_power_of_2(n))
#+    assert n <= block
#+    kernel[(m,)](x, y, n, BLOCK=block)


# case: comments_of_repeated_lines
"""What the second loop says again goes with what explains it; what heads the loop stays."""


@triton.jit
def scale_rows(X, W, Y, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    # The largest of the row.
    largest = 0.0
    # First loop.
    for start in range(0, n, BLOCK):
        # Where the tile is.
        cols = start + tl.arange(0, BLOCK)
        # Read it.
        x = tl.load(X + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32)
        largest = tl.maximum(largest, tl.max(tl.abs(x), axis=0))

    # Second loop.
    for start in range(0, n, BLOCK):
        # Where the tile is, again.
        cols = start + tl.arange(0, BLOCK)
        # ---- Inputs ----
        # Both are read.
        x = tl.load(X + row * stride + cols, mask=cols < n, other=0.0).to(tl.float32)
        w = tl.load(W + cols, mask=cols < n, other=0.0).to(tl.float32)
        # fmt: off
        tl.store(Y + row * stride + cols, x * w / largest, mask=cols < n)


def run(x: torch.Tensor, w: torch.Tensor):
    """
    x: f32[m, n]
    w: f32[n]
    """
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    scale_rows[(m,)](x, w, y, n, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: layer_norm
"""The layer norm of the tutorials, launched with a tile that holds the row."""


@triton.jit
def layer_norm_kernel(X, Y, W, B, Mean, Rstd, stride, N, eps, BLOCK_SIZE: tl.constexpr):
    # Map the program id to the row of X and Y it should compute.
    row = tl.program_id(0)
    Y += row * stride
    X += row * stride
    # Compute mean
    mean = 0
    _mean = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        a = tl.load(X + cols, mask=cols < N, other=0.).to(tl.float32)
        _mean += a
    mean = tl.sum(_mean, axis=0) / N
    # Compute variance
    _var = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        x = tl.load(X + cols, mask=cols < N, other=0.).to(tl.float32)
        x = tl.where(cols < N, x - mean, 0.)
        _var += x * x
    var = tl.sum(_var, axis=0) / N
    rstd = 1 / tl.sqrt(var + eps)
    # Write mean / rstd
    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    # Normalize and apply linear transformation
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        mask = cols < N
        w = tl.load(W + cols, mask=mask)
        b = tl.load(B + cols, mask=mask)
        x = tl.load(X + cols, mask=mask, other=0.).to(tl.float32)
        x_hat = (x - mean) * rstd
        y = x_hat * w + b
        # Write output
        tl.store(Y + cols, y, mask=mask)


def layer_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5):
    y = torch.empty_like(x)
    x_arg = x.reshape(-1, x.shape[-1])
    m, n = x_arg.shape
    mean = torch.empty((m,), dtype=torch.float32, device=x.device)
    rstd = torch.empty((m,), dtype=torch.float32, device=x.device)
    block = triton.next_power_of_2(n)
    if n > 65536:
        raise RuntimeError("This layer norm doesn't support rows this long.")
    layer_norm_kernel[(m,)](
        x_arg, y, weight, bias, mean, rstd, x_arg.stride(0), n, eps, BLOCK_SIZE=block
    )
    return y, mean, rstd


# case: loads_without_a_name
# like: rows_may_be_longer
# verify: no, it was run once, and others like it run
"""What is loaded twice has no name, and gets one."""
#-        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
#+        x = 0.5 * tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
#-    kernel[(m,)](x, y, n, BLOCK=32)
#+    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))


# case: mask_of_the_second_loop
"""The second loop names the mask, and the first clears lanes that the load has cleared."""


@triton.jit
def kernel(X, Y, W, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    # Sum up the squares
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        x = tl.where(cols < N, x, 0.0)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + 1e-6)
    # Normalize
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        w = tl.load(W + cols, mask=mask)
        x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(Y + cols, x * rstd * w, mask=mask)


def run(x, w):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(m,)](x, y, w, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: masked_lanes_count
"""The second loop needs something else in the masked lanes, which a choice gives it."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        total += x * x
    least = tl.full([BLOCK], float("inf"), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=float("inf")).to(tl.float32)
        least = tl.minimum(least, x)
    tl.store(Y + tl.program_id(0), tl.sum(total, axis=0) + tl.min(least, axis=0))


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty(m, device=x.device)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: name_bound_again
# like: rows_may_be_longer
# verify: no, it was run once, and others like it run
"""The name of the tile is bound to something else before the tile is read again."""
#         x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
#+        x = x * 0.5 + 1.0
#-    kernel[(m,)](x, y, n, BLOCK=32)
#+    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))


# case: numbers_become_tensors
# verify: no, it was run once, and others like it run
"""The sums start as numbers, and are of fp32 though the data may be of fp16."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    lanes = tl.arange(0, BLOCK)
    s = 0.0
    squared_sum = 0.0
    for i in tl.range(0, N, BLOCK):
        offsets = i + lanes
        mask = offsets < N
        x = tl.load(X + offsets, mask=mask, other=0.0)
        s += tl.sum(x)
        # x**2
        squared_sum += tl.sum(x * x)
    m = s / N
    rstd = 1 / tl.sqrt(squared_sum / N - m * m + 1.0)
    for i in tl.range(0, N, BLOCK):
        offsets = i + lanes
        mask = offsets < N
        x = tl.load(X + offsets, mask=mask, other=m)
        tl.store(Y + offsets, (x - m) * rstd, mask=mask)


# tritonopt: x: f16[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, y, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: pointers_move_on
# verify: no, it was run once, and others like it run
"""The pointers are moved from tile to tile, and set anew for the second loop."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    x_ptrs = X + tl.program_id(0) * N + lanes
    y_ptrs = Y + tl.program_id(0) * N + lanes
    largest = tl.zeros([BLOCK], dtype=tl.float32)
    for k in range(0, tl.cdiv(N, BLOCK)):
        x = tl.load(x_ptrs, mask=lanes < N - k * BLOCK, other=0.0)
        largest = tl.maximum(largest, tl.abs(x))
        x_ptrs += BLOCK
    scale = tl.max(largest, axis=0) + 1.0
    x_ptrs = X + tl.program_id(0) * N + lanes
    for k in range(0, tl.cdiv(N, BLOCK)):
        x = tl.load(x_ptrs, mask=lanes < N - k * BLOCK, other=0.0)
        tl.store(y_ptrs, x / scale, mask=lanes < N - k * BLOCK)
        x_ptrs += BLOCK
        y_ptrs += BLOCK
# shared: run


# case: residual_is_read_back
# verify: no, it was run once, and others like it run
"""The sum is stored, rounded, and read back: that load stays, and the weights are read once."""


@triton.jit
def kernel(X, R, W, Y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + row + cols, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
        r = tl.load(R + row + cols, mask=mask, other=0.0).to(tl.float32) + x * w
        tl.store(R + row + cols, r, mask=mask)
        total += r * r
    rstd = 1 / tl.sqrt(tl.sum(total, axis=0) / N + 1e-6)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        r = tl.load(R + row + cols, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(Y + row + cols, r * rstd * w, mask=mask)


# tritonopt: x: f16[m, n], r: f16[m, n], w: f16[n]
def run(x: torch.Tensor, r: torch.Tensor, w: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    out = torch.empty_like(x)
    out.copy_(r)
    y = torch.empty_like(x)
    kernel[(m,)](x, out, w, y, n, BLOCK=triton.next_power_of_2(n))
    return y, out


# case: rows_are_said_to_fit
# like: rows_may_be_longer
# assume: N <= BLOCK
# verify: no, it rests on what was said of the rows
"""The user says that a tile holds each row."""


# case: rows_in_a_loop
# verify: no, it was run once, and others like it run
"""Each program goes through several rows."""


@triton.jit
def kernel(X, Y, M, N, BLOCK: tl.constexpr):
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        total = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
            total += x * x
        norm = tl.sqrt(tl.sum(total, axis=0)) + 1.0
        for start in range(0, N, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * N + cols, mask=cols < N, other=0.0).to(tl.float32)
            tl.store(Y + row * N + cols, x / norm, mask=cols < N)


# tritonopt: x: f32[m, n]
def run(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(2,)](x, y, m, n, BLOCK=triton.next_power_of_2(n))
    return y


# case: softmax_in_three_sweeps
"""Softmax in three sweeps, with another `other` in each."""


@triton.jit
def kernel(X, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    m = -float("inf")
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        m = tl.maximum(m, tl.max(x, axis=0))
    s = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=-float("inf"))
        s += tl.sum(tl.exp(x - m), axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        tl.store(Y + cols, tl.exp(x - m) / s, mask=cols < N)
# shared: run


# case: whole_numbers_below_the_maximum
# like: counter_beside_a_parameter
"""Whole numbers are not NaN where the row is: of a row of NaN alone the maximum with -inf is -inf."""
#-    total = 0.0
#+    m = -float("inf")
#-        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
#-        total += tl.sum(x * x, axis=0) * ((N + start - 5) // 3)
#+        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
#+        m = tl.maximum(m, tl.max(x, axis=0))
#-        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
#-        tl.store(Y + cols, x * total, mask=cols < N)
#+        x = tl.load(X + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
#+        tl.store(Y + cols, x.to(tl.int32).to(tl.float32) - m, mask=cols < N)


# case: weights_or_none
# verify: no, it was run once, and others like it run
"""The weights may be missing, which both sweeps ask."""


@triton.jit
def kernel(X, W, Y, N, BLOCK: tl.constexpr):
    X += tl.program_id(0) * N
    Y += tl.program_id(0) * N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
        if W is not None:
            w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
        else:
            w = 1.0
        total += x * w
    shift = tl.sum(total, axis=0)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
        if W is not None:
            w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
        else:
            w = 1.0
        tl.store(Y + cols, x * w - shift, mask=mask)


# tritonopt: x: f32[m, n], w: f32[n]
def run(x: torch.Tensor, w: torch.Tensor = None):
    m, n = x.shape
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel[(m,)](x, w, y, n, BLOCK=triton.next_power_of_2(n))
    return y
