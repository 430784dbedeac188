import torch
import triton
import triton.language as tl


# case: of_libdevice
# expect: finding, no-such-name
"""Functions of libdevice are elsewhere."""


@triton.jit
def k(X, Y, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    tl.store(Y + c, tl.tanh(tl.load(X + c)))


# case: of_the_math_module
# expect: finding, no-such-name
"""Those of older versions too."""


@triton.jit
def k(X, Y, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    tl.store(Y + c, tl.math.pow(tl.load(X + c), 2.0))


# case: misspelled
# expect: finding, no-such-name
"""A letter is wrong."""


@triton.jit
def k(X, Y, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    tl.store(Y + c, tl.maximun(tl.load(X + c), 0.0))


# case: clip_with_names
# expect: finding, no-such-name
"""The parameters of `tl.clamp` have other names."""


@triton.jit
def k(X, Y, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    tl.store(Y + c, tl.clip(tl.load(X + c), a_min=0.0, a_max=1.0))


# case: under_a_condition_of_the_run
# expect: finding, no-such-name
"""Whatever n is, both branches are compiled."""


@triton.jit
def k(X, Y, n, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    x = tl.load(X + c)
    if n > 0:
        x = tl.tanh(x)
    tl.store(Y + c, x)


# case: types_of_torch
# expect: finding, no-such-name
"""Types as torch calls them."""


@triton.jit
def k(X, Y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(X + i).to(tl.half)
    a = tl.zeros([BLOCK], dtype=tl.float)
    tl.store(Y + i, a + x)


# case: methods_of_torch
# expect: finding, no-such-name
"""A loaded tensor has no such methods."""


@triton.jit
def k(X, Y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(X + i)
    tl.store(Y + i, x.float() + x.clamp(0, 1))


# case: gone_from_a_version
# expect: finding, no-such-name
# options: triton=3.9.0
"""Triton 3.9 raises in tl.make_block_ptr."""


@triton.autotune(configs=[triton.Config({"B": 32}), triton.Config({"B": 64})], key=["m", "n"])
@triton.jit
def decay_kernel(S, m, n, B: tl.constexpr):
    p = tl.make_block_ptr(S, (m, n), (n, 1), (tl.program_id(0) * B, tl.program_id(1) * B), (B, B), (1, 0))
    s = tl.load(p, boundary_check=(0, 1))
    tl.store(p, s * 0.9, boundary_check=(0, 1))


def decay(s: torch.Tensor):
    m, n = s.shape
    assert s.is_contiguous()
    decay_kernel[lambda meta: (triton.cdiv(m, meta["B"]), triton.cdiv(n, meta["B"]))](s, m, n)
    return s
