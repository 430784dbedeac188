import torch
import triton
import triton.language as tl


# case: second_sweep_gathered
# like: second_sweep_exact
# expect: not applied, dependence-between-iterations
"""Where a turn stores is loaded: two turns may store to one element."""
#-        tl.store(Y + row * stride + cols, x - largest, mask=cols < N)
#+        tl.store(Y + row * stride + x.to(tl.int32) + cols, x - largest, mask=cols < N)


# case: second_sweep_nested_before
# like: second_sweep_nested
# expect: not applied, dependence-between-iterations
"""A channel begins one element before its own, which the channel before has last."""
#             pixel = start + tl.arange(0, BLOCK)
#+            pixel -= 1


# case: second_sweep_nested_beyond
# like: second_sweep_nested
# expect: not applied, dependence-between-iterations
"""A channel stores one element more than it has, which the next one has first."""
#-            tl.store(Y + offsets, x * scale * w, mask=pixel < pixels)
#+            tl.store(Y + offsets, x * scale * w, mask=pixel < pixels + 1)


# case: second_sweep_nested_either
# like: second_sweep_nested
# expect: not applied, dependence-between-iterations
"""A mask that holds beyond the channel as well."""
#-            tl.store(Y + offsets, x * scale * w, mask=pixel < pixels)
#+            tl.store(Y + offsets, x * scale * w, mask=(pixel < pixels) | (channel == 0))


# case: second_sweep_nested_half
# like: second_sweep_nested
# expect: not applied, dependence-between-iterations
"""Two channels share a half of what they store."""
#-            offsets = row * size + channel * pixels + pixel
#+            offsets = row * size + channel * (pixels // 2) + pixel


# case: second_sweep_nested_unmasked
# like: second_sweep_nested
# expect: not applied, dependence-between-iterations
"""The last tile of a channel goes on into the next one."""
#-            tl.store(Y + offsets, x * scale * w, mask=pixel < pixels)
#+            tl.store(Y + offsets, x * scale * w, mask=offsets < (row + 1) * size)


# case: second_sweep_overlapping
# like: second_sweep_exact
# expect: not applied, dependence-between-iterations
"""Each turn stores to half of what the turn before has stored."""
#-        tl.store(Y + row * stride + cols, x - largest, mask=cols < N)
#+        tl.store(Y + row * stride + start // 2 + tl.arange(0, BLOCK), x - largest, mask=cols < N)


# case: second_sweep_stored_again
# like: second_sweep_exact
# expect: not applied, dependence-between-iterations
"""Behind the second loop somebody stores once more to what other parts may store to later."""
#         tl.store(Y + row * stride + cols, x - largest, mask=cols < N)
#+    last = tl.load(Y + row * stride + N - 1)
#+    tl.store(Y + row * stride, last)


# case: second_sweep_to_one_place
# like: second_sweep_exact
# expect: not applied, dependence-between-iterations
"""Of all turns the last one is to win."""
#-        tl.store(Y + row * stride + cols, x - largest, mask=cols < N)
#+        tl.store(Y + row * stride + tl.arange(0, BLOCK), x - largest, mask=cols < N)


# case: second_sweep_twice
# like: second_sweep_exact
# expect: not applied, dependence-between-iterations
"""One turn stores where the next one has stored."""
#         tl.store(Y + row * stride + cols, x - largest, mask=cols < N)
#+        tl.store(Y + row * stride + cols + BLOCK, largest, mask=cols + BLOCK < N)
