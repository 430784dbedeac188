"""Autotuned, in place: measuring every configuration must leave the input as it was."""

import torch
import triton
import triton.language as tl


def _small_first(configs, named_args, **kwargs):
    return [c for c in configs if c.kwargs["BLOCK"] <= 64]


@triton.autotune(
    configs=[triton.Config({"BLOCK": block}) for block in (16, 32, 64, 128)],
    key=["n"],
    restore_value=["x_ptr"],
    prune_configs_by={"early_config_prune": _small_first},
)
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def _scale(x_ptr, n, factor, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < n
    if EVEN:
        mask = cols >= 0
    x = tl.load(x_ptr + cols, mask=mask, other=0.0)
    tl.store(x_ptr + cols, x * factor, mask=mask)


def scale(x: torch.Tensor, factor: float = 2.0):
    n = x.numel()
    assert x.is_contiguous()
    _scale[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, n, factor)
    return x
