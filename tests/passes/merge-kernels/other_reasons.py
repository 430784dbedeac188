import torch
import triton
import triton.language as tl


# case: partials_in_half
# like: sums_of_columns
# expect: not applied, accumulator-is-narrow
"""The partial results are rounded to half precision."""
#-    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
#+    p = torch.empty((m, n), dtype=torch.float16, device=x.device)


# case: left_early
# like: sums_of_columns
# expect: not applied, early-exit
"""Not every program comes to the store."""
#     row = tl.program_id(0)
#+    if row % 2 == 1:
#+        return
#-    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
#+    p = torch.zeros((m, n), dtype=torch.float32, device=x.device)


# case: largest_or_zero
# like: largest_number
# expect: not applied, masked-off-lanes-count
"""Lanes that hold no partial result count as 0, if there are any."""
#-    x = tl.load(P + slots, mask=slots < M, other=-float("inf"))
#+    x = tl.load(P + slots, mask=slots < M, other=0.0)


# case: largest_or_zero_of_integers
# like: sum_of_integers
# expect: not applied, masked-off-lanes-count
"""The same of integers, which may be negative."""
#-    x = tl.load(X + cols, mask=cols < N, other=0)
#-    tl.store(P + pid, tl.sum(x, axis=0))
#+    x = tl.load(X + cols, mask=cols < N, other=-5)
#+    tl.store(P + pid, tl.max(x, axis=0))
#-    tl.store(Y, tl.sum(x, axis=0))
#+    tl.store(Y, tl.max(x, axis=0))


# case: padding_counts
# like: sums_of_columns
# expect: not applied, masked-off-lanes-count
"""Lanes that hold no partial result count as 1."""
#-        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=0.0)
#+        acc += tl.load(P + rows[:, None] * N + cols[None, :], mask=mask, other=1.0)


# case: heuristic_asks_for_the_buffer
# like: sums_of_columns
# expect: not applied, parameter-cannot-be-added
"""A heuristic looks at the sizes of the buffer."""
# import triton.language as tl
#
#
#+@triton.heuristics({"EVEN": lambda args: args["P"].shape[0] % 2 == 0})
#-def partial(X, P, stride, N, BLOCK: tl.constexpr):
#+def partial(X, P, stride, N, EVEN: tl.constexpr, BLOCK: tl.constexpr):


# case: where_pinned
# like: sums_of_columns
# expect: not applied, pinned-bits
"""Somebody has matched the second kernel to another library's bits."""
#-    tl.store(P + row * N + cols, x * x, mask=mask)
#+    tl.store(P + row * N + cols, tl.div_rn(x, 3.0), mask=mask)


# case: launcher_is_deterministic
# like: sums_of_columns
# expect: not applied, safety
"""The launcher asks for deterministic algorithms, which atomics of floats are not."""
# def launch(x: torch.Tensor):
#+    torch.use_deterministic_algorithms(True)


# case: may_be_nan
# like: largest_number
# expect: not applied, safety
"""A tile may hold nothing but NaN, which the largest of all leaves out."""
#-    tl.store(P + pid, tl.maximum(tl.max(x, axis=0), -1.0))
#+    tl.store(P + pid, tl.max(x, axis=0))


# case: promised_order
# like: sums_of_columns
# expect: not applied, safety
"""The author promises that the result is deterministic."""
# def final(P, Y, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
#+    # One after the other, so that results are deterministic.


# case: hook_of_the_tuner
# like: sums_of_columns
# expect: not applied, state-is-not-restored
"""The tuner has a hook, and resets nothing by itself then."""
# import triton.language as tl
#
#
#+@triton.autotune(
#+    configs=[triton.Config({}, num_warps=4), triton.Config({}, num_warps=8)],
#+    key=["N"],
#+    pre_hook=lambda *args, **kwargs: None,
#+)


# case: hook_by_its_place
# like: sums_of_columns
# expect: not applied, state-is-not-restored
"""What the tuner resets, and its hook, may stand at their places."""
# import triton.language as tl
#
#
#+@triton.autotune(
#+    [triton.Config({}, num_warps=4), triton.Config({}, num_warps=8)],
#+    ["N"],
#+    {"top_k": 2},
#+    None,
#+    None,
#+    lambda *args, **kwargs: None,
#+)


# case: another_default_type
# like: made_without_a_type
# expect: not applied, type-is-unknown
"""What is made without a type is no float32 where the file says so."""
# import triton.language as tl
#+
#+torch.set_default_dtype(torch.float64)


# case: type_of_the_caller
# like: sums_of_columns
# expect: not applied, type-is-unknown
"""The type of the partial results is that of what is passed."""
#-    p = torch.empty((m, n), dtype=torch.float32, device=x.device)
#+    p = torch.empty((m, n), dtype=x.dtype, device=x.device)


# case: loads_in_a_helper
# like: sums_of_columns
# expect: not applied, unknown-call
"""The first kernel calls what nobody knows."""
# import triton.language as tl
#+
#+
#+from somewhere import mystery
#     x = tl.load(X + row * stride + cols, mask=mask, other=0.0).to(tl.float32)
#+    mystery(X)


# case: passed_on
# like: named_for_others
# expect: not applied, unseen-launches
"""The first kernel is handed to somebody."""
#-__all__ = ["final", "launch"]
#+KERNELS = {"partial": partial}
