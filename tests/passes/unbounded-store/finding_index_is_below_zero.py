import torch
import triton
import triton.language as tl


# case: guarded_in_one_of_two
# expect: finding, index-is-below-zero
"""One load asks whether the token is below 0, and the other one does not."""


@triton.jit
def gather_kernel(P, ids, Out, Logs, n, vocab, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    t = tl.load(ids + i, mask=ok, other=0)
    p = tl.load(P + i * vocab + t, mask=ok, other=0.0)
    q = tl.load(Logs + i * vocab + t, mask=ok & (t >= 0), other=0.0)
    tl.store(Out + i, p + q, mask=ok)


def gather(p: torch.Tensor, ids: torch.Tensor, logs: torch.Tensor):
    n, vocab = p.shape
    p, logs = p.contiguous(), logs.contiguous()
    out = torch.empty((n,), device=p.device, dtype=p.dtype)
    gather_kernel[(triton.cdiv(n, 16),)](p, ids, out, logs, n, vocab, BLOCK=16)
    return out
