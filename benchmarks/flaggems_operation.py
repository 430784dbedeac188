"""One operation of FlagGems at the shapes of its own benchmark, in fp16, each called once.

    python benchmarks/flaggems_operation.py NAME

For `tritonopt tune flag_gems/ops/NAME.py -- python benchmarks/flaggems_operation.py NAME`, to which
the calls are all that counts. The shapes are those of its `benchmark/core_shapes.yaml`, without
rows of one dimension and without the largest one, of 2 GiB.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Sequence

import flag_gems
import torch

f = torch.nn.functional

REDUCED = ((64, 64), (4096, 4096), (64, 512, 512))
"""UnaryReductionBenchmark, which reduces the second dimension."""
MATRICES = ((64, 64), (256, 256), (1024, 1024), (4096, 4096), (1024, 65536))
"""GenericBenchmark2DOnly."""
SEVERAL = ((64, 64), (1024, 1024), (4096, 4096), (64, 512, 512))
"""GenericBenchmarkExcluse1D."""
NORMS = ((4, 16, 64, 4), (16, 16, 8, 48), (16, 16, 8, 88), (16, 16, 128), (20, 6, 65536))
"""NormBenchmark."""
VECTORS = ((384, 384), (1024, 1024), (4096, 4096), (8192, 8192))
"""MvAndOuterBenchmark."""


def drawn(*shape: int) -> torch.Tensor:
    return torch.randn(shape, device=flag_gems.device, dtype=torch.float16)


NAMES = "softmax all any amax argmax argmin max min mean prod std sum var_mean"
Call = Callable[..., object]
REDUCTIONS: dict[str, Call] = {
    name: lambda *shape, name=name: getattr(torch, name)(drawn(*shape), 1) for name in NAMES.split()
}
OPERATIONS: dict[str, tuple[Sequence[tuple[int, ...]], Call]] = {
    **{name: (REDUCED, call) for name, call in REDUCTIONS.items()},
    "log_softmax": (MATRICES, lambda m, n: f.log_softmax(drawn(m, n), 1)),
    "count_nonzero": (MATRICES, lambda m, n: torch.count_nonzero(drawn(m, n), 1)),
    "cumsum": (MATRICES, lambda m, n: torch.cumsum(drawn(m, n), 1)),
    "rms_norm": (MATRICES, lambda m, n: flag_gems.rms_norm(drawn(m, n), (n,), drawn(n))),
    "groupnorm": (
        NORMS,
        lambda n, c, *more: f.group_norm(drawn(n, c, *more), c // 2, drawn(c), drawn(c)),
    ),
    "layernorm": (
        NORMS,
        lambda n, *rest: f.layer_norm(drawn(n, *rest), rest, drawn(*rest), drawn(*rest)),
    ),
    "batch_norm": (
        NORMS,
        lambda n, c, *more: f.batch_norm(
            drawn(n, c, *more), None, None, drawn(c), drawn(c), training=True
        ),
    ),
    "weightnorm": (
        SEVERAL,
        lambda m, *rest: flag_gems.weight_norm(drawn(m, *rest), drawn(m, *(1 for _ in rest)), 0),
    ),
    "vector_norm": (SEVERAL, lambda *shape: torch.linalg.vector_norm(drawn(*shape))),
    "mv": (VECTORS, lambda m, n: torch.mv(drawn(m, n), drawn(n))),
}


def main() -> None:
    shapes, call = OPERATIONS[sys.argv[1]]
    with flag_gems.use_gems():
        for shape in shapes:
            try:
                call(*shape)
            except Exception:
                print(f"{sys.argv[1]} {shape}:")
                traceback.print_exc(limit=3)


if __name__ == "__main__":
    main()
