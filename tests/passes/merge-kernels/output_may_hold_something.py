import torch
import triton
import triton.language as tl


# case: given_output
# like: output_of_ones
# expect: not applied, output-may-hold-something
"""The output is the caller's, and may be what the first kernel reads."""
#-def launch(x: torch.Tensor):
#+def launch(x: torch.Tensor, y: torch.Tensor):
#-    y = torch.ones(n + 1, dtype=torch.float32, device=x.device)
#+    assert y.dtype == torch.float32


# case: largest_among_zeros
# like: largest_number
# expect: not applied, output-may-hold-something
"""Where nothing is stored, the output holds 0."""
#-    y = torch.empty(1, dtype=torch.float32, device=x.device)
#+    y = torch.zeros(2, dtype=torch.float32, device=x.device)


# case: like_the_output
# like: output_of_ones
# expect: not applied, output-may-hold-something
"""Another tensor is made of the output before the launches."""
#-    y = torch.ones(n + 1, dtype=torch.float32, device=x.device)
#+    y = torch.empty(n, dtype=torch.float32, device=x.device)
#+    z = torch.empty_like(y)
#-    return y
#+    return y, z


# case: made_in_one_branch
# like: output_of_ones
# expect: not applied, output-may-hold-something
"""The output was made before, and is another one in a branch before the launches."""
#-    y = torch.ones(n + 1, dtype=torch.float32, device=x.device)
#+    y = torch.empty(n, dtype=torch.float32, device=x.device)
#+    if m > 1:
#+        y = torch.ones(n + 1, dtype=torch.float32, device=x.device)


# case: output_has_another_name
# like: output_of_ones
# expect: not applied, output-may-hold-something
"""Another name for the output is known before the launches."""
#-    y = torch.ones(n + 1, dtype=torch.float32, device=x.device)
#+    y = torch.empty(n, dtype=torch.float32, device=x.device)
#+    kept = [y]
#-    return y
#+    return kept[0]


# case: output_of_another_turn
# like: output_of_another_block
# expect: not applied, output-may-hold-something
"""The output is made once, and the launches run in each turn of a loop."""
#-    if m > 0:
#+    for _ in range(2):
#-    else:
#-        y.fill_(1.0)


# case: output_of_ones
# expect: not applied, output-may-hold-something
"""Where nothing is stored, the output holds 1."""


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
    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
    y = torch.ones(n + 1, dtype=torch.float32, device=x.device)
    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
    return y


# case: output_used_before
# like: output_of_ones
# expect: not applied, output-may-hold-something
"""The first kernel is passed the output as well."""
#-def partial(X, P, stride, N, BLOCK: tl.constexpr):
#+def partial(X, Bias, P, stride, N, BLOCK: tl.constexpr):
#     x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
#+    x += tl.load(Bias + cols, mask=mask, other=0.0)
#-    y = torch.ones(n + 1, dtype=torch.float32, device=x.device)
#-    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    y = torch.zeros(n, dtype=torch.float32, device=x.device)
#+    partial[(m,)](x, y, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))


# case: wants_a_gradient
# like: output_of_ones
# expect: not applied, output-may-hold-something
"""The output is a tensor of a graph."""
#-    y = torch.ones(n + 1, dtype=torch.float32, device=x.device)
#+    y = torch.empty(n, requires_grad=True, dtype=torch.float32, device=x.device)
