"""The operations over rows that are measured: the example, torch, and Liger where it has one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import triton
from torch.nn import functional

GROUPS = 8
"""Of group norm, where there are as many rows."""
CHANNELS = 4
"""Of each group."""
DTYPES = {"fp16": torch.float16, "fp32": torch.float32, "bf16": torch.bfloat16}


@dataclass(frozen=True)
class Operation:
    """One operation, by all who do it."""

    name: str
    example: str
    """The file of examples/ that has the textbook kernel."""
    launcher: str
    arguments: Callable[[Source], tuple[Any, ...]]
    reference: Callable[..., Any]
    """What torch does with the same arguments: eager, compiled, and in fp64 the judge of all."""
    liger: Callable[..., Any] | None = None


@dataclass(frozen=True)
class Source:
    """Makes tensors of one shape and type, the same ones each time."""

    rows: int
    length: int
    dtype: torch.dtype
    device: str

    def normal(self, *shape: int, dtype: torch.dtype | None = None) -> torch.Tensor:
        return torch.randn(shape, device=self.device).to(dtype or self.dtype)

    def matrix(self) -> torch.Tensor:
        return self.normal(self.rows, self.length)

    def weights(self) -> torch.Tensor:
        return self.normal(self.length)


def arguments_of(operation: Operation, source: Source) -> tuple[Any, ...]:
    torch.manual_seed(0)
    return operation.arguments(source)


def of_backward(source: Source) -> tuple[Any, ...]:
    x = source.matrix()
    wide = x.float()
    mean = wide.mean(dim=1)
    rstd = torch.rsqrt(wide.var(dim=1, correction=0) + 1e-5)
    return source.matrix(), x, source.weights(), mean, rstd


def of_cross_entropy(source: Source) -> tuple[Any, ...]:
    target = torch.randint(source.length, (source.rows,), device=source.device)
    return source.matrix(), target


def of_group_norm(source: Source) -> tuple[Any, ...]:
    """A group of channels in an image is a row."""
    groups = GROUPS if source.rows % GROUPS == 0 else 1
    channels, pixels = groups * CHANNELS, max(source.length // CHANNELS, 1)
    x = source.normal(source.rows // groups, channels, 1, pixels)
    return x, source.normal(channels), source.normal(channels), groups


def of_product(source: Source) -> tuple[Any, ...]:
    """Factors whose product is neither zero nor infinite, however many there are."""
    sizes = torch.exp(torch.randn(source.rows, source.length, device=source.device)
                      * (4 / math.sqrt(source.length)))  # fmt: skip
    signs = torch.randint(2, sizes.shape, device=source.device) * 2 - 1
    return ((sizes * signs).to(source.dtype),)


def wide(x: torch.Tensor) -> torch.dtype:
    """What the kernels add up in; fp64 where that was asked for."""
    return torch.float64 if x.dtype == torch.float64 else torch.float32


def torch_layer_norm(x: Any, weight: Any, bias: Any) -> Any:
    return torch.native_layer_norm(x, [x.shape[1]], weight, bias, 1e-5)


def torch_layer_norm_backward(dy: Any, x: Any, weight: Any, mean: Any, rstd: Any) -> Any:
    shape, all_three = [x.shape[1]], [True, True, True]
    return torch.ops.aten.native_layer_norm_backward(
        dy, x, shape, mean[:, None], rstd[:, None], weight, weight, all_three
    )


def torch_rms_norm(x: Any, weight: Any) -> Any:
    return functional.rms_norm(x, (x.shape[1],), weight, eps=1e-6)


def torch_group_norm(x: Any, weight: Any, bias: Any, groups: int) -> Any:
    return functional.group_norm(x, groups, weight, bias)


def torch_cross_entropy(x: Any, target: Any) -> Any:
    return functional.cross_entropy(x, target, reduction="none")


def liger_layer_norm(x: Any, weight: Any, bias: Any) -> Any:
    from liger_kernel.ops.layer_norm import layer_norm_forward

    y, _, mean, rstd, *_ = layer_norm_forward(x, weight, bias, 1e-5)
    return y, mean, rstd


def liger_layer_norm_backward(dy: Any, x: Any, weight: Any, mean: Any, rstd: Any) -> Any:
    from liger_kernel.ops.layer_norm import layer_norm_backward

    return layer_norm_backward(dy, x, weight, weight, mean, rstd)


def liger_rms_norm(x: Any, weight: Any) -> Any:
    from liger_kernel.ops.rms_norm import rms_norm_forward

    return rms_norm_forward(x, weight, 1e-6, 0.0, "llama", False)[0]


def liger_softmax(x: Any) -> Any:
    from liger_kernel.ops.softmax import _softmax_forward

    return _softmax_forward(x)[0]


def liger_cross_entropy(x: Any, target: Any) -> Any:
    """Its kernel without gradients. Its launcher would wait for the GPU, to look at the targets."""
    from liger_kernel.ops.cross_entropy import MAX_FUSED_SIZE, liger_cross_entropy_kernel

    rows, length = x.shape
    loss = torch.zeros(rows, dtype=x.dtype, device=x.device)
    liger_cross_entropy_kernel[(rows,)](
        X_ptr=x, X_stride=x.stride(0), Y_ptr=target, Y_stride=1, weight_ptr=None,
        loss_ptr=loss, z_loss_ptr=None, loss_stride=1, token_accuracy_ptr=None,
        token_accuracy_stride=0, predicted_tokens_ptr=None, predicted_tokens_stride=0,
        n_cols=length, n_non_ignore=rows, sum_non_ignore_weight=rows, weight_sum=0.0,
        ignore_index=-100, lse_square_scale=0.0, label_smoothing=0.0, reduction="none",
        softcap=None, RETURN_Z_LOSS=False, RETURN_TOKEN_ACCURACY=False,
        RETURN_PREDICTED_TOKENS=False, HAS_WEIGHT=False, HAS_SOFTCAPPING=False,
        HAS_GRADIENTS=False, num_warps=32,
        BLOCK_SIZE=min(MAX_FUSED_SIZE, triton.next_power_of_2(length)),
    )  # fmt: skip
    return loss


def liger_group_norm(x: Any, weight: Any, bias: Any, groups: int) -> Any:
    from liger_kernel.ops.group_norm import group_norm_forward

    return group_norm_forward(x, x.shape[1], groups, weight, bias, 1e-5)[0]


def matrix(source: Source) -> tuple[Any, ...]:
    return (source.matrix(),)


OPERATIONS = {
    operation.name: operation
    for operation in (
        Operation(
            "layer norm", "layer_norm", "layer_norm",
            lambda s: (s.matrix(), s.weights(), s.weights()), torch_layer_norm, liger_layer_norm,
        ),
        Operation(
            "layer norm backward", "layer_norm_backward_two_stages", "layer_norm_backward",
            of_backward, torch_layer_norm_backward, liger_layer_norm_backward,
        ),
        Operation(
            "rms norm", "rms_norm", "rms_norm",
            lambda s: (s.matrix(), s.weights()), torch_rms_norm, liger_rms_norm,
        ),
        Operation(
            "softmax", "softmax", "softmax",
            matrix, lambda x: torch.softmax(x, dim=1), liger_softmax,
        ),
        Operation(
            "log-softmax", "log_softmax", "log_softmax",
            matrix, lambda x: torch.log_softmax(x, dim=1),
        ),
        Operation(
            "cross-entropy", "cross_entropy", "cross_entropy",
            of_cross_entropy, torch_cross_entropy, liger_cross_entropy,
        ),
        Operation(
            "group norm", "group_norm", "group_norm",
            of_group_norm, torch_group_norm, liger_group_norm,
        ),
        Operation(
            "sum", "row_reductions", "row_sum",
            matrix, lambda x: x.sum(dim=1, dtype=wide(x)),
        ),
        Operation("max", "row_reductions", "row_max", matrix, lambda x: x.amax(dim=1)),
        Operation("argmax", "row_reductions", "row_argmax", matrix, lambda x: x.argmax(dim=1)),
        Operation(
            "variance", "variance", "var_mean",
            matrix, lambda x: torch.var_mean(x, dim=1, correction=1),
        ),
        Operation(
            "abs-min", "row_reductions", "row_abs_min", matrix, lambda x: x.abs().amin(dim=1),
        ),
        Operation(
            "product", "row_reductions", "row_product",
            of_product, lambda x: x.prod(dim=1, dtype=wide(x)),
        ),
    )
}  # fmt: skip
