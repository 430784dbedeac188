import torch
import triton
import triton.language as tl


# case: given_buffer
# like: sums_of_columns
# expect: not applied, partials-are-used-elsewhere
"""The buffer is the caller's."""
#-def launch(x: torch.Tensor):
#+def launch(x: torch.Tensor, p: torch.Tensor):
#-    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
#+    assert p.dtype == torch.float32


# case: launched_between
# like: sums_of_columns
# expect: not applied, partials-are-used-elsewhere
"""Between the launches another kernel changes the buffer."""
#     tl.store(P + row * N + cols, x * x, mask=mask)
#+
#+
#+@triton.jit
#+def doubled(P, N, BLOCK: tl.constexpr):
#+    cols = tl.arange(0, BLOCK)
#+    x = tl.load(P + cols, mask=cols < N)
#+    tl.store(P + cols, x * 2, mask=cols < N)
#     partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    doubled[(1,)](p, n, BLOCK=triton.next_power_of_2(n))


# case: lock_is_taken
# like: below_a_lock
# expect: not applied, partials-are-used-elsewhere
"""The locks do not begin with 0."""
#-    tl.debug_barrier()

#-    locks = torch.zeros(2 * groups, dtype=torch.int32, device=x.device)
#+    locks = torch.empty(2 * groups, dtype=torch.int32, device=x.device)


# case: locks_are_passed_on
# like: below_a_lock
# expect: not applied, partials-are-used-elsewhere
"""Somebody else gets the locks."""
#-    tl.debug_barrier()

#-    return y
#+    return y, locks


# case: read_back
# like: sums_of_columns
# expect: not applied, partials-are-used-elsewhere
"""The first kernel reads what it has stored."""
#     tl.store(P + row * N + cols, x * x, mask=mask)
#+    again = tl.load(P + row * N + cols, mask=mask, other=0.0)
#+    tl.store(X + row * stride + cols, again, mask=mask)


# case: read_by_somebody_else
# like: sums_of_columns
# expect: not applied, partials-are-used-elsewhere
"""The partial results are returned as well."""
#-    return y
#+    return y, p


# case: read_in_the_next_turn
# expect: not applied, partials-are-used-elsewhere
"""The other branch reads the partial results, in a later turn of a loop."""


@triton.jit
def partial(X, P, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(P + row * N + cols, x * x, mask=mask)


@triton.jit
def final(P, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    cols = tl.program_id(0) * COLS + tl.arange(0, COLS)
    acc = tl.zeros([ROWS, COLS], dtype=tl.float32)
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        mask = (rows < M)[:, None] & (cols < N)[None, :]
        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
    tl.store(Y + cols, tl.sum(acc, axis=0), mask=cols < N)


def launch(x: torch.Tensor):
    m, n = x.shape
    found = []
    for turn in range(2):
        if turn == 0:
            p = torch.empty((m, n), dtype=torch.float32, device=x.device)
            y = torch.empty(n, dtype=torch.float32, device=x.device)
            partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
            final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
            found.append(y)
        else:
            found.append(p)
    return found


# case: saved_for_later
# like: sums_of_columns
# expect: not applied, partials-are-used-elsewhere
"""The partial results are kept for the backward pass."""
#     final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
#+    launch.saved = p


# case: stored_twice
# like: sums_of_columns
# expect: not applied, partials-are-used-elsewhere
"""The first kernel stores to each place twice."""
#     tl.store(P + row * N + cols, x * x, mask=mask)
#+    tl.store(P + row * N + cols, x, mask=mask)


# case: sums_of_anything
# like: below_a_lock
# expect: not applied, partials-are-used-elsewhere
"""Sums of groups without a row are anything."""
#-    tl.debug_barrier()

#-    p = torch.zeros((groups, n), dtype=torch.float32, device=x.device)
#+    p = torch.empty((groups, n), dtype=torch.float32, device=x.device)
