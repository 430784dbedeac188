import torch
import triton
import triton.language as tl


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
    return y


@triton.jit
def loaded(block):
    return tl.load(block, boundary_check=(0,))


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
    tl.store(y_block, loaded(x_block), boundary_check=(0,))


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


# case: handed_after_a_move
# expect: not applied, block-pointer-is-lost
"""It is not where it was made."""
# shared: loaded


@triton.jit
def kernel(X, Y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    x_block = tl.make_block_ptr(X, (n,), (1,), (pid * B,), (B,), (0,))
    y_block = tl.make_block_ptr(Y, (n,), (1,), (pid * B,), (B,), (0,))
    x_block = tl.advance(x_block, (B,))
    tl.store(y_block, loaded(x_block), boundary_check=(0,))
# shared: run


# case: handed_among_hidden_arguments
# like: handed_after_a_move
# expect: not applied, block-pointer-is-lost
"""What the call passes is in a tuple."""
#-def loaded(block):
#-    return tl.load(block, boundary_check=(0,))
#+def loaded(block, scale):
#+    return tl.load(block, boundary_check=(0,)) * scale
#-    x_block = tl.advance(x_block, (B,))
#-    tl.store(y_block, loaded(x_block), boundary_check=(0,))
#+    tl.store(y_block, loaded(x_block, *(2.0,)), boundary_check=(0,))


# case: handed_and_chosen
# like: handed_after_a_move
# expect: not applied, block-pointer-is-lost
"""The helper puts another one in its place at times."""
#-def loaded(block):
#-    return tl.load(block, boundary_check=(0,))
#+def loaded(block, other, C: tl.constexpr):
#+    x = other if C else block
#+    return tl.load(x, boundary_check=(0,))
#-    x_block = tl.advance(x_block, (B,))
#-    tl.store(y_block, loaded(x_block), boundary_check=(0,))
#+    tl.store(y_block, loaded(x_block, y_block, False), boundary_check=(0,))


# case: handed_and_given_back
# like: handed_after_a_move
# expect: not applied, block-pointer-is-lost
"""The helper returns where it has come to."""
#-def loaded(block):
#-    return tl.load(block, boundary_check=(0,))
#+def loaded(block, B: tl.constexpr):
#+    return tl.load(block, boundary_check=(0,)), tl.advance(block, (B,))
#-    x_block = tl.advance(x_block, (B,))
#-    tl.store(y_block, loaded(x_block), boundary_check=(0,))
#+    x, x_block = loaded(x_block, B)
#+    tl.store(y_block, x, boundary_check=(0,))


# case: handed_and_its_base_changes
# like: handed_after_a_move
# expect: not applied, block-pointer-is-lost
"""What it was made of is something else where the helper is called."""
#-    x_block = tl.advance(x_block, (B,))
#+    X += B


# case: handed_by_some
# like: handed_after_a_move
# expect: not applied, block-pointer-is-lost
"""Another caller passes a tile of pointers."""
#-    return tl.load(block, boundary_check=(0,))
#+    return tl.load(block)
#-    x_block = tl.advance(x_block, (B,))
#-    tl.store(y_block, loaded(x_block), boundary_check=(0,))
#+    x = loaded(x_block) + loaded(X + tl.arange(0, B))
#+    tl.store(y_block, x, boundary_check=(0,))


# case: handed_one_of_two
# like: handed_after_a_move
# expect: not applied, block-pointer-is-lost
"""Which one is decided before."""
#-    x_block = tl.advance(x_block, (B,))
#+    if n > 100:
#+        x_block = tl.make_block_ptr(X, (n,), (1,), (0,), (B,), (0,))


# case: handed_to_a_kernel
# like: handed_after_a_move
# expect: not applied, block-pointer-is-lost
"""The helper is launched too, with a pointer to one element."""
#-    return tl.load(block, boundary_check=(0,))
#+    return tl.load(block)
#-    x_block = tl.advance(x_block, (B,))

#     kernel[(triton.cdiv(n, 32),)](x, y, n, B=32)
#+    loaded[(1,)](x)


# case: handed_to_one_that_is_no_part
# expect: not applied, block-pointer-is-lost
"""The helper is a function of its own in the machine code."""


@triton.jit(noinline=True)
def loaded(block):
    return tl.load(block, boundary_check=(0,))
# shared: kernel
# shared: run


# case: handed_to_one_with_another_name
# expect: not applied, block-pointer-is-lost
"""Whoever calls the other name is not seen."""
# shared: loaded


also = loaded
# shared: kernel
# shared: run


# case: handed_with_other_ranks
# like: handed_after_a_move
# expect: not applied, block-pointer-is-lost
"""It is a row in one call, and a tile in another."""
#-def loaded(block):
#-    return tl.load(block, boundary_check=(0,))
#+def total(block):
#+    return tl.sum(tl.load(block))
#-    x_block = tl.advance(x_block, (B,))
#-    tl.store(y_block, loaded(x_block), boundary_check=(0,))
#+    tile = tl.make_block_ptr(X, (n, 1), (1, 1), (0, 0), (B, 1), (1, 0))
#+    tl.store(y_block, tl.load(x_block) + total(x_block) + total(tile), boundary_check=(0,))
