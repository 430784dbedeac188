import torch
import triton
import triton.language as tl


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y


# case: a_pointer_on_one_way
# expect: not applied, block-pointer-is-lost
"""A tile of pointers where the branch is not taken."""


@triton.jit
def kernel(X, Y, n, C: tl.constexpr, B: tl.constexpr):
    offs = tl.program_id(0) * B + tl.arange(0, B)
    if C:
        p = tl.make_block_ptr(X, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    else:
        p = X + offs
    tl.store(Y + offs, tl.load(p), mask=offs < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, C=1, B=32)
    return y


# case: advanced_to_another_name
# expect: not applied, block-pointer-is-lost
"""Both may be read."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    first = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    second = tl.advance(first, (B,))
    x = tl.load(first, boundary_check=(0,)) + tl.load(second, boundary_check=(0,))
    tl.store(Y + tl.arange(0, B), x, mask=tl.arange(0, B) < n)
# shared: run


# case: another_name_moves
# like: padding_in_a_parameter
# expect: not applied, block-pointer-is-lost
"""Two names of one block pointer, one of which moves."""
#-def kernel(X, Y, n, PADDING: tl.constexpr, B: tl.constexpr):
#+def kernel(X, Y, n, B: tl.constexpr):
#-    x = tl.load(x_block, boundary_check=(0,), padding_option=PADDING)
#+    other = x_block
#+    x_block = tl.advance(x_block, (B,))
#+    x = tl.load(x_block, boundary_check=(0,)) + tl.load(other, boundary_check=(0,))
#-    kernel[(triton.cdiv(n, 32),)](x, y, n, PADDING="zero", B=32)
#+    kernel[(1,)](x, y, n, B=32)


# case: arguments_are_hidden
# expect: not applied, block-pointer-is-lost
"""The arguments come from a tuple."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    rest = ((n,), (1,), (0,), (B,), (0,))
    p = tl.make_block_ptr(X, *rest)
    tl.store(Y + tl.arange(0, B), tl.load(p, boundary_check=(0,)), mask=tl.arange(0, B) < n)
# shared: run


# case: axes_in_a_name
# expect: not applied, block-pointer-is-lost
"""The shape is a name for a tuple."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    shape = (n,)
    x_block = tl.make_block_ptr(X, shape, (1,), (0,), (B,), (0,))
    tl.store(Y + tl.arange(0, B), tl.load(x_block, boundary_check=(0,)))
# shared: run


# case: axes_to_check_in_a_parameter
# expect: not applied, block-pointer-is-lost
"""Which axes are checked is told at the launch."""


@triton.jit
def kernel(X, Y, n, AXES: tl.constexpr, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    tl.store(Y + tl.arange(0, B), tl.load(x_block, boundary_check=AXES), mask=tl.arange(0, B) < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, AXES=(0,), B=32)
    return y


# case: bound_by_a_statement_between
# expect: not applied, block-pointer-is-lost
"""The name may be bound to something else where no assignment says so."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
    total = 0.0
    for i in range(n):
        if i > 3:
            break
        total += tl.sum(tl.load(x_block, boundary_check=(0,), padding_option="zero"))
        match n:
            case x_block:
                pass
    tl.store(Y, total)


def run(x: torch.Tensor):
    y = torch.empty(1)
    kernel[(1,)](x, y, x.numel(), B=32)
    return y


# case: chosen_by_an_expression
# expect: not applied, block-pointer-is-lost
"""One of two, chosen within an expression."""


@triton.jit
def kernel(X, Y, n, B: tl.constexpr, C: tl.constexpr):
    x_block = (
        tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))
        if C
        else tl.make_block_ptr(Y, (n,), (1,), (0,), (B,), (0,))
    )
    tl.store(Y + tl.arange(0, B), tl.load(x_block))


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32, C=1)
    return y


# case: handed_to_a_helper
# expect: not applied, block-pointer-is-lost
"""A helper gets the block pointer."""


@triton.jit
def loaded(block):
    return tl.load(block, boundary_check=(0,))


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = tl.make_block_ptr(X, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    tl.store(y_block, loaded(x_block), boundary_check=(0,))
# shared: run


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


# case: returned_and_loaded
# expect: not applied, block-pointer-is-lost
"""A helper makes it."""


@triton.jit
def block_of(X, n, B: tl.constexpr):
    return tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    x_block = block_of(X, n, B)
    x = tl.load(x_block, boundary_check=(0,), padding_option="zero")
    tl.store(Y + tl.arange(0, B), x, mask=tl.arange(0, B) < n)
# shared: run
