import torch
import triton
import triton.language as tl


# case: another_stream
# like: sums_of_columns
# expect: not applied, launches-are-not-paired
"""The second launch is on another stream."""
#-    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
#+    with torch.cuda.stream(torch.cuda.Stream()):
#+        final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)


# case: changed_between
# like: sums_of_columns
# expect: not applied, launches-are-not-paired
"""Between the launches the buffer is changed."""
#     partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    p.mul_(2.0)


# case: launched_alone
# like: named_for_others
# expect: not applied, launches-are-not-paired
"""Another launcher wants the partial results."""
#-__all__ = ["final", "launch"]
#+def squares(x: torch.Tensor):
#+    m, n = x.shape
#+    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
#+    partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    return p


# case: sometimes_only
# like: sums_of_columns
# expect: not applied, launches-are-not-paired
"""The second kernel runs sometimes only."""
#-    final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)
#+    if m > 1:
#+        final[(triton.cdiv(n, 16),)](p, y, m, n, ROWS=8, COLS=16)


# case: stream_is_set_between
# like: sums_of_columns
# expect: not applied, launches-are-not-paired
"""What comes behind is on another stream."""
#     partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    torch.cuda.set_stream(torch.cuda.Stream())


# case: unknown_between
# like: sums_of_columns
# expect: not applied, launches-are-not-paired
"""Between the launches a hook runs."""
#-def launch(x: torch.Tensor):
#+def launch(x: torch.Tensor, hook):
#     partial[(m,)](x, p, x.stride(0), n, BLOCK=triton.next_power_of_2(n))
#+    hook()
