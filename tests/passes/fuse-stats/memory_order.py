import torch
import triton
import triton.language as tl


# case: atomic_counter
# like: mean_shrunk
# expect: not applied, memory-order
"""An atomic on a counter of its own orders the sweeps against other programs."""
#-def kernel(X, Mean, Var, stride, N, BLOCK: tl.constexpr):
#+def kernel(X, Counter, Mean, Var, stride, N, BLOCK: tl.constexpr):
#-    mean = mean * 0.5
#+    tl.atomic_add(Counter, 1)
#-    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
#+    counter = torch.zeros(1, dtype=torch.int32, device=x.device)
#+    kernel[(m,)](x, counter, mean, var, x.stride(0), n, BLOCK=64)


# case: barrier_inside
# like: mean_shrunk
# expect: not applied, memory-order
"""A barrier stands inside the first sweep."""
#         acc += x
#+        tl.debug_barrier()
#-    mean = mean * 0.5


# case: debug_barrier
# like: mean_shrunk
# expect: not applied, memory-order
"""A barrier stands between the sweeps. Somebody ordered memory there."""
#-    mean = mean * 0.5
#+    tl.debug_barrier()


# case: dependent_launch
# like: mean_shrunk
# expect: not applied, memory-order
"""The second sweep waits for the kernel before it, by programmatic dependent launch: until then
the data is not final."""
#-    mean = mean * 0.5
#+    tl.extra.cuda.gdc_wait()
#-    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64)
#+    kernel[(m,)](x, mean, var, x.stride(0), n, BLOCK=64, launch_pdl=True)


# case: inline_assembly
# like: mean_shrunk
# expect: not applied, memory-order
"""Inline assembly that is not pure stands between the sweeps; it may do anything."""
#-    mean = mean * 0.5
#+    tl.inline_asm_elementwise(
#+        "membar.gl; mov.b32 $0, $1;", "=r,r", [row], dtype=tl.int32, is_pure=False, pack=1
#+    )


# case: lock_between
# expect: not applied, memory-order
"""The program takes a lock between the sweeps and releases it at the end, as in the backward pass
of the tutorial."""


@triton.jit
def kernel(X, Lock, Mean, Var, stride, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    X += row * stride
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        acc += x
    mean = tl.sum(acc, axis=0) / N
    while tl.atomic_cas(Lock, 0, 1) == 1:
        pass
    acc2 = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(X + cols, mask=cols < N, other=0.0)
        d = tl.where(cols < N, x - mean, 0.0)
        acc2 += d * d
    var = tl.sum(acc2, axis=0) / N
    tl.store(Mean + row, mean)
    tl.store(Var + row, var)
    tl.atomic_xchg(Lock, 0)


# tritonopt: x: f32[m, n]
def var_mean(x: torch.Tensor):
    m, n = x.shape
    x = x.contiguous()
    mean = torch.empty(m, device=x.device)
    var = torch.empty(m, device=x.device)
    lock = torch.zeros(1, dtype=torch.int32, device=x.device)
    kernel[(m,)](x, lock, mean, var, x.stride(0), n, BLOCK=64)
    return var, mean
