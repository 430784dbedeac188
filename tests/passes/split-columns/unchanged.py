import torch
import triton
import triton.language as tl


# case: index_of_the_largest
# like: sums_alone
# expect: unchanged
# options: longest=16,block=16
"""The index of the largest element."""
#-    x = tl.load(X + row * N + cols, mask=mask, other=0.0).to(tl.float32)
#-    tl.store(Y + row, tl.sum(tl.abs(x), axis=0) / N)
#+    x = tl.load(X + row * N + cols, mask=mask, other=float("-inf")).to(tl.float32)
#+    tl.store(Y + row, tl.argmax(x, axis=0))
#-    y = torch.empty(m, dtype=torch.float32, device=x.device)
#+    y = torch.empty(m, dtype=torch.int32, device=x.device)


# case: shape_of_a_tile
# like: sums_alone
# expect: unchanged
# options: longest=16,block=16
"""The number of lanes is asked of the tile."""
#-    tl.store(Y + row, tl.sum(tl.abs(x), axis=0) / N)
#+    lanes = x.shape[0]
#+    tl.store(Y + row, tl.sum(x, axis=0) / lanes)
