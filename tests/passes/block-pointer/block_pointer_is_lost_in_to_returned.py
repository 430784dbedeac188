import torch
import triton
import triton.language as tl


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y


# case: in_a_tuple
# expect: not applied, block-pointer-is-lost
"""Two names are bound at once."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block, y_block = (
        tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,)),
        tl.make_block_ptr(Y, (n,), (1,), (0,), (B,), (0,)),
    )
    tl.store(y_block, tl.load(x_block, boundary_check=(0,)), boundary_check=(0,))
# shared: run


# case: made_and_moved_in_turns
# expect: not applied, block-pointer-is-lost
"""In the second turn of the loop it moves on from where it was made in the first."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    acc = tl.zeros([B], dtype=tl.float32)
    for start in range(0, n, B):
        x_block = tl.advance(x_block, (B,))
        acc += tl.load(x_block, boundary_check=(0,), padding_option="zero")
        x_block = tl.make_block_ptr(X, (n,), (1,), (start,), (B,), (0,))
    tl.store(Y + tl.arange(0, B), acc)


def run(x: torch.Tensor):
    n = x.numel()
    y = x.new_empty(32)
    kernel[(1,)](x, y, n, B=32)
    return y


# case: made_by_the_caller
# expect: not applied, block-pointer-is-lost
"""The block pointer is a parameter."""


@triton.jit
def kernel(block):
    return tl.load(block, boundary_check=(0,), padding_option="zero")


@triton.jit
def outer(X, Y, n, B: tl.constexpr):
    begin = tl.program_id(0) * B
    offs = begin + tl.arange(0, B)
    tl.store(Y + offs, kernel(X + offs), mask=offs < n)


# case: made_or_none_and_read
# expect: not applied, block-pointer-is-lost
"""Whether it is one where it is read hangs on a flag."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr, SAVE: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,)) if SAVE else None
    if SAVE:
        tl.store(y_block, tl.load(x_block, boundary_check=(0,)), boundary_check=(0,))


def run(x: torch.Tensor, save: bool):
    n = x.numel()
    y = torch.zeros_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32, SAVE=save)
    return y


# case: made_twice_and_moved
# like: moves_and_its_base_changes
# expect: not applied, block-pointer-is-lost
"""Which of the two moves is decided at run time."""
#-    X += 1
#+    if n > 100:
#+        p = tl.make_block_ptr(X, (n,), (1,), (B,), (B,), (0,))


# case: moves_and_is_advanced_for_one_load
# expect: not applied, block-pointer-is-lost
"""The load goes on from where the block pointer has moved to, not from where it was made."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    p = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    total = tl.zeros((B,), dtype=tl.float32)
    for _ in range(2):
        total += tl.load(p.advance((B,)), boundary_check=(0,), padding_option="zero")
        p = tl.advance(p, (B,))
    tl.store(Y + tl.arange(0, B), total)


def run(x: torch.Tensor):
    y = torch.empty(32, dtype=x.dtype, device=x.device)
    kernel[(1,)](x, y, x.numel(), B=32)
    return y


# case: moves_and_its_base_changes
# expect: not applied, block-pointer-is-lost
"""The pointer that it was made of is another one by then."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    p = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    X += 1
    for _ in range(2):
        tl.store(Y + tl.arange(0, B), tl.load(p, boundary_check=(0,)), mask=tl.arange(0, B) < n)
        p = tl.advance(p, (B,))
# shared: run


# case: moves_and_its_size_changes
# like: moves_and_its_base_changes
# expect: not applied, block-pointer-is-lost
"""What it was made of has another value where it is read."""
#-    X += 1
#+    n = n // 2


# case: offset_is_loaded_inside
# expect: not applied, block-pointer-is-lost
"""An argument loads; it must not be done twice or elsewhere."""


@triton.jit
def kernel(X, Y, Begin, n, B: tl.constexpr):
    p = tl.make_block_ptr(X, (n,), (1,), (tl.load(Begin),), (B,), (0,))
    tl.store(Y + tl.arange(0, B), tl.load(p, boundary_check=(0,)), mask=tl.arange(0, B) < n)


def run(x: torch.Tensor):
    y = torch.empty_like(x)
    begin = torch.zeros(1, dtype=torch.int32)
    kernel[(1,)](x, y, begin, x.numel(), B=32)
    return y


# case: padding_in_a_parameter
# expect: not applied, block-pointer-is-lost
"""What the padding is is told at the launch."""


@triton.jit
def kernel(X, Y, n, PADDING: tl.constexpr, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    x = tl.load(x_block, boundary_check=(0,), padding_option=PADDING)
    tl.store(Y + tl.arange(0, B), x, mask=tl.arange(0, B) < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, PADDING="zero", B=32)
    return y


# case: read_before_it_is_made
# expect: not applied, block-pointer-is-lost
"""In the first iteration the name is not bound."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    for i in range(2):
        if i > 0:
            x = tl.load(p, boundary_check=(0,))
            tl.store(Y + tl.arange(0, B), x, mask=tl.arange(0, B) < n)
        p = tl.make_block_ptr(X, (n,), (1,), (i * B,), (B,), (0,))
# shared: run


# case: returned_after_a_move
# like: returned_where_it_is_read
# expect: not applied, block-pointer-is-lost
"""It is not where it was made."""
#-    return tl.make_block_ptr(X, (n,), (1,), (offset,), (B,), (0,))
#+    block = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
#+    block = tl.advance(block, (offset,))
#+    return block
#-    x = tl.load(block_of(X, n, pid * B, B), boundary_check=(0,))
#-    tl.store(Y + pid * B + tl.arange(0, B), x, mask=pid * B + tl.arange(0, B) < n)
#+    x_block = block_of(X, n, pid * B, B)
#+    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
#+    tl.store(y_block, tl.load(x_block, boundary_check=(0,)), boundary_check=(0,))


# case: returned_and_advanced
# like: returned_where_it_is_read
# expect: not applied, block-pointer-is-lost
"""Who calls the helper moves it."""
#-    x = tl.load(block_of(X, n, pid * B, B), boundary_check=(0,))
#-    tl.store(Y + pid * B + tl.arange(0, B), x, mask=pid * B + tl.arange(0, B) < n)
#+    x_block = block_of(X, n, pid * B, B)
#+    x = tl.load(x_block, boundary_check=(0,))
#+    x_block = tl.advance(x_block, (B,))
#+    y_block = block_of(Y, n, pid * B, B)
#+    tl.store(y_block, x + tl.load(x_block, boundary_check=(0,)), boundary_check=(0,))


# case: returned_and_checked_otherwise
# expect: not applied, block-pointer-is-lost
"""Two kernels check it along other axes: it would take two masks."""


@triton.jit
def block_of(X, m, n, stride, i, j, BM, BN, TRANSPOSED: tl.constexpr):
    """A block of a matrix, or of its transpose."""
    if TRANSPOSED:
        return tl.make_block_ptr(X, (n, m), (1, stride), (j * BN, i * BM), (BN, BM), (0, 1))
    return tl.make_block_ptr(
        X,
        (m, n),
        (stride, 1),
        (i * BM, j * BN),
        (BM, BN),
        (1, 0),
    )


@triton.jit
def kernel(X, Y, m, n, stride, BM: tl.constexpr, BN: tl.constexpr):
    i, j = tl.program_id(0), tl.program_id(1)
    x_block = block_of(X, m, n, stride, i, j, BM, BN, False)
    y_block = block_of(Y, m, n, stride, i, j, BM, BN, False)
    tl.store(y_block, tl.load(x_block, boundary_check=(0,)), boundary_check=(0, 1))


def run(x: torch.Tensor):
    m, n = x.shape
    y = torch.empty_like(x)
    kernel[(triton.cdiv(m, 16), n // 32)](x, y, m, n, x.stride(0), BM=16, BN=32)
    return y


# case: returned_at_times
# like: returned_where_it_is_read
# expect: not applied, block-pointer-is-lost
"""The helper returns None otherwise."""
#-def block_of(X, n, offset, B: tl.constexpr):
#-    return tl.make_block_ptr(X, (n,), (1,), (offset,), (B,), (0,))
#+def block_of(X, n, offset, B: tl.constexpr, C: tl.constexpr):
#+    if C:
#+        return tl.make_block_ptr(X, (n,), (1,), (offset,), (B,), (0,))
#-    x = tl.load(block_of(X, n, pid * B, B), boundary_check=(0,))
#+    x_block = block_of(X, n, pid * B, B, True)
#+    x = tl.load(x_block, boundary_check=(0,))


# case: returned_to_one_that_is_lost
# like: returned_where_it_is_read
# expect: not applied, block-pointer-is-lost
"""Another block pointer of the kernel cannot be followed, so the helper keeps its own."""
#-    x = tl.load(block_of(X, n, pid * B, B), boundary_check=(0,))
#-    tl.store(Y + pid * B + tl.arange(0, B), x, mask=pid * B + tl.arange(0, B) < n)
#+    x_block = block_of(X, n, pid * B, B)
#+    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
#+    blocks = (y_block, y_block)
#+    tl.store(blocks[0], tl.load(x_block, boundary_check=(0,)), boundary_check=(0,))


# case: returned_where_it_is_read
# expect: not applied, block-pointer-is-lost
"""It has no name in the kernel."""


@triton.jit
def block_of(X, n, offset, B: tl.constexpr):
    return tl.make_block_ptr(X, (n,), (1,), (offset,), (B,), (0,))


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x = tl.load(block_of(X, n, pid * B, B), boundary_check=(0,))
    tl.store(Y + pid * B + tl.arange(0, B), x, mask=pid * B + tl.arange(0, B) < n)
# shared: run


# case: returned_with_another_one
# like: returned_where_it_is_read
# expect: not applied, block-pointer-is-lost
"""Two are returned at once."""
#-    return tl.make_block_ptr(X, (n,), (1,), (offset,), (B,), (0,))
#+    if offset < 0:
#+        return tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,)), 1
#+    return tl.make_block_ptr(X, (n,), (1,), (offset,), (B,), (0,)), 2
#-    x = tl.load(block_of(X, n, pid * B, B), boundary_check=(0,))
#+    x_block, two = block_of(X, n, pid * B, B)
#+    x = tl.load(x_block, boundary_check=(0,)) * two
