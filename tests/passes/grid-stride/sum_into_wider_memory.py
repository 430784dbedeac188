# options: programs=3
import torch
import triton
import triton.language as tl


@triton.jit
def histogram_kernel(x_ptr, moment_ptr, count_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    offsets = pid * BLOCK + lanes
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    # The sums must not be narrower than the memory: fp64 and int64.
    tl.atomic_add(moment_ptr + lanes, x.to(tl.float32) * 3.0)
    tl.atomic_add(count_ptr + lanes, (x > 0.0).to(tl.int32))


def histogram(x: torch.Tensor):
    n = x.numel()
    moment = torch.zeros(32, dtype=torch.float64, device=x.device)
    count = torch.zeros(32, dtype=torch.int64, device=x.device)
    histogram_kernel[(triton.cdiv(n, 32),)](x.contiguous(), moment, count, n, BLOCK=32)
    return moment, count
