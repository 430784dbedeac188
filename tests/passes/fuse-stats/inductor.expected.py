"""Single-assignment code as torch's inductor prints it: numbered temporaries, masked accumulation
by `tl.where(rmask, acc + t, acc)`, tiles of [XBLOCK, RBLOCK] and different eviction policies."""

import torch
import triton
import triton.language as tl


@triton.jit
def triton_red_fused_var_mean_0(
    in_ptr0, out_ptr0, out_ptr1, ks0, xnumel, rnumel, XBLOCK: tl.constexpr, RBLOCK: tl.constexpr
):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    rbase = tl.arange(0, RBLOCK)[None, :]
    x0 = xindex
    _tmp2 = tl.full([XBLOCK, RBLOCK], 0, tl.float32)
    # Deviations from the mean of the first tile, so that no digits cancel.
    first_rindex = rbase
    first_rmask = first_rindex < rnumel
    first_r1 = first_rindex
    first_tmp0 = tl.load(in_ptr0 + (first_r1 + ks0 * x0), first_rmask & xmask, eviction_policy="evict_last", other=0.0)
    first_tmp1 = tl.broadcast_to(first_tmp0, [XBLOCK, RBLOCK])
    shift = tl.sum(first_tmp1.to(tl.float32), axis=1)[:, None] / tl.maximum(tl.minimum(rnumel, RBLOCK), 1)
    _tmp11 = tl.full([XBLOCK, RBLOCK], 0, tl.float32)
    _shifted = tl.full([XBLOCK, RBLOCK], 0, tl.float32)
    for roffset in range(0, rnumel, RBLOCK):
        rindex = roffset + rbase
        rmask = rindex < rnumel
        r1 = rindex
        tmp0 = tl.load(
            in_ptr0 + (r1 + ks0 * x0), rmask & xmask, eviction_policy="evict_last", other=0.0
        )
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK, RBLOCK])
        tmp3 = _tmp2 + tmp1
        _tmp2 = tl.where(rmask & xmask, tmp3, _tmp2)
        deviation = tl.where(rmask & xmask, tmp1 - shift, 0.0)
        _shifted += deviation
        _tmp11 += deviation * deviation
    tmp2 = tl.sum(_tmp2, 1)[:, None]
    tmp4 = ks0
    tmp5 = tmp4.to(tl.float32)
    tmp6 = tmp2 / tmp5
    tl.store(out_ptr0 + (x0), tmp6, xmask)
    shifted_sum = tl.sum(_shifted, axis=1)
    m2 = tl.sum(_tmp11, axis=1) - shifted_sum * (shifted_sum / tl.maximum(tmp5, 1))
    m2 = tl.where(m2 < 0.0, 0.0, m2)  # rounding may take it just below zero
    tmp11 = m2[:, None]
    tmp13 = tmp11 / tmp5
    tl.store(out_ptr1 + (x0), tmp13, xmask)


# tritonopt: x: f32[m, n]
def call(x: torch.Tensor):
    s0, s1 = x.shape
    x = x.contiguous()
    buf0 = torch.empty(s0, device=x.device)
    buf1 = torch.empty(s0, device=x.device)
    grid = (triton.cdiv(s0, 4),)
    triton_red_fused_var_mean_0[grid](x, buf0, buf1, s1, s0, s1, XBLOCK=4, RBLOCK=32)
    return buf0, buf1
