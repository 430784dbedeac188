import torch
import triton
import triton.language as tl


# case: branch_on_the_row
# like: counter_is_used
# expect: not applied, not-lane-by-lane
"""The first row counts otherwise."""
#-            total += tl.sum(x * start, axis=0)
#+            if n > 0:
#+                x = 2.0 * x
#+            total += tl.sum(x, axis=0)


# case: chained_comparison
# like: counter_is_used
# expect: not applied, not-lane-by-lane
"""A comparison of three, of which a part is the end of the row."""
#-            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
#-            total += tl.sum(x * start, axis=0)
#+            m = 0 <= w < W
#+            x = tl.load(X + row + n * W + w, mask=m, other=0.0).to(tl.float32)
#+            y = tl.where(m & (n % 2 == 0), x, 0.0)
#+            total += tl.sum(y, axis=0)


# case: counter_is_used
# expect: not applied, not-lane-by-lane
"""Where the tile begins goes into the sum."""


@triton.jit
def kernel(X, Y, N, W, BLOCK: tl.constexpr):
    row = tl.program_id(0) * N * W
    total = 0.0
    for n in range(N):
        for start in range(0, W, BLOCK):
            w = start + tl.arange(0, BLOCK)
            x = tl.load(X + row + n * W + w, mask=w < W, other=0.0).to(tl.float32)
            total += tl.sum(x * start, axis=0)
    tl.store(Y + tl.program_id(0), total)


# tritonopt: x: f32[m, n, w]
def run(x: torch.Tensor):
    m, n, w = x.shape
    x = x.contiguous()
    y = torch.empty(m, dtype=torch.float32, device=x.device)
    kernel[(m,)](x, y, n, w, BLOCK=16)
    return y


# case: helper
# like: counter_is_used
# expect: not applied, not-lane-by-lane
"""A helper that may see a tile."""
# import triton.language as tl
#+
#+
#+@triton.jit
#+def twice(x):
#+    return x + x
#-            total += tl.sum(x * start, axis=0)
#+            total += tl.sum(twice(x), axis=0)


# case: lanes_are_used
# like: counter_is_used
# expect: not applied, not-lane-by-lane
"""A weight for each lane of a tile, wherever it is."""
#     row = tl.program_id(0) * N * W
#+    lanes = tl.arange(0, BLOCK)
#-            w = start + tl.arange(0, BLOCK)
#+            w = start + lanes
#-            total += tl.sum(x * start, axis=0)
#+            total += tl.sum(x * lanes, axis=0)


# case: lanes_of_sums
# like: one_element_for_all
# expect: not applied, not-lane-by-lane
"""Each lane of the accumulator is stored."""
#     row = tl.program_id(0) * N * W
#+    acc = tl.zeros([BLOCK], dtype=tl.float32)
#-            tl.store(Y, n)
#+            acc += x
#+    tl.store(Y + row + tl.arange(0, BLOCK), acc, mask=tl.arange(0, BLOCK) < W)


# case: length_of_a_tile
# like: counter_is_used
# expect: not applied, not-lane-by-lane
"""The length of a tile goes into the sum."""
#-            total += tl.sum(x * start, axis=0)
#+            total += tl.sum(x / BLOCK, axis=0)


# case: sum_of_a_tile
# like: one_element_for_all
# expect: not applied, not-lane-by-lane
"""Each element is divided by the sum of its tile."""
#-            tl.store(Y, n)
#+            tl.store(Y + row + n * W + w, x / tl.sum(x, axis=0), mask=w < W)
