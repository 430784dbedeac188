"""Calls of FlagGems at sizes of its own benchmark, forward and backward, for `library_speed.py`.

    PYTHONPATH=. python benchmarks/library_speed.py BEFORE AFTER --most 12 -- \\
        benchmarks/flaggems_calls.py SECONDS [WORD...]

Of the operations whose kernels are over rows, those whose name holds one of the words; all without.
The program goes through the operations size by size, the middle one first; what would begin after
SECONDS is left out, and named. Its own benchmark runs each call many times and beside torch; here
each is made once, for the calls are all that is wanted.
"""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import torch

MATRICES = ((4096, 4096), (4096, 256), (1024, 65536))
"""Of `benchmark/performance_utils.py`."""
IMAGES = ((16, 16, 8, 48), (4, 16, 64, 4), (20, 6, 65536))
"""Of `benchmark/core_shapes.yaml`, for norms."""


def drawn(*shape: int) -> torch.Tensor:
    return torch.randn(shape, device="cuda", dtype=torch.float16, requires_grad=True)


def calls(gems: Any) -> Iterator[tuple[str, Callable[[], torch.Tensor]]]:
    f, entropy = torch.nn.functional, gems.cross_entropy_loss
    for (m, n), image in zip(MATRICES, IMAGES, strict=True):
        x, target = drawn(m, n), torch.randint(0, n, (m,), device="cuda")
        shares = torch.softmax(drawn(m, n).detach(), -1)
        yield "log_softmax", lambda x=x: f.log_softmax(x, -1)
        yield "layer_norm", lambda x=x, n=n: f.layer_norm(x, (n,), drawn(n), drawn(n))
        yield "weight_norm", lambda x=x, m=m: gems.weight_norm(x, drawn(m, 1), 0)
        yield "weight_norm last", lambda x=x, n=n: gems.weight_norm(x, drawn(1, n), 1)
        yield "cross_entropy", lambda x=x, t=target: entropy(x, t)
        yield "cross_entropy smooth", lambda x=x, t=target: entropy(x, t, label_smoothing=0.1)
        yield "cross_entropy shares", lambda x=x, t=shares: entropy(x, t)
        yield "std", lambda x=x: torch.std(x, -1)
        yield "count_nonzero", lambda x=x: torch.count_nonzero(x, 1)
        i, c = drawn(*image), image[1]
        yield "group_norm", lambda i=i, c=c: f.group_norm(i, c // 2, drawn(c), drawn(c))
        yield "instance_norm", lambda i=i, c=c: gems.instance_norm(i, drawn(c), drawn(c))


def main() -> None:
    seconds, *words = sys.argv[1:]
    deadline = time.monotonic() + float(seconds)
    sys.path.insert(0, ".")
    import flag_gems

    with flag_gems.use_gems():
        for name, call in calls(flag_gems):
            if words and not any(word in name for word in words):
                continue
            if time.monotonic() > deadline:
                print(f"left out: {name}")
                continue
            try:
                result = call()
                if result.requires_grad:
                    result.backward(torch.randn_like(result))
            except Exception:
                traceback.print_exc(limit=2)


if __name__ == "__main__":
    main()
