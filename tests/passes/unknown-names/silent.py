import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


# case: names_that_exist
# expect: silent
"""All of them are in some version."""


@triton.jit
def k(X, Y, BLOCK: tl.constexpr):
    c = tl.program_id(2) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(X + c).to(tl.float32)
    x = libdevice.tanh(x) + tl.math.exp2(x) + tl.extra.cuda.libdevice.tanh(x)
    tl.store(Y + c, tl.clamp(x, 0.0, 1.0))


# case: asked_for_by_the_compiler
# expect: silent
"""The other branch is for a version that has it."""


@triton.jit
def k(X, Y, OLD: tl.constexpr, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(X + c)
    if OLD:
        x = tl.math.tanh(x)
    else:
        x = libdevice.tanh(x)
    tl.store(Y + c, x)


# case: of_a_fork
# expect: silent
"""Nothing of that kind is in Triton, so it is somebody else's."""


@triton.jit
def k(X, Y, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.extract_slice(tl.load(X + c), [0], [BLOCK // 2], [1])
    tl.store(Y + c, x)


# case: computed_axis
# expect: silent
"""The axis is not seen."""


@triton.jit
def k(X, Y, AXIS: tl.constexpr, BLOCK: tl.constexpr):
    c = tl.program_id(AXIS) * BLOCK + tl.arange(0, BLOCK)
    tl.store(Y + c, tl.load(X + c))


# case: defined_by_version
# expect: silent
"""The file asks for the version, and defines one of two."""

if hasattr(tl.math, "log1p"):

    @triton.jit
    def k(X, Y, BLOCK: tl.constexpr):
        c = tl.arange(0, BLOCK)
        tl.store(Y + c, tl.math.log1p(tl.load(X + c)))

else:

    @triton.jit
    def k(X, Y, BLOCK: tl.constexpr):
        c = tl.arange(0, BLOCK)
        tl.store(Y + c, tl.log(1 + tl.load(X + c)))


# case: in_this_version
# expect: silent
# options: triton=3.7.1
"""Triton 3.7 has block pointers."""


@triton.autotune(configs=[triton.Config({"B": 32}), triton.Config({"B": 64})], key=["m", "n"])
@triton.jit
def decay_kernel(S, T, m, n, B: tl.constexpr):
    p = tl.make_block_ptr(S, (m, n), (n, 1), (tl.program_id(0) * B, tl.program_id(1) * B), (B, B), (1, 0))
    q = tl.make_block_ptr(T, (m, n), (n, 1), (tl.program_id(0) * B, tl.program_id(1) * B), (B, B), (1, 0))
    s = tl.load(p, boundary_check=(0, 1))
    tl.store(q, s * 0.9, boundary_check=(0, 1))


def decay(s: torch.Tensor):
    m, n = s.shape
    s = s.contiguous()
    t = torch.empty_like(s)
    decay_kernel[lambda meta: (triton.cdiv(m, meta["B"]), triton.cdiv(n, meta["B"]))](s, t, m, n)
    return t
