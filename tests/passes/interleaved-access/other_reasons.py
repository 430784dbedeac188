import torch
import triton
import triton.language as tl


def run(x: torch.Tensor):
    n = x.numel() // 2
    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
    return y


# case: other_differs
# like: policies_differ
# expect: not applied, arguments-differ
"""Lanes behind the end are 0 in one half and 1 in the other."""
#-    even = tl.load(X + 2 * k, mask=mask, eviction_policy="evict_first")
#-    odd = tl.load(X + 2 * k + 1, mask=mask)
#-    tl.store(Y + k, even + odd, mask=mask)
#+    even = tl.load(X + 2 * k, mask=mask, other=0.0)
#+    odd = tl.load(X + 2 * k + 1, mask=mask, other=1.0)
#+    tl.store(Y + k, even + odd, mask=k <= n)


# case: policies_differ
# expect: not applied, arguments-differ
"""One half is to stay in the cache."""


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    even = tl.load(X + 2 * k, mask=mask, eviction_policy="evict_first")
    odd = tl.load(X + 2 * k + 1, mask=mask)
    tl.store(Y + k, even + odd, mask=mask)
# shared: run


# case: in_a_helper
# expect: not applied, called-from-a-kernel
"""A helper may be given tiles."""


@triton.jit
def both(X, n, BLOCK: tl.constexpr):
    k = tl.arange(0, BLOCK)
    even = tl.load(X + 2 * k[None, :], mask=k[None, :] < n, other=0.0)
    odd = tl.load(X + 2 * k[None, :] + 1, mask=k[None, :] < n, other=0.0)
    return even + odd


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    rows = tl.arange(0, 4)
    k = tl.arange(0, BLOCK)
    total = both(X + rows[:, None] * (2 * n), n, BLOCK)
    tl.store(Y + rows[:, None] * n + k[None, :], total, mask=k[None, :] < n)


def run(x: torch.Tensor):
    n = 32
    y = torch.empty((4, n), dtype=x.dtype, device=x.device)
    kernel[(1,)](x[:256].contiguous(), y, n, BLOCK=32)
    return y


# case: comment_in_a_load
# like: policies_differ
# expect: not applied, comment-inside
"""A comment inside of a load would be lost."""
#-    even = tl.load(X + 2 * k, mask=mask, eviction_policy="evict_first")
#-    odd = tl.load(X + 2 * k + 1, mask=mask)
#+    even = tl.load(X + 2 * k, mask=mask)
#+    odd = tl.load(
#+        X + 2 * k + 1,  # the imaginary part
#+        mask=mask,
#+    )


# case: loaded_between_the_stores
# like: one_number_for_all
# expect: not applied, data-may-change
"""What was stored first is read before the second store."""
#-    tl.store(Y + 2 * k + 1, 0.0, mask=mask)
#+    again = tl.load(Y + 2 * k, mask=mask)
#+    tl.store(Y + 2 * k + 1, again + 1.0, mask=mask)


# case: maybe_one_buffer
# expect: not applied, data-may-change
"""Nothing shows that the two tensors are apart."""


@triton.jit
def kernel(X, Y, Z, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    even = tl.load(X + 2 * k, mask=mask)
    tl.store(Y + k, even, mask=mask)
    odd = tl.load(X + 2 * k + 1, mask=mask)
    tl.store(Z + k, odd, mask=mask)


def run(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor):
    n = x.numel() // 2
    kernel[(triton.cdiv(n, 32),)](x, y, z, n, BLOCK=32)


# case: stored_between_the_loads
# like: in_place
# expect: not applied, data-may-change
"""In place, one after the other: the second load reads what was not stored yet."""
#     even = tl.load(X + 2 * k, mask=mask)
#+    tl.store(X + 2 * k, even + 1.0, mask=mask)
#-    tl.store(X + 2 * k, -odd, mask=mask)
#-    tl.store(X + 2 * k + 1, even, mask=mask)
#+    tl.store(X + 2 * k + 1, odd + even, mask=mask)


# case: masks_differ
# like: policies_differ
# expect: not applied, different-mask
"""The masks end at two different lanes."""
#-    even = tl.load(X + 2 * k, mask=mask, eviction_policy="evict_first")
#-    odd = tl.load(X + 2 * k + 1, mask=mask)
#+    even = tl.load(X + 2 * k, mask=k < n)
#+    odd = tl.load(X + 2 * k + 1, mask=k < n - 1)


# case: one_is_masked
# like: policies_differ
# expect: not applied, different-mask
"""Only the second load is masked."""
#-    even = tl.load(X + 2 * k, mask=mask, eviction_policy="evict_first")
#+    even = tl.load(X + 2 * k)


# case: exit_in_between
# like: one_number_for_all
# expect: not applied, early-exit
"""The program may end between the two stores."""
#-    tl.store(Y + 2 * k + 1, 0.0, mask=mask)
#+    if n < 7:
#+        return
#+    tl.store(Y + 2 * k + 1, even, mask=mask)


# case: atomic_in_between
# like: base_changes_in_between
# expect: not applied, memory-order
"""An atomic orders memory."""
#-def kernel(X, Y, n, BLOCK: tl.constexpr):
#+def kernel(X, Y, C, n, BLOCK: tl.constexpr):
#-    X += 1
#+    tl.atomic_add(C, 1)
#-    y = torch.empty(2 * n, dtype=x.dtype, device=x.device)
#-    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, n, BLOCK=32)
#+    y = torch.empty(n, dtype=x.dtype, device=x.device)
#+    count = torch.zeros(1, dtype=torch.int32, device=x.device)
#+    kernel[(triton.cdiv(n, 32),)](x.contiguous(), y, count, n, BLOCK=32)


# case: mask_counts_elsewhere
# expect: not applied, not-expressible
"""The mask counts from the start of the row, the address from that of the tile."""


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    k = tl.arange(0, BLOCK)
    even = tl.load(X + 2 * k, mask=start + k < n, other=0.0)
    odd = tl.load(X + 2 * k + 1, mask=start + k < n, other=0.0)
    tl.store(Y + start + k, even + odd, mask=start + k < n)
# shared: run


# case: pointers_move
# expect: not applied, not-expressible
"""A loop moves the pointers."""


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.arange(0, BLOCK)
    at = X + 2 * k
    acc = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        even = tl.load(at, mask=start + k < n, other=0.0)
        odd = tl.load(at + 1, mask=start + k < n, other=0.0)
        acc += even * odd
        at += 2 * BLOCK
    tl.store(Y + k, acc)


def run(x: torch.Tensor):
    y = torch.empty(32, dtype=torch.float32, device=x.device)
    kernel[(1,)](x.contiguous(), y, x.numel() // 2, BLOCK=32)
    return y


# case: address_has_a_part_for_each_lane
# like: policies_differ
# expect: not applied, shape-changes
"""What is added is 0 for each lane, and a tile of as many nevertheless."""
#-    even = tl.load(X + 2 * k, mask=mask, eviction_policy="evict_first")
#-    odd = tl.load(X + 2 * k + 1, mask=mask)
#+    zeros = tl.zeros([BLOCK], tl.int32)
#+    even = tl.load(X + zeros + 2 * k, mask=mask)
#+    odd = tl.load(X + zeros + 2 * k + 1, mask=mask)


# case: mask_has_a_part_for_each_lane
# like: policies_differ
# expect: not applied, shape-changes
"""A part of the mask is the same for all lanes, and a tile of as many."""
#-    even = tl.load(X + 2 * k, mask=mask, eviction_policy="evict_first")
#-    odd = tl.load(X + 2 * k + 1, mask=mask)
#+    enough = tl.full([BLOCK], n, tl.int32) > 3
#+    even = tl.load(X + 2 * k, mask=mask & enough)
#+    odd = tl.load(X + 2 * k + 1, mask=mask & enough)


# case: one_number_for_all
# expect: not applied, shape-changes
"""A store of one number, not of a tile."""


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = k < n

    even = tl.load(X + 2 * k, mask=mask)
    tl.store(Y + 2 * k, even, mask=mask)
    tl.store(Y + 2 * k + 1, 0.0, mask=mask)
# shared: run


# case: volatile_loads
# like: policies_differ
# expect: not applied, volatile-load
"""Their author wants each of them."""
#-    even = tl.load(X + 2 * k, mask=mask, eviction_policy="evict_first")
#-    odd = tl.load(X + 2 * k + 1, mask=mask)
#+    even = tl.load(X + 2 * k, mask=mask, volatile=True)
#+    odd = tl.load(X + 2 * k + 1, mask=mask, volatile=True)


# case: each_masks_its_own_element
# expect: not applied, different-mask
"""An odd number of elements: the last lane has one of them."""


@triton.jit
def kernel(X, Y, n, BLOCK: tl.constexpr):
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    even = tl.load(X + 2 * k, mask=2 * k < n, other=0.0)
    odd = tl.load(X + 2 * k + 1, mask=2 * k + 1 < n, other=0.0)
    tl.store(Y + 2 * k, odd, mask=2 * k < n)
    tl.store(Y + 2 * k + 1, even, mask=2 * k + 1 < n)


def run(x: torch.Tensor):
    n = x.numel()
    y = torch.empty_like(x)
    kernel[(triton.cdiv(n, 64),)](x.contiguous(), y, n, BLOCK=32)
    return y
