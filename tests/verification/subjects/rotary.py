"""Even and odd elements rotated by an angle for each position, in place."""

import triton
import triton.language as tl


@triton.jit
def rotary_kernel(x, cos, sin, half, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < half
    even = tl.load(x + row * 2 * half + 2 * at, mask=mask, other=0.0)
    odd = tl.load(x + row * 2 * half + 2 * at + 1, mask=mask, other=0.0)
    c = tl.load(cos + row * half + at, mask=mask, other=0.0)
    s = tl.load(sin + row * half + at, mask=mask, other=0.0)
    tl.store(x + row * 2 * half + 2 * at, even * c - odd * s, mask=mask)
    tl.store(x + row * 2 * half + 2 * at + 1, even * s + odd * c, mask=mask)


# tritonopt: x: f32|f16[m, h, 2], cos: f32|f16[m, h], sin: f32|f16[m, h]
def rotary(x, cos, sin):
    m, half, _ = x.shape
    rotary_kernel[(m,)](x, cos, sin, half, BLOCK=triton.next_power_of_2(half))
    return x
